"""`kinfolk methods`, `kinfolk datasets`, help and version."""

import json

import pytest

import kinfolk as kf
from kinfolk import datasets
from kinfolk.datasets import registry
from kinfolk.papers import common_figures


def test_methods_are_listed_by_name(kinfolk):
    said = kinfolk("methods")
    assert said.code == 0
    assert all(name in said.out for name in kf.catalogue.METHODS)
    assert said.err == ""
    assert all(entry.fidelity in said.out for entry in kf.catalogue.METHODS.values())


def test_methods_are_listed_for_machines(kinfolk):
    entries = json.loads(kinfolk("methods", "--json").out)
    assert [entry["name"] for entry in entries] == list(kf.catalogue.METHODS)
    by_name = {entry["name"]: entry for entry in entries}
    assert by_name["mtcfir"]["grid"]["noise"] == [0.5, 0.6, 0.7, 0.8, 0.9]
    assert by_name["mtcfir-nr"]["parameters"]["weigh_tasks"] is False
    assert all(entry["paper"] and entry["when"] and entry["when not"] for entry in entries)


@pytest.mark.parametrize("method", kf.catalogue.METHODS)
def test_the_card_of_a_method_tells_all_of_it(method, kinfolk, monkeypatch):
    monkeypatch.setenv("COLUMNS", "2000")
    entry = kf.catalogue.method(method)
    said = kinfolk("methods", method)
    assert (said.code, said.err) == (0, "")
    for told in (entry.takes, entry.when, entry.when_not, entry.paper, entry.cls.__module__):
        assert told in said.out
    for name, values in entry.grid.items():
        assert f"--set {name}=" in said.out
        assert f"the paper tries {', '.join(map(str, values))}" in said.out
    for figure in common_figures.read():
        assert (str(figure) in said.out) == (figure.method == method)
    assert "--set n_clusters" not in said.out
    assert json.loads(kinfolk("methods", method, "--json").out)[0]["takes"] == entry.takes


def test_an_unknown_method_has_no_card(kinfolk):
    said = kinfolk("methods", "mtcifr")
    assert said.code == 2
    assert "did you mean 'mtcfir'" in said.err


def test_data_sets_are_listed_for_machines(kinfolk):
    entries = json.loads(kinfolk("datasets", "--json").out)
    assert [entry["name"] for entry in entries] == list(datasets.AVAILABLE)
    assert all(entry["terms"] for entry in entries)
    fetched = [entry for entry in entries if entry["to fetch"] != "no"]
    assert all(entry["home page"].startswith("http") for entry in fetched)
    at_hand = {name for name, entry in datasets.AVAILABLE.items() if entry.embedded}
    assert {entry["name"] for entry in entries if entry["to fetch"] == "no"} == at_hand
    assert "digits-two-sources" in at_hand


def test_data_sets_are_listed_by_name_on_a_wide_screen(kinfolk, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    said = kinfolk("datasets")
    assert said.code == 0
    assert all(name in said.out for name in datasets.AVAILABLE)


def test_only_what_the_command_can_fetch_is_said_to_be_fetched(kinfolk, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    said = kinfolk("datasets").out
    for name, info in datasets.AVAILABLE.items():
        line = next(line for line in said.splitlines() if line.split()[:1] == [name])
        fetched = bool(registry.COLLECTIONS[info.collection].downloads)
        assert (f"kinfolk datasets fetch {name}" in line) == fetched
        assert ("by hand, from http" in line) == (not fetched and not info.embedded)


@pytest.mark.parametrize("verb", ["methods", "datasets"])
def test_names_and_addresses_are_whole_on_a_narrow_screen(verb, kinfolk, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    said = kinfolk(verb)
    names = kf.catalogue.METHODS if verb == "methods" else datasets.AVAILABLE
    assert "…" not in said.out
    assert all(name in said.out for name in names)


def test_the_version_is_that_of_the_package(kinfolk):
    assert kinfolk("--version") == (0, f"{kf.__version__}\n", "")


def test_help_tells_the_verbs_and_the_exit_codes(kinfolk):
    said = kinfolk("--help")
    assert said.code == 0
    for word in ("demo", "run", "assign", "methods", "datasets", "Exit", "130"):
        assert word in said.out


@pytest.mark.parametrize(
    ("verb", "options"),
    [
        (
            "run",
            "--tasks --clusters --method --budget --out --text --target --id --weighting "
            "--stop-words --terms --columns --scale --set --data --seed --quiet --labels --views "
            "--knowledge --jobs",
        ),
        ("assign", "--task --tasks --text --id --out --quiet"),
        ("demo", "--out --seed --quiet"),
        ("methods", "--json"),
        ("datasets", "--json"),
    ],
)
def test_each_verb_tells_its_options(verb, options, kinfolk):
    said = kinfolk(verb, "--help")
    assert said.code == 0
    assert all(f"{option} " in said.out for option in options.split())


def test_fetching_shows_the_terms_and_then_where_the_files_are(kinfolk, tmp_path, monkeypatch):
    from kinfolk import datasets

    monkeypatch.setattr(datasets, "fetch", lambda name, data: [tmp_path / "a", tmp_path / "b"])
    said = kinfolk("datasets", "fetch", "20newsgroups", "--data", str(tmp_path)).out
    assert said.index("Terms of 20newsgroups") < said.index("2 files of 20newsgroups are in")
    assert str(tmp_path) in said


def test_fetching_what_comes_with_the_package_is_refused(kinfolk):
    said = kinfolk("datasets", "fetch", "penguins")
    assert said.code == 2
    assert "comes with the package" in said.err
