"""Handwritten digits of two sources: ten classes in both, written and scanned differently.

Source  forms  E. Alpaydin, C. Kaynak, "Optical Recognition of Handwritten Digits", UCI, as
               bundled with scikit-learn;
        maps   R. P. W. Duin, "Multiple Features", UCI, doi 10.24432/C5HC70, CC BY 4.0, as
               changed by `scripts/embed_mfeat.py`.
"""

from importlib import resources

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets

from kinfolk.arrays import Labels, Matrix, Seed
from kinfolk.errors import InputError
from kinfolk.estimators import checks
from kinfolk.tables import RelatedData

HOME_PAGE = "https://doi.org/10.24432/C5HC70"
TERMS = "Both sources are in the UCI Machine Learning Repository under CC BY 4.0."
MAPS = "mfeat_8x8.npz"


def load_digits_two_sources(
    n_rows: tuple[int, int] = (300, 300), random_state: Seed = 0
) -> RelatedData:
    """Load digits of two sources as 8 x 8 images; nothing has to be fetched.

    Task "forms" are digits that 43 people wrote on forms, task "maps" digits from Dutch utility
    maps, drawn so that the classes of a task differ by one row at most.

    Parameters
    ----------
    n_rows : rows of forms (10 to 1740) and of maps (10 to 2000)
    random_state : int, RandomState or None, for the draw

    Returns
    -------
    RelatedData : `X` (n, 64) ink from 0 to 16, image rows one after the other; `row_ids`
        positions in the source; `target` "0" to "9"

    Raises
    ------
    InputError : more or fewer rows than a source can give

    >>> load_digits_two_sources((50, 30)).X.shape
    (80, 64)
    """
    random = checks.random(random_state)
    forms = datasets.load_digits()
    with resources.files(__package__).joinpath(MAPS).open("rb") as file:
        maps = np.load(file, allow_pickle=False)
        sources = {
            "forms": (forms.data, forms.target),
            "maps": (maps["images"].reshape(-1, 64), maps["digits"].astype(int)),
        }
    drawn = {
        task: _balanced(task, target, n, random)
        for (task, (_, target)), n in zip(sources.items(), n_rows, strict=True)
    }
    pixels: list[Matrix] = [sources[task][0][rows] for task, rows in drawn.items()]
    return RelatedData(
        name="digits-two-sources",
        tasks=np.repeat(list(drawn), [rows.size for rows in drawn.values()]),
        row_ids=np.concatenate(list(drawn.values())).astype(str),
        X=np.concatenate(pixels).astype(float),
        feature_names=tuple(f"pixel_{i}_{j}" for i in range(8) for j in range(8)),
        target=np.concatenate([sources[task][1][rows] for task, rows in drawn.items()]).astype(str),
        origin="Optical Recognition of Handwritten Digits (E. Alpaydin, C. Kaynak) and Multiple "
        f"Features (R. P. W. Duin, {HOME_PAGE}), brought to 8 x 8. {TERMS}",
    )


def _balanced(task: str, target: Labels, n: int, random: np.random.RandomState) -> NDArray[np.intp]:
    """Return n positions in ascending order, classes as equal as n allows."""
    classes, sizes = np.unique(target, return_counts=True)
    most = int(classes.size * sizes.min())
    if checks.at_least("n_rows", n, classes.size) > most:
        raise InputError(f"n_rows is {n} for {task}; give at most {most}.")
    shares = n // classes.size + (np.arange(classes.size) < n % classes.size)
    rows = [
        random.choice(np.flatnonzero(target == label), size=share, replace=False)
        for label, share in zip(classes, shares, strict=True)
    ]
    return np.sort(np.concatenate(rows))
