"""Describe each cluster by the columns whose mean differs most from the mean of its task.

>>> import kinfolk as kf
>>> from kinfolk.report.content import read
>>> data = kf.datasets.make_related_blobs(20, n_features=4, random_state=0)
>>> study = kf.compare(data, n_clusters=3, method="mec").study
>>> first = profiles(read(study))[0][0]
>>> first.cluster.task, [(feature.name, round(feature.lift, 1)) for feature in first.features]
('task-0', [('x3', 1.2), ('x2', -1.2), ('x0', -1.1), ('x1', 1.0)])
"""

import base64
import io
import re
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp
from matplotlib import image
from numpy.typing import NDArray

from kinfolk.arrays import Table, Vector
from kinfolk.report.content import Cluster, Page
from kinfolk.report.study import Study

MOST_FEATURES = 8
_LEAST_DEVIATION = 0.2
"""Standard deviations by which a numeric column must differ to be named."""
_LEAST_TERM = 0.1
"""Share of the largest difference that a term must reach to be named."""


@dataclass(frozen=True)
class Feature:
    """A column and its difference from the task's mean.

    Attributes
    ----------
    name : the column's name
    lift : the cluster's mean minus the task's mean; in units of X for terms, else in
        standard deviations of the task
    """

    name: str
    lift: float


@dataclass(frozen=True)
class Profile:
    """The features that distinguish one cluster, or its mean picture as a data address."""

    cluster: Cluster
    features: list[Feature] = field(default_factory=list)
    picture: str = ""


def profiles(page: Page) -> dict[int, list[Profile]]:
    """Return the profiles of all clusters by group."""
    study = page.study
    pixels = pixel_places(study.feature_names)

    def profile(cluster: Cluster) -> Profile:
        if pixels is not None:
            return Profile(cluster, picture=_mean_picture(study.X, cluster, pixels))
        return Profile(cluster, _features(study, cluster, page.rows[cluster.task]))

    return {group: [profile(c) for c in found] for group, found in page.groups.items()}


def kind(study: Study) -> str:
    """Return "pixels", "terms" (texts, or sparse counts) or "numbers"."""
    if pixel_places(study.feature_names) is not None:
        return "pixels"
    # Zeros of counts mean absence; a sparse table with negative entries holds no counts.
    sparse = sp.issparse(study.X) and study.X.nnz > 0 and study.X.data.min() >= 0
    return "terms" if study.data.texts is not None or sparse else "numbers"


def pixel_places(names: tuple[str, ...]) -> NDArray[np.integer] | None:
    """Return the row and column (d, 2) of each pixel, or None if the names are not pixels'.

    Names are `pixel_row_column` without gaps, or begin with `pixel` and are a square number.

    >>> pixel_places(("pixel_0_0", "pixel_0_1", "pixel_1_0", "pixel_1_1")).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> pixel_places(("height", "weight")) is None
    True
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


def shared(gathered: dict[int, list[Profile]]) -> dict[int, set[tuple[str, bool]]]:
    """Return for each group the features that occur in the profiles of several clusters.

    A feature is its name and True for a mean above the task's: columns that are high in one
    cluster and low in another are different features.

    >>> one = Profile(Cluster("a", 0, 5, 0.9, np.arange(2)), [Feature("x", 1.5), Feature("y", -1)])
    >>> other = Profile(Cluster("b", 0, 5, 0.9, np.arange(2)), [Feature("x", 0.5), Feature("y", 2)])
    >>> shared({5: [one, other]})
    {5: {('x', True)}}
    """
    found = {}
    for group, members in gathered.items():
        times = Counter((f.name, f.lift > 0) for member in members for f in member.features)
        found[group] = {feature for feature, n in times.items() if n > 1}
    return found


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
    """Return the columns' standard deviations (d,) of some rows.

    >>> spreads(np.array([[1.0, 0.1], [3.0, 0.1]]), np.array([0, 1]))
    array([1., 0.])
    """
    mean = means(X, rows)
    squares = means(np.square(X) if isinstance(X, np.ndarray) else X.power(2), rows)
    spread = np.sqrt(np.maximum(squares - mean**2, 0))
    # A constant column has a spread of rounding, by which no difference must be divided.
    return np.where(spread > 1e-9 * (1 + np.abs(mean)), spread, 0.0)


def _features(study: Study, cluster: Cluster, task: NDArray[np.integer]) -> list[Feature]:
    """Return the columns that differ most from the task's mean, the largest difference first."""
    X = study.X
    mean = means(X, task)
    lift = means(X, cluster.rows) - mean if cluster.size else np.zeros_like(mean)
    if kind(study) == "numbers":
        spread = spreads(X, task)
        lift = np.divide(lift, spread, out=np.zeros_like(lift), where=spread > 0)
        weight = np.abs(lift)
        enough = _LEAST_DEVIATION
    else:
        # A term that a cluster lacks says little, so only larger means count.
        weight = lift
        enough = max(1e-9, _LEAST_TERM * lift.max(initial=0))
    order = np.argsort(-weight, kind="stable")[:MOST_FEATURES]
    chosen = order[weight[order] >= enough]
    called = names(study)
    return [Feature(called[j], float(lift[j])) for j in chosen]


def _mean_picture(X: Table, cluster: Cluster, pixels: NDArray[np.integer]) -> str:
    """Return the mean of the cluster's rows as a PNG in a data address."""
    values = np.zeros(pixels.max(axis=0) + 1)
    values[pixels[:, 0], pixels[:, 1]] = means(X, cluster.rows)
    file = io.BytesIO()
    # Without this the file names the version of matplotlib, and pages differ between machines.
    image.imsave(file, values, cmap="gray_r", format="png", metadata={"Software": ""})
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"
