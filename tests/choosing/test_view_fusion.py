import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

from kinfolk.choosing import consensus, view_fusion, view_support
from kinfolk.choosing.task_scorer import TaskScorer
from kinfolk.choosing.view_fusion import SHARES, Fusion
from kinfolk.choosing.view_support import ViewGraph
from kinfolk.numerics import distances

LABELS = np.repeat([0, 1, 2], 12)
EVERY = np.ones((len(LABELS), 3), dtype=bool)


def graph_by_loops(Z, l):
    """Normalised symmetric graph of the l nearest rows by cosine, entry by entry."""
    n = len(Z)
    U = Z / np.linalg.norm(Z, axis=1, keepdims=True)
    N = np.zeros((n, n))
    for i in range(n):
        near = sorted((j for j in range(n) if j != i), key=lambda j: -U[i] @ U[j])[:l]
        for j in near:
            N[i, j] = 1.0 if U[i] @ U[j] > 0 else 0.0
    W = (N + N.T) / 2
    d = W.sum(axis=1)
    return np.array([[W[i, j] / np.sqrt(d[i] * d[j]) for j in range(n)] for i in range(n)])


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


def test_the_graph_of_a_view_is_that_of_the_formula():
    Z = blobs(2.0, 5)
    found = view_fusion.view_graph(Z, 3, 0.5)
    np.testing.assert_allclose(found.toarray(), graph_by_loops(Z, 6), atol=1e-12)


def test_one_view_of_weight_one_is_spectral_clustering_of_that_view():
    S = [view_fusion.view_graph(blobs(0.8, seed), 3, 0.5) for seed in (0, 1)]
    alone = view_fusion.spectral(S[:1], EVERY[:, :1], np.ones(1), 3, 0)
    other = view_fusion.spectral(S, EVERY[:, :2], np.array([1.0, 0.0]), 3, 0)
    assert adjusted_rand_score(alone, other) == 1


def test_the_mean_graph_is_divided_by_its_leading_eigenvectors():
    S = [view_fusion.view_graph(blobs(2.0, seed), 3, 0.5) for seed in (0, 1)]
    labels = view_fusion.spectral(S, EVERY[:, :2], np.array([1.0, 0.5]), 3, 0)
    values, vectors = np.linalg.eigh((S[0] + 0.5 * S[1]).toarray())
    embedded = distances.unit_rows(vectors[:, -3:])
    centers = np.array([embedded[labels == c].mean(axis=0) for c in range(3)])
    assert (distances.squared(embedded, centers).argmin(axis=1) == labels).all()


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
    S = view_fusion.graphs_of(tables, EVERY, 3)
    gains = view_fusion.held_out_gains(S, graphs, own, EVERY, found, 3, 0)
    u = 2
    rest = found.without(u)
    a = np.array([rest.support[v] for v in rest.order])
    a = (a / a[0]) ** 2
    parts = [[S[q][v] for v in rest.order] for q in SHARES]
    fused = [view_fusion.spectral(part, EVERY[:, rest.order], a, 3, 0) for part in parts]
    Q = np.mean([graphs[u].modularities(labels[None])[0] for labels in fused])
    M = found.modularity
    assert gains[u] == pytest.approx((Q - M[rest.best, u]) / M[u, u])


def test_two_views_leave_none_to_judge_by(three):
    tables, graphs, found, own = three
    S = view_fusion.graphs_of(tables, EVERY, 3)
    gains = view_fusion.held_out_gains(S, graphs, own, EVERY, found, 3, 0)
    assert np.isnan(gains).all()


def test_rows_that_have_nothing_in_common_are_not_linked():
    S = view_fusion.view_graph(sp.csr_array(np.eye(6)), 2, 0.5)
    assert S.nnz == 0


def test_rows_that_lack_a_view_have_the_mean_of_the_graphs_that_they_are_in():
    tables = [blobs(2.0, seed) for seed in (0, 1)]
    there = EVERY[:, :2].copy()
    there[::3, 1] = False
    S = view_fusion.graphs_of([tables[0], tables[1][there[:, 1]]], there, 3)[0.5]
    assert S[1][::3].nnz == 0
    labels = view_fusion.spectral(S, there, np.array([1.0, 0.5]), 3, 0)
    E = there @ np.array([1.0, 0.5])
    mean = (S[0] + 0.5 * S[1]).toarray() / np.sqrt(np.outer(E, E))
    embedded = distances.unit_rows(np.linalg.eigh(mean)[1][:, -3:])
    centers = np.array([embedded[labels == c].mean(axis=0) for c in range(3)])
    assert (distances.squared(embedded, centers).argmin(axis=1) == labels).all()


def test_a_row_without_an_own_cluster_gets_the_commonest_of_its_fused_cluster():
    labels = np.array([0, 0, 1, -1, -1, 2, -1])
    first = np.array([4, 4, 4, 4, -1, 1, 1])
    second = np.array([0, 0, 0, 0, 7, 7, 7])
    found = view_fusion.completed(labels, [first, second])
    assert found.tolist() == [0, 0, 1, 0, 2, 2, 2]
