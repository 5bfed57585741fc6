"""Catalogue of the methods by name: class, paper, published grid, requirements and advice.

A method is compared with clustering without its help by the strategies of `catalogue.strategies`.
"""

from importlib import resources
from typing import Any

from kinfolk.arguments import shown, spelled
from kinfolk.catalogue import entries, installed
from kinfolk.catalogue.entry import Entry
from kinfolk.catalogue.relation import (
    KNOWN_LABELS,
    ONE_DATA_SET,
    OTHER_SITE,
    SEVERAL_METHODS,
    SEVERAL_TASKS,
    SEVERAL_VIEWS,
    Relation,
)
from kinfolk.errors import InputError, no_such

__all__ = [
    "KNOWN_LABELS",
    "METHODS",
    "ONE_DATA_SET",
    "OTHER_SITE",
    "SEVERAL_METHODS",
    "SEVERAL_TASKS",
    "SEVERAL_VIEWS",
    "Entry",
    "Relation",
    "installed",
    "method",
    "tasks_estimator",
]

METHODS = entries.read(
    resources.files(__package__).joinpath("methods.toml").read_text(encoding="utf-8")
)
"""Method name -> its entry, the default method first and variants after their parent."""


def method(name: str) -> Entry:
    """Return the entry of a method, of Kinfolk or of an installed package.

    Raises
    ------
    InputError : no method has that name; the message names the closest, and what lists all

    Examples
    --------
    >>> entry = method("mtcfir-nf")
    >>> entry.cls.__name__, dict(entry.preset), str(entry.relation)
    ('MTCFIR', {'share_features': False}, 'several tasks')
    """
    if not isinstance(name, str):
        raise InputError(
            f"method is {shown(name)}; give the name of a method, such as 'mtcfir': "
            f"{_listing()} all."
        )
    if name in METHODS:
        return METHODS[name]
    offered = installed.names()
    if name in offered:
        return installed.entry(name)
    raise no_such("method", name, [*METHODS, *offered], _listing())


def _listing() -> str:
    return spelled("`kinfolk methods` lists", "kf.catalogue.METHODS has")


def tasks_estimator(entry: Entry, n_clusters: Any, random_state: Any, **parameters: Any) -> Any:
    """Return an estimator of several tasks: the method, or a copy of it per task.

    Parameters
    ----------
    n_clusters : int or mapping task -> int; ignored by methods that are given known classes
    parameters : parameters of the method

    Examples
    --------
    >>> tasks_estimator(method("mec"), 3, 0, temperature=2.0)
    PerTask(estimator=MEC(random_state=0, temperature=2.0), n_clusters=3)
    """
    if entry.relation == KNOWN_LABELS:  # the number of clusters is that of the known classes
        return entry.seeded(random_state, **parameters)
    # PerTask would hide the other tasks from a method that shares between them.
    if entry.relation.of_tasks:
        return entry.seeded(random_state, n_clusters=n_clusters, **parameters)
    copies = METHODS["per-task"].cls
    return copies(entry.seeded(random_state, **parameters), n_clusters=n_clusters)
