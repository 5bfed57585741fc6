"""`kinfolk suggest`: suggests a number of clusters per task, with its uncertainty."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from kinfolk.cli import options, terminal
from kinfolk.cli.reading import RowOptions
from kinfolk.disk import file_sets

if TYPE_CHECKING:
    from kinfolk.choosing.suggestions import Suggestions

Most = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Largest number of clusters tried.  [default: 12, or the square root of the rows]",
    ),
]
Out = Annotated[Path | None, typer.Option(help="SVG file for a figure of the curves.")]

_COUNTED = (
    "Agreement prefers the number at which two halves of the rows are divided alike, gap the one "
    "after which groups would have to be cut, others the one at which the other data sets are "
    "divided alike."
)
_MEASURED = (
    "Agreement prefers the number at which two halves of the rows are divided alike, clearness the "
    "one at which clusters are further apart than in rows without any, mixture the likeliest "
    "number of normal distributions."
)


@options.grouped
def suggest(
    source: options.Source,
    rows: RowOptions,
    at_most: Most = None,
    out: Out = None,
    overwrite: options.Overwrite = False,
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
) -> None:
    """Suggest a number of clusters for each data set, and say how certain it is."""
    from kinfolk.choosing import cluster_count, suggestions
    from kinfolk.preparation import Preparation
    from kinfolk.report import number_curves

    if out is not None:
        file_sets.check_file(out, number_curves.MARK, overwrite)
    with terminal.bars(quiet):
        found = rows.read(source)
        preparation = Preparation()
        X = preparation.fit_transform(found.data)
        suggested = cluster_count.suggest_clusters(
            X,
            found.data.tasks,
            at_most=at_most,
            random_state=seed,
            columns_are_scaled=preparation.columns_are_scaled,
        )
    for note in [*found.notes, *preparation.notes]:
        terminal.say(note)
    terminal.paper().print(_table(suggested))
    terminal.say(_MEASURED if _is_measured(suggested) else _COUNTED)
    terminal.write_unwrapped(f"--clusters {suggestions.clusters_option(suggested.numbers)}\n")
    if out is not None:
        number_curves.write(suggested, out, overwrite)
        terminal.say(f"The curves are in {out}.")


def _is_measured(suggested: "Suggestions") -> bool:
    """True if the rows are measurements, which have criteria of their own."""
    return any(s.curve and "clearness" in s.curve[0] for s in suggested)


def _table(suggested: "Suggestions") -> Table:
    table = Table("data set")
    measured = _is_measured(suggested)
    criteria = ("clearness says", "mixture says") if measured else ("gap says", "others say")
    for name in ("clusters", "or", "interval", "how sure", "agreement says", *criteria):
        table.add_column(name, justify="right")
    for s in suggested:
        also, third = ("" if number is None else str(number) for number in (s.also, s.third))
        interval = f"{s.low} to {s.high}"
        table.add_row(
            str(s.task), str(s.number), also, interval, s.confidence, str(s.first), str(s.second),
            third,
        )  # fmt: skip
    return table
