"""Mixed columns as one matrix."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.errors import FileFormatError, InputError
from kinfolk.preparation import Preparation
from kinfolk.preparation.recipes import Recipe
from kinfolk.tables import RelatedData
from kinfolk.tables.columns import Column

RANDOM = np.random.default_rng(0)


def column(name, values, kind=None, levels=()):
    words = any(isinstance(value, str) for value in values)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    array = array if words else np.array(values, dtype=float)
    return Column(name, kind or ("category" if words else "number"), "", array, levels)


def data_of(*columns, tasks=None):
    n = len(columns[0].values)
    tasks = np.array(["a"] * n if tasks is None else tasks)
    names = tuple(c.name for c in columns)
    return RelatedData("rows", tasks, np.arange(n).astype(str), None, names, columns=columns)


def prepared(*columns, tasks=None):
    preparation = Preparation()
    return preparation.fit_transform(data_of(*columns, tasks=tasks)), preparation


def mean_squared_difference(Z):
    return 2 * Z.var(axis=0).sum()


def test_a_number_differs_by_two_in_the_mean_whatever_its_unit():
    X, _ = prepared(column("x", (RANDOM.normal(size=200) * 1e6).tolist()))
    assert mean_squared_difference(X) == pytest.approx(2)


@pytest.mark.parametrize("n_levels", [2, 3, 7, 20])
def test_a_category_counts_no_more_than_a_number(n_levels):
    values = [f"l{i % n_levels}" for i in range(200)]
    X, _ = prepared(column("c", values))
    assert np.square(X[0] - X[1]).sum() == pytest.approx(2)
    assert mean_squared_difference(X) < 2


def test_units_and_shifts_of_a_task_do_not_matter():
    x = RANDOM.normal(size=60)
    tasks = ["a"] * 30 + ["b"] * 30
    moved = np.where(np.arange(60) < 30, x, 1000 * x + 7)
    X, _ = prepared(column("x", x.tolist()), tasks=tasks)
    Y, _ = prepared(column("x", moved.tolist()), tasks=tasks)
    np.testing.assert_allclose(X, Y)


def test_scales_give_the_columns_back_as_they_are_in_the_table():
    x = RANDOM.normal(size=60)
    tasks = ["a"] * 30 + ["b"] * 30
    moved = np.where(np.arange(60) < 30, x, 1000 * x + 7)
    words = column("c", ["r", "s", "t"] * 20)
    X, preparation = prepared(column("x", moved.tolist()), words, tasks=tasks)
    zeros, units = preparation.scales(["b", "a", "new"])
    rows = [slice(30, 60), slice(0, 30)]
    for t, own in enumerate(rows):
        np.testing.assert_allclose(zeros[t, 0] + units[t, 0] * X[own, 0], moved[own])
        assert set((zeros[t, 1:] + units[t, 1:] * X[own, 1:]).round(9).ravel()) == {0.0, 1.0}
    np.testing.assert_allclose(units[2], units[:2].mean(axis=0))
    _, alone = prepared(words, tasks=tasks)
    assert alone.scales(["a"]) is None


def test_yes_and_no_are_one_column():
    X, preparation = prepared(column("vip", [0, 1, 1, 0], "yes/no"))
    assert preparation.feature_names == ("vip",)
    np.testing.assert_allclose(X.ravel(), np.sqrt(2) * np.array([0, 1, 1, 0]))


def test_ordered_categories_have_a_column_for_each_step_up():
    sizes = column("size", ["S", "L", "M", None, "L"], "ordered category", ("S", "M", "L"))
    X, preparation = prepared(sizes)
    reached = np.array([[0, 0], [1, 1], [1, 0], [1, 1], [1, 1]])
    np.testing.assert_allclose(X, reached / np.sqrt(3 / 16 + 1 / 4))
    assert preparation.feature_names == ("size>=M", "size>=L")


@pytest.mark.parametrize("n_levels", [2, 3, 7])
def test_an_ordered_category_counts_as_a_number_in_each_task(n_levels):
    levels = tuple("abcdefg"[:n_levels])
    values = RANDOM.choice(levels, size=120).tolist()
    tasks = ["a"] * 60 + ["b"] * 60
    X, _ = prepared(column("c", values, "ordered category", levels), tasks=tasks)
    assert mean_squared_difference(X[:60]) == pytest.approx(2)
    assert mean_squared_difference(X[60:]) == pytest.approx(2)


def test_an_ordered_category_of_one_level_makes_no_column():
    numbers = column("x", [1.0, 2, 3, 4, 5])
    X, _ = prepared(column("c", ["a"] * 5, "ordered category", ("a", "b")), numbers)
    np.testing.assert_array_equal(X, prepared(numbers)[0])


def test_an_ordered_category_of_an_older_version_stays_one_number():
    sizes = column("size", ["S", "L", "M", None, "L"], "ordered category", ("S", "M", "L"))
    settings, _ = prepared(sizes)[1].to_state()
    ranks = np.array([0, 2, 1, 2])
    learned = {"centers": ranks.mean(), "spreads": ranks.std(), "fills": 0.1}
    arrays = {name: np.full((2, 1), value) for name, value in learned.items()}
    older = Preparation.from_state({**settings, "feature_names": ["size"]}, arrays)
    expected = (ranks - ranks.mean()) / ranks.std()
    data = data_of(sizes)
    np.testing.assert_allclose(older.transform(data).ravel(), np.insert(expected, 3, 0.1))
    again = Preparation.from_state(*older.to_state())
    np.testing.assert_array_equal(again.transform(data), older.transform(data))
    new_task = replace(data, tasks=np.full(5, "new"))
    older.add_tasks(new_task)
    new = older.transform(new_task).ravel()
    filled = (np.median(ranks) - ranks.mean()) / ranks.std()
    np.testing.assert_allclose(new, np.insert(expected, 3, filled))


def test_gaps_of_a_single_number_take_the_median_of_their_task():
    x = column("x", [1.0, 2.0, 9.0, 2.5, None, 5.0, 7.0, None, 6.0, 5.5])
    X, preparation = prepared(x, tasks=["a"] * 5 + ["b"] * 5)
    filled = [1.0, 2.0, 9.0, 2.5, 2.25, 5.0, 7.0, 5.75, 6.0, 5.5]
    for rows in (slice(0, 5), slice(5, 10)):
        there = [v for v in x.values[rows].tolist() if not np.isnan(v)]
        expected = (np.array(filled[rows]) - np.mean(there)) / np.std(there)
        np.testing.assert_allclose(X[rows, 0], expected)
    assert "by the median" in preparation.notes[-1]
    assert "x 2." in preparation.notes[-1]


def test_gaps_of_categories_take_the_most_frequent_value_of_their_task():
    x = column("x", [1.0, 2.0, 9.0, 2.5, None, 5.0, 7.0, None, 6.0, 5.5])
    c = column("c", ["u", "u", "v", "u", None, "v", "v", None, "u", "v"])
    X, preparation = prepared(x, c, tasks=["a"] * 5 + ["b"] * 5)
    assert preparation.feature_names == ("x", "c=v")
    # Rows of which nothing is known stand at the mean of the numbers.
    np.testing.assert_allclose(X[[4, 7]], [[0, 0], [0, np.sqrt(2)]], atol=1e-12)
    assert "others by the most frequent value" in preparation.notes[-1]
    assert "x 2, c 2" in preparation.notes[-1]
    _, preparation = prepared(c, tasks=["a"] * 5 + ["b"] * 5)
    assert preparation.notes[-1].startswith("Gaps are filled by the most frequent value of their")


def test_a_column_that_a_task_lacks_does_not_set_it_apart():
    tasks = ["a"] * 20 + ["b"] * 20
    x = RANDOM.normal(5, 1, 40)
    x[20:] = np.nan
    words = [["u", "v", "w"][i % 3] if i < 20 else None for i in range(40)]
    X, preparation = prepared(column("x", x.tolist()), column("c", words), tasks=tasks)
    assert not any("missing" in name for name in preparation.feature_names)
    assert np.ptp(X[20:], axis=0).max() == 0
    np.testing.assert_allclose(X[20:].mean(axis=0), X[:20].mean(axis=0), atol=1e-12)


def test_rare_values_are_joined_and_it_is_said():
    values = ["u", "v"] * 150 + ["r1", "r2"]
    X, preparation = prepared(column("c", values))
    assert preparation.feature_names == ("c=u", "c=v", "c=other")
    assert X[-2:].tolist() == [[0, 0, 1]] * 2
    assert "Rare values are joined as 'other' in 'c'" in preparation.notes[0]


def test_a_category_of_thousands_of_values_is_left_out_with_a_word():
    values = [f"v{i // 2}" for i in range(4000)]
    _, preparation = prepared(column("x", RANDOM.normal(size=4000).tolist()), column("c", values))
    assert preparation.feature_names == ("x",)
    assert "c (category in which no value has 1% of the rows)" in preparation.notes[0]


def test_kinds_that_say_nothing_are_left_out_with_a_word():
    id_ = column("id", ["r1", "r2", "r3"], "identifier")
    _, preparation = prepared(id_, column("x", [1.0, 2.0, 3.0]))
    assert preparation.notes == ["Columns left out: id (identifier)."]
    with pytest.raises(InputError, match="no column is left to cluster on, out of 'id'"):
        prepared(id_)


def test_unclear_columns_are_refused():
    with pytest.raises(InputError, match="column 'c' is unclear"):
        prepared(column("c", ["1", "x"], "unclear"))


def test_new_values_are_other_or_halfway():
    many = column("c", ["u", "v", "w", "u", "v", "w"] * 30 + ["r"])
    two = column("d", ["p", "q"] * 90 + ["p"])
    _, preparation = prepared(many, two)
    new = preparation.transform(data_of(column("c", ["new"]), column("d", ["new"])))
    assert new[0, -2] == 1
    assert new[0, -1] == pytest.approx(np.sqrt(0.5))


def test_each_new_row_depends_on_itself_alone():
    x = column("x", [1.0, 2.0, None, 4.0])
    c = column("c", ["u", None, "v", "u"])
    X, preparation = prepared(x, c)
    for i in range(4):
        row = data_of(*(replace(column, values=column.values[i : i + 1]) for column in (x, c)))
        np.testing.assert_array_equal(preparation.transform(row)[0], X[i])


def test_rows_without_gaps_or_words_may_come_as_plain_numbers():
    _, preparation = prepared(column("x", [1.0, None, 3.0]), column("c", ["1", "2", "1"]))
    rows = np.array(["a"])
    plain = RelatedData("t", rows, rows, np.array([[3.0, 2.0]]), ("x", "c"))
    mixed_row = data_of(column("x", [3.0]), column("c", ["2"]))
    expected = preparation.transform(mixed_row)
    np.testing.assert_array_equal(preparation.transform(plain), expected)
    sparse = replace(plain, X=sp.csr_array(plain.X))
    np.testing.assert_array_equal(preparation.transform(sparse), expected)


def test_missing_columns_and_words_for_numbers_are_refused():
    _, preparation = prepared(column("x", [1.0, None, 3.0]), column("c", ["u", "v", "u"]))
    with pytest.raises(InputError, match=r"lack 1 of the 2 columns .* \('c'\): add them"):
        preparation.transform(data_of(column("x", [1.0])))
    with pytest.raises(InputError, match="held numbers when the model was fitted"):
        preparation.transform(data_of(column("x", ["many"]), column("c", ["u"])))


def test_a_model_of_plain_numbers_refuses_gaps_with_advice():
    preparation = Preparation()
    rows = np.array(["a", "b"])
    preparation.fit_transform(RelatedData("t", rows, rows, np.array([[1.0], [2.0]]), ("x",)))
    with pytest.raises(InputError, match="nothing in data row 2 of column 'x'.* fill the gaps"):
        preparation.transform(data_of(column("x", [1.0, None])))


def test_new_tasks_take_the_means_of_the_others_until_they_are_learned():
    preparation = Preparation()
    x = column("x", [0.0, 2.0, 10.0, 14.0])
    preparation.fit_transform(data_of(x, tasks=["a", "a", "b", "b"]))
    new = data_of(column("x", [100.0, 300.0]), tasks=["c", "c"])
    np.testing.assert_allclose(preparation.transform(new).ravel(), [93.5 / 1.5, 293.5 / 1.5])
    preparation.add_tasks(new)
    np.testing.assert_allclose(preparation.transform(new).ravel(), [-1, 1])
    known = preparation.transform(data_of(x, tasks=list("aabb")))
    np.testing.assert_allclose(known.ravel(), [-1, 1, -1, 1])


def test_rows_may_have_unit_length():
    preparation = Preparation(scale="unit")
    X = preparation.fit_transform(data_of(column("x", [1.0, 2.0, 4.0]), column("c", list("uvu"))))
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1)


def stored():
    _, preparation = prepared(
        column("x", [1.0, None, 3.0, 5.0]), column("c", ["u", "v", "w", "w"]), tasks=list("aabb")
    )
    return preparation, *preparation.to_state()


def test_a_stored_preparation_prepares_as_before():
    preparation, settings, arrays = stored()
    data = data_of(column("x", [None, 2.0]), column("c", ["u", "new"]), tasks=["a", "z"])
    restored = Preparation.from_state(settings, arrays)
    np.testing.assert_array_equal(restored.transform(data), preparation.transform(data))
    assert restored.kinds == {"x": "number", "c": "category"}


def normals_broken(arrays):
    means, covariances = (arrays[name] for name in ("normal_means", "normal_covariances"))
    changed = {
        "means of too few tasks": {"normal_means": means[1:]},
        "means that are not finite": {"normal_means": np.full_like(means, np.inf)},
        "covariances of another type": {"normal_covariances": covariances.astype(np.float32)},
        "covariances of too few tasks": {"normal_covariances": covariances[1:]},
        "covariances that are not symmetric": {
            "normal_covariances": covariances + np.triu(np.ones_like(covariances), 1) / 100
        },
        "a covariance that is no matrix": {"normal_covariances": np.array(1.0)},
        "covariances that are not positive": {"normal_covariances": -covariances},
        "covariances without any variance": {"normal_covariances": 1e-300 * covariances},
    }
    made = {name: {**arrays, **change} for name, change in changed.items()}
    alone = {name: values for name, values in arrays.items() if name != "normal_means"}
    return {**made, "covariances without means": alone}


def broken(settings, arrays, damage):
    parts = settings["columns"]
    recipe = parts["recipes"][0]
    damages = {
        "no columns": {"columns": None},
        "no tasks": {"columns": {**parts, "tasks": []}},
        "a task twice": {"columns": {**parts, "tasks": ["a", "a"]}},
        "a task that is no word": {"columns": {**parts, "tasks": ["a", 1]}},
        "recipes of no list": {"columns": {**parts, "recipes": {}}},
        "an unknown kind": {"columns": {**parts, "recipes": [[recipe[0], "code", *recipe[2:]]]}},
        "too short a recipe": {"columns": {**parts, "recipes": [recipe[:3]]}},
        "levels of no words": {"columns": {**parts, "recipes": [["x", "category", [1], 1, 0]]}},
        "other names": {"feature_names": ["y", *settings["feature_names"][1:]]},
        "other fields": {"columns": {**parts, "code": "import os"}},
        "columns of a table of numbers": {"reads": "numbers"},
    }  # fmt: skip
    if damage in damages:
        return {**settings, **damages[damage]}, arrays
    changed = {
        "a missing array": {name: v for name, v in arrays.items() if name != "fills"},
        "negative spreads": {**arrays, "spreads": -arrays["spreads"]},
        "NaN": {**arrays, "fills": arrays["fills"] * np.nan},
        "another shape": {**arrays, "centers": arrays["centers"][:1]},
        "another type": {**arrays, "centers": arrays["centers"].astype(np.float32)},
        **normals_broken(arrays),
    }
    return settings, changed[damage]


@pytest.mark.parametrize(
    "damage",
    ["no columns", "no tasks", "a task twice", "a task that is no word", "recipes of no list",
     "an unknown kind", "too short a recipe", "levels of no words", "other names", "other fields",
     "columns of a table of numbers", "a missing array", "negative spreads", "NaN",
     "another shape", "another type", *normals_broken(stored()[2])],
)  # fmt: skip
def test_states_that_are_not_sound_are_refused(damage):
    _, settings, arrays = stored()
    with pytest.raises(FileFormatError):
        Preparation.from_state(*broken(settings, arrays, damage))


SPEND = np.exp(RANDOM.normal(size=60)).tolist()


def test_a_skewed_number_is_prepared_by_its_logarithm_also_from_a_file_and_for_new_tasks():
    tasks = ["a"] * 30 + ["b"] * 30
    X, preparation = prepared(column("spend", SPEND), column("y", [1.0, 2.0] * 30), tasks=tasks)
    L, _ = prepared(
        column("spend", np.log(SPEND).tolist()), column("y", [1.0, 2.0] * 30), tasks=tasks
    )
    np.testing.assert_allclose(X, L)
    assert any("logarithm" in note and "spend." in note for note in preparation.notes)
    restored = Preparation.from_state(*preparation.to_state())
    new = data_of(column("spend", [0.0, 5.0]), column("y", [1.0, 2.0]), tasks=["a", "c"])
    for one in (preparation, restored):
        one.add_tasks(new)
    np.testing.assert_array_equal(restored.transform(new), preparation.transform(new))
    assert np.isfinite(restored.transform(new)).all()


@pytest.mark.parametrize(
    "log", [[1.0], [0.0, 0.0], [-1.0, 0.0], [2.0, -1.0], [1, 2.0], [np.inf, 0.0], "1"]
)
def test_a_logarithm_that_no_number_has_is_refused(log):
    _, preparation = prepared(column("spend", SPEND))
    settings, arrays = preparation.to_state()
    settings["columns"]["recipes"][0][5] = log
    with pytest.raises(FileFormatError):
        Preparation.from_state(settings, arrays)


def test_a_balance_keeps_its_sign_also_for_new_rows_below_all_old_ones():
    balance = [*SPEND, *(-value / 3 for value in SPEND[:20])]
    _, preparation = prepared(column("balance", balance), column("y", [1.0, 2.0] * 40))
    assert any("(asinh)" in note and "balance." in note for note in preparation.notes)
    restored = Preparation.from_state(*preparation.to_state())
    new = data_of(column("balance", [-1e6, 5.0]), column("y", [1.0, 2.0]))
    X = restored.transform(new)
    np.testing.assert_array_equal(X, preparation.transform(new))
    assert np.isfinite(X).all()
    assert X[0, 0] < X[1, 0]


def test_states_of_plain_tables_are_stored_as_before():
    rows = np.array(["a", "b"])
    preparation = Preparation()
    preparation.fit_transform(RelatedData("t", rows, rows, np.array([[1.0], [2.0]]), ("x",)))
    assert "columns" not in preparation.to_state()[0]


def test_names_of_two_level_categories_name_the_level_that_is_above_zero():
    assert Recipe("sex", "category", ("female", "male")).names == ["sex=male"]


def test_all_columns_with_gaps_or_words_are_named_where_a_model_needs_numbers():
    two = np.array(["a", "b"])
    whole = RelatedData("old", two, two, np.eye(2, 3), ("x", "y", "z"))
    preparation = Preparation()
    preparation.fit_transform(whole)
    new = data_of(
        column("x", [1.0, 2.0, np.nan]), column("y", ["no", "yes", "no"]), column("z", [2.0, 2, 2])
    )
    told = "has 'no' in data row 1 of column 'y'.*Gaps or words stand in 'x', too"
    with pytest.raises(InputError, match=told):
        preparation.transform(new)
