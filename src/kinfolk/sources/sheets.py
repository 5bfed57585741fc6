"""One file's rows, with every column in its role: task, text, target, row id or number."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk.arrays import Table
from kinfolk.errors import InputError
from kinfolk.tables import alignment

if TYPE_CHECKING:
    import pandas as pd


class Roles(NamedTuple):
    """The names of the columns that are not numbers to cluster on; None where there is none."""

    tasks: str | None = None
    text: str | None = None
    target: str | None = None
    row_id: str | None = None
    labels: str | None = None

    def among(self, columns: Collection[str]) -> Self:
        """Return the roles less those of rows, but for the row id, that a file need not have."""
        lacking = [r for r in ("tasks", "target", "labels") if getattr(self, r) not in columns]
        return self._replace(**dict.fromkeys(lacking))

    def named(self) -> list[str]:
        """Return the names given; InputError if one column has two roles."""
        names = [name for name in self if name is not None]
        if twice := alignment.repeated(names):
            raise InputError(
                f"Column {twice[0]!r} is named for two roles; tasks, text, target, row id and "
                "labels must be different columns."
            )
        return names


@dataclass(frozen=True)
class Sheet:
    """What one file holds.

    Attributes
    ----------
    file : the path as the user wrote it
    row_ids : (n,) strings
    tasks, target : (n,) strings, or None
    labels : (n,) known classes, "-1" where unknown, or None
    texts : (n,) documents, or None
    X : (n, d) finite numbers, dense or CSR, or None where there are texts
    feature_names : (d,) names of the columns of X
    ignored : columns that were not asked for
    """

    file: str
    row_ids: NDArray[Any]
    tasks: NDArray[Any] | None = None
    target: NDArray[Any] | None = None
    labels: NDArray[Any] | None = None
    texts: tuple[str, ...] | None = None
    X: Table | None = None
    feature_names: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()


def from_frame(
    file: str, frame: "pd.DataFrame", roles: Roles, only: Collection[str] | None = None
) -> Sheet:
    """Sort the columns of a data frame by role; `only` names the numbers that are asked for.

    Raises
    ------
    InputError
        If a named column is not there; if a label, text or number is missing or infinite; if
        another column is not numeric, or none remains.
    """
    for name in roles.named():
        if name not in frame.columns:
            raise InputError(
                f"{file} has no column {name!r}; it has {alignment.some(list(frame.columns))}."
            )

    def of(name: str | None) -> NDArray[Any] | None:
        return None if name is None else labels(file, name, _objects(frame[name]))

    row_ids, tasks, target = of(roles.row_id), of(roles.tasks), of(roles.target)
    if row_ids is None:
        row_ids = default_ids(len(frame))
    given = None if roles.labels is None else known(_objects(frame[roles.labels]))
    if roles.text is not None:
        texts = documents(file, roles.text, _objects(frame[roles.text]))
        return Sheet(file, row_ids, tasks, target, given, texts)
    free = [name for name in frame.columns if name not in roles]
    names = free if only is None else [name for name in free if name in only]
    if not names:
        raise InputError(f"{file} has no column left to cluster on: add numbers, or name a text.")
    X = np.empty((len(frame), len(names)))
    refusals: dict[str, InputError] = {}
    for j, name in enumerate(names):
        try:
            X[:, j] = _numbers(file, name, frame[name])
        except InputError as refusal:
            refusals[name] = refusal
    if len(refusals) > 1:
        raise InputError(
            f"{file}: the columns {alignment.some(refusals)} are not numeric: name them as the "
            "tasks, the text, the target or the row id, encode them as numbers, or drop them."
        )
    if refusals:
        raise next(iter(refusals.values()))
    return Sheet(
        file,
        row_ids,
        tasks,
        target,
        given,
        X=finite(file, names, X),
        feature_names=tuple(names),
        ignored=tuple(name for name in free if name not in names),
    )


def labels(file: str, name: str, values: NDArray[Any]) -> NDArray[Any]:
    """Return labels as strings; InputError at the first that is missing."""
    for row, value in enumerate(values.tolist(), start=1):
        if _is_missing(value):
            raise InputError(
                f"{file}: data row {row} has nothing in column {name!r}: fill it or drop the row."
            )
    return np.array([str(value).strip() for value in values.tolist()])


def known(values: NDArray[Any]) -> NDArray[Any]:
    """Return known classes as strings, "-1" where they are empty or -1.

    Examples
    --------
    >>> known(np.array(["rec", None, " ", -1, -1.0], dtype=object)).tolist()
    ['rec', '-1', '-1', '-1', '-1']
    """
    return np.array(
        [
            "-1" if _is_missing(value) or value == -1 else str(value).strip()
            for value in values.tolist()
        ]
    )


def documents(file: str, name: str, values: NDArray[Any]) -> tuple[str, ...]:
    """Return texts; InputError at the first that is missing or is not a text."""
    for row, value in enumerate(values.tolist(), start=1):
        if _is_missing(value):
            raise InputError(
                f"{file}: data row {row} has no text in column {name!r}: drop the row."
            )
        if not isinstance(value, str):
            raise InputError(
                f"{file}: column {name!r} is not text (data row {row} holds {value!r:.40}): name "
                "the column that holds the texts."
            )
    return tuple(values.tolist())


def finite(file: str, names: Sequence[str], X: Table) -> Table:
    """Return X; InputError at its first entry that is not a finite number."""
    values = X.data if sp.issparse(X) else X.ravel()
    wrong = np.flatnonzero(~np.isfinite(values))
    if not len(wrong):
        return X
    first = int(wrong[0])
    if sp.issparse(X):
        row, column = int(np.searchsorted(X.indptr, first, side="right")) - 1, X.indices[first]
    else:
        row, column = divmod(first, X.shape[1])
    kind = "nothing (or not a number)" if np.isnan(values[first]) else "an infinite number"
    raise InputError(
        f"{file}: data row {row + 1} has {kind} in column {names[column]!r}: fill the gap, or drop "
        "the row or the column."
    )


def default_ids(n: int) -> NDArray[Any]:
    """Return the numbers of the rows from 1, as strings."""
    return np.arange(1, n + 1).astype(str)


def _is_missing(value: object) -> bool:
    """None, not-a-number, or a text of nothing but white space."""
    if isinstance(value, float):
        return math.isnan(value)
    return value is None or (isinstance(value, str) and not value.strip())


def _objects(column: "pd.Series[Any]") -> NDArray[Any]:
    """Return one column as Python objects, None where it is empty."""
    values = column.to_numpy(dtype=object, copy=True)
    values[column.isna().to_numpy()] = None
    return values


def _numbers(file: str, name: str, column: "pd.Series[Any]") -> NDArray[Any]:
    """Return one column as floats, NaN where it is empty; InputError if it is not numeric."""
    import pandas as pd

    if column.dtype.kind in "biuf":
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    values = column.astype(object)
    numbers = np.full(len(values), np.nan)
    if column.dtype.kind not in "mMc":  # dates and complex numbers would pass as numbers
        try:
            numbers[:] = pd.to_numeric(values, errors="coerce")
        except OverflowError as error:
            raise InputError(f"{file}: column {name!r} holds a number beyond 1e308.") from error
    wrong = np.isnan(numbers) & values.notna().to_numpy()
    if wrong.any():
        row = int(wrong.argmax())
        raise InputError(
            f"{file}: column {name!r} is not numeric (data row {row + 1} holds "
            f"{str(values.iloc[row])!r:.60}): drop it, encode it as numbers, or name it as the "
            "text, the task, the target or the row id."
        )
    return numbers
