"""Own answers of measurements by mixtures that fit the rows well."""

from copy import copy

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

import kinfolk as kf
from kinfolk.choosing import mixtures, task_state
from kinfolk.choosing.mixtures import FAMILY, MixedMixture
from kinfolk.numerics import mixed_mixtures
from long_groups import two_groups

pytestmark = pytest.mark.usefixtures("three_families")


def fits(X, k=2):
    return MixedMixture(k, random_state=0).fit(X).fits_


def test_a_mixture_stands_on_normal_groups_of_any_shape():
    X, y = two_groups()
    model = MixedMixture(2, random_state=0).fit(X)
    assert model.fits_
    assert adjusted_rand_score(y, model.labels_) == 1.0


def test_a_mixture_stands_on_long_clusters_across_each_other():
    random = np.random.default_rng(0)
    target = np.arange(180) % 3
    long = np.array([[0.2, 4.0, 0.2], [0.2, 0.2, 4.0], [4.0, 0.2, 0.2]])
    X = random.normal(size=(180, 3)) * long[target] + 6 * np.eye(3)[target]
    model = MixedMixture(3, random_state=0).fit(X)
    assert model.fits_
    assert adjusted_rand_score(target, model.labels_) > 0.95


def test_three_rows_apart_from_two_large_groups_are_a_cluster_and_two_are_none():
    y = np.repeat([0, 1, 2], [60, 30, 3])
    X = np.random.default_rng(0).normal(size=(93, 3)) + 7 * np.eye(3)[y]
    model = MixedMixture(3, random_state=0).fit(X)
    assert model.fits_
    assert adjusted_rand_score(y, model.labels_) == 1.0
    assert not fits(X[:92], 3)


def test_outliers_are_no_evidence_of_a_second_cluster():
    X = np.random.default_rng(1).standard_t(2.5, size=(150, 3))
    model = MixedMixture(2, random_state=0).fit(X)
    normal = MixedMixture(2, random_state=0, heavy_tails=False).fit(X)
    assert model.evidence_ < mixtures.MIN_EVIDENCE < normal.evidence_
    assert (model.tails_, normal.tails_) == (mixed_mixtures.HEAVY, None)


def test_few_rows_along_a_line_through_the_others_are_no_cluster():
    random = np.random.default_rng(0)
    line = 1.5 + 5 * np.outer(random.normal(size=8), [1.0, 1.0, 1.0, -1.0])
    X = np.vstack([random.normal(size=(92, 4)), line + random.normal(size=(8, 4)) / 50])
    model = MixedMixture(2, random_state=0).fit(X)
    assert np.bincount(model.labels_).min() == 8
    assert not model.fits_


def test_the_middle_and_the_rim_of_one_group_are_no_clusters():
    random = np.random.default_rng(0)
    narrow = random.normal(size=(80, 2)) / 4
    assert not fits(np.vstack([narrow, 3 * random.normal(size=(80, 2))]))


def test_one_normal_cloud_has_no_two_clusters():
    assert not fits(np.random.default_rng(0).normal(size=(90, 2)))


def test_whole_numbers_with_few_values_are_no_normal_numbers():
    random = np.random.default_rng(0)
    y = np.arange(150) % 2
    grades = np.clip(np.rint(1 + 0.4 * random.normal(size=(150, 2)) + 2 * y[:, None]), 1, 4)
    assert not fits(grades)
    assert fits(grades + 0.4 * random.normal(size=(150, 2)))


def test_a_column_that_is_zero_in_a_whole_cluster_is_no_misfit():
    random = np.random.default_rng(0)
    y = np.arange(180) % 2
    numbers = random.normal(size=(180, 2)) + 5 * y[:, None]
    dairy = np.where(y[:, None] == 1, 7 + random.normal(size=(180, 2)), 0.0)
    arable = np.where(y[:, None] == 0, 5 + random.normal(size=(180, 2)), 0.0)
    assert fits(np.column_stack([numbers, dairy, arable]))
    # Numbers that are zero in most rows of every cluster are still no normal ones.
    rare = np.where(random.random((180, 2)) < 0.2, random.normal(size=(180, 2)), 0.0)
    assert not fits(np.column_stack([numbers, rare]))


