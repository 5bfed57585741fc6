"""Alters related data so that clustering them together becomes harder, for tests.

Each takes a `RelatedData`, changes one thing and returns a new one. Rows keep their task, class
and id, and the origin says what was done. Operations on columns need numbers: count the words of
texts first, for example with `kinfolk.preparation.Preparation`.

    take               keep only the chosen rows
    unrelated          put data sets side by side, without a column in common
    shuffled_features  permute the columns of one task
    with_noise         add a task without clusters
    disjoint_groups    keep other classes in each task, so that no two tasks share one
    cut, unequal       draw fewer rows of one task, of several tasks

Units   those of the given data set.
"""

import dataclasses
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk.arguments import instance, mapping, names, shown
from kinfolk.arrays import Seed, Table
from kinfolk.errors import InputError
from kinfolk.estimators import checks
from kinfolk.tables import RelatedData, alignment

NOISE = "noise"
"""The name of a task without clusters, and of the one class of its rows.

There is nothing to find in such a task, so its accuracy means nothing: leave it out of means.
"""


def take(data: RelatedData, rows: NDArray[Any]) -> RelatedData:
    """Return a data set with the chosen rows only.

    Parameters
    ----------
    data : n rows, numbers or texts
    rows : positions, or (n,) booleans, True for each row to keep

    Raises
    ------
    InputError : a position is outside the rows, or there are more or fewer booleans

    Examples
    --------
    >>> import kinfolk as kf
    >>> data = kf.datasets.make_related_blobs(n_samples=4, random_state=0)
    >>> last = kf.datasets.take(data, [5, 7])
    >>> last.tasks.tolist(), last.row_ids.tolist()
    (['task-1', 'task-1'], ['1', '3'])
    """
    n = len(_related(data))
    try:
        return data.take(rows)
    except (IndexError, TypeError) as error:
        raise InputError(
            f"rows is {shown(rows)}; give positions from 0 to {n - 1}, or {n} booleans."
        ) from error


def unrelated(*sets: RelatedData) -> RelatedData:
    """Combine data sets so that no column, task or class is shared.

    Parameters
    ----------
    sets : data sets of numbers with different names, of n_i rows and d_i columns

    Returns
    -------
    RelatedData : `X` (sum of n_i, sum of d_i), zero in the columns of the other sets, CSR if any
        is sparse; tasks, columns and classes are called "set: name"; no views; no target unless
        all sets have one

    Raises
    ------
    InputError : texts, or two sets of the same name

    >>> import kinfolk as kf
    >>> docs, blobs = kf.datasets.make_related_documents(5), kf.datasets.make_related_blobs(5)
    >>> data = kf.datasets.unrelated(docs, blobs)
    >>> data.X.shape, data.feature_names[0]
    ((20, 282), 'documents: term0')
    >>> data.task_names
    ['documents: task-0', 'documents: task-1', 'blobs: task-0', 'blobs: task-1']
    """
    names = [data.name for data in sets]
    if len(set(names)) < len(names) or not names:
        raise InputError(
            f"the data sets are called {names}; give at least one, and each a name of its own, "
            'for example by dataclasses.replace(data, name="other").'
        )
    blocks: list[Any] = [_require_numbers(data) for data in sets]
    sparse = any(sp.issparse(block) for block in blocks)
    labelled = [data.target for data in sets if data.target is not None]
    return RelatedData(
        name=" and ".join(names),
        tasks=_prefixed(names, [data.tasks for data in sets]),
        row_ids=np.concatenate([data.row_ids for data in sets]),
        X=sp.csr_array(sp.block_diag(blocks)) if sparse else scipy.linalg.block_diag(*blocks),
        feature_names=tuple(f"{data.name}: {f}" for data in sets for f in data.feature_names),
        target=_prefixed(names, labelled) if len(labelled) == len(sets) else None,
        # As keys of a dictionary, so that an origin of several sets stands only once.
        origin=" ".join(dict.fromkeys(data.origin for data in sets if data.origin)),
    )


def shuffled_features(data: RelatedData, task: str, random_state: Seed = None) -> RelatedData:
    """Permute the columns of one task, so that its clusters match no other task's.

    Parameters
    ----------
    data : numbers; columns are permuted across views, so the result has no views
    task : name of the task
    random_state : int, RandomState or None; one permutation serves all rows of the task

    Raises
    ------
    InputError : texts, or there is no such task

    >>> import kinfolk as kf
    >>> data = kf.datasets.make_related_blobs(n_samples=4, n_features=3, random_state=0)
    >>> data.X[-1].round(1), kf.datasets.shuffled_features(data, "task-1", 0).X[-1].round(1)
    (array([-8.9, 19.2, 11.3]), array([11.3, 19.2, -8.9]))
    """
    random = checks.random(random_state)
    X = _require_numbers(data)
    checks.choice("task", task, data.task_names)
    rows = data.tasks == task
    # Sparse rows cannot be assigned: stack the other rows and these, then undo the stacking.
    both = alignment.stacked([X[~rows], X[rows][:, random.permutation(X.shape[1])]])
    shuffled = both[np.argsort(np.argsort(rows, kind="stable"))]
    return _changed(data, f"The columns of {task} are permuted.", X=shuffled, views={})


