"""Options that several subcommands share."""

from pathlib import Path
from typing import Annotated, Any

import typer

STYLE: dict[str, Any] = {
    "add_completion": False,
    "pretty_exceptions_enable": False,
    "rich_markup_mode": None,
}
"""How typer presents the program and its verbs."""

Source = Annotated[
    list[str],
    typer.Argument(
        help="A table with a task column, several tables (one task each), or a named data set."
    ),
]
Columns = Annotated[
    str,
    typer.Option(
        help="For tables with different columns: strict refuses them, intersect keeps the common "
        "columns, union keeps all and fills with zeros."
    ),
]
Views = Annotated[
    str | None,
    typer.Option(
        help="kinfolk and methods of several views: `files` if each table is one view of the "
        "rows, or groups of columns such as pix=pix_*,fou=fou_*."
    ),
]
MissingViews = Annotated[
    str,
    typer.Option(
        help="With --views files and --id: rows that not all files have; error refuses them, keep "
        "clusters them by the views that they have, drop leaves them out."
    ),
]
Data = Annotated[
    Path | None,
    typer.Option(
        help="Folder of the named data sets; KINFOLK_DATA without this option.", show_default=False
    ),
]
Tasks = Annotated[str | None, typer.Option(help="Column with the task of each row.")]
Text = Annotated[str | None, typer.Option(help="Column of texts, which become counts of terms.")]
Embeddings = Annotated[
    str | None,
    typer.Option(
        help="Column of lists of numbers, or .npy file with a row for each row of the tables, to "
        "cluster in place of all columns; --text then describes the rows."
    ),
]
Target = Annotated[
    str | None, typer.Option(help="Column of true classes, used for scores and never to cluster.")
]
RowId = Annotated[str | None, typer.Option("--id", help="Column with the name of each row.")]
Model = Annotated[Path, typer.Argument(help="The folder `model` that `kinfolk run` wrote.")]
Seed = Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Seed of every random draw.")]
Only = Annotated[
    list[str] | None, typer.Option(help="Columns to cluster on, divided by commas; no others.")
]
Ignore = Annotated[list[str] | None, typer.Option(help="Columns to leave out, divided by commas.")]
Kinds = Annotated[
    list[str] | None,
    typer.Option(
        "--as",
        help="What a column is to be taken for, column=number, category or yes/no, where its "
        "values do not tell.",
    ),
]
Missing = Annotated[
    str,
    typer.Option(help="Gaps: impute fills them, drop leaves out their rows, error refuses them."),
]
Header = Annotated[
    bool,
    typer.Option("--header/--no-header", help="Whether the first line of a table names columns."),
]
Names = Annotated[
    list[str] | None,
    typer.Option(
        help="Names of kinds by their numbers in the report, such as 0=families,2=students."
    ),
]
Overwrite = Annotated[
    bool,
    typer.Option("--overwrite", help="Also replace files that Kinfolk did not write as they are."),
]
Quiet = Annotated[bool, typer.Option(help="Show no progress.")]

OF_PARAMETERS = {
    "n_clusters": "--clusters",
    "random_state": "--seed",
    "views": "--views",
    "knowledge": "--knowledge",
    "budget": "--budget",
    "n_jobs": "--jobs",
}
"""Parameters of methods with an option of their own; --set takes all others."""
