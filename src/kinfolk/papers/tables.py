"""Compares printed tables of results, cell by cell, with stored runs.

Each cell gets two values of ours. *Chosen with labels*, as the papers choose: one setting of the
grid for all tasks, the one with the best mean over tasks and planned repeats; if the store has more
repeats of it, up to the paper's number, they count too. *Label-free*: for each task
the setting whose runs have the best scores of `kinfolk.choosing.scores` (agreement with the runs of
other settings, and modularity), as in `kf.search`. A method without a grid has one setting, so both
are the same.
Below the printed rows stand other readings of them; the last row of a table of tasks is the answer
of `kf.Kinfolk`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
from scipy.stats import ttest_rel

from kinfolk import catalogue
from kinfolk.arrays import Vector
from kinfolk.choosing.scores import BaseClusterings, score_runs
from kinfolk.papers import protocols
from kinfolk.papers.protocols import PlannedCell
from kinfolk.papers.published import PrintedCell, PrintedItem
from kinfolk.papers.store import RunSpec, Store, StoredRun, canonical

NOT_YET = "not yet"
"""Note on rows of methods that the library does not have, where no reason is given."""
YOURS = "yours"
"""Fidelity of a row that was added to a table."""
OUR_MEASURES = {"rand index": "ri", "adjusted rand index": "ari", "result": "nmi"}
"""The papers' names of measures -> ours, where they differ; an unnamed result is taken for nmi."""
MOST_COMPARED = 600
"""More runs than this are thinned evenly: each is compared with each other one."""
SIGNIFICANCE = 0.05


@dataclass(frozen=True)
class Value:
    """Our mean and deviation for one cell, in the unit of the printed table.

    Attributes
    ----------
    mean, deviation : over the repeats; the deviation is nan for a single one
    repeats : (S,) the value of each repeat, in the order of the seeds
    setting : the parameters, as JSON
    n_settings : number of settings among which this one was chosen
    """

    mean: float
    deviation: float
    repeats: Vector
    setting: str
    n_settings: int

    @classmethod
    def of(cls, repeats: Vector, setting: str, n_settings: int) -> Self:
        """Compute mean and deviation over the repeats (S,) of a setting.

        >>> found = Value.of(np.array([60.0, 62.0]), "{}", 1)
        >>> found.mean, round(found.deviation, 4)
        (61.0, 1.4142)
        """
        return cls(*mean_and_deviation(repeats), repeats, setting, n_settings)


@dataclass(frozen=True)
class CellComparison:
    """One printed cell and our values for it.

    Attributes
    ----------
    row, column : labels of the printed row and column
    published : as printed, or None where the paper prints no number
    ours : under the paper's protocol, chosen with labels where there is a grid
    label_free : chosen without labels
    note : why there is no such method, the reason of a refusal, or the number of missing runs
    mark : "•" where the paper's own method is better than this row by a paired t test at 5 %
    fidelity : of our method to its publication, a key of `catalogue.FIDELITIES`; "yours" for
        a method of the user, "" without a method
    """

    row: str
    column: str
    published: PrintedCell | None
    ours: Value | None = None
    label_free: Value | None = None
    note: str = ""
    mark: str = ""
    fidelity: str = ""


OurValues: TypeAlias = tuple[Value | None, Value | None, str]
"""(chosen with labels, label-free, note)."""


class StoredRuns:
    """Looks up planned runs in a store by their specification."""

    def __init__(self, store: Store, planned: list[PlannedCell]) -> None:
        self.store = store
        self.planned = planned
        names = {cell.data for cell in planned}
        runs = store.runs(data=names) if names else []
        # By specification, not by key: a key needs the data's checksum, so the data themselves.
        self._runs = {_identity(run.spec): run for run in runs}

    def ended(self, planned: PlannedCell) -> list[StoredRun]:
        """Return planned runs that have an outcome of any status."""
        return self._ended(planned.runs)

    def done(self, planned: PlannedCell) -> list[StoredRun]:
        """Return planned runs that ended without error."""
        return [run for run in self.ended(planned) if run.outcome.status == "done"]

    def further(self, planned: PlannedCell, setting: str) -> list[StoredRun]:
        """Return done repeats of one setting (JSON) beyond the planned ones."""
        ended = self._ended(planned.further_repeats(setting))
        return [run for run in ended if run.outcome.status == "done"]

    def _ended(self, specs: Sequence[RunSpec]) -> list[StoredRun]:
        found = [self._runs.get(_identity(spec)) for spec in specs]
        return [run for run in found if run is not None and run.outcome.status != "running"]

    def note(self, planned: PlannedCell) -> str:
        """Return the first error, else how many planned runs there are; "" if all are done."""
        runs = self.ended(planned)
        errors = [run.outcome for run in runs if run.outcome.status != "done"]
        if errors:
            return f"{errors[0].status}: {errors[0].error}"
        if len(runs) < len(planned.runs):
            return f"{len(runs)} of {len(planned.runs)} runs"
        return ""


