"""Sentences name options to users of the command line, and arguments to those of Python."""

import ast
import re
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans

import kinfolk as kf
from kinfolk import Preparation, catalogue, cli
from kinfolk.arguments import from_command_line
from kinfolk.catalogue import strategies
from kinfolk.choosing.suggestions import Suggestion, Suggestions, chosen
from kinfolk.comparison.notes import notes_on_help
from kinfolk.datasets import makers
from kinfolk.disk import file_sets
from kinfolk.errors import KinfolkError, ScaleWarning
from kinfolk.estimators import checks
from kinfolk.report import sizes
from kinfolk.report.content import read
from kinfolk.tables import alignment

SOURCE = Path(kf.__file__).parent
BLOBS = makers.make_related_blobs(12, random_state=0)
X = np.arange(12.0).reshape(6, 2)

OPTION = re.compile(r"--[a-z]|`kinfolk [a-z]")
"""An option such as --missing, or a command."""

ARGUMENT = re.compile(r"(?<!--)\b\w+=(?!\d)|\bkf\.|\b(?!KINFOLK)\w+_\w+\b")
"""An argument such as missing='drop' or row_id=, a name of Python, or a word with an underscore."""


def frame(**columns):
    return pd.DataFrame({"a": [1.5, 2.5, 4.5, 3.5] * 5, **columns})


def undivided():
    return sizes.undivided(read(kf.compare(BLOBS, n_clusters=1, method="mec").study))


def no_views():
    (said,) = notes_on_help(strategies.Setup(catalogue.method("comvcf"), BLOBS, 3, 0, {}, None))
    return said


def of_scales():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        kf.MTCFIR(2, random_state=0).fit(X * [1, 1e6], tasks=list("aaabbb"))
    return " ".join(str(w.message) for w in caught if w.category is ScaleWarning)


def sparse():
    return replace(BLOBS, X=sp.csr_array(BLOBS.X))


def small_centers():
    known = kf.Knowledge([[1.2345678]], [3.0], ("name",), minimum_cluster_size=1)
    return " ".join(kf.check_knowledge(known).warnings)


def exported():
    return kf.Knowledge.of(KMeans(2, n_init=1).fit(X), minimum_cluster_size=10)


SENTENCES = {
    "words among numbers": lambda: kf.describe(frame(b=["1", "x", "2", "3"] * 5)),
    "numbers in two units": lambda: kf.describe(frame(b=["1 EUR", "2 USD", "3 EUR", "4 EUR"] * 5)),
    "number of clusters": lambda: kf.compare(BLOBS, n_clusters=0, method="mec"),
    "clusters of one task": lambda: kf.compare(BLOBS, n_clusters={"none": 2}, method="mec"),
    "no number is found": lambda: kf.compare(BLOBS, n_clusters="auto", method="mec"),
    "knowledge is missing": lambda: kf.compare(BLOBS, n_clusters=2, method="kt-mec"),
    "labels are missing": lambda: kf.compare(BLOBS, n_clusters=2, method="lssttc"),
    "no such method": lambda: kf.compare(BLOBS, n_clusters=2, method="kmaens"),
    "no such data set": lambda: kf.datasets.load("pengiuns"),
    "a data set is missing": lambda: kf.datasets.load("webkb4", data="nowhere"),
    "nothing is divided": undivided,
    "one view": no_views,
    "guessed numbers": lambda: chosen(
        Suggestions([Suggestion("a", 3, 2, 4, "a guess", 2, 4, "", [])])
    )[1],
    "scales": of_scales,
    "sparse rows": lambda: Preparation(scale="standard").fit_transform(sparse()),
    "weights of negative numbers": lambda: Preparation(text_weighting="tfidf").fit_transform(
        replace(BLOBS, X=-abs(BLOBS.X))
    ),
    "a task that is not known": lambda: checks.unknown_tasks(["c"], ["a", "b"]),
    "rows without tasks": lambda: checks.unnamed_tasks(["a", "b"]),
    "a choice that is not known": lambda: Preparation(text_weighting="rare", scale="none"),
    "another choice": lambda: alignment.align({"t": X}, {"t": ["a", "b"]}, how="both"),
    "files of others": lambda: file_sets.overwriting(),
    "knowledge of small clusters": small_centers,
    "small clusters stay": exported,
}
"""A short name -> a call that returns, prints or raises a sentence with advice."""


def told(call):
    """Return what a call returns, or the sentence that it raises."""
    try:
        return str(call())
    except KinfolkError as error:
        return str(error)


@pytest.mark.parametrize("name", SENTENCES)
def test_python_names_arguments_and_the_command_line_options(name):
    in_python = told(SENTENCES[name])
    with from_command_line():
        in_a_shell = told(SENTENCES[name])
    assert ARGUMENT.search(in_python)
    assert not OPTION.search(in_python)
    assert OPTION.search(in_a_shell)
    assert not ARGUMENT.search(re.sub(r"--as \S+|KINFOLK_DATA|webkb_raw", "", in_a_shell))


def test_the_door_is_the_one_that_was_open_before_once_a_command_ends(capsys):
    assert cli.main(["methods", "kmaens"]) == cli.USAGE
    assert "`kinfolk methods` lists all" in capsys.readouterr().err
    assert "kf.catalogue" in told(SENTENCES["no such method"])


def strings(file):
    """Yield the strings of a file that no docstring and no argument of `spelled` holds."""
    tree = ast.parse(file.read_text("utf-8"))
    held = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            held.add(node.value)
        if (
            isinstance(node, ast.Call)
            and getattr(node.func, "id", getattr(node.func, "attr", "")) == "spelled"
        ):
            held.update(ast.walk(node))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in held:
            yield node.value


def test_below_the_command_line_options_stand_only_beside_their_arguments():
    found = {}
    for file in SOURCE.rglob("*.py"):
        layer = file.relative_to(SOURCE).parts[0]
        if layer not in ("cli", "papers"):  # only the command line imports these
            found |= {text: file.name for text in strings(file) if OPTION.search(text)}
    # `kinfolk name` and `kinfolk assign` alone call these.
    assert set(found.values()) <= {"files.py"}, found
