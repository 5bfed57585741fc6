"""Prints the results of a comparison: clusters, scores, effects of sharing."""

from collections.abc import Sequence

import numpy as np
from rich.console import Console
from rich.table import Table

from kinfolk.arrays import Matrix
from kinfolk.choosing import replicability
from kinfolk.cli import terminal
from kinfolk.report import (
    content,
    counterparts,
    findings,
    kind_profiles,
    replicated,
    sections,
    sizes,
    wording,
)
from kinfolk.report.content import Cluster, Page
from kinfolk.report.findings import ScoreLine, ScoreTable
from kinfolk.report.study import Study


def show(study: Study) -> None:
    """Print matched clusters and sizes, the comparison of strategies, and scores."""
    page = content.read(study)
    console = terminal.paper()
    console.print(findings.headline(page), soft_wrap=True)
    if not sizes.are_divided(page):
        return  # scores and matches of undivided data sets say nothing
    _print(console, _kinds(page))
    if told := kind_profiles.sentences(page):
        console.print("What sets each kind apart:", style="italic")
        for sentence in told:
            console.print(f"  {sentence}", soft_wrap=True)
    for caution in study.profiles.cautions:
        console.print(f"Look twice: {caution}", soft_wrap=True)
    said = [findings.comparison(page), *findings.changes_by_task(page), *sections.sentences(page)]
    # With views, what changed in each task is a finding and a part of the section on views.
    for sentence in dict.fromkeys(said):
        console.print(sentence, soft_wrap=True)
    found = replicated.lines(page)
    if why := replicated.too_few_columns(page, found):
        console.print(why, soft_wrap=True)
    elif found:
        _print(console, _replicated(page, found))
    if page.agreement is not None and len(page.agreement) > 1:
        title = (
            "How well the clusters of a data set divide another one (0: as by chance, 1: as its "
            "own clusters do)"
        )
        _print(console, _pairs_of_tasks(title, page.agreement, page.tasks))
    if page.relatedness is not None and len(page.relatedness) > 1:
        title = "How much each data set (row) takes from the others"
        _print(console, _pairs_of_tasks(title, page.relatedness, page.tasks))
    tables = [table for table in findings.score_tables(page) if table.measure in _measures(study)]
    _print(console, _by_result(tables) if len(page.tasks) == 1 else _by_task(tables))
    if meanings := _meanings(study, tables[0].names):
        console.print(meanings, soft_wrap=True)
    for sentence in findings.refused(study):
        console.print(sentence, soft_wrap=True)


def _print(console: Console, table: Table) -> None:
    """Print a table under its title."""
    # As a part of the table the title would wrap at the width of the table.
    console.print(table.title, style="italic", soft_wrap=True)
    table.title = None
    console.print(table)


def _meanings(study: Study, names: Sequence[str]) -> str:
    """Explain names of strategies, as in "alone: each data set alone."; "" if none needs it."""
    words = wording.words(study)
    known = {**words.rivals, words.own: words.subject}
    told = [f"{name}: {known[name]}" for name in names if known.get(name, name) != name]
    return f"{'; '.join(told)}." if told else ""


def _measures(study: Study) -> list[str]:
    """Return accuracy and NMI if the true classes are known, else the silhouette."""
    return [m for m in findings.measures(study) if m != "silhouette"] or ["silhouette"]


def _by_task(tables: list[ScoreTable]) -> Table:
    """Table with a line per task and a column per strategy; cells hold all measures."""
    # A column for the gain only if there is a baseline to measure it from.
    gain = [tables[0].gain] if tables[0].gain else []
    shown = _titled(tables, "data set", [*tables[0].names, *gain])
    for lines in zip(*(table.lines for table in tables), strict=True):
        gained = [" / ".join(line.gain for line in lines)] if gain else []
        shown.add_row(lines[0].task, *_cells(tables[0].names, lines), *gained)
    return shown


def _by_result(tables: list[ScoreTable]) -> Table:
    """Table with a line per strategy, for a single task."""
    lines = [table.lines[0] for table in tables]
    shown = _titled(tables, "clustered", [lines[0].task])
    for name, cell in zip(tables[0].names, _cells(tables[0].names, lines), strict=True):
        shown.add_row(name, cell)
    if tables[0].gain:
        shown.add_row(tables[0].gain, " / ".join(line.gain for line in lines))
    return shown


def _titled(tables: list[ScoreTable], first: str, columns: list[str]) -> Table:
    title = " / ".join(table.title for table in tables)
    shown = Table(first, title=f"{title}; * is best")
    for name in columns:
        shown.add_column(name, justify="right")
    return shown


def _cells(names: list[str], lines: Sequence[ScoreLine]) -> list[str]:
    """Format each strategy's scores in one task by all measures, the best with a star.

    >>> line = ScoreLine("north", texts=["71.2", "80.0"], best={"together"}, gain="+8.8")
    >>> _cells(["alone", "together"], [line])
    ['71.2', '*80.0']
    """
    return [
        " / ".join(("*" if name in line.best else "") + line.texts[place] for line in lines)
        for place, name in enumerate(names)
    ]


def _pairs_of_tasks(title: str, R: Matrix, tasks: list[str]) -> Table:
    """Table of a matrix over pairs of tasks."""
    table = Table(title=title)
    table.add_column("")
    for task in tasks:
        table.add_column(task, justify="right")
    for task, line in zip(tasks, R, strict=True):
        table.add_row(task, *(wording.decimal(value, 2) for value in line))
    return table


def _kinds(page: Page) -> Table:
    """Table with a line per kind (group of matched clusters): rows in total and per task."""
    several = len(page.tasks) > 1
    names = wording.names(page.study)
    title = (
        "Rows of each kind (how well they match it in the other data sets: 1 fully, 0 by chance, "
        f"below {counterparts.DOUBTFUL} doubtful)"
    )
    table = Table(title=title if several else "Rows of each kind")
    table.add_column("kind")
    table.add_column("rows", justify="right")
    for task in page.tasks if several else ():
        table.add_column(task, justify="right")
    for line in sizes.lines(page):
        members = {cluster.task: _size(cluster) for cluster in page.groups[line.kind]}
        cells = [members.get(task, "") for task in page.tasks] if several else []
        name = f"{line.kind} {names[line.kind]}" if line.kind in names else str(line.kind)
        table.add_row(name, f"{line.rows:,}", *cells)
    return table


def _replicated(page: Page, found: list[replicated.ReplicatedLine]) -> Table:
    """Table with a line per group of matched clusters: how often they are found again."""
    table = Table(title="How often other data sets, clustered alone, find clusters of a kind again")
    table.add_column("kind")
    results = replicability.FOUND, replicability.PARTLY, replicability.NOT_FOUND
    for result in results:
        table.add_column(result, justify="right")
    for kind, made in replicated.counts(found).items():
        table.add_row(wording.kind(page.study, kind), *(str(made[result]) for result in results))
    return table


def _size(cluster: Cluster) -> str:
    """Format a cluster's size, and the strength of its match.

    >>> rows = np.arange(40)
    >>> _size(Cluster("north", 0, 2, 0.54, rows)), _size(Cluster("north", 1, 3, np.nan, rows))
    ('40 (0.54)', '40 (no match)')
    """
    strength = "no match" if np.isnan(cluster.strength) else f"{cluster.strength:.2f}"
    return f"{cluster.size:,} ({strength})"
