"""What one number for each cluster cannot say: several that are one, and those that have no match.

Matched numbers are the best guess: at most one cluster of a task has each. Counterparts are what is
clearer than chance, and may be several or none (`kinfolk.estimators.correspondence`).
"""

from kinfolk.report import findings, groups
from kinfolk.report.study import Study

_MOST = 8
"""Sentences; more would hide the picture above them."""


def sentences(study: Study) -> list[str]:
    """Return which kinds are one only together, and which have no counterpart; the first few.

    None for a model that does not say so, or if numbers say all.
    """
    if len(groups.tasks(study)) == 1 or not hasattr(study.model, "counterparts_"):
        return []
    records = study.model.counterparts_
    kinds = {(c.task, c.number): c.group for c in groups.clusters(study)}
    told: list[str] = []
    lonely: dict[str, list[int]] = {}
    for record in records:
        task, other = str(record["task"]), str(record["other_task"])
        kind = kinds[task, record["cluster"]]
        several = [kinds[other, cluster] for cluster in record["other_clusters"]]
        if len(several) > 1:
            told.append(
                f"Kinds {_numbers(several)} of {other} together are kind {kind} of {task} "
                f"({record['strength']:.2f})."
            )
    found = {(str(r["task"]), r["cluster"]) for r in records if r["other_clusters"]}
    for (task, cluster), kind in kinds.items():
        if (task, cluster) not in found:
            lonely.setdefault(task, []).append(kind)
    told += [
        f"{'Kinds' if len(alone) > 1 else 'Kind'} {_numbers(alone)} of {task} "
        f"{'have' if len(alone) > 1 else 'has'} no counterpart that is clearer than chance."
        for task, alone in lonely.items()
    ]
    more = len(told) - _MOST
    return told if more <= 0 else [*told[:_MOST], f"And {more} more."]


def _numbers(kinds: list[int]) -> str:
    return findings.listing([str(kind) for kind in sorted(kinds)])
