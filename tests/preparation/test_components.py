"""Columns that look like principal components keep one scale beside a category."""

import numpy as np
import pandas as pd
import pytest

import kinfolk as kf
from kinfolk.preparation import components

RANDOM = np.random.default_rng(0)
N, D = 240, 12
Z = RANDOM.normal(size=(N, D)) / np.arange(1, D + 1)
SITES = np.repeat(["north", "south"], N // 2)


def table(numbers, site=SITES):
    frame = pd.DataFrame(numbers, columns=[f"c{j:02}" for j in range(numbers.shape[1])])
    plan = np.resize(["a", "b", "c"], len(frame))
    return kf.read(frame.assign(plan=plan, site=site), tasks="site").data


def prepared(numbers):
    model = kf.Preparation()
    return model, np.asarray(model.fit_transform(table(numbers)))


def test_components_have_one_spread_in_each_task_and_the_category_keeps_its_own():
    _, X = prepared(Z)
    for site in ("north", "south"):
        own = X[site == SITES]
        rows = Z[site == SITES]
        expected = rows - rows.mean(axis=0)
        expected /= np.sqrt(expected.var(axis=0).mean())
        np.testing.assert_allclose(own[:, :D], expected, atol=1e-12)
    assert set(np.unique(X[:, D:])) == {0.0, 1.0}


@pytest.mark.parametrize("numbers", [Z[:, ::-1], Z[:, :9]], ids=["rising", "few"])
def test_other_numbers_have_variance_one_each(numbers):
    _, X = prepared(numbers)
    d = numbers.shape[1]
    np.testing.assert_allclose(X[SITES == "south", :d].var(axis=0), 1.0)


def test_gaps_of_components_are_filled_near_the_mean_in_the_common_unit():
    gaps = Z.copy()
    gaps[3, 1] = np.nan
    _, X = prepared(gaps)
    # Columns that tell nothing of each other: what is expected is off by the chance of 120 rows.
    spread = X[SITES == "north", 1].std()
    assert abs(X[3, 1]) < spread
    assert X[3, 1] != 0


def test_a_further_task_keeps_what_was_decided_for_the_others():
    model, _ = prepared(Z)
    new = RANDOM.normal(size=(30, D))  # whose variances do not fall
    model.add_tasks(table(new, "west"))
    X = np.asarray(model.transform(table(new, "west")))
    assert X[:, :D].var(axis=0).mean() == pytest.approx(1.0)
    assert np.ptp(X[:, :D].var(axis=0)) > 0.1
    scaled = kf.Preparation()
    scaled.fit_transform(table(Z[:, ::-1]))
    scaled.add_tasks(table(new, "west"))
    X = np.asarray(scaled.transform(table(new, "west")))
    np.testing.assert_allclose(X[:, :D].var(axis=0), 1.0)


def test_a_column_that_is_constant_in_a_task_has_no_spread():
    found = components.common_spreads(np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 0.0]]))
    np.testing.assert_allclose(found, [[np.sqrt(5 / 3), 0.0, np.sqrt(5 / 3)], [0.0, 0.0, 0.0]])
