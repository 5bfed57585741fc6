"""Words for strategies, and how numbers and lists are written."""

import dataclasses
import math

import pytest
from tests.report import studies

from kinfolk import catalogue
from kinfolk.report import wording
from kinfolk.report.study import Result


@pytest.mark.parametrize("name", sorted({str(e.relation) for e in catalogue.METHODS.values()}))
def test_every_relation_of_the_catalogue_has_its_words(make_study, name):
    words = wording.words(dataclasses.replace(make_study(), relation=name))
    assert words.question
    assert words.own in words.strategies
    assert set(words.rivals) <= set(words.strategies)
    assert words.baseline in ("", wording.VIEW, *words.strategies)


@pytest.mark.parametrize("relation", list(studies.FITS))
def test_every_result_of_a_study_is_explained(relation):
    study = studies.fitted(relation)
    explained = wording.explanations(study)
    for result in study.results:
        key = "view …" if result.name.startswith(wording.VIEW) else result.name
        assert explained[key]
    assert len(explained) <= len(study.results)


def test_a_result_that_is_absent_is_not_explained(make_study):
    study = make_study()
    assert list(wording.explanations(study)) == ["alone", "pooled", "together"]
    study = dataclasses.replace(study, results=study.results[:1])
    assert list(wording.explanations(study)) == ["alone"]


def test_the_gain_is_measured_from_the_baseline_if_it_ran(make_study):
    study = make_study()
    assert wording.baselines(study) == ["alone"]
    assert wording.gain(study) == "together − alone"
    study = dataclasses.replace(study, results=study.results[1:])
    assert wording.baselines(study) == []
    assert wording.gain(study) == ""


def test_all_single_views_are_baselines(make_study):
    results = [Result(name, "", None) for name in ("view a", "view b", "pooled", "together")]
    study = dataclasses.replace(make_study(), relation="several views", results=results)
    assert wording.baselines(study) == ["view a", "view b"]
    assert wording.gain(study) == "together − best view"


@pytest.mark.parametrize(
    ("number", "noun", "nouns", "expected"),
    [
        (0, "row", "", "0 rows"),
        (1, "row", "", "1 row"),
        (1234567, "row", "", "1,234,567 rows"),
        (1, "class", "classes", "1 class"),
        (3, "class", "classes", "3 classes"),
    ],
)
def test_counts_agree_with_their_noun(number, noun, nouns, expected):
    assert wording.count(number, noun, nouns) == expected


@pytest.mark.parametrize(
    ("names", "expected"),
    [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c", "d"], "a, b, c and d")],
)
def test_lists_are_written_in_words(names, expected):
    assert wording.listing(names) == expected


@pytest.mark.parametrize(
    ("value", "digits", "sign", "expected"),
    [
        (1.25, 1, "", "1.2"),
        (-1.0, 2, "", "−1.00"),
        (-0.0, 1, "", "0.0"),
        (-0.0, 1, "+", "+0.0"),
        (-0.001, 2, "", "0.00"),
        (-0.001, 2, "+", "+0.00"),
        (2.0, 0, "+", "+2"),
        (math.nan, 3, "+", "–"),
        (math.inf, 1, "", "inf"),
    ],
)
def test_decimals_have_a_true_minus_and_a_dash_for_unknown(value, digits, sign, expected):
    assert wording.decimal(value, digits, sign) == expected
