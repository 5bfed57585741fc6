"""Options that several verbs have, each said once."""

from pathlib import Path
from typing import Annotated

import typer

Source = Annotated[
    list[str],
    typer.Argument(help="A table with a task column, several files (each a task), or a name."),
]
Columns = Annotated[str, typer.Option(help="Tables that differ: strict, intersect or union.")]
Views = Annotated[
    str | None,
    typer.Option(help="comvcf: `files`, each is a view of the same rows, or pix=pix_*,fou=fou_*."),
]
Data = Annotated[
    Path | None, typer.Option(help="Data directory; else KINFOLK_DATA.", show_default=False)
]
Tasks = Annotated[str | None, typer.Option(help="Column that names the task of a row.")]
Text = Annotated[str | None, typer.Option(help="Column of texts to turn into terms.")]
Target = Annotated[str | None, typer.Option(help="Column of true classes, to score.")]
RowId = Annotated[str | None, typer.Option("--id", help="Column that names a row.")]
Model = Annotated[Path, typer.Argument(help="The folder `model` that `kinfolk run` wrote.")]
Seed = Annotated[int, typer.Option(min=0, max=2**32 - 1, help="For every random draw.")]
Quiet = Annotated[bool, typer.Option(help="No progress bars.")]

OF_PARAMETERS = {
    "n_clusters": "--clusters",
    "random_state": "--seed",
    "views": "--views",
    "knowledge": "--knowledge",
    "budget": "--budget",
}
"""Parameters of methods that have an option of their own; all others are told by --set."""
