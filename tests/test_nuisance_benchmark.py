"""The benchmark of columns that tell nothing: its alterations, its sets and its page."""

import json

import numpy as np
import pandas as pd
import pytest
from benchmarks import folders, mixed_tables, nuisance


@pytest.fixture
def table():
    random = np.random.RandomState(0)
    frame = pd.DataFrame({"x": random.normal(size=400), "word": ["a", "b"] * 200})
    target = np.repeat(["0", "1"], 200)
    return mixed_tables.MixedTable(frame, np.array(["s", "t"] * 200), target)


@pytest.mark.parametrize("name", nuisance.ALTERATIONS)
def test_an_alteration_is_the_same_every_time_and_keeps_rows_and_classes(name, table):
    found = nuisance.altered(table, name)
    pd.testing.assert_frame_equal(found.frame, nuisance.altered(table, name).frame)
    assert len(found.frame) == 400
    assert list(found.frame.columns[:2]) == ["x", "word"]
    assert found.target is table.target
    assert list(table.frame.columns) == ["x", "word"]


@pytest.mark.parametrize(
    ("name", "check"),
    [
        ("a code", lambda f: set(f["added"]) == {3, 6, 7}),
        ("grades", lambda f: set(f["added"]) == {1, 2, 3, 4, 5}),
        ("90 % zeros", lambda f: 0.85 < (f["added"] == 0).mean() < 0.95),
        ("50 % zeros", lambda f: 0.42 < (f["added"] == 0).mean() < 0.58),
        ("outliers", lambda f: (f["added"].abs() > 100).sum() == 3),
        ("copies", lambda f: np.allclose(f[["x", "in other units"]].corr(), 1)),
        ("gaps", lambda f: 0.1 < f["x"].isna().mean() < 0.2),
        ("rounded", lambda f: f["x"].nunique() < 20),
    ],
)
def test_an_alteration_is_what_its_name_says(name, check, table):
    assert check(nuisance.altered(table, name).frame)


def test_no_set_both_shapes_and_decides_nothing():
    assert not set(nuisance.SHAPING) & set(nuisance.FURTHER)


def test_the_page_has_the_runs_and_their_means(tmp_path):
    for name, value in zip(nuisance.SHAPING[:2], (0.25, 0.75), strict=True):
        place = folders.file(tmp_path, name, "Kinfolk")
        place.write_text(json.dumps(dict.fromkeys(nuisance.ALTERATIONS, value)))
    found = nuisance.page(tmp_path)
    assert "mean of 2" in found
    assert "0.500" in found
    assert "decide nothing" not in found
