"""What is run for each printed table and figure: data, grids, repeats, from the papers' protocols.

Where a paper is silent the choice stands here once and for all methods. Preparations of the text
corpora were chosen by the published rows of k-means, SNMF and MEC alone (`docs/reproduction.md`),
those of the views by nothing: rows of unit length in each view, as the papers do not say.

A plan can be quick: fewer values of each parameter, fewer repeats.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

from kinfolk import catalogue
from kinfolk.catalogue import SEVERAL_TASKS
from kinfolk.papers import plan
from kinfolk.papers.published import Exhibit, Row
from kinfolk.papers.store import Run

PREPARATIONS: Mapping[str, Mapping[str, Any]] = {
    "webkb4": {"text_weighting": "tfidf", "n_terms": 2500},
    "reuters": {"text_weighting": "counts", "n_terms": 5000},
    "20newsgroups": {"text_weighting": "tfidf", "stop_words": None, "n_terms": 3000},
    **dict.fromkeys(
        ("newsgroups-recvstalk-500", "newsgroups-compvssci-500"),
        {"text_weighting": "tfidf", "stop_words": None, "n_terms": 350, "scale": "unit"},
    ),
    **{
        name: {"scale": "unit"}
        for name in (
            *("mfeat", "handwritten-rnsp", "caltech101-7", "20newsgroups-500", "orl-views"),
            *("hw2sources", "3sources", "msrc-v1"),
        )
    },
}
"""Data set -> parameters of `Preparation`; none for those that are taken as they are."""
DATA_OPTIONS: Mapping[str, Mapping[str, Any]] = {"mfeat": {"views": ["fac", "pix"]}}
"""Data set -> what its loader takes."""
MEASURE = {"ktmec": "nmi"}
"""Paper -> the measure by which it chooses parameters with labels; accuracy for all others."""

WIDE_LSSMTC = {
    "own_weight": tuple(i / 10 for i in range(1, 10)),
    "n_components": (2, 4, 6, 8, 10),
}
LAYERS = (1, 2, 3, 4, 5, 6)
"""Numbers of layers for figures 2 and 3 of MTCFIR, which do not say theirs."""
QUICK_VALUES = 2
"""How many values of a parameter a quick plan keeps, unless it is in `QUICK_GRIDS`."""
QUICK_GRIDS: Mapping[str, Mapping[str, tuple[Any, ...]]] = {
    "mec": {"temperature": (0.1, 0.5, 2, 10, 50, 100)},
    "kt-mec": {
        "transfer_weight": (0, 0.5, 5, 50),
        "own_share": (0.0, 0.5, 1.0),
        "temperature": (0.1, 0.5, 2, 10, 50, 150),
    },
}
"""Method -> values of a quick plan where those of the paper span decades."""
QUICK_RUNS = 3
ONE_ANSWER, ANSWERS = "Kinfolk (no labels)", 3
"""The row of the answer that many methods give without labels, and its repeats: each is of many
starts already."""
HURRIED: Mapping[str, Mapping[str, Any]] = {"handdigits": {"budget": 600.0}}
"""Data set -> parameters of that answer where all its runs would take hours."""
FIRST = ("n_layers", "noise")
"""Parameters of steps that come first in a method: settings that share them are run together."""


class Runs(Sequence[Run]):
    """Runs that are made when one is first asked for: a grid to be counted may have a million."""

    def __init__(self, count: int, make: Callable[[], list[Run]]) -> None:
        self._count, self._make = count, make

    @cached_property
    def _made(self) -> list[Run]:
        return self._make()

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, place: Any) -> Any:
        return self._made[place]


@dataclass(frozen=True)
class Piece:
    """The runs behind one row of a table, or one curve of a figure, on one data set.

    Attributes
    ----------
    row : the printed row, or the parameter that a figure varies, or ""
    data : name of the data set
    group : the column group that it fills; "" if each task of the data set is one
    runs : all settings and repeats
    """

    row: str
    data: str
    group: str
    runs: Sequence[Run]


def pieces(exhibit: Exhibit, quick: bool = False) -> list[Piece]:
    """Return all that is run for a table or figure, in its order; none if nothing needs a run.

    Examples
    --------
    >>> from kinfolk.papers import published
    >>> found = pieces(published.exhibit("mtcfir-table-2"))
    >>> found[-2].row, len(found[-2].runs)
    ('MTCFIR', 250)
    >>> len(pieces(published.exhibit("mtcfir-table-2"), quick=True)[-2].runs)
    12
    """
    return list(_DRAWN.get(exhibit.id, _table)(exhibit, quick))


def _table(exhibit: Exhibit, quick: bool) -> Iterator[Piece]:
    """Every row that the library can fill, on every data set of the table."""
    for row in exhibit.rows:
        for data in exhibit.data if row.ours else ():
            for group, way in _ways(exhibit, row, data):
                yield Piece(row.label, data, group, _runs(exhibit, data, row.ours, way, quick))
    if _shares(exhibit):
        for data in exhibit.data:
            asked = HURRIED.get(data, {})
            runs = _planned(data, "kinfolk", "together", range(ANSWERS), [dict(asked)])
            yield Piece(ONE_ANSWER, data, data if data in _groups(exhibit) else "", tuple(runs))


def _groups(exhibit: Exhibit) -> tuple[str, ...]:
    return tuple(dict.fromkeys(column.group for column in exhibit.columns))


def _shares(exhibit: Exhibit) -> bool:
    """Whether it is about tasks that are clustered together, of which no labels are known."""
    relations = {catalogue.method(row.ours).relation for row in exhibit.rows if row.ours}
    return SEVERAL_TASKS in relations and not _transfers(exhibit)


def _transfers(exhibit: Exhibit) -> bool:
    """Whether each column group is a source and a target, where labels of the source are known."""
    choice = exhibit.protocol.choice
    return choice.startswith("the best over the grid by the true classes of the target")


def _ways(exhibit: Exhibit, row: Row, data: str) -> Iterator[tuple[str, str]]:
    """The column groups that a row fills on a data set, each with its way."""
    groups = _groups(exhibit)
    if _transfers(exhibit):
        names = {f"task {i + 1}": name for i, name in enumerate(TASKS.get(data, ()))}
        for group in groups:
            source, _, target = group.partition(" to ")
            yield group, f"{names.get(source, source)} to {names.get(target, target)}"
    elif row.ours == "kt-mec":
        yield data, "source to target"
    else:
        yield data if data in groups else "", row.way


TASKS = {
    "recvstalk": ("autos-guns", "baseball-mideast"),
    "compvssci": ("windows-crypt", "mac-space"),
}
"""Data set -> its tasks, in the paper's order, where the paper only numbers them."""


