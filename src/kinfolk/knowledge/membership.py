"""Membership inference: can an attacker tell if a known row contributed to the centers.

An attacker has a row x, the published centers and weights, and other rows of the same kind. With m
the mean and s the deviations of the other rows near center v of n rows, v is about normal:

    v ~ N(m, s^2 (1/n + 1/r))            x is not behind it; r other rows gave m
    v ~ N(m + (x - m)/n, the same)       x is

    log LR(x) = sum_j [2 (v - m)(x - m)/n - (x - m)^2/n^2]_j / (2 s_j^2 (1/n + 1/r))    (1)

and the attacker says yes where (1) is large, or more simply where |x - v|^2 is small. The area
under the ROC curve is the chance that a row behind the centers scores higher than another row:

    AUC = mean over pairs of [a > b] + [a = b]/2    (2)
    var = var_a(mean_b)/n_a + var_b(mean_a)/n_b    (3)

Source  (1) Homer et al. (2008), Sankararaman et al. (2009); (3) DeLong et al. (1988).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import norm, rankdata
from sklearn.cluster import KMeans

from kinfolk.arrays import Matrix, Vector
from kinfolk.errors import InputError
from kinfolk.knowledge.centers import Knowledge
from kinfolk.numerics import distances

ATTACKS = 2
"""Number of attacks that are tried; the better one is reported."""

FEWEST = 40
"""Fewest rows for a test: a quarter of them are the attacker's own."""

FALSE_ALARMS = 0.01
"""False positive rate at which `Membership.found` is measured."""


class Membership(NamedTuple):
    """Success (AUC) of an attacker who guesses if a row contributed to the centers.

    Attributes
    ----------
    auc : chance that a row behind the centers looks more like it than another one; 0.5 is guessing
    low, high : 95 % interval of `auc`, wide enough for the choice of the better attack
    found : share of the rows behind the centers that are found at one false alarm in a hundred
    attack : "likelihood ratio" or "distance", the better one
    """

    auc: float
    low: float
    high: float
    found: float
    attack: str


def area(a: ArrayLike, b: ArrayLike) -> tuple[float, float]:
    """Area under the ROC curve of scores a (n,) against b (m,), with its standard error.

    >>> area([3.0, 2.0, 5.0], [1.0, 2.0])
    (0.9166666666666666, 0.1178511301977579)
    """
    a = np.asarray(a, dtype=float)
    b = np.asarray(b, dtype=float)
    ranks = rankdata(np.concatenate([a, b]))
    n = len(a)
    m = len(b)
    above = (ranks[:n] - rankdata(a)) / m  # share of b below each of a, ties as a half
    below = 1.0 - (ranks[n:] - rankdata(b)) / n
    return float(above.mean()), float(np.sqrt(above.var(ddof=1) / n + below.var(ddof=1) / m))


def likelihood_ratios(X: Matrix, known: Knowledge, others: Matrix) -> Vector:
    """Log likelihood ratios (1) of rows X (n, d), given centers and the attacker's rows (r, d)."""
    V = known.cluster_centers
    near = distances.squared(others, V).argmin(axis=1)
    counts = np.bincount(near, minlength=len(V))
    # Of a center without rows of the attacker nothing but the center itself is known.
    means = np.array([others[near == c].mean(axis=0) if counts[c] else V[c] for c in range(len(V))])
    spread = np.square(others - means[near]).sum(axis=0) / max(len(others) - len(V), 1)
    varies = spread > 0
    of = distances.squared(X, V).argmin(axis=1)
    n = known.cluster_weights[of]
    r = np.maximum(counts[of], 1)
    moved = (X - means[of]) / n[:, None]
    terms = 2.0 * (V - means)[of] * moved - moved**2
    ratios: Vector = (terms[:, varies] / spread[varies]).sum(axis=1) / (2.0 * (1.0 / n + 1.0 / r))
    return ratios


def attacked(inside: Matrix, outside: Matrix, known: Knowledge, others: Matrix) -> list[Membership]:
    """Success of each attack on rows behind the centers against rows that are not, all scaled.

    `others` are the rows of the attacker.

    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(90, 200))  # many columns, few rows: the mean tells its rows
    >>> known = Knowledge(X[:20].mean(axis=0)[None], [20.0])
    >>> ratio, distance = attacked(X[:20], X[20:50], known, X[50:])
    >>> ratio.attack, round(ratio.auc, 2), distance.attack, round(distance.auc, 2)
    ('likelihood ratio', 0.99, 'distance', 0.74)
    """
    V = known.cluster_centers
    scores = {
        "likelihood ratio": [likelihood_ratios(X, known, others) for X in (inside, outside)],
        "distance": [-distances.squared(X, V).min(axis=1) for X in (inside, outside)],
    }
    # The better of several attacks is reported, so each interval is widened (Bonferroni).
    z = norm.ppf(1.0 - 0.025 / ATTACKS)
    made = []
    for name, (a, b) in scores.items():
        auc, error = area(a, b)
        found = np.mean(a > np.quantile(b, 1.0 - FALSE_ALARMS, method="higher"))
        low = max(auc - z * error, 0.0)
        high = min(auc + z * error, 1.0)
        made.append(Membership(auc, low, high, float(found), name))
    return made


def of_halves(
    known: Knowledge,
    rows: Matrix,
    n_clusters: int | None = None,
    digits: int | None = None,
    n_splits: int = 10,
) -> Membership:
    """Success of the better attack on centers that are fitted to halves of the rows.

    Each time k-means, begun at the centers of the file, clusters a random half of the rows. The
    attacker has a quarter, and the last quarter are the rows that are not behind the centers.

    Parameters
    ----------
    rows : (n, d), the rows behind the file, scaled as the centers are
    n_clusters : of the halves; None: as many as in the file
    digits : significant digits that the centers are rounded to; None: as `Knowledge.rounded` does

    Raises
    ------
    InputError : there are fewer than 40 rows, or fewer than two for each cluster
    """
    if len(rows) < FEWEST:
        raise InputError(f"{len(rows)} rows are too few to test for members; give {FEWEST} rows.")
    random = np.random.default_rng(0)  # the same file and rows give the same answer
    k = len(known) if n_clusters is None else n_clusters
    if len(rows) < 2 * k:
        raise InputError(
            f"{k} clusters need at least {2 * k} rows; there are {len(rows)}: give all rows that "
            "are behind the centers."
        )
    made = []
    for _ in range(n_splits):
        order = random.permutation(len(rows))
        # Half of the rows make the centers, a quarter tests them, a quarter is the attacker's.
        inside, outside, others = np.split(rows[order], [len(rows) // 2, 3 * len(rows) // 4])
        start = known.cluster_centers if k == len(known) else "k-means++"
        fitted = KMeans(k, init=start, n_init=1, random_state=0).fit(inside)
        least = min(known.minimum_cluster_size, len(inside) // k)
        half = Knowledge.of(fitted, minimum_cluster_size=least).rounded(digits)
        made.append(attacked(inside, outside, half, others))
    means = []
    for of_attack in zip(*made, strict=True):
        auc, low, high, found = np.mean([split[:4] for split in of_attack], axis=0).tolist()
        means.append(Membership(auc, low, high, found, of_attack[0].attack))
    return max(means, key=lambda attack: attack.auc)
