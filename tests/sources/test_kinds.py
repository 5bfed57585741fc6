"""What a column is taken for."""

import narwhals as nw
import numpy as np
import pandas as pd
import pytest

from kinfolk.errors import InputError
from kinfolk.sources import (
    kinds,
    magnitudes,
    native,
    parsing,
    placeholders,
    times,
    two_in_one,
)
from kinfolk.sources.kinds import Raw
from kinfolk.tables import columns


def taken(values, name="c", codes=None, asked=None):
    return kinds.decide(name, native.of_values(name, values), codes, asked)


MANY = list(range(30))
LONG = [f"the {i} th letter of a long complaint" for i in MANY]
CHINESE = [f"这是第{i}封很长很长的投诉信，请尽快处理吧" for i in MANY]
ADDRESSES = [f"北京市海淀区中关村大街{i}号" for i in MANY]

CASES = {
    "names of months": (
        ["Jan", "February", "dec.", "Jan"],
        columns.CATEGORY,
        "3 different values, months; if they only say when, leave them out: kf.read(..., ignore",
    ),
    "days of the week": (["Mo", "Di", "Fr", "Mo"], columns.CATEGORY, "values, days of the week"),
    "names that are months, too": (["May", "June", "Mia"], columns.CATEGORY, "values, all words"),
    "whole numbers that may be codes": (
        [1, 4, 3, 2, 1, 1],
        columns.AMOUNT,
        "4 different; if they are codes, say kf.read(..., kinds={'c': 'category'})",
    ),
    "numbers": ([1.5, -2.0, 3.25], columns.NUMBER, "from -2 to 3.25"),
    "whole numbers above zero": ([3, 5, 3, 9], columns.AMOUNT, "whole numbers from 3 to 9"),
    "amounts with zeros": ([0.0, 2.5, 3.1], columns.AMOUNT, "numbers from 0"),
    "zeros and ones": ([0, 1, None, 1], columns.YES_NO, "only 0 and 1"),
    "true and false": ([True, False, None], columns.YES_NO, "only 0 and 1"),
    "yes and no": (["Yes", "no", None], columns.YES_NO, "only Yes and no"),
    "yes in languages": (
        ["yes", "no", "oui", "non", "ja", "nein"],
        columns.YES_NO,
        "only ja, oui, yes and nein, no, non",
    ),
    "words": (["red", "blue", "red"], columns.CATEGORY, "2 different values"),
    "a single word": (["red", None, "red"], columns.CONSTANT, "every value is 'red'"),
    "crosses and empty cells": (["x", None, "x"], columns.YES_NO, "empty cells, which are no"),
    "yes and empty cells": (["yes", None, "yes"], columns.CONSTANT, "if empty cells mean no"),
    "numbers of telephones": (
        [f"+41 44 {100 + i} {10 + i} {20 + i}" for i in MANY],
        columns.IDENTIFIER,
        "every value is different",
    ),
    "a single number": ([7, 7, None], columns.CONSTANT, "every value is 7"),
    "gaps only": ([None, float("nan"), " "], columns.CONSTANT, "no row has a value"),
    "counting rows": ([i + 1000 for i in MANY], columns.IDENTIFIER, "name the rows"),
    "numbers of rows with gaps between": (
        [4003 + 5 * i - i % 3 for i in range(70)],
        columns.IDENTIFIER,
        "name the rows",
    ),
    "amounts that differ by chance": ([400 + 31 * i for i in MANY], columns.AMOUNT, "from 400"),
    "eleven numbers in ten rows": ([*range(9), 10], columns.IDENTIFIER, "name the rows"),
    "twelve numbers in ten rows": ([*range(9), 11], columns.AMOUNT, "whole numbers"),
    "names of rows": ([f"K-{i}" for i in MANY], columns.IDENTIFIER, "every value is different"),
    "texts": (LONG, columns.TEXT, "8 words on average"),
    "texts without spaces": (
        [f"这是第{i}封很长很长的投诉信，请尽快处理" for i in MANY],
        columns.TEXT,
        "words",
    ),
    "Chinese addresses": (
        [f"北京市海淀区中关村大街{i}号" for i in MANY],
        columns.IDENTIFIER,
        "every",
    ),
    "decimal commas": (["1,5", "2,25", "-3,0"], columns.NUMBER, "decimal commas"),
    "thousands": (["1,234,567", "1,500"], columns.AMOUNT, "commas between thousands"),
    "days": (["2020-01-31", "2021-12-01"], columns.DATE, "2020-01-31 to 2021-12-01"),
    "days with a clock": (["2020-01-31T10:00", "2021-12-01 23:59:59Z"], columns.DATE, "year-month"),
    "months": (
        ["03/2019", "11/2020"],
        columns.DATE,
        "written as month/year, from 2019-03 to 2020-11",
    ),
    "months after years": (
        ["2019-03", "2020-11"],
        columns.DATE,
        "year-month, from 2019-03 to 2020",
    ),
    "a named month first": (
        ["Jan 1 2000", "Mar 1 2010"],
        columns.DATE,
        "as month-name day year, from",
    ),
    "unclear order of days": (["1/2/2020", "3/4/2020"], columns.DATE, "could be exchanged"),
    "American days": (["1/31/2020", "3/4/2020"], columns.DATE, "from 2020-01-31 to 2020-03-04"),
    "a question mark for a gap": (["1", "?", "2.5"], columns.NUMBER, "'?' counts as a gap"),
    "numbers and a word": (["1", "2", "x"], columns.UNCLEAR, "'x' in data row 3"),
    "three ways of days": (["2020-01-31", "1.2.2020", "1/2/20"], columns.DATE, "in 3 ways"),
    "days and a word": (
        ["2020-01-31", "2020-02-01", "soon"],
        columns.DATE,
        "'soon' in data row 3",
    ),
    "lists": ([[1, 2], [3]], columns.UNCLEAR, "a list, which is no number"),
    "thousands and units": (
        ["12k", "900", "3.5k", "106.2k"],
        columns.AMOUNT,
        "whole numbers from 900 to 106200, 4 different ('12k' is 12000)",
    ),
    "millions of money": (
        ["€1.4m", "€650k", "€2.2m", "unknown"],
        columns.AMOUNT,
        "3 different, in € ('€650k' is 650000, '€1.4m' is 1400000); 'unknown'",
    ),
    "German millions": (
        ["1,4 Mio €", "650 Tsd €", "2 Mrd. €"],
        columns.AMOUNT,
        "'2 Mrd. €' is 2000000000",
    ),
    "capital letters": (["1.2M", "900K", "3.4M"], columns.AMOUNT, "from 900000 to 3400000"),
    "magnitudes in Chinese": (["1.2万", "3亿", "5万"], columns.AMOUNT, "from 12000 to 300000000"),
    "classes with letters": (["5k", "7d", "5k", "7k"], columns.CATEGORY, "3 different values"),
    "genes": (["5MB", "1K3", "9k"] * 5, columns.CATEGORY, "3 different values"),
    "terms of months": (["3M", "6M", "3M", "12M"], columns.CATEGORY, "3 different values"),
    "temperatures": (["300 K", "280 K", "300 K"], columns.CATEGORY, "2 different values"),
    "minutes beside hours": (["5m", "3h", "20m"], columns.DURATION, "lengths of time"),
    "metres": (["3 m", "25 m", "4 m"], columns.AMOUNT, "3 different, in m ('3 m' is 3)"),
    "metres beside centimetres": (
        ["3 m", "250 cm", "4 m"],
        columns.NUMBER,
        "numbers from 2.5 to 4, in m ('250 cm' is 2.5)",
    ),
    "pounds among kilograms": (
        ["70 kg", "154 lb", "80 kg", "-", "190 kg"],
        columns.NUMBER,
        "from 69.8532 to 190, in kg ('154 lb' is 69.8532); '-' counts as a gap",
    ),
    "pounds, kilograms and numbers in neither": (
        ["70 kg", "154 lb", "80 kg", "66"],
        columns.UNCLEAR,
        "in no unit ('66' in data row 4): take it as a number (kf.read(..., kinds={'c': 'number'})",
    ),
    "percentages, a few without the sign": (
        ["40%", "5 %", "60%", "45"],
        columns.AMOUNT,
        "whole numbers from 5 to 60, 4 different, in % ('40%' is 40)",
    ),
    "percentages beside shares": (
        ["40%", "5 %", "60%", "0.45"],
        columns.UNCLEAR,
        "in % ('40%' in data row 1) and in no unit ('0.45' in data row 4): write all alike, say",
    ),
    "as many shares as percentages": (
        ["40%", "5 %", "0.6", "0.45"],
        columns.UNCLEAR,
        "in % ('40%' in data row 1) and in no unit ('0.6' in data row 3): write all alike, say",
    ),
    "percentages beside numbers far from them": (
        ["4%", "5 %", "6%", "250"],
        columns.UNCLEAR,
        "and in no unit ('250' in data row 4): write all alike, say",
    ),
    "a point beside decimal commas": (
        ["0,5", "2,25", "8,1", "1.366"],
        columns.NUMBER,
        "from 0.5 to 8.1, with decimal commas and points ('0,5' is 0.5, '1.366' is 1.366)",
    ),
    "thousands beside decimal commas": (
        ["0,5", "512,25", "8,1", "1.366"],
        columns.NUMBER,
        "from 0.5 to 1366, with decimal commas ('0,5' is 0.5)",
    ),
    "euros beside dollars": (
        ["5 €", "6 $"],
        columns.UNCLEAR,
        "and in $ ('6 $' in data row 2): con",
    ),
    "euros and dollars, each with the marks of its country": (
        ["9.239,91 €", "449,31 €", "$449.31", "$1,200.50"],
        columns.UNCLEAR,
        "in € ('9.239,91 €' in data row 1) and in $ ('$449.31' in data row 3): convert",
    ),
    "reais": (["R$ 9.239,91", "R$ 449,31"], columns.NUMBER, "in R$, with decimal commas"),
    "shekels": (["₪1,200.50", "₪449.31"], columns.NUMBER, "in ₪, with commas between thousands"),
    "rupees": (["Rs. 1,20,050", "Rs. 449"], columns.AMOUNT, "in Rs., with commas"),
    "rubles": (["1 200,50 руб.", "449,31 руб."], columns.NUMBER, "in руб., with decimal commas"),
    "millions of American dollars": (["US$1.4m", "US$650k"], columns.AMOUNT, "to 1400000, 2"),
    "names of genes": (["rs12", "rs15", "rs9"], columns.CATEGORY, "3 differ"),
    "points out of a total": (["3 von 20", "12 von 20"], columns.AMOUNT, "in von 20 ('3 v"),
    "latitudes": (["48.25° N", "52.5° N"], columns.NUMBER, "from 48.25 to 52.5, in °N"),
    "feet and inches": (["5'6\"", "6'3\"", "5' 9\""], columns.NUMBER, "from 5.5 to 6.25, in ft ("),
    "feet among centimetres": (["150 cm", "160 cm", "5'0\""], columns.NUMBER, "is 152.4)"),
    "thousands with a mark": (["1'250", "900", "14'000"], columns.AMOUNT, "from 900 to 14000"),
    "letters of two units": (["5g", "5t", "7g"], columns.CATEGORY, "3 different values"),
    "the first and the second": (["1st", "2nd", "1st"], columns.CATEGORY, "2 different values"),
    "degrees of both scales": (["37.5 °C", "212 °F", "40 °C"], columns.NUMBER, "'212 °F' is 100"),
    "more of the other unit than is left": (
        ["5.9 mmol/l", "107 mg/dl", "99 mg/dl", "4.7 mmol/l", None],
        columns.UNCLEAR,
        "and in mg/dl ('107 mg/dl' in data row 2): convert them to one unit",
    ),
    "means and errors": (["10 ± 1", "12.5 ± 2", "9 ± 1"], columns.NUMBER, "('10 ± 1' is 10)"),
    "two numbers in a cell": (
        [f"{110 + i}/{70 + i % 9}" for i in MANY],
        columns.PAIR,
        "two numbers in a cell, such as '110/70'; split into two columns",
    ),
    "days without a year": (
        [f"{1 + i % 12}/{1 + i}" for i in MANY],
        columns.PAIR,
        "they may be days without a year; if not, say kf.read(..., kinds={'c (first)': 'number'})",
    ),
    "telephone numbers": ([f"030/{i * i + 12345}" for i in MANY], columns.IDENTIFIER, "every"),
    "scores of matches": ([f"{i % 5}:{i % 4}" for i in MANY], columns.CATEGORY, "20 different"),
    "ranges": ([f"{i % 9 * 10}-{i % 9 * 10 + 9}" for i in MANY], columns.ORDERED, "0-9 < 10-19"),
    "fractions as names": (["1/2", "3/4", "1/3"] * 5, columns.CATEGORY, "3 different values"),
    "a category with many values": (
        [f"town {i % 30}" for i in range(240)] + [f"village {i // 2}" for i in range(20)],
        columns.CATEGORY,
        "40 different values, all words; all but the 20 most frequent are joined as 'other'",
    ),
    "a category with rare values": (
        ["red", "blue"] * 150 + ["teal", "navy", "ochre"],
        columns.CATEGORY,
        "5 different values, all words; all but the 2 most frequent are joined as 'other'",
    ),
    "several words for gaps": (
        ["k.A.", "1,5", "–", "2,5"],
        columns.NUMBER,
        "; 'k.A.' and '–' count as gaps",
    ),
}


