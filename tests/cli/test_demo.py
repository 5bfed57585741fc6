"""`kinfolk demo`: penguins of two sexes, nothing to download."""

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
    """Fixture: output and folder of one run of `kinfolk demo`."""
    out = tmp_path_factory.mktemp("demo") / "out"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(canvas, "svg", DRAWN)
        said = kinfolk("demo", "--out", out, "--quiet")
    assert said.code == 0
    return said, out


@pytest.fixture
def birds():
    """Fixture: the penguins of known sex, in the order of the table."""
    frame = pd.read_csv(datasets.penguins_csv())
    return frame[frame["sex"].notna()]


def test_the_demo_shows_columns_kinds_scores_and_where_the_report_is(demo):
    said, out = demo
    for words in ("of 3 kinds", "Accuracy", "NMI", "alone", "pooled", "together", "by itself"):
        assert words in said.out
    assert "island             category   3 different values" in said.err
    assert "11 rows have nothing in column 'sex' (or NA) and are left out." in said.err
    assert str(out / "report.html") in said.err


def lines_shown(page, start):
    """Return the lines of a page's block that begins with `start`, without those left out."""
    text = (Path(__file__).parents[2] / page).read_text("utf-8")
    (block,) = [b for b in re.findall(r"(?:^    .*\n)+", text, re.MULTILINE) if start in b]
    return [line for line in block.replace("\n    ", "\n")[4:].splitlines() if line != "..."]


@pytest.mark.parametrize(
    ("page", "start"),
    [("README.md", "column             taken for"), ("docs/penguins.md", "The 333 rows of 2 data")],
)
def test_the_pages_show_what_the_demo_prints(demo, page, start):
    said, _ = demo
    printed = [line.rstrip() for line in (said.err + said.out).splitlines()]
    shown = lines_shown(page, start)
    assert len(shown) > 8
    assert [line for line in shown if line not in printed] == []


def test_the_chinese_page_shows_the_kinds_of_the_english_one():
    kinds = lines_shown("docs/penguins.md", "The 333 rows of 2 data")
    chinese = lines_shown("docs/zh/penguins.md", "│ kind │ rows")
    assert [line for line in chinese[1:] if line not in kinds] == []


def test_the_accuracy_shown_is_that_of_the_labels_written(demo, birds):
    said, out = demo
    found = pd.read_csv(out / "labels.csv")
    row = [line for line in said.out.splitlines() if line.startswith("│ male") and " / " in line]
    shown = [float(cell) for cell in re.findall(r"(\d+\.\d) / ", row[0])]
    mine = (birds["sex"] == "male").to_numpy()
    exact = 100 * measures.accuracy(
        birds["species"].to_numpy()[mine], found["cluster"].to_numpy()[mine]
    )
    assert shown[2] == pytest.approx(exact, abs=0.05)


def test_the_kinds_of_the_demo_are_the_species_in_both_sexes(demo, birds):
    found = pd.read_csv(demo[1] / "labels.csv")
    assert found["row"].tolist() == (birds.index + 1).tolist()
    assert (
        measures.accuracy(birds["species"].to_numpy(), found["matched_cluster"].to_numpy()) > 0.97
    )


def test_the_demo_is_the_default_of_python_with_its_seed_and_all_runs(demo):
    said, out = demo
    kept = kf.load(out / "model").estimator
    expected = kf.Kinfolk(3, random_state=0, columns_are_scaled=True)
    assert kept.get_params() == expected.get_params()
    assert kept.left_out_ == []
    np.testing.assert_array_equal(pd.read_csv(out / "labels.csv")["cluster"], kept.labels_)
    for record in kept.guard_:
        assert record["meaning"] in said.out


def test_the_table_of_the_demo_is_left_to_try_the_commands_on(kinfolk, demo):
    table = demo[1] / "penguins.csv"
    assert table.read_bytes() == datasets.penguins_csv().read_bytes()
    options = "--tasks sex --target species --ignore year --missing drop --clusters 3"
    assert options in demo[0].err.splitlines()[-1]
    done = kinfolk("run", table, *options.split(), "--method", "kmeans", "--quiet")
    assert done.code == 0


def test_the_report_of_the_demo_is_one_drawn_page_without_scripts_or_requests(demo):
    page = Path(demo[1] / "report.html").read_text("utf-8")
    assert page.count("<svg") >= 5
    assert "<script" not in page
    assert not re.search(r"(?:src|href)=[\"']?(?:https?:)?//", page)
    assert "kinfolk demo" in page
    assert kf.__version__ in page
