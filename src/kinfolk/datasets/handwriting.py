"""Digits of MNIST and USPS: Handdigits (two tasks) and MNIST-10k (three views).

Source  Y. LeCun, L. Bottou, Y. Bengio, P. Haffner, "Gradient-based learning applied to document
        recognition", Proc. IEEE 86(11), 1998; J. J. Hull, "A database for handwritten text
        recognition research", IEEE TPAMI 16(5), 1994. Handdigits is of table 1 of the MTCFIR
        paper (2019), MNIST-10k of section 3.1.1 of the Co-MVCF paper (2023).
"""

import numpy as np
import scipy.fft

from kinfolk.datasets import assembly
from kinfolk.datasets.data_home import DataHome
from kinfolk.datasets.image_features import DECIMALS, area_averages, principal_components
from kinfolk.datasets.registry import COLLECTIONS
from kinfolk.errors import InputError
from kinfolk.estimators import checks
from kinfolk.tables import RelatedData

MNIST_USPS = COLLECTIONS["mnist-usps"]
MNIST_FILE = "digits/mnist_train.npz"
USPS_FILE = "digits/usps.npz"
MNIST = COLLECTIONS["mnist"]
MNIST_TEST_FILE = "digits/mnist_test.npz"
COUNTS = {
    "mnist": (509, 554, 488, 514, 476, 475, 473, 489, 520, 502),
    "usps": (813, 685, 497, 449, 449, 378, 465, 436, 373, 455),
}
"""Images of each digit 0 to 9 in each task of Handdigits."""


def load_handdigits(
    data: DataHome = None, draw: int = 0, margin: int = 4, ink: float = 1.0
) -> RelatedData:
    """Load Handdigits: 5000 digits each of MNIST and USPS, two tasks of ten classes.

    Sizes, classes and their counts are those of the paper. It does not say which images it took
    nor how it scaled MNIST to 16 x 16; here they are drawn class by class, MNIST from its
    training part and USPS from the whole. An image of MNIST loses the margin of 4 pixels that was
    put around its digit, so that the digit fills its frame as one of USPS does, and is averaged
    over areas. `margin=0` keeps the whole frame: digits are then smaller than those of USPS, and
    MTCFIR finds the two tasks unrelated, which the paper's table 9 does not.

    Parameters
    ----------
    data : the data directory
    draw : number of the random draw of the images, 0, 1, 2 ...
    margin : pixels to cut off at each side of an image of MNIST before it is averaged, 0 to 6
    ink : the value of a black pixel; the paper does not say its own, and MTCFIR depends on it

    Returns
    -------
    RelatedData : tasks "mnist" and "usps"; `X` (10000, 256) from 0 to `ink`, image rows one after
        the other; `row_ids` positions in the source; `target` "0" to "9"

    Raises
    ------
    InputError : draw is no whole number >= 0, margin is none from 0 to 6, or ink is not above 0
    MissingDataError : the data directory does not hold `mnist_train.npz` and `usps.npz`
    FileFormatError : one of them is damaged or another version
    """
    random = checks.random(checks.at_least("draw", draw, 0))
    if checks.at_least("margin", margin, 0) > 6:
        raise InputError(f"margin is {margin}; give 0 to 6 pixels, since 16 are to be left.")
    ink = checks.above("ink", ink, 0)
    mnist = MNIST_USPS.arrays(MNIST_FILE, "handdigits", data)
    usps = MNIST_USPS.arrays(USPS_FILE, "handdigits", data)
    drawn = {
        "mnist": assembly.draw_rows(mnist["y"], dict(enumerate(COUNTS["mnist"])), random),
        "usps": assembly.draw_rows(usps["y"], dict(enumerate(COUNTS["usps"])), random),
    }
    frame = slice(margin, 28 - margin)
    images = mnist["view_0"][drawn["mnist"]].reshape(-1, 28, 28)[:, frame, frame]
    pixels = [
        area_averages(images, 16).reshape(-1, 256) / 255,
        # USPS is published with ink from -1 to 1.
        (usps["view_0"][drawn["usps"]].astype(np.float64) + 1) / 2,
    ]
    target = np.concatenate([mnist["y"][drawn["mnist"]], usps["y"][drawn["usps"]]])
    note = f"MNIST brought to 16 x 16 without a margin of {margin}, draw {draw}"
    return RelatedData(
        name="handdigits",
        tasks=np.repeat(list(drawn), [rows.size for rows in drawn.values()]),
        row_ids=np.concatenate(list(drawn.values())).astype(str),
        X=np.concatenate(pixels) * ink,
        feature_names=tuple(f"pixel_{i}_{j}" for i in range(16) for j in range(16)),
        target=target.astype(str),
        origin=MNIST_USPS.origin("MNIST and USPS", note),
    )


def load_mnist_10k(data: DataHome = None) -> RelatedData:
    """Load MNIST-10k: the 10000 images of MNIST's test part in three views with negative values.

    The Co-MVCF paper only says that MNIST-10k is multi-view and has negative values; its views
    are not known. These are computed from the pixels, without the labels, so figures do not
    compare with the published ones.

    Returns
    -------
    RelatedData : one task "all"; `X` (10000, 192) in the views "principal" (30), the first
        principal components, "cosine" (64), the lowest 8 x 8 frequencies of the orthonormal
        cosine transform, and "slope" (98), mean steps of ink to the right and downwards in 7 x 7
        cells of 4 x 4 pixels; ink is 0 to 1; `target` "0" to "9"

    Raises
    ------
    MissingDataError : the data directory does not hold `mnist_test.npz`
    FileFormatError : it is damaged or another version
    """
    arrays = MNIST.arrays(MNIST_TEST_FILE, "mnist-10k", data)
    images = arrays["view_0"].reshape(-1, 28, 28).astype(np.float64)
    pixels = arrays["view_0"] / 255
    frequencies = scipy.fft.dctn(images / 255, axes=(1, 2), norm="ortho")[:, :8, :8]
    # Axis 2 runs to the right, axis 1 downwards; steps of whole numbers are whole or half.
    slopes = np.gradient(images, axis=(2, 1))
    views = {
        # 10000 rows of 784 pixels: the covariance is far smaller than the table.
        "principal": principal_components(pixels, 30, "covariance_eigh"),
        "cosine": np.round(frequencies.reshape(-1, 64), DECIMALS) + 0.0,
        "slope": np.hstack([area_averages(slope, 7).reshape(-1, 49) / 255 for slope in slopes]),
    }
    origin = MNIST.origin("MNIST, test part", "with views computed from the pixels")
    return assembly.from_views("mnist-10k", views, arrays["y"], origin)
