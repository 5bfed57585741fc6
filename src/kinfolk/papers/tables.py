"""Our figures beside the printed ones, from a store of runs and nothing else.

Each figure of ours comes twice. *Under the paper's protocol* one setting of the grid is taken for
all tasks, the one with the best mean over tasks and repeats: it is **chosen with labels**. *Without
labels* each task takes the setting whose runs rank best by `kinfolk.choosing.scores` (agreement
with the runs of other settings, and silhouette). A method without a grid has one setting, and both
figures are the same. The last row of a table of tasks is the one answer that `kf.Kinfolk` gives.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.stats import ttest_rel

from kinfolk.arrays import Vector
from kinfolk.choosing.scores import Runs, gather
from kinfolk.papers import protocols
from kinfolk.papers.protocols import Piece
from kinfolk.papers.published import Cell, Exhibit
from kinfolk.papers.store import Row, Run, Store, canonical

NOT_YET = "not yet"
MEASURES = {"rand index": "ri", "adjusted rand index": "ari", "result": "nmi"}
"""The papers' words for measures -> ours, where they differ; a nameless result is taken for nmi."""
MOST_RUNS = 600
"""More runs than this are thinned before they are compared with one another without labels."""
SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Value:
    """A figure of ours, in the unit of the exhibit.

    Attributes
    ----------
    mean, deviation : over the repeats; the deviation is nan for a single one
    repeats : (S,) the figure of each repeat, in the order of the seeds
    setting : the parameters, as JSON
    n_settings : among how many it was chosen
    """

    mean: float
    deviation: float
    repeats: Vector
    setting: str
    n_settings: int

    @classmethod
    def of(cls, repeats: Vector, setting: str, n_settings: int) -> Self:
        """The figure that repeats (S,) make."""
        return cls(*summary(repeats), repeats, setting, n_settings)


@dataclass(frozen=True)
class Entry:
    """One printed figure with ours.

    Attributes
    ----------
    row, column : where it stands
    published : as printed, or None where the paper prints no number
    ours : under the paper's protocol, chosen with labels where there is a grid
    free : chosen without labels
    note : what a reader must know: "not yet", why a method refused, runs that are missing
    mark : "•" where the paper's own method is better than this row by a paired t test at 5 %
    """

    row: str
    column: str
    published: Cell | None
    ours: Value | None = None
    free: Value | None = None
    note: str = ""
    mark: str = ""


class Found:
    """The runs of a plan that are in a store."""

    def __init__(self, store: Store, pieces: Iterable[Piece]) -> None:
        self.store = store
        names = {piece.data for piece in pieces}
        self._rows = {_identity(row.run): row for row in store.runs(data=names)} if names else {}

    def rows(self, piece: Piece) -> list[Row]:
        """The rows of its runs, as far as they are settled."""
        found = [self._rows.get(_identity(run)) for run in piece.runs]
        return [row for row in found if row is not None and row.outcome.status != "running"]

    def done(self, piece: Piece) -> list[Row]:
        """Those that ended well."""
        return [row for row in self.rows(piece) if row.outcome.status == "done"]

    def note(self, piece: Piece) -> str:
        """Why a piece is not whole, or ""."""
        rows = self.rows(piece)
        if wrong := [row for row in rows if row.outcome.status != "done"]:
            return f"{wrong[0].outcome.status}: {wrong[0].outcome.error}"
        if len(rows) < len(piece.runs):
            return f"{len(rows)} of {len(piece.runs)} runs"
        return ""


def table(exhibit: Exhibit, store: Store, quick: bool = False) -> list[Entry]:
    """Return every cell of a printed table of results, row by row."""
    pieces = protocols.pieces(exhibit, quick)
    found = Found(store, pieces)
    filled = {
        (piece.row, place): entry
        for piece in pieces
        for place, entry in _filled(exhibit, piece, found).items()
    }
    entries = []
    for row in exhibit.rows:
        for column, cell in zip(exhibit.columns, row.cells, strict=True):
            place = row.label, str(column)
            ours, free, note = filled.get(place, (None, None, "" if row.ours else NOT_YET))
            entries.append(Entry(row.label, str(column), cell, ours, free, note))
    for name in map(str, exhibit.columns):
        if (protocols.ONE_ANSWER, name) in filled:
            _, free, note = filled[protocols.ONE_ANSWER, name]
            entries.append(Entry(protocols.ONE_ANSWER, name, None, None, free, note))
    return _marked(entries, exhibit) if exhibit.paper == "comvcf" else entries


