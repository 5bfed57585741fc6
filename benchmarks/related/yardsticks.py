"""Yardsticks: clusterings that a user could make with scikit-learn and others.

They get rows as Kinfolk represents them best for cosines: words as tf-idf of ln(1 + count), other
amounts at unit length, measurements as z-scores of each task, or of all rows if they are pooled.
Pooled methods look for as many clusters as the largest task has. Harmony and Leiden run in a
process of their own (`harmony_leiden`).
"""

import json
import time
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.decomposition import TruncatedSVD
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import kneighbors_graph
from sklearn.preprocessing import StandardScaler

from benchmarks import other_python
from benchmarks.related import harmony_leiden, prepared
from kinfolk.choosing.representations import Representations
from kinfolk.datasets import alterations
from kinfolk.disk import writing
from kinfolk.measures import accuracy
from kinfolk.numerics import operators

N_INIT = 10
DIRECTIONS = 10
"""Directions that a mixture of full covariances gets, fewer in small tasks."""
HARMONY_DIRECTIONS = 30
NEIGHBORS = 15
PATIENCE = 120
"""Seconds after which a package is stopped."""
REPRESENTED = {"counts": "log tf-idf", "amounts": "unit", "measurements": "z-scores"}


def kept(name, table, seed, python, folder):
    """Accuracy of the yardsticks on a table, cached in a folder.

    They do not depend on the code that Kinfolk fits with. One that is absent is tried again.
    """
    code = prepared.code_key(Path(__file__), Path(harmony_leiden.__file__))
    place = Path(folder) / "yardsticks" / f"{name}-{table.fingerprint}-{code}-{seed}.json"
    if place.exists():
        return json.loads(place.read_text())
    found = measured(table, seed, python)
    if not any(made["absent"] for made in found.values()):
        place.parent.mkdir(parents=True, exist_ok=True)
        writing.write_atomically(place, json.dumps(found).encode())
    return found


def measured(table, seed, python):
    """Accuracy per task of each yardstick, seconds, and why one is absent."""
    rows = _rows(table, seed, python)
    codes = rows.codes
    found = {}
    for name, method in YARDSTICKS.items():
        begin = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                labels = method(rows)
            judged = {
                task: accuracy(table.target[codes == t], labels[codes == t])
                for t, task in enumerate(table.names)
                if task != alterations.NOISE
            }
            reason = ""
        except other_python.AbsentError as absent:
            judged = {}
            reason = str(absent)
        seconds = time.perf_counter() - begin
        found[name] = {"accuracy": judged, "seconds": seconds, "absent": reason}
    return found


class Rows(NamedTuple):
    """Rows as passed to the yardsticks.

    Attributes
    ----------
    X : (n, d) represented, see `REPRESENTED`
    together : (n, d) the same for pooled rows: z-scores are those of all rows, not of each task
    codes : (n,) position of each row's task
    k : numbers of clusters of the tasks
    seed, python : of random draws; of the packages that are not installed here
    """

    X: np.ndarray | sp.csr_array
    together: np.ndarray | sp.csr_array
    codes: np.ndarray
    k: list[int]
    seed: int
    python: str


def _rows(table, seed, python):
    position = {name: t for t, name in enumerate(table.names)}
    codes = np.array([position[name] for name in table.tasks.tolist()])
    seen = Representations.of(table.X, codes, table.columns_are_scaled)
    X = seen.transform(REPRESENTED[seen.kind], table.X, codes)
    together = X
    if seen.kind == "measurements" and not table.columns_are_scaled:
        together = StandardScaler().fit_transform(operators.dense(table.X))
    k = [table.n_clusters[name] for name in table.names]
    return Rows(X, together, codes, k, seed, python)


def _alone(method):
    """Make a function of `Rows` that applies a method to each task by itself."""

    def fitted(rows):
        labels = np.empty(len(rows.codes), dtype=int)
        for t, number in enumerate(rows.k):
            of_task = np.flatnonzero(rows.codes == t)
            labels[of_task] = method(rows.X[of_task], number, rows.seed)
        return labels

    return fitted


def _kmeans(X, k, seed):
    return KMeans(k, n_init=N_INIT, random_state=seed).fit_predict(X)


def _spectral(X, k, seed):
    neighbors = min(NEIGHBORS, X.shape[0] - 1)
    A = kneighbors_graph(X, neighbors, include_self=False)
    A = sp.csr_matrix((A + A.T) / 2)
    return SpectralClustering(k, affinity="precomputed", random_state=seed).fit_predict(A)


def _gmm(X, k, seed):
    Y = _directions(X, min(DIRECTIONS, X.shape[0] // (5 * k)), seed)
    model = GaussianMixture(k, reg_covar=0.01, n_init=5, random_state=seed)
    return model.fit_predict(Y / Y.std())


def _directions(X, number, seed):
    """Project centered rows on their first principal directions."""
    number = max(number, 1)
    if X.shape[1] <= number:
        return operators.dense(X) - X.mean(axis=0)
    if sp.issparse(
        X
    ):  # without centering, so that it stays sparse; the first direction is the mean
        Y = TruncatedSVD(number + 1, random_state=seed).fit_transform(X)
        return Y - Y.mean(axis=0)
    U, s, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    return U[:, :number] * s[:number]


def _pooled(rows):
    return _kmeans(rows.together, max(rows.k), rows.seed)


def _centered(rows):
    """k-means on all rows after subtracting task means."""
    X = operators.dense(rows.X).astype(float)
    for t in range(len(rows.k)):
        X[rows.codes == t] -= X[rows.codes == t].mean(axis=0)
    return _kmeans(X, max(rows.k), rows.seed)


def _harmony_leiden(rows):
    n = len(rows.codes)
    Y = _directions(rows.together, min(HARMONY_DIRECTIONS, n - 1), rows.seed)
    job = {"rows": Y.tolist(), "codes": rows.codes.tolist(), "k": max(rows.k), "seed": rows.seed}
    name = "Harmony + Leiden"
    found = other_python.ask(harmony_leiden.__name__, name, job, rows.python, PATIENCE)
    return np.array(found)


YARDSTICKS = {
    "k-means alone": _alone(_kmeans),
    "spectral alone": _alone(_spectral),
    "GMM alone": _alone(_gmm),
    "k-means pooled": _pooled,
    "centered, pooled": _centered,
    "Harmony + Leiden": _harmony_leiden,
}
"""Name of a yardstick -> labels (n,) from `Rows`."""
