"""Fixtures that make studies, each fitted once in a session."""

import copy
import dataclasses
import functools

import numpy as np
import pytest
from tests.report import studies

from kinfolk.report import canvas, page

EVIL = "<b>&"
LONG = f"{'x' * 58} {EVIL}"
SUPPORTED = {
    "modularity": 0.5,
    "own_modularity": 0.4,
    "source": "joint",
    "evidence": 0.2,
    "support": "tasks",
}
BY_SHAPE = {
    "source": "joint",
    "evidence": float("nan"),
    "support": "shape",
    "modularity": 0.5,
    "own_modularity": 0.4,
    "cross_task_agreement": 0.3,
    "own_cross_task_agreement": 0.4,
    "has_cross_task_support": True,
}
OF_OWN_RUNS = {
    "modularity": 0.3,
    "own_modularity": 0.4,
    "source": "own",
    "evidence": 0.06,
    "support": "tasks",
}


@pytest.fixture
def make_study():
    """Return a function that makes a study: terms, numbers or pixels; with truth or without."""
    return studies.make


@pytest.fixture
def fit_study():
    """Return a function that fits a small study: a relation, and what its maker takes."""
    return lambda relation, **given: copy.deepcopy(studies.fitted(relation, **given))


@pytest.fixture(scope="session")
def fitted_page():
    """Return a function that gives the page of each relation."""
    return functools.cache(lambda relation: page.render(studies.fitted(relation)))


@pytest.fixture(scope="session")
def made_page():
    """Return a function that gives the page of a hand-made study by the looks of its table."""
    return functools.cache(lambda looks: page.render(studies.make(looks)))


@pytest.fixture
def no_pictures(monkeypatch):
    """Leave the pictures out of pages, for tests of words and tables: drawing is slow."""
    monkeypatch.setattr(canvas, "svg", lambda *_, **__: "<svg></svg>")


@pytest.fixture
def chosen():
    """Return a function that makes a study with hand-made records of a choice among runs."""
    return studies.make_chosen


@pytest.fixture
def eventful(chosen):
    """Fixture: a study with changed rows, flags, a second answer and hostile names."""
    records = [
        {**SUPPORTED, "changed": 14},
        {**BY_SHAPE, "changed": 2, "has_second_answer": True},
        {**OF_OWN_RUNS, "changed": 1, "has_clusters": False, "own_runs_only": True},
    ]
    reason = {"family": "mtcfir", "reason": f"Refused {EVIL}."}
    study = chosen(records, left_out=[reason], tasks=("cornell", "texas", LONG))
    rows = np.flatnonzero(study.data.tasks == "texas")
    second = np.array([2, 0, 1])[study.model.labels_[rows]]
    second[::5] = 0
    study.model.second_labels_ = {np.str_("texas"): second}
    names = np.array([f"{EVIL}{i}" for i in range(180)], dtype=object)
    names[study.data.tasks == LONG] = f"http://www.cs.wisc.edu/people/{EVIL}.html"
    return dataclasses.replace(study, data=dataclasses.replace(study.data, row_ids=names))
