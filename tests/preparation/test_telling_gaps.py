"""Gaps that are a 0/1 column of their own, as the other columns of the row go with them."""

import numpy as np
import pandas as pd
import pytest

import kinfolk as kf
from kinfolk.preparation import Preparation

RANDOM = np.random.default_rng(0)
N = 200
AGE = RANDOM.normal(50, 15, N)
INCOME = RANDOM.normal(2000, 500, N)
CHILDREN = AGE < 45  # a third of the rows
SITES = np.resize(["north", "south"], N)


def names(frame, sites=SITES):
    preparation = Preparation()
    preparation.fit_transform(kf.read(frame.assign(site=sites), tasks="site").data)
    return preparation.feature_names, preparation.notes


def table(gaps, **others):
    return pd.DataFrame({"age": AGE, "income": np.where(gaps, np.nan, INCOME), **others})


def test_gaps_that_go_with_another_column_are_marked_and_it_is_told():
    found, notes = names(table(CHILDREN))
    assert found == ("age", "income", "income is missing")
    assert [n for n in notes if "go with the values of other columns" in n and "income." in n]


@pytest.mark.parametrize("share", [0.3, 0.6])
def test_gaps_that_go_with_no_other_column_are_not_marked(share):
    assert names(table(RANDOM.random(N) < share))[0] == ("age", "income")


def test_few_gaps_are_not_marked():
    assert names(table(np.argsort(AGE).argsort() < 0.15 * N))[0] == ("age", "income")


def test_columns_that_share_their_gaps_are_marked_once():
    rent = np.where(CHILDREN, np.nan, RANDOM.normal(size=N))
    nearly = np.where(np.where(np.arange(N) == 7, ~CHILDREN, CHILDREN), np.nan, AGE**2)
    found, _ = names(table(CHILDREN, rent=rent, tax=nearly))
    assert [name for name in found if "missing" in name] == ["income is missing"]


def test_gaps_are_marked_if_another_column_with_the_same_gaps_is_left_out():
    constant = np.where(CHILDREN, None, "low").astype(object)
    found, _ = names(table(CHILDREN, grade=constant)[["grade", "age", "income"]])
    assert [name for name in found if "missing" in name] == ["income is missing"]


def test_a_column_with_as_many_gaps_is_no_evidence():
    shared = RANDOM.random(N) < 0.5
    rent = np.where(shared, INCOME, np.nan)  # known where incomes are not, or nearly so
    found, _ = names(table(shared, rent=rent))
    assert not any("missing" in name for name in found)


def test_a_difference_of_data_sets_is_no_evidence():
    """Ages differ between the sites, and so do their shares of gaps; within each they do not."""
    south = SITES == "south"
    gaps = RANDOM.random(N) < np.where(south, 0.8, 0.1)
    frame = table(gaps).assign(age=RANDOM.normal(np.where(south, 70, 30), 5))
    assert names(frame)[0] == ("age", "income")


def test_few_rows_need_a_stronger_sign():
    some = np.arange(N) < 24
    half = table(CHILDREN).assign(age=AGE + RANDOM.normal(0, 15, N))
    assert "income is missing" in names(half)[0]
    assert "income is missing" not in names(half[some], SITES[some])[0]


def test_gaps_marked_or_not_leave_the_clusters_of_the_other_columns():
    """A page that was added to a form later divides no cluster: with marks of all gaps it did."""
    random = np.random.default_rng(1)
    group = np.resize([0, 0, 1, 2], 240)
    X = random.normal(size=(240, 5)) + 3 * np.eye(3, 5)[group]
    frame = pd.DataFrame(X, columns=[*"abcde"])
    frame["plan"] = np.where(random.random(240) < 0.8, np.array([*"uvw"])[group], "u")
    late = np.arange(240) % 5 < 2
    for name in ("d", "e", "plan"):
        frame[name] = frame[name].mask(late)
    sites = np.repeat(["p", "q"], 120)
    made = kf.compare(frame, tasks=sites, n_clusters=3, random_state=0)
    alike = [
        pd.crosstab(group[sites == s], made.model.estimator.labels_[sites == s]).max(axis=1).sum()
        for s in ("p", "q")
    ]
    assert min(alike) > 0.9 * 120
