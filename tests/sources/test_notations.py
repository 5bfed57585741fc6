"""Notations of numbers, lengths of time and codes, from files to the matrix and new rows."""

import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import kinfolk as kf
from kinfolk import sources
from kinfolk.errors import InputError
from kinfolk.models import new_rows
from kinfolk.preparation import Preparation
from kinfolk.sources import kinds, native, parsing, spelling
from kinfolk.tables import columns

NUMBERS = {
    "brackets": (["$(1,200.50)", "$30.00", "($5.00)"], [-1200.5, 30, -5]),
    "a minus behind": (["1.200,50-", "30,00"], [-1200.5, 30]),
    "a minus sign": (["−3.5", "2"], [-3.5, 2]),
    "bounds": (["<0.5", "0.7", "12", ">100"], [0.5, 0.7, 12, 100]),
    "an open end": (["0", "1", "2", "3+"], [0, 1, 2, 3]),
    "an open end in words": (["60", "70", "80 or older"], [60, 70, 80]),
    "bounds with decimal commas": (["< 0,5", "0,7", "1,2"], [0.5, 0.7, 1.2]),
    "dots between thousands of money": (["1.200 €", "950 €"], [1200, 950]),
    "dots between thousands, twice": (["1.128.466", "850.000"], [1128466, 850000]),
    "dots beside decimal commas": (["1.200", "0,5"], [1200, 0.5]),
    "lakhs and crores": (["₹1,25,000", "₹1,02,10,500.50", "₹95,000"], [125e3, 10210500.5, 95e3]),
    "lakhs without a currency": (["1,25,000", "45,000", "900"], [125_000, 45_000, 900]),
    "degrees": (["45°", "3°"], [45, 3]),
    "points out of ten": (["7/10", "3/10"], [7, 3]),
    "one unit per another": (["3,5 mg/l", "12 mg/l"], [3.5, 12]),
    "the sign for degrees Celsius": (["12.3℃", "-4.0℃"], [12.3, -4]),
    "a word behind": (["1 room", "12 rooms"], [1, 12]),
    "a unit in singular and plural": (["1 day", "2 days", "12 days"], [1, 2, 12]),
}

WORDS = {
    "ends of a scale": ["<18", ">60"],
    "labels in brackets": ["(1)", "(2)", "(3)"],
    "classes": ["5d", "5g"],
    "half a ratio of units": ["3/mg", "4/mg"],
    "odds": ["1/2", "3/4"],
    "streets": ["12 Main St", "3 Main St"],
}


@pytest.mark.parametrize("case", NUMBERS)
def test_numbers_are_read_in_their_notation(case):
    words, wanted = NUMBERS[case]
    found = parsing.numbers(words).found
    assert [found[word] for word in words] == wanted


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("words", [*(words for words, _ in NUMBERS.values()), ["5%", "7.5%"]])
def test_a_word_for_a_gap_changes_no_number_beside_it(words, known):
    alone = parsing.numbers(words, known)
    assert parsing.numbers([*words, "-", "k.A.", "not known"], known) == alone
    assert len(alone.found) == len(words)


@pytest.mark.parametrize("case", WORDS)
def test_other_words_are_no_numbers(case):
    assert parsing.numbers(WORDS[case]).found == {}


@pytest.mark.parametrize("mark", [",", "."])
def test_a_mark_in_all_numbers_from_1000_on_divides_thousands(mark):
    numbers = [1022 + 397 * i for i in range(10)]
    words = [f"{number:,} km".replace(",", mark) for number in numbers]
    found = parsing.numbers([*words, "648 km", "7 km"])
    assert [found.found[word] for word in words] == numbers
    assert found.found["648 km"] == 648
    # Too few, none below 1000, or one from 1000 on that has no mark.
    for other in ([*words[:9], "648 km"], words, [*words, "648 km", "1500 km"]):
        assert parsing.numbers(other).found[words[0]] == 1.022


