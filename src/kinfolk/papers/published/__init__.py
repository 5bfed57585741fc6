"""What the papers print: tables and figures as data, to stand beside ours.

One TOML file a paper. A table is written as the paper prints it, a line a row: the printed name,
a bar, and the cells, "64.00±0.00" for a mean and a standard deviation, "-" for a run that the
paper could not do, "?" for a cell that our copy of the paper does not show.
"""

import difflib
import functools
import itertools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from typing import Any, Literal

from kinfolk.errors import InputError

__all__ = [
    "Cell",
    "Column",
    "Composition",
    "Doubt",
    "Exhibit",
    "Protocol",
    "Row",
    "compositions",
    "exhibit",
    "exhibits",
]

PAPERS = ("mtcfir", "mtcmrl", "ktmec", "comvcf", "lssmtc")


@dataclass(frozen=True)
class Protocol:
    """How a paper came to its numbers, in our words; "not stated" where it does not say.

    Attributes
    ----------
    preparation : what was done to the data before any method saw them
    grid : the parameters tried
    choice : how the printed parameter was chosen, and whether true classes were used for it
    start, stopping : of the paper's own method
    runs : how often a method that draws random numbers was repeated, or None if not stated
    single_runs : the methods, by printed name, that were run once
    nmi : by which mean of the two entropies nmi is divided, "geometric", "max" or "not stated"
    """

    preparation: str
    grid: str
    choice: str
    start: str
    stopping: str
    runs: int | None = None
    single_runs: tuple[str, ...] = ()
    nmi: Literal["geometric", "max", "not stated"] = "not stated"


@dataclass(frozen=True)
class Cell:
    """One printed value.

    Attributes
    ----------
    printed : as it stands in the paper
    mean : its number, in the unit of the exhibit, or None where there is none
    deviation : the standard deviation over the runs, in the same unit, or None
    """

    printed: str
    mean: float | None = None
    deviation: float | None = None

    @classmethod
    def read(cls, printed: str) -> "Cell":
        """Return the cell that is printed so.

        >>> Cell.read("64.00±0.01")
        Cell(printed='64.00±0.01', mean=64.0, deviation=0.01)
        """
        if printed in {"-", "?"}:
            return cls(printed)
        mean, _, deviation = printed.partition("±")
        return cls(printed, float(mean), float(deviation) if deviation else None)


@dataclass(frozen=True)
class Column:
    """What the cells of a column measure: `measure`, of a task, data set or pair named `group`."""

    group: str
    measure: str

    def __str__(self) -> str:
        return f"{self.group} {self.measure}"


@dataclass(frozen=True)
class Row:
    """One row of a table.

    Attributes
    ----------
    label : the printed name of the method, or what else stands in front of the row
    ours : the method's name in the catalogue, or "" where the library has none
    way : "alone" is each data set by itself, "pooled" all as one (or all views as one table),
        "together" as the paper's multi-task, transfer or multi-view methods; "" if no method
    cells : one a column
    """

    label: str
    ours: str
    way: Literal["alone", "pooled", "together", ""]
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Doubt:
    """A printed cell that cannot be right, or not surely: its row, its column, and why."""

    row: str
    column: str
    why: str


@dataclass(frozen=True)
class Exhibit:
    """A table, figure or matrix of a paper.

    Attributes
    ----------
    id : paper, kind and number, for example "mtcfir-table-2"
    title, citation : what it shows, in our words; where
    data : names of the data sets, in the order in which the exhibit speaks of them
    unit : of the cells, "percent", "fraction" or the name of a quantity
    protocol : how the numbers came about
    columns, rows : of a table or matrix, else empty; tasks stand in the order of the data set
    plots : of a figure, what is drawn against what
    sweep : the parameters varied, by our names, with their values, empty where not stated
    fixed : the parameters held, by our names
    stated : numbers that the text gives in words
    doubts : cells not to be relied on
    """

    id: str
    title: str
    citation: str
    data: tuple[str, ...]
    unit: str
    protocol: Protocol
    columns: tuple[Column, ...] = ()
    rows: tuple[Row, ...] = ()
    plots: str = ""
    sweep: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    fixed: Mapping[str, float] = field(default_factory=dict)
    stated: tuple[str, ...] = ()
    doubts: tuple[Doubt, ...] = ()

    @property
    def paper(self) -> str:
        """The paper, for example "mtcfir"."""
        return self.id.split("-")[0]

    @property
    def kind(self) -> str:
        """One of "table", "figure" and "matrix"."""
        return self.id.split("-")[1]


