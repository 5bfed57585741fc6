"""Plot of the runs among which `kf.Kinfolk` chose its answer, one panel per task."""

from typing import Any, Self

import numpy as np

from kinfolk.displays.base import Display, attribute


class EvidenceDisplay(Display):
    """Scatter plot of runs by agreement with other runs and by modularity.

    A mark is a run: circles for methods of one task, diamonds for methods of several; filled if
    the run was kept. The star is the answer, the dashed line the modularity that tables without
    clusters reach.

    Parameters
    ----------
    estimator : a fitted `kf.Kinfolk`

    Attributes
    ----------
    axes_ : (T,) matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import kinfolk as kf
    >>> data = kf.datasets.make_related_blobs(20, n_features=4, random_state=0)
    >>> model = kf.Kinfolk(3, families=["kmeans", "mec"], random_state=0)
    >>> model = model.fit(data.X, tasks=data.tasks)
    >>> display = kf.EvidenceDisplay.from_estimator(model)
    >>> [axes.get_title() for axes in display.axes_]
    ['task-0', 'task-1']
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> Self:
        """Plot the runs of a fitted model.

        Parameters
        ----------
        estimator : a fitted `kf.Kinfolk`
        ax : as many matplotlib axes as tasks; None: those of a new figure

        Raises
        ------
        InputError : the model does not choose among runs, or the number of axes is not that of
            the tasks
        MissingExtraError : matplotlib is not installed
        """
        attribute(estimator, "evidence_", "only kf.Kinfolk chooses among runs.")
        return cls(estimator).plot(ax)

    def _draw(self, ax: Any) -> None:
        model = self.estimator
        tasks = list(dict.fromkeys(str(record["task"]) for record in model.guard_))
        panels = self._on_several(ax, len(tasks), (3.4, 2.9))
        from kinfolk.report import runs

        of_tasks = runs.of_tasks(tasks, model)
        methods = runs.methods_of(model.evidence_)
        frame = np.array([point for task in of_tasks for point in task.points])
        for axes, task in zip(panels, of_tasks, strict=True):
            runs.draw_task(axes, task, methods, frame)
            axes.set_title(task.task)
        handles = [
            axes.scatter([], [], marker=method.marker, color=method.color, label=method.name)
            for method in methods
        ]
        # Outside of the panels, so that no run is hidden.
        self.figure_.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False)