@pytest.mark.parametrize(
    "word",
    [
        *("k.A.", "keine Angabe", "n.d.", "n/d", "—", "(blank)", "#DIV/0!", "#N/A", "<NA>"),
        *("not known", "sin datos", "s/d", "n.c.", "non renseigné", "不明", "未知", "Unbekannt"),
    ],
)
def test_a_word_for_a_gap_is_one_only_among_numbers_and_dates(word):
    assert taken([word, "1.5", "2.5"]).gaps.tolist() == [True, False, False]
    assert taken([word, "2020-01-31", "2021-12-01"]).gaps.tolist() == [True, False, False]
    assert taken([word, "red", "blue", "red"]).gaps.sum() == 0


SPARSE = {
    "per cent": (["5%", "7.5%", "6%"], columns.NUMBER),
    "rooms": (["1 room", "4 rooms", "3 rooms"], columns.AMOUNT),
    "two units": (["70 kg", "154 lb", "81 kg"], columns.NUMBER),
    "lengths of time": (["1h 20m", "45m", "2 h"], columns.DURATION),
    "times of day": (["8:30", "14:15", "9:00"], columns.DATE),
    "dates": (["31.1.2024", "1.2.2024", "3.2.2024"], columns.DATE),
    "pairs": ([f"{120 + i}/{80 + i % 4}" for i in range(12)], columns.PAIR),
}


