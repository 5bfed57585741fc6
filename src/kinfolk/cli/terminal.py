"""What the command line shows: bars on standard error, tables on standard output."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

import numpy as np
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from kinfolk import progress
from kinfolk.report import findings, groups, sections
from kinfolk.report.study import Study

_NO_MARGIN = 100_000
"""Characters of a line where nobody's screen ends it."""


@contextmanager
def bars(quiet: bool) -> Iterator[None]:
    """Show how far long work has come, unless told to be quiet or nobody watches."""
    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield
        return
    times = TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn()
    columns = TextColumn("{task.description}"), BarColumn(), *times
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
    """Print scores, relatedness, what is particular to the method, and matched clusters."""
    console = paper()
    tables = [t for t in findings.tables(study) if t.measure in _shown(study)]
    console.print(_ways(tables) if len(groups.tasks(study)) == 1 else _scores(tables))
    for sentence in (
        *(findings.verdict(study), *findings.by_task(study)),
        *sections.sentences(study),
    ):
        console.print(sentence, soft_wrap=True)
    relatedness = findings.relatedness(study)
    if relatedness is not None and len(relatedness) > 1:
        console.print(_square(relatedness, groups.tasks(study)))
    console.print(_kinds(study))


def _shown(study: Study) -> list[str]:
    """Accuracy and NMI where the truth is known, else the silhouette."""
    return [m for m in findings.measures(study) if m != "silhouette"] or ["silhouette"]


def _scores(tables: list[findings.Scores]) -> Table:
    """One table of all measures, those of one task and contender in one cell."""
    gain = [tables[0].gain] if tables[0].gain else []
    shown = _titled(tables, "data set", [*tables[0].names, *gain])
    for lines in zip(*(scores.rows for scores in tables), strict=True):
        gained = [" / ".join(line[3] for line in lines)] if gain else []
        shown.add_row(lines[0][0], *_cells(tables[0].names, lines), *gained)
    return shown


def _ways(tables: list[findings.Scores]) -> Table:
    """The same for one task: a line a contender."""
    lines = tuple(scores.rows[0] for scores in tables)
    shown = _titled(tables, "way", [lines[0][0]])
    for name, cell in zip(tables[0].names, _cells(tables[0].names, lines), strict=True):
        shown.add_row(name, cell)
    if tables[0].gain:
        shown.add_row(tables[0].gain, " / ".join(line[3] for line in lines))
    return shown


def _titled(tables: list[findings.Scores], first: str, columns: list[str]) -> Table:
    title = " / ".join(scores.title for scores in tables)
    shown = Table(first, title=f"{title}; * is best", title_justify="left")
    for name in columns:
        shown.add_column(name, justify="right")
    return shown


def _cells(names: list[str], lines: tuple[Any, ...]) -> list[str]:
    """The scores of one task: for each contender those of all measures."""
    return [
        " / ".join(
            f"*{texts[place]}" if name in best else texts[place] for _, texts, best, _ in lines
        )
        for place, name in enumerate(names)
    ]


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
    title = "Matched clusters: number of rows (strength)" if len(tasks) > 1 else "Number of rows"
    table = Table(title=title, title_justify="left")
    table.add_column("kind", justify="right")
    for task in tasks:
        table.add_column(task, justify="right")
    for group, members in groups.by_group(study).items():
        cells = {c.task: _size(c) if len(tasks) > 1 else str(c.size) for c in members}
        table.add_row(str(group), *(cells.get(task, "") for task in tasks))
    return table


def _size(cluster: groups.Cluster) -> str:
    strength = "alone" if np.isnan(cluster.strength) else f"{cluster.strength:.2f}"
    return f"{cluster.size} ({strength})"