def _runs(
    exhibit: Exhibit,
    data: str,
    method: str,
    way: str,
    quick: bool,
    grid: Mapping[str, tuple[Any, ...]] | None = None,
) -> Runs:
    """A grid of settings with repeats; the published grid unless another is given."""
    values = _grid(exhibit.paper, method) if grid is None else grid
    if quick:
        known = QUICK_GRIDS.get(method) if grid is None else None
        thinned = {name: _thinned(tried, QUICK_VALUES) for name, tried in values.items()}
        values = known or thinned
    repeats = exhibit.protocol.runs or 1
    seeds = range(min(repeats, QUICK_RUNS) if quick else repeats)

    def make() -> list[Run]:
        settings = [{**setting, "n_init": 1} for setting in plan.grid(values)]  # repeats are starts
        settings.sort(key=lambda setting: [setting.get(name, 0) for name in FIRST])
        return _planned(data, method, way, seeds, settings)

    return Runs(prod(map(len, values.values())) * len(seeds), make)


def _planned(
    data: str, method: str, way: str, seeds: range, settings: list[dict[str, Any]]
) -> list[Run]:
    """Runs on a data set, prepared as for all methods."""
    return plan.plan(
        [data],
        [method],
        ways=[way],
        seeds=seeds,
        parameters={method: settings},
        preparation=PREPARATIONS.get(data, {}),
        data_options=[DATA_OPTIONS.get(data, {})],
    )


def _grid(paper: str, method: str) -> Mapping[str, tuple[Any, ...]]:
    if method == "lssmtc-released" and paper in ("mtcfir", "mtcmrl"):
        return WIDE_LSSMTC
    return catalogue.method(method).grid