def _filled(exhibit: Exhibit, piece: Piece, found: Found) -> dict[str, Any]:
    """Column -> (ours, free, note) for the columns that a piece fills."""
    rows, note = found.done(piece), found.note(piece)
    groups = tuple(dict.fromkeys(column.group for column in exhibit.columns))
    measures = tuple(dict.fromkeys(column.measure for column in exhibit.columns))
    if not rows:
        places = [piece.group] if piece.group else groups
        return {f"{g} {m}": (None, None, note) for g in places for m in measures}
    own = tasks(piece, rows)
    shown = dict(zip([piece.group] if piece.group else groups, own, strict=False))
    best, free = chosen(exhibit, piece, rows), rankings(rows, own, found.store)
    unit = 100.0 if exhibit.unit == "percent" else 1.0
    return {
        f"{group} {measure}": (
            value(rows, best, MEASURES.get(measure, measure), task, unit),
            value(rows, preferred(free, [task]), MEASURES.get(measure, measure), task, unit),
            note,
        )
        for group, task in shown.items()
        for measure in measures
    }


def tasks(piece: Piece, rows: list[Row]) -> list[str]:
    """The tasks by which a setting is chosen: all, or the target alone of a transfer."""
    names = list(rows[0].outcome.scores["silhouette"])
    return names[-1:] if piece.group else names


def chosen(exhibit: Exhibit, piece: Piece, rows: list[Row]) -> str:
    """The setting chosen with labels, as JSON: the best mean over `tasks` and the repeats."""
    measure, names = protocols.MEASURE.get(exhibit.paper, "accuracy"), tasks(piece, rows)
    scores: dict[str, list[float]] = {}
    for row in rows:
        mean = float(np.mean([row.outcome.scores[measure][task] for task in names]))
        scores.setdefault(canonical(row.run.parameters), []).append(mean)
    return max(scores, key=lambda setting: float(np.mean(scores[setting])))


class Rankings(NamedTuple):
    """How runs rank without labels: their settings (R,), and the scores (R,) in each task."""

    settings: list[str]
    scores: dict[str, Vector]


def rankings(rows: list[Row], tasks: list[str], store: Store) -> Rankings:
    """Rank the runs in some tasks; what they found is read once."""
    kept = rows[:: -(-len(rows) // MOST_RUNS)]
    settings = [canonical(row.run.parameters) for row in kept]
    if len(set(settings)) == 1:
        return Rankings(settings, {task: np.zeros(len(kept)) for task in tasks})
    names = list(kept[0].outcome.scores["silhouette"])
    codes = [store.array(row.key, "task_codes") for row in kept]
    labels = [store.labels(row.key) for row in kept]
    methods = [row.run.method for row in kept]
    ranked = {}
    for task in tasks:
        own = [c[t == names.index(task)] for c, t in zip(labels, codes, strict=True)]
        runs = Runs(np.array(own), methods, settings, np.zeros(len(kept), dtype=bool))
        silhouettes = np.array([row.outcome.scores["silhouette"][task] for row in kept])
        ranked[task] = gather(runs, silhouettes).scores
    return Rankings(settings, ranked)


def preferred(found: Rankings, tasks: list[str]) -> str:
    """The setting whose runs rank best over some tasks, as JSON."""
    scores = np.sum([found.scores[task] for task in tasks], axis=0)
    where = np.array(found.settings)
    return max(
        dict.fromkeys(found.settings), key=lambda setting: float(scores[where == setting].mean())
    )


def unlabelled(rows: list[Row], tasks: list[str], store: Store) -> str:
    """The setting chosen without labels, as JSON: its runs rank best over some tasks."""
    return preferred(rankings(rows, tasks, store), tasks)


def at(rows: list[Row], setting: str) -> list[Row]:
    """The repeats of a setting, in the order of the seeds."""
    own = [row for row in rows if canonical(row.run.parameters) == setting]
    return sorted(own, key=lambda row: row.run.seed)


def summary(values: Any) -> tuple[float, float]:
    """Mean and deviation; the deviation of one is nan."""
    return float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else np.nan


def value(rows: list[Row], setting: str, measure: str, task: str, unit: float) -> Value:
    """The figure of a setting: a measure of a task, over its repeats."""
    scores = [row.outcome.scores[measure][task] for row in at(rows, setting)]
    count = len({canonical(row.run.parameters) for row in rows})
    return Value.of(unit * np.array(scores), setting, count)


def _marked(entries: list[Entry], exhibit: Exhibit) -> list[Entry]:
    """Mark the rows that the last one, the paper's own method, beats significantly."""
    own = {entry.column: entry for entry in entries if entry.row == exhibit.rows[-1].label}
    return [
        Entry(**{**vars(entry), "mark": "•" if _beaten(entry, own[entry.column]) else ""})
        for entry in entries
    ]


def _beaten(entry: Entry, own: Entry) -> bool:
    """Whether a paired t test over the repeats says so at 5 %."""
    if entry.ours is None or own.ours is None or entry.row == own.row:
        return False
    a, b = own.ours.repeats, entry.ours.repeats
    if len(a) != len(b) or len(a) < 2 or a.mean() <= b.mean():
        return False
    return bool(np.ptp(a - b) == 0 or ttest_rel(a, b).pvalue < SIGNIFICANT)


def _identity(run: Run) -> str:
    return canonical(vars(run))
