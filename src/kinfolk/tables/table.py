"""`RelatedData`: one table whose rows belong to tasks and columns to views."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

import narwhals as nw
import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from kinfolk.arguments import choice, instance, shown
from kinfolk.arrays import MatrixLike, Table
from kinfolk.errors import InputError, OverlapWarning, warn_user
from kinfolk.numerics import sparse_format
from kinfolk.tables import alignment, intake, joined_views
from kinfolk.tables.columns import Column
from kinfolk.tables.intake import frame_of, in_order_of, object_array
from kinfolk.tables.name_order import in_order, order_of
from kinfolk.tables.tasks import Tasks, split_off


@dataclass(frozen=True, repr=False)
class RelatedData:
    """Related data sets as one table, as loaded, before preparation and clustering.

    Exactly one of `X`, `texts` and `columns` is given.

    Attributes
    ----------
    name : used in titles
    tasks : (n,) the task of each row, as strings; of an ordered category they keep its order
    row_ids : (n,) the name of each row in its source, unique within its task
    X : (n, d) numbers, dense or CSR, or None
    feature_names : (d,) names of the columns of X or of `columns`; empty for texts
    texts : (n,) one document per row, or None
    target : (n,) true classes as strings, or None; used to score, never to cluster
    columns : the columns of a table that is not all numbers, or has gaps; or None
    views : view -> the slice of its columns of X; empty if the columns are not divided into views
    documents : (n,) texts that describe the rows of X, which are not clustered on; or None
    origin : source and terms of use of the rows, in a sentence
    written : column -> unit and notation of numbers that were words, such as "with decimal commas"
    roles : role ("tasks", "text" and so on) -> its column in the tables that were read

    Examples
    --------
    >>> tasks = np.array(["lab", "lab", "field"])
    >>> X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> data = RelatedData("two", tasks, np.arange(3).astype(str), X=X)
    >>> print(data.X[data.tasks == "lab"].mean(axis=0))
    [2. 3.]
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
    documents: tuple[str, ...] | None = None
    written: Mapping[str, str] = field(default_factory=dict)
    roles: Mapping[str, str | None] = field(default_factory=dict)

    @property
    def task_names(self) -> list[str]:
        """Names of the tasks in order, as of `Tasks`."""
        return in_order(dict.fromkeys(self.tasks.tolist()), order_of(self.tasks))

    def take(self, rows: Any) -> "RelatedData":
        """Return the data with the chosen rows only: positions, or (n,) booleans.

        >>> data = RelatedData("x", np.array(["a", "b", "b"]), np.arange(3), X=np.eye(3))
        >>> data.take(data.tasks == "b").row_ids
        array([1, 2])
        """
        # Positions and booleans become positions, which tuples of texts need.
        kept = np.arange(len(self))[rows]

        def chosen(values: Any) -> Any:
            if isinstance(values, tuple):
                return tuple(values[i] for i in kept)
            return None if values is None else values[kept]

        names = "tasks", "row_ids", "X", "texts", "target", "documents"
        columns = None
        if self.columns is not None:
            columns = tuple(replace(c, values=c.values[kept]) for c in self.columns)
        return replace(self, columns=columns, **{n: chosen(getattr(self, n)) for n in names})

    def __len__(self) -> int:
        return int(np.shape(self.tasks)[0])

    def __repr__(self) -> str:
        counts = {"row": len(self), "task": len(self.task_names), "column": len(self.feature_names)}
        rows, tasks, columns = (f"{n} {noun}{'s' * (n != 1)}" for noun, n in counts.items())
        kept = columns if self.texts is None else "texts"
        return f"RelatedData({self.name}: {rows} of {tasks}, {kept})"


def related_data(data: Any) -> RelatedData:
    """Return related data, also those in the result of `kf.read`; InputError for other objects."""
    inner = getattr(data, "data", None)
    found = inner if isinstance(inner, RelatedData) else data
    checked: RelatedData = instance(
        "data", found, RelatedData, "give the result of kf.read, or a RelatedData"
    )
    return checked


