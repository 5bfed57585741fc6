"""Internal measures against loops over all pairs of rows."""

import math
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from kinfolk import measures
from kinfolk.errors import InputError
from kinfolk.numerics import operators

MEASURES = [measures.davies_bouldin, measures.dunn, measures.silhouette]
PROBLEMS = st.tuples(st.integers(0, 999), st.integers(4, 20), st.integers(2, 4), st.booleans())


def problem(seed, n, k, sparse=False):
    """Draw a random table with some zeros, and labels that use clusters unevenly."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5)) * (rng.random((n, 5)) < 0.7)
    labels = np.where(rng.random(n) < 0.4, 0, rng.integers(0, k, n))
    labels[:3] = 0, 1, 1
    return (sp.csr_array(X) if sparse else X), labels


def euclidean(x, y):
    return math.sqrt(sum((x - y) ** 2))


def cosine(x, y):
    lengths = math.sqrt(sum(x**2)) * math.sqrt(sum(y**2))
    return 1 - (sum(x * y) / lengths if lengths else 0.0)


def silhouettes(X, labels, distance):
    """Silhouettes by Rousseeuw's definition, row by row."""
    values, n = [], len(X)
    for i in range(n):
        means = {}
        for c in set(labels.tolist()):
            others = [distance(X[i], X[j]) for j in range(n) if j != i and labels[j] == c]
            means[c] = sum(others) / len(others) if others else None
        a = means.pop(labels[i])
        b = min(means.values())
        values.append(0.0 if a is None or max(a, b) < 1e-12 else (b - a) / max(a, b))
    return values


def printed_dunn(X, labels):
    pairs = [(i, j) for i in range(len(X)) for j in range(i)]
    between = [euclidean(X[i], X[j]) for i, j in pairs if labels[i] != labels[j]]
    within = [euclidean(X[i], X[j]) for i, j in pairs if labels[i] == labels[j]]
    return min(between) / max(within)


def printed_davies_bouldin(X, labels):
    clusters = [X[labels == c] for c in sorted(set(labels.tolist()))]
    centers = [M.mean(axis=0) for M in clusters]
    spread = [
        sum(euclidean(x, v) for x in M) / len(M) for M, v in zip(clusters, centers, strict=True)
    ]
    k = len(clusters)
    worst = [
        max((spread[a] + spread[b]) / euclidean(centers[a], centers[b]) for b in range(k) if b != a)
        for a in range(k)
    ]
    return sum(worst) / k


def dense(X):
    return X.toarray() if sp.issparse(X) else X


