"""Joins files that each hold one view of the same rows."""

import shlex
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk import tables
from kinfolk.arguments import choice, spelled
from kinfolk.errors import InputError
from kinfolk.sources import kinds, stacking
from kinfolk.sources.kinds import Raw
from kinfolk.sources.sheets import Roles, Sheet
from kinfolk.tables import RelatedData, Tasks, alignment, columns, joined_views

FILES = "files"
"""The value of `views` that makes each file one view."""

_SINGLE_TASK = "all"
"""Name of the only task of rows that name none."""


MISSING = {"error": "", "keep": "outer", "drop": "inner"}
"""Choice for rows that some views lack -> how views are joined."""


def check_missing(missing: str) -> None:
    """Raise InputError unless `missing` is a choice for rows that some views lack."""
    choice(spelled("--missing-views", "missing_views"), missing, MISSING)


def refuse_missing(missing: str) -> None:
    """Raise InputError unless `missing` is "error", the only choice where files are no views."""
    if missing != "error":
        called = spelled("--missing-views", "missing_views")
        too = spelled("--views files", 'views="files"')
        raise InputError(f"{called} is for files that are views: give {too} too.")


def join_sheets(
    parts: Mapping[str, Sheet], roles: Roles, missing: str = "error"
) -> tuple[Sheet, dict[str, slice]]:
    """Join the tables of several views side by side.

    Rows are joined by their ids if `roles` names a column of ids, else by their order. Tasks,
    classes and labels may stand in any of the files. A column that several views have is called
    "view: column", and so are then all others.

    Parameters
    ----------
    missing : "error" refuses rows that are not in all views; "keep" keeps them, with NaN in the
        columns of views that they lack; "drop" leaves them out

    Returns
    -------
    sheet : the rows, in the order of the first view, with the columns of all views
    views : view -> the slice of its columns

    Raises
    ------
    InputError : only one view, texts, different rows, or a role that no file has or files disagree
        about

    Examples
    --------
    >>> rows = np.array(["r1", "r2"])
    >>> pix = Sheet("pix.csv", rows, X=np.array([[1.0], [2.0]]), feature_names=("p",))
    >>> fou = Sheet("fou.csv", rows[::-1], X=np.array([[4.0], [3.0]]), feature_names=("f",))
    >>> sheet, views = join_sheets({"pix": pix, "fou": fou}, Roles(row_id="id"))
    >>> sheet.X.tolist(), views["fou"]
    ([[1.0, 3.0], [2.0, 4.0]], slice(1, 2, None))
    """
    first, *_ = parts.values()
    if len(parts) < 2:
        raise InputError(
            f"{first.file} is one view; give one file per view, or name the columns of each view, "
            'such as "pix=pix_*,fou=fou_*".'
        )
    if missing != "error":
        return _joined_by_ids(parts, roles, MISSING[missing])
    joined = {view: _reordered(part, first, roles.row_id) for view, part in parts.items()}
    optional = ("tasks", "target", "labels")
    found: dict[str, Any] = {role: _common_values(joined, role, roles) for role in optional}
    if found["tasks"] is None:
        found["tasks"] = np.full(len(first.row_ids), _SINGLE_TASK)
    if any(part.X is None for part in joined.values()):
        found["raws"] = _beside(joined, stacking.raws_of)
        return _sheet(joined, first.row_ids, found), _slices(joined)
    X, slices = tables.join({view: part.X for view, part in joined.items()})
    found |= {"X": X, "words": _beside(joined, _words)}
    return _sheet(joined, first.row_ids, found), slices


def check_same_rows(data: RelatedData) -> None:
    """Raise InputError if views joined by the order of rows name the rows of it differently.

    Two columns of one name that each name the rows of their view say which rows these are, if they
    have values in common.

    >>> rows = np.arange(12)
    >>> X = np.column_stack([rows + 100, rows % 3, rows + 101])
    >>> data = RelatedData("t", rows * 0, rows, X, ("a: id", "x", "b: id"), views={})
    >>> check_same_rows(replace(data, views={"a": slice(0, 2), "b": slice(2, 3)}))
    Traceback (most recent call last):
        ...
    kinfolk.errors.InputError: the columns 'a: id' and 'b: id' name the rows of their files, and
    differ in data row 1 ('100' and '101'): rows that are not the same would be joined. Join rows by
    their names (row_id='id'), or leave these columns out (ignore=['id']) if the order of rows is
    right.
    """
    first: dict[str, tuple[str, NDArray[Any]]] = {}
    for own, name, values in _shared_names(data):
        if own not in first:
            first[own] = name, values
            continue
        other, expected = first[own]
        differing = np.flatnonzero(values != expected)
        if len(differing) and set(values.tolist()) & set(expected.tolist()):
            i = differing[0]
            join = spelled(f"--id {shlex.quote(own)}", f"row_id={own!r}")
            leave = spelled(f"--ignore {shlex.quote(own)}", f"ignore=[{own!r}]")
            raise InputError(
                f"the columns {other!r} and {name!r} name the rows of their files, and differ in "
                f"data row {i + 1} ({expected[i]!r} and {values[i]!r}): rows that are "
                f"not the same would be joined. Join rows by their names ({join}), or leave these "
                f"columns out ({leave}) if the order of rows is right."
            )


