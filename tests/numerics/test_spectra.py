import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import ArpackNoConvergence

from kinfolk.errors import InputError
from kinfolk.numerics import lanczos, spectra
from oracles_views import normalized_graph


def graph(n, seed=0, density=0.2):
    """Draw a symmetric weighted graph that contains a ring, so that it is connected."""
    random = np.random.default_rng(seed)
    W = np.triu(random.uniform(size=(n, n)) * (random.uniform(size=(n, n)) < density), 1)
    i = np.arange(n)
    W[i[:-1], i[1:]] += 0.5
    return W + W.T


def blocks(*parts):
    """Make a graph of several components with interleaved rows."""
    W = sp.block_diag(parts).toarray()
    order = np.random.default_rng(7).permutation(len(W))
    return W[np.ix_(order, order)]


def assert_eigen(S, values, vectors):
    np.testing.assert_allclose(S @ vectors, vectors * values, atol=1e-10)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(len(values)), atol=1e-10)


@pytest.mark.parametrize("m", [1, 4, 30, 99])
def test_values_and_vectors_are_those_of_the_whole_matrix(m):
    W = graph(30)
    values, vectors = spectra.leading(sp.csr_array(W), m)
    all_values, all_vectors = np.linalg.eigh(normalized_graph(W))
    expected = all_vectors[:, ::-1][:, :m]
    assert values.shape == (min(m, 30),)
    np.testing.assert_allclose(values, all_values[::-1][:m], atol=1e-12)
    np.testing.assert_allclose(vectors @ vectors.T, expected @ expected.T, atol=1e-10)
    assert_eigen(normalized_graph(W), values, vectors)


@pytest.mark.parametrize("m", [1, 2, 3, 8, 40])
def test_a_graph_that_falls_apart_has_the_vectors_of_its_parts(m):
    W = blocks(graph(9, 1), graph(14, 2), graph(6, 3), np.zeros((2, 2)))
    values, vectors = spectra.leading(sp.csr_array(W), m)
    expected = np.linalg.eigvalsh(normalized_graph(W))[::-1][:m]
    np.testing.assert_allclose(values, expected, atol=1e-12)
    assert_eigen(normalized_graph(W), values, vectors)
    parts = spectra.components(sp.csr_array(W))
    assert [len(rows) for rows in parts] == [14, 9, 6, 1, 1]
    for j, rows in zip(range(min(m, 3)), parts):  # eigenvalue 1, the largest part first
        d = W.sum(axis=1)[rows]
        np.testing.assert_allclose(vectors[rows, j], np.sqrt(d / d.sum()), atol=1e-12)
        assert np.count_nonzero(vectors[:, j]) == len(rows)


def test_a_graph_without_links_has_eigenvalues_of_0():
    values, vectors = spectra.leading(sp.csr_array((4, 4)), 3)
    assert values.tolist() == [0.0, 0.0, 0.0]
    np.testing.assert_array_equal(vectors, np.eye(4)[:, :3])


def test_entries_of_0_are_no_links():
    W = sp.csr_array(np.ones((4, 4)))
    W.data[[2, 3, 6, 7, 8, 9, 12, 13]] = 0.0
    assert [rows.tolist() for rows in spectra.components(spectra.normalized(W))] == [[0, 1], [2, 3]]


@pytest.mark.parametrize("m", [1, 5, 12])
def test_lanczos_steps_find_what_the_dense_matrix_gives(m, monkeypatch):
    W = sp.csr_array(blocks(graph(60, 1), graph(45, 2), graph(8, 3)))
    values, vectors = spectra.leading(W, m)
    monkeypatch.setattr(spectra, "DENSE", 10)
    low, found = spectra.leading(W, m)
    np.testing.assert_allclose(low, values, atol=1e-12)
    np.testing.assert_allclose(found, vectors, atol=1e-8)
    again = spectra.leading(W, m)
    np.testing.assert_array_equal(again[0], low)
    np.testing.assert_array_equal(again[1], found)


