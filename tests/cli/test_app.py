"""The command with all its verbs: what help says, and what it needs."""

import inspect
import json
import subprocess
import sys
from importlib import import_module

import pytest
import typer

import kinfolk as kf
from kinfolk import datasets, knowledge
from kinfolk.choosing import cluster_count
from kinfolk.cli import app, options, run
from kinfolk.cli.run import Method, TermsAndScale
from kinfolk.comparison import compare
from kinfolk.models import storage
from kinfolk.preparation import Preparation


@pytest.mark.parametrize("verb", app.VERBS)
def test_the_list_of_verbs_has_the_first_line_of_the_help_of_each(verb):
    module, summary = app.VERBS[verb]
    found = getattr(import_module(f"kinfolk.cli.{module}"), verb)
    text = found.info.help if isinstance(found, typer.Typer) else found.__doc__
    assert summary == text.strip().splitlines()[0]


def test_help_and_lists_import_no_library_that_takes_long():
    of_verbs = [f"{verb} --help" for verb in app.VERBS]
    commands = ["--help", "--version", "datasets", "methods", "knowledge export --help", *of_verbs]
    # One process for all: a library that a command imports is found after that command. NumPy alone
    # takes as long as all else of `methods`.
    program = """
import sys
from kinfolk.cli import main
for command in sys.argv[1:]:
    code = main(command.split())
    heavy = {"sklearn", "matplotlib", "pandas", "scipy", "numpy"} & set(sys.modules)
    if code or heavy:
        sys.exit(f"{command}: {code} {sorted(heavy)}")
    print("end of", command)
"""
    made = subprocess.run(
        [sys.executable, "-c", program, *commands], capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    shown = made.stdout
    for command in commands:
        own, shown = shown.split(f"end of {command}\n", 1)
        assert own.strip()


def test_the_package_is_run_like_the_command():
    line = [sys.executable, "-m", "kinfolk", "--version"]
    made = subprocess.run(line, capture_output=True, text=True, check=False)
    assert (made.returncode, made.stdout.strip()) == (0, kf.__version__)


@pytest.mark.parametrize("verb", ["methods", "datasets"])
def test_a_list_without_options_does_not_load_pydantic(verb):
    program = """
import sys
from kinfolk.cli import main
code = main([sys.argv[1]])
sys.exit(code or "pydantic" in sys.modules and "imports pydantic")
"""
    made = subprocess.run(
        [sys.executable, "-c", program, verb], capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    assert "mtcfir" in made.stdout or "webkb4" in made.stdout


@pytest.mark.parametrize("verb", ["methods", "datasets"])
def test_a_list_without_options_is_the_one_that_typer_prints(verb, capsys):
    assert app.run([verb]) == 0
    bare = capsys.readouterr().out
    assert app.get_command(app.app)([verb], standalone_mode=False) is None
    assert bare == capsys.readouterr().out


def test_constants_in_the_help_are_those_of_the_library(capsys):
    # The help repeats them, because to import them takes seconds.
    assert options.FEWEST == storage.FEWEST == knowledge.MINIMUM
    assert app.run(["suggest", "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert f"[default: {cluster_count.MAX_CLUSTERS}, or the square root of the rows]" in shown


def test_run_prepares_rows_and_compares_like_the_library_without_options():
    assert TermsAndScale().preparation("kmeans") == Preparation()
    compared = inspect.signature(compare).parameters
    assert Method().method == compared["method"].default
    assert inspect.signature(run.run).parameters["seed"].default == compared["random_state"].default


def test_the_list_of_data_sets_says_what_the_registry_does(capsys):
    assert app.run(["datasets", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [entry["name"] for entry in listed] == list(datasets.AVAILABLE)
    for entry in listed:
        info = datasets.AVAILABLE[entry["name"]]
        assert (entry["to fetch"] == "no") == info.embedded
        assert (entry["home page"], entry["terms"]) == (info.home_page, info.terms)
        told = [entry[name] for name in ("tasks", "rows", "classes", "kind")]
        assert told == [info.tasks, info.rows, info.classes, info.kind]


def test_a_mistyped_verb_is_compared_with_those_there_are(capsys):
    assert app.run(["runn"]) == 2
    assert "Did you mean 'run'?" in capsys.readouterr().err
