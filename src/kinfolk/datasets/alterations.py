"""Operations that make a data set worse to cluster together, so that help can be told from harm.

Each takes a `RelatedData`, changes one thing and returns a new one; tasks, true classes and names
stay with their rows, and the origin says what was done. Those that change columns need numbers:
count the words of texts first, for example by `kinfolk.preparation.Preparation`.

    take               some of the rows
    unrelated          nothing in common: the columns of one are zero in the others
    shuffled_features  the same columns, but in one task they mean something else
    with_noise         a further task in which there are no clusters
    disjoint_groups    the same columns, but no class in common
    cut, unequal       one task of few rows, tasks of very different sizes

Units   those of the data set that is changed.
"""

import dataclasses
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk.arrays import Seed, Table
from kinfolk.errors import InputError
from kinfolk.estimators import checks
from kinfolk.tables import RelatedData

NOISE = "noise"
"""The name of a task without clusters, and of the one class of all its rows.

A truth of one class says that there is nothing to find. Any accuracy in such a task means
nothing: leave it out of means over tasks.
"""


def take(data: RelatedData, rows: NDArray[Any]) -> RelatedData:
    """Return the data set of some of its rows.

    Parameters
    ----------
    data : n rows, numbers or texts
    rows : positions, or (n,) whether to keep each row

    >>> import kinfolk as kf
    >>> data = kf.datasets.make_related_blobs(n_samples=4, random_state=0)
    >>> len(kf.datasets.take(data, data.tasks == "task-1"))
    4
    """
    kept = np.arange(len(data))[rows]
    return dataclasses.replace(
        data,
        tasks=data.tasks[kept],
        row_ids=data.row_ids[kept],
        X=None if data.X is None else data.X[kept],
        texts=None if data.texts is None else tuple(data.texts[i] for i in kept),
        target=None if data.target is None else data.target[kept],
    )


def unrelated(*sets: RelatedData) -> RelatedData:
    """Put the tasks of several data sets side by side, with nothing in common.

    Parameters
    ----------
    sets : data sets of numbers with different names, of n_i rows and d_i columns

    Returns
    -------
    RelatedData : `X` (sum of n_i, sum of d_i), zero where a row has another set's columns, CSR if
        any is sparse; tasks, columns and classes are called "set: name"; no views

    Raises
    ------
    InputError : texts, or two sets of the same name

    >>> import kinfolk as kf
    >>> docs, blobs = kf.datasets.make_related_documents(5), kf.datasets.make_related_blobs(5)
    >>> data = kf.datasets.unrelated(docs, blobs)
    >>> data.X.shape, data.task_names[-1], data.feature_names[0]
    ((20, 282), 'blobs: task-1', 'documents: term0')
    """
    names = [data.name for data in sets]
    if len(set(names)) < len(names) or not names:
        raise InputError(
            f"the data sets are called {names}; give at least one, and each a name of its own, "
            'for example by dataclasses.replace(data, name="other").'
        )
    blocks = [_numbers(data) for data in sets]
    sparse = any(sp.issparse(block) for block in blocks)
    labelled = [data.target for data in sets if data.target is not None]
    return RelatedData(
        name=" and ".join(names),
        tasks=_named(names, [data.tasks for data in sets]),
        row_ids=np.concatenate([data.row_ids for data in sets]),
        X=sp.csr_array(sp.block_diag(blocks)) if sparse else scipy.linalg.block_diag(*blocks),
        feature_names=tuple(f"{data.name}: {f}" for data in sets for f in data.feature_names),
        target=_named(names, labelled) if len(labelled) == len(sets) else None,
        origin=" ".join(dict.fromkeys(data.origin for data in sets if data.origin)),
    )


