"""Marginalised denoising autoencoder layers: reconstruct rows from copies with blanked features.

For tables H (n, d) of all tasks stacked, a layer is the least-squares map from corrupted rows
(every feature set to 0 with probability p, a constant feature never) back to the clean ones, with
infinitely many corruptions averaged in closed form, followed by tanh. With q = 1 - p, S = H'H,
s = sum of the rows of H, and a ridge r on every diagonal entry:

    E[Q] = [ q^2 S + Delta   q s' ]     Delta = diag( q (1 - q) S_ii + r )       (5), (6)
           [ q s             n + r ]
    E[P] = [ q S, s' ]  (rows of the d features)                                 (5)
    W    = E[P] E[Q]^-1 = [ A', b' ],   next H = tanh( H A + b )                 (4)

Eliminating the constant feature first, with J = I - 11'/(n + r):

    A = ( q^2 H'JH + Delta )^-1  q H'JH,       b = ( s - q s A ) / (n + r)

That is a d x d system. When n < d the same A has an n x n form: with K = q^2 H Delta^-1 H',

    A = q Delta^-1 H' M H,      M = J^(1/2) ( I + J^(1/2) K J^(1/2) )^-1 J^(1/2)

so that A is never formed and every eigenvalue of the matrix to factor is at least 1.

With weights w of rows, as of a table with row i repeated w_i times, S = H'DH for D = diag(w),
s = H'w, and sum w stands for n. The n x n form is then that of D^1/2 H, with D^1/2 1 for 1. Only
S, s and sum w see the rows: they are sums, of blocks of rows too (`Sums`).

Symbols     p noise, q = 1 - p, H (n, d), A (d, d), b (d,), M (n, n). The papers have samples in
            columns and W = [A', b'].
Limits      p -> 0 and r -> 0: H A + b is the best linear copy of H, which is H.
Source      Zhang, Zhang, Liu (2019), equations (1)-(6), after Chen, Xu, Weinberger, Sha (2012).
Departures  r: E[Q] is singular when a feature is zero everywhere; the 2012 code adds 1e-5 too.
            Delta_ii is 1e-10 S_ii at least: without noise r alone makes E[Q] regular, if not small.
"""

from typing import NamedTuple

import numpy as np
import scipy.linalg as sl
import scipy.sparse as sp

from kinfolk.arrays import Matrix, Table, Vector
from kinfolk.numerics import distances, operators, weighted_rows

LEAST_DELTA = 1e-10
"""Least entry of Delta, as a share of a column's sum of squares; less is lost in rounding."""


class Layer(NamedTuple):
    """One fitted denoising layer: a linear map, held as (d, d) or as weights of the n rows.

    Either `core` is A (d, d) and `scale` is empty, or `core` is M (n, n) and `scale` is the
    diagonal q Delta^-1 (d,), which together with the training rows H stand for A.
    """

    core: Matrix
    scale: Vector
    b: Vector


class Sums(NamedTuple):
    """Sums over rows H (n, d) that determine a layer in its d x d form.

    `products` is S (d, d), `sums` is s (d,), and `mass` is n, or the sum of the weights.
    """

    products: Matrix
    sums: Vector
    mass: float


def sums(H: Table, weight: Vector | None = None) -> Sums:
    """Compute the sums that a layer of the rows H (n, d), with weights (n,), depends on.

    >>> sums(np.array([[1.0, 2.0], [0.0, 1.0]]), np.array([1.0, 3.0]))
    Sums(products=array([[1., 2.],
           [2., 7.]]), sums=array([1., 5.]), mass=4.0)
    """
    if weight is None:
        return Sums(operators.crossed(H, H), operators.sums(H), float(H.shape[0]))
    heavy = distances.rows_times(H.astype(np.float64, copy=False), weight)
    return Sums(operators.crossed(H, heavy), operators.sums(heavy), float(weight.sum()))


def of_sums(found: Sums, noise: float, ridge: float) -> Layer:
    """Fit a layer from the sums over its rows alone, in its d x d form.

    >>> of_sums(Sums(np.eye(2), np.zeros(2), 2.0), 0.5, 1e-9).core.round(3)
    array([[1., 0.],
           [0., 1.]])
    """
    S, s, mass = found
    q = 1.0 - noise
    JH = S - np.outer(s, s) / (mass + ridge)
    K = q**2 * JH + np.diag(_delta(np.diagonal(S), noise, ridge))
    # Powers of 2 change no digit; of columns that differ in size the solver would warn.
    scale = np.exp2(-np.rint(np.log2(np.diagonal(K)) / 2.0))[:, None]
    core = scale * sl.solve(scale * K * scale.T, scale * (q * JH), assume_a="pos")
    return Layer(core, np.empty(0), (s - q * (s @ core)) / (mass + ridge))


