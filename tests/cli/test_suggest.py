"""`kinfolk suggest`: numbers of clusters, with how sure they are."""

from pathlib import Path

import pytest

from kinfolk.choosing.suggestions import Suggestion, Suggestions
from kinfolk.cli import suggest


@pytest.fixture
def shops(make_shops):
    make_shops(each=20).drop(columns="kind").to_csv("shops.csv", index=False)
    return "shops.csv", "--tasks", "shop", "--id", "customer"


def test_every_task_has_a_line(kinfolk, shops):
    said = kinfolk("suggest", *shops)
    assert said.code == 0
    lines = {line.split()[1]: line for line in said.out.splitlines() if "th " in line}
    assert list(lines) == ["north", "south"]
    assert all("2" in line for line in lines.values())
    assert "how sure" in said.out


def test_columns_are_named_after_the_criteria_of_the_table():
    def heads(criterion):
        curve = [{"clusters": 2.0, criterion: 0.1}]
        found = Suggestion("a", 2, 2, 2, "sure", 2, 2, "", curve, third=2)
        return [column.header for column in suggest._table(Suggestions([found])).columns][-2:]

    assert heads("gap") == ["gap says", "others say"]
    assert heads("clearness") == ["clearness says", "mixture says"]


def test_the_largest_number_can_be_told(kinfolk, shops):
    said = kinfolk("suggest", *shops, "--at-most", 1)
    assert said.code == 0
    assert "1 to 1" in said.out
    assert kinfolk("suggest", *shops, "--at-most", 0).code == 2


def test_a_picture_is_left_where_asked(kinfolk, shops):
    said = kinfolk("suggest", *shops, "--out", "curves.svg")
    assert Path("curves.svg").read_text().startswith("<svg")
    assert "curves.svg" in said.err


def test_a_missing_folder_is_said_before_the_work(kinfolk, shops):
    said = kinfolk("suggest", *shops, "--out", Path("missing") / "curves.svg")
    assert (said.code, said.out) == (2, "")
    assert "missing" in said.err


def test_the_line_to_copy_is_one_that_run_takes(kinfolk, shops):
    said = kinfolk("suggest", *shops, "--quiet")
    assert said.out.splitlines()[-1] == "--clusters 2"
    done = kinfolk("run", *shops, *said.out.splitlines()[-1].split(), "--method", "kmeans")
    assert done.code == 0
