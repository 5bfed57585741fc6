"""Image data sets with several published feature sets as views of one task.

Source  mfeat   R. P. W. Duin, "Multiple Features", UCI, doi 10.24432/C5HC70;
        hw2     pairs of an MNIST and a USPS digit, used in multi-view papers since about 2019;
        ORL     F. Samaria, A. Harter, "Parameterisation of a stochastic model for human face
                identification", WACV 1994;
        MSRC    J. Winn, N. Jojic, "LOCUS: learning object classes with unsupervised
                segmentation", ICCV 2005;
        and the use of all four in the Co-MVCF paper (2023), section 3.1.1.
"""

from collections.abc import Sequence

import numpy as np

from kinfolk.datasets import assembly
from kinfolk.datasets.data_home import DataHome
from kinfolk.datasets.registry import COLLECTIONS, Collection
from kinfolk.errors import InputError
from kinfolk.estimators import checks
from kinfolk.tables import RelatedData

MFEAT = COLLECTIONS["mfeat"]
MFEAT_FILE = "digits/mfeat.npz"
MFEAT_VIEWS = ("fou", "fac", "kar", "pix", "zer", "mor")


def load_mfeat(data: DataHome = None, views: Sequence[str] = MFEAT_VIEWS) -> RelatedData:
    """Load Multiple Features: 2000 digits of Dutch utility maps, 200 of each, in six views.

    The Co-MVCF paper's mfeat has two of the views: give `views=("fac", "pix")` for it.

    Parameters
    ----------
    data : the data directory
    views : names of views, in the order wanted: "fou" Fourier coefficients (76), "fac" profile
        correlations (216), "kar" Karhunen-Loeve coefficients (64, the only one with negative
        values), "pix" pixel averages in 2 x 3 windows (240), "zer" Zernike moments (47), "mor"
        morphological features (6)

    Returns
    -------
    RelatedData : one task "all"; `X` (2000, 649) with all views, in the units of the source, which
        differ by orders of magnitude; `target` "0" to "9"

    Raises
    ------
    InputError : an unknown view, or one named twice
    MissingDataError : the data directory does not hold it
    FileFormatError : it is damaged or another version
    """
    # A string is a sequence too, of letters.
    if isinstance(views, str) or not views or len(set(views)) < len(views):
        raise InputError(f"views is {views!r}; give a list of different views of mfeat.")
    for view in views:
        checks.choice("views", view, MFEAT_VIEWS)
    return _load("mfeat", MFEAT, MFEAT_FILE, data, "Multiple Features", views)


def load_handwritten_rnsp(data: DataHome = None) -> RelatedData:
    """Load handwrittenRnsp: the views "pix" and "fou" of mfeat, X (2000, 316).

    Errors are those of `load_mfeat`, here and below.
    """
    what = "Multiple Features, two of the six views"
    return _load("handwritten-rnsp", MFEAT, MFEAT_FILE, data, what, ("pix", "fou"))


def load_hw2sources(data: DataHome = None) -> RelatedData:
    """Load HW2sources: 2000 pairs of an MNIST (28 x 28) and a USPS image (16 x 16), 200 per class.

    In the published file an MNIST digit d goes with a USPS digit d + 1, and 9 with 0: harmless
    for the clustering of pairs, wrong if the two views were pooled as tasks.

    Returns
    -------
    RelatedData : one task "all"; `X` (2000, 1040) gray values 0 to 255 in the views
        "mnist_pixels" (784) and "usps_pixels" (256); `target` the MNIST digit
    """
    collection = COLLECTIONS["hw2sources"]
    what = "MNIST and USPS digits in pairs"
    return _load("hw2sources", collection, "digits/hw2sources.npz", data, what)


def load_orl_views(data: DataHome = None) -> RelatedData:
    """Load ORL as features: 400 faces, 10 of each of 40 people, in four views.

    These are NOT the three views that papers mostly use (intensity 4096, LBP 3304, Gabor 6750);
    no copy of those was to be had, so figures do not compare with theirs.

    Returns
    -------
    RelatedData : one task "all"; `X` (400, 1689) values 0 to 1 in the views "gist" (512), "lbp"
        (59), "hog" (864) and "centrist" (254), names read off the dimensions; `target` the person
    """
    what = "The ORL database of faces as four sets of features, not the usual three"
    return _load("orl-views", COLLECTIONS["orl"], "faces/orl_4view.npz", data, what)


def load_msrc_v1(data: DataHome = None) -> RelatedData:
    """Load MSRC-v1: 210 photographs, 30 of each of seven kinds of things, in five views.

    Returns
    -------
    RelatedData : one task "all"; `X` (210, 1622) in the views "colour_moment" (24), "hog" (576),
        "gist" (512), "lbp" (256) and "centrist" (254), the last two counts; `target` "0" to "6":
        tree, building, aeroplane, cow, face, car, bicycle
    """
    what = "Microsoft Research Cambridge object recognition images"
    return _load("msrc-v1", COLLECTIONS["msrc"], "multiview/msrcv1_5view.npz", data, what)


def _load(
    name: str,
    collection: Collection,
    file: str,
    data: DataHome,
    what: str,
    chosen: Sequence[str] = (),
) -> RelatedData:
    """Load the chosen views of an archive, or all of them."""
    arrays = collection.arrays(file, name, data)
    # `view_names[v]` is the name of the array `view_v`.
    views = {str(view): arrays[f"view_{v}"] for v, view in enumerate(arrays["view_names"])}
    return assembly.from_views(
        name,
        # Pixels are stored as bytes; sums and products of bytes would overflow.
        {view: views[view].astype(np.float64) for view in chosen or views},
        arrays["y"],
        collection.origin(what),
    )