@pytest.mark.parametrize(("metric", "distance"), [("cosine", cosine), ("euclidean", euclidean)])
@settings(deadline=None, max_examples=40)
@given(case=PROBLEMS)
def test_silhouettes_equal_the_loops(metric, distance, case):
    X, labels = problem(*case)
    expected = silhouettes(dense(X), labels, distance)
    samples = measures.silhouette_samples(X, labels, metric)
    np.testing.assert_allclose(samples, expected, rtol=1e-9, atol=1e-9)
    assert measures.silhouette(X, labels, metric) == pytest.approx(np.mean(expected), abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(PROBLEMS)
def test_dunn_equals_the_loops(case):
    X, labels = problem(*case)
    assert measures.dunn(X, labels) == pytest.approx(printed_dunn(dense(X), labels), abs=1e-12)


@settings(deadline=None, max_examples=40)
@given(PROBLEMS)
def test_davies_bouldin_equals_the_loops(case):
    X, labels = problem(*case)
    expected = printed_davies_bouldin(dense(X), labels)
    assert measures.davies_bouldin(X, labels) == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_silhouettes_agree_with_scikit_learn_on_a_larger_table(metric):
    X, labels = problem(3, 300, 4)
    X[:5] = 0.0
    expected = metrics.silhouette_samples(X, labels, metric=metric)
    np.testing.assert_allclose(measures.silhouette_samples(X, labels, metric), expected, atol=1e-12)


@pytest.mark.parametrize("measure", MEASURES)
def test_blocks_names_and_the_order_of_rows_do_not_matter(measure, monkeypatch):
    X, labels = problem(1, 40, 3)
    expected = measure(X, labels)
    monkeypatch.setattr(operators, "BLOCK", 130)
    order = np.random.default_rng(0).permutation(40)
    assert measure(X[order], np.array(["c", "a", "b"])[labels[order]]) == pytest.approx(expected)


@pytest.mark.parametrize("measure", MEASURES)
def test_a_change_of_units_does_not_matter(measure):
    X, labels = problem(2, 30, 3)
    assert measure(1e-9 * X, labels) == pytest.approx(measure(X, labels))


@pytest.mark.parametrize("measure", [measures.davies_bouldin, measures.dunn])
def test_a_far_origin_does_not_matter_to_euclidean_measures(measure):
    X, labels = problem(4, 30, 3)
    assert measure(X + 1e7, labels) == pytest.approx(measure(X, labels), rel=1e-6)


def test_a_far_origin_does_not_matter_to_the_euclidean_silhouette():
    X, labels = problem(4, 30, 3)
    expected = measures.silhouette_samples(X, labels, "euclidean")
    moved = measures.silhouette_samples(X + 1e7, labels, "euclidean")
    np.testing.assert_allclose(moved, expected, atol=1e-6)


def test_the_length_of_rows_does_not_matter_to_the_cosine_silhouette():
    X, labels = problem(5, 30, 3)
    lengths = np.random.default_rng(0).uniform(0.1, 9.0, size=(30, 1))
    expected = measures.silhouette_samples(X, labels)
    np.testing.assert_allclose(measures.silhouette_samples(lengths * X, labels), expected)


@pytest.mark.parametrize("labels", [[0, 0, 0], [0, 1, 2]], ids=["one cluster", "all alone"])
def test_partitions_that_group_nothing_have_defined_values(labels):
    X = [[0.0, 1.0], [2.0, 1.0], [5.0, 3.0]]
    assert math.isnan(measures.davies_bouldin(X, labels))
    assert math.isnan(measures.dunn(X, labels))
    for metric in ("cosine", "euclidean"):
        assert measures.silhouette(X, labels, metric) == 0.0
        assert measures.silhouette_samples(X, labels, metric).tolist() == [0.0, 0.0, 0.0]


def test_a_single_row_is_one_cluster():
    assert measures.silhouette([[1.0]], ["a"]) == 0.0
    assert math.isnan(measures.dunn([[1.0]], ["a"]))


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_points_that_are_clusters_are_separated_without_bound(convert):
    rng, labels = np.random.default_rng(0), np.array([0, 0, 0, 1, 1, 2])
    for d in range(1, 20):
        X = convert(rng.random((3, d))[labels])
        assert measures.dunn(X, labels) == math.inf
        assert measures.davies_bouldin(X, labels) == 0.0


def test_dunn_is_exactly_zero_where_clusters_share_a_point():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 3)) + 50.0
    X[7] = X[3]
    labels = np.arange(20) // 5
    assert measures.dunn(X, labels) == 0.0
    assert measures.dunn(sp.csr_array(X), labels) == 0.0


def test_davies_bouldin_is_infinite_where_centers_coincide():
    assert measures.davies_bouldin([[-1.0], [1.0], [-2.0], [2.0]], [0, 0, 1, 1]) == math.inf


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_equal_rows_in_two_clusters_have_silhouette_zero(metric):
    X = np.full((6, 7), 0.1)
    assert measures.silhouette_samples(X, [0, 0, 0, 1, 1, 1], metric).tolist() == [0.0] * 6


def test_rounding_is_not_taken_for_structure_among_rows_of_one_direction():
    rng = np.random.default_rng(0)
    for d in range(1, 20):
        X = np.outer(rng.uniform(0.1, 1.0, size=7), rng.random(d))
        assert measures.silhouette_samples(X, [0, 0, 0, 1, 1, 1, 1]).tolist() == [0.0] * 7


