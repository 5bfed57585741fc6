import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

from kinfolk.choosing import view_joined, view_support
from kinfolk.choosing.task_scorer import TaskScorer
from kinfolk.choosing.view_fusion import Fusion
from kinfolk.choosing.view_joined import LEAST_SHARE
from kinfolk.choosing.view_support import ViewGraph

LABELS = np.repeat([0, 1, 2], 12)


def blobs(spread, seed, d=4):
    random = np.random.RandomState(seed)
    return 5 * random.randn(3, d)[LABELS] + spread * random.randn(len(LABELS), d)


def prepared(tables, there=None):
    """Make the views' graphs, and the views' support for the true clusters."""
    there = np.ones((len(LABELS), len(tables)), dtype=bool) if there is None else there
    rows = [np.flatnonzero(own) for own in there.T]
    graphs = [ViewGraph(TaskScorer(Z, 3).graph, own) for Z, own in zip(tables, rows, strict=True)]
    own = [np.where(has, LABELS, -1) for has in there.T]
    return graphs, there, view_support.support(own, graphs)


def test_runs_that_the_graphs_show_are_kept():
    tables = [blobs(0.8, seed) for seed in (0, 1)]
    graphs, there, found = prepared(tables)
    fused = [Fusion(LABELS, (0, 1), "even", "x")]
    made = view_joined.runs(tables, graphs, there, found, fused, 3, 0)
    assert {run.method for run in made} == {"joined-kmeans", "cofkm"}
    assert {run.setting for run in made} == {"even", "weighted", "unit rows"}
    least = LEAST_SHARE * view_joined.mean_modularities([LABELS], graphs, found)[0]
    kept = view_joined.mean_modularities([run.labels for run in made], graphs, found)
    assert (kept >= least).all()
    assert max(adjusted_rand_score(LABELS, run.labels) for run in made) == 1


def test_runs_that_the_graphs_do_not_show_are_left_out(monkeypatch):
    tables = [blobs(0.8, seed) for seed in (0, 1)]
    graphs, there, found = prepared(tables)
    fused = [Fusion(LABELS, (0, 1), "even", "x")]
    monkeypatch.setattr(view_joined, "LEAST_SHARE", 1.01)
    assert view_joined.runs(tables, graphs, there, found, fused, 3, 0) == []


def test_mean_modularities_weigh_the_views_by_their_support():
    tables = [blobs(0.8, 0), blobs(2.5, 1)]
    graphs, _, found = prepared(tables)
    Q = [graph.modularities(LABELS[None])[0] for graph in graphs]
    mean = view_joined.mean_modularities([LABELS], graphs, found)[0]
    assert mean == pytest.approx(found.weights[0] * Q[0] + found.weights[1] * Q[1])


def test_units_of_a_view_do_not_matter():
    tables = [blobs(0.8, seed) for seed in (0, 1)]
    graphs, there, found = prepared(tables)
    fused = [Fusion(LABELS, (0, 1), "even", "x")]
    one = view_joined.runs(tables, graphs, there, found, fused, 3, 0)
    larger = [tables[0], 1000 * tables[1]]
    other = view_joined.runs(larger, graphs, there, found, fused, 3, 0)
    for a, b in zip(one, other, strict=True):
        assert adjusted_rand_score(a.labels, b.labels) == 1


def test_rows_that_lack_views_take_part():
    tables = [blobs(0.8, seed) for seed in (0, 1)]
    there = np.ones((len(LABELS), 2), dtype=bool)
    there[::3, 1] = False
    there[1::6, 0] = False
    parts = [Z[own] for Z, own in zip(tables, there.T, strict=True)]
    graphs, there, found = prepared(parts, there)
    fused = [Fusion(LABELS, (0, 1), "even", "x")]
    made = view_joined.runs(parts, graphs, there, found, fused, 3, 0)
    kept = [run.labels for run in made if run.method == "joined-kmeans"]
    assert max(adjusted_rand_score(LABELS, labels) for labels in kept) > 0.9


def test_sparse_views_stay_sparse():
    parts = [sp.csr_array(np.abs(blobs(0.8, seed))) for seed in (0, 1)]
    X, views = view_joined.side_by_side(parts, np.ones((len(LABELS), 2), dtype=bool))
    assert sp.issparse(X)
    np.testing.assert_array_equal(X[:, views["1"]].toarray(), parts[1].toarray())
