"""Orders of words."""

import numpy as np
import pytest

from kinfolk.sources import kinds, native, scales
from kinfolk.tables import columns

SCALES = {
    "answers": ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"],
    "some of the steps": ["never", "sometimes", "always"],
    "German": ["niedrig", "mittel", "hoch"],
    "French": ["jamais", "parfois", "toujours"],
    "Spanish": ["nunca", "a veces", "a menudo", "siempre"],
    "Chinese": ["优", "良", "轻度污染", "中度污染"],
    "prices by signs": ["€", "€€", "€€€€"],
    "sizes": ["S", "M", "XL"],
    "roman": ["I", "II", "III", "IV"],
    "ages": ["under 18", "18-29", "30-44", "45 - 59", "60+"],
    "depths with units": ["0-10 cm", "10-30 cm", "30-60 cm"],
    "incomes": ["< 500", "500-999", "1,000-1,999", "10.000+"],
    "parts of one": ["0.125-0.25", "0.25-1", "1.5-2"],
    "singular and plural": ["< 1 Jahr", "1-2 Jahre", "ab 3 Jahren"],
    "salaries": ["under £20,000", "£20,000 - £29,999", "£30,000-£39,999", "£40,000 and over"],
    "salaries in thousands": ["<20k", "20k-40k", "40-60k", "60k+"],
    "prices up to millions": ["< 500 k€", "500k-1m €", "1m+ €"],
    "marks of schools": ["F", "D", "C", "B", "A"],
    "marks with signs": ["D", "C-", "C", "C+", "B-", "B", "B+", "A-", "A"],
    "energy labels": ["D", "C", "B", "A", "A+", "A++"],
    "short words": ["Low", "Med", "High"],
    "priorities": ["Low", "Normal", "High", "Urgent"],
    "severities": ["minor", "major", "critical"],
    "schools": ["Primary", "Secondary", "Bachelor's", "Master's", "PhD"],
    "skills": ["Beginner", "Intermediate", "Advanced"],
    "none, and numbers": ["None", "1 to 3", "4 to 9", "10 or more"],
    "numbers beside ranges": ["0", "1-2", "3-5", "6+"],
    "words for nothing": ["No children", "1", "2", "3 or more"],
    "times": ["never", "1-2 times", "3+ times"],
    "less than by two letters": ["lt $1000", "$1000 to 2999", "$3000 - 3999", "$4000 or more"],
    "years of school": ["<9years", "9-11years", "12years", "13-15years", "16years", ">16years"],
    "ages with plus": ["under 25", "25-34", "35 plus"],
    "happiness": ["not too happy", "pretty happy", "very happy"],
    "importance": [
        "Not at all important",
        "Not very important",
        "Somewhat important",
        "Very important",
    ],
    "degrees alone": ["Not at all", "A little", "Somewhat", "A lot"],
    "not at all behind": ["Not likely at all", "Slightly likely", "Very likely"],
    "pain": ["none", "slight", "moderate", "severe"],
    "numbered words": ["1 - very bad", "2 - bad", "3 - ok", "10 - excellent"],
}


@pytest.mark.parametrize("name", SCALES)
@pytest.mark.parametrize("seed", range(3))
def test_words_of_a_scale_are_ordered_however_they_come(name, seed):
    words = SCALES[name]
    given = np.random.default_rng(seed).permutation(words).tolist()
    assert scales.levels(given) == tuple(words)


@pytest.mark.parametrize(
    "words",
    [
        ["red", "green", "blue"],
        ["agree", "disagree"],
        ["never", "often", "red"],
        ["good", "Good", "bad"],
        ["often", "frequently", "never"],
        ["9a", "9b", "10a"],
        ["18-29", "30-44", "unknown"],
        ["18-29", "18-35", "36+"],
        ["room 1", "room 2", "room 3"],
        ["S", "M", "agree"],
        ["6-11 months", "1-2 years", "3-5 years"],
        ["AB1", "AB3", "AB7"],
        ["€", "€€", "$$$"],
        ["aa", "aaa", "a"],
        ["A", "B", "C"],
        ["A", "B", "C", "D", "E", "F"],
        ["A+", "A-", "B+", "O-"],
        ["A+", "A-", "B+", "B-"],
        ["$5 - $9", "€10 - €19", "€20+"],
        ["P1", "P2", "P3"],
        ["none", "0-4", "5+"],
        ["none", "red", "blue"],
        ["very happy", "pretty sad", "not too happy"],
        ["01: Connecticut", "02: Maine", "03: Massachusetts"],
        [f"{i} - {name}" for i, name in enumerate("abcdefghijkl")],
        ["1 child", "2 children", "5 rooms", "6+"],
    ],
)
def test_other_words_have_no_order(words):
    assert scales.levels(words) == ()


def test_a_column_of_a_scale_is_an_ordered_category_unless_asked():
    values = SCALES["ages"] * 9
    found = kinds.decide("age", native.of_values("age", values))
    assert found.kind == columns.ORDERED
    assert found.levels == tuple(SCALES["ages"])
    assert "under 18 < 18-29 < 30-44" in found.reason
    assert kinds.decide("age", native.of_values("age", values), asked="category").levels == ()


def test_words_for_no_answer_beside_a_scale_are_gaps_and_this_is_told():
    values = ["Low", "High", "Prefer not to say", "Medium", None] * 9
    found = kinds.decide("income", native.of_values("income", values))
    assert found.kind == columns.ORDERED
    assert found.levels == ("Low", "Medium", "High")
    assert found.reason == "in the order Low < Medium < High; 'Prefer not to say' counts as a gap"
    assert found.values.tolist() == ["Low", "High", None, "Medium", None] * 9
    kept = kinds.decide("income", native.of_values("income", values), asked=columns.CATEGORY)
    assert "Prefer not to say" in kept.values.tolist()


@pytest.mark.parametrize("many", [3, 30])
def test_words_of_a_scale_are_ordered_also_if_most_rows_have_a_number(many):
    values = ["0"] * many + ["1-2", "3+"] * 5
    found = kinds.decide("visits", native.of_values("visits", values))
    assert (found.kind, found.levels) == (columns.ORDERED, ("0", "1-2", "3+"))


def test_none_beside_numbers_from_one_on_is_a_step_and_beside_other_scales_a_gap():
    convictions = kinds.decide(
        "convictions", native.of_values("c", ["None", "1 to 3", "4 to 9", "10 or more"] * 5)
    )
    assert convictions.levels == ("None", "1 to 3", "4 to 9", "10 or more")
    assert not convictions.gaps.any()
    level = kinds.decide("level", native.of_values("l", ["None", "low", "medium", "high"] * 5))
    assert level.gaps.sum() == 5
