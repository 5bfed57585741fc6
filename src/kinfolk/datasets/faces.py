"""Faces of ORL and JAFFE in a source and a target task, each image upright and rotated.

Source  table 6 of the KT-MEC paper (2015); F. Samaria, A. Harter, "Parameterisation of a
        stochastic model for human face identification", WACV 1994; M. J. Lyons, M. Kamachi,
        J. Gyoba, "The Japanese Female Facial Expression (JAFFE) dataset", 1998.
"""

from collections import defaultdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from kinfolk.arrays import Matrix
from kinfolk.datasets import data_home, image_features
from kinfolk.datasets.data_home import DataHome
from kinfolk.datasets.registry import COLLECTIONS
from kinfolk.errors import FileFormatError
from kinfolk.estimators import checks
from kinfolk.tables import RelatedData

ORL = COLLECTIONS["orl"]
ORL_FILE = "faces/orl_112x92.npz"
JAFFE = COLLECTIONS["jaffe"]

JAFFE_SIDE = 256
"""Pixels of an image of JAFFE in height and in width."""

N_PEOPLE = 8
"""People drawn from a database, as in the paper."""

ANGLES = (0, 10, 20)
"""Degrees by which each image is rotated, counterclockwise."""

_JAFFE_FOLDERS = ("jaffe", "jaffedbase", "faces/jaffe", "faces/jaffedbase")


def load_orl_faces_rotated(data: DataHome = None, draw: int = 0) -> RelatedData:
    """Load the ORL faces of KT-MEC: 8 people, 8 images of each as source and 2 as target.

    Each image stands upright and rotated by 10 and by 20 degrees, which gives the paper's 192
    and 48 rows. Its 239 dimensions are all principal components that 240 images have: both tasks
    are reduced together, and nothing is lost. The paper does not say which people and images it
    took, nor how it rotated them: here they are drawn, and rotated counterclockwise with linear
    interpolation within the frame of 112 x 92; corners that come in are black.

    Parameters
    ----------
    data : the data directory
    draw : number of the random draw of people and images, 0, 1, 2 ...

    Returns
    -------
    RelatedData : tasks "source" and "target"; `X` (240, 239) principal components of gray values
        0 to 1; `row_ids` person, image and angle; `target` the person, "s1" to "s40"

    Raises
    ------
    InputError : draw is no whole number >= 0
    MissingDataError : the data directory does not hold it
    FileFormatError : it is damaged or another version
    """
    frames, owners = orl_images("orl-faces-rotated", data)
    people = {
        f"s{person + 1}": {
            f"s{person + 1}-{i}": frame for i, frame in enumerate(frames[owners == person], 1)
        }
        for person in range(40)
    }
    origin = ORL.origin("The ORL database of faces", f"draw {draw}")
    return _source_and_target("orl-faces-rotated", people, (8, 2), draw, origin)


def orl_images(dataset: str, data: DataHome = None) -> tuple[Matrix, NDArray[np.intp]]:
    """Return the ORL images (400, 112, 92), gray 0 to 1, and the person 0 to 39 of each."""
    arrays = ORL.arrays(ORL_FILE, dataset, data)
    return arrays["view_0"].reshape(-1, 112, 92) / 255, arrays["y"]


def load_jaffe_faces_rotated(data: DataHome = None, draw: int = 0) -> RelatedData:
    """Load the JAFFE faces of KT-MEC from your own copy; needs the extra "images".

    Its terms forbid redistribution. Put the 213 images `KA.AN1.39.tiff` ... into `jaffe` of the
    data directory. 15 images of each of 8 people are the source and 2 the target, 360 and 48 rows;
    407 dimensions are all principal components. All else is as in `load_orl_faces_rotated`.

    Returns
    -------
    RelatedData : as there, with `X` (408, 407) and the person's initials as `target`

    Raises
    ------
    InputError : draw is no whole number >= 0
    MissingDataError : the data directory does not hold it
    FileFormatError : fewer than 8 people with 17 images, or a file that is no such image
    MissingExtraError : Pillow is not installed
    """
    folder = data_home.find("jaffe-faces-rotated", _JAFFE_FOLDERS, data, JAFFE.home_page)
    files: dict[str, dict[str, Path]] = defaultdict(dict)
    for path in sorted(folder.glob("*.tif*")):
        # A file name begins with the two initials of the person.
        files[path.name[:2]][path.stem] = path
    # 15 images for the source and 2 for the target.
    people = {person: own for person, own in files.items() if len(own) >= 17}
    if len(people) < N_PEOPLE:
        raise FileFormatError(
            f"{folder} has {len(people)} people with 17 images KA.AN1.39.tiff ..., and {N_PEOPLE} "
            f"are needed; unpack the whole of JAFFE there, from {JAFFE.home_page}."
        )
    frames = {
        person: {name: image_features.read_tiff(path, JAFFE_SIDE) for name, path in own.items()}
        for person, own in people.items()
    }
    origin = JAFFE.origin("JAFFE", f"draw {draw}")
    return _source_and_target("jaffe-faces-rotated", frames, (15, 2), draw, origin)


def rotated(frames: Matrix) -> Matrix:
    """Return images (n, h, w) rotated by each of ANGLES, (n, 3, h, w).

    >>> row = np.zeros((1, 5, 5))
    >>> row[0, 2] = 1
    >>> rotated(row)[0, :, 2].round(2)
    array([[1.  , 1.  , 1.  , 1.  , 1.  ],
           [0.65, 0.83, 1.  , 0.83, 0.65],
           [0.32, 0.66, 1.  , 0.66, 0.32]])
    """
    # Axes (2, 1) instead of (1, 2) turn counterclockwise, since rows are counted downwards.
    copies = [
        ndimage.rotate(frames, angle, axes=(2, 1), reshape=False, order=1) for angle in ANGLES
    ]
    return np.stack(copies, axis=1)


def _source_and_target(
    name: str,
    people: dict[str, dict[str, Matrix]],
    sizes: tuple[int, int],
    draw: int,
    origin: str,
) -> RelatedData:
    """Draw people and images of both tasks; rows are principal components of rotated images."""
    random = checks.random(checks.at_least("draw", draw, 0))
    # Sorted first, so that the draw does not depend on the order in which files are found.
    chosen = sorted(random.choice(sorted(people), N_PEOPLE, replace=False).tolist())
    images: dict[str, list[str]] = {"source": [], "target": []}
    for person in chosen:
        order = random.permutation(sorted(people[person])).tolist()
        images["source"] += sorted(order[: sizes[0]])
        images["target"] += sorted(order[sizes[0] : sum(sizes)])
    owner = {image: person for person in chosen for image in people[person]}
    rows = images["source"] + images["target"]
    pixels = rotated(np.array([people[owner[image]][image] for image in rows]))
    n = len(rows) * len(ANGLES)
    return RelatedData(
        name=name,
        tasks=np.repeat(list(images), [len(own) * len(ANGLES) for own in images.values()]),
        row_ids=np.array([f"{image} turned {angle}" for image in rows for angle in ANGLES]),
        # n centered rows span n - 1 dimensions: all distances are kept.
        X=image_features.principal_components(pixels.reshape(n, -1), n - 1, "full"),
        feature_names=tuple(f"component_{j}" for j in range(n - 1)),
        target=np.repeat([owner[image] for image in rows], len(ANGLES)),
        origin=origin,
    )
