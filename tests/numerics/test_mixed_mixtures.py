"""Mixtures of normal or heavy-tailed numbers and independent categories."""

import numpy as np
import pytest
from scipy.stats import chi2
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

from kinfolk.numerics import mixed_mixtures
from kinfolk.numerics.mixed_mixtures import FORMS, HEAVY_FORMS, Form
from oracles_mixtures import number_density

EACH = pytest.mark.parametrize("form", [*FORMS, *HEAVY_FORMS])


@pytest.fixture
def rows():
    random = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [20, 30, 10])
    X = random.normal(size=(60, 3)) + 3 * random.normal(size=(3, 3))[y]
    yes = random.random(60) < np.array([0.2, 0.8, 0.5])[y]
    color = [random.choice(3, p=[[0.8, 0.1, 0.1], [0.3, 0.5, 0.2], [0.1, 0.1, 0.8]][j]) for j in y]
    return X / X.std(axis=0), np.hstack([np.eye(2)[yes.astype(int)], np.eye(3)[color]]), y


@EACH
def test_densities_are_those_of_the_formula_row_by_row(rows, form):
    X, B, y = rows
    made = mixed_mixtures.renewed(X, B, np.eye(3)[y], form)
    found = mixed_mixtures.log_densities(X, B, made)
    for i in (0, 25, 59):
        for j in range(3):
            value = made.weights[j] * number_density(X[i], made, j)
            for q in np.flatnonzero(B[i]):
                value *= made.shares[j, q]
            assert found[i, j] == pytest.approx(np.log(value))


@EACH
def test_the_e_step_is_the_printed_one_by_loops(rows, form):
    X, B, y = rows
    made = mixed_mixtures.renewed(X, B, np.eye(3)[y], form)
    R, U, totals = mixed_mixtures.expected(X, B, made)
    densities = np.exp(mixed_mixtures.log_densities(X, B, made))
    for i in (0, 25, 59):
        assert R[i] == pytest.approx(densities[i] / densities[i].sum())
        assert totals[i] == pytest.approx(np.log(densities[i].sum()))
        for j in range(3):
            away = X[i] - made.centers[j]
            D = away @ np.linalg.inv(made.covariances[j]) @ away
            count = 1.0 if form.tails is None else (form.tails + 3) / (form.tails + D)
            assert mixed_mixtures.counted(R, U)[i, j] == pytest.approx(R[i, j] * count)


@EACH
def test_the_m_step_is_the_printed_one_by_loops(rows, form):
    X, B, y = rows
    random = np.random.default_rng(1)
    R = random.dirichlet(np.ones(3), size=60)
    U = None if form.tails is None else random.uniform(0.2, 1.5, size=(60, 3))
    W = mixed_mixtures.counted(R, U)
    made = mixed_mixtures.renewed(X, B, R, form, U)
    n = R.sum(axis=0)
    S = np.zeros((3, 3, 3))
    for j in range(3):
        center = sum(W[i, j] * X[i] for i in range(60)) / sum(W[:, j])
        assert made.centers[j] == pytest.approx(center)
        for i in range(60):
            S[j] += W[i, j] * np.outer(X[i] - center, X[i] - center)
        ones = sum(R[i, j] * B[i] for i in range(60))
        assert made.shares[j] == pytest.approx((ones + B.mean(axis=0)) / (n[j] + 1))
        assert made.weights[j] == pytest.approx(n[j] / 60)
    ridge = mixed_mixtures.RIDGE * np.eye(3)
    for j in range(3):
        wanted = (S.sum(axis=0) + ridge) / 60 if form.shared else (S[j] + ridge) / n[j]
        wanted = np.diag(np.diag(wanted)) if form.diagonal else wanted
        assert made.covariances[j] == pytest.approx(wanted)


@EACH
def test_sweeps_raise_the_likelihood_with_its_prior(rows, form):
    X, B, y = rows
    R, U = np.random.default_rng(2).dirichlet(np.ones(3), size=60), None
    values = []
    for _ in range(15):
        made = mixed_mixtures.renewed(X, B, R, form, U)
        traces = [np.trace(np.linalg.inv(S)) for S in made.covariances[: 1 if form.shared else 3]]
        prior = B.mean(axis=0) * np.log(made.shares)
        R, U, totals = mixed_mixtures.expected(X, B, made)
        values.append(totals.sum() - mixed_mixtures.RIDGE / 2 * sum(traces) + prior.sum())
    assert np.diff(values).min() > -1e-9


def test_heavy_tails_are_tried_where_rows_have_them_and_seldom_else():
    """Of tables of normal rows, Mardia's kurtosis exceeds its mean by 3 deviations in 1 of 100."""
    random = np.random.default_rng(0)
    none, one = np.empty((150, 0)), np.ones((150, 1))
    found = {"normal": 0, "heavy": 0}
    for _ in range(100):
        normal = random.normal(size=(150, 3)) @ random.normal(size=(3, 3))
        heavy = normal / np.sqrt(chi2(4).rvs(150, random_state=random) / 4)[:, None]
        for name, X in (("normal", normal), ("heavy", heavy)):
            made = mixed_mixtures.renewed(X, none, one, FORMS[0])
            found[name] += mixed_mixtures.has_heavy_tails(X, made, one)
    assert found["normal"] <= 4
    assert found["heavy"] >= 90


