"""docs/methods-*.md have a section, with formula and advice, for every public estimator."""

import inspect
import re
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator

import kinfolk as kf
from kinfolk.catalogue.entry import FIDELITIES

FILES = sorted((Path(__file__).parents[1] / "docs").glob("methods*.md"))
PAGE = "\n".join(file.read_text("utf-8") for file in FILES)
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE))
ELSEWHERE = {"Kinfolk": "labelfree.md"}
"""Estimators with a page of their own."""

WITHOUT_FORMULA = {"PerTask", "Pooled"}
"""Wrappers of any clusterer."""

ESTIMATORS = sorted(
    name
    for name in kf.__all__
    if inspect.isclass(cls := getattr(kf, name))
    and issubclass(cls, BaseEstimator)
    and hasattr(cls, "fit_predict")
)


def section(name):
    """Text below the heading of an estimator."""
    found = [text for heading, text in SECTIONS.items() if re.search(rf"\b{name}\b", heading)]
    assert len(found) == 1, f"docs/methods*.md have {len(found)} headings with {name}"
    return found[0]


def test_the_words_of_fidelity_are_explained():
    for word, meaning in FIDELITIES.items():
        assert f"| {word} | {meaning} |" in PAGE


def test_the_estimators_are_found():
    assert {"SoftKMeans", "ASI", "NCut", "PCAKMeans", "Kinfolk", "LSSMTC"} <= {*ESTIMATORS}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_public_estimator_has_a_section_or_a_page(name):
    if name in ELSEWHERE:
        assert f"({ELSEWHERE[name]})" in PAGE
    else:
        assert len(section(name).strip()) > 100


@pytest.mark.parametrize("name", [n for n in ESTIMATORS if n not in {*ELSEWHERE, *WITHOUT_FORMULA}])
def test_every_section_has_a_formula_and_advice(name):
    text = section(name)
    # Formulas are drawn between dollars; steps in words are indented, short ones in a sentence.
    formula = r"\$[^$]*=[^$]*\$|^ {4,}\S.*=|`[^`\n]* = [^`\n]*`"
    assert re.search(formula, text, re.MULTILINE), "no formula"
    assert re.search(r"\*Use( it)?\*", text), "no advice"
    assert "*Do not*" in text
