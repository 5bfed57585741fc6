"""Clusters the rows of one task by several views, and chooses joined or single-view clusters.

1. Own answers: each view is clustered by itself, as a table of one task.
2. Support: how far the clusters of each view are found in the others (`view_support`).
3. Proposal: a consensus of clusterings by several views and the own ones (`view_fusion`).
4. Guard: the proposal is the answer unless views that were left out fit the best single view
   better than the others joined, by more than the standard error over views. Then, and where no
   view supports another, the answer is that of the best supported view alone.

Units   none.
Limits  one view: its own answer. Two views: nothing is left out to judge by, so the proposal is
        the answer if the views have a tie.
Source  `docs/views-measured.md`: what was measured, and on which sets.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Table, Vector
from kinfolk.choosing import (
    candidate_runs,
    candidates,
    null_model,
    own_answers,
    task_scorer,
    task_state,
    view_coregularized,
    view_fusion,
    view_joined,
    view_support,
)
from kinfolk.choosing.candidate_runs import CandidateRuns
from kinfolk.choosing.own_answers import OwnResult
from kinfolk.choosing.task_scorer import TaskScorer
from kinfolk.choosing.view_fusion import Fusion
from kinfolk.choosing.view_representations import ViewRepresentations
from kinfolk.choosing.view_support import ViewGraph, ViewSupport
from kinfolk.errors import InputError
from kinfolk.numerics import starts

# Three methods that see different things, because V views cost V times as much as a table. What
# symnmf would add to them was not measured.
FAMILIES = "kmeans", "spectral", "mec"
"""Families of one task that cluster each view, unless `families` of `Kinfolk` names others."""


@dataclass(frozen=True)
class OwnView:
    """One view of one task: the runs and the answer from this view alone.

    Attributes
    ----------
    runs : its runs, and those that were not made
    own : their scores and combinations
    there : (n_t,) True for rows of the task that have the view
    """

    runs: CandidateRuns
    own: OwnResult
    there: NDArray[np.bool_]

    @property
    def labels(self) -> Labels:
        """Clusters (n_t,) from this view alone, -1 for rows that lack the view."""
        labels = np.full(len(self.there), -1)
        labels[self.there] = self.own.answer.labels
        return labels

    @property
    def graph(self) -> ViewGraph:
        """Nearest-neighbor graph of the view's scored rows, with their positions in the task."""
        rows = np.flatnonzero(self.there)
        return ViewGraph(self.own.scorer.graph, self.own.scorer.on_sample(rows))


@dataclass(frozen=True)
class ViewAnswer:
    """The answer for one task in views, with the single views and proposal it was chosen from.

    Attributes
    ----------
    rows : (n_t,) positions of the task's rows
    k : its number of clusters
    views : each view by itself
    support : of the views by each other
    fusions : clusterings by several views
    proposal : (n_t,) their consensus, or None if no view supports another
    gains : (V,) of joined views over the best one, judged by the view left out; nan where none is
    tables : the rows (n_v, d_v) that have each view, as they are scored
    partners : number of other tasks whose rows were clustered with those of this one
    found_again : mean ratio of modularity of the clusters transferred from them, see `view_sharing`
    """

    rows: NDArray[np.integer]
    k: int
    views: list[OwnView]
    support: ViewSupport
    fusions: list[Fusion]
    proposal: Labels | None
    gains: Vector
    tables: Sequence[Table]
    partners: int = 0
    found_again: float = 0.0

    def modularity(self, labels: Labels) -> float:
        """Modularity of labels (n_t,), averaged over the views weighted by their support."""
        return self.averaged([view.graph.modularities(labels[None])[0] for view in self.views])

    def averaged(self, values: Sequence[float]) -> float:
        """Mean of one value for each view, weighted by their support."""
        return float(np.average(values, weights=self.support.weights))

    @property
    def best(self) -> OwnView:
        """The view whose clusters the other views support best."""
        return self.views[self.support.best]

    @property
    def evidence(self) -> float:
        """Mean gain of joined views on held-out views, weighted by support; nan if not tested."""
        judged = np.isfinite(self.gains)
        if not judged.any():
            return float("nan")
        return float(np.average(self.gains[judged], weights=self.support.support[judged]))

    @property
    def joined(self) -> bool:
        """True if the joined clusters are the answer, not those of the best single view."""
        return self.proposal is not None and not self.evidence < -self.evidence_error

    @property
    def evidence_error(self) -> float:
        """Standard error of the evidence, from its spread over the held-out views."""
        judged = np.isfinite(self.gains)
        w = self.support.support[judged]
        if not judged.any():
            return float("nan")
        w = w / w.sum()
        return float(np.sqrt(np.sum(np.square(w * (self.gains[judged] - self.evidence)))))

    @property
    def weights(self) -> Vector:
        """Weight (V,) of each view in the answer; all on one if its clusters are the answer."""
        return self.support.weights if self.joined else np.eye(len(self.views))[self.support.best]

    @property
    def best_labels(self) -> Labels:
        """Clusters (n_t,) of the best view; rows that lack it are filled in by other views."""
        others = [fusion.labels for fusion in self.fusions]
        return view_fusion.completed(self.best.labels, [*others, *(v.labels for v in self.views)])

    @property
    def labels(self) -> Labels:
        """Clusters (n_t,) of the chosen answer."""
        proposal = self.proposal
        return self.best_labels if proposal is None or not self.joined else proposal


