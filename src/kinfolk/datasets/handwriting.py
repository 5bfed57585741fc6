"""Handwritten digits of MNIST and USPS: Handdigits as two tasks, MNIST-10k as three views.

Source  Y. LeCun, L. Bottou, Y. Bengio, P. Haffner, "Gradient-based learning applied to document
        recognition", Proc. IEEE 86(11), 1998; J. J. Hull, "A database for handwritten text
        recognition research", IEEE TPAMI 16(5), 1994. Handdigits is of table 1 of the MTCFIR
        paper (2019), MNIST-10k of section 3.1.1 of the Co-MVCF paper (2023).
"""

from typing import Any

import numpy as np
import scipy.fft
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Matrix
from kinfolk.datasets import archives, home
from kinfolk.datasets.archives import Archive
from kinfolk.errors import InputError
from kinfolk.estimators import checks
from kinfolk.tables import RelatedData

HOME_PAGE = "http://www.cad.zju.edu.cn/home/dengcai/Data/MLData.html"
TERMS = (
    "MNIST under CC BY-SA 3.0; USPS, of the AT&T research labs, without a stated licence: "
    "research use."
)
MNIST_PAGE = "http://yann.lecun.com/exdb/mnist/"
MNIST_TERMS = "CC BY-SA 3.0."
TRAIN = Archive(
    "digits", "mnist_train.npz", "fbd8b687950efa5174f0d104cd4d07e574dac22c8635ef74309fa3bf5fa7aa2b"
)
TEST = Archive(
    "digits", "mnist_test.npz", "7203681b269da67a5479a21620e53a0c2f72618e170053dd8850e990a369ca63"
)
USPS = Archive(
    "digits", "usps.npz", "5ca8687b2735f927aaebf745790fea5b80e20d2eb932f256985636985867fd0a"
)
COUNTS = {
    "mnist": (509, 554, 488, 514, 476, 475, 473, 489, 520, 502),
    "usps": (813, 685, 497, 449, 449, 378, 465, 436, 373, 455),
}


def load_handdigits(data: home.Place = None, draw: int = 0, margin: int = 4) -> RelatedData:
    """Load Handdigits: 5000 digits of MNIST and 5000 of USPS, two tasks with the same ten classes.

    Sizes, classes and their counts are those of the paper. Which images it took and how it
    brought MNIST to 16 x 16 it does not say; here they are drawn class by class, MNIST from its
    training part and USPS from the whole. An image of MNIST loses the margin of 4 pixels that was
    put around its digit, so that the digit fills its frame as one of USPS does, and is averaged
    over areas. With `margin=0` the whole frame is: digits are then smaller than those of USPS,
    and MTCFIR finds the two tasks unrelated, which the paper's table 9 does not.

    Parameters
    ----------
    data : the data directory
    draw : which draw of the images, 0, 1, 2 ...
    margin : pixels to cut off at each side of an image of MNIST before it is averaged, 0 to 6

    Returns
    -------
    RelatedData : tasks "mnist" and "usps"; `X` (10000, 256) ink from 0 to 1, image rows one after
        the other; `row_ids` positions in the source; `target` "0" to "9"

    Raises
    ------
    InputError : draw is no whole number >= 0, or margin is none from 0 to 6
    MissingDataError : the data directory does not hold `mnist_train.npz` and `usps.npz`
    FileFormatError : one of them is damaged or another version
    """
    random = checks.random(checks.at_least("draw", draw, 0))
    if checks.at_least("margin", margin, 0) > 6:
        raise InputError(f"margin is {margin}; give 0 to 6 pixels, since 16 are to be left.")
    mnist = TRAIN.read("handdigits", data, HOME_PAGE)
    usps = USPS.read("handdigits", data, HOME_PAGE)
    drawn = {
        "mnist": _drawn(mnist["y"], COUNTS["mnist"], random),
        "usps": _drawn(usps["y"], COUNTS["usps"], random),
    }
    frame = slice(margin, 28 - margin)
    images = mnist["view_0"][drawn["mnist"]].reshape(-1, 28, 28)[:, frame, frame] / 255
    pixels = [
        shrunk(images, 16).reshape(-1, 256),
        (usps["view_0"][drawn["usps"]].astype(np.float64) + 1) / 2,
    ]
    target = np.concatenate([mnist["y"][drawn["mnist"]], usps["y"][drawn["usps"]]])
    return RelatedData(
        name="handdigits",
        tasks=np.repeat(list(drawn), [rows.size for rows in drawn.values()]),
        row_ids=np.concatenate(list(drawn.values())).astype(str),
        X=np.concatenate(pixels),
        feature_names=tuple(f"pixel_{i}_{j}" for i in range(16) for j in range(16)),
        target=target.astype(str),
        origin=f"MNIST and USPS, {HOME_PAGE}, MNIST brought to 16 x 16 without "
        f"a margin of {margin}, draw {draw}. {TERMS}",
    )


def load_mnist_10k(data: home.Place = None) -> RelatedData:
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
    arrays = TEST.read("mnist-10k", data, MNIST_PAGE)
    pixels = arrays["view_0"] / 255
    images = pixels.reshape(-1, 28, 28)
    cosine = scipy.fft.dctn(images, axes=(1, 2), norm="ortho")[:, :8, :8]
    views = {
        "principal": archives.components(pixels, 30, "covariance_eigh"),
        "cosine": cosine.reshape(-1, 64),
        "slope": np.hstack(
            [shrunk(slope, 7).reshape(-1, 49) for slope in np.gradient(images, axis=(2, 1))]
        ),
    }
    origin = f"MNIST, test part, {MNIST_PAGE}, with views computed from the pixels. {MNIST_TERMS}"
    return archives.side_by_side("mnist-10k", views, arrays["y"], origin)


def shrunk(images: NDArray[Any], side: int) -> Matrix:
    """Return square images (n, s, s) as (n, side, side), each pixel the mean of its area.

    >>> shrunk(np.array([[[0.0, 3.0, 6.0], [0.0, 3.0, 6.0], [0.0, 3.0, 6.0]]]), 2)
    array([[[1., 5.],
            [1., 5.]]])
    """
    size = images.shape[-1]
    # Row i is how much of the area of pixel i each old pixel fills.
    area = np.repeat(np.eye(size), side, axis=0).reshape(side, size, size).mean(axis=1)
    return area @ images @ area.T


def _drawn(target: Labels, counts: tuple[int, ...], random: np.random.RandomState) -> Labels:
    """Return ascending positions of rows, so many of each digit."""
    rows = [
        random.choice(np.flatnonzero(target == digit), size=count, replace=False)
        for digit, count in enumerate(counts)
    ]
    return np.sort(np.concatenate(rows))
