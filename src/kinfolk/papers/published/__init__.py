"""Tables and figures printed in the papers, as data.

A *printed item* is one table, figure or matrix of a paper. There is one TOML file per paper. Tables
are written as printed, one line per row: the printed name, a bar, and the cells, "64.00±0.00" for a
mean and a standard deviation, "-" for a run that the paper could not do, "?" for a cell that our
copy of the paper does not show.
"""

import functools
import itertools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from typing import Any, Literal

from kinfolk.errors import InputError, no_such

# In the order of `items`.
PAPERS = ("mtcfir", "mtcmrl", "ktmec", "comvcf", "lssmtc")


@dataclass(frozen=True)
class Protocol:
    """Experimental protocol of a paper; fields say "not stated" where the paper is silent.

    Attributes
    ----------
    preparation : preprocessing of the data, the same for all methods
    grid : the parameters tried
    choice : rule by which the printed parameter was chosen, and whether it used true classes
    start, stopping : initialization and stopping rule of the paper's own method
    runs : number of repeats of a method that draws random numbers, or None if not stated
    single_runs : the methods, by printed name, that were run once
    nmi : the mean of the two entropies that divides nmi, "geometric", "max" or "not stated"
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
class PrintedCell:
    """One printed value: the printed text, with its mean and standard deviation.

    Attributes
    ----------
    printed : the characters in the paper
    mean : the number, in the unit of the item, or None for "-" and "?"
    deviation : the standard deviation over the runs, in the same unit, or None
    """

    printed: str
    mean: float | None = None
    deviation: float | None = None

    @classmethod
    def read(cls, printed: str) -> "PrintedCell":
        """Parse the text of a printed cell.

        >>> PrintedCell.read("64.00±0.01")
        PrintedCell(printed='64.00±0.01', mean=64.0, deviation=0.01)
        >>> PrintedCell.read("-")
        PrintedCell(printed='-', mean=None, deviation=None)
        """
        if printed in {"-", "?"}:
            return cls(printed)
        mean, _, deviation = printed.partition("±")
        return cls(printed, float(mean), float(deviation) if deviation else None)


@dataclass(frozen=True)
class PrintedColumn:
    """One column of a printed table: a measure on the task, data set or pair `group`."""

    group: str
    measure: str

    def __str__(self) -> str:
        return f"{self.group} {self.measure}"


@dataclass(frozen=True)
class Row:
    """One row of a printed table: label, method and cells.

    Attributes
    ----------
    label : the printed name of the method, or another label of the row
    ours : the method's name in the catalogue, or "" where the library has none
    strategy : "alone" is each data set by itself, "pooled" all as one (or all views as one
        table), "together" as the paper's multi-task, transfer or multi-view methods; "" if
        the row is no method
    cells : one per column
    reason : why the library has no such method, or "" if that is not decided
    """

    label: str
    ours: str
    strategy: Literal["alone", "pooled", "together", ""]
    cells: tuple[PrintedCell, ...]
    reason: str = ""


@dataclass(frozen=True)
class Doubt:
    """A printed cell that is wrong or may be wrong: its row, its column, and the reason."""

    row: str
    column: str
    why: str


@dataclass(frozen=True)
class PrintedItem:
    """One printed table, figure or matrix of a paper, with its protocol.

    Attributes
    ----------
    id : paper, kind and number, for example "mtcfir-table-2"
    title, citation : what it shows, in our words, and the paper
    data : names of the data sets, in printed order
    unit : unit of the cells, "percent", "fraction" or the name of a quantity
    protocol : the experiment behind the numbers
    columns, rows : of a table or matrix, else empty; tasks stand in the order of the data set
    plots : of a figure, its axes and curves in words
    sweep : the parameters varied, by our names, with their values, empty where not stated
    fixed : the parameters held constant, by our names
    stated : numbers that the text of the paper gives in words
    doubts : cells that are or may be wrong
    """

    id: str
    title: str
    citation: str
    data: tuple[str, ...]
    unit: str
    protocol: Protocol
    columns: tuple[PrintedColumn, ...] = ()
    rows: tuple[Row, ...] = ()
    plots: str = ""
    sweep: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    fixed: Mapping[str, float] = field(default_factory=dict)
    stated: tuple[str, ...] = ()
    doubts: tuple[Doubt, ...] = ()

    @property
    def paper(self) -> str:
        """Short name of the paper, for example "mtcfir"."""
        return self.id.split("-")[0]

    @property
    def kind(self) -> str:
        """Return "table", "figure" or "matrix"."""
        return self.id.split("-")[1]

    @property
    def column_groups(self) -> tuple[str, ...]:
        """The distinct tasks, data sets or pairs of the columns, in printed order."""
        return tuple(dict.fromkeys(column.group for column in self.columns))


@dataclass(frozen=True)
class Composition:
    """Number of columns, and numbers of rows by task and class, that a paper states for its data.

    Attributes
    ----------
    features : number of columns
    tasks : task -> class -> number of rows; one class "rows" where the paper counts no classes
    """

    features: int
    tasks: Mapping[str, Mapping[str, int]]


def items() -> dict[str, PrintedItem]:
    """Return all printed tables, figures and matrices by id, in the papers' order.

    Examples
    --------
    >>> table = items()["mtcfir-table-2"]
    >>> table.rows[0].label, table.rows[0].cells[0].mean, str(table.columns[0])
    ('k-means', 64.0, 'cornell accuracy')
    """
    return dict(_items())


def item(id: str) -> PrintedItem:
    """Return one printed table, figure or matrix by its id.

    Raises
    ------
    InputError : the id is unknown; the message offers the closest

    Examples
    --------
    >>> found = item("lssmtc-table-3")
    >>> found.kind, found.data, found.protocol.runs, found.column_groups
    ('table', ('webkb4',), 5, ('cornell', 'texas', 'washington', 'wisconsin'))
    """
    known = _items()
    if id not in known:
        raise no_such("printed table or figure", str(id), known, "`kinfolk reproduce --list` lists")
    return known[id]


def compositions(paper: str) -> dict[str, Composition]:
    """Return the sizes of a paper's data sets by their names.

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
def _items() -> dict[str, PrintedItem]:
    documents = map(_document, PAPERS)
    return {part["id"]: _item(part, whole) for whole in documents for part in whole["item"]}


def _item(part: Mapping[str, Any], whole: Mapping[str, Any]) -> PrintedItem:
    """Build a printed item from its section of the paper's TOML file."""
    pairs = itertools.product(part.get("groups", part["data"]), part.get("measures", ()))
    columns = tuple(itertools.starmap(PrintedColumn, pairs))
    lines = part.get("rows", "").strip().splitlines()
    return PrintedItem(
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
    """Build a protocol; missing fields are inherited from the protocol named by `like`."""
    own = dict(protocols[name])
    whole = {**protocols.get(own.pop("like", ""), {}), **own}
    return Protocol(**{**whole, "single_runs": tuple(whole.get("single_runs", ()))})


def _row(line: str, width: int, methods: Mapping[str, Any]) -> Row:
    """Parse one line of a printed table; a single "?" stands for a row of unknown values."""
    label, _, printed = line.partition("|")
    cells = printed.split()
    if cells == ["?"]:
        cells *= width
    # A third value says why there is no such method.
    ours, strategy, *reason = methods.get(label.strip(), ("", ""))
    return Row(label.strip(), ours, strategy, tuple(map(PrintedCell.read, cells)), "".join(reason))