def shuffled_features(data: RelatedData, task: str, random_state: Seed = None) -> RelatedData:
    """Permute the columns of one task: a cluster in it is as clear as before, but elsewhere.

    Parameters
    ----------
    data : numbers; columns in views are permuted across views, which are given up
    task : whose columns
    random_state : int, RandomState or None, for the one permutation of all its rows

    Raises
    ------
    InputError : texts, or there is no such task

    >>> import kinfolk as kf
    >>> data = kf.datasets.make_related_blobs(n_samples=4, n_features=5, random_state=0)
    >>> rows = data.tasks == "task-1"
    >>> other = kf.datasets.shuffled_features(data, "task-1", random_state=0)
    >>> bool(np.allclose(np.sort(other.X[rows]), np.sort(data.X[rows])))
    True
    """
    random, X = checks.random(random_state), _numbers(data)
    checks.choice("task", task, data.task_names)
    rows = data.tasks == task
    both = _stacked([X[~rows], X[rows][:, random.permutation(X.shape[1])]])
    shuffled = both[np.argsort(np.argsort(rows, kind="stable"))]
    return _changed(data, f"The columns of {task} are permuted.", X=shuffled, views={})


def with_noise(
    data: RelatedData, n_rows: int | None = None, random_state: Seed = None
) -> RelatedData:
    """Add a task without clusters.

    Sparse numbers are counts: a document of noise has the length of one drawn from the others,
    and each of its words comes from all words of the data set. So it is with texts. In any other
    table each column of noise is uniform over the range of that column.

    Parameters
    ----------
    data : numbers or texts, without a task `NOISE`
    n_rows : rows of noise; None: the mean of the other tasks
    random_state : int, RandomState or None

    Returns
    -------
    RelatedData : a last task `NOISE`, and `NOISE` as the class of each of its rows

    Raises
    ------
    InputError : sparse numbers that are no counts, or there is a task of that name

    >>> import kinfolk as kf
    >>> data = kf.datasets.make_related_blobs(n_samples=10)
    >>> kf.datasets.with_noise(data, random_state=0).task_names
    ['task-0', 'task-1', 'noise']
    """
    random, names = checks.random(random_state), data.task_names
    if NOISE in names:
        raise InputError(f"{data.name!r} has a task {NOISE!r} already; give it another name.")
    given = round(len(data) / len(names)) if n_rows is None else n_rows
    n = checks.at_least("n_rows", given, 1)
    constant = np.repeat(NOISE, n)
    return _changed(
        data,
        "The task of noise is made by chance.",
        tasks=np.concatenate([data.tasks, constant]),
        row_ids=np.concatenate([data.row_ids, np.arange(n).astype(str)]),
        X=None if data.X is None else _stacked([data.X, _noise(data.X, n, random)]),
        texts=None if data.texts is None else data.texts + _chatter(data.texts, n, random),
        target=None if data.target is None else np.concatenate([data.target, constant]),
    )


def disjoint_groups(data: RelatedData, classes: Mapping[str, Collection[str]]) -> RelatedData:
    """Keep of each task only its own classes, so that no two tasks share one.

    Parameters
    ----------
    data : numbers or texts with true classes
    classes : task -> the classes that remain in it, for every task

    Raises
    ------
    InputError : a task is missing, two share a class, or a task has no row of a class

    >>> import kinfolk as kf
    >>> data = kf.datasets.make_related_blobs(shared=3, random_state=0)
    >>> data = kf.datasets.disjoint_groups(data, {"task-0": ["c0", "c1"], "task-1": ["c2"]})
    >>> sorted({(str(t), str(c)) for t, c in zip(data.tasks, data.target)})
    [('task-0', 'c0'), ('task-0', 'c1'), ('task-1', 'c2')]
    """
    if data.target is None:
        raise InputError(f"{data.name!r} has no true classes; give a data set with a target.")
    if missing := [task for task in data.task_names if task not in classes]:
        raise InputError(f"classes has no entry for task {missing[0]!r}; name those of each task.")
    keep = np.zeros(len(data), dtype=bool)
    owners: dict[str, str] = {}
    for task, own in classes.items():
        checks.choice("task", task, data.task_names)
        for name in own:
            if owners.setdefault(name, task) != task:
                raise InputError(
                    f"class {name!r} is given to {owners[name]!r} and to {task!r}; give it to one."
                )
            rows = (data.tasks == task) & (data.target == name)
            if not rows.any():
                raise InputError(
                    f"task {task!r} has no row of class {name!r}; choose of its classes, "
                    f"{', '.join(np.unique(data.target[data.tasks == task]).tolist())}."
                )
            keep |= rows
    return _changed(take(data, keep), "No class is in two tasks.")


