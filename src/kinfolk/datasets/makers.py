"""Simulated related data sets with known classes, for tests and examples."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk.arrays import Matrix, Seed
from kinfolk.datasets.registry import COLLECTIONS
from kinfolk.errors import InputError
from kinfolk.estimators import checks
from kinfolk.tables import RelatedData

LARGEST = 1e75
"""The largest `shift` and `separation`: a product of four such numbers is still finite."""

LONGEST = 1e6
"""The largest `length`: mean number of words of a document."""


def make_related_blobs(
    n_samples: int = 100,
    n_features: int = 2,
    n_clusters: int = 3,
    n_tasks: int = 2,
    *,
    shift: float = 1.0,
    shared: int = 2,
    separation: float = 10.0,
    random_state: Seed = None,
) -> RelatedData:
    """Make round Gaussian clusters of unit variance, displaced by a random shift in each task.

    Parameters
    ----------
    n_samples : rows of each task, at least n_clusters
    n_features : columns d >= 1
    n_clusters : clusters of each task
    n_tasks : tasks T >= 1
    shift : standard deviation, in each column, of the displacement of a whole task
    shared : number of clusters that all tasks have in common, 0 to n_clusters
    separation : standard deviation, in each column, of the candidates for the cluster centers;
        those farthest apart are chosen
    random_state : int, RandomState or None

    Returns
    -------
    RelatedData : `X` (T n_samples, d); `target` "c0", "c1" ..., where the first `shared` occur
        in every task and all others in one

    Raises
    ------
    InputError : a number is out of its range

    >>> data = make_related_blobs(n_samples=6, n_clusters=2, shared=1, random_state=0)
    >>> data.X[:3].round(1), data.target[:3].tolist()
    (array([[  3.6, -28.6],
           [ -0.7,   4. ],
           [  4.6, -28.2]]), ['c1', 'c0', 'c1'])
    >>> sorted({(str(t), str(c)) for t, c in zip(data.tasks, data.target)})
    [('task-0', 'c0'), ('task-0', 'c1'), ('task-1', 'c0'), ('task-1', 'c2')]
    """
    random = checks.random(random_state)
    n_features = checks.at_least("n_features", n_features, 1)
    shift = _finite("shift", shift)
    separation = _finite("separation", separation)
    truth = _draw_labels(n_samples, n_clusters, n_tasks, shared, random)
    n_tasks, n_samples = truth.shape
    centers = _farthest_points(int(truth.max()) + 1, n_features, random) * separation
    # The middle axis of length 1 moves all rows of a task together.
    displacements = random.standard_normal((n_tasks, 1, n_features)) * shift
    noise = random.standard_normal((n_tasks, n_samples, n_features))
    X = (centers[truth] + displacements + noise).reshape(-1, n_features)
    return _tasks_of_equal_size("blobs", X, tuple(f"x{j}" for j in range(n_features)), truth)


def make_related_documents(
    n_samples: int = 60,
    n_terms: int = 200,
    n_clusters: int = 3,
    n_tasks: int = 2,
    *,
    shared: int = 2,
    own_terms: int = 40,
    own_share: float = 0.2,
    purity: float = 0.8,
    length: float = 80.0,
    random_state: Seed = None,
) -> RelatedData:
    """Make counts of terms from a topic model; clusters are topics, and tasks share topics.

    A word comes from the document's topic with probability `purity`, else from any topic of the
    task; it is of the task's own vocabulary with probability `own_share`.

    Parameters
    ----------
    n_samples : documents of each task, at least n_clusters
    n_terms : terms that all tasks use, at least 2
    n_clusters : topics of each task
    n_tasks : tasks T >= 1
    shared : number of topics that all tasks have in common, 0 to n_clusters
    own_terms : further terms of each task that no other task uses, at least 2
    own_share, purity : probabilities from 0 to 1
    length : mean number of words of a document, > 0; every document has at least one
    random_state : int, RandomState or None

    Returns
    -------
    RelatedData : `X` (T n_samples, n_terms + T own_terms) CSR of counts; `target` as in
        `make_related_blobs`

    Raises
    ------
    InputError : a number is out of its range

    >>> data = make_related_documents(n_samples=5, random_state=0)
    >>> data.X.shape, data.feature_names[-1]
    ((10, 280), 'term39-of-task-1')
    >>> data.X.sum(axis=1)
    array([92., 72., 70., 78., 75., 73., 83., 88., 81., 88.])
    """
    random = checks.random(random_state)
    n_terms = checks.at_least("n_terms", n_terms, 2)
    own_terms = checks.at_least("own_terms", own_terms, 2)
    own_share = checks.share("own_share", own_share)
    purity = checks.share("purity", purity)
    checks.number("length", length, 0, LONGEST, open_low=True)
    truth = _draw_labels(n_samples, n_clusters, n_tasks, shared, random)
    n_tasks, n_samples = truth.shape
    # Concentration .1: a few terms make up most of a topic, as in natural language.
    topics = random.dirichlet(np.full(n_terms, 0.1), size=int(truth.max()) + 1)
    X = np.zeros((n_tasks, n_samples, n_terms + n_tasks * own_terms))
    for task, labels in enumerate(truth):
        # `names` are the topics of this task, `topic` the place of each document's among them.
        names, topic = np.unique(labels, return_inverse=True)
        words = _word_probabilities(topics[names], own_terms, own_share, purity, random)
        # An empty document would have no direction for methods that use cosines.
        lengths = np.maximum(random.poisson(length, size=n_samples), 1)
        start = n_terms + task * own_terms
        columns = np.r_[:n_terms, start : start + own_terms]
        for row, (count, k) in enumerate(zip(lengths, topic, strict=True)):
            X[task, row, columns] = random.multinomial(count, words[k])
    terms = [f"term{j}" for j in range(n_terms)]
    terms += [f"term{j}-of-task-{t}" for t in range(n_tasks) for j in range(own_terms)]
    counts = sp.csr_array(X.reshape(-1, len(terms)))
    return _tasks_of_equal_size("documents", counts, tuple(terms), truth)


def _finite(name: str, value: Any) -> float:
    """Return a number, checked to lie between -LARGEST and LARGEST."""
    return checks.number(name, value, -LARGEST, LARGEST, open_low=True)


def _word_probabilities(
    topics: Matrix, own_terms: int, own_share: float, purity: float, random: np.random.RandomState
) -> Matrix:
    """Return the word probabilities of a task's documents (topics, n_terms + own_terms).

    >>> _word_probabilities(np.eye(2), 1, 0.5, 0.8, np.random.RandomState(0))
    array([[0.45, 0.05, 0.5 ],
           [0.05, 0.45, 0.5 ]])
    """
    # Every topic has terms of the common and of the task's own vocabulary.
    own = random.dirichlet(np.full(own_terms, 0.1), size=len(topics))
    words = np.hstack([(1 - own_share) * topics, own_share * own])
    return purity * words + (1 - purity) * words.mean(axis=0)


def _draw_labels(
    n_samples: int, n_clusters: int, n_tasks: int, shared: int, random: np.random.RandomState
) -> NDArray[np.intp]:
    """Draw each row's cluster (n_tasks, n_samples), with sizes as equal as possible.

    >>> _draw_labels(6, 2, 2, 1, np.random.RandomState(0))
    array([[1, 0, 1, 1, 0, 0],
           [2, 2, 0, 0, 0, 2]])
    """
    n_clusters = checks.at_least("n_clusters", n_clusters, 1)
    n_tasks = checks.at_least("n_tasks", n_tasks, 1)
    n_samples = checks.at_least("n_samples", n_samples, n_clusters)
    if checks.at_least("shared", shared, 0) > n_clusters:
        raise InputError(f"shared is {shared}; give at most n_clusters, {n_clusters}.")
    # Cluster `local` of a task is cluster `local` of all tasks if shared, else one of its own.
    local = np.array([random.permutation(n_samples) % n_clusters for _ in range(n_tasks)])
    own = np.arange(n_tasks)[:, None] * (n_clusters - shared)
    return local + np.where(local < shared, 0, own)


def _farthest_points(n: int, d: int, random: np.random.RandomState) -> Matrix:
    """Choose n of 50 n normal points, each farthest from those already chosen.

    >>> _farthest_points(3, 1, np.random.RandomState(0)).round(1).ravel()
    array([ 1.8, -2.6, -0.4])
    """
    # Enough candidates that the farthest are well apart, few enough for many clusters.
    candidates = random.standard_normal((50 * n, d))
    chosen = [candidates[0]]
    # Squared distance of each candidate to the nearest point chosen so far.
    nearest = np.full(50 * n, np.inf)
    for _ in range(n - 1):
        nearest = np.minimum(nearest, np.sum((candidates - chosen[-1]) ** 2, axis=1))
        chosen.append(candidates[nearest.argmax()])
    return np.array(chosen)


def _tasks_of_equal_size(
    name: str, X: Matrix | sp.csr_array, feature_names: tuple[str, ...], truth: NDArray[np.intp]
) -> RelatedData:
    """Build the data set from rows X, task after task, and classes `truth` (n_tasks, n_samples)."""
    n_tasks, n_samples = truth.shape
    return RelatedData(
        name=name,
        tasks=np.repeat([f"task-{t}" for t in range(n_tasks)], n_samples),
        row_ids=np.tile(np.arange(n_samples), n_tasks).astype(str),
        X=X,
        feature_names=feature_names,
        target=np.array([f"c{k}" for k in truth.ravel()]),
        origin=COLLECTIONS["simulated"].terms,
    )
