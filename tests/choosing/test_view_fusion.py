import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from kinfolk.choosing import consensus, view_coregularized, view_fusion, view_support
from kinfolk.choosing.task_scorer import TaskScorer
from kinfolk.choosing.view_fusion import Fusion
from kinfolk.choosing.view_support import ViewGraph
from kinfolk.numerics import distances, starts

LABELS = np.repeat([0, 1, 2], 12)
EVERY = np.ones((len(LABELS), 3), dtype=bool)


def blobs(spread, seed, d=4):
    random = np.random.RandomState(seed)
    return 5 * random.randn(3, d)[LABELS] + spread * random.randn(len(LABELS), d)


def graphs_for_scoring(tables):
    return [ViewGraph(TaskScorer(Z, 3).graph, np.arange(len(LABELS))) for Z in tables]


@pytest.fixture(scope="module")
def three():
    """Make two clear views of the same clusters and one of noise: tables, graphs, support, own."""
    tables = [blobs(0.8, 0), blobs(0.8, 1), np.random.RandomState(2).randn(len(LABELS), 4)]
    graphs = graphs_for_scoring(tables)
    own = [LABELS, LABELS, np.random.RandomState(3).permutation(LABELS)]
    return tables, graphs, view_support.support(own, graphs), own


def test_all_own_answers_together_have_their_share_of_the_consensus():
    a = np.array([0, 0, 0, 1, 1, 1])
    b = np.array([0, 0, 1, 1, 1, 1])
    made = [Fusion(a, (0, 1), "even", "x"), Fusion(b, (0, 1), "weighted", "x")]
    weights = np.array([0.3, 0.7])
    found = view_fusion.joined_answer(made, [a, b], weights, 2, 0)
    runs = np.array([a, b, a, b])
    expected = consensus.kmeans_on_memberships(runs, np.array([0.35, 0.35, 0.09, 0.21]), 2, 0)
    assert (found == expected).all()


def test_an_own_answer_without_weight_has_no_vote():
    a = np.array([0, 0, 0, 1, 1, 1])
    b = np.array([0, 1, 0, 1, 0, 1])
    found = view_fusion.joined_answer([Fusion(a, (0, 1), "even", "x")], [a, b], np.eye(2)[0], 2, 0)
    assert adjusted_rand_score(found, a) == 1


def test_gains_are_judged_in_the_graph_of_the_view_left_out():
    tables = [blobs(spread, seed) for seed, spread in enumerate((1.5, 2.5, 3.0))]
    graphs = graphs_for_scoring(tables)
    random = np.random.RandomState(0)
    own = [np.where(random.uniform(size=36) < p, 0, LABELS) for p in (0.1, 0.2, 0.3)]
    found = view_support.support(own, graphs)
    embedded = [each.U for each in view_coregularized.linked(tables, EVERY, found.order, 3)]
    gains = view_fusion.held_out_gains(embedded, graphs, own, found, 3, 0)
    u = 2
    rest = found.without(u)
    fused = []
    for U in embedded:
        places = np.hstack([distances.unit_rows(U[v]) for v in rest.order])
        fused.append(starts.kmeans(places, 3, 0, view_fusion.N_INIT))
    Q = np.mean([graphs[u].modularities(labels[None])[0] for labels in fused])
    M = found.modularity
    assert gains[u] == pytest.approx((Q - M[rest.best, u]) / M[u, u])


def test_two_views_leave_none_to_judge_by(three):
    tables, graphs, found, own = three
    embedded = [each.U for each in view_coregularized.linked(tables, EVERY, found.order, 3)]
    assert np.isnan(view_fusion.held_out_gains(embedded, graphs, own, found, 3, 0)).all()


def test_a_row_without_an_own_cluster_gets_the_commonest_of_its_fused_cluster():
    labels = np.array([0, 0, 1, -1, -1, 2, -1])
    first = np.array([4, 4, 4, 4, -1, 1, 1])
    second = np.array([0, 0, 0, 0, 7, 7, 7])
    found = view_fusion.completed(labels, [first, second])
    assert found.tolist() == [0, 0, 1, 0, 2, 2, 2]
