"""Counts given, found and correctly found labels in each task.

>>> import kinfolk as kf
>>> from kinfolk.report.content import read
>>> data = kf.datasets.make_related_blobs(20, n_features=4, shared=3, random_state=0)
>>> known = [label if row < 25 else -1 for row, label in enumerate(data.target)]
>>> study = kf.compare(data, n_clusters=3, method="lssttc", labels=known).study
>>> for sentence in sentences(read(study)):
...     print(sentence)
Labels were given in task-0 (20 rows) and task-1 (5 rows).
15 of 40 rows had no label and got one of 3 classes.
Of the 15 rows without a label whose true class is known, 15 (100.0 %) got the right one.
"""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinfolk.report.content import Page
from kinfolk.report.wording import count, listing

NO_CLASS = ("", "-1")
"""Entries of a column of true classes that mean an unknown class."""


@dataclass(frozen=True)
class LabelCounts:
    """Numbers of given, found and correct labels of one task.

    Attributes
    ----------
    task : its name
    given : rows whose label was given
    found : rows whose label was not
    right, checked : of the rows in `found`, those with a known true class (`checked`), and those
        that got it (`right`)
    classes : class -> rows that have it, given or found
    """

    task: str
    given: int
    found: int
    right: int
    checked: int
    classes: dict[str, int]


def counts(page: Page) -> list[LabelCounts]:
    """Return the label counts of each task; [] if the method takes no labels."""
    if page.labels is None:
        return []
    labels = np.asarray(page.labels.transduction_).astype(str)
    target = page.study.data.target
    truth = np.full(len(labels), "") if target is None else _without_zeros(target)
    answer = _without_zeros(labels)
    found = []
    for task, rows in page.rows.items():
        # Rows whose label was given keep it, so only the others say how good the method is.
        free = rows[~page.given[rows]]
        checked = free[~np.isin(truth[free], NO_CLASS)]
        found.append(
            LabelCounts(
                task,
                given=int(page.given[rows].sum()),
                found=len(free),
                right=int(np.sum(answer[checked] == truth[checked])),
                checked=len(checked),
                classes={str(c): int(np.sum(labels[rows] == str(c))) for c in page.labels.classes_},
            )
        )
    return found


def _without_zeros(classes: Any) -> NDArray[np.str_]:
    """Return classes (n,) as texts, whole numbers without decimals.

    pandas reads a column of whole numbers with gaps, as known labels have them, as 1.0 and 2.0.

    >>> _without_zeros(np.array([1.0, 2.5])), _without_zeros(["v1.0", "1"])
    (array(['1', '2.5'], dtype='<U3'), array(['v1.0', '1'], dtype='<U4'))
    """
    texts = np.asarray(classes).astype(str).tolist()
    return np.array([re.sub(r"^(-?\d+)\.0$", r"\1", text) for text in texts], dtype=str)


def kinds(page: Page) -> dict[str, int]:
    """Return {class: number of its group of matched clusters}."""
    if page.labels is None:
        return {}
    # Clusters of these methods are classes: number k has one group in all tasks.
    groups = {cluster.number: cluster.group for cluster in page.clusters}
    return {str(name): groups[place] for place, name in enumerate(page.labels.classes_)}


def sentences(page: Page) -> list[str]:
    """Sentences on labels given, found, and found correctly."""
    found = counts(page)
    if not found:
        return []
    givers = [f"{c.task} ({count(c.given, 'row')})" for c in found if c.given]
    unknown = sum(c.found for c in found)
    total = unknown + sum(c.given for c in found)
    said = [
        f"Labels were given in {listing(givers)}.",
        f"{unknown:,} of {count(total, 'row')} had no label and got one of "
        f"{count(len(found[0].classes), 'class', 'classes')}.",
    ]
    right = sum(c.right for c in found)
    checked = sum(c.checked for c in found)
    if checked:
        said.append(
            f"Of the {count(checked, 'row')} without a label whose true class is known, {right:,} "
            f"({100 * right / checked:.1f} %) got the right one."
        )
    return said
