"""Features of grey images, and the reading of image files: what needs the extra "images".

Source  hog    N. Dalal, B. Triggs, CVPR 2005;
        lbp    T. Ojala, M. Pietikainen, T. Maenpaa, IEEE TPAMI 24(7), 2002, uniform patterns;
        gabor  B. S. Manjunath, W. Y. Ma, IEEE TPAMI 18(8), 1996, means and deviations;
        gist   A. Oliva, A. Torralba, IJCV 42(3), 2001, means over a grid.
"""

import importlib
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import scipy.fft
from numpy.typing import NDArray

from kinfolk import progress
from kinfolk.arrays import Matrix
from kinfolk.errors import FileFormatError, MissingExtraError

FREQUENCIES = (0.35, 0.25, 0.175, 0.125)
"""Of the Gabor filters, in cycles a pixel."""

ORIENTATIONS = 8
"""Of the Gabor filters and, as bins, of HOG."""


def features(images: NDArray[np.uint8]) -> dict[str, Matrix]:
    """Return four views of grey images (n, side, side), computed by scikit-image.

    Parameters
    ----------
    images : values 0 to 255; `side` a multiple of 16

    Returns
    -------
    "hog" : gradients in cells of 16 x 16 pixels, blocks of 2 x 2 cells, 0 to 1
    "lbp" (n, 944) : histograms of 59 uniform patterns at radius 1 in a 4 x 4 grid, shares 0 to 1
    "gabor" (n, 64) : mean and standard deviation of each of 32 filters' magnitude
    "gist" (n, 512) : mean magnitude of each filter in a 4 x 4 grid

    Raises
    ------
    MissingExtraError : scikit-image is not installed
    """
    feature = _library("skimage.feature")
    filters = _filters(images.shape[1])
    rows: dict[str, list[NDArray[Any]]] = {"hog": [], "lbp": [], "gabor": [], "gist": []}
    for image in progress.track(list(images), "features of images"):
        magnitudes = np.abs(scipy.fft.ifft2(scipy.fft.fft2(image / 255) * filters))
        codes = feature.local_binary_pattern(image, P=8, R=1, method="nri_uniform").astype(int)
        histograms = np.eye(59)[codes]
        rows["hog"].append(
            feature.hog(image, ORIENTATIONS, pixels_per_cell=(16, 16), cells_per_block=(2, 2))
        )
        rows["lbp"].append(_grid(histograms.transpose(2, 0, 1)))
        rows["gabor"].append(np.r_[magnitudes.mean(axis=(1, 2)), magnitudes.std(axis=(1, 2))])
        rows["gist"].append(_grid(magnitudes))
    return {view: np.array(found) for view, found in rows.items()}


def grey(path: Path, side: int) -> Matrix:
    """Return a square TIFF image (side, side) as grey values 0 to 1.

    Raises
    ------
    MissingExtraError : Pillow is not installed
    FileFormatError : it is no TIFF image, or of another size
    """
    library = _library("PIL.Image")
    try:
        # What is wrong with the file says the exception, not the warnings before it.
        with (
            warnings.catch_warnings(action="ignore"),
            library.open(path, formats=["TIFF"]) as image,
        ):
            if image.size != (side, side):
                raise FileFormatError(
                    f"{path} has {image.size[0]} x {image.size[1]} pixels where {side} x {side} "
                    "are expected; unpack or fetch the original images."
                )
            return np.asarray(image.convert("L")) / 255
    except (OSError, EOFError, SyntaxError, TypeError) as error:
        raise FileFormatError(f"{path} cannot be read as a TIFF image: {error}.") from error


def _filters(side: int) -> NDArray[np.complexfloating]:
    """Return the transforms (32, side, side) of the Gabor filters, without answer to flat grey."""
    kernel = _library("skimage.filters").gabor_kernel
    transforms = [
        scipy.fft.fft2(kernel(frequency, theta=np.pi * o / ORIENTATIONS), s=(side, side))
        for frequency in FREQUENCIES
        for o in range(ORIENTATIONS)
    ]
    bank = np.array(transforms)
    bank[:, 0, 0] = 0
    return bank


def _grid(planes: NDArray[Any]) -> NDArray[Any]:
    """Return the means (m * 16,) of planes (m, side, side) in a 4 x 4 grid."""
    m, side = planes.shape[:2]
    return planes.reshape(m, 4, side // 4, 4, side // 4).mean(axis=(2, 4)).ravel()


def _library(module: str) -> Any:
    """Import a library that only the extra installs."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"This data set needs {module.partition('.')[0]}: install it with "
            "pip install 'kinfolk[images]'."
        ) from error
