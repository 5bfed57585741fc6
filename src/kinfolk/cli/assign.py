"""`kinfolk assign`: assigns new rows to a saved model's clusters, and clusters new tasks."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from kinfolk import file_sets
from kinfolk.choosing.estimator import Kinfolk
from kinfolk.cli import inputs, options, terminal
from kinfolk.cli.reading import NewRows
from kinfolk.comparison import files
from kinfolk.errors import InputError
from kinfolk.estimators import checks
from kinfolk.estimators.base import MultiTaskClusterer
from kinfolk.models import storage
from kinfolk.models.model import Assignment, Model
from kinfolk.profiles import names as kind_names
from kinfolk.tables import RelatedData, Tasks

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
    if not new_task and (clusters or keep):
        raise InputError(_FOR_NEW_TASKS)
    number = inputs.clusters(clusters) if clusters else None
    called = kind_names.parsed(names or [])
    _check_written(keep, out, overwrite)
    with terminal.bars(quiet):
        stored = storage.load(model)
        data, notes, _ = stored.read(new, rows.roles(), task, new_task, header=rows.header)
        if new_task:
            found, doubts = _with_new_tasks(stored, data, number)
            notes = [*notes, *doubts]
        else:
            found = stored.assign(data)
    stored.rename(called)
    for note in [*notes, *(stored.preparation.notes if stored.preparation else [])]:
        terminal.say(note)
    if keep is not None:
        stored.run = ""  # labels and report of the run are not about the new tasks
        storage.save(stored, keep)
    _write(files.labels_csv(data, *found, names=stored.names), out, overwrite)


def _write(table: str, out: Path | None, overwrite: bool) -> None:
    """Write a table to a file, or else to standard output."""
    if out is None:
        terminal.write_unwrapped(table)
    else:
        file_sets.write_file(out, table.encode("utf-8"), files.HEAD, overwrite)


def _check_written(keep: Path | None, out: Path | None, overwrite: bool) -> None:
    """Raise InputError if a file or folder cannot be written or would replace another's."""
    if keep is not None:
        storage.check_replaceable(files.check_writable(keep))
    if out is not None:
        file_sets.check_file(out, files.HEAD, overwrite)


def _new_tasks(stored: Model, data: RelatedData) -> list[str]:
    """Return the tasks that the model does not know; InputError if there are none."""
    if not isinstance(stored.estimator, MultiTaskClusterer):
        raise InputError(
            f"{stored.method} takes no new task: run it again with all rows, or leave out "
            "--new-task."
        )
    known = stored.estimator.task_names_.tolist()
    if not (names := [name for name in data.task_names if name not in known]):
        raise InputError(
            f"the model knows every task of these rows ({', '.join(data.task_names)}): leave out "
            "--new-task, or give the new task another name (--task)."
        )
    return names


def _numbers(
    estimator: MultiTaskClusterer, data: RelatedData, names: list[str], number: Any
) -> dict[str, Any]:
    """Return {new task: number of clusters}, None for the number that the model has."""
    if number is None and isinstance(estimator.n_clusters, Mapping):
        # Under None stands the number of all tasks that were not named.
        number = estimator.n_clusters.get(None)
        if number is not None:
            return dict.fromkeys(names, number)
        raise InputError(
            "the model has a number of clusters for each task by name: give --clusters, a number "
            "or pairs such as a=4,b=3, for the new one."
        )
    if number is None or number == inputs.AUTO:
        return dict.fromkeys(names, number)
    new = Tasks.of(data.tasks[np.isin(data.tasks, names)])
    return dict(zip(new.names, checks.clusters(number, new), strict=True))


def _with_new_tasks(stored: Model, data: RelatedData, number: Any) -> tuple[Assignment, list[str]]:
    """Add the rows' new tasks to the model and assign all rows; also return warnings."""
    estimator = stored.estimator
    names = _new_tasks(stored, data)
    numbers = _numbers(estimator, data, names, number)
    if stored.preparation is not None:
        stored.preparation.add_tasks(data)
    X = stored.prepare(data)
    labels = np.empty(len(data), dtype=int)
    for name, k in numbers.items():
        rows = np.flatnonzero(data.tasks == name)
        labels[rows] = estimator.add_task(X[rows], name, k).labels
    if len(known := np.flatnonzero(~np.isin(data.tasks, list(numbers)))):
        labels[known] = estimator.predict(X[known], data.tasks[known])
    found = Assignment(labels, *estimator.match(labels, data.tasks))
    return found, list(_doubts(estimator, names))


def _doubts(estimator: MultiTaskClusterer, names: list[str]) -> Iterator[str]:
    """Yield a warning per new task without clusters, and per cluster without match."""
    for alone in estimator.added_tasks_[-len(names) :]:
        for task in alone.unclustered_tasks_ if isinstance(alone, Kinfolk) else []:
            yield f"No clusters found in {task}: a table without any could look as clear as this."
    clusters: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for record in estimator.counterparts_:
        if record["task"] in names:
            clusters.setdefault((record["task"], record["cluster"]), []).append(record)
    for (task, cluster), records in clusters.items():
        if not any(record["other_clusters"] for record in records):
            best = max(records, key=lambda record: record["strongest"] - record["level"])
            kinds = estimator.matched_clusters_.tolist()
            kind = kinds[estimator.clusters_.index((task, cluster))]
            doubtful = f"is of kind {kind} with doubt: no link of it is clearer than chance"
            yield (
                f"Cluster {cluster} of {task} "
                f"{doubtful if kinds.count(kind) > 1 else 'has no counterpart'} (strongest link "
                f"{best['strongest']:.2f}, to {best['other_task']}; level {best['level']:.2f})."
            )
