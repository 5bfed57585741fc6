"""Knowledge-transfer maximum-entropy clustering (KT-MEC): MEC with another site's centers.

Given source centers V~, and memberships U~ of the rows in them by (3), minimize over memberships
U, with rows on the simplex, and centers V

    J(U, V) = sum_ik B[i,k] (|X[i] - V[k]|^2 + lambda |V[k] - V~[k]|^2)
              + gamma sum_ik U[i,k] log U[i,k],     B = eta U + (1 - eta) U~      (6)

by exact block updates, so that J never rises:

    V[k]   = (sum_i B[i,k] X[i] / sum_i B[i,k] + lambda V~[k]) / (1 + lambda)     (8), corrected
    U[i,k] = exp(-eta E[i,k] / gamma) / sum_j exp(-eta E[i,j] / gamma),          (12)
    E[i,k] = |X[i] - V[k]|^2 + lambda |V[k] - V~[k]|^2

Symbols     X (n, d), U, U~ and B (n, k), V and V~ (k, d), gamma > 0, lambda >= 0, 0 <= eta <= 1.
Units       gamma and J are in squared units of X; lambda and eta have none.
Exact       U enters (8) by U'1 and U'X and, being the minimizer (12), J by one number
            (`numerics.entropic`); U~ is fixed and enters both by U~'1 and U~'X. A sweep is one
            pass over blocks of rows; nothing (n, k) is held until the memberships are returned.
            Blocks may be anywhere (`kinfolk.blocks`), as in MEC.
Limits      lambda = 0 and eta = 1, or no knowledge, is MEC to the last digit; eta = 0 leaves U
            uniform and labels are those of the nearest source center; lambda -> inf keeps V~.
Source      Qian, Sun, Jiang, Wang, Deng (2015), Control and Decision, equations (4)-(12).
Departures  (8) is printed with both signs reversed, (mean - lambda V~) / (1 - lambda), hence its
            "lambda != 1"; that is no minimizer and J then rises. `center_update="as_printed"`
            takes it, makes `max_iter` sweeps and warns of no rise. (11) has i in its denominator
            where it sums over k. The paper starts from a random U and stops when U settles; here
            the first start is V~, the others are k-means++ centers numbered by the best matching
            with V~, and J stops the descent. gamma in U~ is not stated: the same here. Labels
            are read from B, since U alone is uniform for eta = 0.
Beyond      weights w of rows, as in MEC: a row of weight 2 is two equal rows.
            different numbers of clusters (`match`): the centers of a k-means start are paired
            with source centers, nearest pairs in sum; a cluster without partner has lambda = 0
            and no U~, a source center without partner is left out. Streams (`partial_fit`):
            earlier rows keep the B that they had, as weights that stay fixed like U~.
"""

import warnings
from typing import Any, NamedTuple, Self

import numpy as np

from kinfolk.arguments import instance
from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Table, Vector
from kinfolk.blocks import Block, Rows, sums
from kinfolk.errors import DescentWarning, InputError
from kinfolk.estimators import checks, kept_rows, warn
from kinfolk.estimators.descent import Run, Settings, alternate, restarts
from kinfolk.estimators.parameterized import parameterized
from kinfolk.estimators.renamed import accept_old_names
from kinfolk.estimators.row_sums import RowSumClusterer
from kinfolk.knowledge import LOADED, Knowledge
from kinfolk.numerics import distances, matching, starts
from kinfolk.numerics import memberships as indicators
from kinfolk.numerics.entropic import Moments, Rule

CENTER_UPDATES = {"derived": 1.0, "as_printed": -1.0}
"""Sign of lambda in (8), by the name of `center_update`."""


class TransferProblem(NamedTuple):
    """Constants of the objective: source centers, their weights and shares.

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
    """Centers V (k, d), with the memberships' weighted sums and log normalizers."""

    V: Matrix
    own: Moments
    log_sum: float
    problem: TransferProblem


def objective(s: State) -> float:
    """Free energy of own and source memberships, plus distance to the source's centers."""
    p = s.problem
    # Distances from an origin near the rows lose fewer digits than those from zero.
    A = s.V - p.origin
    towards = np.sum(A * (p.held.sums - p.held.mass[:, None] * p.origin))
    fixed = p.held.mass @ (distances.squared_norms(A) + _strain(s.V, p)) - 2.0 * towards
    return float(p.squares - p.gamma * s.log_sum + fixed)


