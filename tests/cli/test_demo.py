"""`kinfolk demo`: two real sources, nothing to download."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import kinfolk as kf
from kinfolk import datasets, measures
from kinfolk.report import canvas

DRAWN = canvas.svg


@pytest.fixture(scope="module")
def demo(kinfolk, tmp_path_factory):
    """The demo's words and its folder, fitted and drawn once."""
    out = tmp_path_factory.mktemp("demo") / "out"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "100")
        patch.setattr(canvas, "svg", DRAWN)
        said = kinfolk("demo", "--out", out, "--quiet")
    assert said.code == 0
    return said, out


def test_the_demo_shows_scores_relatedness_matches_and_where_the_report_is(demo):
    said, out = demo
    for words in ("Accuracy", "NMI", "alone", "pooled", "together", "on average", "takes from"):
        assert words in said.out
    assert "Rows of each kind" in said.out
    assert str(out / "report.html") in said.err


def test_the_accuracy_shown_is_that_of_the_labels_written(demo):
    said, out = demo
    found = pd.read_csv(out / "labels.csv")
    data = datasets.load_digits_two_sources()
    row = next(line for line in reversed(said.out.splitlines()) if "forms" in line)
    shown = [float(cell) for cell in re.findall(r"(\d+\.\d) / ", row)]
    mine = data.tasks == "forms"
    exact = 100 * measures.accuracy(data.target[mine], found["cluster"].to_numpy()[mine])
    assert shown[2] == pytest.approx(exact, abs=0.05)


def test_the_demo_is_the_default_of_python_with_its_seed_and_all_runs(demo):
    said, out = demo
    kept = kf.load(out / "model").estimator
    assert kept.get_params() == kf.Kinfolk(10, random_state=0).get_params()
    assert kept.left_out_ == []
    np.testing.assert_array_equal(pd.read_csv(out / "labels.csv")["cluster"], kept.labels_)
    for record in kept.guard_:
        assert record["meaning"] in said.out


def test_the_demo_shows_as_alone_what_each_source_finds_by_itself(demo):
    said, out = demo
    data, own = datasets.load_digits_two_sources(), kf.load(out / "model").estimator.own_labels_
    mine = data.tasks == "maps"
    row = next(line for line in reversed(said.out.splitlines()) if "maps" in line)
    exact = 100 * measures.accuracy(data.target[mine], own[mine])
    assert float(re.search(r"(\d+\.\d) / ", row)[1]) == pytest.approx(exact, abs=0.05)


def test_the_report_of_the_demo_is_one_drawn_page_without_scripts_or_requests(demo):
    page = Path(demo[1] / "report.html").read_text("utf-8")
    assert page.count("<svg") >= 5
    assert "<script" not in page
    assert not re.search(r"(?:src|href)=[\"']?(?:https?:)?//", page)
    assert "kinfolk demo" in page
    assert kf.__version__ in page
