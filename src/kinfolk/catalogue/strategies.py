"""Strategies (alone, pooled, together, ...) that `kf.compare` fits to the same rows.

Which they are depends on the relation of the method:

    one data set             alone, pooled
    several tasks            alone, pooled, together
    several views            view NAME for each view, pooled, together
    another site's centers   alone, together
    tasks with labels        alone, together
    several methods          alone, pooled, together; one fit gives both alone and together
      of several views       alone (the best supported view), view NAME, pooled, together

k-means on each data set by itself is added to every list as a baseline that anybody knows. It runs
on the rows as the results are scored (`comparison.scoring_space`), such as on z-scores: in raw
units one column may decide alone, and any method would look good beside that.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from numpy.typing import NDArray

from kinfolk import catalogue
from kinfolk.arguments import spelled
from kinfolk.catalogue import Entry, Relation
from kinfolk.errors import InputError
from kinfolk.estimators.known_labels import UNKNOWN
from kinfolk.methods.multitask.baselines import PerTask, Pooled
from kinfolk.tables import RelatedData


class Strategy(NamedTuple):
    """One way to cluster the rows: its name, unfitted estimator and rows it sees.

    Attributes
    ----------
    name, description : as of `report.study.Result`
    estimator : unfitted estimator of several tasks; None if the strategy does not apply
    columns : the columns of X that it is fitted on; rows that lack all of them get no cluster (-1)
    labels : (n,) known classes that it is given, or None
    reason : why it does not apply, or ""
    answer : the fitted attribute that holds its clusters; strategies with the same estimator
        share one fit
    column : of the answer, where it holds the clusters of several views
    space : the rows that it is fitted on: "prepared", "filled" (the same, with means of columns in
        the place of views that rows lack), "scored" (as the results are scored), or "as one" (the
        same, if all rows were one task)
    """

    name: str
    description: str
    estimator: Any = None
    columns: slice = slice(None)
    labels: NDArray[Any] | None = None
    reason: str = ""
    answer: str = "labels_"
    column: int | None = None
    space: str = "prepared"


class Setup(NamedTuple):
    """Arguments that all strategies of a comparison share.

    Attributes
    ----------
    entry : the method
    data, n_clusters, random_state, parameters, labels : as of `compare`

    Examples
    --------
    >>> from kinfolk.datasets import makers
    >>> blobs = makers.make_related_blobs(random_state=0)
    >>> setup = Setup(catalogue.method("mtcfir"), blobs, 3, 0, {"n_init": 1}, None)
    >>> for strategy in of(setup):
    ...     print(strategy.name, strategy.estimator, sep=": ")
    alone: PerTask(estimator=MTCFIR(n_init=1, random_state=0), n_clusters=3)
    pooled: Pooled(estimator=MTCFIR(n_init=1, random_state=0), n_clusters=3)
    together: MTCFIR(n_clusters=3, n_init=1, random_state=0)
    k-means alone: PerTask(estimator=KMeans(n_init=10, random_state=0), n_clusters=3)
    """

    entry: Entry
    data: RelatedData
    n_clusters: int | str | Mapping[str, int]
    random_state: int
    parameters: dict[str, Any]
    labels: NDArray[Any] | None

    def single(self, **changes: Any) -> Any:
        """Return the method as an estimator of one table without tasks."""
        return self.entry.seeded(self.random_state, **{**self.parameters, **changes})

    def per_task(self, **changes: Any) -> Any:
        """Return the method as an estimator fitted to each task by itself."""
        return PerTask(self.single(**changes), self.n_clusters)

    def together(self, **changes: Any) -> Any:
        """Return the method with the help that it takes (tasks, views, knowledge)."""
        parameters = {**self.parameters, **changes}
        return catalogue.tasks_estimator(
            self.entry, self.n_clusters, self.random_state, **parameters
        )

    def other(self, name: str, **parameters: Any) -> Any:
        """Return another single-table method by name, applied to each task."""
        entry = catalogue.method(name)
        return catalogue.tasks_estimator(entry, self.n_clusters, self.random_state, **parameters)


def of(setup: Setup) -> list[Strategy]:
    """Return the strategies to compare; InputError if needed centers or labels are missing."""
    found = _STRATEGIES[setup.entry.relation](setup)
    if setup.entry.name == "kmeans":  # then "alone" is this baseline
        return found
    several_views = setup.entry.relation == catalogue.SEVERAL_VIEWS
    rows = "all columns" if several_views else "each data set by itself"
    # As many starts as scikit-learn long had by default: a baseline must not lose by a bad start.
    kmeans = setup.other("kmeans", n_init=10)
    description = f"k-means on {rows}, as the results are scored"
    return [*found, Strategy("k-means alone", description, kmeans, space="scored")]


def check_options(entry: Entry, given: Mapping[str, Any], n_clusters: Any) -> None:
    """Raise InputError if the method does not take a given option, or n_clusters as it is.

    `given` maps an option to its value, None if the user left it out.

    Examples
    --------
    >>> check_options(catalogue.method("comvcf"), {"views": "files", "labels": None}, 3)
    >>> check_options(catalogue.method("mec"), {"knowledge": "a.safetensors"}, 3)
    Traceback (most recent call last):
    kinfolk.errors.InputError: mec takes no knowledge: leave it out, or choose method kt-mec.
    """
    if n_clusters is None:  # methods of scikit-learn would take a number of their own
        more = ', or "auto"' * entry.relation.finds_n_clusters
        raise InputError(f"n_clusters is None; give one number, or a mapping of tasks{more}.")
    if isinstance(n_clusters, str) and not entry.relation.finds_n_clusters:
        raise InputError(
            f"{entry.name} cannot find the number of clusters itself: give "
            f"{spelled('--clusters', 'n_clusters')} as a number or one per task, or choose "
            f"{_methods(['kinfolk'])}."
        )
    for option, value in given.items():
        if value is not None and option not in entry.relation.options:
            able = [n for n, e in catalogue.METHODS.items() if option in e.relation.options]
            raise InputError(
                f"{entry.name} takes no {spelled(f'--{option}', option)}: leave it out, or choose "
                f"{_methods(able)}."
            )


def _methods(names: Sequence[str]) -> str:
    """Format a choice of methods: "method mec or cf", on the command line "--method mec or cf".

    >>> _methods(["mec", "kt-mec"])
    'method mec or kt-mec'
    """
    return f"{spelled('--method', 'method')} {' or '.join(names)}"


def _one_data_set(setup: Setup) -> list[Strategy]:
    """Strategies alone and pooled for a method of one data set; together does not apply."""
    name = setup.entry.name
    reason = f"{name} clusters one data set at a time; choose a method for several tasks."
    pooled = Pooled(setup.single(), setup.n_clusters)
    return [
        Strategy("alone", f"{name} on each data set by itself", setup.per_task()),
        Strategy("pooled", f"{name} on all rows as one data set", pooled),
        Strategy("together", "", reason=reason),
    ]


def _several_tasks(setup: Setup) -> list[Strategy]:
    alone, pooled, _ = _one_data_set(setup)
    description = f"{setup.entry.name} on all data sets together"
    return [alone, pooled, Strategy("together", description, setup.together())]


def _several_methods(setup: Setup) -> list[Strategy]:
    """Strategies alone, pooled and together for `Kinfolk`, whose one fit gives two of them."""
    if len(setup.data.views) > 1:
        return _methods_in_views(setup)
    model = setup.together()
    kmeans = catalogue.method("kmeans").seeded(setup.random_state, n_init=10)
    alone = "the same rule on each data set by itself"
    together = f"{setup.entry.name} on all data sets together"
    pooled = "k-means on all rows as one data set, as the results are scored"
    return [
        Strategy("alone", alone, model, labels=setup.labels, answer="own_labels_"),
        Strategy("pooled", pooled, Pooled(kmeans, setup.n_clusters), space="as one"),
        Strategy("together", together, model, labels=setup.labels),
    ]


def _methods_in_views(setup: Setup) -> list[Strategy]:
    """Strategies for `Kinfolk` on views: best view, each view, pooled k-means, joined answer."""
    views = dict(setup.data.views)
    model = setup.together(views=views)
    own = "own_view_labels_"
    kmeans = catalogue.method("kmeans").seeded(setup.random_state, n_init=10)
    pooled = PerTask(kmeans, setup.n_clusters)
    together = f"{setup.entry.name} on all views together"
    return [
        Strategy("alone", "the best supported view by itself", model, answer="own_labels_"),
        *(
            Strategy(f"view {view}", f"the view {view} by itself", model, answer=own, column=v)
            for v, view in enumerate(views)
        ),
        Strategy("pooled", "k-means on all columns as one view", pooled, space="filled"),
        Strategy("together", together, model, labels=setup.labels),
    ]


def _several_views(setup: Setup) -> list[Strategy]:
    """Strategies for a method of views: each view, pooled, together; one if there is one view."""
    name = setup.entry.name
    views = dict(setup.data.views)
    if len(views) < 2:
        # A single view holds all columns: by itself, pooled and together are the same fit.
        return [Strategy("together", f"{name} on all columns as one view", setup.together())]
    return [
        *(
            Strategy(f"view {view}", f"{name} on the view {view} alone", setup.per_task(), columns)
            for view, columns in views.items()
        ),
        Strategy("pooled", f"{name} on all columns as one view", setup.per_task(), space="filled"),
        Strategy("together", f"{name} on all views together", setup.together(views=views)),
    ]


def _other_site(setup: Setup) -> list[Strategy]:
    """Strategies without and with another site's centers; InputError if there are none."""
    name = setup.entry.name
    if setup.parameters.get("knowledge") is None:
        raise InputError(
            f"{name} needs the centers of another site: give "
            + spelled(
                "the file that `kinfolk knowledge export` wrote (--knowledge FILE)",
                "a kf.Knowledge or the file that holds one (knowledge=)",
            )
            + ", or choose mec, which needs none."
        )
    # With these parameters KT-MEC is MEC, its baseline, with everything else equal.
    alone = setup.per_task(knowledge=None, transfer_weight=0, own_share=1)
    return [
        Strategy("alone", f"{name} without the other site's centers", alone),
        Strategy("together", f"{name} with the other site's centers", setup.together()),
    ]