def sweep(rows: Rows, s: State) -> State:
    """Update the centers, then the memberships."""
    p = s.problem
    pull = p.sign * p.pull[:, None]
    means = _all_moments(s).means(p.origin)
    return state_at(rows, (means + pull * p.source) / (1.0 + pull), p)  # (8)


def state_at(rows: Rows, V: Matrix, p: TransferProblem) -> State:
    """Build the state for centers V: memberships' sums and log normalizers."""
    return State(V, *sums.moments(rows, own_rule(V, p), p.origin), p)


def own_rule(V: Matrix, p: TransferProblem) -> Rule:
    """Softmax rule of the memberships at own centers V."""
    return Rule(V, p.eta / p.gamma, _strain(V, p))


def source_rule(p: TransferProblem) -> Rule:
    """Softmax rule of the memberships at those source centers that match a center of ours."""
    return Rule(p.source, 1.0 / p.gamma, np.where(p.partners >= 0, 0.0, np.inf))


def membership_parts(V: Matrix, p: TransferProblem) -> list[tuple[float, Rule]]:
    """The final memberships as a weighted sum of own and source softmax rules."""
    parts = [(p.eta, own_rule(V, p)), (1.0 - p.eta, source_rule(p))]
    return [part for part in parts if part[0] > 0]


def assigned(block: Block, V: Matrix, p: TransferProblem) -> Labels:
    """Index (m,) of the largest final membership of each row of a block."""
    if p.eta == 1:  # B may round to 0, 1 or 1/k; distances still differ
        return sums.nearest(block, V, _strain(V, p))
    return sums.mixture(block, membership_parts(V, p)).argmax(axis=1)


def _all_moments(s: State) -> Moments:
    """Membership-weighted sums over these rows and the earlier rows of a stream."""
    return s.own.scaled(s.problem.eta).plus(s.problem.held)


def _strain(V: Matrix, p: TransferProblem) -> Vector:
    """Penalty (k,) of each center for its squared distance to its source center."""
    return p.pull * distances.squared_norms(V - p.source)


def _current_problem(value: Any) -> TransferProblem:
    """Convert the problem of an older model file (a dict) to the present class."""
    if isinstance(value, TransferProblem):
        return value
    return TransferProblem(**{**value, "held": Moments(*value["held"])})