def with_noise(
    data: RelatedData, n_rows: int | None = None, random_state: Seed = None
) -> RelatedData:
    """Add a task of random rows without clusters.

    For texts and sparse counts, a noise document has the length of a document drawn from the
    others, and its words are drawn from all words of the data set. For dense numbers, each
    column of noise is uniform over the range of that column.

    Parameters
    ----------
    data : numbers or texts, without a task `NOISE`
    n_rows : rows of noise; None: as many as the other tasks have in the mean
    random_state : int, RandomState or None

    Returns
    -------
    RelatedData : as given, with a last task `NOISE` of one class `NOISE`

    Raises
    ------
    InputError : sparse numbers that are no counts, dense ones that are missing or infinite, a table
        that is not all numbers, or there is a task of that name

    >>> import kinfolk as kf
    >>> data = kf.datasets.make_related_documents(n_samples=3, random_state=0)
    >>> noisy = kf.datasets.with_noise(data, 2, random_state=0)
    >>> noisy.tasks[-3:].tolist(), noisy.X[-2:].sum(axis=1)
    (['task-1', 'noise', 'noise'], array([67., 87.]))
    """
    random = checks.random(random_state)
    names = _without_words(data).task_names
    if NOISE in names:
        raise InputError(f"{data.name!r} has a task {NOISE!r} already; give it another name.")
    if n_rows is None:
        n_rows = round(len(data) / len(names))
    n = checks.at_least("n_rows", n_rows, 1)
    constant = np.repeat(NOISE, n)
    return _changed(
        data,
        "The task of noise is made by chance.",
        tasks=np.concatenate([data.tasks, constant]),
        row_ids=np.concatenate([data.row_ids, np.arange(n).astype(str)]),
        X=None if data.X is None else alignment.stacked([data.X, _noise_rows(data.X, n, random)]),
        texts=None if data.texts is None else data.texts + _noise_texts(data.texts, n, random),
        documents=None if data.documents is None else (*data.documents, *[""] * n),
        target=None if data.target is None else np.concatenate([data.target, constant]),
    )


def disjoint_groups(data: RelatedData, classes: Mapping[str, Collection[str]]) -> RelatedData:
    """Keep only the given classes of each task, so that no two tasks share one.

    Parameters
    ----------
    data : numbers or texts with true classes
    classes : task -> its classes to keep, for every task

    Raises
    ------
    InputError : a task is missing, two share a class, or a task has no row of a class; or classes
        are no texts

    >>> import kinfolk as kf
    >>> data = kf.datasets.make_related_blobs(shared=3, random_state=0)
    >>> data = kf.datasets.disjoint_groups(data, {"task-0": ["c0", "c1"], "task-1": ["c2"]})
    >>> sorted({(str(t), str(c)) for t, c in zip(data.tasks, data.target)})
    [('task-0', 'c0'), ('task-0', 'c1'), ('task-1', 'c2')]
    """
    _related(data)
    if data.target is None:
        raise InputError(f"{data.name!r} has no true classes; give a data set with a target.")
    given = mapping("classes", classes)
    if missing := [task for task in data.task_names if task not in given]:
        raise InputError(f"classes has no entry for task {missing[0]!r}; name those of each task.")
    keep = np.zeros(len(data), dtype=bool)
    # Class -> the first task that it was given to.
    owners: dict[str, str] = {}
    for task, own in given.items():
        checks.choice("task", task, data.task_names)
        for name in names(f"classes of {task!r}", own):
            if owners.setdefault(name, task) != task:
                raise InputError(
                    f"class {name!r} is given to {owners[name]!r} and to {task!r}; give it to one."
                )
            rows = (data.tasks == task) & (data.target == name)
            if not rows.any():
                raise InputError(
                    f"task {task!r} has no row of class {name!r}; choose from its classes, "
                    f"{', '.join(np.unique(data.target[data.tasks == task]).tolist())}."
                )
            keep |= rows
    return _changed(take(data, keep), "No class is in two tasks.")


