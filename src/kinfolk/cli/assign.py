"""`kinfolk assign`: assigns new rows to a saved model's clusters, and clusters new tasks."""

from pathlib import Path
from typing import Annotated

import typer

from kinfolk.cli import inputs, options, terminal
from kinfolk.cli.reading import NewRows
from kinfolk.disk import file_sets
from kinfolk.errors import InputError

NewTask = Annotated[
    bool,
    typer.Option(
        "--new-task",
        help="Also cluster rows of tasks that the model does not know, each task by itself.",
    ),
]
Clusters = Annotated[
    list[str] | None,
    typer.Option(
        help="Number of clusters of a new task: one number, one per task such as a=4,b=3, or auto; "
        "without it that of the model."
    ),
]
Keep = Annotated[Path | None, typer.Option(help="Folder to write the model with the new tasks to.")]

_FOR_NEW_TASKS = "--clusters and --keep are for rows of a new task: say --new-task too, or neither."


@options.grouped
def assign(
    model: options.Model,
    new: Annotated[
        list[str],
        typer.Argument(help="Tables of new rows, of the same kinds as for `kinfolk run`."),
    ],
    rows: NewRows,
    task: Annotated[
        str | None, typer.Option(help="The task that all these rows belong to.")
    ] = None,
    new_task: NewTask = False,
    clusters: Clusters = None,
    keep: Keep = None,
    names: options.Names = None,
    out: Annotated[
        Path | None, typer.Option(help="CSV file to write to in place of standard output.")
    ] = None,
    overwrite: options.Overwrite = False,
    quiet: options.Quiet = False,
) -> None:
    """Assign new rows to the clusters of a model, and print their labels as CSV."""
    from kinfolk.cli import new_tasks
    from kinfolk.comparison import files
    from kinfolk.models import storage
    from kinfolk.profiles import names as kind_names

    if not new_task and (clusters or keep):
        raise InputError(_FOR_NEW_TASKS)
    number = inputs.clusters(clusters) if clusters else None
    called = kind_names.parsed(names or [])
    _check_written(keep, out, overwrite)
    with terminal.bars(quiet):
        stored = storage.load(model)
        data, notes, _ = stored.read(new, rows.roles(), task, new_task, header=rows.header)
        if new_task:
            found, doubts = new_tasks.added(stored, data, number)
            notes = [*notes, *doubts]
        else:
            # In place of `assign`, which warns of what is among the notes.
            found = stored.assign_prepared(stored.prepare(data), data.tasks)
    stored.rename(called)
    for note in [*notes, *(stored.preparation.notes if stored.preparation else [])]:
        terminal.say(note)
    if keep is not None:
        stored.run = ""  # labels and report of the run are not about the new tasks
        storage.save(stored, keep, overwrite=overwrite)
    _write(files.labels_csv(data, *found, names=stored.names), out, overwrite)


def _write(table: str, out: Path | None, overwrite: bool) -> None:
    """Write a table to a file, or else to standard output."""
    from kinfolk.comparison import files

    if out is None:
        terminal.write_unwrapped(table)
    else:
        file_sets.write_file(out, table.encode("utf-8"), files.HEAD, overwrite)


def _check_written(keep: Path | None, out: Path | None, overwrite: bool) -> None:
    """Raise InputError if a file or folder cannot be written or would replace another's."""
    from kinfolk.comparison import files
    from kinfolk.models import folders

    if keep is not None:
        folders.check_replaceable(files.check_writable(keep), overwrite)
    if out is not None:
        file_sets.check_file(out, files.HEAD, overwrite)
