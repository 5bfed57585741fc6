"""Votes of nearest rows, against loops written from the formula."""

import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.datasets import makers
from kinfolk.estimators import neighbor_votes
from kinfolk.numerics import common_position
from kinfolk.tables import Tasks


def clustered(n=(40, 60), k=(3, 4), d=5, seed=0):
    """Draw measurements of tasks in random clusters of different sizes."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(sum(n), d)) * np.arange(1, d + 1)
    labels = np.concatenate([random.integers(0, c, size=m) for m, c in zip(n, k, strict=True)])
    X[:, 0] += 3 * labels
    return X, labels, np.repeat(np.arange(len(n)), n), list(k)


def by_loops(distances, labels, others, k, k_others):
    """Excess votes from distances (m, n) by the printed formula, in loops."""
    m, n = distances.shape
    l = min(15, n // k_others)
    a = np.zeros((k, k_others))
    for c in range(k):
        rows = [i for i in range(m) if labels[i] == c]
        for e in range(k_others):
            hits = 0
            for i in rows:
                for j in sorted(range(n), key=lambda j: distances[i, j])[:l]:
                    hits += others[j] == e
            v = hits / (l * len(rows))
            p = sum(other == e for other in others) / n
            a[c, e] = max((v - p) / (1 - p), -1)
    return a


def within(X, labels):
    """Within-cluster deviation of each column, at least a tenth of the overall one."""
    spread = np.zeros(X.shape[1])
    for j in range(X.shape[1]):
        squares = [(X[i, j] - X[labels == labels[i], j].mean()) ** 2 for i in range(len(X))]
        spread[j] = max(np.sqrt(sum(squares) / len(X)), 0.1 * X[:, j].std())
    return spread


def by_formula(Z, labels, codes):
    """Agreement of the clusters of two tasks whose rows Z are comparable."""
    A, B = Z[codes == 0], Z[codes == 1]
    D = ((A[:, None] - B[None]) ** 2).sum(axis=2)
    there = by_loops(D, labels[codes == 0], labels[codes == 1], 3, 4)
    back = by_loops(D.T, labels[codes == 1], labels[codes == 0], 4, 3)
    return 0.75 * np.minimum(there, back.T) + 0.25 * np.maximum(there, back.T)


def assert_agree(found, expected):
    """The blocks of two tasks of three and four clusters are as expected, the others unknown."""
    np.testing.assert_allclose(found[:3, 3:], expected, atol=1e-12)
    np.testing.assert_allclose(found[3:, :3], expected.T, atol=1e-12)
    assert np.isnan(found[:3, :3]).all()
    assert np.isnan(found[3:, 3:]).all()


def in_other_units(X, codes):
    """Rows whose second task has other zeros and units."""
    return X * np.where(codes == 0, 1.0, 7.0)[:, None] + 100.0 * codes[:, None]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("make", [lambda X, codes: X, in_other_units])
def test_agreement_is_that_of_the_printed_formula(seed, make):
    X, labels, codes, k = clustered(seed=seed)
    X = make(X, codes)
    tables = [X[codes == t] for t in range(2)]
    own = [labels[codes == t] for t in range(2)]
    centers = [
        np.array([Z[found == c].mean(axis=0) for c in range(found.max() + 1)])
        for Z, found in zip(tables, own, strict=True)
    ]
    zeros, units = common_position.placements(
        centers,
        np.array([Z.mean(axis=0) for Z in tables]),
        np.array([within(Z, found) for Z, found in zip(tables, own, strict=True)]),
    )
    Z = (X - zeros[codes]) / units[codes]
    assert_agree(neighbor_votes.agreement(X, labels, codes, k), by_formula(Z, labels, codes))


def test_units_and_shifts_change_nothing_of_tasks_that_are_not_in_one_unit():
    X, labels, codes, k = clustered()
    a = neighbor_votes.agreement(in_other_units(X, codes), labels, codes, k)
    moved = 3.0 * in_other_units(X, codes) - 500.0 * codes[:, None]
    np.testing.assert_allclose(neighbor_votes.agreement(moved, labels, codes, k), a, atol=1e-12)


def test_columns_of_one_scale_keep_it():
    X, labels, codes, k = clustered()
    a = neighbor_votes.agreement(X, labels, codes, k, columns_are_scaled=True)
    b = neighbor_votes.agreement(3 * X, labels, codes, k, columns_are_scaled=True)
    np.testing.assert_allclose(a, b, atol=1e-12)
    assert abs(a - neighbor_votes.agreement(X, labels, codes, k))[:3, 3:].max() > 0.05


def test_tasks_that_lack_different_groups_are_matched_by_the_others():
    random = np.random.default_rng(0)
    centers = 6.0 * np.eye(4)
    which = np.concatenate([np.repeat([0, 1, 2], [20, 30, 50]), np.repeat([1, 2, 3], 30)])
    X = centers[which] + random.normal(size=(190, 4))
    codes = np.repeat([0, 1], [100, 90])
    found = neighbor_votes.agreement(X, np.where(codes == 0, which, which - 1), codes, [3, 3])
    assert found[1, 3] > 0.9
    assert found[2, 4] > 0.9
    assert found[0, [3, 4]].max() < 0
    assert found[[1, 2], 5].max() < 0


def test_rows_in_another_order_vote_alike():
    X, labels, codes, k = clustered()
    order = np.random.default_rng(1).permutation(len(X))
    a = neighbor_votes.agreement(X, labels, codes, k)
    b = neighbor_votes.agreement(X[order], labels[order], codes[order], k)
    np.testing.assert_allclose(a, b, atol=1e-12)


def test_random_labels_agree_by_chance():
    X, labels, codes, k = clustered(n=(300, 300), seed=4)
    labels = np.random.default_rng(5).permutation(labels) % 3
    found = neighbor_votes.agreement(X, labels, codes, [3, 3])
    assert abs(found[:3, 3:]).max() < 0.1


def test_counts_agree_as_sparse_and_as_dense_tables():
    data = makers.make_related_documents(60, shared=3, random_state=0)
    tasks = Tasks.of(data.tasks)
    labels = np.unique(data.target, return_inverse=True)[1]
    a, b = (neighbor_votes.agreement(T, labels, tasks.codes, [3, 3])
            for T in (data.X, data.X.toarray()))  # fmt: skip
    np.testing.assert_allclose(a, b, atol=1e-12)
    assert a[:3, 3:].diagonal().min() > 0.5


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_clusters_without_rows_have_no_votes(kind):
    X, labels, codes, k = clustered()
    labels[(codes == 1) & (labels == 3)] = 0
    found = neighbor_votes.agreement(kind(abs(X)), labels, codes, k)
    np.testing.assert_array_equal(found[:3, 6], 0)
    assert np.isfinite(found[:3, 3:]).all()


def test_small_tasks_have_none():
    X, labels, codes, k = clustered(n=(40, 29))
    assert np.isnan(neighbor_votes.agreement(X, labels, codes, k)).all()


def test_large_tasks_vote_by_evenly_spaced_rows(monkeypatch):
    X, labels, codes, k = clustered(n=(400, 400), k=(3, 3))
    whole = neighbor_votes.agreement(X, labels, codes, k)
    monkeypatch.setattr(neighbor_votes, "MAX_ROWS", 200)
    part = neighbor_votes.agreement(X, labels, codes, k)
    assert 0 < np.nanmax(abs(whole - part)) < 0.3
    np.testing.assert_array_equal(whole[:3, 3:].argmax(axis=1), part[:3, 3:].argmax(axis=1))


def test_a_column_that_tells_clusters_apart_without_fault_is_not_all_that_counts():
    X, labels, codes, k = clustered(k=(3, 3))
    exact = np.column_stack([X, 1e3 * labels])
    Z = exact[codes == 0]
    _, spread = neighbor_votes._centers_and_spread(Z, labels[codes == 0])
    assert spread[-1] == pytest.approx(0.1 * Z[:, -1].std())


def test_groups_that_a_task_lacks_do_not_change_the_scale_of_the_others():
    random = np.random.default_rng(0)
    centers = np.array([[0.0, 0.0], [4.0, 0.0], [2.0, 3.0], [60.0, 0.0]])
    which = np.concatenate([np.repeat([0, 1, 2, 3], 50), np.repeat([0, 1, 2], 50)])
    X = centers[which] + 0.4 * random.normal(size=(350, 2))
    codes = np.repeat([0, 1], [200, 150])
    _, a = neighbor_votes._centers_and_spread(X[codes == 0], which[codes == 0])
    _, b = neighbor_votes._centers_and_spread(X[codes == 1], which[codes == 1])
    assert X[codes == 0][:, 0].std() > 5 * X[codes == 1][:, 0].std()
    assert 0.5 < b[1] / a[1] < 2
