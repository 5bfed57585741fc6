"""Reads the rows to compare from a table, related data, a named data set, or files."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from kinfolk import arguments, datasets, sources
from kinfolk.arguments import ReadArguments
from kinfolk.errors import InputError, import_extra
from kinfolk.estimators.views import columns_of
from kinfolk.sources import Reading, column_views, finite_numbers, native, paths, sheets, two_in_one
from kinfolk.sources import given as given_tables
from kinfolk.tables import RelatedData, Tasks, alignment, intake, name_order
from kinfolk.tables.columns import name as name_of

_BY_VALUE = ("tasks", "target", "labels")
"""Roles whose values may be given beside a table."""

USUAL = ReadArguments()
"""Default choices: which columns of a source are read, and what is done with gaps."""


def collect(source: Any, roles: Mapping[str, Any], chosen: ReadArguments = USUAL) -> Reading:
    """Return the rows of any source: table, `RelatedData`, data set name, or files.

    Parameters
    ----------
    source : array, sparse matrix or data frame (n, d); a dictionary of columns; `RelatedData`; the
        result of `kf.read`; the name of a data set; or one or several paths or data frames
    roles : role, as of `sources.read` -> None or the name of a column; for tables "tasks",
        "target" and "labels" also (n,) values, and "views" a mapping of a view to its columns
    chosen : the columns of files and data frames

    Raises
    ------
    InputError : a role or choice does not fit the source, or the source is of no such kind

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
        if wrong := sorted({*given, *chosen.asked()} - {"labels"}):
            raise InputError(
                f"these rows have their own {', '.join(wrong)}: leave that out, or give it where "
                "they are read, to kf.read."
            )
        labels = given.get("labels", source.labels)
        return source._replace(labels=_each(labels, "labels", len(source.data)))
    if _is_path(source) or _is_paths(source):
        return read([source] if _is_path(source) else list(source), roles, chosen)
    if given_tables.are_several(source):
        return _with_only(sources.read(source, **given, **vars(chosen)), given, chosen)
    if given_tables.is_dictionary(source):
        source = given_tables.of_columns(source)
    frame = native.opened(source)
    if isinstance(frame, nw.DataFrame):
        return _frame(source, frame, given, chosen)
    if wrong := sorted(given.keys() - {*_BY_VALUE, "views"}) + chosen.asked():
        raise InputError(
            f"the table has no names of columns, which {wrong[0]} needs: give a data frame, or "
            "leave that out."
        )
    return _array(source, given, given.pop("views", {}))


def read(
    files: Sequence[str | os.PathLike[str]],
    roles: Mapping[str, Any],
    chosen: ReadArguments = USUAL,
    data: Path | None = None,
    spelled: Mapping[str, str] | None = None,
) -> Reading:
    """Read a named data set, or files.

    Parameters
    ----------
    roles : role -> column of the files, for the roles that `sources.read` takes
    chosen : the columns of the files
    data : folder of the named data sets; None: that of KINFOLK_DATA
    spelled : role or argument -> the name that error sentences call it by

    Raises
    ------
    InputError : there is no such file; a named data set is given roles; `only` lists a column that
        the files lack
    """
    name = str(files[0]) if len(files) == 1 else ""
    # A name without a suffix that is no file can only be a named data set.
    if not name or Path(name).suffix or Path(name).exists():
        return _with_only(sources.read(files, **roles, **vars(chosen)), roles, chosen)
    asked = [role for role, value in roles.items() if value is not None] + chosen.asked()
    given = [(spelled or {}).get(role, role) for role in asked]
    if given and name in datasets.AVAILABLE:
        raise InputError(f"{name} is a named data set and takes no {', '.join(given)}.")
    if given:
        raise InputError(f"There is no file {name}: check its name and its ending.")
    return Reading(datasets.load(name, data), [])


def _with_only(found: Reading, roles: Mapping[str, Any], chosen: ReadArguments) -> Reading:
    """Return what was read; InputError if `only` lists a column that it lacks."""
    only = chosen.only
    # Texts have no columns beside their own.
    listed = [] if only is None or found.data.texts is not None else arguments.names("only", only)
    parts = found.data.feature_names
    own = {name for name in roles.values() if isinstance(name, str)}
    known = {*parts, *map(two_in_one.whole_name, parts), *own}
    if unknown := [name for name in listed if name not in known]:
        raise InputError(
            f"{arguments.spelled('--only', 'only')} lists {alignment.some(unknown)}, which the "
            "table does not have: look at the names of its columns."
        )
    return found