@pytest.mark.parametrize("case", SPARSE)
def test_a_word_for_a_gap_may_stand_in_most_rows(case):
    words, kind = SPARSE[case]
    blank = taken(words + [None] * 40)
    found = taken(words + ["-"] * 40)
    assert (blank.kind, found.kind) == (kind, kind)
    if kind != columns.PAIR:
        np.testing.assert_array_equal(found.values, blank.values)
        assert found.reason == f"{blank.reason}; '-' counts as a gap" or kind == columns.DATE


@pytest.mark.parametrize("steps", [[4, 6, 8], [5, 6, 7, 8, 9], [7, 8]])
def test_small_numbers_that_follow_one_another_are_no_codes_for_gaps(steps):
    assert "far from all others" not in taken([str(step) for step in steps] * 12).reason


def test_a_column_of_pairs_is_told_with_a_pair():
    found = taken(["7", *[f"{110 + i}/{70 + i % 9}" for i in range(20)]])
    assert found.kind == columns.PAIR
    assert found.reason.startswith("two numbers in a cell, such as '110/70'; 1 of its values is no")


def test_years_of_two_digits_are_those_of_spreadsheets():
    found = taken(["08/04/63", "28/10/64", "13/01/29"])
    assert "from 1963-04-08 to 2029-01-13" in found.reason


