"""Figures are means over the runs of a store, by plain loops."""

from dataclasses import replace

import numpy as np
import pytest

import kept
from kinfolk.errors import InputError
from kinfolk.papers import execution, figures, protocols, published
from kinfolk.papers.store import Outcome


@pytest.mark.parametrize("id", ["mtcfir-figure-2", "mtcfir-figure-3"])
def test_a_curve_over_layers_is_the_mean_over_tasks_grid_and_repeats(store, id):
    item = kept.small(id, ("one",))
    random = np.random.default_rng(0)
    measure = {"mtcfir-figure-2": "accuracy", "mtcfir-figure-3": "nmi"}[id]
    expected = {}
    for run in protocols.planned_cells(item, quick=True)[0].runs:
        value = float(random.random())
        found = kept.scores(0.0) | {measure: {"a": value, "b": value / 2}}
        kept.record(store, run, scores=found)
        # Runs without the parameter have its default, 3 layers.
        expected.setdefault(run.parameters.get("n_layers", 3), []).append(0.75 * value)
    drawing = figures.figure(item, store, quick=True)
    (panel,) = drawing.panels
    assert drawing.notes == ()
    assert {p.x: p.n_runs for p in panel.points} == {n: len(v) for n, v in expected.items()}
    for point in panel.points:
        assert point.y == pytest.approx(100 * np.mean(expected[point.x]))


def test_seconds_are_those_of_the_first_repeat(store):
    item = kept.small("mtcfir-figure-8", ("one",))
    for run in protocols.planned_cells(item)[0].runs:
        kept.record(store, run, scores=kept.scores(0.5))
    assert [p.n_runs for p in figures.figure(item, store).panels[0].points] == [1]


def test_a_map_has_each_setting_where_its_parameters_are(store):
    item = kept.small("mtcfir-figure-4", ("one",))
    for run in protocols.planned_cells(item, quick=True)[0].runs:
        share = run.parameters["neighbors"] / 2 + run.parameters["noise"] / 10 + run.seed / 100
        kept.record(store, run, scores=kept.scores(share))
    panels = figures.figure(item, store, quick=True).panels
    assert [panel.title for panel in panels] == ["accuracy, %", "nmi, %"]
    for point in panels[1].points:
        assert point.shade == pytest.approx(100 * (point.y / 2 + point.x / 10 + 0.005))
        assert point.deviation == pytest.approx(1 / np.sqrt(2))
    assert (panels[0].x, panels[0].y) == ("noise", "neighbors")


def test_runs_that_are_missing_or_refused_leave_a_note_and_no_point(store):
    item = kept.small("mtcfir-figure-8")
    first, *_, last = protocols.planned_cells(item)
    for run in first.runs[:1]:
        kept.record(store, run, scores=kept.scores(0.5))
    for run in last.runs:
        store.record(store.claim(run, "sum"), Outcome("refused", "too few rows"))
    drawing = figures.figure(item, store)
    (point,) = drawing.panels[0].points
    assert (point.series, point.x, point.y, point.n_runs) == (first.row, "one", 2.0, 1)
    assert f"{first.row} on one: 1 of 2 runs" in drawing.notes
    assert f"{last.row} on second: refused: too few rows" in drawing.notes


def test_the_times_are_of_all_methods_for_several_tasks():
    rows = published.item("mtcfir-table-2").rows
    together = [row.ours for row in rows if row.ours and row.strategy == "together"]
    planned = protocols.planned_cells(published.item("mtcfir-figure-8"))
    assert [cell.row for cell in planned if cell.data == "webkb4"] == together
    assert {"lssmtc-released", "mtcfir", "s-mbc"} <= {*together}


@pytest.mark.parametrize("id", list(figures._READERS))
def test_an_empty_store_gives_every_figure_without_a_curve(store, id):
    drawing = figures.figure(published.item(id), store, quick=True)
    assert drawing.notes
    assert all(p.n_runs == 0 for panel in drawing.panels for p in panel.points)


def test_one_parameter_varies_and_a_curve_is_a_data_set(store):
    item = kept.small(
        "mtcmrl-figure-1", sweep={"evenness": (0.5, 2.0), "shrinkage": (0.5, 1.0, 2.0)}
    )
    item = replace(item, protocol=replace(item.protocol, runs=1))
    kept.run(item, store)
    drawing = figures.figure(item, store, quick=True)
    assert drawing.notes == ()
    assert [(p.x, p.y) for p in drawing.panels] == [
        (name, measure) for name in item.sweep for measure in ("accuracy, %", "nmi, %")
    ]
    assert [(p.series, p.x) for p in drawing.panels[2].points] == [
        (data, value) for data in item.data for value in (0.5, 1.0, 2.0)
    ]


def test_one_data_set_has_a_curve_a_measure(store):
    item = kept.small("comvcf-figure-2", ("one",), sweep={"latent_share": (0.5, 0.7)})
    for run in protocols.planned_cells(item)[0].runs:
        kept.record(store, run, scores=kept.scores(run.parameters["latent_share"]))
    (panel,) = figures.figure(item, store).panels
    assert [(p.series, p.x, round(p.y)) for p in panel.points] == [
        (measure, value, round(100 * value))
        for measure in ("accuracy", "nmi", "ari")
        for value in (0.5, 0.7)
    ]


def test_a_descent_is_the_trace_of_one_run(store):
    item = kept.small("mtcmrl-figure-2")
    kept.run(item, store)
    for panel, row in zip(figures.figure(item, store, quick=True).panels, store.runs()):
        assert panel.title == row.spec.data
        trace = store.array(row.key, "objective_trace")
        np.testing.assert_array_equal([p.y for p in panel.points], trace)
        assert [p.x for p in panel.points] == list(range(len(trace)))


def test_scenes_show_the_target_the_true_centers_and_those_found(store):
    item = kept.small("ktmec-figure-2", ("simulated-transfer-x1",))
    for piece in protocols.planned_cells(item, quick=True):
        execution.execute(piece.runs[-4:], store)
    drawing = figures.figure(item, store, quick=True)
    counts = {}
    for point in drawing.panels[0].points:
        counts[point.series] = counts.get(point.series, 0) + 1
    assert counts == {"rows": 30, "true centers": 3, "MEC": 3, "KT-MEC": 3}
    rows = store.runs(method="mec")
    best = max(rows, key=lambda row: row.outcome.scores["nmi"]["target"])
    shown = [(p.x, p.y) for p in drawing.panels[0].points if p.series == "MEC"]
    targets = [
        store.array(row.key, "cluster_centers")[-1].tolist()
        for row in rows
        if row.spec.parameters == best.spec.parameters
    ]
    assert np.array(shown).tolist() in targets


def test_a_figure_that_needs_no_run_is_refused(store):
    with pytest.raises(InputError, match="ktmec-figure-1 is not drawn from runs"):
        figures.figure(published.item("ktmec-figure-1"), store)