def table(
    item: PrintedItem, store: Store, quick: bool = False, added: Sequence[PlannedCell] = ()
) -> list[CellComparison]:
    """Compare all cells of a printed table with stored runs, row by row.

    `added` are the runs of rows that are not printed, such as those of a user's method.

    Examples
    --------
    >>> from kinfolk.papers import published
    >>> with Store(getfixture("tmp_path") / "runs.sqlite") as store:
    ...     cells = table(published.item("mtcfir-table-2"), store)
    >>> cells[0].row, cells[0].column, cells[0].published.mean, cells[0].ours, cells[0].note
    ('k-means', 'cornell accuracy', 64.0, None, '0 of 10 runs')
    """
    stored = StoredRuns(store, [*protocols.planned_cells(item, quick), *added])
    filled = {
        (cell.row, column): values
        for cell in stored.planned
        for column, values in _values(item, cell, stored).items()
    }
    compared = []
    for row in item.rows:
        for column, cell in zip(map(str, item.columns), row.cells, strict=True):
            missing = None, None, "" if row.ours else row.reason or NOT_YET
            values = filled.get((row.label, column), missing)
            found = CellComparison(row.label, column, cell, *values, fidelity=fidelity(row.ours))
            compared.append(found)
    compared += _other_readings(item, stored, filled)
    for row_added in dict.fromkeys(planned.row for planned in added):
        for column in map(str, item.columns):
            values = filled.get((row_added, column), (None, None, ""))
            compared.append(CellComparison(row_added, column, None, *values, fidelity=YOURS))
    for column in map(str, item.columns):
        if (protocols.KINFOLK_ROW, column) in filled:
            _, free, note = filled[protocols.KINFOLK_ROW, column]
            found = CellComparison(protocols.KINFOLK_ROW, column, None, None, free, note)
            compared.append(replace(found, fidelity=fidelity("kinfolk")))
    # Only Co-MVCF prints marks of significance.
    return _marked(compared, item) if item.paper == "comvcf" else compared


def further_repeats(
    item: PrintedItem, store: Store, planned: Sequence[PlannedCell]
) -> list[RunSpec]:
    """Runs that repeat each row's setting chosen with labels as often as the paper does.

    A row with missing planned runs has no such setting yet.
    """
    stored = StoredRuns(store, list(planned))
    runs: list[RunSpec] = []
    for cell in planned:
        done = stored.done(cell)
        if cell.repeats and done and len(stored.ended(cell)) == len(cell.runs):
            runs += cell.further_repeats(best_with_labels(item, cell, done))
    return runs


def fidelity(method: str) -> str:
    """Fidelity of a method to its paper ("exact", ...); "" without a method.

    >>> fidelity("kmeans"), fidelity("")
    ('exact', '')
    """
    return catalogue.method(method).fidelity if method else ""


def _other_readings(
    item: PrintedItem, stored: StoredRuns, filled: dict[tuple[str, str], OurValues]
) -> list[CellComparison]:
    """Extra rows of ours for alternative interpretations, each beside the printed row."""
    compared = []
    # Once for each row: pairs of tasks are planned one by one.
    readings = {planned.row: planned.reading_of for planned in stored.planned}
    for name, printed in readings.items():
        for row in (row for row in item.rows if row.label == printed):
            for column, cell in zip(map(str, item.columns), row.cells, strict=True):
                found = CellComparison(name, column, cell, *filled[name, column])
                compared.append(replace(found, fidelity=fidelity(row.ours)))
    return compared


def _values(item: PrintedItem, planned: PlannedCell, stored: StoredRuns) -> dict[str, OurValues]:
    """Our values by column name, for the columns that planned runs fill."""
    runs = stored.done(planned)
    note = stored.note(planned)
    groups = [planned.group] if planned.group else item.column_groups
    measures = tuple(dict.fromkeys(column.measure for column in item.columns))
    if not runs:
        return {
            f"{group} {measure}": (None, None, note) for group in groups for measure in measures
        }
    names = scored_tasks(planned, runs)
    best = best_with_labels(item, planned, runs)
    repeated = runs + stored.further(planned, best)
    if len(repeated) > len(runs):
        n_repeats = len(repeats_of(repeated, best))
        note = "; ".join(filter(None, (note, f"{n_repeats} repeats of the chosen setting")))
    ranked = rank(runs, names, stored.store)
    unit = 100.0 if item.unit == "percent" else 1.0
    filled: dict[str, OurValues] = {}
    # Column groups stand in the order of the tasks; a table may print fewer tasks than there are.
    for group, task in zip(groups, names, strict=False):
        free = best_ranked(ranked, [task])
        for printed in measures:
            measure = OUR_MEASURES.get(printed, printed)
            with_labels = value(repeated, best, measure, task, unit)
            without = value(repeated, free, measure, task, unit)
            filled[f"{group} {printed}"] = with_labels, without, note
    return filled


def scored_tasks(planned: PlannedCell, runs: list[StoredRun]) -> list[str]:
    """Return the tasks used to choose a setting: all, or only a transfer's target."""
    names = list(runs[0].outcome.scores["silhouette"])
    return names[-1:] if planned.group else names