def _shared_names(data: RelatedData) -> Iterator[tuple[str, str, NDArray[Any]]]:
    """Yield columns that name rows, if several views have one of that name: own name, name, values.

    All columns are called "view: column" where several views share a name.
    """
    prefixed = {
        name: name.removeprefix(f"{view}: ")
        for view, places in (data.views or {}).items()
        for name in data.feature_names[places]
    }
    shared = set(alignment.repeated(list(prefixed.values())))
    mixed = {column.name: column for column in data.columns or ()}
    codes = Tasks.of(data.tasks).codes
    for j, name in enumerate(data.feature_names):
        if prefixed.get(name) not in shared or sp.issparse(data.X):
            continue
        column = mixed.get(name) or kinds.decide(name, Raw(data.X[:, j]), codes)
        if column.kind == columns.IDENTIFIER and not column.gaps.any():
            yield prefixed[name], name, column.values


def _sheet(parts: Mapping[str, Sheet], row_ids: NDArray[Any], found: dict[str, Any]) -> Sheet:
    """Build the joined table of all views, from a matrix or from mixed columns."""
    own = [part.written.get(name) for part in parts.values() for name in part.feature_names]
    names = _names(parts)
    return Sheet(
        ", ".join(part.file for part in parts.values()),
        row_ids,
        **found,
        feature_names=names,
        ignored=tuple(name for part in parts.values() for name in part.ignored),
        notes=tuple(note for part in parts.values() for note in part.notes),
        written={name: how for name, how in zip(names, own, strict=True) if how is not None},
    )


def _names(parts: Mapping[str, Sheet]) -> tuple[str, ...]:
    """Column names of all views; all are "view: column" if any two views share a name."""
    own = {view: part.feature_names for view, part in parts.items()}
    return tuple(joined_views.column_names(own))


def _slices(parts: Mapping[str, Sheet]) -> dict[str, slice]:
    """Return {view: slice of its columns} in the joined table."""
    return joined_views.slices({view: len(part.feature_names) for view, part in parts.items()})


def _beside(
    parts: Mapping[str, Sheet],
    columns_of: Callable[[Sheet], Mapping[str, Raw]],
    places: NDArray[np.integer] | None = None,
) -> dict[str, Raw]:
    """Return {joined name: values} of some columns of each view.

    Rows are aligned by `places` (n, V), -1 for gaps; None: all rows are in order.
    """
    names = iter(_names(parts))
    found = {}
    for v, part in enumerate(parts.values()):
        at = np.arange(len(part.row_ids)) if places is None else places[:, v]
        own = columns_of(part)
        for name in part.feature_names:
            joined = next(names)
            if name in own:
                values = joined_views.values_at(own[name].values, at)
                found[joined] = own[name]._replace(values=values)
    return found


def _words(part: Sheet) -> Mapping[str, Raw]:
    """Return the columns of numbers that were written as words."""
    return part.words


def _joined_by_ids(
    parts: Mapping[str, Sheet], roles: Roles, how: str
) -> tuple[Sheet, dict[str, slice]]:
    """Join views by row ids where not all views have all rows."""
    if roles.row_id is None:
        raise InputError(
            "rows that some views lack can only be found by their names: name the column that has "
            f"them ({spelled('--id', 'row_id=')})."
        )
    for part in parts.values():
        _check_columns(part)
        if sp.issparse(part.X):
            raise InputError(f"{part.file} is sparse, where no view can be missing; make it dense.")
        if twice := alignment.repeated(part.row_ids.tolist()):
            raise InputError(f"{part.file} has row {alignment.some(twice)} more than once.")
    every = list(parts.values())
    names, places = joined_views.positions([part.row_ids.tolist() for part in every], how)
    if not names:
        raise InputError("No row is in all files of views; check the ids, or keep missing views.")
    joined_views.warn_of_strangers([part.file for part in every], names, places)
    found: dict[str, Any] = {
        role: _values_by_id(every, places, names, role, roles)
        for role in ("tasks", "target", "labels")
    }
    if found["tasks"] is None:
        found["tasks"] = np.full(len(names), _SINGLE_TASK)
    found["tasks"] = stacking.in_order(found["tasks"], every)
    if any(part.X is None for part in every):
        found["raws"] = _beside(parts, stacking.raws_of, places)
    else:
        own = zip(every, places.T, strict=True)
        found["X"] = np.hstack([joined_views.taken(np.asarray(p.X), at) for p, at in own])
        found["words"] = _beside(parts, _words, places)
    return _sheet(parts, np.array(names), found), _slices(parts)


