"""Simulated data of the papers: transfer between sites, and views with negative values.

The papers print no parameters of these data, only numbers of classes and columns and, in part, of
rows. The transfer scenes have parameters for which k-means scores about what table 1 of KT-MEC
has for its rival MEC (NMI .81, .83, .65, .75 on X1 to X4); all others are free choices.

Source  section 4.2.1 of the KT-MEC paper (2015); section 3.1.1 of the Co-MVCF paper (2023).
"""

import numpy as np
from numpy.typing import ArrayLike

from kinfolk.arrays import Matrix
from kinfolk.datasets import assembly
from kinfolk.datasets.registry import COLLECTIONS
from kinfolk.errors import InputError
from kinfolk.estimators import checks
from kinfolk.numerics import distances, matching
from kinfolk.tables import RelatedData

TERMS = COLLECTIONS["simulated"].terms

SOURCE_CENTERS = np.array([[5.0, 5.0], [20.0, 6.0], [12.0, 20.0]])
TRUE_CENTERS = np.array([[6.0, 6.0], [20.0, 7.0], [13.0, 20.0]])
"""V_true of KT-MEC: the means of the three classes of the ideal target, (3, 2)."""

_SOURCE_COVARIANCES = np.broadcast_to(10 * np.eye(2), (3, 2, 2))
_TARGET_COVARIANCES = np.array([[[24, 0], [0, 4]], [[12, 4], [4, 12]], [[8, 0], [0, 18]]])
_STRAY_CENTERS = np.array([[20.0, 15.0], [5.0, 15.0]])
_STRAY_COVARIANCES = np.broadcast_to(2 * np.eye(2), (2, 2, 2))
_ROWS_PER_CLASS = {"x1": 10, "x2": 100, "x3": 100, "x4": 100}


def make_transfer_scene(scene: str, draw: int = 0) -> RelatedData:
    """Make KT-MEC's simulated source of 750 rows, and one of its four targets, "x1" to "x4".

    Source and ideal target have three Gaussian classes, alike but not the same. From 250 rows of
    each class of the ideal target, the same in all scenes of a draw, come

    - "x1", the first 10 rows of each class: too few;
    - "x2", the first 100 rows of each class: enough;
    - "x3", x2 and 70 stray rows, 35 beside each of the second and third class, with its label;
    - "x4", x2 with Gaussian noise of mean 0 and variance 2.

    Parameters
    ----------
    scene : "x1", "x2", "x3" or "x4"
    draw : number of the random draw, 0, 1, 2 ...

    Returns
    -------
    RelatedData : tasks "source" (750) and "target" (30, 300, 370 or 300); `X` (n, 2); `target`
        "class1", "class2", "class3", whose means in the ideal target are `TRUE_CENTERS`

    Raises
    ------
    InputError : there is no such scene, or draw is no whole number >= 0

    >>> data = make_transfer_scene("x3")
    >>> {task: int(np.sum(data.tasks == task)) for task in data.task_names}
    {'source': 750, 'target': 370}
    >>> data.X[:2].round(1), data.target[:2].tolist()
    (array([[10.6,  6.3],
           [ 8.1, 12.1]]), ['class1', 'class1'])
    """
    n = _ROWS_PER_CLASS[checks.choice("scene", scene, _ROWS_PER_CLASS)]
    random = checks.random(checks.at_least("draw", draw, 0))
    # Drawn before anything that depends on the scene, so that all scenes of a draw share rows.
    source = _gaussian(SOURCE_CENTERS, _SOURCE_COVARIANCES, 250, random)
    ideal = _gaussian(TRUE_CENTERS, _TARGET_COVARIANCES, 250, random)
    target = ideal[:, :n].reshape(-1, 2)
    classes = [np.repeat([1, 2, 3], 250), np.repeat([1, 2, 3], n)]
    if scene == "x3":
        stray = _gaussian(_STRAY_CENTERS, _STRAY_COVARIANCES, 35, random)
        target = np.concatenate([target, stray.reshape(-1, 2)])
        classes.append(np.repeat([2, 3], 35))
    if scene == "x4":
        # The paper gives the variance, 2; NumPy takes the standard deviation.
        target = target + random.normal(0, np.sqrt(2), target.shape)
    sizes = [750, len(target)]
    return RelatedData(
        name=f"simulated-transfer-{scene}",
        tasks=np.repeat(["source", "target"], sizes),
        row_ids=np.concatenate([np.arange(size) for size in sizes]).astype(str),
        X=np.concatenate([source.reshape(-1, 2), target]),
        feature_names=("x", "y"),
        target=np.array([f"class{c}" for c in np.concatenate(classes)]),
        origin=f"The scene {scene.upper()} of KT-MEC, draw {draw}. {TERMS}",
    )


