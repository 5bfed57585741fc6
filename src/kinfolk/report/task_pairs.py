"""Sentences on pairs of tasks: which contributes to which, and which have similar clusters.

>>> import kinfolk as kf
>>> from kinfolk.report.content import read
>>> data = kf.datasets.make_related_blobs(20, n_features=4, random_state=0)
>>> print(strongest_help(read(kf.compare(data, n_clusters=3, method="mtcfir").study)))
The largest contribution goes from task-0 to task-1 (0.68), the smallest from task-1 to task-0
(0.43).
"""

import numpy as np

from kinfolk.numerics import rounding
from kinfolk.report import wording
from kinfolk.report.content import Page


def strongest_help(page: Page) -> str:
    """Sentence on the largest and smallest learned contribution between tasks; "" if none."""
    R = page.relatedness
    if R is None or len(R) < 2:
        return ""
    # A task that takes nothing from the others and gives nothing took no part in sharing.
    between = R - np.diag(np.diag(R))
    alone = np.asarray(~(between.any(axis=1) | between.any(axis=0)))
    hidden = np.eye(len(R), dtype=bool) | alone[None, :] | alone[:, None]
    others = rounding.comparable(np.where(hidden, np.nan, R))
    if np.isnan(others).all():
        return ""
    most = np.unravel_index(np.nanargmax(others), R.shape)
    least = np.unravel_index(np.nanargmin(others), R.shape)
    if others[most] == others[least]:
        return "All data sets contribute to one another equally."
    tasks = page.tasks
    return (
        f"The largest contribution goes from {tasks[most[1]]} to {tasks[most[0]]} "
        f"({wording.decimal(others[most], 2)}), the smallest from {tasks[least[1]]} to "
        f"{tasks[least[0]]} ({wording.decimal(others[least], 2)})."
    )


def most_alike(page: Page) -> str:
    """Sentence on the pairs of tasks with most and least similar own clusters; "" if none."""
    A = page.agreement
    if A is None or len(A) < 2:
        return ""
    first, second = np.triu_indices(len(A), 1)
    pairs = [f"{page.tasks[t]} and {page.tasks[s]}" for t, s in zip(first, second, strict=True)]
    values = rounding.comparable(A[first, second])
    most = f"{pairs[values.argmax()]} ({wording.decimal(values.max(), 2)})"
    if len(values) == 1:
        return f"By the clusters that each data set has by itself, agreement of {most}."
    if np.ptp(values.round(2)) == 0:
        same = wording.decimal(values[0], 2)
        return f"By the clusters that each data set has by itself, all are equally alike ({same})."
    least = f"{pairs[values.argmin()]} ({wording.decimal(values.min(), 2)})"
    return (
        "By the clusters that each data set has by itself, the most alike are "
        f"{most}, the least alike {least}."
    )
