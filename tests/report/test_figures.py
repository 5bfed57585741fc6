"""Figures of every report, read back from their SVG."""

import dataclasses
import re

import numpy as np
import pytest
from tests.report import studies

from kinfolk.report import canvas, figures, findings, task_pairs
from kinfolk.report.content import read


def texts(svg):
    return re.findall(r">([^<>]+)</text>", svg)


@pytest.fixture(scope="module")
def page():
    """Make the page facts of a study of three tasks."""
    return read(studies.make("numbers"))


@pytest.mark.parametrize("measure", ["accuracy", "nmi", "silhouette"])
def test_scores_have_a_mark_for_each_result_and_task(page, measure):
    svg = figures.scores(page, measure)
    for name in (*page.tasks, "alone", "pooled", "together"):
        assert name in texts(svg)
    unit = "" if measure == "silhouette" else ", %"
    assert f"{findings.MEASURES[measure]}{unit}" in texts(svg)
    for name in ("alone", "pooled", "together"):
        shade = figures.SHAPES[name][1]
        (points,) = [g for g in _groups(svg) if f"stroke: {shade}" in g and g.count("<use ") >= 3]
        assert points.count("<use ") == 3


def _groups(svg):
    """Return the groups of marks in an SVG picture."""
    return [part.split("</g>\n  </g>")[0] for part in svg.split("-PathCollection_")[1:]]


def test_the_result_shown_is_filled_and_others_are_hollow(page):
    svg = figures.scores(page, "accuracy")
    fills = {name: figures.SHAPES[name][1] for name in ("alone", "pooled", "together")}
    marks = "".join(_groups(svg))
    assert f"fill: {fills['together']}" in marks
    assert f"fill: {fills['alone']}" not in marks


def test_scores_of_one_task_name_the_results_on_the_axis():
    page = read(studies.fitted("several views"))
    svg = figures.scores(page, "accuracy")
    names = [result.name for result in page.study.results]
    assert [text for text in texts(svg) if text in names] == names


def test_an_undefined_score_has_no_mark(page):
    results = [
        dataclasses.replace(r, scores={"accuracy": dict.fromkeys(page.tasks, np.nan)})
        for r in page.study.results
    ]
    study = dataclasses.replace(page.study, results=results)
    svg = figures.scores(dataclasses.replace(page, study=study), "accuracy")
    assert svg.count("<use ") < figures.scores(page, "accuracy").count("<use ")


def test_relatedness_writes_every_number_and_both_axes(page):
    written = texts(figures.relatedness(page))
    for value in page.relatedness.ravel():
        assert f"{value:.2f}" in written
    assert {"help from", "help for"} <= set(written)
    assert all(written.count(task) == 2 for task in page.tasks)


@pytest.mark.parametrize("R", [None, np.ones((1, 1))])
def test_relatedness_of_fewer_than_two_tasks_has_no_picture(page, R):
    assert figures.relatedness(dataclasses.replace(page, relatedness=R)) == ""


def test_every_task_has_a_picture_with_a_number_for_each_cluster_and_a_mark_for_each_row(page):
    pictures = figures.scatter(page)
    assert list(pictures) == page.tasks
    for task, svg in pictures.items():
        groups = [str(cluster.group) for cluster in page.clusters_of(task)]
        assert sorted(texts(svg)) == sorted(groups)
        assert svg.count("<use ") == len(page.rows[task])


def test_many_points_are_one_image(page, monkeypatch):
    monkeypatch.setattr(figures, "RASTER_ABOVE", 10)
    svg = next(iter(figures.scatter(page).values()))
    assert "<image" in svg
    assert svg.count("<use ") == 0


def test_curves_of_convergence_are_named_by_task(page):
    svg = figures.traces(page)
    assert set(page.tasks) <= set(texts(svg))
    assert "improvement still to come" in texts(svg)


@pytest.mark.parametrize("trace", [[3.0], [3.0, 3.0], [2.0, 3.0], []])
def test_an_objective_that_did_not_fall_has_no_curve(trace):
    study = studies.make("numbers")
    study.model.objective_traces_ = {"all": np.array(trace)}
    assert figures.traces(read(study)) == ""


def test_a_model_without_an_objective_has_no_curves(page):
    assert figures.traces(dataclasses.replace(page, traces=None)) == ""


def test_pictures_say_in_words_what_they_show(page):
    assert task_pairs.strongest_help(page) in figures.relatedness(page)
    assert findings.convergence(page)[0] in figures.traces(page)


def test_views_have_marks_of_their_own():
    looks = {figures._look(f"view {i}", i) for i in range(6)}
    assert len(looks) == 6
    assert figures._look("k-means alone", 2) == ("^", canvas.INK)
