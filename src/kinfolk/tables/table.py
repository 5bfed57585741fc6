"""Related tables as one table whose rows belong to tasks and whose columns belong to views."""

import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Self, cast

import narwhals as nw
import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from kinfolk.arrays import Labels, MatrixLike, Table
from kinfolk.errors import InputError, OverlapWarning
from kinfolk.numerics import sparse_format
from kinfolk.tables import alignment
from kinfolk.tables.columns import Column


@dataclass(frozen=True)
class Tasks:
    """The tasks of a table, and the task of each row.

    Attributes
    ----------
    names : the T tasks, in the order in which they first appear
    codes : (n,) the position in `names` of each row's task
    """

    names: list[Any]
    codes: Labels

    @classmethod
    def of(cls, values: ArrayLike) -> Self:
        """Number the tasks from one name per row.

        >>> Tasks.of(["b", "a", "b"]).codes
        array([0, 1, 0])
        """
        flat = np.asarray(values, dtype=object).tolist()
        position = {name: t for t, name in enumerate(dict.fromkeys(flat))}
        return cls(list(position), np.array([position[name] for name in flat], dtype=int))

    @classmethod
    def single(cls, n: int) -> Self:
        """Make one task, named "all", of n rows."""
        return cls(["all"], np.zeros(n, dtype=int))

    @property
    def sizes(self) -> list[int]:
        """Number of rows of each task."""
        return np.bincount(self.codes, minlength=len(self.names)).tolist()

    def rows(self) -> list[NDArray[np.integer]]:
        """Return the positions of each task's rows.

        >>> Tasks.of(["b", "a", "b"]).rows()
        [array([0, 2]), array([1])]
        """
        return [np.flatnonzero(self.codes == t) for t in range(len(self.names))]


@dataclass(frozen=True)
class RelatedData:
    """Several related data sets as one table, as loaded: before preparation and clustering.

    Exactly one of `X`, `texts` and `columns` is given.

    Attributes
    ----------
    name : used in titles
    tasks : (n,) the task of each row, as strings
    row_ids : (n,) the name of each row in its source, unique within its task
    X : (n, d) numbers, dense or CSR, or None
    feature_names : (d,) names of the columns of X or of `columns`; empty for texts
    texts : (n,) one document per row, or None
    target : (n,) true classes as strings, or None; used to score, never to cluster
    columns : the columns of a table that is not all numbers, or has gaps; or None
    views : view -> the slice of its columns of X; empty if the columns are not divided into views
    origin : source and terms of use of the rows, in a sentence
    """

    name: str
    tasks: NDArray[Any]
    row_ids: NDArray[Any]
    X: Table = None  # type: ignore[assignment]  # only where texts stand in for it
    feature_names: tuple[str, ...] = ()
    texts: tuple[str, ...] | None = None
    target: NDArray[Any] | None = None
    columns: tuple[Column, ...] | None = None
    views: Mapping[str, slice] = field(default_factory=dict)
    origin: str = ""

    @property
    def task_names(self) -> list[str]:
        """Tasks in order of appearance."""
        return list(dict.fromkeys(self.tasks.tolist()))

    def __len__(self) -> int:
        return int(np.shape(self.tasks)[0])


def stack(tables: Mapping[Any, MatrixLike], columns: str = "strict") -> tuple[Any, NDArray[Any]]:
    """Put the tables of several tasks below each other.

    Parameters
    ----------
    tables : task -> (n_t, d_t) array, sparse matrix or data frame; frames are aligned by the
        NAMES of their columns, arrays need equal d_t
    columns : for frames with different columns: "strict" refuses, "intersect" keeps those that
        all have, "union" keeps all and fills with zeros, as the papers do

    Returns
    -------
    X : (n, d); a frame of the first frame's kind, CSR if any table is sparse, else an array
    tasks : (n,) the task of each row

    Raises
    ------
    InputError : no tables, frames mixed with arrays, or columns that cannot be aligned

    Warns
    -----
    OverlapWarning : frames share less than 80 % of their columns

    Examples
    --------
    >>> X, tasks = stack({"a": [[1.0, 2.0], [3.0, 4.0]], "b": [[5.0, 6.0]]})
    >>> X
    array([[1., 2.],
           [3., 4.],
           [5., 6.]])
    >>> tasks
    array(['a', 'a', 'b'], dtype='<U1')
    """
    if not isinstance(tables, Mapping) or not tables:
        raise InputError(
            f"stack got {type(tables).__name__}; give a mapping of at least one task to its table."
        )
    # Model files and reports write tasks as text, where 1 and "1" would be one task.
    if len({str(task) for task in tables}) < len(tables):
        raise InputError(f"tasks {list(tables)!r:.80} read alike; give them different names.")
    frames = {task: frame_of(table) for task, table in tables.items()}
    named = [task for task, frame in frames.items() if frame is not None]
    if named and len(named) < len(tables):
        other = next(task for task in tables if task not in named)
        raise InputError(
            f"table {named[0]!r} is a data frame and {other!r} is not; give only data frames, "
            "whose columns are matched by name, or only arrays."
        )
    names = {str(t): _names(frame, tables[t]) for t, frame in frames.items()}
    matrices = {str(t): _matrix(table, str(t)) for t, table in tables.items()}
    aligned, shared, overlap = alignment.align(names, matrices, columns)
    if overlap.share < alignment.ENOUGH:
        warnings.warn(overlap.sentence(), OverlapWarning, stacklevel=2)
    X: Any = alignment.stacked(aligned)
    if named:
        values = {name: X[:, j] for j, name in enumerate(shared)}
        backend = nw.get_native_namespace(frames[named[0]])
        X = nw.from_dict(values, backend=backend).to_native()
    sizes = [matrix.shape[0] for matrix in matrices.values()]
    tasks = object_array(tables)
    if all(isinstance(task, str) for task in tables):
        tasks = tasks.astype(str)
    return X, np.repeat(tasks, sizes)


