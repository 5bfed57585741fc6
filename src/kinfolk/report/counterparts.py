"""Sentences about clusters that match several clusters of another task together, or none.

Matched numbers are the best guess: at most one cluster of a task has each number. Counterparts are
the matches that are clearer than chance; a cluster may have several or none
(`kinfolk.estimators.correspondence`).

>>> import kinfolk as kf
>>> from kinfolk.report.content import read
>>> data = kf.datasets.make_related_blobs(20, n_features=4, random_state=0)
>>> study = kf.compare(data, n_clusters=3, method="mec").study
>>> sentences(read(study))[0].split(":")[0]
'Kinds 0 and 2 of task-0 match as strongly as the table says, but not beyond doubt'
"""

from collections.abc import Mapping
from typing import Any

from kinfolk.profiles.names import listed
from kinfolk.report.content import Page

_MOST_SENTENCES = 8
"""Sentences shown; more would hide the table below them."""

DOUBTFUL = 0.3
"""Strength of a match below which the guide to the report says to doubt it."""


def sentences(page: Page, names: Mapping[int, str] | None = None) -> list[str]:
    """Sentences on clusters that match several clusters of another task, or none.

    `names` are those of kinds, None for those of the study.
    """
    if len(page.tasks) == 1 or page.counterparts is None:
        return []
    kinds = {(c.task, c.number): c.group for c in page.clusters}
    called = page.study.names if names is None else names
    strength = {(c.task, c.number): c.strength for c in page.clusters}
    said = [
        *_several(page.counterparts, kinds, called),
        *_none(page.counterparts, kinds, called, strength),
    ]
    more = len(said) - _MOST_SENTENCES
    return said if more <= 0 else [*said[:_MOST_SENTENCES], f"And {more} more."]


def _several(
    records: list[dict[str, Any]], kinds: dict[tuple[str, int], int], called: Mapping[int, str]
) -> list[str]:
    """Sentence for each cluster that several clusters of another task match together."""
    said = []
    for record in records:
        # Names may be NumPy strings, which would print as np.str_('...').
        task = str(record["task"])
        other = str(record["other_task"])
        kind = kinds[task, record["cluster"]]
        several = [kinds[other, cluster] for cluster in record["other_clusters"]]
        if len(several) > 1:
            said.append(
                f"{listed(several, called, start=True)} of {other} together match "
                f"{listed([kind], called)} of {task} "
                f"({record['strength']:.2f})."
            )
    return said


def _none(
    records: list[dict[str, Any]],
    kinds: dict[tuple[str, int], int],
    called: Mapping[int, str],
    strength: Mapping[tuple[str, int], float],
) -> list[str]:
    """Sentences per task on clusters without counterparts, those with a strong match apart."""
    matched = {(str(r["task"]), r["cluster"]) for r in records if r["other_clusters"]}
    lonely: dict[tuple[str, bool], list[int]] = {}
    for (task, cluster), kind in kinds.items():
        if (task, cluster) not in matched:
            # False for nan, too.
            strong = strength[task, cluster] >= DOUBTFUL
            lonely.setdefault((task, strong), []).append(kind)
    said = []
    for (task, strong), alone in lonely.items():
        one = len(alone) == 1
        if strong:
            # The table shows a strong match: "no counterpart" beside it would contradict it.
            verb = "matches" if one else "match"
            end = (
                "as strongly as the table says, but not beyond doubt: means may be this much alike "
                "by chance where clusters or columns are few."
            )
        else:
            verb = "has" if one else "have"
            end = "no counterpart that is clearer than chance."
        said.append(f"{listed(alone, called, start=True)} of {task} {verb} {end}")
    return said