def fit(H: Table, noise: float, ridge: float, weight: Vector | None = None) -> tuple[Layer, Matrix]:
    """Fit a denoising layer on H (n, d), 0 <= noise < 1, ridge > 0; return it and its output for H.

    Weights (n,) count a row as so many equal ones.

    >>> layer, output = fit(np.array([[1.0, 1.0], [-1.0, -1.0], [2.0, 2.0]]), 0.5, 1e-5)
    >>> layer.core.round(3)
    array([[0.609, 0.609],
           [0.609, 0.609]])
    """
    n, d = H.shape
    if d <= n:
        layer = of_sums(sums(H, weight), noise, ridge)
        return layer, apply(layer, H, H)
    return _fit_few(H, noise, ridge, weight)


def _fit_few(H: Table, noise: float, ridge: float, weight: Vector | None) -> tuple[Layer, Matrix]:
    """Fit a layer on fewer rows than columns, in its n x n form; return it and its output for H."""
    q = 1.0 - noise
    heavy = weighted_rows.scaled(H, weight)
    s = operators.sums(H) if weight is None else operators.times(H.T, weight)
    roots = np.ones(H.shape[0]) if weight is None else np.sqrt(weight)
    mass = float(roots @ roots)
    scale = q / _delta(distances.squared_norms(heavy.T), noise, ridge)
    # half half' is K / q.
    half = _scaled(heavy, np.sqrt(scale))
    K = operators.crossed(half.T, half.T)
    inverse = _inverse(np.eye(len(K)) + _rooted(q * K, roots, ridge))
    core = _rooted(inverse, roots, ridge)
    if weight is None:
        # Without a product of n x n matrices: K M = J^(-1/2) (I - inverse) J^(1/2) / q, where
        # J^(-1/2) adds the same row to all, so that the mean row of K M gives it.
        KM = _right_rooted((np.eye(len(K)) - inverse) / q, roots, ridge)
        KM += K.mean(axis=0) @ core - KM.mean(axis=0)
        linear = operators.dense(KM @ H)
    else:  # a row of weight 0 has an output too, which K M does not show
        core = roots[:, None] * core * roots
        linear = _linear(Layer(core, scale, s), H, H)
    b = (s - q * (roots**2 @ linear)) / (mass + ridge)
    return Layer(core, scale, b), _squashed(linear, b)


def _delta(squares: Vector, noise: float, ridge: float) -> Vector:
    """Diagonal of Delta (d,) for the columns' sums of squares (d,), above their rounding."""
    delta = (1.0 - noise) * noise * squares + ridge
    return np.maximum(delta, LEAST_DELTA * squares)


def apply(layer: Layer, rows: Table, H: Table) -> Matrix:
    """Output tanh(rows A + b) (m, d) for new rows of a denoising layer fitted on rows H."""
    return _squashed(_linear(layer, rows, H), layer.b)


def stack(X: Table, layers: list[Layer], reference: list[Table] | None = None) -> list[Table]:
    """Return X and the outputs of all layers in turn, as a list of tables (n, d).

    `reference` is this list for the rows that the layers were fitted on; None: X itself.
    """
    H = [X]
    for depth, layer in enumerate(layers):
        # The n x n form of a layer needs the rows that it was fitted on.
        H.append(apply(layer, H[-1], (reference or H)[depth]))
    return H


def _linear(layer: Layer, rows: Table, H: Table) -> Matrix:
    """Product rows A (m, d) for a layer fitted on rows H."""
    if layer.scale.size == 0:
        return operators.times(rows, layer.core)
    products = operators.dense(_scaled(rows, layer.scale) @ H.T) @ layer.core
    return operators.dense(products @ H)


def _squashed(linear: Matrix, b: Vector) -> Matrix:
    linear += b
    return np.tanh(linear, out=linear)


def _scaled(H: Table, scale: Vector) -> Table:
    return sp.csr_array(H @ sp.diags_array(scale)) if sp.issparse(H) else H * scale


def _rooted(K: Matrix, roots: Vector, ridge: float) -> Matrix:
    """Compute J^(1/2) K J^(1/2) for the centering matrix with ridge J."""
    return _right_rooted(_right_rooted(K.T, roots, ridge).T, roots, ridge)


def _right_rooted(K: Matrix, roots: Vector, ridge: float) -> Matrix:
    """Compute K J^(1/2) for the centering matrix with ridge J = I - uu'/(u'u + r), u the roots."""
    mass = roots @ roots
    # J has the eigenvalue r/(u'u + r) for the vector u and 1 for all others.
    c = 1.0 - np.sqrt(ridge / (mass + ridge))
    return K - np.outer(K @ roots, roots * (c / mass))


def _inverse(K: Matrix) -> Matrix:
    # From the factor alone: to solve for all columns of I takes four times as many products.
    upper = sl.lapack.dpotri(sl.cholesky(K))[0]
    inverse = upper + upper.T
    np.fill_diagonal(inverse, np.diagonal(upper))
    return inverse
