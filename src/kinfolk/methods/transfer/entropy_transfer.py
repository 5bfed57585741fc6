"""Knowledge-transfer maximum-entropy clustering (KT-MEC): MEC with another site's centres.

Given source centres V~, and memberships U~ of the rows in them by (3), minimise over memberships
U, with rows on the simplex, and centres V

    J(U, V) = sum_ik B[i,k] (|X[i] - V[k]|^2 + lambda |V[k] - V~[k]|^2)
              + gamma sum_ik U[i,k] log U[i,k],     B = eta U + (1 - eta) U~      (6)

by exact block updates, so that J never rises:

    V[k]   = (sum_i B[i,k] X[i] / sum_i B[i,k] + lambda V~[k]) / (1 + lambda)     (8), corrected
    U[i,k] = exp(-eta E[i,k] / gamma) / sum_j exp(-eta E[i,j] / gamma),          (12)
    E[i,k] = |X[i] - V[k]|^2 + lambda |V[k] - V~[k]|^2

Symbols     X (n, d), U, U~ and B (n, k), V and V~ (k, d), gamma > 0, lambda >= 0, 0 <= eta <= 1.
Units       gamma and J are in squared units of X; lambda and eta have none.
Exact       U enters (8) by U'1 and U'X and, being the minimiser (12), J by one number
            (`numerics.entropic`); U~ is fixed and enters both by U~'1 and U~'X. A sweep is one
            pass over blocks of rows; nothing (n, k) is held until the memberships are returned.
Limits      lambda = 0 and eta = 1, or no knowledge, is MEC to the last digit; eta = 0 leaves U
            uniform and labels are those of the nearest source centre; lambda -> inf keeps V~.
Source      Qian, Sun, Jiang, Wang, Deng (2015), Control and Decision, equations (4)-(12).
Departures  (8) is printed with both signs reversed, (mean - lambda V~) / (1 - lambda), hence its
            "lambda != 1"; that is no minimiser and J then rises. `centre_update="as_printed"`
            takes it, makes `max_iter` sweeps and warns of no rise. (11) has i in its denominator
            where it sums over k. The paper starts from a random U and stops when U settles; here
            the first start is V~, the others are k-means++ centres numbered by the best matching
            with V~, and J stops the descent. gamma in U~ is not stated: the same here. Labels
            are read from B, since U alone is uniform for eta = 0.
Beyond      different numbers of clusters (`match`): the centres of a k-means start are paired
            with source centres, nearest pairs in sum; a cluster without partner has lambda = 0
            and no U~, a source centre without partner is left out. Streams (`partial_fit`):
            earlier rows keep the B that they had, as weights that stay fixed like U~.
"""

import warnings
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Table, Vector
from kinfolk.errors import DescentWarning, InputError
from kinfolk.estimators import checks
from kinfolk.estimators.base import Clusterer
from kinfolk.estimators.descent import Run, alternate, restarts
from kinfolk.knowledge import Knowledge
from kinfolk.numerics import distances, entropic, matching, operators, starts
from kinfolk.numerics import memberships as indicators
from kinfolk.numerics.entropic import Moments, Rule

SIGNS = {"derived": 1.0, "as_printed": -1.0}
"""The sign of lambda in (8)."""


class Given(NamedTuple):
    """What a descent does not change.

    `partners` (k,) are positions in the knowledge, -1 for none; `source` (k, d) is V~ and `pull`
    (k,) lambda, 0 without partner; `sign` is that of lambda in (8). `held` are the moments of the
    fixed weights, (1 - eta) U~ and earlier B; `squares` is the sum of w |x - origin|^2 over rows
    x of whole weight w.
    """

    gamma: float
    eta: float
    sign: float
    partners: Labels
    source: Matrix
    pull: Vector
    held: Moments
    origin: Vector
    squares: float


class State(NamedTuple):
    """One point of the descent: V (k, d), and U of (12) by its moments and its log-scales."""

    V: Matrix
    own: Moments
    log_sum: float
    given: Given