def unequal(data: RelatedData, sizes: Mapping[str, int], random_state: Seed = None) -> RelatedData:
    """Reduce the named tasks to fewer rows, keeping a row of each class if possible.

    Parameters
    ----------
    data : numbers or texts
    sizes : task -> number of rows to draw from it; other tasks keep all rows
    random_state : int, RandomState or None, for the draw

    Returns
    -------
    RelatedData : rows in the order of `data`

    Raises
    ------
    InputError : there is no such task, or it has fewer rows

    >>> import kinfolk as kf
    >>> data = kf.datasets.make_related_blobs(n_samples=50, random_state=0)
    >>> small = kf.datasets.unequal(data, {"task-0": 5}, random_state=0)
    >>> small.target[small.tasks == "task-0"].tolist()
    ['c1', 'c0', 'c2', 'c1', 'c0']
    """
    random = checks.random(random_state)
    keep = np.ones(len(_related(data)), dtype=bool)
    for task, size in mapping("sizes", sizes).items():
        rows = np.flatnonzero(data.tasks == checks.choice("task", task, data.task_names))
        if checks.at_least(f"the size of {task!r}", size, 1) > len(rows):
            raise InputError(f"the size of {task!r} is {size}; give at most {len(rows)}.")
        keep[rows] = False
        drawn = random.permutation(rows)
        # Move the first row of each class to the front, if all classes fit in.
        if data.target is not None:
            first = np.unique(data.target[drawn], return_index=True)[1]
            if len(first) <= size:
                drawn = np.concatenate([drawn[first], np.delete(drawn, first)])
        keep[drawn[:size]] = True
    return _changed(take(data, keep), f"Drawn to {dict(sizes)} rows.")


def cut(data: RelatedData, task: str, n: int, random_state: Seed = None) -> RelatedData:
    """Reduce one task to n rows and keep all others.

    >>> import kinfolk as kf
    >>> data = kf.datasets.make_related_blobs(n_samples=50, random_state=0)
    >>> len(kf.datasets.cut(data, "task-1", 20, random_state=0))
    70
    """
    return unequal(data, {checks.choice("task", task, _related(data).task_names): n}, random_state)


def _related(data: Any) -> RelatedData:
    """Return the data set; InputError if it is of another type."""
    advice = "give the result of kinfolk.datasets.load, or a RelatedData of your own"
    return instance("data", data, RelatedData, advice)


def _without_words(data: Any) -> RelatedData:
    """Return the data set; InputError if its columns hold words or gaps, as tables of files do."""
    if _related(data).columns is not None:
        raise InputError(
            f"{data.name!r} has columns of words or with gaps, and this operation needs numbers or "
            "texts; give what kinfolk.preparation.Preparation makes of it as X."
        )
    return data


def _require_numbers(data: RelatedData) -> Table:
    """Return the table X of a data set; InputError if it has only texts."""
    if _without_words(data).X is None:
        raise InputError(
            f"{data.name!r} has texts, and this operation changes columns; count the words first "
            "(kinfolk.preparation.Preparation) and give their counts as X."
        )
    return data.X


def _changed(data: RelatedData, what: str, **fields: Any) -> RelatedData:
    """Return a copy with replaced fields and a sentence added to `origin`."""
    return dataclasses.replace(data, origin=f"{data.origin} {what}".strip(), **fields)


def _prefixed(names: list[str], parts: list[NDArray[Any]]) -> NDArray[Any]:
    """Prefix the values of each part with its name: "name: value".

    >>> _prefixed(["p", "q"], [np.array([1, 2]), np.array([1])]).tolist()
    ['p: 1', 'p: 2', 'q: 1']
    """
    return np.array(
        [f"{n}: {value}" for n, part in zip(names, parts, strict=True) for value in part]
    )


def _noise_rows(X: Table, n: int, random: np.random.RandomState) -> Table:
    """Draw n random rows without clusters, within the columns' ranges or by word frequencies."""
    if not sp.issparse(X):
        if not np.isfinite(X).all():
            raise InputError("X has entries that are missing or infinite; fill them in.")
        return random.uniform(X.min(axis=0), X.max(axis=0), size=(n, X.shape[1]))
    X = sp.csr_array(X)
    if not X.data.any() or np.any(X.data < 0) or np.any(X.data != np.rint(X.data)):
        raise InputError("X is sparse, but no table of counts; give counts, or a dense table.")
    # Words of all documents in one bag: each term keeps its frequency, topics are lost.
    frequencies = X.sum(axis=0)
    lengths = random.choice(X.sum(axis=1), size=n).astype(int)
    words = [random.multinomial(length, frequencies / frequencies.sum()) for length in lengths]
    return sp.csr_array(np.array(words, dtype=float))


def _noise_texts(texts: tuple[str, ...], n: int, random: np.random.RandomState) -> tuple[str, ...]:
    """Draw n texts of words from all words of the texts."""
    documents = [text.split() for text in texts]
    words = np.array([word for document in documents for word in document])
    lengths = random.choice([len(document) for document in documents], size=n)
    return tuple(" ".join(random.choice(words, size=length)) for length in lengths)
