"""`kinfolk assign`: put new rows into the clusters of a model."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console

from kinfolk import sources, storage
from kinfolk.cli import outcome, terminal


def assign(
    model: Annotated[Path, typer.Argument(help="The folder `model` that `kinfolk run` wrote.")],
    new: Annotated[list[str], typer.Argument(help="Tables of new rows, as for `kinfolk run`.")],
    task: Annotated[str | None, typer.Option(help="The task of all the rows.")] = None,
    tasks: Annotated[str | None, typer.Option(help="Column that names the task of a row.")] = None,
    text: Annotated[str | None, typer.Option(help="Column of texts.")] = None,
    row_id: Annotated[str | None, typer.Option("--id", help="Column that names a row.")] = None,
    out: Annotated[Path | None, typer.Option(help="CSV file; else standard output.")] = None,
    quiet: Annotated[bool, typer.Option(help="No progress bars.")] = False,
) -> None:
    """Assign new rows of known tasks to the stored clusters, as CSV."""
    given = {"tasks": tasks, "text": text, "row_id": row_id}
    with terminal.bars(quiet):
        stored = storage.load(model)
        roles = {name: value or (stored.roles or {}).get(name) for name, value in given.items()}
        if task is not None:
            roles["tasks"] = tasks
        asked = None if stored.preparation is None else set(stored.preparation.feature_names)
        data, notes = sources.read(new, columns="intersect", only=asked, **roles)
        if task is not None:
            data = replace(data, tasks=np.full(len(data), task))
        found = stored.assign(data)
    for note in [*notes, *(stored.preparation.notes if stored.preparation else [])]:
        terminal.say(note)
    table = outcome.rows(data, found.labels, found.matched, found.strength)
    if out is None:
        Console(soft_wrap=True, highlight=False, markup=False).out(table, end="")
    else:
        storage.write_text(out, table)
