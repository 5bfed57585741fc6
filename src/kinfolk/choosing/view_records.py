"""Records (dicts) that describe a clustering by several views: the answer, each view, each run.

The record of the answer has the keys of `changes.change_record`, with the best supported view in
the place of the own answer, and the other views in that of the other tasks.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Matrix
from kinfolk.choosing import changes, scores
from kinfolk.choosing.records import Record
from kinfolk.choosing.view_answer import ViewAnswer
from kinfolk.numerics import memberships, operators


def answer_record(
    task: Any, made: ViewAnswer, rows: NDArray[np.integer], names: list[Any]
) -> Record:
    """Return the record of a task's answer; its rows stand at `rows` (n_t,) of the table.

    The keys are those of `changes.change_record`. "modularity" is the mean over views, weighted by
    support; "evidence" the mean gain of joined views, judged by views left out; "source" is "views"
    or "own", one view alone; "support" is "views" or ""; "meaning" says it in a sentence.
    """
    best = made.best
    answer = made.labels
    changed = np.sort(rows[changes.differ(made.best_labels, answer)])
    refused = rows[:0]
    if made.proposal is not None and not made.joined:
        refused = np.sort(rows[changes.differ(answer, made.proposal)])
    record = Record(
        {
            "task": task,
            **_agreements(made),
            "modularity": made.modularity(answer),
            "cross_task_agreement": made.found_again,
            "combiner": "k-means on memberships" if made.joined else best.own.answer.combiner,
            "own_modularity": made.modularity(made.best_labels),
            "own_cross_task_agreement": 0.0,
            "own_combiner": best.own.answer.combiner,
            "source": "views" if made.joined else "own",
            "null_modularity": made.averaged(
                [view.own.scorer.null_level.modularity for view in made.views]
            ),
            "has_clusters": any(view.own.has_clusters for view in made.views),
            "has_cross_task_support": bool(made.support.takes_part.any()),
            "known_rows": 0,
            "joint_share": float(made.joined),
            "own_runs_only": not made.joined,
            "has_second_answer": False,
            "changed_rows": changed,
            "evidence": made.evidence,
            "support": "views" if made.joined else "",
            "refused_rows": refused,
            "cases": 0,
            "better_cases": 0,
            "n_rows": len(rows),
        }
    )
    record["meaning"] = describe(made, names, len(changed), len(refused))
    return record


def _agreements(made: ViewAnswer) -> dict[str, float]:
    """Agreement of a task's answer with the best view's, and with runs in one and in all views."""
    fused = [fusion.labels for fusion in made.fusions]
    A = scores.pairwise_agreement(np.array([made.labels, made.best_labels, *fused]))[0]
    with_own = [common_agreement(made.labels, view.labels) for view in made.views]
    return {
        "agreement": float(A[1]),
        "agreement_with_own_runs": float(np.mean(with_own)),
        "agreement_with_joint_runs": float(A[2:].mean()) if fused else float("nan"),
    }


def describe(made: ViewAnswer, names: list[Any], changed: int, refused: int) -> str:
    """Explain in plain sentences how a task's answer was made from its views."""
    best = names[made.support.best]
    n = len(made.rows)
    if len(names) == 1:
        return "There is one view: the clusters are those of this view."
    if made.proposal is None:
        return (
            f"No view supports the clusters of another: the answer is that of view {best} alone, "
            "whose clusters are the clearest. Look at the clusters of each view."
        )
    order = made.support.order
    joined = f"{len(order)} of {len(names)} views were joined"
    if len(order) < len(names):
        apart = ", ".join(str(name) for v, name in enumerate(names) if v not in order)
        joined += f" (not {apart}, whose clusters no other view supports)"
    if not made.joined:
        return (
            f"The answer is that of view {best} alone: joined views, which would change {refused} "
            f"of {n:,} rows, fit a view that was left out worse than {best} does."
        )
    tried = (
        "two views leave none to judge by"
        if np.isnan(made.evidence)
        else "joined views fit a view that was left out no worse than the best single one"
    )
    joined += f"; {changed:,} of {n:,} rows differ from view {best} alone; {tried}"
    if made.partners:
        which = "another data set" if made.partners == 1 else f"{made.partners} other data sets"
        joined += f"; they were joined on the rows of {which} too, whose clusters are found here"
    return f"{joined}."


def view_records(task: Any, made: ViewAnswer, names: list[Any]) -> list[Record]:
    """Return one record (a dict) per view of one task.

    Returns
    -------
    task, view : their names
    weight, support, takes_part : as of `view_support.ViewSupport`
    gain : of the joined other views over the best of them in this view; nan if it was not judged
    agreement : adjusted Rand index of its own clusters and the answer
    modularity, null_modularity : of its own clusters, and what a table without clusters reaches
    answer_modularity : of the answer in this view
    missing : number of rows that lack the view
    has_clusters : True if the view has clusters by itself
    inside : for each cluster of the answer the share of nearest rows, in this view, that are in
        the same cluster; nan for a cluster without rows
    meaning : the record in a sentence
    """
    found = []
    for v, (name, view) in enumerate(zip(names, made.views, strict=True)):
        scorer = view.own.scorer
        record = Record(
            task=task,
            view=name,
            weight=float(made.support.weights[v]),
            support=float(made.support.support[v]),
            takes_part=bool(made.support.takes_part[v]),
            gain=float(made.gains[v]),
            agreement=common_agreement(made.labels, view.labels),
            missing=int((~view.there).sum()),
            modularity=float(made.support.modularity[v, v]),
            null_modularity=float(scorer.null_level.modularity),
            answer_modularity=float(view.graph.modularities(made.labels[None])[0]),
            has_clusters=view.own.has_clusters,
            inside=shares_inside(view.graph.W, made.labels[view.graph.rows], made.k),
        )
        record["meaning"] = describe_view(record, len(names))
        found.append(record)
    return found


