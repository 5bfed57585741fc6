"""Plot of matched clusters: blocks per task, joined by bands."""

from typing import Any, Self

import numpy as np

from kinfolk.arrays import Labels, Matrix, Vector
from kinfolk.displays.base import Display, attribute, row_labels
from kinfolk.errors import InputError
from kinfolk.tables import Tasks, intake
from kinfolk.tables.alignment import some


class MatchedClustersDisplay(Display):
    """Alluvial plot of the clusters of different tasks that match.

    A block is a cluster, as tall as its share of the rows of its task, with its kind on the left
    and its rows on the right. A ribbon has the strength of the match written on it.

    Parameters
    ----------
    tasks : (T,) names
    clusters : (C,) pairs (task, number)
    kinds : (C,) numbers that matched clusters share
    sizes : (C,) rows
    strengths : (C,) of the match, nan for a cluster without a counterpart
    links : (C, C) strength of the match of two clusters

    Attributes
    ----------
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import kinfolk as kf
    >>> data = kf.datasets.make_related_blobs(20, n_features=4, random_state=0)
    >>> model = kf.PerTask(kf.MEC(random_state=0), 3).fit(data.X, tasks=data.tasks)
    >>> display = kf.MatchedClustersDisplay.from_estimator(model, data.tasks)
    >>> display.kinds, display.sizes
    (array([0, 1, 2, 0, 2, 1]), array([7, 7, 6, 7, 7, 6]))
    """

    def __init__(
        self,
        tasks: Any,
        clusters: Any,
        kinds: Labels,
        sizes: Labels,
        strengths: Vector,
        links: Matrix,
    ) -> None:
        self.tasks = [str(task) for task in tasks]
        self.clusters = [(str(task), int(number)) for task, number in clusters]
        self.kinds = np.asarray(kinds)
        self.sizes = np.asarray(sizes)
        self.strengths = np.asarray(strengths, dtype=float)
        self.links = np.asarray(links, dtype=float)

    @classmethod
    def from_estimator(cls, estimator: Any, tasks: Any, *, ax: Any = None) -> Self:
        """Plot the matched clusters of a fitted model of several tasks.

        Parameters
        ----------
        estimator : a fitted model with `matched_clusters_`
        tasks : (n,) the task of each row of the fit; tasks that were added later are drawn, too
        ax : matplotlib axes; None: those of a new figure

        Raises
        ------
        InputError : the model has no matched clusters, or was fitted to another number of rows or
            to tasks of other names
        MissingExtraError : matplotlib is not installed
        """
        kinds = attribute(
            estimator, "matched_clusters_", "models of several tasks have it, such as kf.Kinfolk."
        )
        labels = row_labels(estimator)
        owners = intake.column(tasks)
        if owners is None or len(owners) != len(labels):
            count = "no column of" if owners is None else len(owners)
            raise InputError(
                f"tasks has {count} entries where the model was fitted to {len(labels)} "
                "rows; give the tasks of the fit."
            )
        found = Tasks.given(owners, len(owners))
        names = np.array([str(name) for name in found.names])[found.codes]
        drawn = list(dict.fromkeys(str(task) for task, _ in estimator.clusters_))
        added = getattr(estimator, "added_tasks_", [])
        fitted = drawn[: len(drawn) - len(added)]
        if set(names.tolist()) != set(fitted):
            raise InputError(
                f"tasks names {some(np.unique(names).tolist())} where the model was fitted to "
                f"{some(fitted)}; give the tasks of the fit."
            )
        of_fit = {task: labels[names == task] for task in fitted}
        later = zip(drawn[len(fitted) :], (alone.labels_ for alone in added), strict=True)
        own = {**of_fit, **dict(later)}
        sizes = [int((own[str(task)] == number).sum()) for task, number in estimator.clusters_]
        return cls(
            drawn,
            estimator.clusters_,
            kinds,
            np.array(sizes),
            estimator.match_strength_,
            estimator.cluster_links_,
        ).plot(ax)

    def _draw(self, ax: Any) -> None:
        from kinfolk.report import alluvial
        from kinfolk.report.content import Cluster

        each = zip(self.clusters, self.kinds, self.sizes, self.strengths, strict=True)
        clusters = [
            Cluster(task, number, int(kind), float(strength), np.arange(size))
            for (task, number), kind, size, strength in each
        ]
        ribbons = alluvial.Ribbons(self.tasks, clusters, self.links)
        axes = self._on_one(ax, ribbons.size)
        # Blocks too low for their text have none, so the height of the figure matters.
        alluvial.draw(axes, ribbons, float(self.figure_.get_figheight()))