def objective(s: State) -> float:
    """J of equation (6), with U the minimiser (12)."""
    g, A = s.given, s.V - s.given.origin
    towards = np.sum(A * (g.held.sums - g.held.mass[:, None] * g.origin))
    fixed = g.held.mass @ (distances.squared_norms(A) + _strain(s.V, g)) - 2.0 * towards
    return float(g.squares - g.gamma * s.log_sum + fixed)


def sweep(X: Table, s: State) -> State:
    """Equation (8), then equation (12)."""
    g, b = s.given, _weighted(s)
    pull = g.sign * g.pull[:, None]
    return placed(X, (b.means(g.origin) + pull * g.source) / (1.0 + pull), g)


def placed(X: Table, V: Matrix, g: Given) -> State:
    """The centres V with U of equation (12)."""
    return State(V, *entropic.moments(X, own_rule(V, g), g.origin), g)


def own_rule(V: Matrix, g: Given) -> Rule:
    """U of equation (12)."""
    return Rule(V, g.eta / g.gamma, _strain(V, g))


def source_rule(g: Given) -> Rule:
    """U~: equation (3) at the source's centres, as far as they have partners."""
    return Rule(g.source, 1.0 / g.gamma, np.where(g.partners >= 0, 0.0, np.inf))


def memberships(X: Table, V: Matrix, g: Given) -> Matrix:
    """B of equation (6), (n, k)."""
    parts = [(g.eta, own_rule(V, g)), (1.0 - g.eta, source_rule(g))]
    return entropic.mixture(X, [part for part in parts if part[0] > 0])


def _weighted(s: State) -> Moments:
    """Moments of B, and of what is held besides."""
    return s.own.scaled(s.given.eta).plus(s.given.held)


def _strain(V: Matrix, g: Given) -> Vector:
    """lambda |V[k] - V~[k]|^2, (k,)."""
    return g.pull * distances.squared_norms(V - g.source)


