"""Runs the command line in process, on small tables whose groups are known."""

import io
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from kinfolk.cli import main
from kinfolk.datasets import data_home
from kinfolk.report import canvas


class Said(NamedTuple):
    code: int
    out: str
    err: str


def say(*arguments):
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([str(argument) for argument in arguments])
    assert "Traceback" not in out.getvalue() + err.getvalue()
    return Said(code, out.getvalue(), err.getvalue())


def shops(tasks=("north", "south"), each=6):
    """Make a table of two kinds of customers, far apart, in each shop."""
    rng = np.random.default_rng(0)
    parts = []
    for shop in tasks:
        kind = np.repeat(["young", "old"], each)
        means = np.where((kind == "young")[:, None], [25.0, 9.0, 2.0], [70.0, 1.0, 8.0])
        X = np.round(means + rng.uniform(-0.9, 0.9, means.shape), 2)
        part = pd.DataFrame(X, columns=["age", "orders", "returns"])
        part.insert(0, "customer", [f"{len(parts)}-{i}" for i in range(len(part))])
        part.insert(1, "shop", shop)
        parts.append(part.assign(kind=kind))
    return pd.concat(parts, ignore_index=True)


@pytest.fixture(scope="session")
def kinfolk():
    """Return a function that runs `kinfolk` with arguments: exit code, output, messages."""
    return say


@pytest.fixture(scope="session")
def make_shops():
    """Return a function that makes a table of customers by shop."""
    return shops


@pytest.fixture(autouse=True)
def at_home(tmp_path, monkeypatch):
    """Work in an empty folder, without data sets."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(data_home.VARIABLE, str(tmp_path / "no-data"))
    return tmp_path


@pytest.fixture(autouse=True, scope="module")
def screen():
    """Fixture: a screen of 100 columns, and no pictures in reports, which take most of the time.

    `test_demo` draws them. Of a module, so that it holds for fixtures that run a command once.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "100")
        patch.setattr(canvas, "svg", lambda *_, **__: "<svg></svg>")
        yield


@pytest.fixture
def table(at_home, make_shops):
    """A CSV of customers by shop, with their ids and true kinds."""
    make_shops().to_csv("shops.csv", index=False)
    return at_home / "shops.csv"


@pytest.fixture(scope="session")
def kinfolk_with_table():
    """Return a function that runs `kinfolk` on two shops in a folder."""

    def function(folder):
        shops().to_csv(folder / "shops.csv", index=False)
        said = say(
            *("run", folder / "shops.csv", "--tasks", "shop", "--id", "customer"),
            *("--target", "kind", "--clusters", 2, "--method", "kmeans", "--quiet"),
            *("--out", folder / "out"),
        )
        assert said.code == 0, said.err
        return folder / "out"

    return function


@pytest.fixture(scope="session")
def roles():
    """The options that say what the columns of `table` are."""
    return ("--tasks", "shop", "--id", "customer", "--target", "kind")


@pytest.fixture(scope="session")
def quick():
    """Options for the least work: two clusters, one start, no progress bars."""
    return ("--clusters", 2, "--method", "mtcfir", "--set", "n_init=1", "--quiet")
