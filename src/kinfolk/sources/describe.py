"""Describes each column of a table before clustering: kind, reason, gaps."""

import html
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from kinfolk.arguments import mapping, type_of
from kinfolk.arrays import Labels
from kinfolk.errors import InputError
from kinfolk.sources import (
    finite_numbers,
    frame_files,
    gap_codes,
    given,
    native,
    pairs,
    paths,
    stacking,
    two_in_one,
)
from kinfolk.sources import header as header_lines
from kinfolk.sources.kinds import Raw, decide
from kinfolk.sources.sheets import Roles
from kinfolk.tables import RelatedData, Tasks, alignment, copies
from kinfolk.tables.columns import (
    CATEGORY,
    CONSTANT,
    DATE,
    IDENTIFIER,
    LEFT_OUT,
    Column,
    left_out,
    taken_as,
)

_NO_COLUMNS = "the table has no columns: give at least one."

_HEAD = ("column", "taken for", "because", "gaps", "what is done")

_MOST_REMARKS = 8
"""Columns of a table of numbers that are remarked on; more would hide the others."""

_MOST_VALUES = 1_000_000
"""Values of a table of numbers that are looked through, which takes one or two seconds."""

_ALL = {1: "The column has", 2: "Both columns are"}
"""Number of columns -> beginning of the sentence on all of them."""

_MOST_LINES = 60
"""Columns that are printed; a table of thousands would hide what stands above it."""


@dataclass(frozen=True, repr=False)
class Description:
    """Kind, reason, gaps and treatment of each column; prints as a table.

    Attributes
    ----------
    n_rows : of the table
    columns : each with name, kind, reason and values
    notes : sentences on how the file was understood
    """

    n_rows: int
    columns: tuple[Column, ...]
    notes: list[str] = field(default_factory=list)

    def lines(self) -> list[tuple[str, ...]]:
        """Return name, kind, reason, gaps and treatment of each column as texts."""
        return [(_short(c.name), c.kind, c.reason, _gaps(c), c.treatment) for c in self.columns]

    def __repr__(self) -> str:
        lines = self.lines()
        rest = []
        if len(lines) > _MOST_LINES:
            # Those that are used say more than hundreds of constants.
            order = sorted(range(len(lines)), key=lambda j: lines[j][-1] == LEFT_OUT)
            kept = sorted(order[:_MOST_LINES])
            kinds = Counter(lines[j][1] for j in order[_MOST_LINES:])
            told = ", ".join(f"{number:,} {kind}" for kind, number in kinds.most_common())
            rest = [f"... and {len(lines) - _MOST_LINES:,} more columns: {told}"]
            lines = [lines[j] for j in kept]
        table = [_HEAD, *lines]
        widths = [max(map(len, cells)) for cells in zip(*table, strict=True)]
        body = [
            "  ".join(map(str.ljust, cells, widths)).rstrip()  # columns as wide as they need
            for cells in table
        ]
        return "\n".join([*body, *rest, *self.notes])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in _HEAD)
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>"
            for cells in self.lines()
        )
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes)
        return f"<table><tr>{head}</tr>{rows}</table>{notes}"


def describe(
    table: Any, *, tasks: Any = None, kinds: Mapping[str, str] | None = None
) -> Description:
    """Describe each column of a table: the kind it is taken for, why, and its gaps.

    Parameters
    ----------
    table : (n, d) data frame of any library, dictionary of columns, the path of a file, or a list
        of paths: their rows are described together, as those of one task per file
    tasks : (n,) the task of each row, or the name of a column, which is then not described
    kinds : column -> "number", "duration", "yes/no", "category" or "several" (answers in a cell),
        where you know better

    Raises
    ------
    InputError : the table is of no such sort, or a column of `tasks` or `kinds` does not exist
    FileFormatError : the file is not what its suffix claims
    MissingExtraError : the library that reads the file is not installed

    Examples
    --------
    >>> describe({
    ...     "plan": ["pro", "basic", "pro", "free"],
    ...     "income": ["1200,50", "900", None, "40,25"],
    ...     "since": ["2021-03-01", "2020-12-24", "2022-05-30", "2021-01-01"],
    ... })
    column  taken for  because                                          gaps     what is done
    plan    category   3 different values, all words                    none     0/1 columns
    income  number     numbers from 40.25 to 1200.5, with decimal commas ('40,25' is 40.25)
                                                                        1 (25%)  scaled
    since   date       words written as year-month-day, from 2020-12-24 to 2022-05-30
                                                                        none     left out
    """
    name = tasks if isinstance(tasks, str) else None
    if _are_paths(table):
        raws, notes, of_file = _of_files(table, name)
        tasks = of_file if tasks is None else tasks
    else:
        raws, notes = _raw_columns(table, name)
    if not raws:
        raise InputError(_NO_COLUMNS)
    asked = mapping("kinds", kinds)
    named = [tasks] if isinstance(tasks, str) else []
    wholes = [two_in_one.whole_name(name) for name in asked if name not in raws]
    if unknown := [name for name in [*named, *wholes] if name not in raws]:
        raise InputError(
            f"the table has no column {unknown[0]!r}; it has {alignment.some(list(raws))}."
        )
    codes = _codes(tasks, raws, table)
    found = decided({name: raws[name] for name in raws if name not in named}, codes, asked)
    n_rows = len(next(iter(raws.values())).values)
    return Description(n_rows, tuple(found), notes)


