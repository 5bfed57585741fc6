import dataclasses
import math

import numpy as np
import pytest

import kinfolk as kf
from kinfolk.methods.multitask.baselines import PerTask
from kinfolk.report import findings, view_weights
from kinfolk.report.content import read


def _table(study):
    page = read(study)
    return view_weights.table(page, findings.score_tables(page))


def test_the_effective_number_is_the_exponential_of_the_entropy(fit_study):
    weights = view_weights.weights(read(fit_study("several views")))
    entropy = 0.0
    for w in weights.W[0]:
        entropy -= w * math.log(w) if w > 0 else 0
    assert weights.effective == pytest.approx(math.exp(entropy))


@pytest.mark.parametrize(("W", "number"), [([[1, 0, 0]], 1), ([[0.5, 0.5, 0], [1, 0, 0]], 1.5)])
def test_the_effective_number_is_averaged_over_tasks_and_takes_zeros(W, number):
    tasks = [f"task {t}" for t in range(len(W))]
    weights = view_weights.ViewWeights(["a", "b", "c"], [1, 1, 1], tasks, np.array(W, dtype=float))
    assert weights.effective == pytest.approx(number)


def test_the_heaviest_and_the_best_view_are_named(fit_study):
    study = fit_study("several views")
    w = study.model.estimators_[0].view_weights_
    first, even, single = view_weights.sentences(read(study))
    names = ("loud", "low", "mute")
    assert first.startswith(
        f"View {names[int(np.argmax(w))]} has the largest weight ({w.max():.2f})"
    )
    assert f"{names[int(np.argmin(w))]} the smallest" in first
    assert "of the 3 views had the same weight" in even
    assert "and mute the worst" in single


def test_several_data_sets_are_averaged_and_say_so(fit_study):
    study = fit_study("several views", tasks=2)
    mean = (study.model.estimators_[0].view_weights_ + study.model.estimators_[1].view_weights_) / 2
    sentence = view_weights.sentences(read(study))[0]
    assert f"({mean.max():.2f})" in sentence
    assert "on average over the data sets" in sentence


def test_the_table_has_columns_weights_and_scores_of_each_view_alone(fit_study):
    study = fit_study("several views", tasks=2)
    table = _table(study)
    assert [(view, columns) for view, columns, *_ in table] == [
        ("loud", 2),
        ("low", 2),
        ("mute", 3),
    ]
    for place, (view, _, shares, texts) in enumerate(table):
        expected = [e.view_weights_[place] for e in study.model.estimators_]
        assert shares == [f"{share:.2f}" for share in expected]
        (result,) = (c for c in study.results if c.name == f"view {view}")
        assert texts[0] == f"{findings.mean(read(study), result, 'accuracy'):.1f}"


def test_a_view_that_could_not_run_has_dashes_for_scores(fit_study):
    study = fit_study("several views")
    lost = dataclasses.replace(study.results[0], labels=None, scores={}, reason="Too few rows.")
    study = dataclasses.replace(study, results=[lost, *study.results[1:]])
    assert _table(study)[0][3] == ["–", "–"]


def test_the_picture_has_a_bar_with_its_weight_for_each_view_and_task(fit_study):
    study = fit_study("several views", tasks=2)
    picture = view_weights.picture(read(study))
    for fitted in study.model.estimators_:
        for share in fitted.view_weights_:
            assert f">{share:.2f}</text>" in picture
    assert "even weights" in picture


def test_equal_weights_are_called_the_same(fit_study):
    study = fit_study("several views")
    study.model.estimators_[0].view_weights_ = np.full(3, 1 / 3)
    assert view_weights.sentences(read(study))[0] == "All 3 views have about the same weight."


def test_a_single_view_has_no_weights_to_show(fit_study):
    study = fit_study("several views")
    single = PerTask(kf.CoMVCF(n_init=1, max_iter=3, random_state=0), 3)
    study = dataclasses.replace(study, model=single.fit(study.X, tasks=study.data.tasks))
    assert view_weights.weights(read(study)) is None
    assert view_weights.sentences(read(study)) == []
    assert _table(study) == []
    assert view_weights.picture(read(study)) == ""


@pytest.mark.parametrize("n", [2, 3, 5])
def test_even_weights_count_all_views_and_one_weight_one(n):
    names = [f"view {v}" for v in range(n)]
    even = view_weights.ViewWeights(names, [1] * n, ["all"], np.full((1, n), 1 / n))
    assert even.effective == pytest.approx(n)
    single = view_weights.ViewWeights(names, [1] * n, ["all"], np.eye(n)[:1])
    assert single.effective == pytest.approx(1)


def test_the_mean_weight_is_over_tasks():
    W = np.array([[0.2, 0.8], [0.6, 0.4]])
    weights = view_weights.ViewWeights(["a", "b"], [1, 1], ["s", "t"], W)
    np.testing.assert_allclose(weights.mean, [0.4, 0.6])


def test_columns_of_views_are_counted(fit_study):
    weights = view_weights.weights(read(fit_study("several views")))
    assert dict(zip(weights.views, weights.columns, strict=True)) == {
        "loud": 2,
        "low": 2,
        "mute": 3,
    }
    np.testing.assert_allclose(weights.W.sum(axis=1), 1)


def test_a_method_without_views_has_none(make_study, fit_study):
    for study in (make_study(), fit_study("one data set")):
        assert view_weights.weights(read(study)) is None
        assert view_weights.picture(read(study)) == ""


def test_without_truth_the_silhouette_ranks_single_views(fit_study):
    study = fit_study("several views")
    study = dataclasses.replace(study, data=dataclasses.replace(study.data, target=None))
    sentence = view_weights.sentences(read(study))[-1]
    assert "has the best silhouette (" in sentence
    assert "%" not in sentence