@dataclass(frozen=True)
class Composition:
    """What a paper says a data set is made of.

    Attributes
    ----------
    features : how many columns
    tasks : task -> class -> rows; one class "rows" where the paper counts no classes
    """

    features: int
    tasks: Mapping[str, Mapping[str, int]]


def exhibits() -> dict[str, Exhibit]:
    """Return everything that the papers print, by id, in the order of the papers.

    Examples
    --------
    >>> table = exhibits()["mtcfir-table-2"]
    >>> table.rows[0].label, table.rows[0].cells[0].mean, str(table.columns[0])
    ('k-means', 64.0, 'cornell accuracy')
    """
    return dict(_exhibits())


def exhibit(id: str) -> Exhibit:
    """Return one table or figure.

    Raises
    ------
    InputError : there is none of that id; the sentence offers the closest

    Examples
    --------
    >>> exhibit("lssmtc-table-3").protocol.runs
    5
    """
    known = _exhibits()
    if id not in known:
        close = difflib.get_close_matches(str(id).lower(), known, n=1, cutoff=0)[0]
        raise InputError(
            f"No paper here prints {id!r}; the closest is {close!r}, and known are "
            f"{', '.join(known)}."
        )
    return known[id]


def compositions(paper: str) -> dict[str, Composition]:
    """Return what a paper says its data sets are made of: name of the data set -> composition.

    Raises
    ------
    InputError : the paper is not one of "mtcfir", "mtcmrl", "ktmec", "comvcf", "lssmtc"

    Examples
    --------
    >>> compositions("mtcfir")["webkb4"].tasks["cornell"]["project"]
    20
    """
    if paper not in PAPERS:
        raise InputError(f"There is no paper {paper!r} here; known are {', '.join(PAPERS)}.")
    parts: Mapping[str, Mapping[str, Any]] = _document(paper).get("compositions", {})
    return {
        name: Composition(part["features"], {t: dict(part[t]) for t in part if t != "features"})
        for name, part in parts.items()
    }


@functools.cache
def _document(paper: str) -> dict[str, Any]:
    return tomllib.loads(resources.files(__name__).joinpath(f"{paper}.toml").read_text("utf-8"))


@functools.cache
def _exhibits() -> dict[str, Exhibit]:
    documents = map(_document, PAPERS)
    return {part["id"]: _exhibit(part, whole) for whole in documents for part in whole["exhibit"]}


def _exhibit(part: Mapping[str, Any], whole: Mapping[str, Any]) -> Exhibit:
    """An exhibit, from its part of the file and what the whole file says once."""
    pairs = itertools.product(part.get("groups", part["data"]), part.get("measures", ()))
    columns = tuple(itertools.starmap(Column, pairs))
    lines = part.get("rows", "").strip().splitlines()
    return Exhibit(
        id=part["id"],
        title=part["title"],
        citation=whole["citation"],
        data=tuple(part["data"]),
        unit=part.get("unit", ""),
        protocol=_protocol(part["protocol"], whole["protocols"]),
        columns=columns,
        rows=tuple(_row(line, len(columns), whole.get("methods", {})) for line in lines),
        plots=part.get("plots", ""),
        sweep={name: tuple(values) for name, values in part.get("sweep", {}).items()},
        fixed=part.get("fixed", {}),
        stated=tuple(part.get("stated", ())),
        doubts=tuple(itertools.starmap(Doubt, part.get("doubts", ()))),
    )


def _protocol(name: str, protocols: Mapping[str, Mapping[str, Any]]) -> Protocol:
    """A protocol; where it says nothing it is `like` another one of the paper."""
    own = dict(protocols[name])
    said = {**protocols.get(own.pop("like", ""), {}), **own}
    return Protocol(**{**said, "single_runs": tuple(said.get("single_runs", ()))})


def _row(line: str, width: int, methods: Mapping[str, Any]) -> Row:
    """A line of a table; a lone "?" stands for a whole row of them."""
    label, _, printed = line.partition("|")
    cells = printed.split()
    if cells == ["?"]:
        cells *= width
    ours, way = methods.get(label.strip(), ("", ""))
    return Row(label.strip(), ours, way, tuple(map(Cell.read, cells)))
