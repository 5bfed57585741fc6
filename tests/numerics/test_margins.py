import itertools

import numpy as np
import pytest
import scipy.sparse as sp

import oracles_labels as oracles
from kinfolk.numerics import margins

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(14, 3)) + 1.5
Y = np.where(np.arange(14) % 2 > 0, 1.0, -1.0)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("C", [0.05, 1.0])
def test_the_plane_of_known_rows_is_that_of_the_quadratic_programme(C, form):
    plane = margins.inductive(form(X), Y, C)
    w, b = oracles.svm(X, Y, np.full(14, C))
    least = oracles.svm_objective(w, b, X, Y, np.full(14, C))
    assert margins.objective(plane, form(X), Y, np.full(14, C)) == pytest.approx(least, rel=1e-3)
    np.testing.assert_allclose(plane.w, w, atol=2e-2)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_a_training_with_costs_is_the_quadratic_programme_with_a_light_offset(form):
    costs = RANDOM.uniform(0.01, 1.0, size=14)
    plane = margins.Trainer(form(X), 1.0, 0)(Y, costs)
    centered = X - X.mean(axis=0) if form is np.asarray else X
    size = np.mean(np.sum(centered**2, axis=1))
    w, b = oracles.svm(centered, Y, costs, 1 / size)
    np.testing.assert_allclose(plane.w, w, atol=2e-3)
    np.testing.assert_allclose(plane(X), centered @ w + b, atol=5e-3)


def test_a_switch_of_each_violating_pair_lowers_the_objective():
    for seed in range(20):
        random = np.random.default_rng(seed)
        U = random.normal(size=(30, 3))
        y = np.where(random.uniform(size=30) < 0.4, 1.0, -1.0)
        plane = margins.Plane(random.normal(size=3), 0.3)
        costs = {1.0: 0.7, -1.0: 0.2}

        def J(y, plane=plane, U=U, costs=costs):
            return oracles.svm_objective(plane.w, plane.b, U, y, [costs[one] for one in y])

        m, l = margins.violating_pairs(y, np.maximum(0, 1 - y * plane(U)))
        assert len(m)
        for pairs in (*((m[[i]], l[[i]]) for i in range(len(m))), (m, l)):
            switched = y.copy()
            switched[pairs[0]] = -1.0
            switched[pairs[1]] = 1.0
            assert J(switched) < J(y)
            assert (switched > 0).sum() == (y > 0).sum()


def test_in_the_end_no_pair_of_rows_can_switch():
    U = RANDOM.normal(size=(25, 3)) + 1.0
    found = margins.transductive(X, Y, U, 0.3, 10, 0)
    assert found.converged
    assert (found.y > 0).sum() == 10
    z = np.maximum(0.0, 1.0 - found.y * found.plane(U))
    for m, l in itertools.product(np.flatnonzero(found.y > 0), np.flatnonzero(found.y < 0)):
        assert z[m] <= 0 or z[l] <= 0 or z[m] + z[l] <= 2 + 1e-5


def test_no_division_of_few_rows_is_better_by_one_switch():
    U = np.array([[0.0, 2.0], [0.5, 2.1], [3.5, 2.0], [4.0, 1.9], [2.2, 2.0]])
    known = np.array([[0.0, 0.0], [4.0, 0.0]])
    signs = np.array([-1.0, 1.0])
    rows = np.vstack([known, U])
    C = margins.default_cost(rows)
    found = margins.transductive(known, signs, U, C, 2, 0)
    trainer = margins.Trainer(rows, C, 0)

    def J(up):
        y = np.concatenate([signs, np.where(np.isin(np.arange(5), up), 1.0, -1.0)])
        return margins.objective(trainer(y, np.full(7, C)), rows, y, np.full(7, C))

    best = min(itertools.combinations(range(5), 2), key=J)
    np.testing.assert_array_equal(np.flatnonzero(found.y > 0), best)


def test_without_other_rows_it_is_the_plane_of_the_known_rows():
    found = margins.transductive(X, Y, X[:0], 1.0, 0, 0)
    expected = margins.inductive(X, Y, 1.0)
    np.testing.assert_array_equal(found.plane.w, expected.w)
    assert found.n_trainings == 1


@pytest.mark.parametrize("positives", [0, 1])
def test_a_single_row_takes_the_side_that_known_rows_give_it(positives):
    sides = [margins.transductive(X, Y, X[[i]], 1.0, positives, 0).y[0] for i in range(len(X))]
    np.testing.assert_array_equal(sides, np.sign(margins.inductive(X, Y, 1.0)(X)))


@pytest.mark.parametrize("positives", [0, 5])
def test_all_rows_may_be_of_one_class(positives):
    found = margins.transductive(X, Y, X[:5] + 0.1, 1.0, positives, 0)
    assert (found.y > 0).sum() == positives


def test_known_rows_of_one_sign_give_a_constant():
    plane = margins.inductive(X, np.ones(14), 1.0)
    np.testing.assert_array_equal(plane(X), 1.0)


def test_guesses_that_follow_each_other_in_a_circle_end_the_switches(monkeypatch):
    # The pair that was switched last is switched back, as errors of trainings may do.
    monkeypatch.setattr(margins, "violating_pairs", lambda y, z: ([y.argmax()], [y.argmin()]))
    found = margins.transductive(X, Y, X + 0.5, 1.0, 1, 0)
    assert found.n_trainings < 20 * len(X)
    assert not found.converged
    assert (found.y > 0).sum() == 1


def test_labels_are_those_of_the_last_training_where_switches_end_it(monkeypatch):
    trained = []
    call = margins.Trainer.__call__

    def recorded(self, y, costs):
        trained.append(y.copy())
        return call(self, y, costs)

    monkeypatch.setattr(margins.Trainer, "__call__", recorded)
    monkeypatch.setattr(margins, "MAX_SWITCHES", 1)
    # Every training leaves a pair to switch.
    monkeypatch.setattr(margins, "violating_pairs", lambda y, z: ([y.argmax()], [y.argmin()]))
    found = margins.transductive(X, Y, X + 0.5, 1.0, 7, 0)
    np.testing.assert_array_equal(found.y, trained[-1][14:])
    assert not found.converged