@pytest.mark.parametrize("library", [str, lambda span: str(span.to_pytimedelta())])
def test_lengths_of_time_as_pandas_and_python_write_them_are_durations(library):
    spans = pd.to_timedelta(range(0, 40 * 65, 65), unit="min")
    found = taken([library(span) for span in spans])
    assert found.kind == columns.DURATION
    np.testing.assert_allclose(found.values, spans / pd.Timedelta(hours=1))


def test_a_slip_among_times_of_day_is_a_gap_and_named():
    found = taken(["8:30", "14:15", "9.12", "9:00", "10:45"])
    assert found.kind == columns.DATE
    assert found.gaps.tolist() == [False, False, True, False, False]
    assert "no time of day: 1, such as '9.12' in data row 3" in found.reason


def test_one_number_beside_many_words_for_a_gap_is_a_tick():
    found = taken(["1"] * 5 + ["-"] * 9)
    assert (found.kind, found.gaps.any()) == (columns.CATEGORY, False)


def test_new_rows_with_few_magnitudes_are_read_as_such():
    found = taken(["12k", "900", "700", "5"], asked="number")
    assert found.values.tolist() == [12000, 900, 700, 5]


@pytest.mark.parametrize("case", CASES)
def test_values_decide_the_kind_and_its_reason(case):
    values, kind, reason = CASES[case]
    found = taken(values)
    assert found.kind == kind
    assert reason in found.reason


