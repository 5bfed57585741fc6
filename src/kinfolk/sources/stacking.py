"""Stacks the columns of several files by row, decides their kinds, and checks tasks and gaps."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk.arguments import listed, spelled
from kinfolk.arrays import Labels, Table
from kinfolk.errors import InputError
from kinfolk.sources import finite_numbers, marks, pairs, spelling
from kinfolk.sources.kinds import Raw
from kinfolk.sources.sheets import Sheet
from kinfolk.tables import alignment, columns, copies, name_order
from kinfolk.tables.columns import Column

_FEW_ROWS = 10
"""Up to this many rows, one task per row is plausible: new rows to assign, for example."""

MISSING = ("impute", "drop", "error")
"""Ways to treat gaps: fill them, leave out their rows, refuse the table."""

LEFT_OUT = (
    columns.DATE,
    columns.TEXT,
    columns.IDENTIFIER,
    columns.CONSTANT,
    columns.COPY,
    columns.PAIR,
)
"""Kinds that are not clustered on, so that their gaps do not matter."""


def table(
    parts: Sequence[Sheet], how: str, codes: Labels, asked: Mapping[str, str], free: bool
) -> tuple[tuple[Column, ...], list[str]]:
    """Stack the mixed columns of all files by row; also return notes on their names and marks.

    A column that a sheet lacks is a gap in its rows. One with two numbers in a cell becomes two.
    Numbers of files with different decimal marks are read by those of their file. If columns are
    `free` to be left out, those that say what another one says are.

    Raises
    ------
    InputError : names differ and `how` is "strict"; a column is unclear or not finite
    """
    own = {part.file: part.feature_names for part in parts}
    widths = {part.file: np.empty((0, len(part.feature_names))) for part in parts}
    _, names, overlap = alignment.align(own, widths, how, with_gaps=True)
    files = [part.file for part in parts]
    stacked, told = joined([raws_of(part) for part in parts], files, names)
    ignored = {name for part in parts for name in part.ignored}
    found: list[Column] = []
    for name, raw in stacked.items():
        found += pairs.decided(name, raw, codes, asked, ignored)
    _refuse(", ".join(files), found)
    notes = [overlap.sentence()] * (len(parts) > 1)
    table = copies.marked(found, codes, asked) if free else found
    return tuple(table), [*notes, *told]


def joined(
    raws: Sequence[Mapping[str, Raw]], files: Sequence[str], names: Sequence[str]
) -> tuple[dict[str, Raw], list[str]]:
    """Stack the columns of several files by row; also return notes on their decimal marks.

    A column that a file lacks is a gap in its rows. Each file has at least one column.
    """
    shown = [marks.of_columns(of) if len(raws) > 1 else {} for of in raws]
    differ = marks.differing(shown, files).intersection(names)
    raws = [
        {**of, **{name: marks.plain(of[name], here.get(name)) for name in differ & of.keys()}}
        for of, here in zip(raws, shown, strict=True)
    ]
    gaps = [Raw(np.full(len(next(iter(of.values())).values), np.nan)) for of in raws]
    stacked = {
        name: _below([of.get(name, gap) for of, gap in zip(raws, gaps, strict=True)])
        for name in names
    }
    return stacked, marks.told(differ, shown, files)


def numbers(
    parts: Sequence[Sheet], how: str, codes: Labels, asked: Collection[str], free: bool
) -> tuple[Table, tuple[str, ...], list[str]]:
    """Stack the numbers of all files by row; also their names, and notes on them.

    If columns are `free` to be left out, those that say what another one says are, but for those
    that are `asked` to be numbers.
    """
    own = {part.file: part.feature_names for part in parts}
    matrices = {part.file: part.X for part in parts if part.X is not None}
    aligned, names, overlap = alignment.align(own, matrices, how)
    notes = [overlap.sentence()] * (len(parts) > 1)
    X = alignment.stacked(aligned)
    if not free or sp.issparse(X):
        return X, names, notes
    X, names, told = copies.without(np.asarray(X), names, codes, asked)
    return X, names, [*notes, *told]


def notations(
    parts: Sequence[Sheet], mixed: Sequence[Column] | None
) -> tuple[dict[str, str], list[str]]:
    """Return the unit and notation of each numeric column that was written as words; also a note.

    The note tells of files with different decimal marks, whose columns keep their unit only.

    Raises
    ------
    InputError : two files have a column in different units, or may have different marks
    """
    if mixed is not None:
        return {column.name: column.written for column in mixed if column.written}, []
    shown = [marks.of_columns(part.words) if len(parts) > 1 else {} for part in parts]
    files = [part.file for part in parts]
    differ = marks.differing(shown, files)
    found: dict[str, str] = {}
    for part in parts:
        own = {
            name: spelling.without_mark(how) if name in differ else how
            for name, how in part.written.items()
            if how != spelling.POINTS
        }
        spelling.check_same(found, own, parts[0].file, part.file, all_known=False)
        found = {**own, **found}
    for part in parts:
        found = {**part.written, **found}
    told = marks.told(differ, shown, files)
    return {name: how for name, how in found.items() if how}, told


def in_order(tasks: NDArray[Any], parts: Sequence[Sheet]) -> NDArray[Any]:
    """Return the tasks (n,) of rows of several files with their order, if all files have the same.

    >>> small = name_order.ordered_names(np.array(["large", "small"]), ["small", "large"])
    >>> part = Sheet("t.csv", np.array(["1", "2"]), tasks=small)
    >>> name_order.order_of(in_order(np.array(["large"]), [part, part]))
    ('small', 'large')
    """
    orders = {name_order.order_of(part.tasks) for part in parts if part.tasks is not None}
    return name_order.ordered_names(tasks, orders.pop() if len(orders) == 1 else ())


def check_tasks(tasks: NDArray[Any]) -> None:
    """Raise InputError if there are many rows and each is its own task."""
    if len(tasks) > _FEW_ROWS and len(set(tasks.tolist())) == len(tasks):
        raise InputError(
            f"Each of the {len(tasks)} rows names a task of its own (such as {str(tasks[0])!r}), "
            "so this looks like the row id: name the column that says which data set a row is from."
        )


def check_ids(tasks: NDArray[Any], row_ids: NDArray[Any]) -> None:
    """Raise InputError if two rows of a task have the same id."""
    pairs = list(zip(tasks.tolist(), row_ids.tolist(), strict=True))
    if len(set(pairs)) < len(pairs):
        task, row = Counter(pairs).most_common(1)[0][0]
        raise InputError(repeated_id(task, row))


def repeated_id(task: str, row: str) -> str:
    """Build the error sentence for an id that two rows of a task have."""
    return (
        f"Row id {row!r} stands more than once in task {task!r}: name a column whose values differ "
        "within each task, or none."
    )


def complete_rows(table: Sequence[Column]) -> NDArray[np.bool_]:
    """Mark rows (n,) without a gap in a used column."""
    unused = np.zeros(len(table[0].values), dtype=bool)
    return ~np.any([*_gaps(table).values(), unused], axis=0)


def refuse_lost_tasks(
    where: str, table: Sequence[Column], tasks: NDArray[Any], kept: NDArray[np.bool_]
) -> None:
    """Raise InputError if a task has no row without a gap; `kept` (n,) marks these rows."""
    gaps = _gaps(table)
    if lost := sorted(set(tasks.tolist()) - set(tasks[kept].tolist())):
        own = {name: int(of[tasks == lost[0]].sum()) for name, of in gaps.items()}
        worst = max(own, key=lambda name: own[name])
        fill = spelled("--missing impute", "missing='impute'")
        raise InputError(
            f"{where}: without the rows that have gaps nothing is left of {lost[0]!r}, where "
            f"{worst!r} has {own[worst]:,} gaps: leave that column out "
            f"({columns.left_out(worst)}), or fill the gaps ({fill})."
        )


def refuse_gaps(where: str, table: Sequence[Column]) -> None:
    """Raise InputError if used columns have gaps; lists all such columns."""
    gaps = {name: of for name, of in _gaps(table).items() if of.any()}
    if gaps:
        counts = listed([f"{name!r} {int(of.sum()):,}" for name, of in gaps.items()], 10, "columns")
        first = min(int(of.argmax()) for of in gaps.values()) + 1
        raise InputError(
            f"{where} has gaps in {counts}, the first in data row {first}: fill them "
            "(impute), drop their rows (drop), or leave the columns out."
        )


def _gaps(table: Sequence[Column]) -> dict[str, NDArray[np.bool_]]:
    return {column.name: column.gaps for column in table if column.kind not in LEFT_OUT}


def _refuse(where: str, table: Sequence[Column]) -> None:
    """Raise InputError if a column is of kind "unclear" or has an infinite number."""
    unclear = [column for column in table if column.kind == columns.UNCLEAR]
    if unclear:
        others = [column.name for column in unclear[1:]]
        more = f" Unclear, too: {alignment.some(others)}." if others else ""
        raise InputError(f"{where}: column {unclear[0].name!r}: {unclear[0].reason}.{more}")
    for column in table:
        row = finite_numbers.row_of_infinite(column)
        if row is not None:
            raise finite_numbers.infinite(where, row, column.name)


def raws_of(part: Sheet) -> Mapping[str, Raw]:
    """Return a file's columns before their kinds are decided; InputError for texts or sparse X."""
    if part.raws is not None:
        return part.raws
    if part.X is None or sp.issparse(part.X):
        raise InputError(
            f"{part.file} holds {'texts' if part.X is None else 'a sparse matrix'}, which cannot "
            "be put together with a table of words or gaps."
        )
    # Words have units and decimal marks, which the numbers read from them have no more.
    return {
        name: part.words.get(name, Raw(np.asarray(part.X)[:, j]))
        for j, name in enumerate(part.feature_names)
    }


def _below(parts: Sequence[Raw]) -> Raw:
    """Concatenate values of one column from several files; as objects if types differ."""
    kept = [raw for raw in parts if not columns.gaps(raw.values).all()]
    levels = {raw.levels for raw in kept}
    one_kind = {raw.values.dtype.kind for raw in kept}
    if len(one_kind) > 1 or one_kind == {"O"}:
        values = [
            raw.values if raw.values.dtype.kind == "O" else columns.words(raw.values)
            for raw in parts
        ]
    elif one_kind == {"M"}:
        nothing = np.datetime64("NaT", "s")
        values = [
            raw.values if raw.values.dtype.kind == "M" else np.full(len(raw.values), nothing)
            for raw in parts
        ]
    else:
        values = [raw.values for raw in parts]
    is_category = bool(kept) and all(raw.is_category for raw in kept)
    known_so = [raw.written for raw in kept if raw.written]
    # Numbers of another file may have other marks, by which its words are read.
    written = next((how for how in known_so if how != spelling.POINTS), "")
    if one_kind == {"f"}:
        written = next(iter(known_so), "")
    known = levels.pop() if len(levels) == 1 else ()
    return Raw(np.concatenate(values), known, is_category, written)