def join(views: Mapping[Any, MatrixLike]) -> tuple[Table, dict[Any, slice]]:
    """Put several feature sets of the same rows side by side.

    Parameters
    ----------
    views : view -> (n, d_v), the same rows in the same order in each

    Returns
    -------
    X : (n, sum of d_v), CSR if any view is sparse
    views : view -> its columns of X

    Raises
    ------
    InputError : no views, or different numbers of rows

    Examples
    --------
    >>> X, views = join({"pixels": [[1.0, 2.0], [3.0, 4.0]], "fourier": [[5.0], [6.0]]})
    >>> X
    array([[1., 2., 5.],
           [3., 4., 6.]])
    >>> views
    {'pixels': slice(0, 2, None), 'fourier': slice(2, 3, None)}
    """
    if not isinstance(views, Mapping):
        raise InputError(f"join got a {type(views).__name__}; give a mapping of views to tables.")
    matrices = {str(view): _matrix(table, str(view)) for view, table in views.items()}
    rows = {view: matrix.shape[0] for view, matrix in matrices.items()}
    if len(set(rows.values())) != 1:
        raise InputError(
            f"the views have {rows or 'no'} rows; give at least one view, and in all of them the "
            "same rows in the same order."
        )
    parts: list[Any] = list(matrices.values())
    ends = np.cumsum([part.shape[1] for part in parts]).tolist()
    slices = map(slice, [0, *ends[:-1]], ends)
    sparse = any(map(sp.issparse, parts))
    X = sp.csr_array(sp.hstack(parts)) if sparse else np.hstack(parts)
    return X, dict(zip(views, slices, strict=True))


def by_task(values: Any, tasks: ArrayLike) -> dict[Any, Any]:
    """Divide the rows of a table, or the entries of a list, by task.

    Parameters
    ----------
    values : (n, ...) array, sparse matrix or data frame
    tasks : (n,) the task of each row

    Returns
    -------
    task -> its rows, in the order in which tasks first appear

    Examples
    --------
    >>> by_task(np.array([1, 2, 3]), ["a", "b", "a"])
    {'a': array([1, 3]), 'b': array([2])}
    """
    found = Tasks.of(tasks)
    frame = frame_of(values)
    sparse = frame is None and sp.issparse(values)
    table: Any = sparse_format.checked(values, "values") if sparse else np.asarray(values)
    if table.shape[0] != len(found.codes):
        raise InputError(
            f"tasks names {len(found.codes)} rows and the values have {table.shape[0]}; give one "
            "task per row."
        )
    if frame is not None:
        pieces: list[Any] = [frame[rows.tolist()].to_native() for rows in found.rows()]
    else:
        pieces = [table[rows] for rows in found.rows()]
    return dict(zip(found.names, pieces, strict=True))


def object_array(items: Collection[Any]) -> NDArray[Any]:
    """Return names of any kind as a vector; NumPy alone would make tuples a table.

    >>> object_array([("north", 1), ("south", 2)])
    array([('north', 1), ('south', 2)], dtype=object)
    """
    found = np.empty(len(items), dtype=object)
    found[:] = list(items)
    return found


def frame_of(table: Any) -> Any:
    """Return the table as a narwhals frame, or None if it is no data frame."""
    try:
        found = nw.from_native(table, eager_only=True, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        twice = alignment.some(alignment.repeated(list(map(str, table.columns))))
        raise InputError(
            f"the table has more than one column named {twice}: rename or drop all but one."
        ) from error
    return found if isinstance(found, nw.DataFrame) else None


def _names(frame: Any, table: Any) -> list[str]:
    width = np.shape(table)[1] if np.ndim(table) == 2 or sp.issparse(table) else 0
    return list(frame.columns) if frame is not None else [str(j) for j in range(width)]


def _matrix(table: Any, name: str) -> Table:
    if sp.issparse(table):
        return sp.csr_array(sparse_format.checked(cast(Any, table), f"table {name!r}"), dtype=float)
    try:
        matrix = np.asarray(table, dtype=float)
    except (TypeError, ValueError):
        raise InputError(
            f"table {name!r} has entries that are no numbers; drop or encode these columns."
        ) from None
    if matrix.ndim != 2:
        raise InputError(
            f"table {name!r} has {matrix.ndim} dimensions; give rows and columns, shape (n, d)."
        )
    return matrix