def _known_labels(setup: Setup) -> list[Strategy]:
    """Strategies without and with known labels; InputError if they do not fit `n_clusters`."""
    name = setup.entry.name
    labels = setup.labels
    if labels is None:
        raise InputError(
            f"{name} needs rows of known class: name the column that holds the classes "
            f"({spelled('--labels COLUMN', 'labels=')}), empty or -1 where they are not known, or "
            "choose lssmtc, which needs none."
        )
    n_classes = len({label for label in labels.tolist() if label not in UNKNOWN})
    k = setup.n_clusters
    asked = set(k.values()) if isinstance(k, Mapping) else {k}
    # Without any known class the method itself refuses, with a better sentence.
    if n_classes and asked != {n_classes}:
        raise InputError(
            f"{name} finds the {n_classes} classes that have labels, and "
            f"{spelled('--clusters', 'n_clusters')} is {k}; give {n_classes}, or labels of every "
            "class."
        )
    # Soft k-means is the limit of the method without labels and without sharing.
    alone = setup.other("soft-kmeans")
    return [
        Strategy("alone", "soft-kmeans on each data set by itself, without labels", alone),
        Strategy("together", f"{name} with the known labels", setup.together(), labels=labels),
    ]


_STRATEGIES: dict[Relation, Callable[[Setup], list[Strategy]]] = {
    catalogue.ONE_DATA_SET: _one_data_set,
    catalogue.SEVERAL_TASKS: _several_tasks,
    catalogue.SEVERAL_VIEWS: _several_views,
    catalogue.OTHER_SITE: _other_site,
    catalogue.KNOWN_LABELS: _known_labels,
    catalogue.SEVERAL_METHODS: _several_methods,
}
