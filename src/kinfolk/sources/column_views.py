"""Groups the columns of one table into views, by the patterns of their names or by position."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk.arguments import spelled
from kinfolk.errors import InputError
from kinfolk.sources import stacking, two_in_one
from kinfolk.tables import RelatedData, alignment, columns, joined_views


def by_patterns(data: RelatedData, views: str) -> RelatedData:
    """Group the columns of a table into views by name patterns, and reorder them.

    Parameters
    ----------
    views : "view=pattern" pairs divided by commas; a pattern is a name with * for any characters
        and ? for one; a view that is named twice has both patterns

    Raises
    ------
    InputError : no pair, a pattern without columns, or a column in no view or in two

    Examples
    --------
    >>> rows = np.array(["1"])
    >>> data = RelatedData("t", rows, rows, np.array([[1.0, 2, 3]]), ("a1", "b1", "a2"))
    >>> found = by_patterns(data, "a=a*,b=b*")
    >>> found.feature_names, found.views["b"]
    (('a1', 'a2', 'b1'), slice(2, 3, None))
    """
    if data.texts is not None:
        raise InputError("views are groups of columns, and the rows are texts.")
    names = data.feature_names
    members: dict[str, list[int]] = {}
    for pair in views.split(","):
        view, equals, pattern = (part.strip() for part in pair.partition("="))
        matching = [j for j, name in enumerate(names) if fnmatchcase(name, pattern)]
        if not (view and equals and matching):
            raise InputError(
                f"{spelled('--views', 'views')} has {pair.strip()!r}, which names no columns; give "
                f"files, or patterns such as pix=pix_*,fou=fou_* of the columns "
                f"{alignment.some(names)}."
            )
        members.setdefault(view, []).extend(matching)
    times = np.bincount([j for own in members.values() for j in own], minlength=len(names))
    if wrong := [name for name, n in zip(names, times, strict=True) if n != 1]:
        raise InputError(
            f"Columns {alignment.some(wrong)} are in no view or in two; every column needs one: "
            f"change the patterns of {spelled('--views', 'views')}, or drop columns."
        )
    return grouped(data, members)


def grouped(data: RelatedData, members: Mapping[str, Sequence[int]]) -> RelatedData:
    """Keep only the columns at these positions, view after view, and set the views to match.

    >>> rows = np.array(["1"])
    >>> data = RelatedData("t", rows, rows, np.array([[1.0, 2, 3]]), ("a", "b", "c"))
    >>> found = grouped(data, {"one": [0, 2], "two": [1]})
    >>> found.X, found.feature_names, found.views["two"]
    (array([[1., 3., 2.]]), ('a', 'c', 'b'), slice(2, 3, None))
    """
    order = [j for own in members.values() for j in own]
    as_they_are = order == list(range(len(data.feature_names)))
    return replace(
        data,
        X=data.X if data.X is None or as_they_are else data.X[:, order],
        columns=data.columns and tuple(data.columns[j] for j in order),
        feature_names=tuple(data.feature_names[j] for j in order),
        views=joined_views.slices({view: len(own) for view, own in members.items()}),
    )


def widened(
    views: Mapping[str, slice], names: Sequence[str], data: RelatedData
) -> dict[str, slice]:
    """Return the columns of each view, as slices, after some columns were split into two.

    Parameters
    ----------
    views : view -> its columns among `names`
    names : of the columns before they were split

    >>> rows = np.array(["1"])
    >>> data = RelatedData("t", rows, rows, feature_names=("bp (first)", "bp (second)", "age"))
    >>> widened({"a": slice(0, 1), "b": slice(1, 2)}, ["bp", "age"], data)
    {'a': slice(0, 2, None), 'b': slice(2, 3, None)}
    """
    now = set(data.feature_names)
    widths = [(name in now) or sum(p in now for p in two_in_one.part_names(name)) for name in names]
    return joined_views.slices({view: sum(widths[own]) for view, own in views.items()})


def describe(data: RelatedData) -> str:
    """Sentence with the views, their numbers of columns, and rows that lack one.

    >>> rows = np.array(["1", "2"])
    >>> views = {"a": slice(0, 1), "b": slice(1, 2)}
    >>> describe(RelatedData("t", rows, rows, np.array([[1.0, np.nan], [2.0, 3.0]]), views=views))
    'The columns are 2 views: a (1), b (1). Rows that lack a view: b 1 of 2.'
    """
    sizes = ", ".join(f"{view} ({s.stop - s.start})" for view, s in data.views.items())
    said = f"The columns are {len(data.views)} views: {sizes}."
    if data.columns is None and sp.issparse(data.X):
        return said
    gaps = {view: int(_lacking(data, s).sum()) for view, s in data.views.items()}
    lacking = ", ".join(f"{view} {n:,} of {len(data):,}" for view, n in gaps.items() if n)
    return f"{said} Rows that lack a view: {lacking}." if lacking else said


def _lacking(data: RelatedData, view: slice) -> NDArray[np.bool_]:
    """Mark rows (n,) without any value in the columns of a view."""
    if data.columns is None:
        return np.isnan(np.asarray(data.X)[:, view.start])
    own = [column for column in data.columns[view] if column.kind not in stacking.LEFT_OUT]
    return columns.lacking(own, len(data))
