import numpy as np
import pytest
import scipy.sparse as sp

import kinfolk as kf
import oracles_discriminative as oracle
from kinfolk.errors import EmptyClusterWarning, InputError
from kinfolk.numerics import discriminative, sized_assignment

L1, L2 = 0.03, 0.2


def drawn(d=7, sizes=(9, 8, 11), seed=0):
    random = np.random.default_rng(seed)
    return [random.normal(size=(n, d)) + random.normal(size=d) for n in sizes]


def problem(tables, relations, slack=0.5, own=L1, shared=L2):
    p = discriminative.problem(tables, [3] * len(tables), slack, own, shared, relations)
    return discriminative.smoothed(p, 0)


def centered(tables, p):
    return [(X - X.mean(axis=0)) / p.rows[0].unit for X in tables]


@pytest.mark.parametrize("relations", [False, True])
@pytest.mark.parametrize("d", [7, 40])
def test_blocks_are_those_of_full_matrices(relations, d):
    tables = drawn(d)
    p = problem(tables, relations)
    s = discriminative.sweep(p, discriminative.start(p, 0))  # no fixed point
    X = centered(tables, p)
    prior = oracle.best_prior(X, s.W, p.smooth, relations)
    J = oracle.objective(X, s.labels, s.W, prior, L1, L2, p.smooth, relations)
    assert discriminative.objective(p, s) == pytest.approx(J, rel=1e-10)
    if relations:
        np.testing.assert_allclose(np.linalg.inv(s.prior.inverse()), prior, atol=1e-10)
    W = list(s.W)
    for t, found in enumerate(discriminative.models(p, s)):
        W[t] = oracle.model(X, s.labels, W, prior, t, L1, L2, relations)
        np.testing.assert_allclose(found, W[t], atol=1e-9)


@pytest.mark.parametrize(("relations", "d", "rank"), [(True, 7, 3), (False, 7, 7), (False, 40, 9)])
def test_the_default_shrinkage_is_the_same_in_a_prior_of_any_rank(relations, d, rank):
    tables = drawn(d)  # three tasks of three clusters: nine models
    found = discriminative.problem(tables, [3, 3, 3], 0.5, L1, None, relations)
    even = 1 / rank  # the eigenvalues of an even prior of trace 1 on as many directions
    assert found.shared / even == pytest.approx(2.0**-6)
    make = kf.DMTRCLS if relations else kf.DMTFCLS
    X = np.vstack(tables)
    tasks = np.repeat(["a", "b", "c"], [len(own) for own in tables])
    auto = make(3, random_state=0).fit(X, tasks=tasks)
    given = make(3, shared_shrinkage=found.shared, random_state=0).fit(X, tasks=tasks)
    np.testing.assert_array_equal(auto.objective_trace_, given.objective_trace_)


@pytest.mark.parametrize("relations", [False, True])
def test_no_other_prior_of_trace_1_is_better(relations):
    tables = drawn()
    p = problem(tables, relations)
    s = discriminative.sweep(p, discriminative.start(p, 0))
    X = centered(tables, p)
    random = np.random.default_rng(1)
    size = 3 if relations else 7
    for spread in (0.01, 0.1, 1.0):
        for _ in range(20):
            A = oracle.best_prior(X, s.W, p.smooth, relations)
            A = A + spread * np.trace(A) / size * np.cov(random.normal(size=(size, 2 * size)))
            other = oracle.objective(X, s.labels, s.W, A / np.trace(A), L1, L2, p.smooth, relations)
            assert other >= discriminative.objective(p, s) - 1e-12


def test_labels_are_the_best_within_their_sizes():
    tables = drawn(sizes=(6, 7))
    p = problem(tables, False, slack=0.4)
    W = list(discriminative.start(p, 0).W)
    labels = discriminative.best_labels(p, W)
    for X, W_t, h, bounds in zip(centered(tables, p), W, labels, p.bounds, strict=True):
        F = X @ W_t
        best = oracle.highest_score(F, *bounds)
        assert F[np.arange(len(h)), h].sum() == pytest.approx(best, abs=1e-10)


def test_clusters_of_related_models_get_the_same_number():
    tables = [drawn(seed=4)[0]] * 2
    p = problem(tables, True)
    s = discriminative.start(p, 0)
    turned = np.array([1, 2, 0])
    labels = [s.labels[0], turned[s.labels[0]]]
    W = [s.W[0], s.W[0][:, np.argsort(turned)]]
    assert not np.array_equal(labels[0], labels[1])
    discriminative.renumber(labels, W, s.prior.inverse())
    np.testing.assert_array_equal(labels[0], labels[1])
    np.testing.assert_allclose(W[0], W[1])