def unequal(data: RelatedData, sizes: Mapping[str, int], random_state: Seed = None) -> RelatedData:
    """Draw some rows of some tasks: at least one of each class, if there are as many.

    Parameters
    ----------
    data : numbers or texts
    sizes : task -> how many of its rows remain; tasks that are not named keep all
    random_state : int, RandomState or None, for the draw

    Returns
    -------
    RelatedData : rows in the order in which they were

    Raises
    ------
    InputError : there is no such task, or it has fewer rows

    >>> import kinfolk as kf
    >>> data = kf.datasets.make_related_blobs(n_samples=50, random_state=0)
    >>> len(kf.datasets.unequal(data, {"task-0": 5, "task-1": 45}, random_state=0))
    50
    """
    random = checks.random(random_state)
    keep = np.ones(len(data), dtype=bool)
    for task, size in sizes.items():
        rows = np.flatnonzero(data.tasks == checks.choice("task", task, data.task_names))
        if checks.at_least(f"the size of {task!r}", size, 1) > len(rows):
            raise InputError(f"the size of {task!r} is {size}; give at most {len(rows)}.")
        keep[rows] = False
        drawn = random.permutation(rows)
        if data.target is not None:
            first = np.unique(data.target[drawn], return_index=True)[1]
            if len(first) <= size:
                drawn = np.concatenate([drawn[first], np.delete(drawn, first)])
        keep[drawn[:size]] = True
    return _changed(take(data, keep), f"Drawn to {dict(sizes)} rows.")


def cut(data: RelatedData, task: str, n: int, random_state: Seed = None) -> RelatedData:
    """Draw n rows of one task and keep all others: `unequal` for one task.

    >>> import kinfolk as kf
    >>> data = kf.datasets.make_related_blobs(n_samples=50, random_state=0)
    >>> len(kf.datasets.cut(data, "task-1", 20, random_state=0))
    70
    """
    return unequal(data, {task: n}, random_state)


def _numbers(data: RelatedData) -> Table:
    """Return X, or say how texts become numbers."""
    if data.X is None:
        raise InputError(
            f"{data.name!r} has texts, and this changes columns; count the words first "
            "(kinfolk.preparation.Preparation) and give their counts as X."
        )
    return data.X


def _changed(data: RelatedData, what: str, **fields: Any) -> RelatedData:
    return dataclasses.replace(data, origin=f"{data.origin} {what}".strip(), **fields)


def _named(names: list[str], parts: list[NDArray[Any]]) -> NDArray[Any]:
    return np.array(
        [f"{n}: {value}" for n, part in zip(names, parts, strict=True) for value in part]
    )


def _stacked(blocks: list[Table]) -> Table:
    return sp.csr_array(sp.vstack(blocks)) if sp.issparse(blocks[0]) else np.vstack(blocks)


def _noise(X: Table, n: int, random: np.random.RandomState) -> Table:
    """Return n rows without clusters, of the same columns as X (m, d)."""
    if not sp.issparse(X):
        return random.uniform(X.min(axis=0), X.max(axis=0), size=(n, X.shape[1]))
    X = sp.csr_array(X)
    if not X.data.any() or np.any(X.data < 0) or np.any(X.data != np.rint(X.data)):
        raise InputError("X is sparse, but no table of counts; give counts, or a dense table.")
    lengths, totals = X.sum(axis=1), X.sum(axis=0)
    drawn = random.choice(lengths, size=n).astype(int)
    words = [random.multinomial(length, totals / totals.sum()) for length in drawn]
    return sp.csr_array(np.array(words, dtype=float))


def _chatter(texts: tuple[str, ...], n: int, random: np.random.RandomState) -> tuple[str, ...]:
    """Return n texts of words drawn from all words of the texts."""
    words = [text.split() for text in texts]
    pool = np.array([word for text in words for word in text])
    lengths = random.choice([len(text) for text in words], size=n)
    return tuple(" ".join(random.choice(pool, size=length)) for length in lengths)
