"""Methods that other packages offer as entry points."""

import json
from dataclasses import replace
from importlib.metadata import EntryPoint

import numpy as np
import pytest
from typer.testing import CliRunner

import kinfolk as kf
from kinfolk import catalogue
from kinfolk.catalogue import installed
from kinfolk.cli import app
from kinfolk.errors import InputError
from kinfolk.methods.multitask.baselines import PerTask


class Offered(PerTask):
    """A clusterer of several tasks, as another package would offer it."""


ENTRY = replace(
    catalogue.method("per-task"),
    name="offered",
    class_path=(__name__, "Offered"),
    summary="clusters of another package",
)


@pytest.fixture
def offering(monkeypatch):
    """Fixture: entry points of a sound method, a broken one, and an object of another type."""
    objects = {"offered": ENTRY, "other": ENTRY, "number": 7}
    points = [EntryPoint(name, f"package:{name}", installed.GROUP) for name in [*objects, "broken"]]
    monkeypatch.setattr(installed, "entry_points", lambda group: points)
    monkeypatch.setattr(EntryPoint, "load", lambda point: objects[point.name])
    vars(ENTRY)["cls"] = Offered


def test_a_method_of_a_package_is_found_by_name(offering):
    assert catalogue.method("offered") is ENTRY
    assert catalogue.METHODS.get("offered") is None


def test_a_method_of_a_package_can_be_compared(offering):
    X = np.random.default_rng(0).normal(size=(20, 3)) + 9 * np.eye(3)[np.arange(20) % 2]
    found = kf.compare(X, tasks=["a", "b"] * 10, n_clusters=2, method="offered")
    assert isinstance(found.study.model, Offered)
    assert found.study.method == "offered"


def test_what_cannot_be_used_gets_a_sentence(offering):
    for name in ("broken", "other", "number"):
        with pytest.raises(InputError, match=f"method '{name}' is offered by 'package:{name}'"):
            catalogue.method(name)
    with pytest.raises(InputError, match="did you mean 'offered'"):
        catalogue.method("ofered")


def test_methods_of_packages_are_listed_and_broken_ones_are_named(offering):
    with pytest.warns(UserWarning, match="'package:") as caught:
        assert list(installed.entries()) == ["offered"]
    assert len(caught) == 3


def test_an_entry_with_a_relation_in_words_gets_a_sentence(offering, monkeypatch):
    for wrong in ({"relation": "alone"}, {"fidelity": "good"}):
        monkeypatch.setattr(EntryPoint, "load", lambda point, w=wrong: replace(ENTRY, **w))
        with pytest.raises(InputError, match="such as ONE_DATA_SET or SEVERAL_TASKS, and one of"):
            catalogue.method("offered")


@pytest.mark.filterwarnings("ignore:The method")
def test_the_command_line_lists_it_and_says_why_it_does_not_run_it(offering, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    listed = CliRunner().invoke(app.app, ["methods", "offered", "--json"])
    assert json.loads(listed.stdout)[0]["summary"] == "clusters of another package"
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n")
    made = CliRunner().invoke(app.app, ["run", "t.csv", "--clusters", "2", "--method", "offered"])
    assert made.exit_code != 0
    assert "of another package" in str(made.exception)
