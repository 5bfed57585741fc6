import dataclasses
from dataclasses import replace

import numpy as np

from kinfolk.report import findings


def _with_scores(study, **values):
    contenders = [
        dataclasses.replace(
            c, scores={"accuracy": dict(zip(study.model.task_names_, values[c.name], strict=True))}
        )
        for c in study.contenders
    ]
    return dataclasses.replace(study, contenders=contenders)


def test_the_verdict_compares_together_with_every_other_way(make_study):
    study = _with_scores(
        make_study(), alone=(0.5, 0.7, 0.6), pooled=(0.7, 0.7, 0.7), together=(0.9, 0.5, 0.6)
    )
    assert findings.verdict(study) == (
        "Measured against the true classes, clustering together is on average 6.7 points better "
        "than each data set alone and 3.3 points worse than all rows pooled."
    )


def test_the_verdict_says_level_where_the_shown_means_are_equal(make_study):
    study = _with_scores(make_study(), alone=[0.5] * 3, pooled=[np.nan] * 3, together=[0.5] * 3)
    assert findings.verdict(study) == (
        "Measured against the true classes, clustering together is on average level with each "
        "data set alone and not comparable with all rows pooled."
    )


def test_gains_and_means_are_those_of_the_scores(make_study):
    study = _with_scores(
        make_study(), alone=(0.5, 0.7, 0.6), pooled=(0.4, 0.4, 0.4), together=(0.9, 0.5, 0.6)
    )
    (table,) = findings.tables(study)
    assert [row[3] for row in table.rows] == ["+40.0", "−20.0", "+0.0", "+6.7"]
    assert table.rows[-1][1] == ["60.0", "40.0", "66.7"]
    assert table.rows[-1][2] == {"together"}


def test_an_undefined_score_is_a_dash_and_never_best(make_study):
    study = _with_scores(
        make_study(), alone=(0.5, 0.7, 0.6), pooled=(0.4, 0.4, 0.4), together=(np.nan, 0.5, 0.6)
    )
    name, texts, best, gain = findings.tables(study)[0].rows[0]
    assert (name, texts[2], best, gain) == ("cornell", "–", {"alone"}, "–")


def test_without_truth_the_verdict_is_called_a_hint(make_study):
    sentence = findings.verdict(make_study(truth=False))
    assert "not known" in sentence
    assert "not a proof" in sentence


def test_each_data_set_is_told_what_the_others_changed(make_study):
    study = make_study()
    assert findings.by_task(study) == []
    study.model.guard_ = [{"task": t, "meaning": f"{t} is fine."} for t in ("cornell", "texas")]
    assert findings.by_task(study) == ["cornell: cornell is fine.", "texas: texas is fine."]
    study.model.task_names_ = study.model.task_names_[:1]
    assert findings.by_task(study) == []


def test_one_way_alone_cannot_be_compared(make_study):
    study = make_study()
    study = replace(study, contenders=study.contenders[:1])
    assert findings.verdict(study).startswith("Only one way of clustering could run")


def test_kinship_names_giver_and_taker(make_study):
    assert findings.kinship(make_study()) == (
        "The strongest help is what texas gives to cornell (0.42), the weakest what wisconsin "
        "gives to texas (0.07)."
    )


def test_a_descent_says_whether_it_settled(make_study):
    study = make_study()
    study.model.n_iter_, study.model.converged_ = 1, True
    assert findings.convergence(study) == ["The descent settled after 1 sweep."]
    study.model.n_iter_, study.model.converged_ = 300, False
    assert findings.convergence(study)[0].startswith("The descent had not settled after 300 sweeps")


def test_a_method_without_a_descent_has_nothing_to_say_of_it(make_study):
    study = make_study()
    del study.model.objective_traces_
    assert findings.convergence(study) == []
