"""Options of the subcommands that read tables, as dataclasses that also do the reading."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

from kinfolk.arguments import ReadArguments
from kinfolk.cli import inputs, options
from kinfolk.errors import InputError

if TYPE_CHECKING:
    from kinfolk.sources import Reading

ROLES = {
    "tasks": "--tasks",
    "text": "--text",
    "target": "--target",
    "row_id": "--id",
    "labels": "--labels",
    "views": "--views",
    "embeddings": "--embeddings",
}
"""Role of a column -> the option that names it."""

SPELLED = ROLES | {
    "columns": "--columns",
    "only": "--only",
    "ignore": "--ignore",
    "kinds": "--as",
    "missing": "--missing",
    "missing_views": "--missing-views",
    "header": "--no-header",
    "min_rows": "--min-rows",
}
"""Argument of `kf.read` -> the option that gives it."""


@dataclass(frozen=True, kw_only=True)
class NewRows:
    """Command-line options for tables of new rows, with the columns of an earlier run."""

    tasks: options.Tasks = None
    text: Annotated[
        str | None, typer.Option(help="Column of texts, which become counts of terms.")
    ] = None
    embeddings: Annotated[
        str | None,
        typer.Option(
            help="Column of lists of numbers, or .npy file with a row for each row of the tables, "
            "to cluster in place of all columns; --text then describes the rows."
        ),
    ] = None
    row_id: options.RowId = None
    header: Annotated[
        bool,
        typer.Option(
            "--header/--no-header", help="Whether the first line of a table names columns."
        ),
    ] = ReadArguments.header

    def roles(self) -> dict[str, str | None]:
        """Return the column of each role that the verb has an option for.

        >>> NewRows(tasks="site").roles()
        {'tasks': 'site', 'text': None, 'row_id': None, 'embeddings': None}
        """
        return {role: getattr(self, role) for role in ROLES if hasattr(self, role)}


@dataclass(frozen=True, kw_only=True)
class RowOptions(NewRows):
    """Command-line options for tables of rows, and for which of their columns are read."""

    target: options.Target = None
    columns: Annotated[
        str,
        typer.Option(
            help="For tables with different columns: strict refuses them, intersect keeps the "
            "common columns, union keeps all and fills with zeros."
        ),
    ] = ReadArguments.columns
    only: Annotated[
        list[str] | None, typer.Option(help="Columns to cluster on, divided by commas; no others.")
    ] = None
    ignore: Annotated[
        list[str] | None, typer.Option(help="Columns to leave out, divided by commas.")
    ] = None
    kinds: Annotated[
        list[str] | None,
        typer.Option(
            "--as",
            help="What a column is to be taken for, column=number, duration, category, yes/no or "
            "several (answers in a cell), where its values do not tell.",
        ),
    ] = None
    missing: Annotated[
        str,
        typer.Option(
            help="Gaps: impute fills them, drop leaves out their rows, error refuses them."
        ),
    ] = ReadArguments.missing
    min_rows: Annotated[
        int, typer.Option(help="Rows that a data set needs; smaller ones are left out.")
    ] = ReadArguments.min_rows
    data: options.Data = None

    def arguments(self) -> ReadArguments:
        """Parse the options about columns and gaps.

        >>> found = RowOptions(ignore=["id,year"], missing="drop").arguments()
        >>> found.ignore, found.missing, found.asked()
        (['id', 'year'], 'drop', ['ignore', 'missing'])
        """
        for option, given in (("--only", self.only), ("--ignore", self.ignore)):
            if given and not inputs.names(given):
                raise InputError(f"{option} names no column: give names divided by commas.")
        return ReadArguments(
            columns=self.columns,
            only=inputs.names(self.only) or None,
            ignore=inputs.names(self.ignore),
            kinds=inputs.kinds(self.kinds),
            missing=self.missing,
            header=self.header,
            min_rows=self.min_rows,
        )

    def read(self, source: list[str]) -> "Reading":
        """Read tables or a named data set; InputError if --only lists a column it lacks."""
        from kinfolk.comparison import rows

        return rows.read(source, self.roles(), self.arguments(), self.data, SPELLED)


@dataclass(frozen=True, kw_only=True)
class RowsToCluster(RowOptions):
    """Command-line options for the tables of rows to cluster, their known classes and views."""

    labels: Annotated[
        str | None,
        typer.Option(
            help="Column of known classes, empty or -1 where unknown; not for all methods."
        ),
    ] = None
    views: Annotated[
        str | None,
        typer.Option(
            help="kinfolk and methods of several views: `files` if each table is one view of the "
            "rows, or groups of columns such as pix=pix_*,fou=fou_*."
        ),
    ] = None
    missing_views: Annotated[
        str,
        typer.Option(
            help="With --views files and --id: rows that not all files have; error refuses them, "
            "keep clusters them by the views that they have, drop leaves them out."
        ),
    ] = ReadArguments.missing_views

    def arguments(self) -> ReadArguments:
        """Parse the options about columns, gaps and views that rows lack."""
        return replace(super().arguments(), missing_views=self.missing_views)

    def roles_of_new_rows(self) -> dict[str, str | None]:
        """Return the columns by which files of new rows are read, as a model keeps them.

        >>> found = RowsToCluster(tasks="site", target="kind", embeddings="vectors.npy")
        >>> {role: name for role, name in found.roles_of_new_rows().items() if name}
        {'tasks': 'site'}
        """
        from kinfolk.sources import vectors

        # New rows have neither true nor known classes, and their vectors are in another file.
        without = {"target": None, "labels": None}
        if not vectors.given_by_column(self.embeddings):
            without["embeddings"] = None
        return self.roles() | without
