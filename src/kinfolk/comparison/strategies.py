"""The ways to cluster that a study compares, by what the method takes help from.

    one data set             alone, pooled
    several tasks            alone, pooled, together
    several views            view NAME for each view, pooled, together
    another site's centres   alone, together
    tasks with labels        alone, together
    several methods          alone (what the same fit finds without the others), pooled, together

and k-means alone beside all of them, as the plain yardstick.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinfolk import catalogue
from kinfolk.catalogue import Entry, Relation
from kinfolk.errors import InputError
from kinfolk.methods.multitask.baselines import PerTask, Pooled
from kinfolk.tables import RelatedData


class Strategy(NamedTuple):
    """One way to cluster, before it runs.

    Attributes
    ----------
    name, description : as of `comparison.Result`
    estimator : of several tasks, not yet fitted; None: it cannot run
    columns : those that it sees
    labels : (n,) known classes that it is given, or None
    reason : why it cannot run, or ""
    answer : the attribute of the fitted estimator that holds its clusters; ways of one estimator
        share its fit
    """

    name: str
    description: str
    estimator: Any = None
    columns: slice = slice(None)
    labels: NDArray[Any] | None = None
    reason: str = ""
    answer: str = "labels_"


class Setup(NamedTuple):
    """What all ways of a study have in common.

    Attributes
    ----------
    entry : the method
    data, n_clusters, random_state, parameters, labels : as of `comparison.study`
    """

    entry: Entry
    data: RelatedData
    n_clusters: int | str | Mapping[str, int]
    random_state: int
    parameters: dict[str, Any]
    labels: NDArray[Any] | None

    def single(self, **changes: Any) -> Any:
        """The method as a clusterer of one table."""
        return self.entry.seeded(self.random_state, **{**self.parameters, **changes})

    def per_task(self, **changes: Any) -> Any:
        """The same on each task."""
        return PerTask(self.single(**changes), self.n_clusters)

    def together(self, **changes: Any) -> Any:
        """The method with all the help there is."""
        parameters = {**self.parameters, **changes}
        return catalogue.tasks_estimator(
            self.entry, self.n_clusters, self.random_state, **parameters
        )

    def other(self, name: str, **parameters: Any) -> Any:
        """Another method of one data set on each task."""
        entry = catalogue.method(name)
        return catalogue.tasks_estimator(entry, self.n_clusters, self.random_state, **parameters)


def of(setup: Setup) -> list[Strategy]:
    """Return the ways in the order of a report; InputError if the help is not there at all."""
    found = _STRATEGIES[setup.entry.relation](setup)
    if setup.entry.name == "kmeans":
        return found
    where = "all columns" if setup.entry.relation == "several views" else "each data set by itself"
    kmeans = setup.other("kmeans", n_init=10)
    return [*found, Strategy("k-means alone", f"k-means on {where}", kmeans)]


def notes(setup: Setup) -> list[str]:
    """Return what a reader must know of the comparison itself."""
    name, relation, tasks = setup.entry.name, setup.entry.relation, setup.data.task_names
    if relation in ("several tasks", "several methods") and len(tasks) == 1:
        return [
            f"All rows belong to one data set, {tasks[0]!r}: name the column that holds the task "
            "of each row, or give one file a task, to cluster several together."
        ]
    if relation == "several views" and len(setup.data.views) < 2:
        return [
            f"{name} weighs several views of the same rows; here all columns are one view, so "
            "there is nothing to weigh: name the views by --views."
        ]
    if relation == "tasks with labels" and setup.data.target is not None:
        return [
            "Rows whose class was given keep it, which raises the scores of together: look at the "
            "data sets without labels."
        ]
    return []


def left_out(model: Any, told: Iterable[str] = ()) -> list[str]:
    """Return which runs a model of several methods did not make, unless that is told already."""
    families: dict[str, list[str]] = {}
    for record in getattr(model, "left_out_", []):
        families.setdefault(record["reason"], []).append(record["family"])
    if not families:
        return []
    made = Counter(record["task"] for record in model.evidence_)  # fewer where a task has no part
    n = len(model.left_out_) + max(made.values())
    return [
        f"{len(names)} of {n} runs were not made ({', '.join(dict.fromkeys(names))}): "
        f"{reason.rstrip('.')}."
        for reason, names in families.items()
        if not any(reason in sentence for sentence in told)
    ]


def _one_data_set(setup: Setup) -> list[Strategy]:
    name = setup.entry.name
    reason = f"{name} clusters one data set at a time; choose a method for several tasks."
    return [
        Strategy("alone", f"{name} on each data set by itself", setup.per_task()),
        Strategy(
            "pooled",
            f"{name} on all rows as one data set",
            Pooled(setup.single(), setup.n_clusters),
        ),
        Strategy("together", "", reason=reason),
    ]


def _several_tasks(setup: Setup) -> list[Strategy]:
    alone, pooled, _ = _one_data_set(setup)
    description = f"{setup.entry.name} on all data sets together"
    return [alone, pooled, Strategy("together", description, setup.together())]


def _several_methods(setup: Setup) -> list[Strategy]:
    """What each task finds by itself is part of the answer, so there is one fit of both."""
    model = setup.together()
    kmeans = catalogue.method("kmeans").seeded(setup.random_state, n_init=10)
    own = "the same rule on each data set by itself"
    return [
        Strategy("alone", own, model, labels=setup.labels, answer="own_labels_"),
        Strategy("pooled", "k-means on all rows as one data set", Pooled(kmeans, setup.n_clusters)),
        Strategy(
            "together", f"{setup.entry.name} on all data sets together", model, labels=setup.labels
        ),
    ]


def _several_views(setup: Setup) -> list[Strategy]:
    """A view that holds all columns is no rival."""
    name, views = setup.entry.name, dict(setup.data.views)
    if len(views) < 2:
        return [Strategy("together", f"{name} on all columns as one view", setup.together())]
    alone = [
        Strategy(f"view {view}", f"{name} on the view {view} alone", setup.per_task(), columns)
        for view, columns in views.items()
    ]
    return [
        *alone,
        Strategy("pooled", f"{name} on all columns as one view", setup.per_task()),
        Strategy("together", f"{name} on all views together", setup.together(views=views)),
    ]


def _other_site(setup: Setup) -> list[Strategy]:
    name = setup.entry.name
    if setup.parameters.get("knowledge") is None:
        raise InputError(
            f"{name} needs the centres of another site: give the file that `kinfolk knowledge "
            "export` wrote (--knowledge FILE), or choose mec, which needs none."
        )
    alone = setup.per_task(knowledge=None, transfer_weight=0, own_share=1)
    return [
        Strategy("alone", f"{name} without the other site's centres", alone),
        Strategy("together", f"{name} with the other site's centres", setup.together()),
    ]


def _with_labels(setup: Setup) -> list[Strategy]:
    name, labels = setup.entry.name, setup.labels
    if labels is None:
        raise InputError(
            f"{name} needs rows of known class: name the column that holds the classes (--labels "
            "COLUMN), empty or -1 where they are not known, or choose lssmtc, which needs none."
        )
    classes = np.unique(labels[labels.astype(str) != "-1"]).size
    k = setup.n_clusters
    asked = set(k.values()) if isinstance(k, Mapping) else {k}
    if classes and asked != {classes}:
        raise InputError(
            f"{name} finds the {classes} classes that have labels, and n_clusters (--clusters) is "
            f"{k}; give {classes}, or labels of every class."
        )
    alone = setup.other("soft-kmeans")
    return [
        Strategy("alone", "soft-kmeans on each data set by itself, without labels", alone),
        Strategy("together", f"{name} with the known labels", setup.together(), labels=labels),
    ]


_STRATEGIES: dict[Relation, Callable[[Setup], list[Strategy]]] = {
    "one data set": _one_data_set,
    "several tasks": _several_tasks,
    "several views": _several_views,
    "another site's centres": _other_site,
    "tasks with labels": _with_labels,
    "several methods": _several_methods,
}
