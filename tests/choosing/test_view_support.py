import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.choosing import view_support
from kinfolk.choosing.view_support import LEAST_TIE, ViewGraph


def modularity_by_loops(labels, W):
    """Modularity of labels in a graph W, entry by entry."""
    n = len(labels)
    total = sum(W[i, j] for i in range(n) for j in range(n))
    inside = sum(W[i, j] for i in range(n) for j in range(n) if labels[i] == labels[j])
    chance = 0.0
    for c in set(labels.tolist()):
        degree = sum(W[i, j] for i in range(n) for j in range(n) if labels[i] == c)
        chance += (degree / total) ** 2
    return inside / total - chance


def shares_by_loops(own, graphs):
    """Modularity of each view's clusters in each other view's graph, by loops."""
    V = len(own)
    M = [[modularity_by_loops(own[v], graphs[u]) for u in range(V)] for v in range(V)]
    return np.array([[min(max(M[v][u], 0) / M[u][u], 1) for u in range(V)] for v in range(V)])


def graph(W):
    return ViewGraph(sp.csr_array(W), np.arange(len(W)))


@pytest.fixture
def views():
    """Make graphs of three views, the last on other rows, and clusters that fit each."""
    random = np.random.RandomState(0)
    labels = np.repeat([0, 1, 2], 10)
    order = random.permutation(30)
    graphs = []
    for chance in (0.1, 0.3, 0.1):
        same = labels[:, None] == labels
        drawn = np.triu(random.uniform(size=(30, 30)) < np.where(same, 0.7, chance), 1)
        graphs.append((drawn + drawn.T).astype(float))
    graphs[2] = graphs[2][order][:, order]
    moved = labels.copy()
    moved[[0, 12]] = [1, 2]
    return [labels, moved, labels[order]], [graph(W) for W in graphs]


def test_shares_and_support_are_those_of_the_formulas(views):
    own, graphs = views
    found = view_support.support(own, graphs)
    s = shares_by_loops(own, [graph.W.toarray() for graph in graphs])
    np.testing.assert_allclose(found.shares, s, atol=1e-12)
    assert found.support[0] == pytest.approx(s[0, 1])
    assert found.support[1] == pytest.approx(s[1, 0])


def test_a_view_of_other_rows_takes_no_part_and_has_no_weight(views):
    found = view_support.support(*views)
    assert found.takes_part.tolist() == [True, True, False]
    assert found.weights[2] == 0
    assert found.weights.sum() == pytest.approx(1)
    assert found.order == sorted([0, 1], key=lambda v: -found.support[v])


def test_weights_grow_with_the_square_of_the_support(views):
    found = view_support.support(*views)
    a, b = found.support[:2]
    assert found.weights[0] == pytest.approx(a**2 / (a**2 + b**2))


def test_without_a_tie_no_view_takes_part_and_the_clearest_stands_first(views):
    own, graphs = views
    found = view_support.support([own[1], own[2]], [graphs[1], graphs[2]])
    assert (found.shares + found.shares.T)[0, 1] / 2 < LEAST_TIE
    assert not found.takes_part.any()
    assert found.order == []
    assert found.best == np.diag(found.modularity).argmax()
    assert found.weights.tolist() == [0.5, 0.5]


def test_a_view_left_out_gives_no_support(views):
    found = view_support.support(*views).without(0)
    assert not found.takes_part.any()
    assert found.weights.tolist() == [0, 0.5, 0.5]


def test_a_graph_without_structure_supports_nothing():
    W = graph(np.ones((4, 4)) - np.eye(4))
    pairs = graph(np.kron(np.eye(2), 1 - np.eye(2)))
    found = view_support.support([np.array([0, 0, 1, 1])] * 2, [W, pairs])
    assert found.shares[1, 0] == 0
    assert np.isfinite(found.support).all()


def test_the_order_of_views_only_reorders_the_support(views):
    own, graphs = views
    found = view_support.support(own, graphs)
    turned = view_support.support(own[::-1], graphs[::-1])
    np.testing.assert_allclose(turned.support[::-1], found.support)
    np.testing.assert_allclose(turned.weights[::-1], found.weights)


def test_rows_that_lack_a_view_count_in_neither_of_the_two(views):
    own, graphs = views
    lacking = np.arange(0, 30, 4)
    there = np.setdiff1d(np.arange(30), lacking)
    partly = own[1].copy()
    partly[lacking] = -1
    W = graphs[1].W.toarray()[np.ix_(there, there)]
    found = view_support.support([own[0], partly], [graphs[0], ViewGraph(sp.csr_array(W), there)])
    fewer = [own[0][there], own[1][there]]
    first = graphs[0].W.toarray()[np.ix_(there, there)]
    expected = shares_by_loops(fewer, [first, W])
    np.testing.assert_allclose(found.shares, expected, atol=1e-12)


def test_views_without_a_row_in_common_do_not_support_each_other():
    pairs = np.kron(np.eye(2), 1 - np.eye(2))
    left = np.array([0, 0, 1, 1, -1, -1, -1, -1])
    graphs = [ViewGraph(sp.csr_array(pairs), np.arange(4) + shift) for shift in (0, 4)]
    found = view_support.support([left, left[::-1]], graphs)
    assert not found.takes_part.any()
