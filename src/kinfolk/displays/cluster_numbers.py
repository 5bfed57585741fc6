"""Plot of the criteria for the number of clusters, one panel per task."""

from collections.abc import Sequence
from typing import Any, Self

from kinfolk.displays.base import Display, attribute
from kinfolk.errors import InputError


class ClusterNumbersDisplay(Display):
    """Plot of the criteria against the number of clusters, with the suggestion.

    The solid curve is the agreement of clusterings of two halves of the rows, with one standard
    error; the dashed one the gap of eigenvalues or the clearness, on a scale of its own; the dotted
    one the agreement with other tasks. The band is the interval of plausible numbers.

    Parameters
    ----------
    suggestions : as `kf.suggest_clusters` returns them

    Attributes
    ----------
    axes_ : (T,) matplotlib axes
    figure_ : matplotlib figure

    Examples
    --------
    >>> import kinfolk as kf
    >>> data = kf.datasets.make_related_blobs(20, 4, 2, random_state=0)
    >>> found = kf.suggest_clusters(data.X, data.tasks, random_state=0)
    >>> display = kf.ClusterNumbersDisplay.from_suggestions(found)
    >>> len(display.axes_)
    2
    """

    def __init__(self, suggestions: Any) -> None:
        self.suggestions = suggestions

    @classmethod
    def from_suggestions(cls, suggestions: Any, *, ax: Any = None) -> Self:
        """Plot the result of `kf.suggest_clusters`; `ax` holds one matplotlib axes per task.

        Raises
        ------
        InputError : these are no suggestions, or the number of axes is not that of the tasks
        MissingExtraError : matplotlib is not installed
        """
        found = suggestions if isinstance(suggestions, Sequence) else []
        if not found or not all(hasattr(suggestion, "curve") for suggestion in found):
            raise InputError(
                "suggestions are not those of kf.suggest_clusters; give what it returns."
            )
        return cls(suggestions).plot(ax)

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> Self:
        """Plot the suggestions of a model fitted with n_clusters="auto"."""
        advice = 'it was fitted to given numbers of clusters; fit kf.Kinfolk(n_clusters="auto").'
        return cls(attribute(estimator, "suggestions_", advice)).plot(ax)

    def _draw(self, ax: Any) -> None:
        panels = self._on_several(ax, len(self.suggestions), (3.2, 2.5))
        from kinfolk.report import number_curves

        for axes, suggestion in zip(panels, self.suggestions, strict=True):
            number_curves.panel(axes, suggestion)
            axes.set_xlabel("clusters")
