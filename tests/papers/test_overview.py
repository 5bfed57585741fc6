"""Records of a store are means over tasks, then runs, by plain loops."""

import json
from dataclasses import replace

import numpy as np
import pytest

from kinfolk.papers import overview
from kinfolk.papers.store import Outcome, RunSpec, StoredRun


def stored(spec, status="done", seconds=None, **scores):
    scores = {name: dict(zip("ab", values)) for name, values in scores.items()}
    outcome = Outcome(status, seconds=seconds, scores=scores)
    return StoredRun("k" * 64, spec, outcome, "sum", "0.1", "2024-05-01T12:00:00+00:00")


MEC = RunSpec("blobs", "mec")
HOT = replace(MEC, parameters={"temperature": 9.0})
RUNS = [
    stored(MEC, seconds=1.0, nmi=(0.2, 0.4), silhouette=(0.0, 0.1)),
    stored(replace(MEC, seed=1), seconds=3.0, nmi=(0.6, 0.8), silhouette=(0.2, 0.3)),
    stored(HOT, seconds=5.0, nmi=(1.0, np.nan), silhouette=(0.5, 0.5)),
    stored(replace(HOT, seed=1), "failed"),
    stored(replace(HOT, seed=2), "running"),
    stored(replace(MEC, strategy="alone"), "refused"),
]


def test_a_score_is_a_mean_over_the_means_of_runs():
    together, alone = overview.by_method(RUNS)
    assert together["nmi"] == pytest.approx(np.mean([0.3, 0.7, 1.0]))
    assert together["silhouette"] == pytest.approx(np.mean([0.05, 0.25, 0.5]))
    assert np.isnan(together["accuracy"])
    assert np.isnan(alone["nmi"])


def test_seconds_are_those_of_the_slowest_repeat_of_each_setting():
    together, alone = overview.by_method(RUNS)
    assert together["seconds"] == np.mean([3.0, 5.0])
    assert (together["settings"], together["runs"]) == (2, 3)
    assert (alone["settings"], alone["runs"]) == (0, 0)
    assert np.isnan(alone["seconds"])


def test_runs_that_are_not_done_are_counted_by_status():
    together, alone = overview.by_method(RUNS)
    assert together["not done"] == "1 failed, 1 running"
    assert alone["not done"] == "1 refused"


def test_settings_differ_by_parameters_clusters_preparation_and_data_options():
    changes = [
        {},
        {"parameters": {"temperature": 9.0}},
        {"n_clusters": 4},
        {"preparation": {"scale": "unit"}},
        {"data_options": {"draw": 1}},
        {"seed": 5},
    ]
    (record,) = overview.by_method([stored(replace(MEC, **change)) for change in changes])
    assert (record["settings"], record["runs"]) == (5, 6)


def test_a_run_is_one_record_with_its_specification_as_json():
    records = overview.by_run(RUNS)
    assert [record["status"] for record in records] == [run.outcome.status for run in RUNS]
    assert json.loads(records[2]["parameters"]) == {"temperature": 9.0}
    assert records[2]["nmi"] == 1.0
    assert {record["key"] for record in records} == {"k" * 12}
    assert len({tuple(record) for record in records}) == 1


def test_a_task_is_one_record_of_each_run_that_is_done():
    records = overview.by_task(RUNS)
    assert [(r["strategy"], r["seed"], r["task"]) for r in records] == [
        ("together", seed, task) for seed in (0, 1, 0) for task in "ab"
    ]
    assert [r["nmi"] for r in records[:5]] == [0.2, 0.4, 0.6, 0.8, 1.0]
    assert np.isnan(records[5]["nmi"])


@pytest.mark.parametrize("layout", overview.LAYOUTS)
def test_no_runs_are_no_records(layout):
    assert overview.LAYOUTS[layout]([]) == []


def test_summaries_do_not_depend_on_the_order_of_runs():
    before = {record["strategy"]: record for record in overview.by_method(RUNS)}
    after = {record["strategy"]: record for record in overview.by_method(RUNS[::-1])}
    assert before.keys() == after.keys()
    for way, record in before.items():
        for name in ("runs", "settings", "nmi", "silhouette", "seconds"):
            np.testing.assert_allclose(after[way][name], record[name])


def test_a_run_without_seconds_does_not_stop_the_summary():
    (record,) = overview.by_method([stored(MEC, nmi=(0.5, 0.5)), stored(HOT, seconds=4.0)])
    assert record["seconds"] == 2.0
    assert record["nmi"] == 0.5


def test_notes_and_errors_of_a_run_are_texts():
    run = stored(MEC, "failed")
    outcome = replace(run.outcome, error="MemoryError: ", notes=("An objective rose.", "Twice."))
    (record,) = overview.by_run([replace(run, outcome=outcome)])
    assert (record["error"], record["notes"]) == ("MemoryError: ", "An objective rose. Twice.")
    assert np.isnan(record["silhouette"])
