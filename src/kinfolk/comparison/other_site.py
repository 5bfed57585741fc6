"""Brings rows onto the columns and scale of another site's centers."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from kinfolk.arguments import spelled
from kinfolk.errors import InputError
from kinfolk.knowledge import Knowledge
from kinfolk.preparation import Preparation, state
from kinfolk.tables import RelatedData

FAR = 4.0
"""Spreads between the means of two sites above which a column may be in other units.

Sites that measure alike differ by less: children and grown-ups by 3 to 5 in height. Centimeters and
inches are 10 apart, degrees of Celsius and Fahrenheit above 60.
"""


def adapted(
    known: Knowledge, asked: Preparation, data: RelatedData
) -> tuple[Knowledge, Preparation, list[str]]:
    """Return centers on the columns of the rows, the preparation of both, and notes on units."""
    known = on_columns(known, data.feature_names)
    return known, same_preparation(known, asked, data), list(other_units(known, data))


def on_columns(known: Knowledge, names: tuple[str, ...]) -> Knowledge:
    """Reorder another site's centers to the columns `names` of a table (() for texts).

    Raises
    ------
    InputError : the knowledge is about other columns

    Examples
    --------
    >>> known = Knowledge([[1.0, 2.0]], [10.0], ("mass", "height"))
    >>> on_columns(known, ("height", "mass")).cluster_centers
    array([[2., 1.]])
    """
    if not names and (not known.feature_names or known.scaling == "standard"):
        raise InputError("the knowledge is about columns of numbers, and the rows are texts.")
    if not names or known.feature_names:
        return known.aligned(names or known.feature_names)
    if len(names) != (d := known.cluster_centers.shape[1]):
        raise InputError(
            f"the knowledge is about {d} columns without names and the table has {len(names)}: "
            "give the same columns in the same order, or ask for knowledge with names."
        )
    return replace(known, feature_names=names)


def same_preparation(known: Knowledge, asked: Preparation, data: RelatedData) -> Preparation:
    """Return the fitted preparation by which the other site's rows were transformed.

    Raises
    ------
    InputError : `asked` weighs terms or scales rows, and the other site did not

    Examples
    --------
    >>> known = Knowledge([[1.0]], [10.0], ("mass",), "standard", center=[4.0], spread=[2.0])
    >>> data = RelatedData("t", ["a", "a"], ["1", "2"], [[8.0], [5.0]], ("mass",))
    >>> same_preparation(known, Preparation(), data).transform(data).tolist()
    [[2.0], [0.5]]
    """
    texts = data.texts is not None
    option = spelled("--weighting", "text_weighting")
    if texts and asked.text_weighting != "counts":
        raise InputError(
            f"{option} is {asked.text_weighting!r} and the knowledge is about counts of terms: "
            f"leave {option} out."
        )
    option = spelled("--scale", "scale")
    if asked.scale not in ("none", known.scaling):
        raise InputError(
            f"{option} is {asked.scale!r} and the rows behind the knowledge were scaled by "
            f"{known.scaling!r}: leave {option} out, and these rows are scaled like those."
        )
    settings = {
        "version": state.VERSION,
        "reads": "texts" if texts else "numbers",
        "text_weighting": "counts",
        "stop_words": list(own) if isinstance(own := asked.stop_words, tuple) else own,
        "n_terms": asked.n_terms,
        "scale": known.scaling,
        "feature_names": list(known.feature_names),
    }
    learnt = {"center": known.center, "spread": known.spread}
    arrays = {name: values for name, values in learnt.items() if values is not None}
    return Preparation.from_state(settings, arrays)


def other_units(known: Knowledge, data: RelatedData) -> Iterator[str]:
    """Yield a sentence for each column whose mean is far from that of the other site.

    Only knowledge with scaling "standard" has means and spreads of its columns. `known` must have
    the columns of the data, in the same order.

    >>> known = Knowledge([[1.0]], [10.0], ("hba1c",), "standard", center=[7.0], spread=[1.4])
    >>> data = RelatedData("t", ["a", "a"], ["1", "2"], [[51.0], [57.0]], ("hba1c",))
    >>> print(*other_units(known, data))
    hba1c: your mean, 54, is 34 spreads away from that of the other site, 7 (spread 1.4): other
    units?
    """
    if known.center is None or known.spread is None or data.X is None or sp.issparse(data.X):
        return
    means = np.asarray(data.X, dtype=float).mean(axis=0)
    columns = zip(data.feature_names, means, known.center, known.spread, strict=True)
    for name, mean, center, spread in columns:
        if spread > 0 and abs(mean - center) > FAR * spread:
            yield (
                f"{name}: your mean, {mean:.4g}, is {abs(mean - center) / spread:.0f} spreads away "
                f"from that of the other site, {center:.4g} (spread {spread:.3g}): other units?"
            )