def test_a_column_of_a_file_may_have_dots_in_all_numbers_from_1000_on(tmp_path):
    path = tmp_path / "t.csv"
    words = [f"{1022 + 397 * i:,}".replace(",", ".") for i in range(10)]
    for more, wanted in ((["648", "7"], 648), (["6.25", "7"], 6.25)):
        path.write_text("site,n\n" + "".join(f"a,{word}\n" for word in [*words, *more]))
        data = sources.read(path, tasks="site").data
        assert data.X[-2, 0] == wanted
        assert data.X[0, 0] == (1022 if wanted == 648 else 1.022)
        assert data.written == ({"n": "with dots between thousands"} if wanted == 648 else {})
        frame = pd.read_csv(path, dtype=str)
        assert np.array_equal(sources.read(frame, tasks="site").data.X, data.X)


def test_new_rows_have_dots_between_thousands_as_all_numbers_of_the_fit_from_1000_on(tmp_path):
    path = tmp_path / "t.csv"
    words = [f"{1 + i % 9}.{200 + i}" for i in range(20)]
    path.write_text("shop,n\n" + "".join(f"s,{word}\n" for word in [*words, "648", "7"]))
    model = kf.compare(path, tasks="shop", n_clusters=2, method="kmeans", random_state=0).model
    path.write_text("shop,n\ns,1.200\n")
    assert model.read(path, {}).data.X.tolist() == [[1200]]


def test_dots_before_three_digits_are_decimal_where_nothing_says_thousands():
    assert parsing.numbers(["1.234", "2.345"]).found == {"1.234": 1.234, "2.345": 2.345}
    assert parsing.numbers(["1.50 €", "1.500 €"]).found == {"1.50 €": 1.5, "1.500 €": 1.5}


DURATIONS = {
    "hours and minutes": (["1h 20m", "45m", "2 h"], [4 / 3, 0.75, 2]),
    "years and months": (["2 years 6 months", "1 year"], [2.5 * 8766, 8766]),
    "words between": (["2 Tage und 3 Stunden", "5 Stunden"], [51, 5]),
    "a clock beyond a day": (["26:30:00", "1:00:00"], [26.5, 1]),
}


@pytest.mark.parametrize("case", DURATIONS)
def test_lengths_of_time_are_hours(case):
    words, wanted = DURATIONS[case]
    found = kinds.decide("t", native.of_values("t", words))
    assert found.kind == columns.DURATION
    np.testing.assert_allclose(found.values, wanted)


@pytest.mark.parametrize("words", [["8:30:00", "9:00:00"], ["70 m", "80 m"], ["3 km", "2 h"]])
def test_other_times_and_units_are_no_durations(words):
    assert kinds.decide("start", native.of_values("start", words)).kind != columns.DURATION


def test_a_clock_is_a_duration_where_the_name_or_the_user_says_so():
    raw = native.of_values("c", ["0:30:00", "1:15:00"])
    assert kinds.decide("Call duration", raw).values.tolist() == [0.5, 1.25]
    assert kinds.decide("c", raw, asked="duration").values.tolist() == [0.5, 1.25]


@pytest.mark.parametrize("name", ["zip", "PLZ", "Postal code", "code postal", "store_id"])
def test_repeated_numbers_named_as_codes_are_categories(name):
    values = [10115, 20095, 80331] * 10
    found = kinds.decide(name, native.of_values(name, values))
    assert (found.kind, found.values[0]) == (columns.CATEGORY, "10115")
    assert "by the name are codes" in found.reason
    for other in ("size", "paid", "GRID"):
        assert kinds.decide(other, native.of_values(other, values)).kind == columns.AMOUNT


