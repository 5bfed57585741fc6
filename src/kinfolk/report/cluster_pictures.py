"""Mean images of clusters of pixels, and column means, deviations and names of any table.

>>> pixel_places(("pixel_0_0", "pixel_0_1", "pixel_1_0", "pixel_1_1")).tolist()
[[0, 0], [0, 1], [1, 0], [1, 1]]
"""

import base64
import io
import re

import numpy as np
import scipy.sparse as sp
from matplotlib import image
from numpy.typing import NDArray

from kinfolk.arrays import Table, Vector
from kinfolk.preparation import scaling
from kinfolk.report.content import Cluster, Page
from kinfolk.report.study import Study


def of_kind(page: Page, group: int) -> list[tuple[str, int, str]]:
    """Return task, size and mean image (data URL) of a group's clusters; [] without pixels."""
    pixels = pixel_places(page.study.feature_names)
    if pixels is None:
        return []
    return [
        (cluster.task, cluster.size, _mean_picture(page.study.X, cluster, pixels))
        for cluster in page.groups[group]
    ]


def kind(study: Study) -> str:
    """Classify the table as "pixels", "terms" (texts, sparse counts) or "numbers"."""
    if pixel_places(study.feature_names) is not None:
        return "pixels"
    # Zeros of counts mean absence; a sparse table with negative entries holds no counts.
    sparse = sp.issparse(study.X) and study.X.nnz > 0 and study.X.data.min() >= 0
    has_terms = study.data.texts is not None or study.terms is not None
    return "terms" if has_terms or sparse else "numbers"


def pixel_places(names: tuple[str, ...]) -> NDArray[np.integer] | None:
    """Parse pixel names to their row and column (d, 2); None for other names.

    Names are `pixel_row_column` without gaps, or begin with `pixel` and are a square number.

    >>> pixel_places(("pixel_0_0", "pixel_0_1", "pixel_1_0", "pixel_1_1")).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> print(pixel_places(("height", "weight")))
    None
    """
    # Fewer than 2 x 2 pixels are no picture.
    if len(names) < 4 or not all(name.startswith("pixel") for name in names):
        return None
    found = [re.fullmatch(r"pixel_?(\d{1,4})[_x](\d{1,4})", name) for name in names]
    if all(found):
        places = np.array([[int(part) for part in place.groups()] for place in found if place])
        return places if np.prod(places.max(axis=0) + 1) == len(names) else None
    side = round(len(names) ** 0.5)
    # No places in the names: a square picture, written line by line.
    return np.argwhere(np.ones((side, side))) if side * side == len(names) else None


def names(study: Study) -> tuple[str, ...]:
    """Return the names (d,) of the columns; "column 0" and so on if they have none."""
    return study.feature_names or tuple(f"column {j}" for j in range(study.X.shape[1]))


def means(X: Table, rows: NDArray[np.integer]) -> Vector:
    """Return the column means (d,) of some rows of X (n, d); zeros if there are none.

    >>> means(np.array([[1.0], [2.0], [9.0]]), np.array([0, 1]))
    array([1.5])
    """
    return np.asarray(X[rows].mean(axis=0)).ravel() if len(rows) else np.zeros(X.shape[1])


def spreads(X: Table, rows: NDArray[np.integer]) -> Vector:
    """Return the columns' standard deviations (d,) of some rows; those within rounding are 0.

    >>> spreads(np.array([[1.0, 0.1], [3.0, 0.1]]), np.array([0, 1]))
    array([1., 0.])
    """
    if isinstance(X, np.ndarray):
        return scaling.moments(X[rows])[1]
    mean = means(X, rows)
    spread = np.sqrt(np.maximum(means(X.power(2), rows) - mean**2, 0))
    # A constant column has a spread of rounding, by which no difference must be divided.
    return np.where(spread > 1e-7 * np.abs(mean), spread, 0.0)


def _mean_picture(X: Table, cluster: Cluster, pixels: NDArray[np.integer]) -> str:
    """Mean image of a cluster's rows, as a PNG in a data URL."""
    values = np.zeros(pixels.max(axis=0) + 1)
    values[pixels[:, 0], pixels[:, 1]] = means(X, cluster.rows)
    file = io.BytesIO()
    # Without this the file names the version of matplotlib, and pages differ between machines.
    image.imsave(file, values, cmap="gray_r", format="png", metadata={"Software": ""})
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"
