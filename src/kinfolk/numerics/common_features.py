"""Common features of tasks: stacked denoising layers, fitted on the rows of all tasks.

The rows and the outputs of all layers, side by side, are what MTCFIR compares; see `denoising`.
"""

from kinfolk.arrays import Labels, Table, Vector
from kinfolk.numerics import denoising, distances, features, memo
from kinfolk.numerics.features import Features
from kinfolk.running import progress


def fit(
    X: Table, noise: float, n_layers: int, ridge: float, weight: Vector | None = None
) -> tuple[list[denoising.Layer], list[Table]]:
    """Fit denoising layers on X (n, d) with weights (n,), each on the output of the one before.

    Returns the layers, and a list of the rows X and the output of every layer.
    """
    layers: list[denoising.Layer] = []
    H: list[Table] = [X]
    for _ in progress.track(range(n_layers), "learning common features"):
        layer, output = denoising.fit(H[-1], noise, ridge, weight)
        layers.append(layer)
        H.append(output)
    return layers, H


@memo.remembered
def by_task(
    X: Table,
    codes: Labels,
    noise: float,
    n_layers: int,
    ridge: float,
    weight: Vector | None = None,
) -> tuple[tuple[denoising.Layer, ...], tuple[Features, ...]]:
    """Fit denoising layers; return them and each task's rows with all layers' outputs."""
    layers, H = fit(X, noise, n_layers, ridge, weight)
    return tuple(layers), tuple(features.by_task(H, codes))


@memo.remembered
def layer_share(
    X: Table,
    rows: tuple[Features, ...],
    weight: Vector | None = None,
    codes: Labels | None = None,
) -> float:
    """Share of the squared length of the tasks' rows Z that is in the layers, not in X (n, d).

    Weights (n,) count a row as so many; they need the position (n,) of each row's task.

    >>> import numpy as np
    >>> X = np.ones((3, 2))
    >>> layer_share(X, (Features([X[:1], X[:1]]), Features([X[1:], X[1:]])))
    0.5
    """
    own = distances.squared_norms(X)
    if weight is None or codes is None:
        return share(float(own.sum()), float(sum(z.squared_norms().sum() for z in rows)))
    total = sum(weight[codes == t] @ z.squared_norms() for t, z in enumerate(rows))
    return share(float(weight @ own), float(total))


def share(own: float, total: float) -> float:
    """Share of a total squared length that is not that of the rows' own columns.

    >>> share(1.0, 4.0), share(0.0, 0.0)
    (0.75, 0.0)
    """
    return 1.0 - own / total if total > 0 else 0.0