@accept_old_names(
    parameters={"centre_update": "center_update"},
    stored={"_given": "_problem"},
    converted={"_problem": _current_problem},
)
@parameterized
class KTMEC(RowSumClusterer):
    """Maximum-entropy clustering with centers drawn towards another site's centers.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of centers; None: as many as the knowledge has, 2 without
    knowledge : `kinfolk.Knowledge`, source centers in the units of X; columns are matched by
        name where both sides have names. None: the method is MEC
    temperature : float > 0, gamma of (6), in squared units of X; or "auto", as in MEC
    transfer_weight : float >= 0, lambda, the weight of the distance to the source's centers
    own_share : float in [0, 1], eta, the share of a row's membership that follows its own
        centers; the rest is its membership in the source's
    center_update : "derived", the minimizer of (6), or "as_printed", (8) with the paper's signs
    match : bool, True to pair clusters with source centers where their numbers differ
    forgetting : float in [0, 1), the share of earlier rows' weight that each `partial_fit` drops
    n_init : int >= 1, starts, of which the one with the lowest J is kept
    max_iter : int >= 1, the most sweeps
    tol : float >= 0, stop when J is expected to fall by at most this share of itself
    random_state : int, RandomState or None, for the starts
    init : "k-means++": the knowledge first, then rows; or centers of "random" memberships, as in
        the paper, where the knowledge has as many clusters

    Attributes
    ----------
    memberships_ : (n, k), B of (6), U itself if eta is 1; of Dask and files as in MEC
    cluster_centers_ : (k, d), units of X
    cluster_weights_ : (k,), rows behind each center: a single one has at most the share 1 / this.
        With `sample_weight` the sum of weights over the largest one
    labels_ : (n,), the largest membership
    source_clusters_ : (k,), the partner of each center in the knowledge; -1: drawn to none
    temperature_ : the gamma that was used
    objective_trace_ : (n_iter_ + 1,), J at the start and after each sweep
    n_iter_, converged_ : sweeps of the run that was kept, and True if J no longer fell

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

    of_rows = ("memberships_",)

    keeps = kept_rows.MEMBERSHIPS

    n_clusters: int | None = None
    knowledge: Knowledge | None = None
    temperature: float | str = "auto"
    transfer_weight: float = 0.5
    own_share: float = 0.9
    center_update: str = "derived"
    match: bool = False
    forgetting: float = 0.0
    n_init: int = 4
    max_iter: int = 300
    tol: float = 1e-8
    random_state: Seed = None
    init: str = "k-means++"

    def fit(self, X: MatrixLike, y: None = None, sample_weight: Any = None) -> Self:
        """Cluster the rows of X (n, d), with weights `sample_weight` (n,) or None."""
        known = self.knowledge
        k = (2 if known is None else len(known)) if self.n_clusters is None else self.n_clusters
        rows, k = self._open_rows(X, k, sample_weight)
        settings = Settings.of(self)
        sample = rows.sample()
        gamma = self._gamma(sample, k, settings.seeds[0])
        init = checks.choice("init", self.init, starts.CENTRES)
        V, eta, lam = self._source(sample.x, k)
        about = sums.summary(rows)
        origin = about.mean
        alone = TransferProblem(
            gamma=gamma,
            eta=eta,
            sign=CENTER_UPDATES[self.center_update],
            partners=np.full(k, -1),
            source=np.tile(origin, (k, 1)),
            pull=np.zeros(k),
            held=Moments(np.zeros(k), np.zeros((k, rows.shape[1]))),
            origin=origin,
            squares=0.0,
        )

        def descend(turn_and_seed: tuple[int, int]) -> Run[State]:
            first, partners = _start(sample, V, k, *turn_and_seed, init)
            if V is None:
                return self._descend(rows, about, first, alone, settings)
            paired = partners >= 0
            source = np.where(paired[:, None], V[partners], origin)
            p = alone._replace(partners=partners, source=source, pull=lam * paired)
            return self._descend(rows, about, first, p, settings)

        run = restarts(descend, [*enumerate(settings.seeds)], "clustering with transfer")
        return self._finish(rows, run, about.heaviest)

    def partial_fit(self, X: MatrixLike, y: None = None, sample_weight: Any = None) -> Self:
        """Continue with the next rows X (m, d) of a stream; the first call is `fit`.

        J is minimized over the centers and the memberships of these rows, while earlier rows keep
        the memberships that they had, times 1 - `forgetting`. Only sums over them are kept.
        """
        if not hasattr(self, "cluster_centers_"):
            return self.fit(X, sample_weight=sample_weight)
        rows = self._new_blocks(X, sample_weight)
        kept = 1.0 - checks.number("forgetting", self.forgetting, 0.0, 1.0, open_low=False)
        p = self._problem
        p = p._replace(held=p.held.scaled(kept), squares=kept * p.squares)
        # The start is known, so that no seed may be drawn from a generator the user shares.
        settings = Settings.of(self, np.random.RandomState(0))
        about = sums.summary(rows)
        run = self._descend(rows, about, self.cluster_centers_, p, settings)
        return self._finish(rows, run, max(about.heaviest, self._heaviest()))

    def predict(self, X: MatrixLike) -> Labels:
        """Return the cluster (m,) of the largest membership of each row of X (m, d)."""
        rows = self._new_blocks(X)
        return rows.each(assigned, self.cluster_centers_, self._problem)

    def predict_memberships(self, X: MatrixLike) -> Matrix:
        """Return the final memberships (m, k) of new rows X (m, d)."""
        rows = self._new_blocks(X)
        return rows.each(sums.mixture, membership_parts(self.cluster_centers_, self._problem))

    def _descend(
        self, rows: Rows, about: sums.Summary, V: Matrix, p: TransferProblem, settings: Settings
    ) -> Run[State]:
        """Minimize the objective from the centers V; completes `p` by the rows' terms."""
        away = about.mean - p.origin
        squares = p.squares + about.scatter + about.mass * float(away @ away)
        held = p.held
        if p.eta < 1:
            towards = sums.moments(rows, source_rule(p), p.origin)[0]
            held = held.plus(towards.scaled(1.0 - p.eta))
        derived = p.sign > 0
        with warnings.catch_warnings():
            if not derived:  # the printed (8) is no minimizer: J may rise and does not settle
                warnings.simplefilter("ignore", DescentWarning)
            return alternate(
                state_at(rows, V, p._replace(held=held, squares=squares)),
                sweep=lambda s: sweep(rows, s),
                objective=objective,
                max_iter=settings.max_iter,
                tol=settings.tol if derived else None,
                scale=about.scatter,
                rounding=about.rounding(p.gamma, rows.dtype),
            )

    def _heaviest(self) -> float:
        """Return the largest weight of the rows of the last fit, from what is kept of it."""
        p = self._problem
        rows = float(self.cluster_weights_.sum())
        return self._own_share(p) * float(p.held.mass.sum()) / rows if rows else 1.0

    def _own_share(self, p: TransferProblem) -> float:
        """Return the share of a center that is its own rows', at most 1."""
        # The printed (8) divides by 1 - lambda, which makes a row count more in its center.
        return 1.0 if p.sign > 0 else min(1.0, abs(1.0 - p.pull.max(initial=0.0)))

    def _finish(self, rows: Rows, run: Run[State], heaviest: float) -> Self:
        """Set the fitted attributes from a run on rows whose largest weight is `heaviest`."""
        s = run.state
        p = s.problem
        moments = _all_moments(s)
        V = s.V.astype(rows.dtype, copy=False)
        self.temperature_ = p.gamma
        self.source_clusters_ = p.partners
        self._problem = p._replace(held=moments)
        self.cluster_centers_ = V
        # Not the sum of weights: a single row of large weight would pass for many.
        self.cluster_weights_ = self._own_share(p) * moments.mass / (heaviest or 1.0)
        self._set_memberships(rows, membership_parts(V, p))
        return self._record_rows(run, rows, assigned, V, p)

    def _source(self, X: Table, k: int) -> tuple[Matrix | None, float, float]:
        """Return the source's centers on X's columns (None if unused), own share and weight."""
        lam = checks.not_negative("transfer_weight", self.transfer_weight)
        eta = checks.share("own_share", self.own_share)
        update = checks.choice("center_update", self.center_update, CENTER_UPDATES)
        if update == "as_printed" and lam == 1:
            raise InputError(
                "transfer_weight is 1, for which the printed (8) divides by zero; give another "
                'weight, or center_update="derived".'
            )
        known = self.knowledge
        if known is None:
            return None, 1.0, 0.0
        instance("knowledge", known, Knowledge, LOADED)
        if len(known) != k and not self.match:
            raise InputError(
                f"n_clusters is {k} and the knowledge has {len(known)} centers; give the same "
                "number, or match=True to pair those that are nearest."
            )
        V = _columns(known, getattr(self, "feature_names_in_", None), self.n_features_in_)
        if (lam, eta) == (0, 1):
            return None, 1.0, 0.0
        warn.of_other_groups(
            {"": X}, V, "center of the knowledge", "take MEC, which needs no knowledge"
        )
        return V, eta, lam


