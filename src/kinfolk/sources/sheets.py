"""Sorts a file's columns by role: task, text, class, row id, label or number."""

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from kinfolk import arguments
from kinfolk.arrays import Table
from kinfolk.errors import InputError
from kinfolk.sources import (
    embeddings,
    finite_numbers,
    native,
    placeholders,
    spelling,
    two_in_one,
)
from kinfolk.sources.kinds import Raw
from kinfolk.tables import alignment, columns, name_order


class MissingColumnError(InputError):
    """A column that was named for a role is not in a table; `column` is its name."""

    def __init__(self, sentence: str, column: str) -> None:
        super().__init__(sentence)
        self.column = column


class Roles(NamedTuple):
    """Names of columns with a role (task, text, ...); None for roles without a column.

    >>> roles = Roles(tasks="shop", row_id="order")
    >>> roles.column_names()
    ['shop', 'order']
    >>> roles.present_in(["order", "price"])
    Roles(tasks=None, text=None, target=None, row_id='order', labels=None,
          embeddings=None)
    """

    tasks: str | None = None
    text: str | None = None
    target: str | None = None
    row_id: str | None = None
    labels: str | None = None
    embeddings: str | None = None

    def present_in(self, columns: Collection[str]) -> Self:
        """Return the roles without tasks, target or labels that are not among these columns."""
        # Rows are joined by the id; texts and embeddings are the data.
        optional = ("tasks", "target", "labels")
        lacking = [role for role in optional if getattr(self, role) not in columns]
        return self._replace(**dict.fromkeys(lacking))

    def column_names(self) -> list[str]:
        """Return the columns that have a role; InputError if one has two roles."""
        given = zip(self._fields, self, strict=True)
        names = [arguments.text(role, name) for role, name in given if name is not None]
        if twice := alignment.repeated(names):
            raise InputError(
                f"Column {twice[0]!r} is named for two roles; tasks, text, target, row id, "
                "labels and embeddings must be different columns."
            )
        return names


@dataclass(frozen=True)
class Sheet:
    """The rows of one file, with columns sorted by role.

    Attributes
    ----------
    file : the path as the user wrote it
    row_ids : (n,) strings
    tasks, target : (n,) strings, or None; tasks of an ordered category keep its order
    labels : (n,) known classes, "-1" where unknown, or None
    texts : (n,) documents, or None; beside X they describe rows that are clustered by X
    X : (n, d) finite numbers, dense or CSR, or None where there are texts or mixed columns
    raws : column -> its values, where the columns are not all numbers or have gaps, or None
    feature_names : (d,) names of the columns of X or `raws`
    ignored : columns that were not asked for
    notes : sentences on how the file was understood
    written : column of X -> unit and notation of its numbers, where they were words
    words : column of X -> its values as they were read, where they were words
    """

    file: str
    row_ids: NDArray[Any]
    tasks: NDArray[Any] | None = None
    target: NDArray[Any] | None = None
    labels: NDArray[Any] | None = None
    texts: tuple[str, ...] | None = None
    X: Table | None = None
    raws: dict[str, Raw] | None = None
    feature_names: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    written: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, Raw] = field(default_factory=dict)


def from_frame(
    file: str,
    frame: Any,
    roles: Roles,
    only: Collection[str] | None = None,
    ignore: Collection[str] = (),
    *,
    without_task: float = 0.0,
    vectors: Table | None = None,
    written: Mapping[str, str] | None = None,
    of_model: bool = False,
) -> Sheet:
    """Sort the columns of any data frame by role, as a `Sheet`.

    Columns without a role are clustered on: those in `only`, if it is not None, and not in
    `ignore`. They are `X` if all are numbers without gaps, else `raws`. Rows without a task are
    left out if they are less than the share `without_task` of all. Embeddings, of the frame or
    `vectors` (n, d), stand in for all columns. `written` is the notation of columns in the rows of
    a fit, which also tells how to read these. New rows `of_model` may be too few to tell numbers.

    Raises
    ------
    InputError : a named column does not exist; a label or text is missing; a number is infinite;
        no column remains
    """
    frame = _with_columns(file, nw.from_native(frame, eager_only=True), roles)
    numbers = default_ids(len(frame))
    notes: tuple[str, ...] = ()
    for name in (roles.tasks, roles.target):
        frame = placeholders.without_gap_words(frame, name)
    if roles.tasks is not None and without_task:
        frame, numbers, notes = _rows_with_task(frame, numbers, roles.tasks, without_task)
    fields = _in_roles(file, frame, roles, numbers)
    free = [name for name in frame.columns if name not in roles]
    X = _embeddings(file, frame, roles, numbers, vectors)
    if X is not None:
        fields |= {"feature_names": embeddings.names(X.shape[1]), "ignored": tuple(free)}
        return Sheet(file, **fields, notes=notes, X=X)
    if roles.text is not None:
        return Sheet(file, **fields, notes=notes)
    names = _asked_for(file, free, only, ignore)
    fields["feature_names"] = tuple(names)
    left_out = [name for name in free if name not in names]
    fields["ignored"] = (*left_out, *_parts_left_out(names, only, ignore))
    # One row with 120/80 might be 120 of 80, where the two numbers of all are known to differ.
    split = {two_in_one.whole_name(name) for name in only or ()}.difference(only or ())
    is_mixed = not split.isdisjoint(names)
    raws = _raws_of(file, frame.select(names), written)
    X = None if is_mixed else native.number_table(raws, known=of_model)
    return _with_values(file, raws, X, notes, fields)


