"""The benchmark of the guard of one shape for all tasks: its tables, its runs, its page."""

import json

import numpy as np
import pytest
from benchmarks import shapes

from kinfolk.choosing import shared_metric


def within(made, *, by_task, by_class):
    """Correlations of columns within classes, averaged over one task or all."""
    found = {}
    for t in np.unique(made.tasks):
        for c in np.unique(made.target):
            rows = (made.tasks == t) & (made.target == c)
            key = (t if by_task else "", c if by_class else "")
            found.setdefault(key, []).append(made.X[rows] - made.X[rows].mean(axis=0))
    return {key: np.corrcoef(np.vstack(parts).T) for key, parts in found.items()}


def spread(parts):
    """Largest difference between correlations of parts of a table."""
    C = np.array(list(parts.values()))
    return float(np.ptp(C, axis=0).max())


def test_tables_depend_on_their_number_alone():
    np.testing.assert_array_equal(shapes.table(3).X, shapes.table(3).X)
    assert shapes.table(3).X.shape != shapes.table(9).X.shape


def test_tasks_have_one_shape_only_where_the_kind_says_so():
    number = shapes.KINDS.index("a shape for each task")
    own = spread(within(shapes.table(number), by_task=True, by_class=False))
    one = spread(within(shapes.table(0), by_task=True, by_class=False))
    assert own > 0.8 > 0.6 > one


@pytest.fixture(scope="module")
def made():
    """Draw two elongated clusters side by side in each of two tasks."""
    random = np.random.RandomState(0)
    target = np.tile([0, 1], 80)
    S = 25 * np.array([[1.0, 0.99], [0.99, 1.0]])
    X = random.multivariate_normal([0, 0], S, 160) + 2.2 * target[:, None] * [1, -1]
    return shapes.Made(X, np.repeat(["a", "b"], 80), target.astype(str))


def test_a_run_notes_gains_and_what_a_guard_sees(made):
    found = shapes.measured(made)
    assert min(found["gains"]) > 0.2
    assert len(found["D"]) == 2
    assert found["D"][0] == pytest.approx(found["D"][1])
    assert shared_metric.supported(np.array(found["D"]), found["agreement"])
    # Neither guard nor agreement stay replaced.
    assert shared_metric.supported(np.array([-1.0, -1.0]), 1.0) is False


def test_a_table_without_a_shape_has_no_figures(made):
    cloud = np.random.RandomState(0).normal(size=made.X.shape)
    assert shapes.measured(made._replace(X=cloud)) is None


def test_the_page_compares_guards(tmp_path):
    helped = {"gains": [0.3, 0.1], "D": [0.2, 0.2], "agreement": 0.8}
    harmed = {"gains": [-0.2, 0.1], "D": [-0.1, 0.0], "agreement": 0.6}
    for i, found in enumerate((helped, harmed, None)):
        record = {"kind": shapes.KINDS[min(i, 1)], "found": found}
        (tmp_path / f"shapes_{i}.json").write_text(json.dumps(record))
    lines = shapes.page(shapes.stored(tmp_path)).splitlines()
    cells = {tuple(c.strip() for c in line.split("|")[1:4]): line for line in lines[2:]}
    none = cells["all", "2", "none"]
    assert "2 |    +0.075 |       1 of 4 |    -0.050" in none
    assert "1 |    +0.100 |       0 of 4 |    +0.000" in cells["all", "2", "as it is"]
    assert ("one shape, close clusters", "1", "as it is") in cells


def test_a_task_that_agrees_less_does_not_follow():
    run = {"gains": [0.1, -0.3, 0.1], "D": [0.4, -0.1, 0.5], "agreement": 0.95}
    assert shapes._gains(run, "none").tolist() == [0.1, -0.3, 0.1]
    assert shapes._gains(run, "as it is").tolist() == [0.1, 0.0, 0.1]
