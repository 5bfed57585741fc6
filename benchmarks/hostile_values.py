"""Hostile arguments for `benchmarks.hostile_calls`: tables, columns, parameters, texts, paths.

Each pool is name -> function of nothing, because generators and random states can be used once.
"""

import datetime
import decimal
import fractions

import numpy as np
import pandas as pd
import scipy.sparse as sp

N, D = 16, 4
_random = np.random.default_rng(0)

X = np.abs(4.0 * np.eye(D)[np.arange(N) % 2] + 0.5 * _random.normal(size=(N, D)))
"""Two groups in each of two tasks, no entry negative, so that every method takes the rows."""

TASKS = np.repeat(["lab", "field"], N // 2)
LABELS = np.where(np.arange(N) < N // 2, np.arange(N) % 2, -1)
TRUTH = np.arange(N) % 2
NAMES = list("abcd")


def frame():
    """Return the rows as a data frame of pandas whose index does not start at 0."""
    return pd.DataFrame(X, columns=NAMES, index=range(100, 100 + N))


def damaged():
    """Make a CSR matrix with an index out of range."""
    table = sp.csr_array(X)
    table.indices = table.indices.copy()
    table.indices[3] = 10**6
    return table


def with_entry(value, dtype=float):
    """Make rows with one entry replaced."""
    table = X.astype(dtype)
    table[3, 1] = value
    return table


def polars(lazy=False):
    """Return the rows as a data frame of polars."""
    import polars

    table = polars.DataFrame(X, schema=NAMES)
    return table.lazy() if lazy else table


def arrow():
    """Return the rows as a table of arrow, one entry missing."""
    import pyarrow

    columns = [[None, *column[1:]] for column in X.T.tolist()]
    return pyarrow.table(dict(zip(NAMES, columns, strict=True)))


TABLES = {
    "None": lambda: None,
    "text": lambda: "rows",
    "empty text": lambda: "",
    "bytes": lambda: b"rows",
    "a number": lambda: 3.5,
    "empty list": list,
    "list of empty lists": lambda: [[]] * N,
    "list of None": lambda: [None] * N,
    "list of texts": lambda: ["a"] * N,
    "list of dicts": lambda: [{"a": 1}] * N,
    "list of sparse rows": lambda: [sp.csr_array(X[[i]]) for i in range(N)],
    "ragged": lambda: [[1.0, 2.0]] * (N - 1) + [[1.0]],
    "ragged inside": lambda: [[1.0, [2.0]]] * (N - 1) + [[1.0, 2.0]],
    "nested": lambda: X[:, :, None].tolist(),
    "set": lambda: {1.0, 2.0},
    "dict": lambda: {name: X[:, j] for j, name in enumerate(NAMES)},
    "generator": lambda: (row for row in X),
    "range": lambda: range(N),
    "object": object,
    "a type": lambda: float,
    "one dimension": lambda: X[:, 0],
    "three dimensions": lambda: X[None],
    "no dimension": lambda: np.array(3.0),
    "no rows": lambda: X[:0],
    "no columns": lambda: X[:, :0],
    "one row": lambda: X[:1],
    "one column": lambda: X[:, :1],
    "fewer rows": lambda: X[:-1],
    "more columns": lambda: np.hstack([X, X]),
    "NaN": lambda: with_entry(np.nan),
    "all NaN": lambda: np.full((N, D), np.nan),
    "infinite": lambda: with_entry(-np.inf),
    "huge": lambda: with_entry(1e300),
    "all huge": lambda: X * 1e74,
    "large, single precision": lambda: (X * 1e13).astype(np.float32),
    "tiny": lambda: X * 1e-300,
    "subnormal": lambda: np.full((N, D), 5e-324),
    "zeros": lambda: np.zeros((N, D)),
    "all equal": lambda: np.full((N, D), 0.1),
    "negative": lambda: -X,
    "far from 0": lambda: X + 1e12,
    "rows of very different size": lambda: X * 10.0 ** np.arange(-8, 8)[:, None],
    "bool": lambda: X > 1,
    "int8": lambda: X.astype(np.int8),
    "uint64": lambda: X.astype(np.uint64),
    "large whole numbers": lambda: np.full((N, D), 2**63, dtype=np.uint64),
    "float16": lambda: X.astype(np.float16),
    "longdouble": lambda: X.astype(np.longdouble),
    "complex": lambda: X + 1j,
    "dates": lambda: X.astype(int).astype("datetime64[D]"),
    "durations": lambda: X.astype(int).astype("timedelta64[s]"),
    "structured": lambda: np.ones(N, dtype=[("a", float), ("b", float)]),
    "texts": lambda: X.astype(str),
    "bytes in an array": lambda: X.astype("S4"),
    "objects": lambda: X.astype(object),
    "objects with text": lambda: with_entry("x", object),
    "objects with None": lambda: with_entry(None, object),
    "objects with a list": lambda: with_entry([1], object),
    "objects with a dict": lambda: with_entry({}, object),
    "objects with a huge whole number": lambda: with_entry(10**400, object),
    "objects with a date": lambda: with_entry(datetime.date(2020, 1, 1), object),
    "objects with a fraction": lambda: with_entry(fractions.Fraction(1, 3), object),
    "masked": lambda: np.ma.masked_greater(X, 3),
    "all masked": lambda: np.ma.masked_all((N, D)),
    "read only": lambda: np.broadcast_to(X[:1], (N, D)),
    "negative strides": lambda: X[::-1, ::-1],
    "frame": frame,
    "frame with names that repeat": lambda: frame().set_axis(list("aabb"), axis=1),
    "frame with names of two types": lambda: frame().set_axis([1, "a", 2.5, None], axis=1),
    "frame with a text column": lambda: frame().assign(a="x"),
    "frame with dates": lambda: frame().assign(a=pd.Timestamp("2020-01-01")),
    "frame with categories": lambda: frame().astype({"a": "category"}),
    "frame with gaps": lambda: frame().where(frame() > 1),
    "frame of objects": lambda: frame().astype(object),
    "frame with lists": lambda: frame().astype(object).assign(a=[[1]] * N),
    "frame without rows": lambda: frame().iloc[:0],
    "frame without columns": lambda: frame()[[]],
    "sparse frame": lambda: frame().astype(pd.SparseDtype(float, 0.0)),
    "series": lambda: frame()["a"],
    "polars": polars,
    "lazy polars": lambda: polars(lazy=True),
    "arrow with gaps": arrow,
    "csr": lambda: sp.csr_array(X),
    "csr with NaN": lambda: sp.csr_array(with_entry(np.nan)),
    "csr without entries": lambda: sp.csr_array((N, D)),
    "csr without rows": lambda: sp.csr_array((0, D)),
    "csr of complex": lambda: sp.csr_array(X + 1j),
    "csr with an index outside": damaged,
    "coo with repeated entries": lambda: sp.coo_array(
        (np.ones(4 * N), (np.repeat(np.arange(N), 4), np.tile([0, 1, 1, 2], N))), (N, D)
    ),
    "csc of bool": lambda: sp.csc_matrix(X > 1),
    "dia": lambda: sp.dia_array(X),
    "sparse, one dimension": lambda: sp.coo_array(X[:, 0]),
}
"""Tables instead of 16 rows and 4 columns; some of them are usable."""


def one(value):
    """Make an object column with one other value."""
    values = TASKS.astype(object)
    values[5] = value
    return values


COLUMNS = {
    "None": lambda: None,
    "a name": lambda: "lab",
    "an unknown name": lambda: "moon",
    "empty text": lambda: "",
    "a number": lambda: 3,
    "NaN alone": lambda: np.nan,
    "NA alone": lambda: pd.NA,
    "a tuple": lambda: ("lab", 1),
    "empty": list,
    "too few": lambda: TASKS[:-1],
    "too many": lambda: [*TASKS, "lab"],
    "two columns": lambda: np.column_stack([TASKS, TASKS]),
    "one column": lambda: TASKS[:, None],
    "one row": lambda: TASKS[None],
    "three dimensions": lambda: np.zeros((N, 1, 1)),
    "lists": lambda: [["lab"]] * N,
    "ragged lists": lambda: [["lab"]] * (N - 1) + [["lab", 1]],
    "dict": lambda: dict.fromkeys(range(N), "lab"),
    "set": lambda: set(TASKS),
    "generator": lambda: iter(TASKS),
    "object": object,
    "with None": lambda: one(None),
    "with NaN": lambda: one(np.nan),
    "with NA": lambda: one(pd.NA),
    "with NaT": lambda: one(pd.NaT),
    "with a list": lambda: one([1]),
    "with a dict": lambda: one({}),
    "with a tuple that has a list": lambda: one((1, [2])),
    "with an array": lambda: one(np.arange(3)),
    "with a number": lambda: one(7),
    "with an object": lambda: one(object()),
    "with an empty text": lambda: one(""),
    "with half a character": lambda: one("\ud800"),
    "all None": lambda: [None] * N,
    "all NaN": lambda: np.full(N, np.nan),
    "all infinite": lambda: np.full(N, np.inf),
    "floats": lambda: np.arange(N) % 2 + 0.5,
    "floats with NaN": lambda: np.where(np.arange(N) == 3, np.nan, np.arange(N) % 2),
    "true and false": lambda: TASKS == "lab",
    "negative": lambda: -(np.arange(N) % 2) - 1,
    "huge": lambda: np.where(TASKS == "lab", 2**62, 0),
    "uint64": lambda: np.where(TASKS == "lab", 2**64 - 1, 0).astype(np.uint64),
    "complex": lambda: np.arange(N) % 2 + 1j,
    "dates": lambda: (np.arange(N) % 2).astype("datetime64[D]"),
    "bytes": lambda: TASKS.astype("S"),
    "structured": lambda: np.ones(N, dtype=[("a", int)]),
    "masked": lambda: np.ma.masked_equal(np.arange(N) % 2, 0),
    "all different": lambda: np.arange(N),
    "all equal": lambda: ["lab"] * N,
    "all -1": lambda: np.full(N, -1),
    "one row apart": lambda: one("sea"),
    "series": lambda: pd.Series(TASKS),
    "series of another index": lambda: pd.Series(TASKS, index=range(1, N + 1)),
    "series whose index repeats": lambda: pd.Series(TASKS, index=[0] * N),
    "categories": lambda: pd.Categorical([None, *TASKS[1:]], categories=["lab", "field"]),
    "frame": lambda: pd.DataFrame({"t": TASKS}),
    "sparse": lambda: sp.csr_array((TASKS == "lab")[:, None]),
    "range": lambda: range(N),
    "a very long name": lambda: ["lab" * 10**5] * N,
}
"""Columns instead of one name for each of 16 rows."""

PARAMETERS = {
    "-1": lambda: -1,
    "0": lambda: 0,
    "1": lambda: 1,
    "3": lambda: 3,
    "17": lambda: 17,
    "a huge whole number": lambda: 10**20,
    "a negative huge whole number": lambda: -(10**20),
    "2**63": lambda: 2**63,
    "2**32": lambda: 2**32,
    "-0.0": lambda: -0.0,
    "-0.5": lambda: -0.5,
    "0.5": lambda: 0.5,
    "1.0": lambda: 1.0,
    "1.5": lambda: 1.5,
    "2.0": lambda: 2.0,
    "1e300": lambda: 1e300,
    "-1e300": lambda: -1e300,
    "1e-300": lambda: 1e-300,
    "5e-324": lambda: 5e-324,
    "NaN": lambda: np.nan,
    "inf": lambda: np.inf,
    "-inf": lambda: -np.inf,
    "empty text": lambda: "",
    "text": lambda: "nonsense",
    "auto": lambda: "auto",
    "a number as text": lambda: "2",
    "text with braces": lambda: "{x} %s \x1b[31m\n\ud800",
    "bytes": lambda: b"auto",
    "None": lambda: None,
    "True": lambda: True,
    "False": lambda: False,
    "empty list": list,
    "list": lambda: [1],
    "list of numbers": lambda: [1, 2, 3],
    "list of texts": lambda: ["lab", "nonsense"],
    "nested list": lambda: [[1, [2]]],
    "tuple": lambda: (2, 2),
    "empty dict": dict,
    "dict": lambda: {"lab": 2},
    "dict of all": lambda: {"lab": 2, "field": 3},
    "dict of None": lambda: {None: 2},
    "dict of texts": lambda: {"lab": "x", "field": [1]},
    "dict of slices": lambda: {"lab": slice(0, 2), "field": slice(None, None, 0)},
    "set": lambda: {1, 2},
    "array without dimensions": lambda: np.array(3),
    "array": lambda: np.array([3, 3]),
    "empty array": lambda: np.array([]),
    "array of NaN": lambda: np.full((2, 2), np.nan),
    "table": lambda: X,
    "sparse table": lambda: sp.csr_array(X),
    "small whole number of NumPy": lambda: np.int8(3),
    "NaN of NumPy": lambda: np.float32(np.nan),
    "masked": lambda: np.ma.masked,
    "fraction": lambda: fractions.Fraction(1, 2),
    "decimal": lambda: decimal.Decimal("0.5"),
    "complex": lambda: 2 + 1j,
    "object": object,
    "function": lambda: len,
    "type": lambda: int,
    "range": lambda: range(3),
    "generator": lambda: iter([1, 2]),
    "ellipsis": lambda: ...,
    "NA": lambda: pd.NA,
    "NaT": lambda: pd.NaT,
    "series": lambda: pd.Series([1, 2]),
    "frame": frame,
    "date": lambda: datetime.date(2020, 1, 1),
    "a random state": lambda: np.random.RandomState(0),
    "a new generator": lambda: np.random.default_rng(0),
}
"""Values of parameters. A number of starts of a billion, say, is a request that takes a day and no
fault; numbers that large that overflow are here."""

PATHS = {
    **{name: PARAMETERS[name] for name in ("empty text", "None", "0", "-1", "True", "NaN", "list")},
    "bytes": lambda: b"t.csv",
    "no such file": lambda: "no/such/file.csv",
    "a folder": lambda: ".",
    "no place for files": lambda: "/proc",
    "a character 0": lambda: "a\0b.csv",
    "half a character": lambda: "\ud800.csv",
    "a long name": lambda: "a" * 5000 + ".csv",
    "an unknown suffix": lambda: "t.exe",
    "empty list": list,
    "mixed list": lambda: ["no.csv", 3],
    "table": lambda: X,
    "object": object,
    "dict": lambda: {"a": "t.csv"},
    "a set of names": lambda: "heart\n",
    "dots": lambda: "../..",
}
"""Paths of files and folders that do not exist, or names of what is none."""
