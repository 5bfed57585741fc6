"""Clusterings of a mixed table in few lines of other packages, as a user might write them.

Gaps are filled by the median or the most frequent value, numbers are z-scores, categories one-hot.
`python -m benchmarks.contenders NAME` runs one of them in a process of its own, by whatever Python
has the package: it reads the path of the arrays from its input and writes labels. kmodes, prince
(both MIT) and harmonypy (GPL 3) are called and nothing else.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans
from sklearn.mixture import GaussianMixture

from benchmarks import other_python

N_INIT = 10
PATIENCE = 120
"""Seconds after which a package is stopped."""


@dataclass(frozen=True)
class Arrays:
    """A mixed table without gaps: numbers (n, p), words (n, q), task positions (n,)."""

    numbers: NDArray[np.float64]
    words: NDArray[np.str_]
    codes: NDArray[np.integer]

    @classmethod
    def of(cls, frame, tasks):
        """Fill gaps over all rows by the median, or the most frequent value."""
        numeric = [frame[name].dtype.kind in "iuf" for name in frame]
        numbers = frame.loc[:, numeric]
        numbers = numbers.fillna(numbers.median()).to_numpy(dtype=float)
        words = frame.loc[:, np.logical_not(numeric)].apply(lambda c: c.fillna(c.mode()[0]))
        return cls(numbers, words.to_numpy(dtype=str), np.unique(tasks, return_inverse=True)[1])

    def take(self, rows):
        """Select rows by position."""
        return Arrays(self.numbers[rows], self.words[rows], self.codes[rows])

    @property
    def z_scores(self):
        """Numbers with mean 0 and variance 1."""
        spread = self.numbers.std(axis=0)
        return (self.numbers - self.numbers.mean(axis=0)) / np.where(spread > 0, spread, 1.0)

    @property
    def encoded(self):
        """z-scores beside 0/1 columns of all values of the words."""
        columns = [w[:, None] == np.unique(w) for w in self.words.T]
        return np.hstack([self.z_scores, *(c.astype(float) for c in columns)])


def k_means(rows, k, seed):
    """k-means on z-scores with one-hot."""
    return KMeans(k, n_init=N_INIT, random_state=seed).fit_predict(rows.encoded)


def mixture(covariance, rows, k, seed):
    """A mixture of Gaussians; covariances are kept from being singular by .01 of the variance."""
    model = GaussianMixture(
        k, covariance_type=covariance, n_init=5, reg_covar=0.01, random_state=seed
    )
    return model.fit_predict(rows.encoded)


def k_prototypes(rows, k, seed):
    """k-prototypes of kmodes with its own weight; k-means where there are no words."""
    if not rows.words.shape[1]:
        return k_means(rows, k, seed)
    from kmodes.kprototypes import KPrototypes

    p = rows.numbers.shape[1]
    table = np.hstack([rows.z_scores.astype(object), rows.words.astype(object)])
    categorical = list(range(p, table.shape[1]))
    return KPrototypes(k, n_init=3, random_state=seed).fit_predict(table, categorical=categorical)


def famd(rows, k, seed):
    """k-means on the first five factors of FAMD by prince; on those of PCA without words."""
    import pandas
    import prince

    d = rows.numbers.shape[1] + rows.words.shape[1]
    frame = pandas.DataFrame(rows.z_scores, columns=[f"n{j}" for j in range(rows.numbers.shape[1])])
    for j, values in enumerate(rows.words.T):
        frame[f"w{j}"] = values
    analysis = prince.FAMD if rows.words.shape[1] else prince.PCA
    factors = analysis(n_components=min(5, d), random_state=seed).fit(frame).row_coordinates(frame)
    return KMeans(k, n_init=N_INIT, random_state=seed).fit_predict(factors.to_numpy())


def harmony(rows, k, seed):
    """k-means on z-scores with one-hot that Harmony has corrected for the task."""
    import harmonypy
    import pandas

    meta = pandas.DataFrame({"task": [f"t{code}" for code in rows.codes]})
    made = harmonypy.run_harmony(rows.encoded, meta, ["task"], random_state=seed, verbose=False)
    corrected = np.asarray(made.Z_corr)
    corrected = corrected if len(corrected) == len(rows.codes) else corrected.T
    return KMeans(k, n_init=N_INIT, random_state=seed).fit_predict(corrected)


SINGLE = {
    "k-means": k_means,
    "GMM tied": partial(mixture, "tied"),
    "GMM full": partial(mixture, "full"),
    "k-prototypes": k_prototypes,
    "FAMD": famd,
}
ALONE = ("k-means", "GMM tied", "GMM full", "k-prototypes", "FAMD")
POOLED = ("k-means", "k-prototypes", "FAMD", "Harmony")
NAMES = (*(f"{name}, alone" for name in ALONE), *(f"{name}, pooled" for name in POOLED))
PACKAGES = {"k-prototypes": "kmodes", "FAMD": "prince", "Harmony": "harmonypy"}
"""Contender -> the package that it needs."""


def run(name, table, seed, python):
    """Labels (n,) of a contender by name, numbered consistently across tasks.

    Raises
    ------
    AbsentError : its package is not installed in that Python, fails, or takes too long
    """
    rows = Arrays.of(table.frame, table.tasks)
    numbers = [k for _, k in sorted(table.n_clusters.items())]
    k = [*numbers, len(set(table.target))]
    if PACKAGES.get(name.split(",")[0]) is None:
        return labels(name, rows, k, seed)
    job = {
        "numbers": rows.numbers.tolist(),
        "words": rows.words.tolist(),
        "codes": rows.codes.tolist(),
        "k": k,
        "seed": seed,
    }
    return np.array(other_python.ask("benchmarks.contenders", name, job, python, PATIENCE))


def labels(name, rows, k, seed):
    """Labels (n,) of a contender for the numbers of clusters k (tasks, then all rows)."""
    method, side = name.split(", ")
    if method == "Harmony":
        return harmony(rows, k[-1], seed)
    if side == "pooled":
        return SINGLE[method](rows, k[-1], seed)
    found = np.empty(len(rows.codes), dtype=int)
    for code in range(len(k) - 1):
        of_task = np.flatnonzero(rows.codes == code)
        found[of_task] = SINGLE[method](rows.take(of_task), k[code], seed)
    return matched(rows, found)


def matched(rows, found):
    """Number the clusters of each task as those of the largest task with the nearest means.

    Means of z-scores within the task with one-hot; clusters without a partner have a number of
    their own.
    """
    numbered = np.empty(len(found), dtype=int)
    sizes = np.bincount(rows.codes)
    X = rows.encoded
    for code in range(len(sizes)):  # columns of one task at one scale, as the task alone sees them
        of_task = rows.codes == code
        p = rows.numbers.shape[1]
        X[of_task, :p] = rows.take(np.flatnonzero(of_task)).z_scores
    first = int(sizes.argmax())
    there = _means(X, found, rows.codes == first)
    new = 1000
    for code in range(len(sizes)):
        here = _means(X, found, rows.codes == code)
        apart = np.square(here[:, None] - there[None]).sum(axis=2)
        mine, theirs = linear_sum_assignment(apart)
        names = np.arange(new, new + len(here))
        names[mine] = theirs
        new += len(here)
        of_task = rows.codes == code
        numbered[of_task] = names[np.unique(found[of_task], return_inverse=True)[1]]
    return numbered


def _means(X, found, of_task):
    X, found = X[of_task], found[of_task]
    return np.array([X[found == c].mean(axis=0) for c in np.unique(found)])


def _from_input(name, job):
    n = len(job["codes"])
    numbers = np.array(job["numbers"], dtype=float).reshape(n, -1)
    words = np.array(job["words"], dtype=str).reshape(n, -1)
    rows = Arrays(numbers, words, np.array(job["codes"]))
    return labels(name, rows, job["k"], job["seed"]).tolist()


if __name__ == "__main__":
    other_python.serve(_from_input)
