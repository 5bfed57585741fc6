"""Reads the rows to compare from a table, related data, a named data set, or files."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from kinfolk import datasets, sources
from kinfolk.errors import InputError, import_extra
from kinfolk.estimators.views import columns_of
from kinfolk.sources import Reading, native, sheets, stacking
from kinfolk.tables import RelatedData, Tasks, intake, joined_views, stack


def collect(source: Any, roles: Mapping[str, Any]) -> Reading:
    """Return the rows of any source: table, `RelatedData`, data set name, or files.

    Parameters
    ----------
    source : array, sparse matrix or data frame (n, d); `RelatedData`; the result of `kf.read`;
        the name of a data set; or one or several paths
    roles : "tasks", "target", "labels" and "views" -> None, the name of a column, or for tables
        (n,) values; views also a mapping of a view to its columns

    Raises
    ------
    InputError : a role does not fit the source, or the source is of no such kind

    Examples
    --------
    >>> found = collect(np.eye(3), {"tasks": ["a", "b", "b"]})
    >>> found.data.tasks.tolist(), found.data.feature_names
    (['a', 'b', 'b'], ('x0', 'x1', 'x2'))
    """
    given = {role: value for role, value in roles.items() if value is not None}
    if isinstance(source, RelatedData):
        source = Reading(source, [])
    if isinstance(source, Reading):
        # Which classes are known may differ between comparisons; the rest belongs to the rows.
        if wrong := sorted(given.keys() - {"labels"}):
            raise InputError(f"these rows have their own {', '.join(wrong)}: leave that out.")
        labels = given.get("labels", source.labels)
        return source._replace(labels=_each(labels, "labels", len(source.data)))
    if _is_path(source) or _is_paths(source):
        paths = [source] if _is_path(source) else list(source)
        return read(paths, roles)
    return _table(source, given)


def read(
    paths: Sequence[str | os.PathLike[str]],
    roles: Mapping[str, str | None],
    columns: str = "strict",
    data: Path | None = None,
    spelled: Mapping[str, str] | None = None,
    **chosen: Any,
) -> Reading:
    """Read a named data set, or files.

    Parameters
    ----------
    roles : role -> column of the files, for the roles that `sources.read` takes
    columns : as of `sources.read`
    data : folder of the named data sets; None: that of KINFOLK_DATA
    spelled : role -> the name that error sentences call it by
    chosen : "only", "ignore", "kinds" and "missing" as of `sources.read`

    Raises
    ------
    InputError : there is no such file; a named data set is given roles
    """
    name = str(paths[0]) if len(paths) == 1 else ""
    # A name without a suffix that is no file can only be a named data set.
    if not name or Path(name).suffix or Path(name).exists():
        return sources.read(paths, columns=columns, **roles, **chosen)  # type: ignore[arg-type]
    given = [
        (spelled or {}).get(role, role)
        for role, value in {**roles, **chosen}.items()
        if value not in (None, (), [], {}, "impute")
    ]
    if given and name in datasets.AVAILABLE:
        raise InputError(f"{name} is a named data set and takes no {', '.join(given)}.")
    if given:
        raise InputError(f"There is no file {name}: check its name and its ending.")
    return Reading(datasets.load(name, data), [])


def _is_path(source: object) -> bool:
    return isinstance(source, str | os.PathLike)


def _is_paths(source: object) -> bool:
    return isinstance(source, list | tuple) and bool(source) and all(map(_is_path, source))


def _table(source: Any, given: dict[str, Any]) -> Reading:
    """Read the rows of an array, a sparse matrix or a data frame."""
    frame = native.opened(source)
    views = given.pop("views", {})
    if isinstance(frame, nw.DataFrame):
        return _frame(source, frame, given, views)
    return _array(source, given, views)


def _frame(source: Any, frame: nw.DataFrame[Any], given: Mapping[str, Any], views: Any) -> Reading:
    """Read the rows of a data frame; a role is the name of a column, or values."""
    named = {role: value for role, value in given.items() if isinstance(value, str)}
    sheet = sheets.from_frame("the table", frame, sheets.Roles(**named))
    found = {role: getattr(sheet, role) for role in named}
    for role, values in given.items():
        if role not in found:
            found[role] = _each(values, role, len(frame), source)
    columns = None
    names = sheet.feature_names
    if sheet.raws is not None:
        tasks = found.get("tasks")
        codes = Tasks.single(len(frame)).codes if tasks is None else Tasks.of(tasks).codes
        columns, _ = stacking.table([sheet], "strict", codes, {})
        names = tuple(column.name for column in columns)
    order, views = _view_by_view(names, views)
    return _reading(
        found,
        len(frame),
        X=_in_order(sheet.X, order) if columns is None else sheet.X,
        columns=None if columns is None else tuple(columns[j] for j in order),
        feature_names=tuple(names[j] for j in order),
        views=views,
        written=stacking.notations([sheet], columns),
        roles={"tasks": named["tasks"]} if "tasks" in named else {},
    )


def _array(source: Any, given: Mapping[str, Any], views: Any) -> Reading:
    """Read the rows of an array or a sparse matrix, whose columns have no names."""
    X, _ = stack({"all": source})
    names = [f"x{j}" for j in range(X.shape[1])]
    if 0 in X.shape:
        raise InputError(f"the table has shape {X.shape}: give at least one row and column.")
    X = sheets.finite("the table", names, X)
    n = X.shape[0]
    found = {role: _each(values, role, n, source) for role, values in given.items()}
    order, views = _view_by_view(names, views)
    feature_names = tuple(names[j] for j in order)
    return _reading(found, n, X=_in_order(X, order), feature_names=feature_names, views=views)


def _reading(found: Mapping[str, Any], n: int, **table: Any) -> Reading:
    """Return n rows with the values of their roles; without tasks all are of one."""
    tasks = found.get("tasks")
    data = RelatedData(
        name="the table",
        tasks=np.full(n, "all") if tasks is None else tasks,
        row_ids=sheets.default_ids(n),
        target=found.get("target"),
        **table,
    )
    return Reading(data, [], found.get("labels"))


def _in_order(X: Any, order: list[int]) -> Any:
    """Return X (n, d) with its columns in this order; X itself if that is how they are."""
    return X if order == list(range(X.shape[1])) else X[:, order]


def _view_by_view(
    names: Sequence[str], views: Mapping[Any, Any]
) -> tuple[list[int], Mapping[Any, slice]]:
    """Return the order of columns in which each view is a slice, and {view: slice}.

    Without views the order is that of the columns.

    >>> _view_by_view(["a", "b", "c"], {"one": ["a", "c"], "two": slice(1, -1)})
    ([0, 2, 1], {'one': slice(0, 2, None), 'two': slice(2, 3, None)})
    """
    if not views:
        return list(range(len(names))), views
    places = columns_of(views, len(names), list(names))
    order = [j for own in places.values() for j in own.tolist()]
    times = np.bincount(order)
    if times.max() > 1:
        raise InputError(
            f"column {names[int(times.argmax())]!r} is in several views, or twice in "
            "one: put each column into one view, once."
        )
    return order, joined_views.slices({view: len(own) for view, own in places.items()})


def pandas() -> Any:
    """Import pandas, which is an extra; MissingExtraError if it is not installed."""
    return import_extra("pandas", "app", "Data frames need")


def _each(values: Any, role: str, n: int, table: Any = None) -> NDArray[Any] | None:
    """Return one value per row (n,): tasks and classes as strings, labels as given.

    Raises
    ------
    InputError : there are more or fewer; a task or class is missing; two of them read alike
    """
    if values is None:
        return None
    if isinstance(values, str):
        raise InputError(
            f"{role} is {values!r} and the table has no names of columns: give one value for each "
            "row, or the name of a column of a data frame."
        )
    if role == "labels":
        values = _with_unknown(intake.in_order_of(table, values, role, "the table"))
    found = Tasks.given(values, n, table, role, "the table")
    if role == "labels":
        return np.asarray(values)
    if len({str(name) for name in found.names}) < len(found.names):
        raise InputError(f"{role} has different values that read alike, such as 1 and '1'.")
    return np.array([str(name) for name in found.names])[found.codes]


def _with_unknown(labels: Any) -> Any:
    """Return known classes with missing ones as -1 (then all as strings)."""
    values = intake.column(labels)
    if values is None or not any(map(intake.missing, values)):
        return labels
    return sheets.known_classes(values)
