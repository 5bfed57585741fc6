"""Smoothing of clusterings on a graph, beside the system solved as a whole."""

import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.numerics import graph_smoothing


def random_graph(n, seed, share=0.1):
    random = np.random.RandomState(seed)
    links = random.rand(n, n) * (random.rand(n, n) < share)
    links = links + links.T
    np.fill_diagonal(links, 0.0)
    return sp.csr_array(links)


def normalized(W):
    """D^-1/2 W D^-1/2 entry by entry."""
    W = W.toarray()
    d = W.sum(axis=1)
    S = np.zeros_like(W)
    for i, j in zip(*np.nonzero(W), strict=True):
        S[i, j] = W[i, j] / np.sqrt(d[i] * d[j])
    return S


def oracle(labels, W, a):
    """Labels by equations (1) to (3), solved by elimination."""
    n, k = len(labels), labels.max() + 1
    Y = np.zeros((n, k))
    for i in range(n):
        Y[i, labels[i]] = 1 / np.sqrt(np.sum(labels == labels[i]))
    F = np.linalg.solve(np.eye(n) - a * normalized(W), Y)
    return F.argmax(axis=1)


@pytest.mark.parametrize("a", [0.1, 0.5, 0.9, 0.95])
@pytest.mark.parametrize("seed", range(3))
def test_sweeps_solve_the_system(a, seed):
    W = random_graph(50, seed)
    Y = np.random.RandomState(seed).rand(50, 4)
    F = np.linalg.solve(np.eye(50) - a * normalized(W), Y)
    assert np.abs(graph_smoothing.spread(W, a, Y) - F).max() <= 1e-5 * F.max()


@pytest.mark.parametrize("seed", range(5))
def test_labels_are_those_of_the_system(seed):
    random = np.random.RandomState(seed)
    groups = np.repeat([0, 1, 2], [10, 20, 30])
    inside = groups[:, None] == groups
    W = sp.csr_array(random_graph(60, seed, 0.3).multiply(inside + 0.02))
    labels = np.where(random.rand(60) < 0.3, random.randint(3, size=60), groups)
    found = graph_smoothing.smoothed(labels, W, 0.95)
    assert np.array_equal(found, oracle(labels, W, 0.95))
    assert not np.array_equal(found, labels)


def test_a_wrong_row_among_its_like_is_put_right():
    group = sp.csr_array(np.kron(np.eye(2), np.ones((10, 10)) - np.eye(10)))
    truth = np.repeat([0, 1], 10)
    wrong = truth.copy()
    wrong[[3, 14]] = wrong[[14, 3]]
    assert np.array_equal(graph_smoothing.smoothed(wrong, group, 0.95), truth)


def test_without_weight_or_links_the_clustering_stays():
    labels = np.random.RandomState(0).randint(3, size=40)
    W = random_graph(40, 0)
    assert np.array_equal(graph_smoothing.smoothed(labels, W, 1e-9), labels)
    none = sp.csr_array((40, 40))
    assert np.array_equal(graph_smoothing.smoothed(labels, none, 0.95), labels)


def test_no_cluster_is_lost():
    W = sp.csr_array(np.ones((6, 6)) - np.eye(6))
    labels = np.array([0, 0, 0, 0, 0, 1])
    assert np.array_equal(graph_smoothing.smoothed(labels, W, 0.99), labels)


def test_a_row_between_two_clusters_keeps_its_own():
    path = np.zeros((5, 5))
    for i in range(4):
        path[i, i + 1] = path[i + 1, i] = 1.0
    for middle in (0, 1):
        # Both clusters reach the middle row alike, but for its own label.
        labels = np.array([0, 0, middle, 1, 1])
        assert graph_smoothing.smoothed(labels, sp.csr_array(path), 0.5)[2] == middle


@pytest.mark.parametrize("factor", [1e-8, 3.0, 1e8])
def test_a_multiple_of_the_graph_smooths_alike(factor):
    W = random_graph(40, 1)
    labels = np.random.RandomState(1).randint(3, size=40)
    same = graph_smoothing.smoothed(labels, sp.csr_array(W * factor), 0.9)
    assert np.array_equal(same, graph_smoothing.smoothed(labels, W, 0.9))


def test_names_of_clusters_and_order_of_rows_do_not_matter():
    W = random_graph(50, 2)
    labels = np.random.RandomState(2).randint(3, size=50)
    found = graph_smoothing.smoothed(labels, W, 0.9)
    names = np.array([2, 0, 1])
    assert np.array_equal(graph_smoothing.smoothed(names[labels], W, 0.9), names[found])
    order = np.random.RandomState(3).permutation(50)
    shuffled = sp.csr_array(W[order][:, order])
    assert np.array_equal(graph_smoothing.smoothed(labels[order], shuffled, 0.9), found[order])