def stack(tables: Mapping[Any, MatrixLike], columns: str = "strict") -> tuple[Any, NDArray[Any]]:
    """Stack the tables of several tasks by row; return the table and task names (n,).

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
    InputError : no tables, one without rows beside others, frames mixed with arrays, or columns
        that cannot be aligned

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
        raise InputError(f"tasks {shown(list(tables))} read alike; give them different names.")
    frames = {task: frame_of(table, f"table {task!r}") for task, table in tables.items()}
    named = [task for task, frame in frames.items() if frame is not None]
    if named and len(named) < len(tables):
        other = next(task for task in tables if task not in named)
        raise InputError(
            f"table {named[0]!r} is a data frame and {other!r} is not; give only data frames, "
            "whose columns are matched by name, or only arrays."
        )
    matrices = {str(t): intake.matrix(X, f"table {str(t)!r}") for t, X in tables.items()}
    empty = [task for task, matrix in matrices.items() if not matrix.shape[0]]
    if 0 < len(empty) < len(matrices):
        # A task without rows would be missing from the result, and nothing would say so.
        raise InputError(f"table {alignment.some(empty)} has no rows; leave it out.")
    names = {str(t): _names(frame, matrices[str(t)]) for t, frame in frames.items()}
    aligned, shared, overlap = alignment.align(names, matrices, columns)
    if overlap.share < alignment.ENOUGH:
        warn_user(overlap.sentence(), OverlapWarning)
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


def join(
    views: Mapping[Any, MatrixLike], how: str = "strict", observed: Any = None
) -> tuple[Any, dict[Any, slice]]:
    """Join several views of the same rows side by side; return {view: slice} too.

    Parameters
    ----------
    views : view -> (n, d_v), the same rows in the same order in each; frames of pandas are put in
        the order of the index of the first
    how : "strict" refuses frames whose rows differ; "outer" keeps every row that any view has, and
        "inner" those that all have, by the index of frames of pandas
    observed : (n, V) mask, True where a row has a view, with the views in their order, or a frame
        whose columns are named as they are; None: rows have every view that is not NaN

    Returns
    -------
    X : (n, sum of d_v), CSR if any view is sparse. With "outer" or "inner" a data frame whose index
        names the rows. A view that a row lacks is NaN in all its columns
    views : view -> its columns of X

    Raises
    ------
    InputError : no views, or different numbers of rows; with "outer" or "inner", a table without
        an index of different names, or no row that all have; `observed` is no mask of the rows
        and views, leaves a row without views, or is given with "outer" or "inner"

    Examples
    --------
    >>> X, views = join({"pixels": [[1.0, 2.0], [3.0, 4.0]], "fourier": [[5.0], [6.0]]})
    >>> X
    array([[1., 2., 5.],
           [3., 4., 6.]])
    >>> views
    {'pixels': slice(0, 2, None), 'fourier': slice(2, 3, None)}
    >>> join({"a": [[1.0, 2.0], [0.0, 0.0]], "b": [[5.0], [6.0]]}, observed=[[1, 1], [0, 1]])[0]
    array([[ 1.,  2.,  5.],
           [nan, nan,  6.]])
    >>> import pandas as pd
    >>> labs = pd.DataFrame({"iron": [1.0, 2.0]}, index=["ann", "bob"])
    >>> scans = pd.DataFrame({"size": [7.0, 8.0]}, index=["bob", "cid"])
    >>> join({"labs": labs, "scans": scans}, how="outer")[0]
         iron  size
    ann   1.0   NaN
    bob   2.0   7.0
    cid   NaN   8.0
    """
    choice("how", how, ["strict", "outer", "inner"])
    if not isinstance(views, Mapping):
        raise InputError(f"join got a {type(views).__name__}; give a mapping of views to tables.")
    if len({str(view) for view in views}) < len(views):
        raise InputError(f"views {shown(list(views))} read alike; give them different names.")
    if how != "strict" and views:
        if observed is not None:
            raise InputError(
                f'observed is given with how="{how}", by which the indexes say which rows have a '
                'view; leave out observed, or give the same rows in all views and how="strict".'
            )
        return joined_views.by_index(views, how)
    first: Any = next(iter(views.values()), None)
    in_order = {v: in_order_of(first, X, f"view {v!r}", "the first") for v, X in views.items()}
    matrices = {str(v): intake.matrix(X, f"table {str(v)!r}") for v, X in in_order.items()}
    rows = {view: matrix.shape[0] for view, matrix in matrices.items()}
    if len(set(rows.values())) != 1:
        raise InputError(
            f"the views have {rows or 'no'} rows; give at least one view, and in all of them the "
            "same rows in the same order."
        )
    parts: list[Any] = list(matrices.values())
    if observed is not None:
        mask = in_order_of(first, observed, "observed", "the first view")
        parts = joined_views.masked(parts, joined_views.mask_of(mask, views, parts[0].shape[0]))
    sparse = any(map(sp.issparse, parts))
    X = sp.csr_array(sp.hstack(parts)) if sparse else np.hstack(parts)
    widths = [part.shape[1] for part in parts]
    return X, joined_views.slices(dict(zip(views, widths, strict=True)))


def by_task(values: Any, tasks: ArrayLike) -> dict[Any, Any]:
    """Split the rows of a table, or entries of a list, by task: {task: rows}.

    Parameters
    ----------
    values : (n, ...) array, sparse matrix or data frame
    tasks : (n,) the task of each row; matched by index if both are of pandas. Or the name of a
        column of a data frame, which is then left out of the rows

    Returns
    -------
    task -> its rows; tasks in the order of `kf.Kinfolk.task_names_`

    Raises
    ------
    InputError : the values are no rows, or tasks is not one name per row

    Examples
    --------
    >>> by_task(np.array([1, 2, 3]), ["a", "b", "a"])
    {'a': array([1, 3]), 'b': array([2])}
    >>> import pandas as pd
    >>> by_task(pd.DataFrame({"age": [20, 30], "site": ["a", "b"]}), "site")["b"]
       age
    1   30
    """
    frame = frame_of(values)
    if isinstance(tasks, str):
        if frame is None or tasks not in frame.columns:
            raise InputError(
                f"tasks is {shown(tasks)}, which is no column of the table; give one task per row, "
                "or the name of a column of a data frame."
            )
        column, rest = split_off(tasks, frame)
        return by_task(rest, column)
    table: Any = _indexable(values) if frame is None else frame
    found = Tasks.given(tasks, table.shape[0], values, table_name="the table")
    if frame is None:
        return {name: table[rows] for name, rows in zip(found.names, found.rows(), strict=True)}
    return {
        name: frame[rows.tolist()].to_native()
        for name, rows in zip(found.names, found.rows(), strict=True)
    }


def _indexable(values: Any) -> Any:
    """Convert to a container that can be indexed by position: CSR or array."""
    if sp.issparse(values) and len(np.shape(cast(Any, values))) == 2:
        return sp.csr_array(sparse_format.checked(cast(Any, values), "values"))
    try:
        rows = np.asanyarray(values)  # masked arrays keep their mask
    except ValueError:  # a list of lists of different lengths
        rows = object_array(values)
    if not rows.ndim:
        raise InputError(f"the values are {shown(values)}; give one entry or row for each task.")
    return rows


def _names(frame: Any, X: Table) -> list[str]:
    return list(frame.columns) if frame is not None else [str(j) for j in range(X.shape[1])]
