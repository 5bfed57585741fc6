"""Plot of a comparison's scores: alone, pooled and together."""

from typing import Any, Self

import numpy as np

from kinfolk import arguments
from kinfolk.comparison import Comparison
from kinfolk.displays.base import Display
from kinfolk.errors import InputError
from kinfolk.tables.alignment import some


class ScoresDisplay(Display):
    """Dot plot of the scores of every strategy in every task.

    Parameters
    ----------
    comparison : as `kf.compare` returns it
    measure : "silhouette", or "accuracy" or "nmi" where the true classes are known

    Attributes
    ----------
    ax_ : matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import kinfolk as kf
    >>> data = kf.datasets.make_related_blobs(20, n_features=4, random_state=0)
    >>> found = kf.compare(data, n_clusters=3, method="joint-spectral")
    >>> display = kf.ScoresDisplay.from_comparison(found, measure="nmi")
    >>> display.ax_.get_xlabel()
    'NMI, %'
    """

    def __init__(self, comparison: Any, measure: str = "silhouette") -> None:
        self.comparison = comparison
        self.measure = measure

    @classmethod
    def from_comparison(
        cls, comparison: Any, *, measure: str = "silhouette", ax: Any = None
    ) -> Self:
        """Plot the scores of a comparison on `ax`, or on a new figure.

        Raises
        ------
        InputError : this is no comparison, or it does not have this measure for all of its results
        MissingExtraError : matplotlib is not installed
        """
        arguments.instance("comparison", comparison, Comparison, "give the result of kf.compare")
        scored = [result for result in comparison.results if result.scores]
        known = list(dict.fromkeys(name for result in scored for name in result.scores))
        if measure not in known:
            raise InputError(f"measure is {measure!r}; these rows have {', '.join(known)}.")
        if without := [result.name for result in scored if measure not in result.scores]:
            raise InputError(
                f"measure is {measure!r}, which {some(without)} lack; choose one that all have, of "
                f"{', '.join(known)}."
            )
        return cls(comparison, measure).plot(ax)

    def _draw(self, ax: Any) -> None:
        results = [result for result in self.comparison.results if result.scores]
        tasks = list(dict.fromkeys(task for r in results for task in r.scores[self.measure]))
        axes = self._on_one(ax, (4.6, 1.6 + 0.4 * max(len(tasks), 2)))
        from kinfolk.report import figures, findings, wording

        values = [[findings.score(r, self.measure, task) for task in tasks] for r in results]
        own = wording.words(self.comparison.study).own
        names = [result.name for result in results]
        figures.draw_scores(
            axes, self.measure, [str(t) for t in tasks], names, np.array(values), own
        )
        if len(tasks) > 1:
            look = {"loc": "lower left", "bbox_to_anchor": (0, 1.02), "frameon": False}
            axes.legend(ncols=2, **look)
