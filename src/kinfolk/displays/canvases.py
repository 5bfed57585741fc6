"""Creates matplotlib axes, or checks those that the user gives."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinfolk.errors import InputError, import_extra

ACROSS = 3
"""Panels side by side."""


def one(ax: Any, size: tuple[float, float]) -> Any:
    """Return `ax`, or axes of a new figure of this width and height in inches."""
    if ax is None:
        return _pyplot().subplots(figsize=size, layout="constrained")[1]
    if not hasattr(ax, "get_figure"):
        raise InputError(
            f"ax is a {type(ax).__name__}; give matplotlib axes, or None for new ones."
        )
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
