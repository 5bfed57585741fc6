"""What the command line shows: bars on standard error, tables on standard output."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from kinfolk import progress
from kinfolk.experiments.comparison import Study
from kinfolk.reports import findings, groups

_NO_MARGIN = 100_000
"""Characters of a line where nobody's screen ends it."""


@contextmanager
def bars(quiet: bool) -> Iterator[None]:
    """Show how far long work has come, unless told to be quiet or nobody watches."""
    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as shown:
        known = {}

        def listener(what: str, done: int, total: int) -> None:
            if what not in known:
                known[what] = shown.add_task(what, total=total)
            shown.update(known[what], completed=done, total=total, visible=done < total)

        with progress.listening(listener):
            yield


def paper() -> Console:
    """Return standard output for results: names are no markup, and a file has no right margin."""
    console = Console(markup=False, emoji=False, highlight=False)
    if not console.is_terminal:
        console.width = _NO_MARGIN
    return console


def say(sentence: str) -> None:
    """Tell the user something that is no result."""
    sys.stderr.write(f"{sentence}\n")


def show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Show a warning as one sentence, without the place in the code."""
    say(f"Note: {message}")


def show(study: Study) -> None:
    """Print scores, relatedness and matched clusters."""
    console = paper()
    console.print(_scores([t for t in findings.tables(study) if t.measure in _shown(study)]))
    console.print(findings.verdict(study), soft_wrap=True)
    relatedness = findings.relatedness(study)
    if relatedness is not None and len(relatedness) > 1:
        console.print(_square(relatedness, groups.tasks(study)))
    console.print(_kinds(study))


def _shown(study: Study) -> list[str]:
    """Accuracy and NMI where the truth is known, else the silhouette."""
    return [m for m in findings.measures(study) if m != "silhouette"] or ["silhouette"]


def _scores(tables: list[findings.Scores]) -> Table:
    """One table of all measures, those of one task and contender in one cell."""
    title = " / ".join(scores.title for scores in tables)
    shown = Table(title=f"{title}; * is best", title_justify="left")
    shown.add_column("data set")
    for name in [*tables[0].names, "together - alone"]:
        shown.add_column(name, justify="right")
    for lines in zip(*(scores.rows for scores in tables), strict=True):
        cells = [
            " / ".join(
                f"*{texts[place]}" if name in best else texts[place] for _, texts, best, _ in lines
            )
            for place, name in enumerate(tables[0].names)
        ]
        shown.add_row(lines[0][0], *cells, " / ".join(gain for *_, gain in lines))
    return shown


def _square(R: np.ndarray, tasks: list[str]) -> Table:
    table = Table(title="What each data set (row) takes from the others", title_justify="left")
    table.add_column("")
    for task in tasks:
        table.add_column(task, justify="right")
    for task, line in zip(tasks, R, strict=True):
        table.add_row(task, *(f"{value:.2f}" for value in line))
    return table


def _kinds(study: Study) -> Table:
    tasks = groups.tasks(study)
    table = Table(title="Matched clusters: number of rows (strength)", title_justify="left")
    table.add_column("kind", justify="right")
    for task in tasks:
        table.add_column(task, justify="right")
    for group, members in groups.by_group(study).items():
        cells = {
            c.task: f"{c.size} (alone)" if np.isnan(c.strength) else f"{c.size} ({c.strength:.2f})"
            for c in members
        }
        table.add_row(str(group), *(cells.get(task, "") for task in tasks))
    return table
