"""Reads each given table, a file of any format or a data frame, as a `Sheet`."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from kinfolk.errors import FileFormatError, InputError
from kinfolk.running import progress
from kinfolk.sources import array_files, cells, file_views, frame_files, given, paths, sheets
from kinfolk.sources.given import GivenTable
from kinfolk.sources.sheets import Roles, Sheet
from kinfolk.sources.vectors import Vectors


class Chosen(NamedTuple):
    """Options for reading tables, above all the columns to cluster on.

    Those are the columns in `only` (None: all) that are not in `ignore`. Rows without a task are
    left out if they are less than the share `without_task` of all, and refused otherwise; without
    `header` the first line is a row. The `vectors` of an array or a file stand in for the columns
    of tables that are read in order. `written` is the notation of columns where it is known, and
    the rows are new ones `of_model` where their columns are known.
    """

    only: Collection[str] | None
    ignore: Collection[str]
    without_task: float = 0.0
    header: bool = True
    vectors: Vectors | None = None
    written: Mapping[str, str] = MappingProxyType({})
    of_model: bool = False

    def of_view(self, view: str) -> "Chosen":
        """Return the options for the file of a view, in which no name has the view's prefix."""
        return Chosen(
            file_views.names_in_file(self.only, view),
            file_views.names_in_file(self.ignore, view) or (),
            header=self.header,  # rows without a task, and vectors, are not of a view
            written={name.removeprefix(f"{view}: "): how for name, how in self.written.items()},
            of_model=self.of_model,
        )


def read(
    files: list[GivenTable], roles: Roles, chosen: Chosen, views: str | None, missing_views: str
) -> tuple[list[Sheet], dict[str, slice]]:
    """Read the tables as sheets to be stacked by row, and {view: slice} if each is a view.

    Views come as one sheet, joined by column.
    """
    if views == file_views.FILES:
        sheet, slices = _of_views(files, roles, chosen, missing_views)
        return [sheet], slices
    parts = _of_tasks(files, roles, chosen)
    if chosen.vectors is not None:
        chosen.vectors.check_taken()
    return parts, {}


def _of_tasks(files: list[GivenTable], roles: Roles, chosen: Chosen) -> list[Sheet]:
    """Read files to be stacked by row; each is one task, unless all name the task of each row."""
    parts = [_read_file(file, roles, chosen) for file in progress.track(files, "reading files")]
    without = [part.file for part in parts if part.tasks is None]
    if without and len(without) < len(parts):
        other = next(part.file for part in parts if part.tasks is not None)
        raise InputError(
            f"{other} names the task of each row and {without[0]} does not: add an array 'tasks' "
            "to the files that have none, or take it out of the others."
        )
    if without:
        return [
            replace(part, tasks=np.full(len(part.row_ids), task))
            for part, task in zip(parts, given.task_names(files), strict=True)
        ]
    if roles.row_id is None and len(parts) > 1:
        # Row numbers start at 1 in each file, and one task may have rows in several files.
        return [replace(part, row_ids=np.char.add(f"{part.file}:", part.row_ids)) for part in parts]
    return parts


def _of_views(
    files: list[GivenTable], roles: Roles, chosen: Chosen, missing: str
) -> tuple[Sheet, dict[str, slice]]:
    """Read one file per view, or the modalities of one, and join them; also {view: slice}."""
    if files[0].path and given.is_multimodal(files):
        path = files[0].path
        sparse = missing == "error"  # else gaps must be held
        parts = cells.by_modality(str(path), paths.read_bytes(path), roles, chosen.of_view, sparse)
        # Cells are joined by their names.
        return file_views.join_sheets(parts, roles._replace(row_id="obs_names"), missing)
    names = given.task_names(files)
    parts = {
        name: _read_file(file, roles, chosen.of_view(name), optional=True)
        for name, file in zip(names, progress.track(files, "reading files"), strict=True)
    }
    return file_views.join_sheets(parts, roles, missing)


def _read_file(table: GivenTable, roles: Roles, chosen: Chosen, *, optional: bool = False) -> Sheet:
    """Read one table; with `optional`, columns of tasks, classes and labels may be missing."""
    if table.path is None:
        if not chosen.header:
            raise InputError(f"{table.label} names its own columns: leave out header=False.")
        frame = given.with_index(table.frame, roles.column_names())
        sheet = _of_frame(table.label, frame, roles, chosen, optional=optional)
    else:
        sheet = _of_path(table.path, roles, chosen, optional=optional)
    if not len(sheet.row_ids):
        raise FileFormatError(f"{table.label} names its columns but has no rows.")
    return sheet


def _of_path(path: Path, roles: Roles, chosen: Chosen, *, optional: bool) -> Sheet:
    """Read one file as a `Sheet`, by the reader for its suffix."""
    _, suffix = paths.split(path)
    contents = paths.contents(path)
    if suffix in (".npz", ".npy"):
        return array_files.sheet(str(path), contents.read(), roles, optional=optional)
    if suffix == ".h5ad":
        raw = contents.read()
        return cells.sheet(str(path), raw, roles, chosen.only, chosen.ignore, optional=optional)
    frame, said, known = frame_files.frame(path, contents, roles, chosen.header, chosen.written)
    sheet = _of_frame(str(path), frame, roles, chosen._replace(written=known), optional=optional)
    # Notes stand in reports that may be sent on: they name no folder of this machine.
    notes = [note.replace(str(path), path.name) for note in said]
    return replace(sheet, notes=(*notes, *sheet.notes))


def _of_frame(name: str, frame: Any, roles: Roles, chosen: Chosen, *, optional: bool) -> Sheet:
    """Read one data frame as a `Sheet`: its columns sorted by role."""
    found = roles.present_in(frame.columns) if optional else roles
    own = None if chosen.vectors is None else chosen.vectors.take(len(frame), name)
    return sheets.from_frame(
        name,
        frame,
        found,
        chosen.only,
        chosen.ignore,
        without_task=chosen.without_task,
        vectors=own,
        written=chosen.written,
        of_model=chosen.of_model,
    )