def test_two_rows_far_away_are_no_cluster():
    X = np.vstack([np.random.default_rng(0).normal(size=(80, 2)), [[30.0, 0.0], [31.0, 1.0]]])
    assert not fits(X)


def test_too_few_rows_for_the_columns_do_not_stand():
    X, _ = two_groups(24)
    random = np.random.default_rng(1)
    assert fits(X)
    assert not fits(np.column_stack([X, random.normal(size=(24, 4))]))


def test_categories_take_part_as_columns_of_two_values():
    random = np.random.default_rng(0)
    y = np.arange(120) % 2
    X = random.normal(size=(120, 2)) + 1.5 * y[:, None]
    words = np.where(random.random((120, 4)) < 0.1, 1 - y[:, None], y[:, None])
    alone = MixedMixture(2, random_state=0).fit(X).labels_
    model = MixedMixture(2, random_state=0).fit(np.hstack([X, 1.41 * words]))
    assert np.unique(model.coded_).tolist() == [2, 3, 4, 5]
    found = adjusted_rand_score(y, model.labels_)
    assert found > 0.95 > 0.7 > adjusted_rand_score(y, alone)


def test_columns_of_one_category_count_as_one_value_of_a_row():
    random = np.random.default_rng(0)
    y = np.arange(90) % 2
    X = random.normal(size=(90, 2)) + 2.5 * y[:, None]
    words = np.where(random.random(90) < 0.2, 2, y)
    one_hot = np.insert(1.41 * np.eye(3)[words], 1, 0.0, axis=1)  # and one that no row has
    model = MixedMixture(2, random_state=0).fit(np.hstack([X, one_hot]))
    by_code = MixedMixture(2, random_state=0).fit(np.column_stack([X, words]))
    assert model.coded_.tolist() == [2, 4, 5]
    assert (model.values_ > 1).all()
    # A category of three values, with a cluster that lacks one of them, is the same.
    assert by_code.coded_.tolist() == [2, 2, 2]
    assert model.evidence_ == pytest.approx(by_code.evidence_)
    assert adjusted_rand_score(model.labels_, by_code.labels_) == 1.0


def with_a_code(X, seed=3):
    """Rows X with a further column of three values that have nothing to do with them."""
    code = np.random.default_rng(seed).choice([3.0, 6.0, 7.0], len(X), p=[0.55, 0.05, 0.4])
    return np.column_stack([X, code])


def test_values_of_a_code_are_no_clusters():
    X, y = two_groups(120)
    model = MixedMixture(2, random_state=0).fit(with_a_code(X))
    assert model.values_.tolist() == [3.0, 6.0, 7.0]
    assert adjusted_rand_score(y, model.labels_) > 0.9
    new = with_a_code(X)
    new[:, -1] = 5.0  # a value that no row of the fit has tells nothing
    assert adjusted_rand_score(y, model.predict(new)) > 0.9


def test_grades_that_spread_within_clusters_stay_numbers():
    X, y = two_groups(120)
    grades = np.random.default_rng(1).integers(1, 4, size=120) + y
    model = MixedMixture(2, random_state=0).fit(np.column_stack([X, grades]))
    assert model.coded_.size == 0


def test_tasks_that_agree_in_the_values_of_a_code_do_not_object_to_mixtures(three_families):
    tables = [two_groups(120), two_groups(121)]
    rows = np.vstack([with_a_code(X, seed) for seed, (X, _) in enumerate(tables)])
    tasks = np.repeat([0, 1], [120, 121])
    model = kf.Kinfolk(2, random_state=0).fit(rows, tasks=tasks)
    assert {record["own_combiner"] for record in model.guard_} == {"mixture"}
    truth = np.concatenate([y for _, y in tables])
    for t in (0, 1):
        assert adjusted_rand_score(truth[tasks == t], model.labels_[tasks == t]) > 0.9