def _start(
    rows: Block, source: Matrix | None, k: int, turn: int, seed: int, init: str = "k-means++"
) -> tuple[Matrix, Labels]:
    """First centers (k, d) of a start, and the source centers (k,) that they pair with."""
    X = rows.x
    weight = rows.weight
    if source is None:
        return starts.CENTRES[init](X, k, seed, weight), np.full(k, -1)
    if len(source) == k and init == "random":
        # Centers near the mean are alike: the pull of the source, not a matching, tells them apart.
        return starts.of_random_memberships(X, k, seed, weight), np.arange(k)
    if len(source) == k:
        if turn == 0:
            return source, np.arange(k)
        V = starts.spread(X, k, seed, weight)
        # Numbered like the source, so that cluster k of every start is drawn to the same center.
        return V[matching.assignment(-distances.squared(source, V))], np.arange(k)
    # With different numbers no start can be the source's centers: rows decide, then pairs are made.
    Y = indicators.indicator(starts.kmeans(X, k, seed, weight=weight), k)
    V = indicators.centers(X, Y if weight is None else Y * weight[:, None])
    return V, matching.assignment(-distances.squared(V, source))


def _columns(known: Knowledge, names: Any, d: int) -> Matrix:
    """Reorder the source's centers to the columns of X, by name if both have names."""
    if names is not None and known.feature_names:
        return known.aligned([str(name) for name in names]).cluster_centers
    if known.cluster_centers.shape[1] != d:
        raise InputError(
            f"X has {d} columns and the knowledge has {known.cluster_centers.shape[1]}; give the "
            "columns that the knowledge names."
        )
    return known.cluster_centers
