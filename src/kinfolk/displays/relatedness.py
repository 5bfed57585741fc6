"""Plot of a matrix over pairs of tasks: learned relatedness, or agreement."""

from typing import Any, Self

import numpy as np

from kinfolk.arrays import Matrix
from kinfolk.displays.base import Display, attribute
from kinfolk.errors import InputError

KINDS = {
    "agreement": ("task_agreement_", ("", ""), "kf.Kinfolk has it after a fit of several tasks."),
    "help": (
        "task_relatedness_",
        ("help from", "help for"),
        "methods that learn the relatedness of tasks have it, such as kf.MTCFIR.",
    ),
}
"""Kind of relatedness -> attribute of the model, names of both axes, advice if it is missing."""


class RelatednessDisplay(Display):
    """Heat map of the relatedness, or agreement, of each pair of tasks.

    Parameters
    ----------
    values : (T, T) a number for each pair of tasks; of the diagonal nothing is shown
    tasks : (T,) names
    kind : "agreement", of the clusters that each task has by itself, 0 for chance and 1 for the
        same; or "help", the weight of the task of a column for the task of a line

    Attributes
    ----------
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import kinfolk as kf
    >>> data = kf.datasets.make_related_blobs(20, n_features=4, random_state=0)
    >>> model = kf.Kinfolk(3, families=["kmeans", "mec"], random_state=0)
    >>> model = model.fit(data.X, tasks=data.tasks)
    >>> display = kf.RelatednessDisplay.from_estimator(model)
    >>> display.tasks, display.values.round(2)
    (['task-0', 'task-1'], array([[1.  , 0.53],
                                  [0.53, 1.  ]]))
    """

    def __init__(self, values: Matrix, tasks: Any, *, kind: str = "agreement") -> None:
        self.values = np.asarray(values, dtype=float)
        self.tasks = [str(task) for task in tasks]
        self.kind = kind

    @classmethod
    def from_estimator(cls, estimator: Any, *, kind: str = "agreement", ax: Any = None) -> Self:
        """Plot the task relatedness of a fitted model.

        Parameters
        ----------
        estimator : a fitted model with `task_agreement_` or `task_relatedness_`
        kind : "agreement" or "help"
        ax : matplotlib axes; None: those of a new figure

        Raises
        ------
        InputError : the kind is unknown, or the model does not have it
        MissingExtraError : matplotlib is not installed
        """
        if kind not in KINDS:
            raise InputError(f'kind is {kind!r}; choose "agreement" or "help".')
        name, _, advice = KINDS[kind]
        values = attribute(estimator, name, advice)
        # A task that was added later has no part in what the fit learned.
        return cls(values, estimator.task_names_[: len(values)], kind=kind).plot(ax)

    def _draw(self, ax: Any) -> None:
        from kinfolk.report import heatmap

        T = len(self.tasks)
        axes = self._on_one(ax, (max(4.2, 1.4 + 0.62 * T), max(2.2, 1.0 + 0.5 * T)))
        heatmap.draw_pairs(axes, self.tasks, self.values, KINDS[self.kind][1])
