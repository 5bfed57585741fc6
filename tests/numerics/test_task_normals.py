"""Normals of tasks, learned from rows with gaps, beside loops over the printed formulas."""

import numpy as np
import pytest

from kinfolk.numerics import task_normals
from kinfolk.numerics.task_normals import PRIOR_ROWS, Normals

RANDOM = np.random.default_rng(0)
D = 4


def rows_of(sizes, share=0.25):
    """Rows (n, 4) of tasks with correlations of their own, and codes (n,); NaN in gaps."""
    codes = np.repeat(np.arange(len(sizes)), sizes)
    mixing = RANDOM.normal(size=(len(sizes), D, D))
    Z = np.einsum("nd,nde->ne", RANDOM.normal(size=(len(codes), D)), mixing[codes]) / 2
    gaps = RANDOM.random(Z.shape) < share
    gaps[:D] |= np.tri(D, dtype=bool)  # also a row of which nothing is known
    gaps[-1] = False
    return np.where(gaps, np.nan, Z), codes


def expected(z, mean, S):
    """Mean (d,) and covariance (d, d) of a row with gaps, by the covariance of what is there."""
    there = ~np.isnan(z)
    if not there.any():
        return mean, S
    filled, spread = z.copy(), np.zeros_like(S)
    weights = S[np.ix_(~there, there)] @ np.linalg.inv(S[np.ix_(there, there)])
    filled[~there] = mean[~there] + weights @ (z[there] - mean[there])
    within = S[np.ix_(~there, ~there)] - weights @ S[np.ix_(there, ~there)]
    spread[np.ix_(~there, ~there)] = within
    return filled, spread


def learned(Z, mean, S, prior):
    """One sweep over the rows of a task, as (N1), (N2) and (N4) read: mean and covariance."""
    found = [expected(z, mean, S) for z in Z]
    filled = np.array([row for row, _ in found])
    new = filled.mean(axis=0)
    total = sum(np.outer(row - new, row - new) + spread for row, spread in found)
    weight = PRIOR_ROWS * D
    return new, (total + weight * prior) / (len(Z) + weight)


def means_of(Z, codes):
    return np.array([np.nanmean(Z[codes == t], axis=0) for t in np.unique(codes)])


@pytest.mark.parametrize("sweeps", [1, 3])
def test_sweeps_of_a_task_are_those_of_the_formulas(monkeypatch, sweeps):
    monkeypatch.setattr(task_normals, "MOST_SWEEPS", sweeps)
    Z, codes = rows_of([30])
    mean, S = means_of(Z, codes)[0], np.eye(D)
    for _ in range(sweeps):
        mean, S = learned(Z, mean, S, np.eye(D))
    shared = Normals.fit(Z, codes, 1, alone=False)
    np.testing.assert_allclose(shared.means, [mean, mean], rtol=1e-10)
    np.testing.assert_allclose(shared.covariances, [S], rtol=1e-10)
    own_mean, own = mean, S
    for _ in range(sweeps):
        own_mean, own = learned(Z, own_mean, own, S)
    found = Normals.fit(Z, codes, 1)
    np.testing.assert_allclose(found.means[0], own_mean, rtol=1e-10)
    np.testing.assert_allclose(found.covariances, [own, S], rtol=1e-10)


def test_the_shared_covariance_is_about_the_mean_of_each_task(monkeypatch):
    monkeypatch.setattr(task_normals, "MOST_SWEEPS", 1)
    Z, codes = rows_of([12, 20])
    found = [expected(z, means_of(Z, codes)[t], np.eye(D)) for z, t in zip(Z, codes, strict=True)]
    filled = np.array([row for row, _ in found])
    about = filled - np.array([filled[codes == t].mean(axis=0) for t in (0, 1)])[codes]
    weight = PRIOR_ROWS * D
    total = about.T @ about + sum(spread for _, spread in found) + weight * np.eye(D)
    shared = Normals.fit(Z, codes, 2, alone=False).covariances[0]
    np.testing.assert_allclose(shared, total / (len(Z) + weight), rtol=1e-10)