def test_equal_rows_in_two_clusters_leave_the_indices_undefined():
    X, labels = np.ones((4, 2)), [0, 0, 1, 1]
    assert math.isnan(measures.dunn(X, labels))
    assert math.isnan(measures.davies_bouldin(X, labels))


def test_the_cosine_silhouette_of_a_wide_sparse_table_needs_little_memory():
    X = sp.random_array((20_000, 5_000), density=0.001, format="csr", rng=0)
    labels = np.arange(20_000) % 5
    tracemalloc.start()
    score = measures.silhouette(X, labels)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert abs(score) < 0.1
    assert peak < 50e6  # 20 000 x 20 000 distances would be 3.2 GB, the dense table 0.8 GB


def test_input_is_left_as_it_was():
    X, labels = problem(6, 20, 3)
    before = X.copy(), labels.copy()
    for measure in MEASURES:
        measure(X, labels)
    measures.silhouette(X, labels, "euclidean")
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(labels, before[1])


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize(
    ("X", "labels", "sentence"),
    [
        ([[1.0], [2.0]], [0, 1, 1], "X has 2 rows and labels has 3; give one label per row"),
        ([[1.0], [np.nan]], [0, 1], "X is not a table of finite numbers.*NaN"),
        ([["a"], ["b"]], [0, 1], "X is not a table of finite numbers"),
        ([1.0, 2.0], [0, 1], "X is not a table of finite numbers.*2D"),
        ([[1.0], [2.0]], [0, np.nan], "labels has missing values"),
    ],
)
def test_unusable_tables_are_refused_by_a_sentence(measure, X, labels, sentence):
    with pytest.raises(InputError, match=sentence):
        measure(X, labels)


def test_an_unknown_metric_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match="metric is 'l1'; choose one of 'cosine', 'euclid"):
        measures.silhouette([[1.0], [2.0]], [0, 1], metric="l1")


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("scale", [1e154, 1e300, 1e307, 1e-160, 1e-300, 1e-310])
@pytest.mark.parametrize("measure", MEASURES)
def test_the_unit_does_not_matter_at_the_ends_of_floating_point(measure, scale, sparse):
    X = np.random.default_rng(0).normal(size=(40, 3))
    X[20:] += 2
    labels = np.repeat([0, 1], 20)
    table = sp.csr_array(X * scale) if sparse else X * scale
    assert measure(table, labels) == pytest.approx(measure(X, labels), rel=1e-6)


def test_an_outlier_far_away_leaves_the_spread_of_other_clusters():
    rows = np.random.default_rng(0).normal(size=(62, 2))
    labels = np.repeat([0, 1, 2], [30, 30, 2])
    X = rows + np.array([[0.0, 0.0], [6.0, 6.0], [1e9, 0.0]])[labels]
    near = measures.davies_bouldin(X[:60], labels[:60])
    # The far cluster adds its ratio, which is about 0, to the mean of all three.
    assert measures.davies_bouldin(X, labels) == pytest.approx(2 * near / 3, rel=1e-6)


@pytest.mark.parametrize("shift", [[1e9, 0, 0], [1e9, -1e9, 0], [0, 0, 0]])
def test_clusters_far_from_one_another_keep_the_digits_of_their_distances(shift):
    rng = np.random.default_rng(0)
    labels = np.arange(30) % 3
    X = rng.normal(size=(30, 3)) + 4.0 * np.eye(3)[labels]
    X[:, 0] += np.array(shift)[labels]
    found = measures.silhouette_samples(X, labels, "euclidean")
    np.testing.assert_allclose(found, silhouettes(X, labels, euclidean), rtol=1e-6)
    assert measures.dunn(X, labels) == pytest.approx(printed_dunn(X, labels), rel=1e-6)
