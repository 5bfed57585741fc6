"""Applies measures to each task."""

from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar

from sklearn.utils import _safe_indexing, indexable

from kinfolk.arguments import shown
from kinfolk.errors import InputError
from kinfolk.tables import Tasks, intake

T = TypeVar("T")


def per_task(measure: Callable[..., T], tasks: Iterable[Hashable], *args: Any) -> dict[Any, T]:
    """Apply a measure to the rows of each task by itself.

    Parameters
    ----------
    measure : any function of arrays aligned with the rows; functools.partial fixes its options
    tasks : (n,) the task of each row
    *args : what the measure takes, each with n rows: arrays, lists, data frames, sparse tables

    Returns
    -------
    task -> value; tasks in the order of `kf.Kinfolk.task_names_`

    Raises
    ------
    InputError
        If an argument has another number of rows than `tasks`.

    Examples
    --------
    >>> from kinfolk.measures import external
    >>> tasks, truth, labels = ["cornell", "texas", "texas"], [0, 1, 0], [1, 0, 0]
    >>> per_task(external.accuracy, tasks, truth, labels)
    {'cornell': 1.0, 'texas': 0.5}
    """
    names = intake.column(tasks)
    if names is None:
        raise InputError(f"tasks is {shown(tasks)}; give one task per row.")
    found = Tasks.given(tasks, len(names))
    rows = dict(zip(found.names, found.rows(), strict=True))
    try:
        columns = indexable(names, *args)[1:]
    except ValueError as error:
        raise InputError(
            f"Give one task per row of every argument of the measure. {error}"
        ) from error
    return {t: measure(*(_safe_indexing(a, own) for a in columns)) for t, own in rows.items()}
