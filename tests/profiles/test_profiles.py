import csv
import io

import numpy as np
import pytest
import scipy.sparse as sp

import kinfolk as kf
import oracles_profiles as loops
from kinfolk.profiles import from_moments, profile, summaries
from kinfolk.tables import RelatedData
from kinfolk.tables.columns import Column


def objects(values):
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def related(columns, tasks):
    n = len(tasks)
    return RelatedData("t", np.array(tasks), np.arange(n).astype(str), columns=tuple(columns))


@pytest.fixture
def mixed():
    """Make 30 rows of three kinds in two tasks, with gaps; kind 7 is not in task b."""
    rng = np.random.default_rng(0)
    tasks = ["a"] * 18 + ["b"] * 12
    kinds = [2] * 6 + [4] * 6 + [7] * 6 + [2] * 5 + [4] * 7
    income = rng.normal(50_000, 9000, 30) + 8000 * np.array(kinds)
    income[[3, 8, 20]] = np.nan
    plan = objects(rng.choice(["free", "pro", "team"], 30).tolist())
    plan[5] = None
    data = related(
        [Column("income", "number", "", income), Column("plan", "category", "", plan)], tasks
    )
    return data, kinds, tasks


def test_numbers_are_those_of_loops(mixed):
    data, kinds, tasks = mixed
    found = profile(data, kinds)
    income = found.columns[0]
    values = data.columns[0].values.tolist()
    for k, kind in enumerate([2, 4, 7, None]):
        for t, task in enumerate(["a", "b", None]):
            own = loops.cell(values, kinds, tasks, kind, task)
            assert income.count[k, t] == len(own)
            if not own:
                assert np.isnan(income.mean[k, t])
                continue
            assert income.mean[k, t] == pytest.approx(loops.mean(own), rel=1e-12)
            assert income.deviation[k, t] == pytest.approx(loops.deviation(own), rel=1e-9)
            for q, of in ((0.25, income.lower), (0.5, income.median), (0.75, income.upper)):
                assert of[k, t] == pytest.approx(loops.quantile(own, q), rel=1e-12)


def test_effects_are_those_of_loops(mixed):
    data, kinds, tasks = mixed
    income, plan = profile(data, kinds).columns
    values = data.columns[0].values.tolist()
    for k, kind in enumerate([2, 4, 7]):
        assert income.effects[k, 0] == pytest.approx(loops.effect(values, kinds, tasks, kind))
        assert income.others[k, 0] == pytest.approx(loops.others(values, kinds, tasks, kind))
        for v, value in enumerate(plan.values):
            words = data.columns[1].values.tolist()
            coded = [np.nan if w is None else float(w == value) for w in words]
            assert plan.effects[k, v] == pytest.approx(loops.effect(coded, kinds, tasks, kind))
            assert plan.others[k, v] == pytest.approx(loops.others(coded, kinds, tasks, kind))


def test_shares_of_a_category_leave_gaps_out_and_sum_to_one(mixed):
    data, kinds, tasks = mixed
    plan = profile(data, kinds).columns[1]
    words = data.columns[1].values.tolist()
    known = [w for w, k, t in zip(words, kinds, tasks, strict=True) if (k, t) == (2, "a") and w]
    for v, value in enumerate(plan.values):
        assert plan.shares[0, 0, v] == pytest.approx(known.count(value) / len(known))
    sums = plan.shares.sum(axis=2)
    assert sums[~np.isnan(sums)] == pytest.approx(1.0)


def test_gaps_are_a_share_of_rows(mixed):
    data, kinds, _ = mixed
    found = profile(data, kinds)
    income = found.columns[0]
    assert income.gaps[0, 0] == pytest.approx(1 / 6)
    assert income.gaps[-1, -1] == pytest.approx(3 / 30)
    assert np.isnan(income.gaps[2, 1])


def test_a_kind_that_a_task_lacks_has_no_rows_and_no_values_there(mixed):
    data, kinds, _ = mixed
    found = profile(data, kinds)
    assert found.kinds == (2, 4, 7)
    assert found.sizes.tolist() == [[6, 5, 11], [6, 7, 13], [6, 0, 6], [18, 12, 30]]
    assert [column.shown(2, 1) for column in found.columns] == ["–", "–"]


def test_rare_values_of_a_category_are_joined():
    words = objects(["a"] * 200 + ["b"] * 200 + ["c"])
    found = profile(related([Column("x", "category", "", words)], ["t"] * 401), [0, 1] * 200 + [0])
    assert found.columns[0].values == ("a", "b", summaries.OTHER)


def test_levels_of_an_ordered_category_stay_in_order():
    column = Column("size", "ordered category", "", objects(["l", "s", "m", "l"]), ("s", "m", "l"))
    found = profile(related([column], ["t"] * 4), [0, 0, 1, 1]).columns[0]
    assert found.values == ("s", "m", "l")
    assert found.shares[0, -1].tolist() == [0.5, 0, 0.5]