def of_numbers(data: RelatedData) -> list[str]:
    """Sentences on a table of numbers alone: its columns, and those that may be no measurement.

    [] for texts, sparse or mixed tables, and tables that are too large to look through.

    Examples
    --------
    >>> X = np.column_stack([np.arange(12.0), np.r_[-999, -999, np.linspace(3, 4, 10)]])
    >>> data = RelatedData("visits", np.full(12, "north"), np.arange(12), X, ("visit", "temp"))
    >>> for sentence in of_numbers(data):
    ...     print(sentence)
    Both columns are numbers without gaps, and are used as numbers.
    'visit' may be an identifier (whole numbers from 0 to 11, each row its own: they name the
    rows): if so, leave it out with kf.read(..., ignore=['visit']).
    'temp': -999 (2 times) is far from all others: empty it if it is a gap.
    """
    X = data.X
    if not isinstance(X, np.ndarray) or X.size > _MOST_VALUES or data.documents is not None:
        return []
    if data.columns is not None or len(data.feature_names) != X.shape[1]:
        return []
    codes = Tasks.of(data.tasks).codes
    columns = [decide(n, Raw(x), codes) for n, x in zip(data.feature_names, X.T, strict=True)]
    doubts = [_doubt(column, x) for column, x in zip(columns, X.T, strict=True)]
    found = [
        f"{_short(c.name)!r}{doubt}." for c, doubt in zip(columns, doubts, strict=True) if doubt
    ]
    more = [f"And {len(found) - _MOST_REMARKS} more such columns."] * (len(found) > _MOST_REMARKS)
    if same := [column.name for column in columns if column.kind == CONSTANT]:
        more.append(f"Columns with one value, which tell no rows apart: {alignment.some(same)}.")
    first = f"{_ALL.get(len(columns), f'All {len(columns):,} columns are')} numbers without gaps, "
    first += f"and {'are' if columns[1:] else 'is'} used as numbers."
    return [first, *found[:_MOST_REMARKS], *more]


def _doubt(column: Column, x: NDArray[Any]) -> str:
    """Return why a column may be no measurement, to stand behind its name; "" without a doubt."""
    if column.kind in (IDENTIFIER, DATE):
        a = "an" if column.kind == IDENTIFIER else "a"
        advice = f"leave it out with {left_out(column.name)}"
        return f" may be {a} {column.kind} ({column.reason}): if so, {advice}"
    if column.kind == CATEGORY:
        advice = f"say {taken_as(column.name, CATEGORY)}"
        return f" may be a category ({column.reason}): if so, {advice}"
    if column.gap_codes:  # a matrix is clustered as it is
        return f": {gap_codes.doubted(x, column.gap_codes)}"
    remark = column.reason.partition("; ")[2]
    return f": {remark}" if remark else ""


def decided(
    raws: Mapping[str, Raw], codes: Labels | None, asked: Mapping[str, str]
) -> list[Column]:
    """Decide the kind of each column, by request or by its values, and mark copies of others."""
    found = [
        finite_numbers.unclear_if_infinite(part)
        for name, raw in raws.items()
        for part in pairs.decided(name, raw, codes, asked)
    ]
    if codes is None:
        codes = np.zeros(len(found[0].values) if found else 0, dtype=int)
    return copies.marked(found, codes, asked)


def _are_paths(table: Any) -> bool:
    """True for a list or tuple of paths of files."""
    several = isinstance(table, list | tuple) and len(table) > 0
    return several and all(isinstance(one, str | os.PathLike) for one in table)


def _of_files(files: Sequence[Any], tasks: str | None) -> tuple[dict[str, Raw], list[str], Labels]:
    """Stack files; return {column: values}, notes, and the position (n,) of each row's file."""
    read = [_raw_columns(file, tasks) for file in files]
    if not all(raws for raws, _ in read):
        raise InputError(_NO_COLUMNS)
    names = [str(file) for file in files]
    all_raws = [raws for raws, _ in read]
    columns = list(dict.fromkeys(name for raws in all_raws for name in raws))
    stacked, marks = stacking.joined(all_raws, names, columns)
    notes = dict.fromkeys(note for _, own in read for note in own)
    sizes = [len(next(iter(raws.values())).values) for raws in all_raws]
    return stacked, [*notes, *marks], np.repeat(np.arange(len(files)), sizes)


def _raw_columns(table: Any, tasks: str | None) -> tuple[dict[str, Raw], list[str]]:
    """Return {column: values} of any kind of table, and notes on its file."""
    if isinstance(table, str | os.PathLike):
        path = Path(table)
        frame, notes, written = frame_files.frame(path, paths.contents(path), Roles(tasks))
        return native.of_frame(nw.from_native(frame, eager_only=True), written=written), notes
    frame = native.opened(table)
    if isinstance(frame, nw.DataFrame):
        return native.of_frame(frame), []
    if given.is_dictionary(table):
        return native.of_mapping(table), []
    raise InputError(
        f"{type_of(table)} has no named columns; give a data frame, a dictionary of "
        "columns, the path of a table, or a list of paths."
    )


def _codes(tasks: Any, raws: Mapping[str, Raw], table: Any) -> Labels | None:
    """Return the position of each row's task, None for a single task."""
    if tasks is None:
        return None
    n = len(next(iter(raws.values())).values)
    if isinstance(tasks, str):
        # A table is described as it is: rows without a task are one more.
        return Tasks.of(raws[tasks].values).codes
    return Tasks.given(tasks, n, table, table_name="the table").codes


def _short(name: str) -> str:
    """Shorten a name to at most 60 letters, in one line."""
    name = header_lines.name_of(name)
    return name if len(name) <= 60 else f"{name[:59]}…"


def _gaps(column: Column) -> str:
    """Describe the number and share of gaps in words."""
    number = int(column.gaps.sum())
    if not number:
        return "none"
    share = number / len(column.values)
    return f"{number} ({share:.0%})" if share >= 0.01 else f"{number} (under 1%)"
