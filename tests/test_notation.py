"""docs/notation.md names every parameter of every estimator, and attributes that are there."""

import inspect
import re
from pathlib import Path

import pytest

from kinfolk import catalogue

PAGE = (Path(__file__).parents[1] / "docs" / "notation.md").read_text("utf-8")
PARAMETERS = PAGE.split("## Parameters", 1)[1].split("\n## ", 1)[0]
ROWS = re.findall(r"^\| (`.+?) \| (.+?) \| ", PARAMETERS, re.MULTILINE)
SHORT = {"ConceptFactorization": "CF"}
"""Estimators that the page calls by another name."""

CLASSES = {
    entry.cls.__name__: entry.cls
    for entry in catalogue.METHODS.values()
    if entry.cls.__module__.startswith("kinfolk")
}


def parameters(cls):
    """Names of an estimator's parameters."""
    return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]


def explained(cls):
    """Parameters that the page explains for an estimator."""
    name = SHORT.get(cls.__name__, cls.__name__)
    return {
        parameter
        for row, methods in ROWS
        if name in methods.split(", ") or methods == "all"
        for parameter in re.findall(r"`(\w+)`", row)
    }


@pytest.mark.parametrize("name", CLASSES)
def test_every_parameter_of_an_estimator_has_a_row(name):
    cls = CLASSES[name]
    assert [p for p in parameters(cls) if p not in explained(cls)] == []


def test_every_row_is_about_a_parameter_that_an_estimator_of_the_row_has():
    classes = {SHORT.get(name, name): cls for name, cls in CLASSES.items()}
    for row, methods in ROWS:
        of = list(classes) if methods == "all" else methods.split(", ")
        known = {p for name in of if name in classes for p in parameters(classes[name])}
        outside = [name for name in of if name not in classes]
        for parameter in re.findall(r"`(\w+)`", row):
            assert parameter in known or outside == ["Knowledge"], parameter
