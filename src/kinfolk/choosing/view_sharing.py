"""Clusters the rows of several tasks with views together, where tasks have the same clusters.

Each task is clustered by its views first. Then the clusters of task s are transferred to the rows
of task t: its nearest rows of s in each view vote, views by their weight in t. With Q_t the
modularity in the views' graphs of task t, a mean of the same weights,

    r[s,t] = Q_t(clusters transferred from s) / Q_t(clusters of t)                       (1)

Transferred clusters were not fitted to the graphs of t. Tasks of one number of clusters are
partners if the mean of r[s,t] and r[t,s] is at least `LEAST_SHARED`. The rows of partners, and of
partners of partners, are clustered together by `view_coregularized`, in the representation for
scoring, which has measurements less the means of each task. These runs are part of each task's
consensus, as its own are.

Units   none.
Limits  one task, or no partners: the answers stay as they are.
Source  `docs/views-measured.md`: what was measured, and on which sets.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from kinfolk.arrays import Labels, Matrix
from kinfolk.choosing import cross_task, view_coregularized, view_fusion
from kinfolk.choosing.view_answer import ViewAnswer
from kinfolk.choosing.view_fusion import Fusion
from kinfolk.numerics import graphs, memberships, operators

# Of 48 draws from mfeat, tasks of other digits had .27 to .69, those of the same digits mostly .8
# or more; see `docs/views-measured.md`.
LEAST_SHARED = 0.7
VOTERS = 5
"""Nearest rows of another task that vote, in each view."""

Transferred: TypeAlias = dict[int, Labels]
"""Position of another task -> its clusters (n_t,), transferred to the rows of a task."""


def shared(
    made: Sequence[ViewAnswer], clusters: Sequence[Transferred], seed: int
) -> list[ViewAnswer]:
    """Return the answers of all tasks, where tasks with the same clusters are clustered together.

    Parameters
    ----------
    clusters : the clusters of the other tasks on the rows of each, see `transferred_to_each`
    """
    r = modularity_ratios(made, clusters)
    partners: Any = sp.csr_array((r + r.T) / 2 >= LEAST_SHARED)
    _, groups = connected_components(partners, directed=False)
    answers = list(made)
    for group in range(groups.max() + 1):
        members = [t for t in range(len(made)) if groups[t] == group]
        # By content: the order of the tasks changes no run.
        members.sort(key=lambda t: (len(made[t].rows), made[t].modularity(made[t].labels)))
        runs = together([made[t] for t in members], seed) if len(members) > 1 else []
        for t, added in zip(members, runs, strict=False):
            others = [r[s, t] for s in members if s != t]
            answers[t] = _voted(made[t], added, float(np.mean(others)), len(others), seed)
    return answers


def modularity_ratios(made: Sequence[ViewAnswer], clusters: Sequence[Transferred]) -> Matrix:
    """Ratios r (T, T) of modularity, equation (1), from a task (row) to another; 0 if k differs."""
    r = np.zeros((len(made), len(made)))
    for t, target in enumerate(made):
        whole = 0.0 if target.proposal is None else target.modularity(target.labels)
        for s, labels in clusters[t].items():
            if whole > 0 and made[s].k == target.k and made[s].proposal is not None:
                r[s, t] = max(target.modularity(labels), 0.0) / whole  # (1)
    return r


def agreement(made: Sequence[ViewAnswer], clusters: Sequence[Transferred]) -> Matrix:
    """Adjusted Rand index (T, T) of transferred and own clusters, mean of both directions."""
    A = np.eye(len(made))
    for t, target in enumerate(made):
        found = cross_task.agreement_with_each(target.labels, list(clusters[t].values()))
        A[t, list(clusters[t])] = found
    return (A + A.T) / 2


def transferred_to_each(made: Sequence[ViewAnswer]) -> list[Transferred]:
    """Return for each task the clusters (n_t,) that every other task transfers to its rows."""
    return [
        {s: transferred(source, target) for s, source in enumerate(made) if s != t}
        for t, target in enumerate(made)
    ]


def transferred(source: ViewAnswer, target: ViewAnswer) -> Labels:
    """Clusters (n_t,) of the rows of one task by the votes of their nearest rows of another."""
    U = memberships.indicator(source.labels, source.k)
    votes = np.zeros((len(target.rows), source.k))
    for v in target.support.order:
        known = np.flatnonzero(source.views[v].there)
        asked = np.flatnonzero(target.views[v].there)
        l = min(VOTERS, len(known))
        near = graphs.cosine_neighbors(target.tables[v], l, source.tables[v])
        votes[asked] += target.support.weights[v] * U[known][near].mean(axis=1)
    return votes.argmax(axis=1)


def together(members: Sequence[ViewAnswer], seed: int) -> list[list[Fusion]]:
    """Cluster the rows of several tasks as one table; return the runs cut into tasks.

    There are none if no view takes part in all of them.
    """
    order = [v for v in members[0].support.order if all(m.support.takes_part[v] for m in members)]
    if not order:
        return []
    tables = [
        operators.vstack([m.tables[v] for m in members]) for v in range(len(members[0].tables))
    ]
    there = np.vstack([np.column_stack([view.there for view in m.views]) for m in members])
    k = members[0].k
    runs = view_coregularized.runs(view_coregularized.linked(tables, there, order, k), k, seed)
    ends = np.cumsum([len(m.rows) for m in members])[:-1]
    pieces = [np.split(run.labels, ends) for run in runs]
    return [
        [
            run._replace(labels=piece[i], setting=f"{run.setting}, rows of {len(members)} tasks")
            for run, piece in zip(runs, pieces, strict=True)
        ]
        for i in range(len(members))
    ]


def _voted(
    made: ViewAnswer, added: Sequence[Fusion], share: float, partners: int, seed: int
) -> ViewAnswer:
    """Rebuild a task's answer from a consensus that includes further runs."""
    fusions = [*made.fusions, *added]
    own = [view.labels for view in made.views]
    proposal = view_fusion.joined_answer(fusions, own, made.support.weights, made.k, seed)
    return replace(made, fusions=fusions, proposal=proposal, partners=partners, found_again=share)
