"""Aligns the columns of several tables by their names.

Tables with different columns can be cut down to the columns that all of them share, or widened to
the columns that any of them has; columns that a table lacks are then zero.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import filterfalse

import numpy as np
import scipy.sparse as sp

from kinfolk.arguments import given, listed
from kinfolk.arrays import Table
from kinfolk.errors import InputError

CHOICES = ("strict", "intersect", "union")
"""Treatments of columns that some tables lack: refuse, leave out, fill with zeros."""

ENOUGH = 0.8
"""Share of common columns below which `Overlap.sentence` warns."""

_SHOWN = 5
"""The most names in a message."""


@dataclass(frozen=True)
class Overlap:
    """Agreement of the column names of several tables.

    Attributes
    ----------
    n_shared : number of columns that all tables have
    n_total : number of columns that at least one table has
    only : table -> its columns that some other table lacks, in its own order
    how : their treatment, one of `CHOICES`
    with_gaps : True if what a table lacks is a gap with "union", False if it is zero
    """

    n_shared: int
    n_total: int
    only: dict[str, tuple[str, ...]]
    how: str = "strict"
    with_gaps: bool = False

    @property
    def share(self) -> float:
        """Number of shared columns over the number of all columns."""
        return self.n_shared / self.n_total

    def sentence(self) -> str:
        """Say how many columns are shared, with a warning if few are.

        Examples
        --------
        >>> Overlap(9, 10, {"a": ("x",), "b": ()}, "union").sentence()
        '9 of 10 columns are shared by all tables (90 %); what a table lacks counts as zero.'
        """
        return f"{self._counts()}{_told_alike(self.only.values())}"

    def _counts(self) -> str:
        outcome = {
            "strict": "",
            "intersect": "; all other columns are left out",
            "union": f"; what a table lacks counts as {'a gap' if self.with_gaps else 'zero'}",
        }[self.how if self.n_shared < self.n_total else "strict"]
        percent = f"{100 * self.n_shared // self.n_total} %"
        counts = f"{self.n_shared} of {self.n_total} columns are shared by all tables ({percent})"
        if self.share >= ENOUGH:
            return f"{counts}{outcome}."
        danger = {
            "intersect": "the clusters rest on a small part of what was measured",
            "union": "the clusters may tell the tables apart instead of the rows",
            "gaps": "clusters of different tables are compared by few columns",
        }["gaps" if self.with_gaps and self.how == "union" else self.how]
        return f"Only {counts}{outcome}: {danger}."


def align(
    names: Mapping[str, Sequence[str]],
    matrices: Mapping[str, Table],
    how: str = "strict",
    *,
    with_gaps: bool = False,
) -> tuple[list[Table], tuple[str, ...], Overlap]:
    """Bring tables to the same columns in the same order, filling or dropping others.

    Parameters
    ----------
    names : table -> the names of its d_t columns, without repetition
    matrices : table -> (n_t, d_t), dense or CSR, for the same tables
    how : "strict" takes the same names in any order; "intersect" keeps the columns that all
        tables have; "union" keeps the columns that any table has, zero where one lacks them
    with_gaps : whether sentences say that what a table lacks is a gap, and not zero

    Returns
    -------
    aligned : for each table in the order of `names` its (n_t, d) columns; CSR stays CSR
    columns : the d names, in the order in which the tables first name them
    overlap : agreement of the names

    Raises
    ------
    InputError
        If a table repeats a name or has another number of columns than names, if no columns
        remain, or if the names differ and `how` is "strict".

    Examples
    --------
    >>> names = {"a": ["height", "mass"], "b": ["mass", "age"]}
    >>> matrices = {"a": np.array([[1.0, 2.0]]), "b": np.array([[3.0, 4.0]])}
    >>> aligned, columns, overlap = align(names, matrices, "union")
    >>> columns
    ('height', 'mass', 'age')
    >>> np.vstack(aligned)
    array([[1., 2., 0.],
           [0., 3., 4.]])
    >>> overlap.n_shared, overlap.only["b"]
    (1, ('age',))
    """
    if not isinstance(how, str) or how not in CHOICES:
        known = ", ".join(CHOICES)
        raise InputError(f"{given('columns', how)} is not known; choose one of {known}.")
    for table, own in names.items():
        _check_names(table, own, matrices[table])
    everything = tuple(dict.fromkeys(name for own in names.values() for name in own))
    shared = set(everything).intersection(*names.values())
    only = {
        table: tuple(name for name in own if name not in shared) for table, own in names.items()
    }
    if how == "strict" and len(shared) < len(everything):
        raise InputError(_difference(names, "gaps" if with_gaps else "zeros"))
    columns = tuple(n for n in everything if n in shared) if how == "intersect" else everything
    if not columns:
        raise InputError(
            f"No column is shared by all of the tables {some(names)}: "
            f"check the column names, or give {given('columns', 'union')}."
        )
    aligned = [select(matrices[table], own, columns) for table, own in names.items()]
    return aligned, columns, Overlap(len(shared), len(everything), only, how, with_gaps)


def select(X: Table, names: Sequence[str], columns: Sequence[str]) -> Table:
    """Select columns of X (n, d) by name; missing ones are zero.

    Returns X itself, not a copy, if it has these columns in this order.

    Examples
    --------
    >>> select(np.array([[1.0, 2.0]]), ["a", "b"], ["b", "c"])
    array([[2., 0.]])
    """
    if tuple(names) == tuple(columns):
        return X
    place = {name: j for j, name in enumerate(columns)}
    pairs = [(i, place[name]) for i, name in enumerate(names) if name in place]
    rows, cols = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    if sp.issparse(X):
        # A product with a 0/1 matrix picks columns without making X dense.
        chooser = sp.csr_array((np.ones(len(rows)), (rows, cols)), (len(names), len(columns)))
        product = sp.csr_array(X @ chooser)
        product.sort_indices()
        return product
    chosen = np.zeros((X.shape[0], len(columns)))
    chosen[:, cols] = X[:, rows]
    return chosen


def stacked(matrices: Sequence[Table]) -> Table:
    """Stack tables (n_t, d) by row; CSR if one of them is.

    Examples
    --------
    >>> stacked([np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])])
    array([[1., 2.],
           [3., 4.]])
    """
    if len(matrices) == 1:  # no second table in memory
        return matrices[0]
    if any(sp.issparse(matrix) for matrix in matrices):
        return sp.csr_array(sp.vstack([sp.csr_array(matrix) for matrix in matrices]))
    return np.vstack([np.asarray(matrix) for matrix in matrices])


def some(names: Sequence[object] | Mapping[str, object]) -> str:
    """List up to five names in words, and count the others.

    Examples
    --------
    >>> some(["a", "b"]), some("abcdefgh")
    ("'a', 'b'", "'a', 'b', 'c', 'd', 'e' and 3 more")
    """
    return listed([repr(name) for name in list(names)[:_SHOWN]], _SHOWN, n=len(names))


def repeated(names: Sequence[str]) -> list[str]:
    """Return the names that occur more than once.

    Examples
    --------
    >>> repeated(["a", "b", "a"])
    ['a']
    """
    return [name for name, count in Counter(names).items() if count > 1]


def _check_names(table: str, names: Sequence[str], X: Table) -> None:
    if twice := repeated(names):
        raise InputError(f"Table {table!r} has more than one column named {some(twice)}.")
    if X.shape[1] != len(names):
        raise InputError(f"Table {table!r} has {X.shape[1]} columns but {len(names)} names.")


def _difference(names: Mapping[str, Sequence[str]], filled: str) -> str:
    """Explain which columns of the first table another lacks, and conversely."""
    first, *others = names
    other = next(table for table in others if set(names[table]) != set(names[first]))
    sides = [
        f"only {side!r} has {some(missing)}"
        for side, opposite in ((first, other), (other, first))
        if (missing := list(filterfalse(set(names[opposite]).__contains__, names[side])))
    ]
    if set(map(_plain, names[first])) == set(map(_plain, names[other])):
        return (
            f"The tables {first!r} and {other!r} have columns whose names differ in capitals or "
            f"spaces only ({'; '.join(sides)}): write them alike."
        )
    return (
        f"The tables {first!r} and {other!r} have different columns ({'; '.join(sides)}): "
        f"give {given('columns', 'intersect')} to keep the columns that all tables share, or "
        f"{given('columns', 'union')} to keep all columns, with {filled} where a table lacks one."
        f"{_told_alike(names.values())}"
    )


def _told_alike(tables: Iterable[Sequence[str]]) -> str:
    """Sentence on names of different tables that differ in capitals or spaces only; "" without.

    >>> _told_alike([["Age", "n"], ["age", "n"]])
    " 'Age' and 'age' differ in capitals or spaces only: write them alike if they are one column."
    """
    by_plain: dict[str, list[str]] = {}
    twice = set()  # two names of one table are two columns
    for own in tables:
        plain = Counter(map(_plain, own))
        twice |= {name for name, count in plain.items() if count > 1}
        for name in own:
            spelled = by_plain.setdefault(_plain(name), [])
            if name not in spelled:
                spelled.append(name)
    pairs = [
        f"{found[0]!r} and {found[1]!r}"
        for plain, found in by_plain.items()
        if len(found) > 1 and plain not in twice
    ]
    if not pairs:
        return ""
    said = listed(pairs, _SHOWN, "pairs")
    return f" {said} differ in capitals or spaces only: write them alike if they are one column."


def _plain(name: str) -> str:
    return "".join(name.lower().split())