def by_dense(W, m, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(spectra, "_in_few_steps", lambda S, m: None)
        return spectra.leading(W, m)


def ring(n, reach):
    """Link each of n rows with those up to `reach` places on: most eigenvalues come in pairs."""
    step = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    step = np.minimum(step, n - step)
    return ((step > 0) & (step <= reach)).astype(float)


@pytest.mark.parametrize(("n", "m"), [(420, 1), (430, 4), (500, 20)])
def test_a_few_steps_find_what_the_dense_matrix_gives(n, m, monkeypatch):
    W = sp.csr_array(blocks(graph(n, m, 0.03), graph(20, 2)))
    assert spectra._in_few_steps(spectra.normalized(sp.csr_array(graph(n, m, 0.03))), m)
    values, vectors = spectra.leading(W, m)
    expected, dense = by_dense(W, m, monkeypatch)
    np.testing.assert_allclose(values, expected, atol=1e-12)
    np.testing.assert_allclose(vectors, dense, atol=1e-9)
    np.testing.assert_array_equal(spectra.leading(W, m)[1], vectors)


@pytest.mark.parametrize("m", [2, 4, 9, 20])
def test_no_copy_of_an_eigenvalue_is_missed(m, monkeypatch):
    W = sp.csr_array(ring(441, 30))
    values, vectors = spectra.leading(W, m)
    expected, dense = by_dense(W, m, monkeypatch)
    np.testing.assert_array_equal(values, expected)
    np.testing.assert_array_equal(vectors, dense)


def test_clusters_that_are_hardly_linked_have_one_vector_each_in_large_graphs(monkeypatch):
    y = np.repeat(np.arange(10), 60)
    places = 40.0 * np.random.default_rng(1).normal(size=(10, 5))[y]
    places += np.random.default_rng(2).normal(size=places.shape)
    squares = np.square(places[:, None] - places).sum(axis=2)
    W = sp.csr_array(np.exp(-squares / 4) + 1e-30 - (1 + 1e-30) * np.eye(len(y)))
    expected = spectra.leading(W, 10)[0]
    monkeypatch.setattr(spectra, "DENSE", 10)
    values, vectors = spectra.leading(W, 10)
    np.testing.assert_allclose(values, expected, atol=1e-9)
    assert_eigen(spectra.normalized(W).toarray(), values, vectors)


def test_slow_steps_leave_the_graph_to_the_dense_matrix(monkeypatch):
    W = sp.csr_array(ring(450, 1) - np.eye(450, k=449) - np.eye(450, k=-449))  # a chain
    assert spectra._in_few_steps(spectra.normalized(W), 5) is None
    np.testing.assert_array_equal(spectra.leading(W, 5)[1], by_dense(W, 5, monkeypatch)[1])


def test_a_large_graph_without_convergence_is_dense_or_refused(monkeypatch):
    def fails(*_, **__):
        raise ArpackNoConvergence("no convergence", [], [])

    W = sp.csr_array(graph(60, 1))
    expected = spectra.leading(W, 3)[1]
    monkeypatch.setattr(spectra, "DENSE", 10)
    monkeypatch.setattr(lanczos, "eigsh", fails)
    np.testing.assert_array_equal(spectra.leading(W, 3)[1], expected)
    monkeypatch.setattr(spectra, "MOST_DENSE", 59)
    with pytest.raises(InputError, match="of 60 rows .* give at most 59 rows"):
        spectra.leading(W, 3)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_the_unit_of_weights_does_not_matter_for_a_few_steps(scale):
    W = sp.csr_array(graph(420, 0, 0.03))
    values, vectors = spectra.flattest(W, 3)
    scaled, found = spectra.flattest(sp.csr_array(scale * W), 3)
    np.testing.assert_allclose(scaled / scale, values, atol=1e-9)
    np.testing.assert_allclose(found, vectors, atol=1e-6)


def test_fewer_vectors_are_the_first_of_more():
    W = sp.csr_array(blocks(graph(20, 1), graph(20, 2), graph(5, 3)))
    few, many = (spectra.leading(W, m) for m in (3, 9))
    np.testing.assert_allclose(few[0], many[0][:3], atol=1e-12)
    np.testing.assert_allclose(few[1], many[1][:, :3], atol=1e-10)


def test_the_largest_entry_is_positive():
    _, vectors = spectra.leading(sp.csr_array(graph(25)), 10)
    largest = np.abs(vectors).argmax(axis=0)
    assert (vectors[largest, np.arange(10)] > 0).all()
    _, pair = spectra.leading(sp.csr_array(np.array([[0.0, 1.0], [1.0, 0.0]])), 2)
    np.testing.assert_allclose(pair, np.array([[1.0, 1.0], [1.0, -1.0]]) / np.sqrt(2), atol=1e-12)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_the_unit_of_weights_does_not_matter(scale):
    W = sp.csr_array(graph(20))
    values, vectors = spectra.leading(W, 4)
    scaled, found = spectra.leading(sp.csr_array(scale * W), 4)
    np.testing.assert_allclose(scaled, values, atol=1e-12)
    np.testing.assert_allclose(found, vectors, atol=1e-9)


def test_the_order_of_rows_does_not_matter():
    W = graph(20)
    order = np.random.default_rng(3).permutation(20)
    values, vectors = spectra.leading(sp.csr_array(W), 4)
    moved, found = spectra.leading(sp.csr_array(W[np.ix_(order, order)]), 4)
    np.testing.assert_allclose(moved, values, atol=1e-12)
    np.testing.assert_allclose(found, vectors[order], atol=1e-9)


def test_eigenvalues_of_a_normalized_graph_lie_between_minus_1_and_1():
    for seed in range(5):
        values, _ = spectra.leading(sp.csr_array(graph(15, seed)), 15)
        assert values[0] == pytest.approx(1.0)
        assert values.min() >= -1 - 1e-12
        assert (np.diff(values) <= 0).all()


def test_components_partition_the_rows():
    W = sp.csr_array(blocks(graph(9, 1), graph(14, 2), np.zeros((3, 3))))
    parts = spectra.components(W)
    assert sorted(np.concatenate(parts).tolist()) == list(range(26))
    assert [len(rows) for rows in parts] == [14, 9, 1, 1, 1]
    for rows in parts:
        assert rows.tolist() == sorted(rows)
        outside = np.setdiff1d(np.arange(26), rows)
        assert not W.toarray()[np.ix_(rows, outside)].any()
