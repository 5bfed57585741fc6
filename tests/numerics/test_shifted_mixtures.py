"""One mixture of several tasks, shifted in each task."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from kinfolk.numerics import memberships, mixed_mixtures, shifted_mixtures
from kinfolk.numerics.mixed_mixtures import Form
from oracles_mixtures import number_density

EACH = pytest.mark.parametrize("form", [*mixed_mixtures.FORMS, *mixed_mixtures.HEAVY_FORMS])
SHIFTS = np.array([[0.0, 0.0], [1.0, -2.0], [-1.5, 0.5]])


@pytest.fixture
def rows():
    """Numbers, yes or no, tasks and clusters of 90 rows."""
    random = np.random.default_rng(0)
    codes, y = np.repeat([0, 1, 2], [40, 30, 20]), np.arange(90) % 3
    X = random.normal(size=(90, 2)) + np.array([[0, 0], [5, 0], [0, 6]])[y] + SHIFTS[codes]
    yes = random.random(90) < np.array([0.2, 0.8, 0.5])[y]
    return X / 3, np.eye(2)[yes.astype(int)], codes, y


def fitted(rows, form):
    X, B, codes, y = rows
    start = np.where(np.arange(90) % 7 == 0, 0, y)
    return shifted_mixtures.swept(X, B, codes, memberships.indicator(start, 3), form)


@EACH
def test_a_fit_stands_at_the_equations_of_its_parameters(rows, form):
    X, B, codes, _ = rows
    found = fitted(rows, form)
    mixture, R, shifts = found.mixture, found.memberships, found.shifts
    for i in (0, 45, 89):
        values = [
            mixture.weights[j]
            * number_density(X[i] - shifts[codes[i]], mixture, j)
            * np.prod(mixture.shares[j] ** B[i])
            for j in range(3)
        ]
        assert R[i] == pytest.approx(np.array(values) / sum(values), abs=1e-9)  # memberships
    P = [np.linalg.inv(S) for S in mixture.covariances]
    W = mixed_mixtures.counted(*mixed_mixtures.expected(X - shifts[codes], B, mixture)[:2])
    for t in range(3):  # no task gains by a further shift
        pull = sum(
            W[i, j] * P[j] @ (X[i] - shifts[t] - mixture.centers[j])
            for i in np.flatnonzero(codes == t)
            for j in range(3)
        )
        assert pull == pytest.approx(np.zeros(2), abs=0.2)


@EACH
def test_bic_counts_clusters_once_and_shifts_of_all_tasks_but_one(rows, form):
    X, B, codes, _ = rows
    found = fitted(rows, form)
    L = 0.0
    for i in range(90):
        density = 0.0
        for j in range(3):
            numbers = number_density(X[i] - found.shifts[codes[i]], found.mixture, j)
            density += found.mixture.weights[j] * numbers * np.prod(found.mixture.shares[j] ** B[i])
        L += np.log(density)
    spreads = (2 if form.diagonal else 3) * (1 if form.shared else 3)
    free = 2 + 3 * 2 + 3 * 1 + spreads + 2 * 2
    assert found.bic == pytest.approx(2 * L - free * np.log(90))


def test_clusters_and_shifts_are_found(rows):
    X, B, codes, y = rows
    starts = [np.arange(90) % 2 + (np.arange(90) > 60), np.where(np.arange(90) % 5, y, 0)]
    found = shifted_mixtures.best(X, B, codes, starts, 3)
    assert adjusted_rand_score(y, found.memberships.argmax(axis=1)) > 0.9
    assert found.shifts - found.shifts[0] == pytest.approx(SHIFTS / 3, abs=0.25)


def test_rows_of_a_task_may_be_moved(rows):
    X, B, codes, _ = rows
    there = np.array([3.0, -4.0])
    X_moved = np.where((codes == 1)[:, None], X + there, X)
    before, after = (fitted((rows, B, codes, _), Form(True, False)) for rows in (X, X_moved))
    assert after.memberships == pytest.approx(before.memberships, abs=1e-3)
    assert (after.shifts - after.shifts[0] - before.shifts + before.shifts[0])[1] == pytest.approx(
        there, abs=1e-2
    )
    assert after.bic == pytest.approx(before.bic, abs=0.1)


def test_with_one_task_it_is_the_mixture_of_its_rows(rows):
    X, B, _, y = rows
    R = memberships.indicator(y, 3)
    one = shifted_mixtures.swept(X, B, np.zeros(90, dtype=int), R, Form(False, False))
    usual = mixed_mixtures.swept(X, B, R, Form(False, False))
    assert one.memberships == pytest.approx(usual.memberships, abs=1e-2)
    assert one.bic == pytest.approx(usual.bic, abs=0.1)


def test_a_task_without_rows_counts_for_nothing(rows):
    X, B, codes, y = rows
    rest = codes != 1
    R = memberships.indicator(y, 3)[rest]
    holes = shifted_mixtures.swept(X[rest], B[rest], codes[rest], R, Form(True, True))
    without = shifted_mixtures.swept(X[rest], B[rest], (codes[rest] > 0) * 1, R, Form(True, True))
    assert holes.bic == without.bic
    assert holes.shifts[1].tolist() == [0.0, 0.0]
    assert np.array_equal(holes.memberships, without.memberships)