def distance_to_truth(centers: ArrayLike) -> float:
    """Sum of squared distances of three centers to `TRUE_CENTERS`, under the best pairing.

    Parameters
    ----------
    centers : (3, 2) cluster centers of the target of a transfer scene, in any order

    Raises
    ------
    InputError : not three finite centers in two columns

    >>> distance_to_truth([[20.0, 8.0], [13.0, 20.0], [6.0, 6.0]])
    1.0
    """
    V = np.asarray(centers, dtype=float)
    if V.shape != TRUE_CENTERS.shape or not np.all(np.isfinite(V)):
        raise InputError(
            f"centers have shape {V.shape}; give the three centers of a transfer scene, finite "
            f"numbers of shape {TRUE_CENTERS.shape}."
        )
    # The assignment maximizes, so that distances go in with a minus.
    D = distances.squared(TRUE_CENTERS, V)
    return float(D[np.arange(3), matching.assignment(-D)].sum())


def make_toydata(draw: int = 0) -> RelatedData:
    """Make ToyData: 600 rows, three classes, two views that each confuse two classes.

    The Co-MVCF paper says of its ToyData only that it has several views and negative values.

    Parameters
    ----------
    draw : number of the random draw, 0, 1, 2 ...

    Returns
    -------
    RelatedData : one task "all"; `X` (600, 4), in view "first" (2) classes 1 and 2 have the same
        mean, in view "second" (2) classes 0 and 1; variance 1; `target` "0" to "2"

    >>> data = make_toydata()
    >>> {c: data.X[data.target == c].mean(axis=0).round().astype(int).tolist() for c in "012"}
    {'0': [-4, -2, -2, 1], '1': [2, 1, -2, 1], '2': [2, 1, 4, -2]}
    """
    random = checks.random(checks.at_least("draw", draw, 0))
    target = np.repeat([0, 1, 2], 200)
    # Rows are classes: each view gives the same mean to two of them.
    means = {"first": [[-4, -2], [2, 1], [2, 1]], "second": [[-2, 1], [-2, 1], [4, -2]]}
    views = {
        view: np.array(mean)[target] + random.standard_normal((600, 2))
        for view, mean in means.items()
    }
    return assembly.from_views("toydata", views, target, f"After ToyData, draw {draw}. {TERMS}")


def make_syn500(draw: int = 0) -> RelatedData:
    """Make syn500: 500 rows, five classes, three linear views of one hidden space.

    The Co-MVCF paper says of its syn500 only that it has several views and negative values.

    Parameters
    ----------
    draw : number of the random draw, 0, 1, 2 ...

    Returns
    -------
    RelatedData : one task "all"; `X` (500, 90) in views "first" (20), "second" (30) and "third"
        (40): Gaussian classes in ten hidden columns, variance 1 and means of variance 1, times a
        Gaussian matrix, with noise of 1, 2 and 4 times the variance of the hidden columns;
        `target` "0" to "4"

    >>> make_syn500().X.shape
    (500, 90)
    """
    random = checks.random(checks.at_least("draw", draw, 0))
    target = np.repeat(np.arange(5), 100)
    hidden = random.standard_normal((5, 10))[target] + random.standard_normal((500, 10))
    # A sum of ten products of unit variance has variance 10: noise 1 is as strong as the signal.
    views = {
        view: hidden @ random.standard_normal((10, d))
        + random.normal(0, np.sqrt(noise * 10), (500, d))
        for view, d, noise in (("first", 20, 1), ("second", 30, 2), ("third", 40, 4))
    }
    return assembly.from_views("syn500", views, target, f"After syn500, draw {draw}. {TERMS}")


def _gaussian(means: Matrix, covariances: Matrix, n: int, random: np.random.RandomState) -> Matrix:
    """Draw n rows of each Gaussian class, (classes, n, 2)."""
    return np.array(
        [random.multivariate_normal(m, S, n) for m, S in zip(means, covariances, strict=True)]
    )
