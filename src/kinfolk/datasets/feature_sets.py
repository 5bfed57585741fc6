"""Images as several published sets of features, one view a set: the rows of a single task.

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

from kinfolk.datasets import archives, home
from kinfolk.datasets.archives import Archive
from kinfolk.errors import InputError
from kinfolk.estimators import checks
from kinfolk.tables import RelatedData

MFEAT_PAGE = "https://doi.org/10.24432/C5HC70"
MFEAT_TERMS = "CC BY 4.0 (UCI Machine Learning Repository)."
MFEAT = Archive(
    "digits", "mfeat.npz", "064dea810f7b9d9f8d7648ee773e24ff6a003fc81be5db249f65aeb47f6458ff"
)
MFEAT_VIEWS = ("fou", "fac", "kar", "pix", "zer", "mor")

HW2SOURCES_PAGE = "http://yann.lecun.com/exdb/mnist/"
HW2SOURCES_TERMS = (
    "MNIST under CC BY-SA 3.0; USPS, of the AT&T research labs, without a stated licence: "
    "research use."
)
HW2SOURCES = Archive(
    "digits", "hw2sources.npz", "27e6157473703721d06983861d897a280a2584c650b24932fa3eef52856ab992"
)

ORL_PAGE = "https://cam-orl.co.uk/facedatabase.html"
ORL_TERMS = "Free for research, with credit to AT&T Laboratories Cambridge."
ORL_VIEWS = Archive(
    "faces", "orl_4view.npz", "65f8ef80fe1e5045ef4fe36fe9153f444fb060ae54c90de91d33dc76f0511890"
)

MSRC_PAGE = "https://www.microsoft.com/en-us/research/project/image-understanding/"
MSRC_TERMS = "Features only; the images are for non-commercial research."
MSRC = Archive(
    "multiview",
    "msrcv1_5view.npz",
    "2afa8f8321b4b911f66085a521e258593f48a4fc4c5dbd057e03aa8428aa24c0",
)


def load_mfeat(data: home.Place = None, views: Sequence[str] = MFEAT_VIEWS) -> RelatedData:
    """Load Multiple Features: 2000 digits of Dutch utility maps, 200 of each, in six views.

    The Co-MVCF paper's mfeat has two of the views: give `views=("fac", "pix")` for it.

    Parameters
    ----------
    data : the data directory
    views : which, in this order: "fou" Fourier coefficients (76), "fac" profile correlations
        (216), "kar" Karhunen-Loeve coefficients (64, the only one with negative values), "pix"
        pixel averages in 2 x 3 windows (240), "zer" Zernike moments (47), "mor" morphological
        features (6)

    Returns
    -------
    RelatedData : one task "all"; `X` (2000, 649) with all views, in the units of the source, which
        differ by orders of magnitude; `target` "0" to "9"

    Raises
    ------
    InputError : a view that it has not, or one named twice
    MissingDataError : the data directory does not hold it
    FileFormatError : it is damaged or another version
    """
    if isinstance(views, str) or not views or len(set(views)) < len(views):
        raise InputError(f"views is {views!r}; give a list of different views of mfeat.")
    for view in views:
        checks.choice("views", view, MFEAT_VIEWS)
    return _of_archive("mfeat", MFEAT, data, MFEAT_PAGE, f"Multiple Features. {MFEAT_TERMS}", views)


def load_handwritten_rnsp(data: home.Place = None) -> RelatedData:
    """Load handwrittenRnsp: the views "pix" and "fou" of mfeat, X (2000, 316).

    Raises
    ------
    MissingDataError : the data directory does not hold it
    FileFormatError : it is damaged or another version
    """
    origin = f"Multiple Features, two of the six views. {MFEAT_TERMS}"
    return _of_archive("handwritten-rnsp", MFEAT, data, MFEAT_PAGE, origin, ("pix", "fou"))


def load_hw2sources(data: home.Place = None) -> RelatedData:
    """Load HW2sources: 2000 pairs of an MNIST (28 x 28) and a USPS image (16 x 16), 200 a class.

    In the published file an MNIST digit d goes with a USPS digit d + 1, and 9 with 0: harmless
    for the clustering of pairs, wrong if the two views were pooled as tasks.

    Returns
    -------
    RelatedData : one task "all"; `X` (2000, 1040) grey values 0 to 255 in the views
        "mnist_pixels" (784) and "usps_pixels" (256); `target` the MNIST digit

    Raises
    ------
    MissingDataError : the data directory does not hold it
    FileFormatError : it is damaged or another version
    """
    origin = f"MNIST and USPS digits in pairs. {HW2SOURCES_TERMS}"
    return _of_archive("hw2sources", HW2SOURCES, data, HW2SOURCES_PAGE, origin)


def load_orl_views(data: home.Place = None) -> RelatedData:
    """Load ORL as features: 400 faces, 10 of each of 40 people, in four views.

    These are NOT the three views that papers mostly use (intensity 4096, LBP 3304, Gabor 6750),
    of which no copy was to be had: figures do not compare with theirs.

    Returns
    -------
    RelatedData : one task "all"; `X` (400, 1689) values 0 to 1 in the views "gist" (512), "lbp"
        (59), "hog" (864) and "centrist" (254), names read off the dimensions; `target` the person

    Raises
    ------
    MissingDataError : the data directory does not hold it
    FileFormatError : it is damaged or another version
    """
    origin = f"The ORL database of faces as four sets of features, not the usual three. {ORL_TERMS}"
    return _of_archive("orl-views", ORL_VIEWS, data, ORL_PAGE, origin)


def load_msrc_v1(data: home.Place = None) -> RelatedData:
    """Load MSRC-v1: 210 photographs, 30 of each of seven kinds of things, in five views.

    Returns
    -------
    RelatedData : one task "all"; `X` (210, 1622) in the views "colour_moment" (24), "hog" (576),
        "gist" (512), "lbp" (256) and "centrist" (254), the last two counts; `target` "0" to "6":
        tree, building, aeroplane, cow, face, car, bicycle

    Raises
    ------
    MissingDataError : the data directory does not hold it
    FileFormatError : it is damaged or another version
    """
    origin = f"Microsoft Research Cambridge object recognition images. {MSRC_TERMS}"
    return _of_archive("msrc-v1", MSRC, data, MSRC_PAGE, origin)


def _of_archive(
    name: str,
    archive: Archive,
    data: home.Place,
    home_page: str,
    origin: str,
    chosen: Sequence[str] = (),
) -> RelatedData:
    """Read the views of an archive, all or the chosen ones."""
    arrays = archive.read(name, data, home_page)
    views = {str(view): arrays[f"view_{v}"] for v, view in enumerate(arrays["view_names"])}
    return archives.side_by_side(
        name,
        {view: views[view].astype(np.float64) for view in chosen or views},
        arrays["y"],
        f"{origin} {home_page}",
    )