class KTMEC(Clusterer):
    """Soft clustering of one data set, drawn towards the centres that another site tells of.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of centres; None: as many as the knowledge has, 2 without
    knowledge : `kinfolk.Knowledge`, source centres in the units of X; columns are matched by
        name where both sides have names. None: the method is MEC
    temperature : float > 0, gamma of (6), in squared units of X; or "auto", as in MEC
    transfer_weight : float >= 0, lambda, the weight of the distance to the source's centres
    own_share : float in [0, 1], eta, the share of a row's membership that follows its own
        centres; the rest is its membership in the source's
    centre_update : "derived", the minimiser of (6), or "as_printed", (8) with the paper's signs
    match : bool, pair clusters with source centres where their numbers differ
    forgetting : float in [0, 1), the share of earlier rows' weight that each `partial_fit` drops
    n_init : int >= 1, starts, of which the one with the lowest J is kept
    max_iter : int >= 1, the most sweeps
    tol : float >= 0, stop when a sweep lowers J by at most this share of the scatter of X
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    memberships_ : (n, k), B of (6), rows sum to 1; U itself if eta is 1
    cluster_centers_ : (k, d), units of X
    cluster_weights_ : (k,), rows behind a centre: none weighs more than 1 / this in it
    labels_ : (n,), the largest membership
    source_clusters_ : (k,), the partner of each centre in the knowledge; -1: drawn to none
    temperature_ : the gamma that was used
    objective_trace_ : (n_iter_ + 1,), J at the start and after each sweep

    Raises
    ------
    InputError : a parameter is out of range, X is not a finite table of at least k rows, or the
        knowledge does not fit X in its columns or in its number of clusters

    Examples
    --------
    >>> X = np.array([[0.0], [0.2], [9.8], [10.0]])
    >>> known = Knowledge([[1.0], [9.0]], [20.0, 30.0])
    >>> model = KTMEC(knowledge=known, temperature=0.5, random_state=0).fit(X)
    >>> model.cluster_centers_.ravel().round(3)
    array([0.4, 9.6])
    """

    def __init__(
        self,
        n_clusters: int | None = None,
        knowledge: Knowledge | None = None,
        temperature: float | str = "auto",
        transfer_weight: float = 0.5,
        own_share: float = 0.9,
        centre_update: str = "derived",
        match: bool = False,
        forgetting: float = 0.0,
        n_init: int = 4,
        max_iter: int = 300,
        tol: float = 1e-8,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.knowledge = knowledge
        self.temperature = temperature
        self.transfer_weight = transfer_weight
        self.own_share = own_share
        self.centre_update = centre_update
        self.match = match
        self.forgetting = forgetting
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: None = None) -> Self:
        """Cluster the rows of X (n, d)."""
        known = self.knowledge
        k = (2 if known is None else len(known)) if self.n_clusters is None else self.n_clusters
        X, k = self._open(X, k)
        seeds = starts.seeds(
            checks.random(self.random_state), checks.at_least("n_init", self.n_init, 1)
        )
        gamma = (
            entropic.temperature(X, k, seeds[0])
            if self.temperature == "auto"
            else checks.above("temperature", self.temperature, 0)
        )
        V, eta, lam = self._source(k)
        origin = operators.mean(X)
        blank = Given(
            gamma,
            eta,
            SIGNS[self.centre_update],
            np.full(k, -1),
            np.tile(origin, (k, 1)),
            np.zeros(k),
            Moments(np.zeros(k), np.zeros((k, X.shape[1]))),
            origin,
            0.0,
        )

        def descend(start: tuple[int, int]) -> Run[State]:
            first, partners = _start(X, V, k, *start)
            if V is None:
                return self._descend(X, first, blank)
            has = partners >= 0
            source = np.where(has[:, None], V[partners], origin)
            given = blank._replace(partners=partners, source=source, pull=lam * has)
            return self._descend(X, first, given)

        return self._keep(X, restarts(descend, [*enumerate(seeds)], "clustering with transfer"))

    def partial_fit(self, X: MatrixLike, y: None = None) -> Self:
        """Continue with the next rows X (m, d) of a stream; the first call is `fit`.

        J is minimised over the centres and the memberships of these rows, while earlier rows keep
        the memberships that they had, times 1 - `forgetting`. Only sums over them are kept.
        """
        if not hasattr(self, "cluster_centers_"):
            return self.fit(X)
        X = checks.samples(self, X, reset=False)
        kept = 1.0 - checks.number("forgetting", self.forgetting, 0.0, 1.0, open_low=False)
        given = self._recalled()
        given = given._replace(held=given.held.scaled(kept), squares=kept * given.squares)
        return self._keep(X, self._descend(X, self.cluster_centers_, given))

    def predict(self, X: MatrixLike) -> Labels:
        """Return the cluster (m,) of the largest membership of each row of X (m, d)."""
        check_is_fitted(self)
        return self._assigned(checks.samples(self, X, reset=False))

    def predict_memberships(self, X: MatrixLike) -> Matrix:
        """Return B of (6), (m, k), for new rows X (m, d), by (12) and (3)."""
        check_is_fitted(self)
        X = checks.samples(self, X, reset=False)
        return memberships(X, self.cluster_centers_, self._recalled())

    def _descend(self, X: Table, V: Matrix, given: Given) -> Run[State]:
        """Minimise J from the centres V; `given` lacks what these rows add to it."""
        scatter = distances.scatter(X)
        away = operators.mean(X) - given.origin
        squares = given.squares + scatter + X.shape[0] * float(away @ away)
        held = given.held
        if given.eta < 1:
            towards = entropic.moments(X, source_rule(given), given.origin)[0]
            held = held.plus(towards.scaled(1.0 - given.eta))
        start = placed(X, V, given._replace(held=held, squares=squares))
        derived = given.sign > 0
        max_iter = checks.at_least("max_iter", self.max_iter, 1)
        tol = checks.not_negative("tol", self.tol) * scatter
        with warnings.catch_warnings():
            if not derived:  # the printed (8) is no minimiser: it may rise and does not settle J
                warnings.simplefilter("ignore", DescentWarning)
            return alternate(
                start,
                sweep=lambda s: sweep(X, s),
                objective=objective,
                max_iter=max_iter,
                tol=tol if derived else -np.inf,
                rounding=entropic.rounding(X, given.gamma),
            )

    def _keep(self, X: Table, run: Run[State]) -> Self:
        s, total = run.state, _weighted(run.state)
        self.temperature_, self.source_clusters_ = s.given.gamma, s.given.partners
        self._given = s.given._replace(held=total)._asdict()
        V = self.cluster_centers_ = s.V.astype(X.dtype, copy=False)
        lam = s.given.pull.max(initial=0.0)
        share = 1.0 if s.given.sign > 0 else min(1.0, abs(1.0 - lam))
        self.cluster_weights_ = share * total.mass
        self.memberships_ = memberships(X, V, s.given)
        self.labels_ = self._assigned(X, self.memberships_)
        return self._record(run)

    def _assigned(self, X: Table, B: Matrix | None = None) -> Labels:
        g, V = self._recalled(), self.cluster_centers_
        if g.eta == 1:  # where B is rounded to 0, 1 or 1/k, distances still tell
            return entropic.nearest(X, V, _strain(V, g))
        return (memberships(X, V, g) if B is None else B).argmax(axis=1)

    def _recalled(self) -> Given:
        given = Given(**self._given)
        return given._replace(held=Moments(*given.held))

    def _source(self, k: int) -> tuple[Matrix | None, float, float]:
        """V~ on the columns of X, eta and lambda; V~ is None where it has no weight."""
        lam = checks.not_negative("transfer_weight", self.transfer_weight)
        eta = checks.share("own_share", self.own_share)
        if checks.choice("centre_update", self.centre_update, SIGNS) == "as_printed" and lam == 1:
            raise InputError(
                "transfer_weight is 1, for which the printed (8) divides by zero; give another "
                'weight, or centre_update="derived".'
            )
        known = self.knowledge
        if known is None:
            return None, 1.0, 0.0
        if not isinstance(known, Knowledge):
            raise InputError(f"knowledge is a {type(known).__name__}; give a kinfolk.Knowledge.")
        if len(known) != k and not self.match:
            raise InputError(
                f"n_clusters is {k} and the knowledge has {len(known)} centres; give the same "
                "number, or match=True to pair those that are nearest."
            )
        V = _columns(known, getattr(self, "feature_names_in_", None), self.n_features_in_)
        return (None, 1.0, 0.0) if (lam, eta) == (0, 1) else (V, eta, lam)


def _start(X: Table, source: Matrix | None, k: int, turn: int, seed: int) -> tuple[Matrix, Labels]:
    """Centres (k, d) to begin from, and their partners (k,) in the source."""
    alone, same = np.full(k, -1), np.arange(k)
    if source is None:
        return starts.spread(X, k, seed), alone
    if len(source) == k and turn == 0:
        return source, same
    if len(source) == k:
        V = starts.spread(X, k, seed)
        return V[matching.assignment(-distances.squared(source, V))], same
    Y = indicators.indicator(starts.kmeans(X, k, seed), k)
    V = indicators.centres(X, Y)
    return V, matching.assignment(-distances.squared(V, source))


def _columns(known: Knowledge, names: Any, d: int) -> Matrix:
    """V~ with the columns of X, by name where both sides have names."""
    if names is not None and known.feature_names:
        return known.aligned([str(name) for name in names]).cluster_centers
    if known.cluster_centers.shape[1] != d:
        raise InputError(
            f"X has {d} columns and the knowledge has {known.cluster_centers.shape[1]}; give the "
            "columns that the knowledge names."
        )
    return known.cluster_centers