def test_numbers_named_as_id_are_identifiers_wherever_they_start():
    spread = [i * i * 37 + 5 for i in MANY]
    assert taken(spread, "customer_id").kind == columns.IDENTIFIER
    assert taken(spread, "income").kind == columns.AMOUNT


def test_numbering_may_start_anew_in_each_task():
    codes = np.repeat([0, 1], 15)
    assert taken([*range(15), *range(15)], codes=codes).kind == columns.IDENTIFIER
    assert taken([f"r{i % 15}" for i in MANY], codes=codes).kind == columns.IDENTIFIER
    assert taken([*range(15), *range(15)]).kind == columns.AMOUNT


def test_few_rows_that_differ_are_no_identifier():
    assert taken(["a", "b", "c"]).kind == columns.CATEGORY


def test_thousands_of_values_of_which_none_is_common_are_no_category():
    found = taken([f"v{i // 2}" for i in range(4000)])
    assert found.kind == columns.IDENTIFIER
    assert "2000 different values, none in 1% of the rows" in found.reason
    assert taken(["red", "blue"] * 30 + [f"v{i}" for i in range(30)]).kind == columns.CATEGORY


def test_asked_kinds_turn_other_values_into_gaps_and_say_so():
    found = taken(["1", "2", "x"], asked="number")
    assert found.values[:2].tolist() == [1, 2]
    assert np.isnan(found.values[2])
    assert "1 other values count as gaps" in found.reason
    assert taken([1, 2, 2], asked="category").values.tolist() == ["1", "2", "2"]
    assert taken(["ja", "nein"], asked="yes/no").values.tolist() == [1, 0]
    assert taken(["2020-01-01", "1970-01-02"], asked="number").values.tolist() == [18262, 1]


