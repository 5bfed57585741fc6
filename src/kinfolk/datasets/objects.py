"""Caltech101-7: photographs of seven kinds of things, in views computed from the images.

Source  L. Fei-Fei, R. Fergus, P. Perona, "Learning generative visual models from few training
        examples", CVPR workshop on generative-model based vision, 2004.
"""

import functools
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Matrix
from kinfolk.datasets import archives, home, imaging
from kinfolk.datasets.archives import Archive
from kinfolk.tables import RelatedData

HOME_PAGE = "https://doi.org/10.22002/D1.20086"
TERMS = "CC BY 4.0 (CaltechDATA)."
IMAGES = Archive(
    "multiview",
    "caltech101_20_gray96.npz",
    "efce6820166913ee79c7fb124a69e5e9358ca5ca78ba546d7a18e49e0b54fe0e",
)


def load_caltech101_7(data: home.Place = None) -> RelatedData:
    """Load Caltech101-7: 1474 photographs in seven classes, in four views; needs "images".

    The views are those of `imaging.features`, computed by scikit-image from grey images of
    96 x 96. They are NOT the published six (Gabor, wavelet moments, CENTRIST, HOG, GIST, LBP), of
    which no copy was to be had: figures do not compare with theirs. They take some twenty seconds
    and are kept until the program ends.

    Returns
    -------
    RelatedData : one task "all"; `X` (1474, 2320) in the views "hog" (800), "lbp" (944), "gabor"
        (64) and "gist" (512), all non-negative; `target` the class

    Raises
    ------
    MissingDataError : the data directory does not hold it
    FileFormatError : it is damaged or another version
    MissingExtraError : scikit-image is not installed
    """
    path = IMAGES.find("caltech101-7", data, HOME_PAGE)
    home.verify(path, IMAGES.sha256)
    views, target = _described(path)
    origin = (
        f"Caltech 101, {HOME_PAGE}; features computed from the images, not the published ones. "
        f"{TERMS}"
    )
    return archives.side_by_side("caltech101-7", views, target, origin)


@functools.lru_cache(maxsize=1)
def _described(path: Path) -> tuple[dict[str, Matrix], NDArray[np.str_]]:
    """Return the views and classes of the pictures of the seven classes."""
    with np.load(path, allow_pickle=False) as arrays:
        kept = arrays["in_caltech101_7"][arrays["y"]] == 1
        target = arrays["class_names"][arrays["y"][kept]]
        images = arrays["view_0"][kept].reshape(-1, *arrays["image_shape"])
    return imaging.features(images), target
