"""Caltech101-7: photographs of seven kinds of objects, in image-feature views.

Source  L. Fei-Fei, R. Fergus, P. Perona, "Learning generative visual models from few training
        examples", CVPR workshop on generative-model based vision, 2004.
"""

import functools
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Matrix
from kinfolk.datasets import assembly, image_features
from kinfolk.datasets.data_home import DataHome
from kinfolk.datasets.registry import COLLECTIONS
from kinfolk.tables import RelatedData

CALTECH = COLLECTIONS["caltech101"]
FILE = "multiview/caltech101_20_gray96.npz"


def load_caltech101_7(data: DataHome = None) -> RelatedData:
    """Load Caltech101-7: 1474 photographs, seven classes, four views; needs the extra "images".

    The views are those of `image_features.extract_features`: scikit-image computes them from gray
    images of 96 x 96. They are NOT the published six (Gabor, wavelet moments, CENTRIST, HOG, GIST,
    LBP); no copy of those was to be had, so figures do not compare with theirs. They take about
    twenty seconds and are kept until the program ends.

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
    views, target = _views_and_classes(CALTECH.locate(FILE, "caltech101-7", data))
    what = "Caltech 101"
    note = "features computed from the images, not the published ones"
    return assembly.from_views("caltech101-7", views, target, CALTECH.origin(what, note))


# Kept, since the features take twenty seconds; by path, since the file was verified just before.
@functools.lru_cache(maxsize=1)
def _views_and_classes(path: Path) -> tuple[dict[str, Matrix], NDArray[np.str_]]:
    """Compute the views of the images of the seven classes; return views and classes (n,)."""
    with np.load(path, allow_pickle=False) as arrays:
        # The file holds twenty classes, and says which of them are the seven.
        kept = arrays["in_caltech101_7"][arrays["y"]] == 1
        target = arrays["class_names"][arrays["y"][kept]]
        images = arrays["view_0"][kept].reshape(-1, *arrays["image_shape"])
    return image_features.extract_features(images), target
