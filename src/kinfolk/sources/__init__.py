"""Reads the user's own files into one table whose rows belong to tasks.

One file with a column that names the task of each row, or one file a task, or one file a view of
the same rows. Formats go by
the suffix: .csv, .tsv, .jsonl and .ndjson (each also packed as .gz), .parquet, and .npz with
dense or sparse arrays. No format that is read can execute code.
"""

import os
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinfolk import progress
from kinfolk.errors import FileFormatError, InputError
from kinfolk.sources import array_files, frames, multiview, paths, sheets
from kinfolk.sources.sheets import Roles, Sheet
from kinfolk.tables import RelatedData, alignment

_FRAMES: dict[str, Callable[..., Any]] = {
    ".csv": partial(frames.separated, separator=","),
    ".tsv": partial(frames.separated, separator="\t"),
    ".jsonl": frames.json_lines,
    ".ndjson": frames.json_lines,
    ".parquet": frames.parquet,
}

_FEW = 10
"""Up to so many rows, each may be of another task: new rows to be assigned, say."""


class Reading(NamedTuple):
    """What files hold.

    Attributes
    ----------
    data : the rows of all files in order; CSR if a file is, numbers as float64
    notes : sentences that a reader of the results must see
    labels : (n,) known classes to start from, "-1" where unknown; None if no column has them
    """

    data: RelatedData
    notes: list[str]
    labels: NDArray[Any] | None = None


def read(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    tasks: str | None = None,
    text: str | None = None,
    target: str | None = None,
    row_id: str | None = None,
    labels: str | None = None,
    views: str | None = None,
    columns: str = "strict",
    only: Collection[str] | None = None,
) -> Reading:
    r"""Read one file or several as related data sets.

    Parameters
    ----------
    paths : one path or several; without `tasks`, each file is a task of its own
    tasks : the column that names the task of each row; with several files they are put below
        each other
    text : the column of documents to cluster; all columns without a role are then ignored
    target : the column of true classes; used to score, never to cluster
    row_id : the column that names each row, unique within its task
    labels : the column of known classes to start from, empty or -1 where unknown
    views : "files": each file is a view of the same rows; or columns by patterns such as
        "pix=pix_*,fou=fou_*"; see `kinfolk.sources.multiview`
    columns : "strict", "intersect" or "union": what to do when files have different columns,
        see `kinfolk.tables.alignment.align`
    only : the columns of numbers that are of use, as to a model; None: all. Others may hold
        anything in a table with named columns, and are noted

    Raises
    ------
    InputError
        If a path, a named column, a label, a text or a number is missing, infinite or unusable.
    FileFormatError
        If a file is not what its suffix claims, or unpacks to more than
        `paths.UNPACKED_LIMIT` bytes.
    MissingExtraError
        If pandas (`kinfolk[app]`) or, for .parquet, pyarrow (`kinfolk[parquet]`) is not there.

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
    """
    places = [Path(p) for p in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)]
    if not places:
        raise InputError("No file is given: name at least one.")
    roles = Roles(tasks, text, target, row_id, labels)
    roles.named()
    slices: dict[str, slice] = {}
    if views == multiview.FILES:
        parts, slices = _views(places, roles, only)
    else:
        parts = _tasks(places, roles, only)
    data, notes = _joined(parts, _title(places), columns)
    if views not in (None, multiview.FILES):
        data = multiview.among(data, str(views))
    elif slices:
        data = replace(data, views=slices)
    if data.views:
        notes = [multiview.sentence(data.views)]
    elif len(parts) == 1:
        notes = []  # nothing was brought to the same columns
    if ignored := list(dict.fromkeys(chain.from_iterable(part.ignored for part in parts))):
        notes.append(f"Columns that are not asked for are ignored ({alignment.some(ignored)}).")
    return Reading(data, notes, _labels(parts))


def _tasks(places: list[Path], roles: Roles, only: Collection[str] | None) -> list[Sheet]:
    """Read files whose rows belong below each other."""
    parts = [_sheet(place, roles, only) for place in progress.track(places, "reading files")]
    if not all(part.tasks is not None for part in parts):
        return [
            replace(part, tasks=np.full(len(part.row_ids), task))
            for part, task in zip(parts, paths.task_names(places), strict=True)
        ]
    if roles.row_id is None and len(parts) > 1:
        return [replace(part, row_ids=np.char.add(f"{part.file}:", part.row_ids)) for part in parts]
    return parts


