"""Every method by name: its class, its paper, the grid it was published with, the data it takes."""

import difflib
from typing import Any

from kinfolk.catalogue.entries import ENTRIES
from kinfolk.catalogue.entry import Entry, Relation
from kinfolk.errors import InputError
from kinfolk.methods.multitask.baselines import PerTask

__all__ = ["METHODS", "Entry", "Relation", "method", "tasks_estimator"]

METHODS: dict[str, Entry] = {entry.name: entry for entry in ENTRIES}
"""The methods by name."""


def method(name: str) -> Entry:
    """Return the entry of a method.

    Raises
    ------
    InputError : there is none of that name; the sentence offers the closest and lists all

    Examples
    --------
    >>> method("mtcfir").cls.__name__
    'MTCFIR'
    """
    if name not in METHODS:
        close = difflib.get_close_matches(name.lower(), METHODS, n=1, cutoff=0)[0]
        raise InputError(
            f"There is no method {name!r}, the closest name is {close!r}; known are "
            f"{', '.join(METHODS)}."
        )
    return METHODS[name]


def tasks_estimator(entry: Entry, n_clusters: Any, random_state: Any, **parameters: Any) -> Any:
    """Return an estimator of several tasks: the method itself, or its single-task form per task.

    Parameters
    ----------
    n_clusters : int, or a mapping task -> int; known labels have a number of their own
    parameters : those of the method
    """
    if entry.relation == "tasks with labels":
        return entry.seeded(random_state, **parameters)
    if entry.of_tasks:
        return entry.seeded(random_state, n_clusters=n_clusters, **parameters)
    return PerTask(entry.seeded(random_state, **parameters), n_clusters=n_clusters)
