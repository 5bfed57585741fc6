"""Columns that say what another column says."""

import numpy as np
import pandas as pd
import pytest

import kinfolk as kf
from kinfolk.tables import copies
from kinfolk.tables.columns import Column

RANDOM = np.random.default_rng(0)
N = 120
LENGTH = RANDOM.normal(170, 9, size=N)
WEIGHT = 0.9 * (LENGTH - 100) + RANDOM.normal(0, 4, size=N)
SITES = np.resize(["north", "south"], N)
ONE = np.zeros(N, dtype=int)
TWO = np.resize([0, 1], N)


def found(*columns, codes=ONE):
    return copies.found(np.column_stack(columns), codes)


@pytest.mark.parametrize(
    "copy",
    [
        LENGTH.round(1) / 2.54,
        (LENGTH.round(1) / 2.54).round(1),
        (LENGTH.round(1) * 1.8 + 32).round(),
        24 - LENGTH,
        LENGTH.round(1),
    ],
    ids=["exact", "one decimal", "whole numbers", "turned around", "equal"],
)
def test_other_units_of_a_column_are_found_however_they_are_rounded(copy):
    assert found(LENGTH.round(1), WEIGHT, copy) == {2: 0}


def test_a_column_that_is_measured_with_an_error_is_no_copy():
    again = LENGTH + RANDOM.normal(0, 0.3, size=N)
    assert np.corrcoef(again, LENGTH)[0, 1] ** 2 > copies.LEAST
    assert found(LENGTH, again) == {}
    assert found(LENGTH.round(2), again.round(2)) == {}


def test_a_coarsely_rounded_column_is_no_copy():
    assert found(LENGTH, (LENGTH / 20).round()) == {}


def test_grades_that_mostly_agree_are_no_copies():
    grades = RANDOM.integers(1, 6, size=N).astype(float)
    other = np.where(np.arange(N) == 7, 6 - grades, grades)
    assert grades[7] != other[7]
    assert found(grades, other) == {}
    assert found(grades, 6 - grades) == {1: 0}


def test_each_data_set_may_have_units_of_its_own():
    own_units = np.where(TWO == 1, LENGTH / 2.54, 0.01 * LENGTH)
    assert found(LENGTH, own_units, codes=ONE) == {}
    assert found(LENGTH, own_units, codes=TWO) == {1: 0}


def test_a_copy_in_one_data_set_alone_stays():
    apart = np.where(TWO == 1, LENGTH / 2.54, WEIGHT)
    assert found(LENGTH, apart, codes=TWO) == {}


def test_the_column_with_fewest_gaps_stays():
    gappy = np.where(np.arange(N) % 9 == 0, np.nan, LENGTH)
    assert found(gappy, WEIGHT, LENGTH / 12) == {0: 2}


def test_a_column_that_fills_gaps_of_another_is_no_copy():
    one = np.where(np.arange(N) < 5, np.nan, LENGTH)
    other = np.where(np.arange(N) > 110, np.nan, LENGTH / 12)
    assert found(one, other) == {}


def test_rare_values_may_be_in_the_same_rows_by_chance():
    flag = (np.arange(N) < 9).astype(float)
    assert found(flag, flag) == {}
    more = (np.arange(N) < 10).astype(float)
    assert found(more, more) == {1: 0}


def test_few_rows_and_wide_tables_are_left_alone(monkeypatch):
    few = np.arange(9.0)
    assert found(few, few, codes=few.astype(int)) == {}
    monkeypatch.setattr(copies, "MOST_COLUMNS", 2)
    assert found(LENGTH, LENGTH, WEIGHT) == {}


def test_a_sample_of_many_rows_is_enough_to_look_for_copies(monkeypatch):
    monkeypatch.setattr(copies, "_SAMPLE", 30)
    assert found(WEIGHT, LENGTH, LENGTH / 2.54) == {2: 1}
    later = np.where(np.arange(N) == N - 1, 0, LENGTH)  # all rows decide
    assert found(LENGTH, later) == {}


def category(name, values):
    return Column(name, "category", "", np.array(values, dtype=object))


def test_categories_whose_values_go_together_say_the_same():
    land = RANDOM.choice(["Germany", "France", "Italy"], N).tolist()
    code = category("code", [word[:2].upper() if word else None for word in land])
    mixed = category("coarse", ["EU" if word != "Italy" else "IT" for word in land])
    made = copies.marked([category("country", land), mixed, code], ONE)
    assert [column.kind for column in made] == ["category", "category", "copy"]
    assert made[2].reason.startswith("says what 'country' says")
    kept = copies.marked([category("country", land), code], ONE, kept=["code"])
    assert [column.kind for column in kept] == ["category", "category"]


def test_yes_and_no_may_be_said_in_words_too():
    flag = Column("member", "yes/no", "", np.resize([0.0, 1.0], N))
    words = category("status", np.resize(["guest", "member"], N).tolist())
    made = copies.marked([flag, words], ONE)
    assert [column.kind for column in made] == ["yes/no", "copy"]


FRAME = pd.DataFrame({"cm": LENGTH.round(1), "kg": WEIGHT, "inch": (LENGTH / 2.54).round(1)})


def test_a_copy_among_numbers_is_left_out_with_a_sentence_and_stays_if_asked():
    table = FRAME.assign(site=SITES)
    data, notes, _ = kf.read(table, tasks="site")
    assert data.feature_names == ("cm", "kg")
    assert notes == [
        "'inch' says what 'cm' says and is left out (kf.read(..., kinds={'inch': 'number'}) keeps "
        "it)."
    ]
    kept = kf.read(table, tasks="site", kinds={"inch": "number"})
    assert kept.data.feature_names == ("cm", "kg", "inch")
    assert kf.read(table, tasks="site", only=["cm", "inch"]).data.X.shape == (N, 2)


def test_a_copy_beside_words_is_left_out_and_described():
    table = FRAME.assign(plan=np.resize(["a", "b", "c"], N), site=SITES)
    data, _, _ = kf.read(table, tasks="site")
    assert {column.name: column.kind for column in data.columns}["inch"] == "copy"
    preparation = kf.Preparation()
    preparation.fit_transform(data)
    assert "inch" not in preparation.kinds
    assert any("inch (says what 'cm' says)" in note for note in preparation.notes)
    described = {column.name: column for column in kf.describe(table, tasks="site").columns}
    assert described["inch"].treatment == "left out"
    assert "says what 'cm' says" in described["inch"].reason


def test_views_keep_their_columns():
    data, _, _ = kf.read(FRAME, views="metric=cm,other=[ik]*")
    assert data.X.shape == (N, 3)


def test_new_rows_may_have_the_column_that_was_left_out_or_lack_it():
    table = FRAME.assign(site=SITES)
    made = kf.compare(table, tasks="site", n_clusters=2, method="mec")
    both = made.model.assign(table).labels
    lacking = made.model.assign(table[["cm", "kg", "site"]]).labels
    np.testing.assert_array_equal(both, lacking)
    np.testing.assert_array_equal(both, made.model.estimator.labels_)