def _thinned(values: tuple[Any, ...], keep: int) -> tuple[Any, ...]:
    """Evenly spread values from within the range.

    >>> _thinned((0.1, 0.3, 0.5, 0.7, 0.9), 2)
    (0.3, 0.7)
    """
    if len(values) <= keep:
        return values
    return tuple(values[(2 * i + 1) * len(values) // (2 * keep)] for i in range(keep))


def _relatedness(exhibit: Exhibit, quick: bool) -> Iterator[Piece]:
    """The runs of the method's own row in the table of results on the same data."""
    for data in exhibit.data:
        yield Piece("", data, "", _runs(exhibit, data, exhibit.paper, "together", quick))


def _layers(exhibit: Exhibit, quick: bool) -> Iterator[Piece]:
    grid = {**catalogue.method("mtcfir").grid, "n_layers": LAYERS[:4] if quick else LAYERS}
    for data in exhibit.data:
        runs = [
            run
            for n in grid["n_layers"]
            for run in _runs(exhibit, data, "mtcfir", "together", quick, {**grid, "n_layers": (n,)})
        ]
        yield Piece("n_layers", data, "", tuple(runs))


def _one_by_one(exhibit: Exhibit, quick: bool) -> Iterator[Piece]:
    """One parameter varied, the others held."""
    for data in exhibit.data:
        for name, stated in exhibit.sweep.items():
            values = stated or catalogue.method(exhibit.paper).grid[name]
            held = {key: (value,) for key, value in exhibit.fixed.items()}
            if quick:
                values = _thinned(values, 4)
            runs = [
                run
                for value in values
                for run in _runs(
                    exhibit, data, exhibit.paper, "together", quick, {**held, name: (value,)}
                )
            ]
            yield Piece(name, data, "", tuple(runs))


def _descents(exhibit: Exhibit, quick: bool) -> Iterator[Piece]:
    """One run from one start at the defaults, of which the trace is drawn."""
    for data in exhibit.data:
        runs = _runs(exhibit, data, exhibit.paper, "together", quick, {})
        yield Piece("", data, "", runs[:1])


def _timed(exhibit: Exhibit, quick: bool) -> Iterator[Piece]:
    """One run of each method of the paper's table of results at the defaults."""
    for data in exhibit.data:
        for method in ("mtcfir", "mtcfir-nf", "mtcfir-ni", "mtcfir-nr", "lssmtc-released"):
            runs = _runs(exhibit, data, method, "together", quick, {})
            yield Piece(method, data, "", runs[: 1 if quick else 3])


def _scenes(exhibit: Exhibit, quick: bool) -> Iterator[Piece]:
    for data in exhibit.data:
        yield Piece("MEC", data, data, _runs(exhibit, data, "mec", "alone", quick))
        yield Piece("KT-MEC", data, data, _runs(exhibit, data, "kt-mec", "source to target", quick))


def _nothing(exhibit: Exhibit, quick: bool) -> Iterator[Piece]:
    """Counted from classes or drawn from the data: no run is needed."""
    yield from ()


_DRAWN = {
    **{f"mtcfir-table-{i}": _nothing for i in (6, 7, 12)},
    **{f"mtcfir-table-{i}": _relatedness for i in (8, 9, 10, 11)},
    **{f"mtcfir-figure-{i}": _layers for i in (2, 3)},
    **{f"mtcfir-figure-{i}": _relatedness for i in (4, 5, 6, 7)},
    "mtcfir-figure-8": _timed,
    "mtcmrl-figure-1": _one_by_one,
    "mtcmrl-figure-2": _descents,
    "mtcmrl-figure-3": _nothing,
    **{f"mtcmrl-matrix-{data}": _relatedness for data in ("webkb4", "20newsgroups", "reuters")},
    "ktmec-figure-1": _nothing,
    "ktmec-figure-2": _scenes,
    "ktmec-figure-3": _nothing,
    "comvcf-figure-1": _descents,
    "comvcf-figure-2": _one_by_one,
    "comvcf-figure-3": _one_by_one,
}
"""How an exhibit that is no table of results comes about."""