def density(Z, mean, S, prior):
    """Logarithm of the posterior density of a covariance, up to a constant."""
    total = 0.0
    for z in Z:
        there = ~np.isnan(z)
        part = S[np.ix_(there, there)]
        away = (z - mean)[there]
        total -= (np.linalg.slogdet(part)[1] + away @ np.linalg.solve(part, away)) / 2
    weight = PRIOR_ROWS * D
    return total - weight / 2 * (np.linalg.slogdet(S)[1] + np.trace(np.linalg.solve(S, prior)))


def test_no_sweep_lowers_the_posterior_density(monkeypatch):
    Z, codes = rows_of([25], share=0.4)
    found = []
    for sweeps in range(1, 12):
        monkeypatch.setattr(task_normals, "MOST_SWEEPS", sweeps)
        normals = Normals.fit(Z, codes, 1, alone=False)
        found.append(density(Z, normals.means[0], normals.covariances[0], np.eye(D)))
    assert (np.diff(found) > -1e-9).all()
    assert found[-1] > found[0] + 0.1


def test_gaps_are_filled_by_the_normal_of_their_task():
    Z, codes = rows_of([40, 30])
    found = Normals.fit(Z, codes, 2)
    filled = found.filled(Z, codes)
    for z, t, row in zip(Z, codes, filled, strict=True):
        np.testing.assert_allclose(row, expected(z, found.means[t], found.covariances[t])[0])
    unknown = found.filled(Z, np.full(len(Z), 2))
    for z, row in zip(Z, unknown, strict=True):
        np.testing.assert_allclose(row, expected(z, found.means.mean(0), found.covariances[2])[0])


@pytest.mark.parametrize("numbers", [1, 20])
def test_parts_of_rows_give_the_same(monkeypatch, numbers):
    Z, codes = rows_of([40, 30])
    whole = Normals.fit(Z, codes, 2)
    monkeypatch.setattr(task_normals, "MOST_NUMBERS", numbers)
    np.testing.assert_allclose(Normals.fit(Z, codes, 2).covariances, whole.covariances)
    np.testing.assert_allclose(whole.filled(Z, codes), Normals.fit(Z, codes, 2).filled(Z, codes))


def test_a_small_task_is_close_to_the_shared_covariance_and_a_large_one_to_its_own():
    Z, codes = rows_of([4, 4000], share=0.1)
    found = Normals.fit(Z, codes, 2).covariances
    assert np.abs(found[0] - found[2]).max() > 0
    alone = Normals.fit(Z[codes == 0], np.zeros(4, dtype=int), 1).covariances[0]
    assert np.abs(found[0] - found[2]).sum() < np.abs(alone - found[2]).sum()
    own = np.ma.cov(np.ma.masked_invalid(Z[codes == 1]), rowvar=False).data
    np.testing.assert_allclose(found[1], own, atol=0.1)


def test_further_tasks_are_learned_beside_the_shared_covariance():
    Z, codes = rows_of([40, 30, 20])
    first = Normals.fit(Z[codes < 2], codes[codes < 2], 2)
    new = codes == 2
    found = first.with_tasks(Z[new], codes[new] - 2, 1)
    np.testing.assert_array_equal(found.covariances[[0, 1, 3]], first.covariances)
    np.testing.assert_array_equal(found.means[:2], first.means[:2])
    np.testing.assert_allclose(found.means[3], found.means[:3].mean(axis=0))
    again = found.covariances[2]
    mean, S = learned(Z[new], found.means[2], again, first.covariances[-1])
    np.testing.assert_allclose(S, again, atol=1e-3)
    np.testing.assert_allclose(mean, found.means[2], atol=1e-3)


def test_further_tasks_may_share_the_only_covariance():
    Z, codes = rows_of([40, 30, 20])
    first = Normals.fit(Z[codes < 2], codes[codes < 2], 2, alone=False)
    found = first.with_tasks(Z[codes == 2], codes[codes == 2] - 2, 1)
    assert found.means.shape == (4, D)
    np.testing.assert_array_equal(found.covariances, first.covariances)


def test_a_column_that_a_task_lacks_begins_at_the_mean_of_the_others():
    Z, codes = rows_of([40, 30])
    Z[codes == 0, 2] = np.nan
    found = Normals.fit(Z, codes, 2)
    assert np.isfinite(found.filled(Z, codes)).all()
    assert found.means[0, 2] == pytest.approx(np.nanmean(Z[codes == 1, 2]), abs=0.2)