def test_long_numbers_that_all_differ_are_names_if_they_have_one_length():
    accounts = [400_000_000_000 + 7919 * i * i for i in range(20)]
    assert kinds.decide("x", native.of_values("x", accounts)).kind == columns.IDENTIFIER
    amounts = [10 ** (8 + i // 4) + 7919 * i * i for i in range(20)]
    assert kinds.decide("x", native.of_values("x", amounts)).kind == columns.AMOUNT


def _file(tmp_path, rows):
    path = tmp_path / "t.csv"
    path.write_text("site,temp,wait,crp\n" + "".join(f"{','.join(row)}\n" for row in rows))
    return path


def test_new_rows_are_read_as_those_of_the_fit(tmp_path):
    rows = [("a", str(20 + i), f"{i}h 5m", f"{i}.5") for i in range(12)]
    rows += [("a", "-999", "2h", "<0.5"), ("a", "-999", "3h", "1")]
    data = sources.read(_file(tmp_path, rows), tasks="site").data
    assert np.isnan(data.columns[0].values[-2:]).all()
    preparation = Preparation()
    X = preparation.fit_transform(data)
    restored = Preparation.from_state(*preparation.to_state())
    # One new row alone tells none of these notations.
    one = _file(tmp_path, [("a", "-999", "120m", "<0.5")])
    new = sources.read(one, tasks="site", kinds=restored.kinds).data
    np.testing.assert_allclose(restored.transform(new)[0], X[-2])


def test_a_code_for_gaps_is_a_number_if_the_user_says_so(tmp_path):
    rows = [("a", str(i), "1h 1m", "1") for i in range(12)] + [("a", "-999", "2h", "2")] * 2
    path = _file(tmp_path, rows)
    kept = sources.read(path, tasks="site", kinds={"temp": "number"}).data.columns[0]
    assert kept.values[-1] == -999


def test_new_rows_that_differ_from_those_of_the_fit_are_told(tmp_path):
    plans = ["free", "pro", "team"] * 8
    head = "site,rate,nights,plan\n"
    rows = [f"a,{40 + 1.5 * i},{i % 3}.5,{plan}\n" for i, plan in enumerate(plans)]
    path = tmp_path / "t.csv"
    path.write_text(head + "".join(rows))
    preparation = Preparation()
    preparation.fit_transform(sources.read(path, tasks="site").data)
    path.write_text(head + "".join(rows[:3]))
    same = sources.read(path, tasks="site", kinds=preparation.kinds).data
    preparation.transform(same)
    assert preparation.notes == []
    path.write_text(head + "a,4000,two,gold\na,4500,1.5,free\na,5000,2.5,gold\n")
    new = sources.read(path, tasks="site", kinds=preparation.kinds).data
    X = preparation.transform(new)
    far = float(np.median(X[:, 0]))
    assert preparation.notes == [
        "Values that are not of the kind of their column are gaps: nights 1 (such as 'two').",
        "Values that the model does not know, taken to be equally far from all others: "
        "plan 'gold' (2 rows).",
        "Far from the rows of the fit, so units may differ: "
        f"rate (median {far:.0f} standard deviations above).",
    ]


def test_new_steps_of_an_order_are_told_and_taken_for_gaps():
    fit = pd.DataFrame({"x": np.arange(20.0) % 7, "size": ["low", "medium", "high", "low"] * 5})
    preparation = Preparation()
    preparation.fit_transform(sources.read(fit).data)
    frame = pd.DataFrame({"x": [1.0, 1.0], "size": ["huge", None]})
    new, gap = preparation.transform(sources.read(frame, kinds=preparation.kinds).data)
    np.testing.assert_array_equal(new, gap)
    assert preparation.notes == [
        "Values that the model does not know, taken for gaps, since their place in the order is "
        "not known: size 'huge' (1 row)."
    ]


def test_a_sign_of_per_cent_stands_behind_all_numbers_or_is_none():
    assert parsing.numbers(["5%", "12.5%"]).found == {"5%": 5.0, "12.5%": 12.5}
    assert parsing.numbers(["5%", "0.12"]).found == {"0.12": 0.12}


def test_units_are_shown_as_they_are_written():
    assert parsing.numbers(["2 persons", "1 person"]).unit == "person"
    assert parsing.numbers(["2 lenses", "3 lenses"]).unit == "lenses"


GROUPED = {"thousands": ["1,234,567", "950"], "cm": ["150 cm", "1,5 cm"], "plain": ["150", "2.5"]}


def _model(words, asked=None):
    rows = pd.DataFrame({"shop": "s", "size": words * 4, "y": [1.0, 9.0] * (2 * len(words))})
    reading = sources.read(rows, tasks="shop", kinds=asked)
    return kf.compare(reading, n_clusters=2, method="kmeans", random_state=0).model


def _new(words):
    return sources.read(
        pd.DataFrame({"shop": "s", "size": words, "y": [1.0, 9.0]}), tasks="shop"
    ).data


@pytest.mark.parametrize(
    ("fit", "new", "told"),
    [
        ("thousands", ["1,500", "2,500"], "with decimal commas in the new rows, and with commas"),
        ("cm", ["1.5 m", "2 m"], "in m in the new rows, and in cm in the rows of the fit"),
        ("plain", ["150 cm", "2 cm"], "in cm in the new rows, and without that in the rows of"),
        ("plain", ["1,500", "2,500"], "with decimal commas in the new rows, and without that"),
    ],
)
def test_new_rows_in_another_unit_or_notation_are_refused(fit, new, told, tmp_path):
    model = _model(GROUPED[fit])
    kf.save(model, tmp_path / "model")
    data = _new(new)
    for known in (model, kf.load(tmp_path / "model")):
        with pytest.raises(InputError, match=f"column 'size' are written {told}"):
            known.assign(data)


@pytest.mark.parametrize("fit", GROUPED)
@pytest.mark.parametrize("missing", [[], [None, None]])
def test_new_rows_in_the_same_notation_or_without_one_are_taken(fit, missing, tmp_path):
    model = _model([*GROUPED[fit], *missing])
    kf.save(model, tmp_path / "model")
    for words in (GROUPED[fit], ["15", "30"]):
        data = _new(words)
        assert len(kf.load(tmp_path / "model").assign(data).labels) == 2


@pytest.mark.parametrize("empty", ["?", "Unknown", "-"])
def test_new_rows_may_have_nothing_but_a_placeholder(empty):
    words = ["3.5", "4.5", empty, "9"]
    model = _model(words)
    frame = pd.DataFrame({"shop": "s", "size": [empty], "y": [1.0]})
    data = sources.read(frame, tasks="shop", kinds=model.preparation.kinds).data
    assert data.columns[0].gaps.all()
    assert len(model.assign(data).labels) == 1


ALIKE = {
    "decimal commas or dots between thousands": (["3,50", "1.200,00"], ["1.128.466", "850.000"]),
    "singular or plural": (["1 room", "2 rooms"], ["2 rooms", "3 rooms"]),
    "days": (["1 day", "2 days"], ["2 days", "3 days"]),
}


@pytest.mark.parametrize("lengths", [["1h 20m", "45m"], ["26:30:00", "1:00:00"], ["70 min", "1h"]])
def test_new_rows_have_lengths_of_time_as_those_of_the_fit(lengths):
    model = _model(["1h 20m", "45m", "2 h", "30:00:00"])
    assert model.preparation.kinds["size"] == columns.DURATION
    new = pd.DataFrame({"shop": "s", "size": lengths, "y": [1.0, 9.0]})
    data = sources.read(new, tasks="shop", kinds=model.preparation.kinds).data
    assert len(model.assign(data).labels) == 2


@pytest.mark.parametrize("case", ALIKE)
@pytest.mark.parametrize("step", [1, -1])
def test_new_rows_may_show_other_marks_of_the_same_notation(case, step):
    fit, new = ALIKE[case][::step]
    assert len(_model(fit).assign(_new(new)).labels) == 2


def test_files_in_two_units_are_refused_and_in_one_or_none_are_taken(tmp_path):
    words = {"a": ["150 cm", "2 cm"], "b": ["1.5 m", "2 m"], "c": ["150", "2"]}
    for name, sizes in words.items():
        pd.DataFrame({"size": sizes}).to_csv(tmp_path / f"{name}.csv", index=False)
    advice = (
        r"convert those of .*b.csv \(1 m is 100 cm\), or leave the column out "
        r"\(kf.read\(..., ignore=\['size'\]\)\)"
    )
    with pytest.raises(InputError, match=rf"in m in .*b.csv, and in cm in .*a.csv: {advice}"):
        sources.read([tmp_path / "a.csv", tmp_path / "b.csv"])
    for names in ("ac", "ca"):
        data = sources.read([tmp_path / f"{name}.csv" for name in names]).data
        assert data.written == {"size": "in cm"}


@pytest.mark.parametrize(
    ("price", "wanted"), [("3,50", [1200, 950, 12500]), ("3.50", [1.2, 950, 12.5])]
)
def test_dots_divide_thousands_in_a_file_with_decimal_commas(tmp_path, price, wanted):
    path = tmp_path / "t.csv"
    rows = "".join(f"a;{price};{units}\n" for units in ("1.200", "950", "12.500"))
    path.write_text("site;price;units\n" + rows + "a;4;\n")
    data = sources.read(path, tasks="site").data
    units = next(column for column in data.columns if column.name == "units")
    assert units.values[:3].tolist() == wanted


@pytest.mark.parametrize(
    "word", ["9" * 30_000 + "!", "1h " * 10_000 + "!", "1 000" * 6_000, "(" * 30_000, "1." * 15_000]
)
def test_a_cell_of_thousands_of_signs_is_no_number_and_takes_no_time(word):
    values = native.of_values("x", [word, "1", "2,5"] * 4)
    start = time.process_time()
    assert kinds.decide("x", values).kind == columns.UNCLEAR
    assert np.isnan(kinds.decide("x", values, asked="number").values[0])
    lengths = native.of_values("x", [word, "1h"])
    assert np.isnan(kinds.decide("x", lengths, asked="duration").values[0])
    assert time.process_time() - start < 1


def test_a_date_outside_the_calendar_is_refused():
    far = pd.DataFrame({"t": np.array([2**62, 2**62 + 1]).astype("datetime64[us]")})
    with pytest.raises(InputError, match="column 't' holds a date outside the years 1 to 9999"):
        kf.describe(far)


def test_models_that_do_not_know_units_of_their_rows_take_new_rows_with_units():
    older = replace(_model(GROUPED["cm"]), written=None)
    assert len(older.assign(_new(["150 cm", "2 cm"])).labels) == 2


FITTED = {
    "decimal commas": (["1.200,50", "3,5"], ["1.200", "950"], [1200, 950]),
    "dots between thousands": (["1.200.000", "950"], ["1.200", "950"], [1200, 950]),
    "commas between thousands": (["1,200.50", "950"], ["1,200", "950"], [1200, 950]),
    "decimal commas and a unit": (["1.200,5 kg", "3 kg"], ["1.200 kg", "950 kg"], [1200, 950]),
    "decimal points": (["1.25", "950"], ["1.200", "950"], [1.2, 950]),
    "decimal commas, and points in new rows": (["1,5", "950"], ["1.250", "1.5"], [1.25, 1.5]),
    "decimal commas, and less than 1": (["1,5", "950"], ["0.125", "950"], [0.125, 950]),
    "month before day": (["3/25/2025", "3/1/2025"], ["03/04/2025", "3/5/2025"], [20151, 20152]),
    "day before month": (["25/3/2025", "1/3/2025"], ["03/04/2025", "4/4/2025"], [20181, 20182]),
    "dates in which days cannot be months": (
        ["2025-03-25"],
        ["03/04/2025", "4/4/2025"],
        [20181, 20182],
    ),
}


@pytest.mark.parametrize("case", FITTED)
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl"])
@pytest.mark.parametrize("gap", [[], [None]])
def test_new_rows_are_read_in_the_notation_of_the_fit(case, suffix, gap, tmp_path):
    fit, new, wanted = FITTED[case]
    asked = {"size": "number"}
    model = _model(fit + gap, asked)
    kf.save(model, tmp_path / "model")
    written = kf.load(tmp_path / "model").written
    path = tmp_path / f"new{suffix}"
    frame = pd.DataFrame({"shop": "s", "size": new + gap, "y": [1.0, 9.0, 2.0][: len(new + gap)]})
    if suffix == ".jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, index=False, sep="," if suffix == ".csv" else "\t")
    data = sources.read(path, tasks="shop", kinds=asked, written=written).data
    sizes = data.columns[0].values if data.X is None else data.X[:, 0]
    assert sizes[:2].tolist() == wanted
    assert len(model.assign(data).labels) == len(frame)


ALONE = {
    "an open end": (["0", "1", "2", "3+"], "3+", 3),
    "a bound": (["<0.5", "0.7", "1.2", "2.5"], "<0.5", 0.5),
    "brackets": (["(1.50)", "0.75", "2.00"], "(1.50)", -1.5),
    "another unit of one letter": (["150 cm", "171 cm", "1.62 m"], "1.62 m", 162),
    "spaces between thousands": (["78 688", "358 109 671"], "78 688", 78_688),
}


@pytest.mark.parametrize("case", ALONE)
def test_a_new_row_may_have_what_few_rows_of_the_fit_have(case, tmp_path):
    words, word, number = ALONE[case]
    fit = pd.DataFrame({"n": words, "m": np.arange(len(words)) + 0.5})
    data = sources.read(fit).data
    preparation = Preparation()
    preparation.fit_transform(data)
    path = tmp_path / "new.csv"
    pd.DataFrame({"n": [word], "m": [0.5]}).to_csv(path, index=False)
    for new in (path, pd.read_csv(path)):
        found = new_rows.read(new, preparation, data.written, {}).data
        np.testing.assert_allclose(preparation.transform(found), [[number, 0.5]])


def test_dates_in_another_order_than_those_of_the_fit_are_refused():
    asked = {"size": "number"}
    model = _model(["3/25/2025", "3/1/2025"], asked)
    new = pd.DataFrame({"shop": "s", "size": ["25/3/2025", "1/3/2025"], "y": [1.0, 9.0]})
    data = sources.read(new, tasks="shop", kinds=asked, written=model.written).data
    told = "with the day before the month in the new rows, and with the month before the day in the"
    with pytest.raises(InputError, match=f"column 'size' are written {told}"):
        model.assign(data)


def test_columns_of_points_only_are_read_as_in_a_fit_with_decimal_commas(tmp_path):
    path = tmp_path / "t.csv"
    head = "shop;price;units\n"
    path.write_text(head + "s;3,50;1.200\ns;12,00;950\n" * 4)
    model = kf.compare(path, tasks="shop", n_clusters=2, method="kmeans", random_state=0).model
    path.write_text(head + "s;3;1.200\ns;12;950\n")
    data = sources.read(path, tasks="shop", written=model.written).data
    assert data.X.tolist() == [[3, 1200], [12, 950]]


OTHERS = {"with decimal commas": "{},5", "with dots between thousands": "{}.128.466"}


@pytest.mark.parametrize("gap", ["", "-"])
@pytest.mark.parametrize("how", OTHERS)
def test_a_new_row_has_a_decimal_point_if_the_column_of_the_fit_had(tmp_path, gap, how):
    path = tmp_path / "t.csv"
    prices = [OTHERS[how].format(i % 7 + 1) for i in range(24)]
    rows = [f"{prices[i]};{i % 11}.{802 - i}" for i in range(24)]
    path.write_text("\n".join(["price;size", *rows, f"{gap};1.5"]) + "\n")
    data = sources.read(path).data
    assert data.written == {"price": how, "size": "with decimal points"}
    preparation = Preparation()
    X = preparation.fit_transform(data)
    path.write_text("price;size\n" + rows[1] + "\n")
    new = new_rows.read(path, preparation, data.written, {}).data
    np.testing.assert_allclose(preparation.transform(replace(new, tasks=data.tasks[:1])), X[1:2])


def test_files_with_decimal_points_and_commas_are_read_each_by_its_own_marks(tmp_path):
    bonn, york = tmp_path / "bonn.csv", tmp_path / "york.csv"
    bonn.write_text("price;size\n" + "".join(f"{i % 3},5;1.{i}\n" for i in range(1, 9)))
    york.write_text("price;size\n" + "".join(f"{i % 3},5;1,{i}\n" for i in range(1, 9)))
    for files in ([bonn, york], [york, bonn]):
        data = sources.read(files).data
        assert data.X[:, 1].tolist() == [1 + i / 10 for i in range(1, 9)] * 2
        assert data.written == dict.fromkeys(["price", "size"], "with decimal commas")


ENDS = {
    "behind a dash": ["1 - strongly disagree", "2", "3", "4", "5 - strongly agree"],
    "in brackets": ["1 (low)", "2", "3", "4", "5 (high)"],
    "by a sign": ["1", "2", "3", "4", "5 = very good"],
    "behind a colon": ["1: très mauvais", "2", "3 - neutre", "4", "5: très bon"],
}


@pytest.mark.parametrize("case", ENDS)
def test_labels_at_the_ends_of_a_scale_leave_it_one_of_numbers(case):
    words = ENDS[case]
    fit = pd.DataFrame({"q": words * 6, "size": np.arange(30) % 7 + 0.5})
    data, notes, _ = sources.read(fit)
    assert data.X[:, 0].tolist() == [1, 2, 3, 4, 5] * 6
    assert f"{words[4]!r} is 5" in notes[0]
    preparation = Preparation()
    X = preparation.fit_transform(data)
    new = new_rows.read(fit.iloc[[4]], preparation, data.written, {}).data
    np.testing.assert_allclose(preparation.transform(new), X[4:5])
    asked = sources.read(fit.assign(n=[None, "a", "b"] * 10), kinds={"q": "number"}).data
    assert asked.columns[0].values.tolist() == [1, 2, 3, 4, 5] * 6


@pytest.mark.parametrize(
    "words",
    [
        ["1 - bad", "2", "3", "99 - don't know"],
        ["12 (new)", "17", "40"],
        ["1 - red", "1 - blue", "2", "3"],
        ["1", "2 - blue", "3"],
    ],
)
def test_other_words_beside_numbers_are_no_labels_of_a_scale(words):
    data = native.of_values("n", [*words, *words[1:]])
    assert kinds.decide("n", data).kind == columns.UNCLEAR


def test_new_rows_of_a_column_with_both_decimal_marks_divide_no_thousands(tmp_path):
    rows = ["0,5", "2,25", "8,1", "1.366"] * 5
    (tmp_path / "old.csv").write_text("a;b\n" + "".join(f"{x};{i}\n" for i, x in enumerate(rows)))
    data = sources.read(tmp_path / "old.csv").data
    assert sorted(set(data.X[:, 0])) == [0.5, 1.366, 2.25, 8.1]
    new = pd.DataFrame({"a": ["1.366", "3,5"], "b": [1, 2]})
    assert sources.read(new, written=data.written, known_tasks=True).data.X[0, 0] == 1.366
    spelling.check_same(data.written, {"a": "with decimal commas"}, "s", "t", all_known=True)