def test_long_clusters_side_by_side_exceed_chance_by_their_mixture():
    tables = [two_groups(100, seed) for seed in (0, 1)]
    model = kf.Kinfolk(2, random_state=0)
    model.fit(np.vstack([X for X, _ in tables]), tasks=np.repeat([0, 1], 100))
    assert {record["combiner"] for record in model.guard_} == {"mixture"}
    assert not model.unclustered_tasks_
    # The graph of rows alone does not tell: clusters that it prefers cut the long ones across.
    assert all(record["modularity"] < record["null_modularity"] for record in model.guard_)


SINGLE = {
    "uniform": lambda random: random.random((150, 2)),
    "skewed": lambda random: random.exponential(1, (60, 7)),
    "skewed together": lambda random: (
        random.exponential(1, (150, 1)) + random.normal(0, 0.4, (150, 4))
    ),
}


@pytest.mark.parametrize("name", SINGLE)
def test_a_mixture_that_fits_one_group_does_not_exceed_chance(name):
    fitting = []
    for seed in range(12):
        X = SINGLE[name](np.random.default_rng(seed))
        model = MixedMixture(2, random_state=0).fit(X)
        if model.fits_:
            fitting.append(mixtures.exceeds_chance(model, X))
    assert fitting
    assert not any(fitting)


def test_clusters_of_mixtures_are_looked_for_in_clear_tasks(monkeypatch):
    asked = []
    found_again = task_state.accept_found_again

    def watched(states):
        asked.append([state.own.answer.combiner for state in states])
        found_again(states)

    monkeypatch.setattr(task_state, "accept_found_again", watched)
    X, _ = two_groups(200)
    kf.Kinfolk(2, random_state=0).fit(X, tasks=np.repeat([0, 1], 100))
    assert asked[-1] == [FAMILY, FAMILY]


def test_a_mixture_of_an_earlier_version_assigns_rows_as_before():
    random = np.random.default_rng(0)
    y = np.arange(120) % 2
    X = np.column_stack([random.normal(size=(120, 2)) + 1.5 * y[:, None], random.random(120) < 0.3])
    model = MixedMixture(2, random_state=0).fit(X)
    older = copy(model)
    older.binary_ = np.array([False, False, True])
    older.shares_ = model.shares_[:, 1:]  # of the larger value alone
    del older.coded_, older.values_
    np.testing.assert_array_equal(older.predict(X), model.labels_)


def test_units_and_zeros_of_columns_do_not_matter():
    X, _ = two_groups()
    one = MixedMixture(2, random_state=0).fit(X)
    other = MixedMixture(2, random_state=0).fit(X * [100.0, 0.01] + [5.0, -3.0])
    assert adjusted_rand_score(one.labels_, other.labels_) == 1.0


@pytest.mark.parametrize("factor", [1e-12, 1e-7, 1e9])
def test_a_category_and_numbers_are_told_apart_in_any_unit(factor):
    X, _ = two_groups()
    grade = np.random.default_rng(0).integers(1, 3, len(X)) / 7
    table = np.column_stack([X, grade])
    one = MixedMixture(2, random_state=0).fit(table)
    other = MixedMixture(2, random_state=0).fit(factor * table)
    assert other.coded_.tolist() == one.coded_.tolist() == [2, 2]
    assert other.evidence_ == pytest.approx(one.evidence_, rel=1e-6)
    np.testing.assert_array_equal(other.labels_, one.labels_)
    np.testing.assert_array_equal(other.predict(factor * table), one.labels_)


def test_large_tables_are_fitted_to_a_sample_and_all_rows_are_assigned():
    X, y = two_groups(2500)
    model = MixedMixture(2, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) > 0.99
    assert np.array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize("usual", [0.0, 1.0])
def test_a_category_that_no_row_of_the_fit_has_changes_no_cluster_of_new_rows(usual):
    X, _ = two_groups()
    model = MixedMixture(2, random_state=0).fit(np.column_stack([X, np.full(60, usual)]))
    assert set(model.labels_) == {0, 1}
    for value in (0.0, 1.0, 2.0):
        found = model.predict(np.column_stack([X, np.full(60, value)]))
        assert np.array_equal(found, model.labels_)


