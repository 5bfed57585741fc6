"""Joins views whose rows differ, by row names."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk.arguments import shown, type_of
from kinfolk.errors import InputError, OverlapWarning, warn_user
from kinfolk.tables import alignment, intake


def slices(widths: Mapping[Any, int]) -> dict[Any, slice]:
    """Return {view: slice of its columns} for views of these widths side by side.

    >>> slices({"pix": 2, "fou": 1})
    {'pix': slice(0, 2, None), 'fou': slice(2, 3, None)}
    """
    ends = np.cumsum(list(widths.values())).tolist()
    return dict(zip(widths, map(slice, [0, *ends[:-1]], ends), strict=True))


def column_names(views: Mapping[Any, Sequence[str]]) -> list[str]:
    """Return the names of all columns; all are "view: column" if any two views share one.

    >>> column_names({"a": ["x"], "b": ["x", "y"]})
    ['a: x', 'b: x', 'b: y']
    """
    names = [name for own in views.values() for name in own]
    if alignment.repeated(names):
        return [f"{view}: {name}" for view, own in views.items() for name in own]
    return names


def positions(
    rows: Sequence[Sequence[Hashable]], how: str
) -> tuple[list[Hashable], NDArray[np.integer]]:
    """Names of all rows (n,), and each view's position of them (n, V), -1 if missing.

    Parameters
    ----------
    rows : the names of the rows of each view, different within it
    how : "outer" keeps the rows that any view has, in the order in which they first appear;
        "inner" those that all have

    Examples
    --------
    >>> positions([["a", "b"], ["b", "c"]], "outer")
    (['a', 'b', 'c'], array([[ 0, -1],
           [ 1,  0],
           [-1,  1]]))
    >>> positions([["a", "b"], ["b", "c"]], "inner")
    (['b'], array([[1, 0]]))
    """
    places = [{name: i for i, name in enumerate(own)} for own in rows]
    names = list(dict.fromkeys(name for own in rows for name in own))
    if how == "inner":
        names = [name for name in names if all(name in place for place in places)]
    found = [[place.get(name, -1) for place in places] for name in names]
    return names, np.array(found, dtype=int).reshape(len(names), len(rows))


def warn_of_strangers(
    views: Iterable[Any], names: Sequence[Hashable], places: NDArray[np.integer]
) -> None:
    """Warn of the first view that shares no row with any other, where names may be misspelled.

    Parameters
    ----------
    views : the names of the V views
    names, places : the result of `positions`

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     warn_of_strangers(["labs", "scans"], *positions([["p1"], ["P1"]], "outer"))
    >>> print(told[0].message)
    No row of labs is in any other view, so that nothing joins its rows with theirs: labs has 'p1'
    and scans has 'P1'; write the names of rows alike in all views.
    """
    known = places >= 0
    shared = known & (known.sum(axis=1) > 1)[:, None]
    having = np.flatnonzero(known.any(axis=0)).tolist()  # a view without rows is no stranger
    strangers = [v for v in having if not shared[:, v].any()]
    if not strangers or len(having) < 2:
        return
    v = strangers[0]
    other = next(view for view in having if view != v)
    examples = [names[at] for at in known.argmax(axis=0)]
    called = list(views)
    warn_user(
        f"No row of {called[v]} is in any other view, so that nothing joins its rows with theirs: "
        f"{called[v]} has {shown(examples[v])} and {called[other]} has {shown(examples[other])}; "
        "write the names of rows alike in all views.",
        OverlapWarning,
    )


def taken(X: NDArray[Any], at: NDArray[np.integer]) -> NDArray[np.float64]:
    """Select rows of X (m, d) by positions (n,), NaN where the position is -1.

    >>> taken(np.array([[1.0], [2.0]]), np.array([1, -1]))
    array([[ 2.],
           [nan]])
    """
    found = np.full((len(at), X.shape[1]), np.nan)
    found[at >= 0] = X[at[at >= 0]]
    return found


def values_at(values: NDArray[Any], at: NDArray[np.integer]) -> NDArray[Any]:
    """Select entries (m,) of a column by positions (n,), gaps where -1.

    >>> values_at(np.array(["a", "b"], dtype=object), np.array([1, -1])).tolist()
    ['b', None]
    """
    gap = {"f": np.nan, "M": np.datetime64("NaT")}.get(values.dtype.kind)
    found = values[np.maximum(at, 0)]
    found[at < 0] = gap
    return found


def mask_of(observed: Any, views: Iterable[Any], n: int) -> NDArray[np.bool_]:
    """Check a mask of the views that rows have, and return it as (n, V) truth values.

    Parameters
    ----------
    observed : (n, V) of True and False, or 1 and 0; columns of a frame that are named as the views
        are taken by name

    Raises
    ------
    InputError : another shape or other values, or a row without any view

    Examples
    --------
    >>> mask_of([[1, 0], [1, 1]], ["a", "b"], 2)
    array([[ True, False],
           [ True,  True]])
    """
    names = [str(view) for view in views]
    if hasattr(observed, "columns"):
        observed = _by_name(observed, names)
    try:
        values = np.asarray(observed, dtype=float)
    except (TypeError, ValueError):
        values = np.full((1, 1), np.nan)
    if values.shape != (n, len(names)) or not np.isin(values, (0.0, 1.0)).all():
        raise InputError(
            f"observed is no mask of {n} rows and {len(names)} views ({', '.join(names)}); give "
            "True or False for each row and view, shape (n, V), True where the row has the view."
        )
    found: NDArray[np.bool_] = values.astype(bool)
    if len(empty := np.flatnonzero(~found.any(axis=1))):
        raise InputError(
            f"observed leaves {len(empty)} rows without any view, the first is row {empty[0]}; "
            "leave these rows out of all views."
        )
    return found


def _by_name(observed: Any, names: list[str]) -> Any:
    """Values (n, V) of a frame in the order of the views; InputError if its columns are others."""
    place = {str(name): j for j, name in enumerate(observed.columns)}
    if set(place) != set(names):
        raise InputError(
            f"observed has the columns {alignment.some(list(place))}, and the views are "
            f"{alignment.some(names)}; name the columns as the views."
        )
    return np.asarray(observed)[:, [place[name] for name in names]]


def masked(tables: Sequence[Any], observed: NDArray[np.bool_]) -> list[Any]:
    """Return copies of the tables (n, d_v), NaN in the rows that lack the view; sparse stays CSR.

    >>> masked([np.array([[1.0], [2.0]])], np.array([[True], [False]]))
    [array([[ 1.],
           [nan]])]
    """
    found = []
    for X, there in zip(tables, observed.T, strict=True):
        gaps = np.flatnonzero(~there)
        missing = np.full((len(gaps), X.shape[1]), np.nan)
        if sp.issparse(X):
            rows = np.arange(len(there))
            rows[gaps] = len(there) + np.arange(len(gaps))
            parts: list[Any] = [X, sp.csr_array(missing)]
            found.append(sp.csr_array(sp.vstack(parts))[rows])
        else:
            X = X.copy()
            X[gaps] = missing
            found.append(X)
    return found


def by_index(views: Mapping[Any, Any], how: str) -> tuple[Any, dict[Any, slice]]:
    """Join pandas frames by index: one frame, and {view: slice of columns}.

    Raises
    ------
    InputError : a view is no frame of pandas, its index repeats a name or lacks one, its columns
        are no numbers, or no row is in all views, with how="inner"
    """
    for view, frame in views.items():
        if not (hasattr(frame, "index") and hasattr(frame, "reindex")):
            raise InputError(
                f"view {view!r} is {type_of(frame)} without names of rows; give data "
                "frames of pandas whose index names the rows, or make missing rows NaN yourself."
            )
        if not frame.index.is_unique:
            twice = alignment.some(frame.index[frame.index.duplicated()].tolist())
            raise InputError(f"view {view!r} has more than one row {twice}; name each row once.")
        if unnamed := sum(map(intake.missing, frame.index.tolist())):
            raise InputError(
                f"view {view!r} has no name (None or NaN) in its index for {unnamed} of "
                f"{len(frame)} rows, so it is not clear which rows of other views they are; name "
                "them or leave them out."
            )
    frames = list(views.values())
    names, places = positions([frame.index.tolist() for frame in frames], how)
    if not names:
        raise InputError('no row is in all views; give how="outer", or check the indexes.')
    warn_of_strangers(views, names, places)
    tables = [_numbers(view, frame) for view, frame in views.items()]
    X = np.hstack([taken(table, at) for table, at in zip(tables, places.T, strict=True)])
    columns = {view: [str(name) for name in frame.columns] for view, frame in views.items()}
    made = type(frames[0])(X, index=names, columns=column_names(columns))
    return made, slices({view: len(own) for view, own in columns.items()})


def _numbers(view: Any, frame: Any) -> NDArray[np.float64]:
    """Convert the frame of a view to floats (n, d_v); InputError if it holds other values."""
    try:
        return np.asarray(frame.to_numpy(), dtype=float)
    except (TypeError, ValueError):
        raise InputError(
            f"view {view!r} has entries that are no numbers; drop or encode these columns."
        ) from None
