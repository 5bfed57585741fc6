"""The benchmark of mixed tables: made customers, contenders, scores and the page."""

import json

import numpy as np
import pandas as pd
import pytest
from benchmarks import contenders, folders, made_customers, mixed_tables, tables, tables_of_r


@pytest.fixture
def clear():
    """Make two clear groups of numbers and words in two tasks, with a gap."""
    random = np.random.RandomState(0)
    target = np.tile([0, 1], 20)
    numbers = 10.0 * target + random.normal(size=40)
    numbers[3] = np.nan
    other = 10.0 * target + random.normal(size=40)
    frame = pd.DataFrame({"x": numbers, "y": other, "word": np.array(["no", "yes"])[target]})
    return mixed_tables.MixedTable(frame, np.repeat(["a", "b"], 20), target.astype(str))


@pytest.mark.parametrize(
    "name", [name for name in contenders.NAMES if name.split(",")[0] not in contenders.PACKAGES]
)
def test_contenders_find_clear_groups_with_the_same_numbers_in_all_tasks(name, clear):
    found = tables.measured(name, clear, 0)[name]
    assert found["within"] == 1.0
    assert found["over all"] == 1.0


def test_a_package_that_is_absent_is_said(clear):
    found = tables.measured("Harmony, pooled", clear, 0, python="/bin/false")
    assert found["Harmony, pooled"]["absent"]


def test_both_answers_of_kinfolk_are_scored(clear):
    found = tables.measured("Kinfolk", clear, 0)
    assert list(found) == ["Kinfolk", "Kinfolk, own"]
    assert found["Kinfolk"]["over all"] == found["Kinfolk, own"]["over all"] == 1.0


@pytest.mark.parametrize("name", made_customers.KINDS)
def test_customers_are_the_same_every_time_and_as_described(name):
    kind = made_customers.KINDS[name]
    frame, tasks, segments = made_customers.draw(name, 1)
    again = made_customers.draw(name, 1)[0]
    pd.testing.assert_frame_equal(frame, again)
    assert len(frame) == kind.rows
    assert ("plan" in frame) == (kind.categories is not None)
    assert frame.isna().to_numpy().any() == (kind.gaps > 0)
    assert len(set(segments[tasks == "PT"])) == 4 - kind.absent


def test_no_set_is_in_two_parts():
    assert len(tables.SETS) == sum(map(len, tables.PARTS.values()))


def test_rare_classes_small_tasks_and_those_of_one_class_are_left_out():
    frame = pd.DataFrame({"t": [*"aaaabbbbc"], "y": [*"uuvwuuvvu"], "x": range(9)})
    source = tables_of_r.Table("none", "t", "y", rows=2, least=2)
    kept = tables_of_r._with_classes(frame, "t", source)
    assert kept["x"].tolist() == [4, 5, 6, 7]


def test_clusters_are_numbered_as_those_of_the_largest_task(clear):
    rows = contenders.Arrays.of(clear.frame, clear.tasks)
    labels = clear.target.astype(int)
    swapped = np.where(clear.tasks == "a", labels, 1 - labels)
    np.testing.assert_array_equal(contenders.matched(rows, swapped), labels)


def test_the_page_counts_answers_below_the_best_contender(tmp_path):
    def write(name, method, value):
        run = {"within": value, "over all": value, "seconds": 0.1, "absent": ""}
        folders.file(tmp_path, name, method, 0).write_text(json.dumps(run))

    for name, answer in (("crabs by sex", 0.9), ("heart by hospital", 0.5)):
        write(name, "Kinfolk", answer)
        write(name, "k-means, alone", 0.6)
        write(name, "GMM tied, alone", 0.4)
    page = tables.page(tmp_path)
    assert "1 of 2 answers are more than 0.02 below the best contender." in page
    assert "k-means, alone 0.600 |         +0.300 |" in page
