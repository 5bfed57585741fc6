"""The benchmark of made tables: its kinds, its seeds and its page."""

import json

import numpy as np
import pandas as pd
import pytest
from benchmarks import folders, tables
from benchmarks.made_tables import __main__ as command
from benchmarks.made_tables import kinds


@pytest.mark.parametrize("name", kinds.KINDS)
def test_a_kind_has_several_groups_in_each_of_several_tasks(name):
    table = kinds.draw(name, 1)
    assert len(table.frame) == len(table.tasks) == len(table.target)
    assert len(table.n_clusters) >= 2
    assert min(table.n_clusters.values()) >= 2
    assert not table.frame.isna().to_numpy().any()


@pytest.mark.parametrize("name", kinds.KINDS)
def test_a_draw_is_the_same_for_the_same_seed_alone(name):
    table = kinds.draw(name, 1)
    again = kinds.draw(name, 1)
    pd.testing.assert_frame_equal(table.frame, again.frame)
    np.testing.assert_array_equal(table.target, again.target)
    assert not table.frame.equals(kinds.draw(name, 2).frame)


@pytest.mark.parametrize(
    ("name", "check"),
    [
        ("answers from 1 to 5", lambda f: set(np.unique(f)) == {1, 2, 3, 4, 5}),
        ("shares of a whole", lambda f: np.allclose(f.sum(axis=1), 1, atol=0.01)),
        ("purchases with zeros", lambda f: 0.2 < (f == 0).to_numpy().mean() < 0.8),
        ("percentages", lambda f: f.isin([0, 100]).to_numpy().any() and f.to_numpy().max() == 100),
        ("rare counts", lambda f: (f <= 1).to_numpy().mean() > 0.5),
        ("baskets of products", lambda f: (f == 0).to_numpy().mean() > 0.5),
        ("categories alone", lambda f: f.select_dtypes("number").empty),
        ("more columns than rows", lambda f: f.shape[1] > len(f)),
        ("faulty entries", lambda f: 0.005 < (f.abs() > 200).to_numpy().mean() < 0.02),
    ],
)
def test_a_kind_is_what_its_name_says(name, check):
    assert check(kinds.draw(name, 0).frame)


def test_runs_are_made_from_the_first_seed_and_once(tmp_path, monkeypatch):
    options = ["--only", "half moons", "--methods", "k-means, alone", "--seeds", "2"]
    line = ["benchmark", "--runs", str(tmp_path), *options, "--first", "6"]
    monkeypatch.setattr("sys.argv", line)
    command.main()
    made = {file.name: file.stat().st_mtime_ns for file in tmp_path.iterdir()}
    assert sorted(made) == ["half-moons_k-means-alone_6.json", "half-moons_k-means-alone_7.json"]
    command.main()
    assert {file.name: file.stat().st_mtime_ns for file in tmp_path.iterdir()} == made


def test_the_page_keeps_draws_that_shaped_rules_apart_and_lists_all_kinds(tmp_path):
    def write(name, method, seed, value):
        run = {"within": value, "over all": value - 0.25, "seconds": 0.1, "absent": ""}
        folders.file(tmp_path, name, method, seed).write_text(json.dumps(run))

    for seed, value in ((6, 0.5), (7, 0.75)):
        write("half moons", "Kinfolk", seed, value)
        write("half moons", "k-means, alone", seed, 0.875)
    page = command.page(tmp_path)
    assert "shaped rules" not in page
    assert "## Draws that decide nothing" in page
    assert "half moons (2) |   0.625" in page
    assert "k-means, alone 0.875 |         -0.250 |" in page
    assert page.count(f"1 of 1 answers are more than {tables.ALLOWED} below") == 2
    assert all(f"*{name}*: {draw.__doc__}" in page for name, draw in kinds.KINDS.items())
    write("half moons", "Kinfolk", 5, 1.0)
    write("half moons", "k-means, alone", 5, 1.0)
    assert "## Draws that shaped rules" in command.page(tmp_path)