def test_dates_are_shown_and_written_as_dates():
    days = np.array([0.0, 2.0, 10_000.0])
    found = profile(related([Column("since", "date", "", days)], ["t"] * 3), [0, 0, 1])
    assert found.columns[0].shown(0) == "1970-01-02"
    line = next(csv.DictReader(io.StringIO(found.csv())))
    assert (line["mean"], line["deviation"]) == ("1970-01-02", "1")


def test_times_of_day_are_shown_and_written_as_such(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("site,came,age\n" + "\n".join(f"a,{h}:30,{h + 20}" for h in (8, 9, 13, 14)))
    found = profile(kf.read(path, tasks="site").data, [0, 0, 1, 1])
    came = next(column for column in found.columns if column.name == "came")
    assert (came.shown(0), came.shown(1)) == ("09:00", "14:00")
    line = next(csv.DictReader(io.StringIO(found.csv())))
    assert (line["column"], line["mean"]) == ("came", "09:00")


def test_identifiers_texts_and_constants_have_no_profile():
    values = objects(["u", "v"])
    columns = [Column(kind, kind, "", values) for kind in ("identifier", "text", "constant")]
    assert profile(related(columns, ["t", "t"]), [0, 1]).columns == ()


def test_units_and_shifts_of_tasks_do_not_change_effects():
    rng = np.random.default_rng(1)
    tasks = ["a"] * 20 + ["b"] * 20
    kinds = ([0] * 8 + [1] * 12) * 2
    values = rng.normal(size=40) + 2 * np.array(kinds)
    moved = np.where(np.array(tasks) == "b", 2.54 * values + 100, values)
    first, second = (
        profile(related([Column("x", "number", "", v)], tasks), kinds).columns[0].effects
        for v in (values, moved)
    )
    assert first == pytest.approx(second)


@pytest.mark.parametrize("factor", [1e-15, 1e9])
def test_tiny_numbers_and_large_ones_have_the_effects_of_others(factor):
    kinds = np.repeat([0, 1], 50)
    tasks = np.tile(["a", "b"], 50)
    X = np.random.default_rng(0).normal(size=(100, 1)) + 3 * kinds[:, None]
    usual, other = (
        kf.profile(table, kinds, tasks=tasks).columns[0].effects for table in (X, factor * X)
    )
    np.testing.assert_allclose(other, usual, rtol=1e-9)


def test_a_task_in_small_units_keeps_its_deviations_beside_one_in_large_units():
    kinds = np.tile([0, 0, 1], 40)
    tasks = np.repeat(["gigabytes", "bytes"], 60)
    X = np.random.default_rng(0).normal(size=(120, 1)) + 3 * kinds[:, None]
    in_bytes = np.where(tasks == "bytes", 1e9, 1.0)[:, None]
    usual, other = (kf.profile(table, kinds, tasks=tasks) for table in (X, in_bytes * X))
    one, two = usual.columns[0], other.columns[0]
    np.testing.assert_allclose(two.deviation[:, 0], one.deviation[:, 0], rtol=1e-6)
    np.testing.assert_allclose(two.effects, one.effects, rtol=1e-6)
    clusters = kinds + 2 * (tasks == "bytes")
    sums = from_moments.moments(in_bytes * X, clusters, 4)
    of_clusters = np.repeat(["gigabytes", "bytes"], 2)
    stored = from_moments.profiles(sums, np.array([0, 1, 0, 1]), of_clusters, ["size"])
    np.testing.assert_allclose(stored.columns[0].effects, one.effects, rtol=1e-6)


def test_a_constant_column_has_no_effect_and_a_kind_alone_in_its_task_none_at_all():
    constant = profile(
        related([Column("x", "number", "", np.full(4, 0.1))], ["a"] * 4), [0, 0, 1, 1]
    )
    assert constant.columns[0].effects.tolist() == [[0.0], [0.0]]
    alone = profile(related([Column("x", "number", "", np.arange(4.0))], ["a"] * 4), [0, 0, 0, 0])
    assert np.isnan(alone.columns[0].effects).all()
    assert alone.differences(0) == []


def test_a_column_name_that_occurs_twice_has_two_profiles():
    columns = [Column("x", "number", "", np.array(v)) for v in ([0.0, 1.0], [5.0, 7.0])]
    found = profile(related(columns, ["t", "t"]), [0, 1])
    assert [column.shown() for column in found.columns] == ["0.50", "6.0"]


def test_large_dates_and_numbers_keep_their_digits():
    values = 1e9 + np.array([0.0, 1.0, 2.0, 3.0])
    found = profile(related([Column("x", "number", "", values)], ["t"] * 4), [0, 0, 1, 1])
    assert found.columns[0].deviation[:, -1] == pytest.approx([0.5, 0.5, np.sqrt(1.25)])


@pytest.mark.parametrize(
    ("name", "first", "shown"),
    [
        ("model year", 1999, "2000.5"),
        ("Baujahr", 1999, "2000.5"),
        ("price", 1999, "2,000.5"),
        ("years of debt", 21_999, "22,000.5"),
    ],
)
def test_years_have_no_comma_between_thousands(name, first, shown):
    X = first + np.arange(4.0)[:, None]
    data = RelatedData("t", np.full(4, "a"), np.arange(4), X, (name,))
    (column,) = profile(data, [0, 0, 0, 0]).columns
    assert column.shown() == shown


def test_terms_are_shares_of_texts_that_hold_them():
    X = sp.csr_array([[3, 0, 1], [1, 0, 1], [0, 2, 1], [0, 1, 1]])
    data = RelatedData("t", np.full(4, "a"), np.arange(4), texts=("", "", "", ""))
    found = profile(data, [0, 0, 1, 1], X, ("goal", "vote", "the"))
    assert [c.name for c in found.columns] == ["goal", "vote"]
    assert [str(d) for d in found.differences(0)] == ["goal: 100 % beside 0 % (+2.0)"]


def test_of_wide_tables_the_columns_that_set_kinds_apart_are_kept(monkeypatch):
    monkeypatch.setattr(summaries, "MOST_COLUMNS", 10)
    monkeypatch.setattr(summaries, "OF_A_KIND", 2)
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 100))
    X[:30, [3, 80]] += 9
    data = RelatedData("t", np.full(60, "a"), np.arange(60), X, tuple(f"x{j}" for j in range(100)))
    for table in (data.X, sp.csr_array(X)):
        wide = RelatedData("t", data.tasks, data.row_ids, table, data.feature_names)
        found = profile(wide, [0] * 30 + [1] * 30)
        assert [column.name for column in found.columns] == ["x3", "x80"]
        assert found.columns[1].mean[0, 0] == pytest.approx(X[:30, 80].mean())