def common_agreement(labels: Labels, others: Labels) -> float:
    """Adjusted Rand index of two clusterings (n,) on the rows that have a cluster (not -1) in both.

    >>> common_agreement(np.array([0, 0, 1, 1]), np.array([1, 1, 0, -1])), common_agreement(
    ...     np.array([0, -1]), np.array([-1, 0]))
    (1.0, 0.0)
    """
    both = (labels >= 0) & (others >= 0)
    if not both.any():
        return 0.0
    return float(scores.pairwise_agreement(np.array([labels[both], others[both]]))[0, 1])


def shares_inside(W: sp.csr_array, labels: Labels, k: int) -> list[float]:
    """Share of the links of each of k clusters, in a graph W (n, n), that stay inside.

    >>> W = sp.csr_array([[0.0, 1, 1], [1, 0, 0], [1, 0, 0]])
    >>> shares_inside(W, np.array([0, 0, 1]), 2)
    [0.6666666666666666, 0.0]
    """
    H = memberships.indicator(labels, k)
    inside = np.einsum("nk,nk->k", H, W @ H)
    all_links = operators.row_sums(W) @ H
    none = np.full(k, np.nan)
    return np.divide(inside, all_links, out=none, where=all_links > 0).tolist()


def describe_view(record: Record, n_views: int) -> str:
    """Explain in plain words how clear a view is and if it was used.

    >>> describe_view({"view": "fou", "takes_part": True, "has_clusters": True, "support": 0.62,
    ...                "agreement": 0.5, "weight": 0.4, "missing": 0}, 2)
    'View fou takes part with weight 0.40: the other views find 62 % of the structure of its \
clusters again. Agreement of its own clusters with the answer: 0.50.'
    """
    name = record["view"]
    by_itself = "" if record["has_clusters"] else f" View {name} by itself has no clear clusters."
    own = f" Agreement of its own clusters with the answer: {record['agreement']:.2f}."
    if record["missing"]:
        own += f" {record['missing']:,} rows lack it."
    if n_views == 1:
        return f"View {name} is the only one.{by_itself}"
    if not record["takes_part"]:
        return (
            f"View {name} is left out, because adding it would harm: no other view supports its "
            f"clusters.{by_itself}{own}"
        )
    return (
        f"View {name} takes part with weight {record['weight']:.2f}: the other views find "
        f"{100 * record['support']:.0f} % of the structure of its clusters again.{by_itself}{own}"
    )


def run_records(task: Any, made: ViewAnswer, names: list[Any]) -> list[Record]:
    """One record for each run: those on single views, then those on several."""
    found = []
    for name, view in zip(names, made.views, strict=True):
        run_scores = view.own.run_scores
        for r, run in enumerate(view.runs.fitted):
            described = run.candidate.described()
            described["representation"] = f"{name}: {described['representation']}"
            found.append(
                Record(
                    {
                        "task": task,
                        **described,
                        "mean_agreement": float(run_scores.mean_agreement[r]),
                        "modularity": float(run_scores.separation[r]),
                        "cross_task_agreement": 0.0,
                        "score": float(run_scores.total[r]),
                        "kept": bool(r in view.own.answer.kept),
                        "seconds": run.seconds,
                    }
                )
            )
    return [*found, *_fusion_records(task, made, names)]


def _fusion_records(task: Any, made: ViewAnswer, names: list[Any]) -> list[Record]:
    """One record (a dict) for each clustering by several views."""
    if not made.fusions:
        return []
    A = scores.pairwise_agreement(np.array([fusion.labels for fusion in made.fusions]))
    # Each agrees with itself.
    mean = (A.sum(axis=1) - 1) / max(len(A) - 1, 1)
    return [
        Record(
            {
                "task": task,
                "family": fusion.method,
                "setting": fusion.setting,
                "representation": " + ".join(str(names[v]) for v in fusion.views),
                "start": 0,
                "joint": True,
                "mean_agreement": float(mean[r]),
                "modularity": made.modularity(fusion.labels),
                "cross_task_agreement": 0.0,
                "score": float(mean[r]) + made.modularity(fusion.labels),
                "kept": made.joined,
                "seconds": 0.0,
            }
        )
        for r, fusion in enumerate(made.fusions)
    ]


def agreement_of_views(made: ViewAnswer) -> Matrix:
    """Adjusted Rand indices (V, V) of single views' clusters, on rows that have both views."""
    own = [view.labels for view in made.views]
    return np.array([[common_agreement(one, other) for other in own] for one in own])