def _is_path(source: object) -> bool:
    return isinstance(source, str | os.PathLike)


def _is_paths(source: object) -> bool:
    return isinstance(source, list | tuple) and bool(source) and all(map(_is_path, source))


def _frame(
    source: Any, frame: nw.DataFrame[Any], given: Mapping[str, Any], chosen: ReadArguments
) -> Reading:
    """Read the rows of a data frame as `kf.read` does; a role is the name of a column, or values.

    Values become columns beside the others, so that they are left out where their rows are.
    """
    n = len(frame)
    views = given.get("views")
    values = {role: given[role] for role in _BY_VALUE if not isinstance(given.get(role, ""), str)}
    named: dict[str, Any] = dict(given)
    for role in (*values, "views"):
        named.pop(role, None)
    if isinstance(views, str):
        named["views"] = views
        views = None
    found = {role: _each(each, role, n, source) for role, each in values.items()}
    if "tasks" not in given:
        found["tasks"] = np.full(n, "all")
    known = found.get("labels")
    if known is not None:  # known classes keep their type
        found["labels"] = np.arange(n)
    order = name_order.order_of(found.get("tasks", ()))
    frame, beside = _with_columns(frame, found)
    reading = sources.read(frame.to_native(), **(named | beside), **vars(chosen))
    data, notes, labels = _with_only(reading, named, chosen)
    data = replace(data, tasks=name_order.ordered_names(data.tasks, order))
    if known is not None and labels is not None:
        labels = known[labels.astype(int)]
    # New rows come without the values that were given beside the table.
    roles = {role: name for role, name in data.roles.items() if role not in beside}
    return Reading(_divided(replace(data, roles=roles), views), notes, labels)


def _with_columns(
    frame: nw.DataFrame[Any], values: Mapping[str, Any]
) -> tuple[nw.DataFrame[Any], dict[str, str]]:
    """Return a frame with values (n,) as further columns, and {name of the values: column}."""
    names = {}
    for role, each in values.items():
        name = role
        while name in frame.columns:
            name = f"({name})"
        if each.dtype.kind == "U":
            paths.check_characters(each.tolist())
        column = nw.new_series(name, each, backend=frame.implementation)
        frame = frame.with_columns(column)
        names[role] = name
    return frame, names


def _divided(data: RelatedData, views: Any) -> RelatedData:
    """Divide the columns into views, sorted so that those of each view are neighbors."""
    if not views:
        return data
    names = list(data.feature_names)
    places = {view: own.tolist() for view, own in columns_of(views, len(names), names).items()}
    times = np.bincount([j for own in places.values() for j in own])
    if times.max() > 1:
        raise InputError(
            f"column {names[int(times.argmax())]!r} is in several views, or twice in "
            "one: put each column into one view, once."
        )
    return column_views.grouped(data, places)


def _array(source: Any, given: Mapping[str, Any], views: Any) -> Reading:
    """Read the rows of an array or a sparse matrix, whose columns have no names."""
    X: Any = intake.matrix(source, "the table")
    names = [f"x{j}" for j in range(X.shape[1])]
    if 0 in X.shape:
        raise InputError(f"the table has shape {X.shape}: give at least one row and column.")
    X = finite_numbers.checked("the table", names, X)
    n = X.shape[0]
    found = {role: _each(values, role, n, source) for role, values in given.items()}
    tasks = found.get("tasks")
    data = RelatedData(
        name="the table",
        tasks=np.full(n, "all") if tasks is None else tasks,
        row_ids=sheets.default_ids(n),
        X=X,
        feature_names=tuple(names),
        target=found.get("target"),
    )
    return Reading(_divided(data, views), [], found.get("labels"))


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
    if len(set(map(name_of, found.names))) < len(found.names):
        raise InputError(f"{role} has different values that read alike, such as 1 and '1'.")
    return found.of_rows(texts=True)


def _with_unknown(labels: Any) -> Any:
    """Return known classes with missing ones as -1 (then all as strings)."""
    values = intake.column(labels)
    if values is None or not any(map(intake.missing, values)):
        return labels
    return sheets.known_classes(values)
