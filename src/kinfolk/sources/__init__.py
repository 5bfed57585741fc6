"""Reads the user's files and data frames into one table whose rows belong to tasks.

Tasks come from a column of the table, or each table is one task; with `views="files"` each table is
one view of the same rows. The suffix of a file says the format: .csv, .tsv, .txt, .dat, .jsonl and
.ndjson (each also packed as .gz), .parquet, .xlsx, .dta of Stata, .npz with dense or sparse arrays,
.npy with one array, .h5ad with cells, and .h5mu with modalities of cells, which are views. No
format can execute code.

    tables given     given, each_table, paths, contents, limits, text_encoding
    formats          frame_files, frames, spaces, workbooks, merged_cells, parquet, stata,
                     array_files, cells
    large files      large_files, data_rows
    table in a text  starts, header, layout, totals, subtotals
    roles            sheets, native, naming, vectors, embeddings, empty_texts, finite_numbers
    kinds            kinds, pairs, two_in_one, several, nested, scales, yes_no, gap_codes,
                     placeholders
    notations        parsing, divisions, spelling, marks, magnitudes, units, currencies,
                     percentages, end_labels, open_ends, times, lengths_of_time
    several tables   stacking, file_views, column_views
    in words         describe
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinfolk import arguments
from kinfolk.arguments import ReadArguments
from kinfolk.errors import InputError
from kinfolk.sources import (
    array_files,
    cells,
    column_views,
    each_table,
    empty_texts,
    file_views,
    given,
    paths,
    stacking,
    two_in_one,
    vectors,
)
from kinfolk.sources.each_table import Chosen
from kinfolk.sources.given import GivenTable
from kinfolk.sources.sheets import Roles, Sheet
from kinfolk.tables import RelatedData, Tasks, alignment

MOST_WITHOUT_TASK = 0.5
"""With more rows without a task, the column is another one, or its cells are merged."""


class Reading(NamedTuple):
    """Data read from files, with notes for the user and known classes.

    Attributes
    ----------
    data : the rows of all files in order; CSR if any file is sparse, numbers as float64
    notes : sentences to show beside the results
    labels : (n,) known classes to start from, "-1" where unknown; None if no column has them
    """

    data: RelatedData
    notes: list[str]
    labels: NDArray[Any] | None = None


def read(
    paths: Any,
    *,
    tasks: str | None = None,
    text: str | None = None,
    target: str | None = None,
    row_id: str | None = None,
    labels: str | None = None,
    views: str | None = None,
    columns: str = ReadArguments.columns,
    only: str | Collection[str] | None = ReadArguments.only,
    ignore: str | Collection[str] = ReadArguments.ignore,
    kinds: Mapping[str, str] | None = ReadArguments.kinds,
    missing: str = ReadArguments.missing,
    header: bool = ReadArguments.header,
    missing_views: str = ReadArguments.missing_views,
    min_rows: int = ReadArguments.min_rows,
    embeddings: Any = None,
    known_tasks: bool = False,
    written: Mapping[str, str] | None = None,
) -> Reading:
    r"""Read files or data frames as related data sets: tasks of rows or views of columns.

    Parameters
    ----------
    paths : one path or data frame of any library, several in a list, or name -> path or data
        frame; without `tasks`, each of them is one task. A role may name the index of a pandas
        frame
    tasks : the column that names the task of each row; several files are then stacked
    text : the column of documents to cluster; columns without a role are then ignored
    target : the column of true classes; used to score, never to cluster
    row_id : the column that names each row, unique within its task
    labels : the column of known classes to start from, empty or -1 where unknown
    views : "files": each file is one view of the same rows; or columns by patterns such as
        "pix=pix_*,fou=fou_*"; see `kinfolk.sources.column_views`
    columns : "strict", "intersect" or "union": what to do if files have different columns,
        see `kinfolk.tables.alignment.align`
    only : the columns to read, or one column, for example those of a model; None: all. In tables
        with named columns the others may hold anything; a note lists them
    ignore : columns to leave out, or one column
    kinds : column -> "number", "duration", "yes/no", "category" or "several" (answers in a cell),
        where the values do not tell; see `kinfolk.sources.kinds`
    missing : "impute": gaps are filled when the rows are prepared, documents without a text stay as
        rows without words, and rows without a task are left out, if more than half have one;
        "drop": rows with gaps, or without a text or a task, are left out; "error": all are refused
    missing_views : with views="files", for rows that not all files have: "error" refuses them,
        "keep" keeps them with NaN in the columns of views that they lack, "drop" leaves them out
    min_rows : int >= 1, rows that a task needs; those of smaller tasks are left out, with a note
    embeddings : vectors that are clustered in place of all columns: the name of a column of lists
        of numbers, an .npy or .npz file, or an array (n, d) with a row for each row of the tables.
        A `text` then only describes the rows
    header : bool, False if the first line of the files is a row; the columns are then x0, x1, ...
    known_tasks : bool, True for new rows of tasks that a model knows: missing="drop" may then leave
        no row of a task, or none at all, which is refused otherwise
    written : for new rows, the unit and notation of columns as a model has them: 1.200 is 1200 in
        "with decimal commas"

    Raises
    ------
    InputError : a path, named column, label, text or number is missing, infinite or unusable
    FileFormatError : a file is not what its suffix claims, or too large (`sources.limits`)
    MissingExtraError : pandas (extra `app`) or pyarrow (extra `parquet`) is not installed

    Warns
    -----
    HeaderWarning : the first line of a file looks like a row

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for shop, rows in {"berlin": "3,1\n4,1\n", "oslo": "9,2\n8,1\n"}.items():
    ...     _ = (folder / f"{shop}.csv").write_text("price,size\n" + rows)
    >>> data, notes, _ = read([folder / "berlin.csv", folder / "oslo.csv"])
    >>> data.tasks.tolist(), data.X.shape, data.feature_names
    (['berlin', 'berlin', 'oslo', 'oslo'], (4, 2), ('price', 'size'))
    >>> notes
    ['2 of 2 columns are shared by all tables (100 %).']
    >>> read(folder / "oslo.csv", labels="size").labels.tolist()
    ['2', '1']
    """
    files = given.tables(paths)
    asked = _checked(
        ReadArguments(columns, only, ignore, kinds, missing, header, missing_views, min_rows)
    )
    kinds = asked.kinds or {}
    views = _checked_views(files, views, missing_views)
    held = vectors.given(embeddings)
    _check_alone(files, embeddings, asked, views)
    roles = Roles(tasks, text, target, row_id, labels, None if held else embeddings)
    roles.column_names()  # refuses two roles for one column before any file is opened
    fewer = _left_out_below(missing, known_tasks)
    chosen = Chosen(
        asked.only, asked.ignore, fewer, asked.header, held, written or {}, of_model=known_tasks
    )
    parts, slices = each_table.read(files, roles, chosen, views, missing_views)
    # The model says which of its columns new rows lack.
    _check_columns(parts, asked.ignore if known_tasks else [*asked.ignore, *kinds])
    # A user or a model has chosen the columns of `only`, of views and of new rows.
    free = asked.only is None and views is None and written is None and not known_tasks
    data, stacked = _stack(parts, _title(files), columns, kinds, free)
    data = _in_views(data, views, slices, parts[0].feature_names)
    if slices and row_id is None:
        file_views.check_same_rows(data)
    data = replace(data, roles=_of_new_rows(roles, views))
    found = Reading(data, _notes(parts, data, stacked), _known_classes(parts))
    found = _without_gaps(found, missing, known_tasks)
    return found if asked.min_rows == 1 else _of_enough_rows(found, asked.min_rows)


def _checked(asked: ReadArguments) -> ReadArguments:
    """Return the arguments with names in lists and sets; InputError if one is wrong."""
    arguments.choice(arguments.spelled("--missing", "missing"), asked.missing, stacking.MISSING)
    only = asked.only
    return replace(
        asked,
        header=arguments.flag("header", asked.header),
        ignore=arguments.names("ignore", asked.ignore),
        only=None if only is None else set(arguments.names("only", only)),
        kinds=arguments.mapping("kinds", asked.kinds),
        min_rows=arguments.at_least(arguments.spelled("--min-rows", "min_rows"), asked.min_rows, 1),
    )


def _left_out_below(missing: str, known_tasks: bool) -> float:
    """Share of rows without a task below which they are left out; from it on they are refused."""
    if missing == "drop":
        return 1.0
    return MOST_WITHOUT_TASK if missing == "impute" and not known_tasks else 0.0


def _in_views(
    data: RelatedData, views: str | None, slices: Mapping[str, slice], names: Sequence[str]
) -> RelatedData:
    """Set the views of stacked data: `slices` of the columns `names`, or patterns of names."""
    if slices:
        return replace(data, views=column_views.widened(slices, names, data))
    return data if views in (None, file_views.FILES) else column_views.by_patterns(data, str(views))


def _of_new_rows(roles: Roles, views: str | None) -> dict[str, str | None]:
    """Return {role: column} by which new rows are to be read, as a model keeps it."""
    kept = {"tasks": roles.tasks, "text": roles.text, "embeddings": roles.embeddings}
    # Ids join the rows of several files; elsewhere new rows do without.
    return kept | ({"row_id": roles.row_id, "views": views} if views == file_views.FILES else {})


def _checked_views(files: Sequence[GivenTable], views: Any, missing: str) -> str | None:
    """Return `views`, "files" for a file of modalities; InputError if the options contradict."""
    file_views.check_missing(missing)
    if given.is_multimodal(files):
        return file_views.FILES
    if views != file_views.FILES:
        file_views.refuse_missing(missing)
    return None if views is None else arguments.text("views", views)


def _notes(parts: Sequence[Sheet], data: RelatedData, stacked: list[str]) -> list[str]:
    """Return the notes on tables that were `stacked`, on views, and on columns left out."""
    notes = [column_views.describe(data)] if data.views else list(stacked)
    notes.extend(chain.from_iterable(part.notes for part in parts))
    if ignored := list(dict.fromkeys(chain.from_iterable(part.ignored for part in parts))):
        notes.append(f"Columns that are not asked for are ignored ({alignment.some(ignored)}).")
    return notes


def _check_alone(
    files: Sequence[GivenTable], embeddings: Any, asked: ReadArguments, views: str | None
) -> None:
    """Raise InputError if columns are chosen although embeddings replace all columns."""
    if embeddings is None:
        return
    others = {"only": asked.only, "ignore": asked.ignore, "kinds": asked.kinds, "views": views}
    if given_too := [name for name, value in others.items() if value]:
        raise InputError(
            f"embeddings are clustered in place of all columns: leave out {given_too[0]}."
        )
    for table in files:
        if table.path and paths.split(table.path)[1] in (*array_files.SUFFIXES, *cells.SUFFIXES):
            raise InputError(
                f"{table.path} holds arrays, not columns: embeddings describe the rows of a table."
            )


def _check_columns(parts: Sequence[Sheet], asked: Collection[str]) -> None:
    """Raise InputError if the user names a column that no file has."""
    known = list(dict.fromkeys(n for part in parts for n in (*part.feature_names, *part.ignored)))
    if unknown := [n for n in asked if not {n, two_in_one.whole_name(n)} & {*known}]:
        raise InputError(
            f"{parts[0].file} has no column {unknown[0]!r} to cluster on; it has "
            f"{alignment.some(known)}: name one of these, or add the column, empty where nothing "
            "is known."
        )


def _without_gaps(found: Reading, missing: str, known_tasks: bool) -> Reading:
    """Keep gaps and empty texts, drop their rows or raise InputError, as `missing` says."""
    data = found.data
    if data.columns is None:
        if data.texts is None:
            return found
        return _taken(found, *empty_texts.kept(data, data.texts, missing, known_tasks))
    if missing == "error":
        stacking.refuse_gaps(data.name, data.columns)
    if missing != "drop":
        return found
    kept = stacking.complete_rows(data.columns)
    if not known_tasks:
        stacking.refuse_lost_tasks(data.name, data.columns, data.tasks, kept)
    note = f"{(~kept).sum():,} of {len(kept):,} rows have gaps and are left out."
    return found if kept.all() else _taken(found, kept, [note])


def _taken(found: Reading, kept: NDArray[np.bool_], more: list[str]) -> Reading:
    """Return the rows that are `kept` (n,), with more notes."""
    data, notes, labels = found
    known = None if labels is None else labels[kept]
    return Reading(data if kept.all() else data.take(kept), [*notes, *more], known)


def _of_enough_rows(found: Reading, min_rows: int) -> Reading:
    """Return the rows of tasks that have enough of them; InputError if none has."""
    tasks = Tasks.of(found.data.tasks)
    few = np.flatnonzero(np.array(tasks.sizes) < min_rows)
    if not len(few):
        return found
    if len(few) == len(tasks.names):
        raise InputError(
            f"no data set has {arguments.given('min_rows', min_rows)} rows, the largest has "
            f"{max(tasks.sizes)}: give a smaller number."
        )
    kept = ~np.isin(tasks.codes, few)
    names = alignment.some([tasks.names[t] for t in few])
    note = (
        f"{len(few)} data set{'s' * (len(few) > 1)} of fewer than {min_rows} rows "
        f"({(~kept).sum():,} rows) {'are' if len(few) > 1 else 'is'} left out: {names}."
    )
    return _taken(found, kept, [note])


def _known_classes(parts: Sequence[Sheet]) -> NDArray[Any] | None:
    """Concatenate the known classes, "-1" for files without any; None if no file has them."""
    if all(part.labels is None for part in parts):
        return None
    return np.concatenate(
        [np.full(len(p.row_ids), "-1") if p.labels is None else p.labels for p in parts]
    )


def _stack(
    parts: Sequence[Sheet], title: str, columns: str, kinds: Mapping[str, str], free: bool
) -> tuple[RelatedData, list[str]]:
    """Stack files by row, with columns aligned as `columns` says; also return notes."""
    notes: list[str] = []
    X = None
    names: tuple[str, ...] = ()
    tasks = np.concatenate([part.tasks for part in parts if part.tasks is not None])
    tasks = stacking.in_order(tasks, parts)
    codes = Tasks.of(tasks).codes
    mixed = None
    # A column that is asked to be a category has to be decided, even if all are numbers.
    if set(kinds.values()) - {"number"} or any(part.raws is not None for part in parts):
        mixed, notes = stacking.table(parts, columns, codes, kinds, free)
        names = tuple(column.name for column in mixed)
    elif any(part.X is not None for part in parts):
        X, names, notes = stacking.numbers(parts, columns, codes, kinds, free)
    row_ids = np.concatenate([part.row_ids for part in parts])
    stacking.check_tasks(tasks)
    stacking.check_ids(tasks, row_ids)
    paths.check_characters([*names, *set(tasks.tolist()), *row_ids.tolist()])
    texts = tuple(chain.from_iterable(part.texts or () for part in parts))
    targets = [part.target for part in parts if part.target is not None]
    if 0 < len(targets) < len(parts):
        notes.append("Only some of the files hold true classes; they are ignored.")
    written, more = stacking.notations(parts, mixed)
    data = RelatedData(
        name=title,
        tasks=tasks,
        row_ids=row_ids,
        X=X,  # type: ignore[arg-type]
        feature_names=names,
        columns=mixed,
        written=written,
        texts=None if names else texts,
        documents=texts if names and len(texts) == len(tasks) else None,
        target=np.concatenate(targets) if len(targets) == len(parts) else None,
        origin=f"Read from {', '.join(Path(part.file).name for part in parts)}.",
    )
    return data, [*notes, *more]


def _title(files: Sequence[GivenTable]) -> str:
    """Title of the data: the first file's name, and the number of others."""
    first = files[0].stem
    return first if len(files) == 1 else f"{first} and {len(files) - 1} more"
