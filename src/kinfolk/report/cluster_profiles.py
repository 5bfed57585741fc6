"""What makes each cluster: the columns in which its rows differ most from the task's mean."""

import base64
import io
import re
from collections import Counter
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import scipy.sparse as sp
from matplotlib import image
from numpy.typing import NDArray

from kinfolk.arrays import Table, Vector
from kinfolk.report import groups
from kinfolk.report.groups import Cluster
from kinfolk.report.study import Study

MOST_FEATURES = 8


@dataclass(frozen=True)
class Feature:
    """A column that marks a cluster.

    Attributes
    ----------
    name : the column's name
    lift : the cluster's mean minus the task's mean; in units of X for terms, else in
        standard deviations of the task
    """

    name: str
    lift: float


@dataclass(frozen=True)
class Portrait:
    """One cluster and what marks it: features, or its mean picture as a data address."""

    cluster: Cluster
    features: list[Feature] = field(default_factory=list)
    picture: str = ""


def of(study: Study) -> dict[int, list[Portrait]]:
    """Return the portraits of all clusters, gathered by group."""
    pixels = pixel_places(study.feature_names)
    draw = _described if pixels is None else partial(_pictured, pixels)
    return {
        group: [draw(study, cluster) for cluster in members]
        for group, members in groups.by_group(study).items()
    }


def kind(study: Study) -> str:
    """Return "pixels", "terms" (texts, or sparse counts) or "numbers"."""
    if pixel_places(study.feature_names) is not None:
        return "pixels"
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
    if len(names) < 4 or not all(name.startswith("pixel") for name in names):
        return None
    found = [re.fullmatch(r"pixel_?(\d{1,4})[_x](\d{1,4})", name) for name in names]
    if all(found):
        places = np.array([[int(part) for part in place.groups()] for place in found if place])
        return places if np.prod(places.max(axis=0) + 1) == len(names) else None
    side = round(len(names) ** 0.5)
    return np.argwhere(np.ones((side, side))) if side * side == len(names) else None


def shared(gathered: dict[int, list[Portrait]]) -> dict[int, set[tuple[str, bool]]]:
    """Return for each group the features, with the lift's sign, that mark several clusters."""
    kin = {}
    for group, members in gathered.items():
        marks = Counter(
            (mark.name, mark.lift > 0) for member in members for mark in member.features
        )
        kin[group] = {mark for mark, times in marks.items() if times > 1}
    return kin


def names(study: Study) -> tuple[str, ...]:
    """Return the names (d,) of the columns, by position where they have none."""
    return study.feature_names or tuple(f"column {j}" for j in range(study.X.shape[1]))


def means(X: Table, rows: NDArray[np.integer]) -> Vector:
    """Return the column means (d,) of some rows of X (n, d); zeros if there are none.

    >>> means(np.array([[1.0], [2.0], [9.0]]), np.array([0, 1]))
    array([1.5])
    """
    return np.asarray(X[rows].mean(axis=0)).ravel() if len(rows) else np.zeros(X.shape[1])


def spreads(X: Table, rows: NDArray[np.integer]) -> Vector:
    """Return the columns' standard deviations (d,) of some rows; 0 up to rounding is 0.

    >>> spreads(np.array([[1.0, 0.1], [3.0, 0.1]]), np.array([0, 1]))
    array([1., 0.])
    """
    mean = means(X, rows)
    squares = means(np.square(X) if isinstance(X, np.ndarray) else X.power(2), rows)
    spread = np.sqrt(np.maximum(squares - mean**2, 0))
    return np.where(spread > 1e-9 * (1 + np.abs(mean)), spread, 0.0)


def _described(study: Study, cluster: Cluster) -> Portrait:
    """Keep terms with a tenth of the largest lift, numbers off by a fifth of a deviation."""
    X = study.X
    everyone = groups.rows(study, cluster.task)
    mean = means(X, everyone)
    lift = means(X, cluster.rows) - mean if cluster.size else np.zeros_like(mean)
    if kind(study) == "numbers":
        spread = spreads(X, everyone)
        lift = np.divide(lift, spread, out=np.zeros_like(lift), where=spread > 0)
        weight, enough = np.abs(lift), 0.2
    else:
        weight, enough = lift, max(1e-9, 0.1 * lift.max(initial=0))
    order = np.argsort(-weight, kind="stable")[:MOST_FEATURES]
    chosen = order[weight[order] >= enough]
    called = names(study)
    return Portrait(cluster, [Feature(called[j], float(lift[j])) for j in chosen])


def _pictured(pixels: NDArray[np.integer], study: Study, cluster: Cluster) -> Portrait:
    canvas = np.zeros(pixels.max(axis=0) + 1)
    canvas[pixels[:, 0], pixels[:, 1]] = means(study.X, cluster.rows)
    file = io.BytesIO()
    image.imsave(file, canvas, cmap="gray_r", format="png", metadata={"Software": ""})
    encoded = base64.b64encode(file.getvalue()).decode()
    return Portrait(cluster, picture=f"data:image/png;base64,{encoded}")