def test_outliers_are_no_cluster_of_their_own():
    random = np.random.default_rng(3)
    y = np.repeat([0, 1], [90, 30])
    X = 6 * np.eye(2)[y] + random.standard_t(3, size=(120, 2))
    starts = [random.integers(2, size=120), y, (np.abs(X).max(axis=1) > 5) * 1]
    found = mixed_mixtures.best(X / X.std(axis=0), np.empty((120, 0)), starts, 2)
    assert found.mixture.tails == mixed_mixtures.HEAVY
    assert adjusted_rand_score(y, found.memberships.argmax(axis=1)) > 0.9


@pytest.mark.parametrize("form", [Form(False, False), HEAVY_FORMS[0]])
def test_a_moved_mixture_lies_where_the_likelihood_of_the_rows_is_largest(rows, form):
    X, B, y = rows
    there = mixed_mixtures.renewed(X, B, np.eye(3)[y], form)
    few = X[::7] + [2.0, -1.0, 0.5]
    found = mixed_mixtures.moved(few, B[::7], there)
    u = found.mixture.centers - there.centers
    assert u == pytest.approx(np.tile(u[0], (3, 1)))

    def likelihood(shift):
        total = 0.0
        for x, b in zip(few, B[::7], strict=True):
            shares = [np.prod(s[b == 1]) for s in there.shares]
            numbers = [number_density(x - shift, there, j) for j in range(3)]
            total += np.log(sum(there.weights * shares * numbers))
        return total

    assert found.likelihood == pytest.approx(likelihood(u[0]))
    for step in 0.02 * np.vstack([np.eye(3), -np.eye(3)]):
        assert likelihood(u[0] + step) < found.likelihood
    assert found.bic == pytest.approx(2 * found.likelihood - 3 * np.log(len(few)))


@pytest.mark.parametrize("sweeps", [1, 2])
def test_a_moved_mixture_that_sweeps_end_has_its_own_likelihood(rows, sweeps, monkeypatch):
    X, B, y = rows
    there = mixed_mixtures.renewed(X, B, np.eye(3)[y], Form(False, False))
    monkeypatch.setattr(mixed_mixtures, "MOST_SWEEPS", sweeps)
    found = mixed_mixtures.moved(X + 2.0, B, there)
    logs = mixed_mixtures.log_densities(X + 2.0, B, found.mixture)
    assert found.likelihood == pytest.approx(np.logaddexp.reduce(logs, axis=1).sum(), rel=1e-12)


def test_bic_without_binary_columns_is_that_of_scikit_learn(rows, monkeypatch):
    X, _, y = rows
    monkeypatch.setattr(mixed_mixtures, "RIDGE", 1e-9)
    # scikit-learn has no form with one diagonal covariance for all clusters.
    names = {"tied": FORMS[0], "full": FORMS[2], "diag": FORMS[3]}
    for name, form in names.items():
        found = mixed_mixtures.swept(X, np.empty((60, 0)), np.eye(3)[y], form)
        theirs = GaussianMixture(3, covariance_type=name, means_init=found.mixture.centers)
        theirs.weights_ = found.mixture.weights
        theirs.means_ = found.mixture.centers
        S = found.mixture.covariances
        theirs.covariances_ = {"tied": S[0], "full": S, "diag": np.diagonal(S, axis1=1, axis2=2)}[
            name
        ]
        cholesky = np.linalg.cholesky(np.linalg.inv(S))
        theirs.precisions_cholesky_ = {
            "tied": cholesky[0],
            "full": cholesky,
            "diag": np.diagonal(cholesky, axis1=1, axis2=2),
        }[name]
        assert found.bic == pytest.approx(-theirs.bic(X))


def test_a_constant_column_changes_no_membership(rows):
    X, B, y = rows
    with_zeros = np.column_stack([B, np.zeros(60)])
    one = mixed_mixtures.best(X, B, [y], 3)
    other = mixed_mixtures.best(X, with_zeros, [y], 3)
    assert other.memberships == pytest.approx(one.memberships)


def test_the_shares_of_a_category_are_one_number_fewer_than_its_values(rows):
    X, B, _ = rows
    found = mixed_mixtures.swept(X, B, np.ones((60, 1)), Form(True, True))
    # One cluster: a mean and a variance for each of three numbers, and 1 + 2 shares of values.
    assert found.bic == pytest.approx(2 * found.likelihood - 9 * np.log(60))
    assert found.mixture.shares[0, :2].sum() == pytest.approx(1.0)
    assert found.mixture.shares[0, 2:].sum() == pytest.approx(1.0)