def test_lines_have_every_kind_task_and_value_once(mixed):
    data, kinds, _ = mixed
    lines = list(csv.DictReader(io.StringIO(profile(data, kinds).csv())))
    keys = [(x["matched_cluster"], x["task"], x["column"], x["value"]) for x in lines]
    assert len(keys) == len(set(keys)) == 4 * 3 * (1 + 3)


def test_names_and_values_with_commas_quotes_and_lines_come_back():
    column = Column('a,"b"\n', "category", "", objects(['x,"y"', 'x,"y"', "z\nz", "z\nz"]))
    found = profile(related([column], ["t"] * 4), [0, 0, 1, 1], names={0: 'fam,"1"'})
    lines = list(csv.DictReader(io.StringIO(found.csv())))
    assert {line["column"] for line in lines} == {'a,"b"\n'}
    assert {line["value"] for line in lines} == {'x,"y"', "z\nz"}
    assert lines[0]["name"] == 'fam,"1"'


def test_the_frame_has_the_lines_of_the_csv(mixed):
    data, kinds, _ = mixed
    found = profile(data, kinds)
    frame = found.frame()
    assert len(frame) == found.csv().count("\n") - 1
    assert frame["mean"].dtype == float
    assert (
        frame.query("matched_cluster == 2 and task == 'b' and column == 'income'")["rows"].item()
        == 5
    )


def test_typical_rows_are_nearest_to_the_mean_of_their_cluster(mixed):
    data, kinds, tasks = mixed
    X = np.random.default_rng(3).normal(size=(30, 4))
    found = profile(data, kinds, X)
    own = [i for i in range(30) if (kinds[i], tasks[i]) == (4, "b")]
    center = X[own].mean(axis=0)
    nearest = sorted(own, key=lambda i: ((X[i] - center) ** 2).sum())[:3]
    assert [row.row for row in found.typical if (row.kind, row.task) == (1, 1)] == nearest
    first = found.typical_rows(1)
    assert [(row.task, row.rank) for row in first] == [(1, 0), (0, 0), (1, 1)]
    assert first[0].row_id == str(nearest[0])


@pytest.mark.parametrize(
    ("hours", "shown"),
    [
        ([8766.0, 3 * 8766.0], "2.0 years"),
        ([24.0, 72.0], "2.0 days"),
        ([1.0, 3.0], "2.0 h"),
        ([0.5, 0.6], "33.0 min"),
        ([0.001, 0.002], "5.4 s"),
    ],
)
def test_lengths_of_time_are_shown_in_a_unit_that_fits_their_spread(hours, shown):
    wait = Column("wait", "duration", "", np.array(hours))
    rows = np.arange(2)
    data = RelatedData("visits", np.full(2, "a"), rows, columns=(wait,))
    assert profile(data, [0, 0]).columns[0].shown() == shown


