import dataclasses
from dataclasses import replace

import numpy as np

from kinfolk.report import findings
from kinfolk.report.content import read


def _with_scores(study, **values):
    results = [
        dataclasses.replace(
            c, scores={"accuracy": dict(zip(study.model.task_names_, values[c.name], strict=True))}
        )
        for c in study.results
    ]
    return dataclasses.replace(study, results=results)


def test_together_is_compared_with_every_other_result(make_study):
    study = _with_scores(
        make_study(), alone=(0.5, 0.7, 0.6), pooled=(0.7, 0.7, 0.7), together=(0.9, 0.5, 0.6)
    )
    assert findings.comparison(read(study)) == (
        "Measured against the true classes, clustering together is on average 6.7 points better "
        "than each data set alone and 3.3 points worse than all rows pooled."
    )


def test_results_with_equal_means_are_as_good_as_each_other(make_study):
    study = _with_scores(make_study(), alone=[0.5] * 3, pooled=[np.nan] * 3, together=[0.5] * 3)
    assert findings.comparison(read(study)) == (
        "Measured against the true classes, clustering together is on average as good as each "
        "data set alone and not comparable with all rows pooled."
    )


def test_gains_and_means_are_those_of_the_scores(make_study):
    study = _with_scores(
        make_study(), alone=(0.5, 0.7, 0.6), pooled=(0.4, 0.4, 0.4), together=(0.9, 0.5, 0.6)
    )
    (table,) = findings.score_tables(read(study))
    assert [line.gain for line in table.lines] == ["+40.0", "−20.0", "+0.0", "+6.7"]
    assert table.lines[-1].texts == ["60.0", "40.0", "66.7"]
    assert table.lines[-1].best == {"together"}


def test_an_undefined_score_is_a_dash_and_never_best(make_study):
    study = _with_scores(
        make_study(), alone=(0.5, 0.7, 0.6), pooled=(0.4, 0.4, 0.4), together=(np.nan, 0.5, 0.6)
    )
    line = findings.score_tables(read(study))[0].lines[0]
    assert (line.task, line.texts[2], line.best, line.gain) == ("cornell", "–", {"alone"}, "–")


def test_without_truth_the_comparison_is_called_a_hint(make_study):
    sentence = findings.comparison(read(make_study(truth=False)))
    assert "not known" in sentence
    assert "not a proof" in sentence


def test_changes_are_listed_for_each_data_set(make_study):
    study = make_study()
    assert findings.changes_by_task(read(study)) == []
    study.model.evidence_ = study.model.left_out_ = []
    study.model.guard_ = [{"task": t, "meaning": f"{t} is fine."} for t in ("cornell", "texas")]
    expected = ["cornell: cornell is fine.", "texas: texas is fine."]
    assert findings.changes_by_task(read(study)) == expected
    assert findings.changes_by_task(dataclasses.replace(read(study), tasks=["cornell"])) == []


def test_a_single_result_cannot_be_compared(make_study):
    study = make_study()
    study = replace(study, results=study.results[:1])
    assert findings.comparison(read(study)).startswith("Only one strategy could run")


def test_the_largest_and_smallest_contribution_are_named(make_study):
    assert findings.strongest_help(read(make_study())) == (
        "The largest contribution goes from texas to cornell (0.42), the smallest from wisconsin "
        "to texas (0.07)."
    )


def test_convergence_is_told_with_the_number_of_sweeps(make_study):
    study = make_study()
    study.model.n_iter_, study.model.converged_ = 1, True
    assert findings.convergence(read(study)) == ["The calculation converged after 1 sweep."]
    study.model.n_iter_, study.model.converged_ = 300, False
    assert findings.convergence(read(study))[0].startswith(
        "The calculation stopped after 300 sweeps, the maximum"
    )


def test_a_method_without_an_objective_has_no_convergence(make_study):
    study = make_study()
    del study.model.objective_traces_
    assert findings.convergence(read(study)) == []