def test_a_word_for_a_gap_is_not_counted_among_values_of_another_kind():
    found = taken(["5", "-", "n/a", "none of them"], asked="number")
    assert found.unread == 1
    assert found.reason == (
        "as you said; 1 other values count as gaps; '-' and 'n/a' count as gaps"
    )


def test_numbers_in_two_units_are_all_in_the_unit_of_most():
    asked = taken(["70 kg", "154 lb", "80 kg", "66", "5 m"], asked="number")
    assert asked.values[:3].round(3).tolist() == [70, 69.853, 80]
    assert "in kg ('154 lb' is 69.8532); 2 other values count as gaps" in asked.reason
    assert asked.written == "in kg"
    assert taken(["1,5 kg", "250,5 g", "2 kg"]).values.tolist() == [1.5, 0.2505, 2]


def test_the_most_frequent_unit_does_not_depend_on_the_order_of_rows():
    assert parsing.numbers(["70 kg", "154 lb"]).unit == parsing.numbers(["154 lb", "70 kg"]).unit


def test_new_rows_in_another_unit_are_converted_to_that_of_the_fit():
    found, remark = kinds.as_numbers(np.array(["154 lb", "200 lb"], dtype=object), "in kg")
    assert found.round(2).tolist() == [69.85, 90.72]
    assert remark == ", in kg ('154 lb' is 69.8532)"


def test_whole_numbers_read_the_same_with_and_without_gaps():
    assert taken([1, 2, None], asked="category").values.tolist() == ["1", "2", None]


@pytest.mark.parametrize(("asked", "says"), [("color", "choose one of"), ("number", "no value")])
def test_kinds_that_cannot_be_are_refused(asked, says):
    with pytest.raises(InputError, match=says):
        taken(["red", "blue"], asked=asked)


def test_a_comma_before_three_digits_is_decimal_unless_the_column_shows_thousands():
    assert parsing.numbers(["1,500"]).found == {"1,500": 1.5}
    assert parsing.numbers(["1,500", "1,234.5"]).found["1,500"] == 1500
    assert parsing.numbers(["1.234,5"]).found == {"1.234,5": 1234.5}
    assert parsing.numbers(["£1,500", "£950"]).found == {"£1,500": 1500, "£950": 950}
    assert parsing.numbers(["1,50 €", "1,500 €"]).found == {"1,50 €": 1.5, "1,500 €": 1.5}


def test_areas_have_units_with_a_digit():
    assert parsing.numbers(["32 m2", "140 m2"]).found == {"32 m2": 32.0, "140 m2": 140.0}


@pytest.mark.parametrize(("code", "told"), [(-999, True), (999, True), (99, False), (-1, False)])
def test_a_repeated_number_of_nines_far_from_all_others_is_told(code, told):
    reason = taken([20 + i * 2.5 for i in MANY] + [code] * 2).reason
    assert (f"{code} (2 times) is far from all others" in reason) == told
    assert ("a gap (kf.read(..., kinds={'c': 'number'}) keeps it)" in reason) == (code == -999)
    assert "far from" not in taken([20 + i * 2.5 for i in MANY] + [code]).reason


@pytest.mark.parametrize(
    ("others", "codes", "gaps"),
    [
        ((1, 2, 3, 4, 5), [98, 98, 99, 99], {98, 99}),
        ((1, 2, 3, 4, 5), [97, 98, 99, 99], {97, 98, 99}),
        ((0, 1, 2, 5, 10), [88, 88, 77], {77, 88}),
        ((1, 2), [99, 99], {99}),
        ((18, 40, 77, 95), [998, 999, 999], {998, 999}),
        ((-4, -1, 3, 5), [-99, -98, -99], {-98, -99}),
        ((18, 40, 77, 95), [999, 999], set()),  # may be a price
        ((1.5, 2, 3.5), [98, 99, 99], set()),
        ((1, 2, 3, 4, 5), [99], set()),
        ((1, 2, 3, 4, 5), [90, 90, 90], set()),
        ((1, 2, 3, 4, 5), [99, 99, 90, 88], set()),
        ((0, 1, 2), [9, 9, 9], set()),  # may be a count
        ((55, 60, 90, 96), [98, 99, 99], set()),
    ],
)
def test_numbers_that_surveys_write_for_no_answer_are_gaps(others, codes, gaps):
    assert set(taken([*others] * 5 + codes).gap_codes) == gaps


