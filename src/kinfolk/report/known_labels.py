"""Which data sets gave labels, what the rows without one got, and how often that was right."""

from dataclasses import dataclass

import numpy as np

from kinfolk.report import findings, groups
from kinfolk.report.study import Study

UNKNOWN = ("", "-1")
"""What stands in a column of true classes where they are not known."""


@dataclass(frozen=True)
class Account:
    """The labels of one task.

    Attributes
    ----------
    task : its name
    known : rows whose label was given
    unknown : rows whose label was not
    right, judged : of the unknown rows with a true class, those that got it, and all of them
    classes : class -> rows that have it, given or found
    """

    task: str
    known: int
    unknown: int
    right: int
    judged: int
    classes: dict[str, int]


def of(study: Study) -> list[Account]:
    """Return the account of each task; nothing if the method takes no labels."""
    if not hasattr(study.model, "transduction_"):
        return []
    known, given = groups.labelled(study), np.asarray(study.model.transduction_).astype(str)
    truth = np.full(len(given), "") if study.data.target is None else study.data.target.astype(str)
    accounts = []
    for task in groups.tasks(study):
        rows = groups.rows(study, task)
        asked = rows[~known[rows]]
        judged = asked[~np.isin(truth[asked], UNKNOWN)]
        accounts.append(
            Account(
                task,
                known=int(known[rows].sum()),
                unknown=len(asked),
                right=int(np.sum(given[judged] == truth[judged])),
                judged=len(judged),
                classes={str(c): int(np.sum(given[rows] == str(c))) for c in study.model.classes_},
            )
        )
    return accounts


def kinds(study: Study) -> dict[str, int]:
    """Return the kind of the clusters of each class."""
    classes = [str(c) for c in getattr(study.model, "classes_", ())]
    found = {cluster.number: cluster.group for cluster in groups.clusters(study)}
    return {name: found[place] for place, name in enumerate(classes)}


def sentences(study: Study) -> list[str]:
    """Return who gave labels, how many were unknown, and how many of those are right."""
    accounts = of(study)
    if not accounts:
        return []
    givers = [f"{a.task} ({findings.count(a.known, 'row')})" for a in accounts if a.known]
    unknown = sum(a.unknown for a in accounts)
    total = unknown + sum(a.known for a in accounts)
    verb = "was" if unknown == 1 else "were"
    said = [
        f"Labels came from {findings.listing(givers)}.",
        f"{unknown:,} of {findings.count(total, 'row')} {verb} without one and got one of "
        f"{findings.count(len(accounts[0].classes), 'class', 'classes')}.",
    ]
    right, judged = sum(a.right for a in accounts), sum(a.judged for a in accounts)
    if judged:
        said.append(
            f"Of the {findings.count(judged, 'row')} without a label whose true class is known, "
            f"{right:,} ({100 * right / judged:.1f} %) got it."
        )
    return said