def _in_roles(file: str, frame: Any, roles: Roles, numbers: NDArray[Any]) -> dict[str, Any]:
    """Return row ids (default `numbers`), tasks, classes, labels and texts of a `Sheet`."""

    def strings(name: str | None) -> NDArray[Any] | None:
        return None if name is None else labels(file, name, _objects(frame[name]))

    text = roles.text
    row_ids = strings(roles.row_id)
    tasks = strings(roles.tasks)
    if roles.tasks is not None and tasks is not None:
        tasks = in_order(tasks, name_order.levels(frame[roles.tasks]))
    return {
        "row_ids": numbers if row_ids is None else row_ids,
        "tasks": tasks,
        "target": strings(roles.target),
        "labels": None if roles.labels is None else known_classes(_objects(frame[roles.labels])),
        "texts": None if text is None else documents(file, text, _objects(frame[text])),
    }


def _embeddings(
    file: str, frame: Any, roles: Roles, numbers: NDArray[Any], vectors: Table | None
) -> Table | None:
    """Return embeddings (n, d) of the rows `numbers`, of a column or `vectors`; None without."""
    if roles.embeddings is not None:
        lists = frame[roles.embeddings].to_list()
        vectors = embeddings.of_column(file, roles.embeddings, lists)
    if vectors is None:
        return None
    if vectors.shape[0] > len(numbers):  # rows were left out
        vectors = vectors[numbers.astype(int) - 1]
    return finite_numbers.checked(file, embeddings.names(vectors.shape[1]), vectors)


def _raws_of(file: str, frame: Any, written: Mapping[str, str] | None) -> dict[str, Raw]:
    """Return the columns of a frame by name; InputError with the file if one cannot be read."""
    try:
        return native.of_frame(frame, shared=True, written=written)
    except InputError as error:
        raise InputError(f"{file}: {error}") from error


def _with_values(
    file: str,
    raws: dict[str, Raw],
    X: Table | None,
    notes: tuple[str, ...],
    fields: dict[str, Any],
) -> Sheet:
    """Build a `Sheet` of these fields and columns, which are the numbers X, or mixed without it."""
    if X is None:
        # Views of the frame, which may be the user's or read-only, are copied where they are kept.
        raws = {name: raw._replace(values=_kept(raw.values)) for name, raw in raws.items()}
        return Sheet(file, **fields, notes=notes, raws=raws)
    remarks = native.remarks(raws)
    notes = (*notes, *native.how_read(remarks))
    own = {name: spelling.points(raw.written) for name, raw in raws.items()}
    own |= {name: spelling.notation(remark) for name, remark in remarks.items()}
    own = {name: how for name, how in own.items() if how}
    X = finite_numbers.checked(file, fields["feature_names"], X)
    words = {name: raw for name, raw in raws.items() if raw.values.dtype == object}
    return Sheet(file, **fields, notes=notes, X=X, written=own, words=words)


def _kept(values: NDArray[Any]) -> NDArray[Any]:
    """Copy of a column, numbers in double precision."""
    return np.array(values, dtype=np.float64 if values.dtype.kind == "f" else None)


def _with_columns(file: str, frame: Any, roles: Roles) -> Any:
    """Return the frame; InputError if a column with a role is missing."""
    for name in roles.column_names():
        if name not in frame.columns:
            # Names that differ in capitals and spaces alone come first, as the likely ones.
            near = [c for c in frame.columns if c.strip().lower() == name.strip().lower()]
            there = list(dict.fromkeys([*near, *frame.columns]))
            sentence = (
                f"{file} has no column {name!r}; it has {alignment.some(there)}: "
                "name another one, or add it."
            )
            raise MissingColumnError(sentence, name)
    return frame


def _rows_with_task(
    frame: Any, numbers: NDArray[Any], column: str, most: float
) -> tuple[Any, NDArray[Any], tuple[str, ...]]:
    """Drop rows without a task, if few; return the frame, its row numbers and notes."""
    given = [not _is_missing(value) for value in _objects(frame[column]).tolist()]
    lost = given.count(False)
    # Where too many have none, they are refused where tasks are read.
    if not 0 < lost < most * len(given):
        return frame, numbers, ()
    rows = f"{lost:,} rows have" if lost > 1 else "1 row has"
    left = "are" if lost > 1 else "is"
    note = f"{rows} nothing in column {column!r} (or NA) and {left} left out."
    return frame.filter(given), numbers[given], (note,)


