"""Base class of methods for several views (groups of columns) of the same rows."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from kinfolk.arguments import shown
from kinfolk.arrays import Matrix, MatrixLike, Table
from kinfolk.errors import InputError
from kinfolk.estimators import checks, observed, warn
from kinfolk.estimators.base import Clusterer
from kinfolk.estimators.observed import ObservedRows
from kinfolk.numerics import operators
from kinfolk.tables import Tasks, intake, object_array


class MultiViewClusterer(Clusterer):
    """Base of clusterers of rows described by several views, which are groups of columns.

    Parameters
    ----------
    views : mapping view -> its columns of X, as a slice, positions or names of columns of a data
        frame; None: one view. `kinfolk.join` makes X and views from one table per view

    Attributes
    ----------
    view_names_ : (V,) in the order of `views`
    view_weights_ : (V,) weight of each view; they sum to 1
    """

    n_clusters: int
    views: Mapping[Any, Any] | None

    compares = "nothing"  # a column of another scale may be a view, which has a weight
    from_zero = False
    """True if the method measures lengths or directions from 0."""

    takes_missing_views = False
    """True if a row may lack views: a view that is NaN in all of its columns there."""

    def _open_rows(self, X: MatrixLike) -> tuple[ObservedRows, int]:
        """Check table, views and number of clusters; return rows sorted by content, and number."""
        X = checks.samples(self, X, at_least=2, gaps=True)
        one = Tasks.single(X.shape[0])
        names = getattr(self, "feature_names_in_", None)
        found = columns_of(self.views, X.shape[1], None if names is None else names.tolist())
        self.view_names_ = object_array(found)
        self._columns = list(found.values())
        there = self._blocks_there(X)
        if len(absent := np.flatnonzero(~there.any(axis=0))):
            raise InputError(
                f"view {self.view_names_[absent[0]]!r} is missing from every row of X; leave out "
                "its columns."
            )
        self._asked = checks.clusters(self.n_clusters, one)[0]
        X = observed.filled(X)
        if there.all():
            X = self._by_content(X, one)[0]
        else:  # a view that is missing is not a view of zeros
            marks = sp.csr_array(there) if sp.issparse(X) else there
            whole = self._by_content(operators.hstack([X, marks]), one)[0]
            there = operators.dense(whole[:, X.shape[1] :])
            X = whole[:, : X.shape[1]]
        tables = self._views_of(X)
        if not warn.of_lost_digits(X) and self._measures_from_zero():
            pairs = zip(tables, there.T, strict=True)
            parts = [T if o.all() else T[np.flatnonzero(o)] for T, o in pairs]
            warn.of_far_rows(parts)
        return ObservedRows(X, tables, there), self._asked

    def _measures_from_zero(self) -> bool:
        """True if shifting a view's columns would change the result."""
        return self.from_zero

    def _observed_rows(self, X: MatrixLike) -> ObservedRows:
        """Check new rows (m, d); they may lack views if the method allows it."""
        X = self._new_rows(X)
        there = self._blocks_there(X)
        X = observed.filled(X)
        return ObservedRows(X, self._views_of(X), there)

    def _blocks_there(self, X: Table) -> Matrix:
        """Return a mask (n, V) of views that rows have; InputError if one lacks a needed view."""
        if not observed.has_nan(X):
            return np.ones((X.shape[0], len(self._columns)))
        if len(self._columns) == 1:  # a row without its only view has nothing
            checks.finite(X, getattr(self, "feature_names_in_", None), gaps=False)
        there = observed.blocks_there(X, self._columns, self.view_names_.tolist())
        if not self.takes_missing_views:
            i, v = np.argwhere(there == 0)[0]
            raise InputError(
                f"view {self.view_names_[v]!r} is missing (NaN) from row {i} of X, and "
                f"{type(self).__name__} needs every view of every row; leave out such rows, or "
                "take a method that leaves out what is missing: Kinfolk, CoregularizedSpectral, "
                "NEMO, JoinedKMeans, CoFKM, CoMVCF or MultiNMF."
            )
        return there

    def _views_of(self, X: Table) -> list[Table]:
        return [X[:, columns] for columns in self._columns]

    def _new_rows(self, X: MatrixLike) -> Table:
        """Check new rows, which must have the columns of every view."""
        check_is_fitted(self)
        X = intake.numbers(X)
        shape = np.shape(X)
        known = zip(self.view_names_, self._columns, strict=True)
        named = hasattr(X, "columns")  # then scikit-learn says which names are missing
        if len(shape) == 2 and shape[1] != self.n_features_in_ and not named:
            raise InputError(
                f"X has {shape[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input, those of all views "
                f"({', '.join(f'{view!r}: {len(columns)}' for view, columns in known)}); give "
                "every new row the columns of every view."
            )
        return checks.samples(self, X, reset=False, gaps=True)


def columns_of(views: Any, d: int, names: list[str] | None) -> dict[Any, NDArray[np.integer]]:
    """Return {view: column positions}, given d columns and maybe their names.

    Raises
    ------
    InputError : no mapping; a view without columns, or with columns that X does not have; a
        column of X in no view

    Examples
    --------
    >>> columns_of({"a": slice(0, 2), "b": [2]}, 3, None)
    {'a': array([0, 1]), 'b': array([2])}
    >>> columns_of({"size": ["height", "mass"], "age": "age"}, 3, ["height", "age", "mass"])
    {'size': array([0, 2]), 'age': array([1])}
    """
    if views is None:
        return {"all": np.arange(d)}
    if not isinstance(views, Mapping) or not views:
        raise InputError(
            f"views is {shown(views)}; give a mapping of views to their columns, such as the "
            "second result of kinfolk.join, or None for one view."
        )
    found = {view: _positions(view, columns, d, names) for view, columns in views.items()}
    if left := sorted(set(range(d)) - set(np.concatenate(list(found.values())).tolist())):
        first = left[0] if names is None else repr(names[left[0]])
        if len(left) == 1:
            raise InputError(
                f"column {first} of X is in no view; put it into a view or leave it out of X."
            )
        raise InputError(
            f"{len(left)} columns of X are in no view, the first is column {first}; put them into "
            "a view or leave them out of X."
        )
    return found


def _positions(view: Any, columns: Any, d: int, names: list[str] | None) -> NDArray[np.integer]:
    """Return the column positions of one view; InputError for none, or for unknown columns."""
    if isinstance(columns, slice):
        try:
            given = list(range(d))[columns]
        except (ValueError, TypeError) as error:  # a step of 0, or names
            raise InputError(
                f"view {view!r} has the columns {columns!r} ({error}); give a slice of positions, "
                "or a list of positions or names."
            ) from None
        if columns.stop is not None and columns.stop > d:
            raise InputError(
                f"view {view!r} has the columns {columns!r}, and X has {d} columns; end the slice "
                f"at {d} or before, or with None."
            )
    else:
        given = [columns] if isinstance(columns, str) or np.ndim(columns) == 0 else list(columns)
    if not given:
        raise InputError(f"view {view!r} has no columns; give it at least one or leave it out.")
    places = {name: j for j, name in enumerate(names or [])}
    found = []
    for column in given:
        j = places.get(column, -1) if isinstance(column, str) else column
        if isinstance(j, bool) or not isinstance(j, int | np.integer) or not 0 <= j < d:
            known = f"{d} columns" + (f" from {names[0]!r} to {names[-1]!r}" if names else "")
            raise InputError(
                f"view {view!r} asks for column {column!r} of X, which has {known}; give a slice, "
                "positions from 0, or names of columns of a data frame."
            )
        found.append(int(j))
    return np.array(found)