def _views(
    places: list[Path], roles: Roles, only: Collection[str] | None
) -> tuple[list[Sheet], dict[str, slice]]:
    """Read files whose rows belong beside each other, as one sheet, and its views."""
    names = paths.task_names(places)
    parts = {
        name: _sheet(place, roles, multiview.own(only, name), optional=True)
        for name, place in zip(names, progress.track(places, "reading files"), strict=True)
    }
    sheet, slices = multiview.beside(parts, roles)
    return [sheet], slices


def _labels(parts: Sequence[Sheet]) -> NDArray[Any] | None:
    """The known classes of all rows, if a file has any."""
    if all(part.labels is None for part in parts):
        return None
    unknown = [np.full(len(part.row_ids), "-1") for part in parts]
    pairs = zip(parts, unknown, strict=True)
    return np.concatenate([none if part.labels is None else part.labels for part, none in pairs])


def _sheet(
    path: Path, roles: Roles, only: Collection[str] | None, *, optional: bool = False
) -> Sheet:
    """Read one file by its suffix; with `optional` it may lack tasks, classes and labels."""
    suffix = paths.split(path)[1]
    raw = paths.contents(path)
    if suffix == ".npz":
        sheet = array_files.sheet(str(path), raw, roles, optional=optional)
    else:
        frame = _FRAMES[suffix](str(path), raw, roles)
        found = roles.among(frame.columns) if optional else roles
        sheet = sheets.from_frame(str(path), frame, found, only)
    if not len(sheet.row_ids):
        raise FileFormatError(f"{path} names its columns but has no rows.")
    return sheet


def _joined(parts: Sequence[Sheet], title: str, columns: str) -> tuple[RelatedData, list[str]]:
    """Put the sheets below each other, on the same columns."""
    notes: list[str] = []
    matrices = {part.file: part.X for part in parts if part.X is not None}
    names: tuple[str, ...] = ()
    if matrices:
        own = {part.file: part.feature_names for part in parts}
        aligned, names, overlap = alignment.align(own, matrices, columns)
        notes.append(overlap.sentence())
    tasks = np.concatenate([part.tasks for part in parts if part.tasks is not None])
    row_ids = np.concatenate([part.row_ids for part in parts])
    _check_tasks(tasks)
    _check_ids(tasks, row_ids)
    paths.check_characters([*names, *set(tasks.tolist()), *row_ids.tolist()])
    targets = [part.target for part in parts if part.target is not None]
    if 0 < len(targets) < len(parts):
        notes.append("Only some of the files hold true classes; they are ignored.")
    data = RelatedData(
        name=title,
        tasks=tasks,
        row_ids=row_ids,
        X=alignment.stacked(aligned) if matrices else None,
        feature_names=names,
        texts=None if matrices else tuple(chain.from_iterable(p.texts or () for p in parts)),
        target=np.concatenate(targets) if len(targets) == len(parts) else None,
        origin=f"Read from {', '.join(part.file for part in parts)}.",
    )
    return data, notes


def _check_tasks(tasks: NDArray[Any]) -> None:
    """InputError if every one of many rows is a task of its own."""
    if len(tasks) > _FEW and len(set(tasks.tolist())) == len(tasks):
        raise InputError(
            f"Each of the {len(tasks)} rows names a task of its own (such as {str(tasks[0])!r}), "
            "so this looks like the row id: name the column that says which data set a row is from."
        )


def _check_ids(tasks: NDArray[Any], row_ids: NDArray[Any]) -> None:
    """InputError if two rows of a task have the same id."""
    pairs = list(zip(tasks.tolist(), row_ids.tolist(), strict=True))
    if len(set(pairs)) < len(pairs):
        task, row = Counter(pairs).most_common(1)[0][0]
        raise InputError(
            f"Row id {row!r} stands more than once in task {task!r}: name a column whose values "
            "differ within each task, or none."
        )


def _title(places: Sequence[Path]) -> str:
    """Name the data by its files: the first and how many more."""
    first = paths.split(places[0])[0]
    return first if len(places) == 1 else f"{first} and {len(places) - 1} more"
