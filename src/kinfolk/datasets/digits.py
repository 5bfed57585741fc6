"""Handwritten digits of two sources, as two tasks with ten common classes.

Source  forms  E. Alpaydin, C. Kaynak, "Optical Recognition of Handwritten Digits", UCI, as
               bundled with scikit-learn;
        maps   R. P. W. Duin, "Multiple Features", UCI, doi 10.24432/C5HC70, CC BY 4.0, as
               changed by `scripts/embed_mfeat.py`.
"""

from importlib import resources

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets

from kinfolk.arguments import shown
from kinfolk.arrays import Labels, Matrix, Seed
from kinfolk.datasets import assembly
from kinfolk.datasets.registry import COLLECTIONS
from kinfolk.errors import InputError
from kinfolk.estimators import checks
from kinfolk.tables import RelatedData

COLLECTION = COLLECTIONS["digits-two-sources"]
MAPS = "mfeat_8x8.npz"


def load_digits_two_sources(
    n_rows: tuple[int, int] = (300, 300), random_state: Seed = 0
) -> RelatedData:
    """Load digits of two sources as 8 x 8 images, without download.

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
    InputError : more or fewer rows than a source can give, or not two numbers

    >>> data = load_digits_two_sources((50, 30))
    >>> data.X.shape, data.task_names
    ((80, 64), ['forms', 'maps'])
    >>> data.X[0].reshape(8, 8).astype(int)[:3]
    array([[ 0,  0,  0,  9, 15, 12,  0,  0],
           [ 0,  0,  4,  7,  7, 14,  0,  0],
           [ 0,  0,  0,  0,  0, 13,  3,  0]])
    """
    random = checks.random(random_state)
    if np.asarray(n_rows, dtype=object).shape != (2,):
        raise InputError(f"n_rows is {shown(n_rows)}; give two numbers, of forms and of maps.")
    forms = datasets.load_digits()
    with resources.files(__package__).joinpath(MAPS).open("rb") as file:
        maps = np.load(file, allow_pickle=False)
        sources = {
            "forms": (forms.data, forms.target),
            "maps": (maps["images"].reshape(-1, 64), maps["digits"].astype(int)),
        }
    drawn = {
        task: _draw_balanced(task, target, n, random)
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
        f"Features (R. P. W. Duin, {COLLECTION.home_page}), brought to 8 x 8. {COLLECTION.terms}",
    )


def _draw_balanced(
    task: str, target: Labels, n: int, random: np.random.RandomState
) -> NDArray[np.intp]:
    """Draw n row positions with classes as equal in number as possible."""
    classes, counts = np.unique(target, return_counts=True)
    most = int(classes.size * counts.min())
    if checks.at_least("n_rows", n, classes.size) > most:
        raise InputError(f"n_rows is {n} for {task}; give at most {most}.")
    # The first n modulo 10 classes have one row more than the others.
    sizes = n // classes.size + (np.arange(classes.size) < n % classes.size)
    return assembly.draw_rows(target, dict(zip(classes, sizes, strict=True)), random)