def _asked_for(
    file: str, free: list[str], only: Collection[str] | None, ignore: Collection[str]
) -> list[str]:
    """Names of the columns to cluster on; InputError if there are none."""
    wanted = {*(only or ()), *map(two_in_one.whole_name, only or ())}
    names = [name for name in free if (only is None or name in wanted) and name not in ignore]
    if not names:
        only_these = f" out of those asked for ({alignment.some(sorted(only))})" if only else ""
        raise InputError(
            f"{file} has no column left to cluster on{only_these}: add numbers, or name a text."
        )
    return names


def _parts_left_out(
    names: list[str], only: Collection[str] | None, ignore: Collection[str]
) -> list[str]:
    """Names of parts, such as "bp (first)", that are left out although their column is read."""
    found = []
    for name in names:
        parts = set(two_in_one.part_names(name))
        some = only is not None and name not in only and not parts.isdisjoint(only)
        found += sorted(
            parts.intersection(ignore) | (parts.difference(only or ()) if some else set())
        )
    return found


def labels(file: str, name: str, values: NDArray[Any]) -> NDArray[Any]:
    """Convert a column to strings without outer spaces; InputError if one is missing.

    Whole numbers read the same whether or not gaps, of this table or another, made them floats.

    >>> labels("t.csv", "shop", np.array(["oslo ", 7, 8.0], dtype=object)).tolist()
    ['oslo', '7', '8']
    """
    given = values.tolist()
    names = _distinct_texts(given)
    if names and all(names.values()):
        return np.array([names[text] for text in given])
    if empty := [row for row, v in enumerate(given, start=1) if _is_missing(v)]:
        others = f" (and {len(empty) - 1:,} more rows)" if empty[1:] else ""
        merged = " Merged cells have a value in their first row only." * file.endswith(".xlsx")
        how = arguments.spelled(
            "tasks of a fit: --missing drop, for rows with any gap; of new rows: --task",
            "tasks of a fit: missing='drop', for rows with any gap; of new rows: tasks=",
        )
        raise InputError(
            f"{file}: data row {empty[0]}{others} has nothing in column {name!r} (or NA): fill "
            f"it or drop the row ({how}).{merged}"
        )
    return np.array([columns.name(value) for value in given])


def in_order(tasks: NDArray[Any], levels: Iterable[Any]) -> NDArray[Any]:
    """Return the tasks (n,) as texts with the order of a category's levels, if it has one."""
    return name_order.ordered_names(tasks, map(columns.name, levels))


def _distinct_texts(values: list[Any]) -> dict[str, str]:
    """Return {text: the name that it stands for}; {} where not all values are texts.

    A column of names has few of them, and to look at each value takes several times as long.
    """
    if {*map(type, values)} != {str}:
        return {}
    return {text: columns.name(text) for text in set(values)}


def known_classes(values: NDArray[Any]) -> NDArray[Any]:
    """Convert known classes to strings, "-1" where empty or -1.

    >>> known_classes(np.array(["rec", None, " ", -1, -1.0], dtype=object)).tolist()
    ['rec', '-1', '-1', '-1', '-1']
    """
    return np.array(
        ["-1" if _is_missing(v) or v == -1 else columns.name(v) for v in values.tolist()]
    )


def documents(file: str, name: str, values: NDArray[Any]) -> tuple[str, ...]:
    """Return a column of texts, "" where one is missing; InputError at one of another type.

    >>> documents("t.csv", "note", np.array(["good", " not good", None], dtype=object))
    ('good', ' not good', '')
    """
    given = ["" if _is_missing(value) else value for value in values.tolist()]
    for row, value in enumerate(given, start=1):
        if not isinstance(value, str):
            raise InputError(
                f"{file}: column {name!r} is not text (data row {row} holds "
                f"{arguments.shown(value)}): name the column that holds the texts."
            )
    return tuple(given)


def default_ids(n: int) -> NDArray[Any]:
    """Return the row numbers from 1 as strings."""
    # As wide as the largest: NumPy would take 84 bytes for each.
    return np.arange(1, n + 1).astype(f"U{len(str(n))}")


def _is_missing(value: object) -> bool:
    """True if a value is None, not-a-number, or a blank text."""
    if isinstance(value, float):
        return math.isnan(value)
    return value is None or (isinstance(value, str) and not value.strip())


def _objects(column: Any) -> NDArray[Any]:
    """Convert a narwhals series to Python objects, None where empty."""
    values = column.to_list()
    objects = np.empty(len(values), dtype=object)
    texts = _distinct_texts(values)
    if texts and all(texts.values()):
        objects[:] = values
        return objects
    objects[:] = [None if native.is_missing(value) else value for value in values]
    return objects
