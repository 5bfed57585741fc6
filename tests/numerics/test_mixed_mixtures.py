"""Mixtures of normal numbers and independent categories."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.mixture import GaussianMixture

from kinfolk.numerics import mixed_mixtures

FORMS = [(shared, diagonal) for shared in (True, False) for diagonal in (True, False)]


@pytest.fixture
def rows():
    random = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [20, 30, 10])
    X = random.normal(size=(60, 3)) + 3 * random.normal(size=(3, 3))[y]
    yes = random.random(60) < np.array([0.2, 0.8, 0.5])[y]
    color = [random.choice(3, p=[[0.8, 0.1, 0.1], [0.3, 0.5, 0.2], [0.1, 0.1, 0.8]][j]) for j in y]
    return X / X.std(axis=0), np.hstack([np.eye(2)[yes.astype(int)], np.eye(3)[color]]), y


def test_densities_are_those_of_the_formula_row_by_row(rows):
    X, B, y = rows
    made = mixed_mixtures.renewed(X, B, np.eye(3)[y], False, False)
    found = mixed_mixtures.log_densities(X, B, made)
    for i in (0, 25, 59):
        for j in range(3):
            value = made.weights[j]
            value *= multivariate_normal.pdf(X[i], made.centers[j], made.covariances[j])
            for q in np.flatnonzero(B[i]):
                value *= made.shares[j, q]
            assert found[i, j] == pytest.approx(np.log(value))


@pytest.mark.parametrize(("shared", "diagonal"), FORMS)
def test_the_m_step_is_the_printed_one_by_loops(rows, shared, diagonal):
    X, B, y = rows
    R = np.random.default_rng(1).dirichlet(np.ones(3), size=60)
    made = mixed_mixtures.renewed(X, B, R, shared, diagonal)
    n = R.sum(axis=0)
    S = np.zeros((3, 3, 3))
    for j in range(3):
        center = sum(R[i, j] * X[i] for i in range(60)) / n[j]
        assert made.centers[j] == pytest.approx(center)
        for i in range(60):
            S[j] += R[i, j] * np.outer(X[i] - center, X[i] - center)
        ones = sum(R[i, j] * B[i] for i in range(60))
        assert made.shares[j] == pytest.approx((ones + B.mean(axis=0)) / (n[j] + 1))
    ridge = mixed_mixtures.RIDGE * np.eye(3)
    for j in range(3):
        wanted = (S.sum(axis=0) + ridge) / 60 if shared else (S[j] + ridge) / n[j]
        wanted = np.diag(np.diag(wanted)) if diagonal else wanted
        assert made.covariances[j] == pytest.approx(wanted)


@pytest.mark.parametrize(("shared", "diagonal"), FORMS)
def test_sweeps_raise_the_likelihood_with_its_prior(rows, shared, diagonal):
    X, B, y = rows
    R = np.random.default_rng(2).dirichlet(np.ones(3), size=60)
    values = []
    for _ in range(15):
        made = mixed_mixtures.renewed(X, B, R, shared, diagonal)
        logs = mixed_mixtures.log_densities(X, B, made)
        traces = [np.trace(np.linalg.inv(S)) for S in made.covariances[: 1 if shared else 3]]
        prior = B.mean(axis=0) * np.log(made.shares)
        totals = np.log(np.exp(logs).sum(axis=1))
        values.append(totals.sum() - mixed_mixtures.RIDGE / 2 * sum(traces) + prior.sum())
        R = np.exp(logs - totals[:, None])
    assert np.diff(values).min() > -1e-9


def test_a_moved_mixture_lies_where_the_likelihood_of_the_rows_is_largest(rows):
    X, B, y = rows
    there = mixed_mixtures.renewed(X, B, np.eye(3)[y], False, False)
    few = X[::7] + [2.0, -1.0, 0.5]
    found = mixed_mixtures.moved(few, B[::7], there)
    u = found.mixture.centers - there.centers
    assert u == pytest.approx(np.tile(u[0], (3, 1)))

    def likelihood(shift):
        total = 0.0
        for x, b in zip(few, B[::7], strict=True):
            f = 0.0
            for w, m, S, s in zip(*there, strict=True):
                f += w * np.prod(s[b == 1]) * multivariate_normal.pdf(x, m + shift, S)
            total += np.log(f)
        return total

    assert found.likelihood == pytest.approx(likelihood(u[0]))
    for step in 0.02 * np.vstack([np.eye(3), -np.eye(3)]):
        assert likelihood(u[0] + step) < found.likelihood
    assert found.bic == pytest.approx(2 * found.likelihood - 3 * np.log(len(few)))


@pytest.mark.parametrize("sweeps", [1, 2])
def test_a_moved_mixture_that_sweeps_end_has_its_own_likelihood(rows, sweeps, monkeypatch):
    X, B, y = rows
    there = mixed_mixtures.renewed(X, B, np.eye(3)[y], False, False)
    monkeypatch.setattr(mixed_mixtures, "MOST_SWEEPS", sweeps)
    found = mixed_mixtures.moved(X + 2.0, B, there)
    logs = mixed_mixtures.log_densities(X + 2.0, B, found.mixture)
    assert found.likelihood == pytest.approx(np.logaddexp.reduce(logs, axis=1).sum(), rel=1e-12)


def test_bic_without_binary_columns_is_that_of_scikit_learn(rows, monkeypatch):
    X, _, y = rows
    monkeypatch.setattr(mixed_mixtures, "RIDGE", 1e-9)
    for (shared, diagonal), name in zip(FORMS, ("", "tied", "diag", "full"), strict=True):
        if not name:  # scikit-learn has no form with one diagonal covariance for all clusters
            continue
        found = mixed_mixtures.swept(X, np.empty((60, 0)), np.eye(3)[y], shared, diagonal)
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
    found = mixed_mixtures.swept(X, B, np.ones((60, 1)), True, True)
    # One cluster: a mean and a variance for each of three numbers, and 1 + 2 shares of values.
    assert found.bic == pytest.approx(2 * found.likelihood - 9 * np.log(60))
    assert found.mixture.shares[0, :2].sum() == pytest.approx(1.0)
    assert found.mixture.shares[0, 2:].sum() == pytest.approx(1.0)