def test_tiny_numbers_are_shown_with_a_power_of_ten():
    X = 1e-11 * np.array([[1.0], [3.0], [-61.0], [-63.0]])
    column = kf.profile(X, [0, 0, 1, 1]).columns[0]
    assert (column.shown(0), column.shown(1)) == ("2e−11", "−6.2e−10")


def test_a_mean_just_below_zero_is_zero():
    amount = Column("cart", "amount", "", np.array([0.0, 0.0, 90.0]))
    data = RelatedData("shops", np.full(3, "a"), np.arange(3), columns=(amount,))
    column = profile(data, [0, 0, 1]).columns[0]
    assert (column.text(-1e-12), column.text(-80.0)) == ("0", "−80")


def test_units_stand_beside_the_names_of_columns_and_in_the_file():
    frame = {
        "glucose": ["5,1 mmol/l", "5,3 mmol/l", "9,8 mmol/l", "9,1 mmol/l"],
        "weight kg": ["70 kg", "72 kg", "90 kg", "95 kg"],
        "age": [20.0, 24.0, 60.0, 64.0],
        "smokes": ["nein", "nein", "ja", "ja"],
    }
    tasks = np.full(4, "all")
    mixed = RelatedData("t", tasks, np.arange(4), columns=kf.describe(frame).columns)
    found = profile(mixed, [0, 0, 1, 1])
    labels = [difference.label for difference in found.differences(1)]
    assert set(labels) == {"glucose (mmol/l)", "weight kg", "age", "smokes = ja"}
    lines = list(csv.DictReader(io.StringIO(found.csv())))
    units = {line["column"]: line["unit"] for line in lines}
    assert units == {"glucose": "mmol/l", "weight kg": "kg", "age": "", "smokes": ""}
    assert {line["value"] for line in lines if line["column"] == "smokes"} == {"ja"}
    X = np.array([[1.0], [2.0], [8.0], [9.0]])
    numbers = RelatedData("t", tasks, np.arange(4), X, ("cost",), written={"cost": "in EUR"})
    assert profile(numbers, [0, 0, 1, 1]).columns[0].heading == "cost (EUR)"


@pytest.mark.parametrize("scale", [3.0, 0.1, 7.3e5])
def test_columns_that_differ_equally_are_in_the_order_of_the_table(scale):
    rng = np.random.default_rng(0)
    x = rng.normal(size=40)
    x[20:] += 3
    # In exact numbers all three have one effect; their last digits differ.
    X = np.column_stack([x, scale * x + 1, x / scale])
    found = kf.profile(X, [0] * 20 + [1] * 20)
    assert len({column.effects[0, 0] for column in found.columns}) > 1
    for kind in (0, 1):
        assert [d.column.name for d in found.differences(kind)] == ["x0", "x1", "x2"]


def in_two_units():
    """Profile 90 rows of two kinds in three tasks, of which one has mmol/l in place of mg/dl."""
    rng = np.random.default_rng(0)
    tasks = np.repeat(["a", "b", "c"], 30)
    kinds = np.tile([0, 1], 45)
    X = rng.normal(100 + 60 * kinds, 8)[:, None]
    X[tasks == "c"] /= 18
    data = RelatedData("t", tasks, np.arange(90), np.hstack([X, X**0]), ("glucose", "one"))
    return profile(data, kinds), X, kinds, tasks


def test_a_column_whose_units_may_differ_has_no_average_over_data_sets():
    found, X, kinds, tasks = in_two_units()
    glucose = found.columns[0]
    assert glucose.units_differ
    assert not found.columns[1].units_differ
    for values in (*glucose.statistics, glucose.others):
        assert np.isnan(values[:, -1]).all()
    own = X[(kinds == 1) & (tasks == "c")]
    assert glucose.mean[1, 2] == pytest.approx(own.mean())
    lines = list(csv.DictReader(io.StringIO(found.csv())))
    over = [x for x in lines if x["column"] == "glucose" and x["task"] == "all data sets"]
    assert {x["mean"] + x["median"] for x in over} == {""}
    assert [x["effect"] != "" for x in over] == [True, True, False]


def test_a_column_whose_units_may_differ_is_told_in_deviations_and_in_the_digits_of_each_task():
    found, X, kinds, tasks = in_two_units()
    glucose = found.columns[0]
    effect = glucose.effects[1, 0]
    assert glucose.shown(1) == f"{effect:+.1f} SD"
    assert glucose.shown() == "–"
    assert (
        str(found.differences(1)[0])
        == f"glucose: {effect:.1f} standard deviations above the others of each data set"
    )
    means = [X[(kinds == 1) & (tasks == task)].mean() for task in "ac"]
    assert [glucose.shown(1, 0), glucose.shown(1, 2)] == [f"{means[0]:.0f}", f"{means[1]:.1f}"]