@pytest.mark.parametrize("cls", [kf.DMTFCLS, kf.DMTRCLS])
@pytest.mark.parametrize("slack", [0.0, 0.2, 0.6])
def test_sizes_stay_within_the_slack(cls, slack):
    tables = drawn(sizes=(30, 24))
    X, tasks = kf.stack({"a": tables[0], "b": tables[1]})
    model = cls(3, size_slack=slack, random_state=0).fit(X, tasks=tasks)
    for name, n in (("a", 30), ("b", 24)):
        sizes = np.bincount(model.labels_[tasks == name], minlength=3)
        bounds = sized_assignment.window(n, 3, slack)
        assert ((sizes >= bounds.low) & (sizes <= bounds.high)).all()


@pytest.mark.parametrize("cls", [kf.DMTFCLS, kf.DMTRCLS])
def test_units_and_shifts_of_tasks_do_not_matter(cls):
    X, tasks = kf.stack(dict(zip("abc", drawn(sizes=(20, 15, 18)), strict=True)))
    expected = cls(2, random_state=0).fit(X, tasks=tasks)
    moved = 7.0 * X + np.where(tasks == "b", 30.0, -4.0)[:, None]
    found = cls(2, random_state=0).fit(moved, tasks=tasks)
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    np.testing.assert_allclose(found.objective_trace_, expected.objective_trace_, rtol=1e-9)
    np.testing.assert_allclose(7.0 * found.coef_[0], expected.coef_[0], rtol=1e-6, atol=1e-9)


def test_weak_sharing_is_each_task_alone():
    tables = drawn(sizes=(20, 15))
    both = problem(tables, True, shared=1e-9)
    s = discriminative.start(both, 0)
    for _ in range(5):
        s = discriminative.sweep(both, s)
    for X, h, W in zip(centered(tables, both), s.labels, s.W, strict=True):
        # Ridge regressions with the penalty l1, of labels that agree with them.
        Y = oracle.contrast(h, 3)
        ridge = np.linalg.solve(X.T @ X / len(X) + L1 * np.eye(X.shape[1]), X.T @ Y / len(X))
        np.testing.assert_allclose(W, ridge, atol=1e-5)


def test_strong_sharing_gives_few_directions_or_one_model():
    random = np.random.default_rng(2)
    X, tasks = kf.stack({t: random.normal(size=(40, 6)) * [3, 1, 1, 1, 1, 1] for t in "abc"})
    weak = kf.DMTFCLS(2, shared_shrinkage=1e-4, random_state=0).fit(X, tasks=tasks)
    strong = kf.DMTFCLS(2, shared_shrinkage=0.5, random_state=0).fit(X, tasks=tasks)
    assert strong.feature_shares_[0] > weak.feature_shares_[0]
    model = kf.DMTRCLS(2, shared_shrinkage=0.05, random_state=0).fit(X, tasks=tasks)
    assert np.trace(model.task_covariance_) == pytest.approx(1.0)
    assert model.task_covariance_.min() > 0.1  # all tasks are divided along the long column


@pytest.mark.parametrize("cls", [kf.DMTFCLS, kf.DMTRCLS])
def test_labels_are_the_largest_of_the_models(cls):
    X, tasks = kf.stack(dict(zip("ab", drawn(sizes=(20, 15)), strict=True)))
    model = cls(3, random_state=0).fit(sp.csr_array(X), tasks=tasks)
    for t, name in enumerate("ab"):
        own = tasks == name
        F = X[own] @ model.coef_[t] + model.intercept_[t]
        np.testing.assert_array_equal(F.argmax(axis=1), model.labels_[own])


def test_tasks_may_have_different_numbers_of_clusters_with_features_in_common_only():
    X, tasks = kf.stack(dict(zip("ab", drawn(sizes=(20, 15)), strict=True)))
    model = kf.DMTFCLS({"a": 3, "b": 2}, random_state=0).fit(X, tasks=tasks)
    assert [W.shape[1] for W in model.coef_] == [3, 2]
    with pytest.raises(InputError, match="DMTRC-LS needs the same number of clusters"):
        kf.DMTRCLS({"a": 3, "b": 2}).fit(X, tasks=tasks)


def test_equal_rows_stay_together():
    with pytest.warns(EmptyClusterWarning):
        model = kf.DMTFCLS(2, random_state=0).fit(np.ones((8, 3)))
    assert len(set(model.labels_)) == 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"shrinkage": 0.0}, "shrinkage is 0.0"),
        ({"shared_shrinkage": -1.0}, "shared_shrinkage is -1.0"),
        ({"shared_shrinkage": "much"}, 'shared_shrinkage is .much.; give .* or "auto"'),
        ({"size_slack": 1.0}, "size_slack is 1.0; give a number of at least 0 and below 1"),
    ],
)
def test_parameters_out_of_range_are_refused(parameters, message):
    with pytest.raises(InputError, match=message):
        kf.DMTFCLS(2, **parameters).fit(np.eye(6))
