"""Base class of all displays, and functions that check given matplotlib axes or make new ones."""

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from kinfolk.arguments import type_of
from kinfolk.errors import InputError, import_extra

ACROSS = 3
"""The most panels side by side; further ones go into the next line."""


class Display(ABC):
    """Base class of plots; drawing sets `figure_`, and `ax_` or, for a panel per task, `axes_`."""

    ax_: Any
    axes_: NDArray[Any]
    figure_: Any

    def plot(self, ax: Any = None) -> Self:
        """Draw on `ax` (one axes per panel), or on a new figure; return the display."""
        self._draw(ax)
        return self

    @abstractmethod
    def _draw(self, ax: Any) -> None:
        """Draw on the axes that the user gave; None: on those of a new figure."""

    def _on_one(self, ax: Any, size: tuple[float, float]) -> Any:
        """Set `ax_` to `ax` or axes of a new figure, as of `one`, set `figure_`, return `ax_`."""
        self.ax_ = one(ax, size)
        self.figure_ = self.ax_.get_figure()
        return self.ax_

    def _on_several(self, ax: Any, number: int, size: tuple[float, float]) -> NDArray[Any]:
        """Set `axes_` to given or new axes, as of `several`, set `figure_`, and return `axes_`."""
        self.axes_ = several(ax, number, size)
        self.figure_ = self.axes_[0].get_figure()
        return self.axes_


def one(ax: Any, size: tuple[float, float]) -> Any:
    """Return `ax`, or axes of a new figure of this width and height in inches."""
    if ax is None:
        return _pyplot().subplots(figsize=size, layout="constrained")[1]
    if not hasattr(ax, "get_figure"):
        raise InputError(f"ax is {type_of(ax)}; give matplotlib axes, or None for new ones.")
    return ax


def several(ax: Any, number: int, size: tuple[float, float]) -> NDArray[Any]:
    """Return axes for a number of panels: those given as `ax`, or of a new figure.

    `size` is width and height of one panel in inches.
    """
    if ax is None:
        columns = min(ACROSS, number)
        rows = -(-number // columns)
        figsize = (size[0] * columns, size[1] * rows)
        look: dict[str, Any] = {"squeeze": False, "layout": "constrained"}
        panels = _pyplot().subplots(rows, columns, figsize=figsize, **look)[1].ravel()
        for empty in panels[number:]:
            empty.set_axis_off()
        return np.asarray(panels[:number])
    given = np.ravel(np.asarray(ax, dtype=object))
    if len(given) != number:
        raise InputError(
            f"ax holds {len(given)} axes where one for each of {number} data sets is drawn; give "
            "as many, or None for new ones."
        )
    return np.array([one(axes, size) for axes in given], dtype=object)


def _pyplot() -> Any:
    return import_extra("matplotlib.pyplot", "app", "Pictures need")


def attribute(estimator: Any, name: str, advice: str) -> Any:
    """Return a fitted estimator's attribute by name; InputError with advice if it is missing."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(estimator)
    found = getattr(estimator, name, None)
    if found is None:
        raise InputError(f"{type(estimator).__name__} has no {name}: {advice}")
    return found


def row_labels(estimator: Any) -> Any:
    """Return a clusterer's `labels_` (n,); InputError for a model that was saved without them."""
    labels = attribute(estimator, "labels_", "it is no clusterer.")
    if np.shape(labels) == (0,):
        raise InputError(
            "the model holds no labels of its rows, as it was saved with rows=False: give the "
            "fitted one, or one that was saved with its rows."
        )
    return labels
