"""Features of gray images: reading, downscaling, principal components, textures.

Source  hog    N. Dalal, B. Triggs, CVPR 2005;
        lbp    T. Ojala, M. Pietikainen, T. Maenpaa, IEEE TPAMI 24(7), 2002, uniform patterns;
        gabor  B. S. Manjunath, W. Y. Ma, IEEE TPAMI 18(8), 1996, means and deviations;
        gist   A. Oliva, A. Torralba, IJCV 42(3), 2001, means over a grid.
"""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import scipy.fft
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from kinfolk.arrays import Matrix
from kinfolk.errors import FileFormatError, import_extra
from kinfolk.running import progress

_NEEDS = "This data set needs"

FREQUENCIES = (0.35, 0.25, 0.175, 0.125)
"""Frequencies of the Gabor filters, in cycles per pixel."""

ORIENTATIONS = 8
"""Number of orientations of the Gabor filters, and of bins of HOG."""

DECIMALS = 5
"""Decimal places of principal components and frequencies, so that all processors give the same.

On four generations of processors scores differed by 1e-13 (MNIST) and 2e-12 (ORL), and none was
nearer than 2e-12 (MNIST) and 3e-10 (ORL) to a number halfway between two rounded ones. With 9
decimals some were nearer, and the data had other checksums on other processors."""

N_PATTERNS = 59
"""Number of local binary patterns of 8 neighbors: 58 uniform ones, and one for all others."""


def extract_features(images: NDArray[np.uint8]) -> dict[str, Matrix]:
    """Compute four views of gray images (n, side, side) with scikit-image.

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

    >>> grey = np.full((1, 32, 32), 128, dtype=np.uint8)
    >>> {view: X.shape for view, X in extract_features(grey).items()}
    {'hog': (1, 32), 'lbp': (1, 944), 'gabor': (1, 64), 'gist': (1, 512)}
    """
    feature = import_extra("skimage.feature", "images", _NEEDS)
    filters = _gabor_transforms(images.shape[1])
    rows: dict[str, list[NDArray[Any]]] = {"hog": [], "lbp": [], "gabor": [], "gist": []}
    for image in progress.track(list(images), "features of images"):
        # A product of transforms is a convolution of images.
        magnitudes = np.abs(scipy.fft.ifft2(scipy.fft.fft2(image / 255) * filters))
        codes = feature.local_binary_pattern(image, P=8, R=1, method="nri_uniform").astype(int)
        # One plane of zeros and ones per code: its means over cells are histograms.
        planes = np.eye(N_PATTERNS)[codes].transpose(2, 0, 1)
        rows["hog"].append(
            feature.hog(image, ORIENTATIONS, pixels_per_cell=(16, 16), cells_per_block=(2, 2))
        )
        rows["lbp"].append(_grid_means(planes))
        rows["gabor"].append(np.r_[magnitudes.mean(axis=(1, 2)), magnitudes.std(axis=(1, 2))])
        rows["gist"].append(_grid_means(magnitudes))
    return {view: np.array(found) for view, found in rows.items()}


def read_tiff(path: Path, side: int) -> Matrix:
    """Return a square TIFF image (side, side) as gray values 0 to 1.

    Raises
    ------
    MissingExtraError : Pillow is not installed
    FileFormatError : it is no TIFF image, or of another size
    """
    library = import_extra("PIL.Image", "images", _NEEDS)
    try:
        # Pillow warns about a damaged file before it raises; the exception says enough.
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


def area_averages(images: NDArray[Any], side: int) -> Matrix:
    """Downscale square images (n, s, s) to (n, side, side) by area averages.

    Averages of whole and half numbers have the same digits on every processor.

    >>> area_averages(np.array([[[0.0, 3.0, 6.0], [0.0, 3.0, 6.0], [0.0, 3.0, 6.0]]]), 2)
    array([[[1., 5.],
            [1., 5.]]])
    """
    size = images.shape[-1]
    # Cut every old pixel into `side` strips, then every new pixel is made of `size` strips: row i
    # counts those of new pixel i in each old one.
    strips = np.repeat(np.eye(size), side, axis=0).reshape(side, size, size).sum(axis=1)
    # Processors add in different orders, which changes no sum of whole numbers: divide last.
    averages: Matrix = (strips @ images @ strips.T) / size**2
    return averages


def principal_components(X: Matrix, n_components: int, solver: str) -> Matrix:
    """Principal component scores to `DECIMALS` digits, independent of threads and processor.

    >>> principal_components(np.array([[0.0, 1.0], [0.0, 3.0]]), 1, "full")
    array([[-1.],
           [ 1.]])
    """
    # Threads change the order of sums, and so the last digits.
    with threadpool_limits(1):
        found = PCA(n_components, svd_solver=solver).fit_transform(X)
    # Rounding takes away digits that differ between processors; + 0.0 makes -0.0 into 0.0.
    return np.round(found, DECIMALS) + 0.0


def _gabor_transforms(side: int) -> NDArray[np.complexfloating]:
    """Return the Fourier transforms (32, side, side) of the Gabor filters."""
    kernel = import_extra("skimage.filters", "images", _NEEDS).gabor_kernel
    transforms = [
        scipy.fft.fft2(kernel(frequency, theta=np.pi * o / ORIENTATIONS), s=(side, side))
        for frequency in FREQUENCIES
        for o in range(ORIENTATIONS)
    ]
    bank = np.array(transforms)
    # Without the constant term a flat gray area gives zero, whatever its brightness.
    bank[:, 0, 0] = 0
    return bank


def _grid_means(planes: NDArray[Any]) -> NDArray[Any]:
    """Return the means (m * 16,) of planes (m, side, side) in a 4 x 4 grid.

    >>> _grid_means(np.arange(16.0).reshape(1, 4, 4))[:5]
    array([0., 1., 2., 3., 4.])
    """
    m, side = planes.shape[:2]
    return planes.reshape(m, 4, side // 4, 4, side // 4).mean(axis=(2, 4)).ravel()