def best_with_labels(item: PrintedItem, planned: PlannedCell, runs: list[StoredRun]) -> str:
    """Return the setting (JSON) with the best mean score against true classes."""
    measure = protocols.CHOICE_MEASURE.get(item.paper, "accuracy")
    names = scored_tasks(planned, runs)
    scores: dict[str, list[float]] = {}
    for run in runs:
        mean = float(np.mean([run.outcome.scores[measure][task] for task in names]))
        scores.setdefault(canonical(run.spec.parameters), []).append(mean)
    # Of equal means the setting that was planned first is taken.
    return max(scores, key=lambda setting: float(np.mean(scores[setting])))


class Ranking(NamedTuple):
    """Label-free scores of R runs: their settings (R,) and {task: scores (R,)}."""

    settings: list[str]
    scores: dict[str, Vector]


def rank(runs: list[StoredRun], tasks: list[str], store: Store) -> Ranking:
    """Score runs in each task without labels, by agreement between runs and modularity.

    Runs that an older version stored have no modularity; where one of them is, all are scored by
    their silhouettes.
    """
    step = -(-len(runs) // MOST_COMPARED)
    kept = runs[::step]
    settings = [canonical(run.spec.parameters) for run in kept]
    if len(set(settings)) == 1:  # nothing to choose, so no arrays need to be read
        return Ranking(settings, {task: np.zeros(len(kept)) for task in tasks})
    names = list(kept[0].outcome.scores["silhouette"])
    codes = [store.array(run.key, "task_codes") for run in kept]
    labels = [store.labels(run.key) for run in kept]
    methods = [run.spec.method for run in kept]
    stored = all("modularity" in run.outcome.scores for run in kept)
    criterion = "modularity" if stored else "silhouette"
    scores = {}
    for task in tasks:
        own = [c[t == names.index(task)] for c, t in zip(labels, codes, strict=True)]
        clusterings = BaseClusterings(
            np.array(own), methods, settings, np.zeros(len(kept), dtype=bool)
        )
        separation = np.array([run.outcome.scores[criterion][task] for run in kept])
        scores[task] = score_runs(clusterings, separation).total
    return Ranking(settings, scores)


def best_ranked(ranking: Ranking, tasks: list[str]) -> str:
    """Return the setting (JSON) whose runs have the best mean label-free score."""
    scores = np.sum([ranking.scores[task] for task in tasks], axis=0)
    settings = np.array(ranking.settings)
    return max(
        dict.fromkeys(ranking.settings),
        key=lambda setting: float(scores[settings == setting].mean()),
    )


def best_label_free(runs: list[StoredRun], tasks: list[str], store: Store) -> str:
    """Return the setting (JSON), one for all tasks, that is best without labels."""
    return best_ranked(rank(runs, tasks, store), tasks)


def repeats_of(runs: list[StoredRun], setting: str) -> list[StoredRun]:
    """Return the runs with this setting, in the order of their seeds."""
    own = [run for run in runs if canonical(run.spec.parameters) == setting]
    return sorted(own, key=lambda run: run.spec.seed)


def mean_and_deviation(values: Any) -> tuple[float, float]:
    """Return mean and standard deviation; the deviation of a single value is nan.

    >>> mean_and_deviation([1.0, 3.0, 5.0]), mean_and_deviation([4.0])
    ((3.0, 2.0), (4.0, nan))
    """
    deviation = float(np.std(values, ddof=1)) if len(values) > 1 else np.nan
    return float(np.mean(values)), deviation


def value(runs: list[StoredRun], setting: str, measure: str, task: str, unit: float) -> Value:
    """Summarise a measure of one task over the repeats of a setting, times `unit`."""
    scores = [run.outcome.scores[measure][task] for run in repeats_of(runs, setting)]
    n_settings = len({canonical(run.spec.parameters) for run in runs})
    return Value.of(unit * np.array(scores), setting, n_settings)


def _marked(cells: list[CellComparison], item: PrintedItem) -> list[CellComparison]:
    """Mark cells in which the paper's own method (last printed row) is significantly better."""
    own = {cell.column: cell for cell in cells if cell.row == item.rows[-1].label}
    return [replace(cell, mark="•" if _is_beaten(cell, own[cell.column]) else "") for cell in cells]


def _is_beaten(cell: CellComparison, own: CellComparison) -> bool:
    """True if `own` has a higher mean, significant by a paired t test over repeats."""
    if cell.ours is None or own.ours is None or cell.row == own.row:
        return False
    a, b = own.ours.repeats, cell.ours.repeats
    if len(a) != len(b) or len(a) < 2 or a.mean() <= b.mean():
        return False
    # Equal differences have no spread, so the t test would divide by zero.
    return bool(np.ptp(a - b) == 0 or ttest_rel(a, b).pvalue < SIGNIFICANCE)


def _identity(spec: RunSpec) -> str:
    return canonical(vars(spec))
