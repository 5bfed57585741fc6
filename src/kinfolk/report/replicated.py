"""Clusters that are found again in other tasks, as lines for page and terminal."""

from collections import Counter
from typing import Any, NamedTuple

from kinfolk.choosing.replicability import ALIKE, NOT_FOUND
from kinfolk.report.content import Page

FEW_COLUMNS = 2
"""Of so few columns no direction is rare, so that next to nothing is found again."""


class ReplicatedLine(NamedTuple):
    """One cluster's line: the other tasks that found it again, or not.

    Attributes
    ----------
    kind : the number that matched clusters have in common
    task, cluster : its data set and its number there
    independent : True if its data set finds it without the others
    cells : other data set -> its record of `replicability_`
    """

    kind: int
    task: str
    cluster: int
    independent: bool
    cells: dict[str, dict[str, Any]]


def lines(page: Page) -> list[ReplicatedLine]:
    """Return a line per cluster, by matched group; [] for a model without `replicability_`."""
    cells: dict[tuple[str, int], dict[str, dict[str, Any]]] = {}
    for record in page.replicability:
        key = str(record["task"]), record["cluster"]
        cells.setdefault(key, {})[str(record["other_task"])] = record
    found = []
    for kind, members in page.groups.items():
        for c in members:
            # A cluster without rows, or of a task that was added, was looked for nowhere.
            if others := cells.get((c.task, c.number)):
                alone = next(iter(others.values()))["alone"] >= ALIKE
                found.append(ReplicatedLine(kind, c.task, c.number, alone, others))
    return found


def too_few_columns(page: Page, found: list[ReplicatedLine]) -> str:
    """Sentence that nothing could be found again in so few columns; "" if something was, or could.

    Of one or two columns hardly any direction is rarer than one of twenty.
    """
    results = {record["result"] for line in found for record in line.cells.values()}
    if not found or page.study.X.shape[1] > FEW_COLUMNS or results != {NOT_FOUND}:
        return ""
    number = "one column" if page.study.X.shape[1] == 1 else "two columns"
    return (
        "Whether other data sets, clustered alone, find a kind again cannot be told from "
        f"{number}: by chance, too, clusters differ in the same directions."
    )


def counts(found: list[ReplicatedLine]) -> dict[int, Counter[str]]:
    """Count results of comparisons by matched group: {group: {result: number}}.

    >>> counts([ReplicatedLine(0, "a", 0, True, {"b": {"result": "partly"}})])
    {0: Counter({'partly': 1})}
    """
    made: dict[int, Counter[str]] = {}
    for line in found:
        results = (record["result"] for record in line.cells.values())
        made.setdefault(line.kind, Counter()).update(results)
    return made
