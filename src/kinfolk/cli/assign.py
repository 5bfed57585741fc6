"""`kinfolk assign`: put new rows into the clusters of a model."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console

from kinfolk import sources, storage
from kinfolk.cli import options, outcome, terminal
from kinfolk.sources import multiview


def assign(
    model: options.Model,
    new: Annotated[list[str], typer.Argument(help="Tables of new rows, as for `kinfolk run`.")],
    task: Annotated[str | None, typer.Option(help="The task of all the rows.")] = None,
    tasks: options.Tasks = None,
    text: options.Text = None,
    row_id: options.RowId = None,
    out: Annotated[Path | None, typer.Option(help="CSV file; else standard output.")] = None,
    quiet: options.Quiet = False,
) -> None:
    """Assign new rows of known tasks to the stored clusters, as CSV."""
    given = {"tasks": tasks, "text": text, "row_id": row_id}
    with terminal.bars(quiet):
        stored = storage.load(model)
        kept = stored.roles or {}
        roles = {name: value or kept.get(name) for name, value in given.items()}
        if task is None and roles["tasks"] is None and len(stored.estimator.task_names_) == 1:
            task = stored.estimator.task_names_[0]
        if task is not None:
            roles["tasks"] = tasks
        asked = None if stored.preparation is None else set(stored.preparation.feature_names)
        if kept.get("views") == multiview.FILES and len(new) > 1:
            roles["views"] = multiview.FILES
        data, notes, _ = sources.read(new, columns="intersect", only=asked, **roles)
        if task is not None:
            data = replace(data, tasks=np.full(len(data), task))
        found = stored.assign(data)
    for note in [*notes, *(stored.preparation.notes if stored.preparation else [])]:
        terminal.say(note)
    table = outcome.rows(data, *found)
    if out is None:
        Console(soft_wrap=True, highlight=False, markup=False).out(table, end="")
    else:
        storage.write_text(out, table)