def test_more_columns_than_a_sample_can_tell_are_left_out_at_once(monkeypatch):
    monkeypatch.setattr(mixtures, "MOST_ROWS", 25)
    X, _ = two_groups()
    X = np.column_stack([X, np.random.default_rng(0).normal(size=(60, 3))])
    monkeypatch.setattr(MixedMixture, "fit", lambda *_: pytest.fail("fitted"))
    kf.Kinfolk(2, families=["kmeans"], random_state=0).fit(X)


def test_binary_columns_alone_are_clustered_and_do_not_stand():
    y = np.arange(120) % 2
    noise = np.random.default_rng(0).random((120, 5)) < 0.1
    model = MixedMixture(2, random_state=0).fit(np.where(noise, 1 - y[:, None], y[:, None]))
    assert adjusted_rand_score(y, model.labels_) > 0.9
    assert not model.fits_


def test_a_task_without_numbers_keeps_no_mixture_from_the_others(fitted):
    model, rows, tasks, _ = fitted
    y = np.arange(80) % 2
    answers = np.where(np.random.default_rng(3).random((80, 2)) < 0.1, 1 - y[:, None], y[:, None])
    more = kf.Kinfolk(2, random_state=0).fit(
        np.vstack([rows, answers]), tasks=np.append(tasks, ["answers"] * 80)
    )
    found = {record["task"]: record["own_combiner"] for record in more.guard_}
    assert found["long"] == FAMILY != found["answers"]


def test_a_constant_column_changes_no_evidence():
    X, _ = two_groups()
    one = MixedMixture(2, random_state=0).fit(X)
    more = MixedMixture(2, random_state=0).fit(np.column_stack([X, np.full((60, 9), 0.1)]))
    assert one.fits_
    assert more.fits_
    assert np.array_equal(one.labels_, more.labels_)
    assert more.shares_.shape == (2, 0)


@pytest.fixture(scope="module")
def fitted():
    """A model of two tasks: one of long groups, the other of grades, with their true groups."""
    X, y = two_groups(80)
    random = np.random.default_rng(2)
    z = np.arange(80) % 2
    grades = np.rint(z[:, None] * [-2.0, 2.0] + 0.4 * random.normal(size=(80, 2)))
    rows = np.vstack([X, grades + 0.011])
    tasks = np.repeat(["long", "grades"], 80)
    return kf.Kinfolk(2, random_state=0).fit(rows, tasks=tasks), rows, tasks, y


def test_the_own_answer_is_the_mixture_where_it_stands_and_the_consensus_elsewhere(fitted):
    model, _, tasks, y = fitted
    assert adjusted_rand_score(y, model.own_labels_[tasks == "long"]) == 1.0
    kept = {r["task"] for r in model.evidence_ if r["family"] == FAMILY and r["kept"]}
    assert kept == {"long"}


def test_new_rows_go_to_the_clusters_of_the_mixture_also_after_storing(fitted, tmp_path):
    model, rows, tasks, _ = fitted
    kf.save(model, tmp_path / "model")
    loaded = kf.load(tmp_path / "model").estimator
    of_task = tasks == "long"
    for one in (model, loaded):
        assert np.array_equal(one.predict(rows[of_task], tasks="long"), model.labels_[of_task])


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_task_whose_mixture_stands_has_it_for_its_answer_wherever_its_rows_lie(sign):
    X, y = two_groups(80)
    model = kf.Kinfolk({"one": 1, "two": 2}, families=None, random_state=0)
    model.fit(sign * np.vstack([X + 1.0, X]), tasks=np.repeat(["one", "two"], 80))
    kept = {r["task"] for r in model.evidence_ if r["family"] == FAMILY and r["kept"]}
    assert kept == {"two"}
    assert adjusted_rand_score(y, model.own_labels_[80:]) == 1.0


def test_known_labels_leave_mixtures_out():
    X, y = two_groups(60)
    known = np.where(np.arange(60) < 10, y, -1)
    model = kf.Kinfolk(2, random_state=0).fit(X, known)
    assert FAMILY not in {record["family"] for record in model.evidence_}