def test_long_numbers_are_names_where_they_are_drawn_evenly():
    random = np.random.default_rng(0)
    receipts = random.integers(100_000_000, 999_999_999, size=200).astype(float)
    revenues = np.rint(random.gamma(3.0, 1e8, size=400))
    revenues = np.unique(revenues[(revenues > 1e8) & (revenues < 1e9)])
    assert taken(receipts).kind == columns.IDENTIFIER
    assert taken(receipts).reason == "every value is different, a whole number of 9 digits"
    assert taken(revenues).kind == columns.AMOUNT
    assert taken(receipts[:20]).kind == columns.AMOUNT  # too few to tell
    assert taken(receipts // 10).kind == columns.AMOUNT


def test_codes_that_are_gaps_are_told_in_one_sentence():
    reason = taken([1, 2, 3, 4, 5] * 5 + [98, 99, 99]).reason
    assert reason.startswith("whole numbers from 1 to 5, 5 different; ")
    assert "; 98 (1 time) and 99 (2 times) are far" in reason
    assert reason.endswith(
        "are far from all others: gaps (kf.read(..., kinds={'c': 'number'}) keeps them)"
    )


@pytest.mark.parametrize(
    "word",
    [
        *("1/31/2024 8:05 AM", "1/31/2024 8:05:00\u202fPM", "1/31/2024, 8:05:00 p.m."),
        *("2024-01-31 08:05:00 UTC", "2024-01-31 08:05:00+00", "2024-01-31 08:05:00 +0100"),
        *("2024-01-31T08:05:00,250Z", "31.01.2024, 08:05", "2024.01.31", "2024.1.31 8:05"),
        *("31-JAN-24", "31-Jan-24 08:05", "31 janv. 24", "31JAN2024", "31JAN2024:08:05:00"),
    ],
)
def test_a_date_of_any_program_is_a_date(word):
    assert times.dates([word]).found == {word: 19753.0}


@pytest.mark.parametrize("word", ["Jan 2024", "Jan-24", "Januar 2024", "01/2024"])
def test_a_month_of_a_year_is_the_date_of_its_first_day(word):
    assert times.dates([word]).found == {word: 19723.0}


@pytest.mark.parametrize("word", ["Model 2024", "31-abc-24", "March1", "Type-12", "1:30:00"])
def test_other_words_with_numbers_are_no_dates(word):
    assert times.dates([word]).found == {}


def test_dates_that_no_calendar_has_are_words():
    assert times.dates(["2021-02-30", "31/31/2020"]).found == {}


def test_datetime_values_are_days():
    raw = Raw(np.array(["1970-01-03", "NaT", "1970-01-05"], dtype="datetime64[s]"))
    found = kinds.decide("d", raw)
    assert found.kind == columns.DATE
    assert found.gaps.tolist() == [False, True, False]


def test_numbers_beyond_double_precision_are_refused():
    with pytest.raises(InputError, match="beyond 1e308"):
        native.of_values("n", [10**400, 1])


def test_crosses_are_yes_and_empty_cells_no_also_in_new_rows():
    crosses = taken(["X", None, "X", None])
    assert crosses.values.tolist() == [1, 0, 1, 0]
    empty = native.of_values("c", [None, None], crosses.written)
    assert kinds.decide("c", empty, asked="yes/no").values.tolist() == [0, 0]
    assert np.isnan(taken([None, "yes", "no"]).values[0])


def test_days_as_spreadsheets_count_them_are_dates_where_the_name_says_so():
    found = taken([44005, 45496.5, 44100], "Order date")
    assert (found.kind, found.reason.partition("from ")[2]) == ("date", "2020-06-23 to 2024-07-23")
    assert taken([44005, 45496, 44100], "income").kind == columns.AMOUNT
    assert taken([3, 14, 28], "date").kind == columns.AMOUNT


def test_the_words_for_yes_and_no_are_kept():
    assert taken(["ja", "nein", "Ja", "ja", None]).levels == ("nein", "ja")
    assert taken(["Yes", "no", "yes"]).levels == ()
    assert taken(["1", "0", "1"]).levels == ()


def test_dates_of_two_notations_are_not_called_exchangeable():
    found = taken(["13/1/2020", "1/13/2020", "14/1/2020", "1/14/2020"])
    assert "exchanged" not in found.reason
    assert "no date: 2, such as '1/13/2020' in data row 2" in found.reason
    assert "exchanged" in taken(["3/1/2020", "1/3/2020"]).reason


def test_units_in_the_plural_can_be_converted():
    words = ["36 h", "2 days"]
    assert two_in_one.why_mixed_units("wait", words, words) == ""


def test_a_blank_name_beside_codes_of_countries_makes_no_gap_of_namibia():
    frame = nw.from_native(pd.DataFrame({"c": ["DE", "NA", " ", "US"]}), eager_only=True)
    found = placeholders.without_gap_words(frame, "c")
    assert found["c"].to_list() == ["DE", "NA", " ", "US"]


def test_magnitudes_are_found_in_time_linear_in_the_number_of_words():
    words = {f"{i / 10}k": f"{i / 10}k" for i in range(20_000)}
    assert len(magnitudes.of(words).powers) == 20_000


LONG_IDS = [2**60 + 7 * i for i in range(30)]


@pytest.mark.parametrize(
    "table",
    [
        {"account": LONG_IDS},
        pd.DataFrame({"account": LONG_IDS}),
        pd.DataFrame({"account": [*LONG_IDS, None]}, dtype="Int64"),
        {"account": [*map(str, LONG_IDS)]},
    ],
)
def test_long_whole_numbers_that_would_be_rounded_to_the_same_name_the_rows(table):
    opened = native.opened(table)
    raws = native.of_mapping(opened) if isinstance(opened, dict) else native.of_frame(opened)
    found = kinds.decide("account", raws["account"])
    assert found.kind == columns.IDENTIFIER
    assert found.values[1] == str(2**60 + 7)


def test_long_whole_numbers_that_stay_different_are_amounts():
    assert taken([3 * 10**16 + 10**14 * i**2 for i in range(30)]).kind == columns.AMOUNT


@pytest.mark.parametrize("name", ["politycode", "statefips", "countryCode"])
def test_whole_numbers_whose_name_ends_in_code_are_categories(name):
    found = kinds.decide(name, native.of_values(name, [2, 20, 31, 2, 990, 20] * 3))
    assert found.kind == columns.CATEGORY


@pytest.mark.parametrize("name", ["pid", "pidnum", "id_num"])
def test_different_whole_numbers_with_the_name_of_persons_are_identifiers(name):
    values = (np.random.default_rng(0).permutation(900_000)[:400] + 10_056).tolist()
    assert kinds.decide(name, native.of_values(name, values)).kind == columns.IDENTIFIER
    assert kinds.decide("income", native.of_values("income", values)).kind == columns.AMOUNT


def test_whole_numbers_named_as_groups_are_categories():
    values = [1, 4, 3, 2, 1, 1] * 3
    found = kinds.decide("Region", native.of_values("Region", values))
    assert found.kind == columns.CATEGORY
    assert found.reason == "4 different values, whole numbers, which by the name are codes"
    counted = kinds.decide("orders_store", native.of_values("orders_store", values))
    assert counted.kind == columns.AMOUNT