def answer(
    X: Table,
    codes: Labels,
    t: int,
    k: int,
    seen: ViewRepresentations,
    there: NDArray[np.bool_],
    names: Sequence[Any],
    families: Sequence[str] | Mapping[str, candidates.Family],
    random: np.random.RandomState,
    budget: float | None = None,
) -> ViewAnswer:
    """Cluster the rows of the task at position t by its views, and choose the answer.

    Parameters
    ----------
    there : (n, V) False where a row lacks a view
    names : of the views, for the progress bar
    families : methods of one task that cluster each view, by name
    budget : seconds for the runs of all views; None: no limit

    Raises
    ------
    InputError : a view has fewer rows than clusters; no run took the rows of a view
    """
    rows = np.flatnonzero(codes == t)
    seed = starts.seeds(random, 1)[0]
    seconds = None if budget is None else budget / len(names)
    views = []
    tables = []
    lengths = []
    for v, name in enumerate(names):
        own = rows[there[rows, v]]
        if len(own) < max(k, 2):
            raise InputError(
                f"view {name!r} is there in {len(own)} rows of a data set that is to have {k} "
                "clusters; leave the view out, or ask for fewer clusters."
            )
        runs = CandidateRuns(seconds)
        here = np.where((codes == t) & there[:, v], t, -1)
        plan = candidates.plan(families, seen.parts[v], {t: k}, random)
        candidate_runs.run(plan, seen.parts[v], seen.view(v, X), here, runs, f"view {name}")
        views.append(_own_view(X[own], codes[own], there[rows, v], v, k, seen, runs, seed))
        tables.append(seen.scored(v, X[own], codes[own]))
        lengths.append(seen.for_kmeans(v, X[own], codes[own]))
    return judged(views, tables, lengths, rows, k, seed)


def _own_view(
    X: Table,
    codes: Labels,
    there: NDArray[np.bool_],
    v: int,
    k: int,
    seen: ViewRepresentations,
    runs: CandidateRuns,
    seed: int,
) -> OwnView:
    """Score and combine runs on the rows X (n_v, d) of one task that have the view v.

    Raises
    ------
    InputError : no run took the rows
    """
    if not runs.fitted:
        raise InputError(
            "no method that clusters each view by itself takes these rows: "
            f"{runs.left_out[0]['reason']}"
        )
    # One seed for all views, so that they are scored on the same rows.
    sample = task_scorer.sampled(X.shape[0], np.random.RandomState(seed))
    scored = slice(None) if sample is None else sample
    Z = seen.scored(v, X[scored], codes[scored])
    measured = seen.parts[v].kind == "measurements"
    kind = null_model.COPULA if measured else null_model.PERMUTED
    rows = np.flatnonzero(runs.fitted[0].labels >= 0)
    found = task_state.base_clusterings(runs.fitted, rows)
    own = own_answers.own_result(found, TaskScorer(Z, k, sample, seed))
    level = null_model.null_level(Z, k, kind=kind, seed=seed, modularity=own.answer.modularity)
    return OwnView(runs, replace(own, scorer=replace(own.scorer, null_level=level)), there)


def judged(
    views: list[OwnView],
    tables: Sequence[Table],
    lengths: Sequence[Table],
    rows: NDArray[np.integer],
    k: int,
    seed: int,
) -> ViewAnswer:
    """Cluster rows by all views jointly, and test if that beats the best single view.

    Parameters
    ----------
    tables, lengths : rows (n_v, d_v) of each view as they are scored, and as for k-means
    """
    graphs = [view.graph for view in views]
    own = [view.labels for view in views]
    there = np.column_stack([view.there for view in views])
    support = view_support.support(own, graphs)
    none = np.full(len(views), np.nan)
    if not support.takes_part.any():
        return ViewAnswer(rows, k, views, support, [], None, none, tables)
    linked = view_coregularized.linked(tables, there, support.order, k)
    made = view_coregularized.runs(linked, k, seed)
    made += view_joined.runs(lengths, graphs, there, support, made, k, seed)
    proposal = view_fusion.joined_answer(made, own, support.weights, k, seed)
    gains = view_fusion.held_out_gains([each.U for each in linked], graphs, own, support, k, seed)
    return ViewAnswer(rows, k, views, support, made, proposal, gains, tables)