def _values_by_id(
    parts: list[Sheet], places: NDArray[np.integer], names: list[Any], role: str, roles: Roles
) -> NDArray[Any] | None:
    """Values (n,) of a role (task, class, ...) from any view that has the row; or None.

    Raises
    ------
    InputError : files disagree, or a row is in no file that has the column
    """
    found: dict[int, Any] = {}
    having = [v for v, part in enumerate(parts) if getattr(part, role) is not None]
    if not having:
        return None if getattr(roles, role) is None else _common_values({}, role, roles)
    for v in having:
        values = getattr(parts[v], role)
        for i in np.flatnonzero(places[:, v] >= 0):
            value = values[places[i, v]]
            if found.setdefault(int(i), value) != value:
                raise InputError(f"Files of views differ in the {role} of row {names[i]!r}.")
    if lacking := [name for i, name in enumerate(names) if i not in found]:
        raise InputError(
            f"Row {alignment.some(lacking[:1])} is in no file with the column "
            f"{getattr(roles, role)!r}; add the column to the other files too."
        )
    return np.array([found[i] for i in range(len(names))])


def names_in_file(only: Collection[str] | None, view: str) -> Collection[str] | None:
    """Strip the prefix "view: " from the names of a view's columns.

    >>> sorted(names_in_file(["pix: x1", "x2"], "pix"))
    ['x1', 'x2']
    """
    return None if only is None else {name.removeprefix(f"{view}: ") for name in only}


def _reordered(part: Sheet, first: Sheet, row_id: str | None) -> Sheet:
    """Reorder a view's rows to those of the first; InputError if ids differ."""
    _check_columns(part)
    if row_id is None:
        if len(part.row_ids) != len(first.row_ids):
            raise InputError(
                f"{part.file} has {len(part.row_ids)} rows and {first.file} has "
                f"{len(first.row_ids)}; give the same rows in all views, or name the column by "
                f"which rows are joined ({spelled('--id', 'row_id=')})."
            )
        return part
    position = {row: i for i, row in enumerate(part.row_ids.tolist())}
    rows = first.row_ids.tolist()
    odd = list(dict.fromkeys([*(set(rows) ^ position.keys()), *alignment.repeated(rows)]))
    if odd or len(position) < len(part.row_ids):
        twice = alignment.repeated(part.row_ids.tolist())
        raise InputError(
            f"{part.file} and {first.file} do not have the same rows, each once (such as "
            f"{alignment.some(sorted(odd or twice))}); give every row once in every view, "
            "or say what to do with rows that a view lacks "
            f"({spelled('--missing-views', 'missing_views=')})."
        )
    order = [position[row] for row in rows]
    roles = {name: getattr(part, name) for name in ("row_ids", "tasks", "target", "labels", "X")}
    moved = {name: v[order] for name, v in roles.items() if v is not None}
    raws = None if part.raws is None else _taken(part.raws, order)
    return replace(part, raws=raws, words=_taken(part.words, order), **moved)


def _taken(columns: Mapping[str, Raw], rows: list[int]) -> dict[str, Raw]:
    """Select rows of all columns."""
    return {name: raw._replace(values=raw.values[rows]) for name, raw in columns.items()}


def _check_columns(part: Sheet) -> None:
    if part.X is None and part.raws is None:
        raise InputError(f"{part.file} holds texts; views are groups of columns.")


def _common_values(parts: Mapping[str, Sheet], role: str, roles: Roles) -> NDArray[Any] | None:
    """Return the tasks, target or labels that files of views share; InputError if they differ.

    None if the role is optional and no file has it.
    """
    given = [part for part in parts.values() if getattr(part, role) is not None]
    if not given:
        if (name := getattr(roles, role)) is not None:
            raise InputError(f"No file of a view has a column {name!r}.")
        return None
    values: NDArray[Any] = getattr(given[0], role)
    for other in given[1:]:
        if not np.array_equal(values, getattr(other, role)):
            raise InputError(
                f"{given[0].file} and {other.file} differ in the {role} of the same rows; check "
                "the order of rows, or name the column by which they are joined "
                f"({spelled('--id', 'row_id=')})."
            )
    return values
