"""Faces upright and turned, ORL and JAFFE: a larger source task and a small target task.

Source  table 6 of the KT-MEC paper (2015); F. Samaria, A. Harter, "Parameterisation of a
        stochastic model for human face identification", WACV 1994; M. J. Lyons, M. Kamachi,
        J. Gyoba, "The Japanese Female Facial Expression (JAFFE) dataset", 1998.
"""

from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy import ndimage

from kinfolk.arrays import Matrix
from kinfolk.datasets import archives, home, imaging
from kinfolk.datasets.archives import Archive
from kinfolk.errors import FileFormatError
from kinfolk.estimators import checks
from kinfolk.tables import RelatedData

ORL_PAGE = "https://cam-orl.co.uk/facedatabase.html"
ORL_TERMS = "Free for research, with credit to AT&T Laboratories Cambridge."
ORL = Archive(
    "faces", "orl_112x92.npz", "be7c3deaaf6ca5190dced0104fde32bb4deb3f51cf4996630e71f16d6aa46080"
)
JAFFE_PAGE = "https://doi.org/10.5281/zenodo.3451524"
JAFFE_TERMS = "Non-commercial research only; it must not be redistributed, so bring your own copy."

JAFFE_SIDE = 256
"""Pixels of an image of JAFFE in height and in width."""

PEOPLE = 8
ANGLES = (0, 10, 20)
"""Degrees, counterclockwise."""

_LAYOUTS = ("jaffe", "jaffedbase", "faces/jaffe", "faces/jaffedbase")


def load_orl_faces_rotated(data: home.Place = None, draw: int = 0) -> RelatedData:
    """Load the ORL scene of KT-MEC: 8 people, 8 images of each as source and 2 as target.

    Each image stands upright and turned by 10 and by 20 degrees, which gives the paper's 192
    and 48 rows. Its 239 dimensions are all principal components that 240 images have: both tasks
    are reduced together, and nothing is lost. The paper does not say which people and images it
    took, nor how it turned them: here they are drawn, turned counterclockwise with linear
    interpolation within the frame of 112 x 92, and what comes in at the corners is black.

    Parameters
    ----------
    data : the data directory
    draw : which draw of people and images, 0, 1, 2 ...

    Returns
    -------
    RelatedData : tasks "source" and "target"; `X` (240, 239) principal components of grey values
        0 to 1; `row_ids` person, image and angle; `target` the person, "s1" to "s40"

    Raises
    ------
    InputError : draw is no whole number >= 0
    MissingDataError : the data directory does not hold it
    FileFormatError : it is damaged or another version
    """
    arrays = ORL.read("orl-faces-rotated", data, ORL_PAGE)
    frames = arrays["view_0"].reshape(-1, 112, 92) / 255
    people = {
        f"s{person + 1}": {
            f"s{person + 1}-{i}": frame for i, frame in enumerate(frames[arrays["y"] == person], 1)
        }
        for person in range(40)
    }
    origin = f"The ORL database of faces, {ORL_PAGE}, draw {draw}. {ORL_TERMS}"
    return _scene("orl-faces-rotated", people, (8, 2), draw, origin)


def load_jaffe_faces_rotated(data: home.Place = None, draw: int = 0) -> RelatedData:
    """Load the JAFFE scene of KT-MEC from your own copy; needs the extra "images".

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
    folder = home.find("jaffe-faces-rotated", _LAYOUTS, data, JAFFE_PAGE)
    files: dict[str, dict[str, Path]] = defaultdict(dict)
    for path in sorted(folder.glob("*.tif*")):
        files[path.name[:2]][path.stem] = path
    people = {person: own for person, own in files.items() if len(own) >= 17}
    if len(people) < PEOPLE:
        raise FileFormatError(
            f"{folder} has {len(people)} people with 17 images KA.AN1.39.tiff ..., and {PEOPLE} "
            f"are needed; unpack the whole of JAFFE there, from {JAFFE_PAGE}."
        )
    frames = {
        person: {name: imaging.grey(path, JAFFE_SIDE) for name, path in own.items()}
        for person, own in people.items()
    }
    origin = f"JAFFE, {JAFFE_PAGE}, draw {draw}. {JAFFE_TERMS}"
    return _scene("jaffe-faces-rotated", frames, (15, 2), draw, origin)


def turned(frames: Matrix) -> Matrix:
    """Return images (n, h, w) turned by each of the angles, (n, 3, h, w).

    >>> turned(np.ones((1, 5, 5)))[0, :, 2, 2]
    array([1., 1., 1.])
    """
    copies = [
        ndimage.rotate(frames, angle, axes=(2, 1), reshape=False, order=1) for angle in ANGLES
    ]
    return np.stack(copies, axis=1)


def _scene(
    name: str,
    people: dict[str, dict[str, Matrix]],
    sizes: tuple[int, int],
    draw: int,
    origin: str,
) -> RelatedData:
    """Draw people, and images of each for the two tasks; turn and reduce them."""
    random = checks.random(checks.at_least("draw", draw, 0))
    chosen = sorted(random.choice(sorted(people), PEOPLE, replace=False).tolist())
    images: dict[str, list[str]] = {"source": [], "target": []}
    for person in chosen:
        order = random.permutation(sorted(people[person])).tolist()
        images["source"] += sorted(order[: sizes[0]])
        images["target"] += sorted(order[sizes[0] : sum(sizes)])
    owner = {image: person for person in chosen for image in people[person]}
    rows = images["source"] + images["target"]
    pixels = turned(np.array([people[owner[image]][image] for image in rows]))
    n = len(rows) * len(ANGLES)
    return RelatedData(
        name=name,
        tasks=np.repeat(list(images), [len(own) * len(ANGLES) for own in images.values()]),
        row_ids=np.array([f"{image} turned {angle}" for image in rows for angle in ANGLES]),
        X=archives.components(pixels.reshape(n, -1), n - 1, "full"),
        feature_names=tuple(f"component_{j}" for j in range(n - 1)),
        target=np.repeat([owner[image] for image in rows], len(ANGLES)),
        origin=origin,
    )
