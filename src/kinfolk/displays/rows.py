"""Scatter plots of all tasks' rows in a common plane, one panel per task."""

from typing import Any, Self

import numpy as np

from kinfolk import arguments
from kinfolk.arrays import Labels, Matrix
from kinfolk.displays.base import Display, row_labels
from kinfolk.errors import InputError, import_extra
from kinfolk.estimators import checks
from kinfolk.numerics import distances, operators
from kinfolk.preparation import scaling
from kinfolk.tables import Tasks, intake

PROJECTIONS = ("principal", "umap")

UMAP_NEIGHBORS = 15
"""Neighbors of each row in UMAP's graph, as by its default; fewer if there are fewer rows."""

UMAP_ROWS = 4
"""Fewest rows that UMAP takes: it starts from three eigenvectors of the graph of the rows."""


class RowsDisplay(Display):
    """Scatter plots of rows in a common plane, marked by matched cluster.

    Parameters
    ----------
    points : (n, 2) places of the rows
    tasks : (n,) task of each row
    kinds : (n,) number of the kind of each row

    Attributes
    ----------
    axes_ : (T,) matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import kinfolk as kf
    >>> data = kf.datasets.make_related_blobs(20, n_features=4, random_state=0)
    >>> model = kf.PerTask(kf.MEC(random_state=0), 3).fit(data.X, tasks=data.tasks)
    >>> display = kf.RowsDisplay.from_estimator(model, data.X, data.tasks)
    >>> display.points.shape, [axes.get_title() for axes in display.axes_]
    ((40, 2), ['task-0', 'task-1'])
    """

    def __init__(self, points: Matrix, tasks: Any, kinds: Labels) -> None:
        self.points = np.asarray(points, dtype=float)
        self.tasks = Tasks.given(tasks, len(self.points)).of_rows(texts=True)
        self.kinds = np.asarray(kinds)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        tasks: Any = None,
        *,
        projection: str = "principal",
        ax: Any = None,
    ) -> Self:
        """Plot the training rows X (n, d), where `tasks` names each row's task.

        Parameters
        ----------
        estimator : a fitted clusterer
        X : (n, d) the table of the fit
        tasks : (n,) names, or that of a column of X; None: one task
        projection : "principal", principal components within the tasks; or "umap", of all rows
            less the mean of their task, which needs the extra `umap`. Columns of dense tables
            are scaled to variance 1 within the tasks, sparse rows to length 1
        ax : as many matplotlib axes as tasks; None: those of a new figure

        Raises
        ------
        InputError : the projection is unknown, X has another number of rows than the fit,
            fewer than 4 for UMAP, or entries that are no finite numbers
        MissingExtraError : matplotlib or umap-learn is not installed
        """
        arguments.choice("projection", projection, PROJECTIONS)
        labels = row_labels(estimator)
        kinds = getattr(estimator, "matched_labels_", labels)
        found, X = checks.tasks_of(tasks, X)
        X = intake.matrix(X, "X")
        if not np.isfinite(operators.entries(X)).all():
            raise InputError(
                "X has entries that are missing or infinite, so that rows have no place in a "
                "plane; fill them in, or leave out their columns."
            )
        if X.shape[0] != len(labels):
            raise InputError(
                f"X has {X.shape[0]} rows where the model was fitted to {len(labels)}; give the "
                "table of the fit."
            )
        owners = found.of_rows(texts=True)
        return cls(_placed(X, found.codes, projection), owners, kinds).plot(ax)

    def _draw(self, ax: Any) -> None:
        names = Tasks.of(self.tasks).names
        panels = self._on_several(ax, len(names), (3.1, 2.9))
        from kinfolk.report import canvas, figures

        frame = canvas.limits(self.points)
        raster = len(self.points) > figures.RASTER_ABOVE
        for axes, name in zip(panels, names, strict=True):
            own = self.tasks == name
            members = [
                (int(kind), self.points[own & (self.kinds == kind)])
                for kind in np.unique(self.kinds[own])
            ]
            figures.draw_rows(axes, members, frame, raster)
            axes.set_title(name if len(names) > 1 else "")


def _placed(X: Any, codes: Labels, projection: str) -> Matrix:
    """Project rows X (n, d) of tasks `codes` (n,) to coordinates (n, 2) in one plane."""
    # Long texts would push all others into one spot, and a column in grams those in meters.
    X = distances.unit_rows(X.tocsr()) if hasattr(X, "tocsr") else _scaled(X, codes)
    if projection == "principal":
        from kinfolk.report.projection import coordinates

        return coordinates(X, codes)
    umap = import_extra("umap", "umap", "projection='umap' needs")
    if len(codes) < UMAP_ROWS:
        raise InputError(
            f"projection='umap' needs at least {UMAP_ROWS} rows and there are {len(codes)}; take "
            "projection='principal'."
        )
    # Less the mean of the task, so that a shift of a whole task does not make islands of tasks.
    rows = _centered(operators.dense(X), codes)
    near = min(UMAP_NEIGHBORS, len(rows) - 1)
    return np.asarray(umap.UMAP(near, random_state=0, n_jobs=1).fit_transform(rows))


def _centered(X: Matrix, codes: Labels) -> Matrix:
    """Subtract the task's mean from each row of X (n, d)."""
    means = np.array([X[codes == t].mean(axis=0) for t in range(codes.max() + 1)])
    return X - means[codes]


def _scaled(X: Matrix, codes: Labels) -> Matrix:
    """Scale columns of X (n, d) to variance 1 within tasks; constant columns stay as they are."""
    spread = _centered(X, codes).std(axis=0)
    # The mean of many equal values is off by rounding, their range within a task is 0.
    ranges = [np.ptp(X[codes == t], axis=0) for t in range(codes.max() + 1)]
    varies = np.max(ranges, axis=0) > scaling.rounding(X)
    return X / np.where(varies & (spread > scaling.rounding(X)), spread, 1.0)
