"""Related data sets with known truth, made by chance for tests and examples."""

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk.arrays import Matrix, Seed
from kinfolk.errors import InputError
from kinfolk.estimators import checks
from kinfolk.tables import RelatedData


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
    """Make round Gaussian clusters of unit variance; each task has them at a place of its own.

    Parameters
    ----------
    n_samples : rows of each task, at least n_clusters
    n_features : columns d >= 1
    n_clusters : clusters of each task
    n_tasks : tasks T >= 1
    shift : standard deviation, in each column, of the displacement of a whole task
    shared : how many of its clusters a task has in common with all others, 0 to n_clusters
    separation : standard deviation, in each column, of the places from which the centres are
        chosen as far apart as can be
    random_state : int, RandomState or None

    Returns
    -------
    RelatedData : `X` (T n_samples, d); `target` "c0", "c1" ..., where the first `shared` occur
        in every task and all others in one

    Raises
    ------
    InputError : a number is out of its range

    >>> data = make_related_blobs(n_samples=6, n_clusters=2, shared=1, random_state=0)
    >>> sorted({(str(t), str(c)) for t, c in zip(data.tasks, data.target)})
    [('task-0', 'c0'), ('task-0', 'c1'), ('task-1', 'c0'), ('task-1', 'c2')]
    """
    random = checks.random(random_state)
    checks.at_least("n_features", n_features, 1)
    truth = _truth(n_samples, n_clusters, n_tasks, shared, random)
    centres = _far_apart(int(truth.max()) + 1, n_features, random) * separation
    displacements = random.standard_normal((n_tasks, 1, n_features)) * shift
    noise = random.standard_normal((n_tasks, n_samples, n_features))
    X = (centres[truth] + displacements + noise).reshape(-1, n_features)
    return _related("blobs", X, tuple(f"x{j}" for j in range(n_features)), truth)


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
    """Make counts of terms from a topic model: every cluster is a topic, tasks share topics.

    A word comes from the document's topic with probability `purity`, else from any topic of the
    task; it is of the task's own vocabulary with probability `own_share`.

    Parameters
    ----------
    n_samples : documents of each task, at least n_clusters
    n_terms : terms that all tasks use, at least 2
    n_clusters : topics of each task
    n_tasks : tasks T >= 1
    shared : how many of its topics a task has in common with all others, 0 to n_clusters
    own_terms : further terms of each task that no other uses, at least 2
    own_share, purity : probabilities from 0 to 1
    length : words of a document in the mean, > 0; none is empty
    random_state : int, RandomState or None

    Returns
    -------
    RelatedData : `X` (T n_samples, n_terms + T own_terms) CSR of counts; `target` as in
        `make_related_blobs`

    Raises
    ------
    InputError : a number is out of its range

    >>> make_related_documents(n_samples=5, random_state=0).X.shape
    (10, 280)
    """
    random = checks.random(random_state)
    checks.at_least("n_terms", n_terms, 2)
    checks.at_least("own_terms", own_terms, 2)
    for name, value in {"own_share": own_share, "purity": purity}.items():
        if not 0 <= value <= 1:
            raise InputError(f"{name} is {value}; give a probability from 0 to 1.")
    checks.above("length", length, 0)
    truth = _truth(n_samples, n_clusters, n_tasks, shared, random)
    topics = random.dirichlet(np.full(n_terms, 0.1), size=int(truth.max()) + 1)
    X = np.zeros((n_tasks, n_samples, n_terms + n_tasks * own_terms))
    for task, labels in enumerate(truth):
        names, topic = np.unique(labels, return_inverse=True)
        own = random.dirichlet(np.full(own_terms, 0.1), size=n_clusters)
        words = np.hstack([(1 - own_share) * topics[names], own_share * own])
        mixed = purity * words + (1 - purity) * words.mean(axis=0)
        lengths = np.maximum(random.poisson(length, size=n_samples), 1)
        start = n_terms + task * own_terms
        columns = np.r_[:n_terms, start : start + own_terms]
        for row, (count, k) in enumerate(zip(lengths, topic, strict=True)):
            X[task, row, columns] = random.multinomial(count, mixed[k])
    terms = [f"term{j}" for j in range(n_terms)]
    terms += [f"term{j}-of-task-{t}" for t in range(n_tasks) for j in range(own_terms)]
    return _related("documents", sp.csr_array(X.reshape(-1, len(terms))), tuple(terms), truth)


def _truth(
    n_samples: int, n_clusters: int, n_tasks: int, shared: int, random: np.random.RandomState
) -> NDArray[np.intp]:
    """Return (n_tasks, n_samples) clusters in random order, sizes as equal as can be."""
    checks.at_least("n_clusters", n_clusters, 1)
    checks.at_least("n_tasks", n_tasks, 1)
    checks.at_least("n_samples", n_samples, n_clusters)
    if checks.at_least("shared", shared, 0) > n_clusters:
        raise InputError(f"shared is {shared}; give at most n_clusters, {n_clusters}.")
    local = np.array([random.permutation(n_samples) % n_clusters for _ in range(n_tasks)])
    own = np.arange(n_tasks)[:, None] * (n_clusters - shared)
    return local + np.where(local < shared, 0, own)


def _far_apart(n: int, d: int, random: np.random.RandomState) -> Matrix:
    """Choose n of 50 n standard normal points, each as far as can be from those before it."""
    candidates = random.standard_normal((50 * n, d))
    chosen = [candidates[0]]
    nearest = np.full(50 * n, np.inf)
    for _ in range(n - 1):
        nearest = np.minimum(nearest, np.sum((candidates - chosen[-1]) ** 2, axis=1))
        chosen.append(candidates[nearest.argmax()])
    return np.array(chosen)


def _related(
    name: str, X: Matrix | sp.csr_array, feature_names: tuple[str, ...], truth: NDArray[np.intp]
) -> RelatedData:
    n_tasks, n_samples = truth.shape
    return RelatedData(
        name=name,
        tasks=np.repeat([f"task-{t}" for t in range(n_tasks)], n_samples),
        row_ids=np.tile(np.arange(n_samples), n_tasks).astype(str),
        X=X,
        feature_names=feature_names,
        target=np.array([f"c{k}" for k in truth.ravel()]),
        origin="Made by chance; the truth is known.",
    )
