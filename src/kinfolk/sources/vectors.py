"""Embeddings given beside tables, as an array or a file with one row per table row."""

import os
from pathlib import Path
from typing import Any

from kinfolk.arrays import Table
from kinfolk.errors import InputError
from kinfolk.sources import array_files, finite_numbers, paths
from kinfolk.sources.embeddings import HOW, names
from kinfolk.sources.sheets import Roles
from kinfolk.tables import intake


class Vectors:
    """Rows of an array (n, d) that successive tables take in turn.

    >>> vectors = given([[1.0], [2.0], [3.0]])
    >>> vectors.take(2, "a.csv").tolist(), vectors.take(1, "b.csv").tolist()
    ([[1.0], [2.0]], [[3.0]])
    >>> vectors.check_taken()
    """

    def __init__(self, X: Table) -> None:
        self.X = X
        self._taken = 0

    def take(self, n: int, table: str) -> Table:
        """Return the next n rows for a table; InputError with its name if there are fewer."""
        self._taken += n
        if self.X.shape[0] < self._taken:
            raise InputError(
                "there are fewer embeddings than rows of the tables, the first without one is in "
                f"{table}: {HOW}."
            )
        return self.X[self._taken - n : self._taken]

    def check_taken(self) -> None:
        """Raise InputError unless all rows of the array were taken by tables."""
        if self._taken != self.X.shape[0]:
            raise InputError(
                f"there are {self.X.shape[0]:,} embeddings and {self._taken:,} rows of the tables: "
                "give one for each row, in the order of the tables."
            )


def given(embeddings: Any) -> Vectors | None:
    """Return the embeddings in a file or array as `Vectors`; None for a column name or nothing.

    Raises
    ------
    InputError : the array has other than two axes, or holds something but finite numbers

    Examples
    --------
    >>> given([[0.5, 1.0]]).X, given("vector"), given(None)
    (array([[0.5, 1. ]]), None, None)
    """
    if embeddings is None or given_by_column(embeddings):
        return None
    if isinstance(embeddings, str | os.PathLike):
        path = Path(embeddings)
        if paths.split(path)[1] not in array_files.SUFFIXES:
            raise InputError(f"embeddings is {str(path)!r}; {HOW}.")
        sheet = array_files.sheet(str(path), paths.read_bytes(path), Roles())
        assert sheet.X is not None  # no file of arrays is read without
        return Vectors(sheet.X)
    X = intake.matrix(embeddings, "embeddings")
    return Vectors(finite_numbers.checked("embeddings", names(X.shape[1]), X))


def given_by_column(embeddings: Any) -> bool:
    """True if `embeddings` is a column name and not a file name or array.

    >>> given_by_column("vector"), given_by_column("vectors.NPY"), given_by_column(None)
    (True, False, False)
    """
    return isinstance(embeddings, str) and not embeddings.lower().endswith(array_files.SUFFIXES)
