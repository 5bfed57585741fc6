import dataclasses
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from tests.report.conftest import OF_OWN_RUNS, SUPPORTED

import kinfolk as kf
from kinfolk.arguments import from_command_line
from kinfolk.datasets import makers
from kinfolk.report import findings, page, sizes, task_pairs, wording
from kinfolk.report.content import read


def _with_scores(study, **values):
    results = [
        dataclasses.replace(
            c, scores={"accuracy": dict(zip(study.model.task_names_, values[c.name], strict=True))}
        )
        for c in study.results
    ]
    return dataclasses.replace(study, results=results)


def test_the_most_and_the_least_alike_tasks_are_named(make_study):
    study = make_study()
    assert task_pairs.most_alike(read(study)) == ""
    study.model.task_agreement_ = np.array([[1, 0.9, 0.2], [0.9, 1, 0.4], [0.2, 0.4, 1]])
    assert task_pairs.most_alike(read(study)) == (
        "By the clusters that each data set has by itself, the most alike are cornell and texas "
        "(0.90), the least alike cornell and wisconsin (0.20)."
    )
    study.model.task_agreement_ = np.full((3, 3), 0.999)
    assert task_pairs.most_alike(read(study)).endswith("all are equally alike (1.00).")


def test_together_is_compared_with_every_other_result(make_study):
    study = _with_scores(
        make_study(), alone=(0.5, 0.7, 0.6), pooled=(0.7, 0.7, 0.7), together=(0.9, 0.5, 0.6)
    )
    assert findings.comparison(read(study)) == (
        "Measured against the true classes (accuracy in %), clustering together is on average 6.7 "
        "points better than each data set alone and 3.3 points worse than all rows pooled. The "
        "best scores are those of pooled: consider its clusters instead."
    )


def test_where_k_means_is_better_it_is_named_as_an_argument_or_option(make_study):
    study = _with_scores(make_study(), alone=[0.5] * 3, pooled=[0.5] * 3, together=[0.6] * 3)
    results = [
        replace(r, name={"pooled": "k-means alone"}.get(r.name, r.name)) for r in study.results
    ]
    better = [
        replace(r, scores={"accuracy": dict.fromkeys(r.scores["accuracy"], 0.9)})
        if r.name == "k-means alone"
        else r
        for r in results
    ]
    advice = "those of k-means alone: consider its clusters instead ({} gives them)."
    page = read(replace(study, results=better))
    assert findings.comparison(page).endswith(advice.format('`method="kmeans"`'))
    with from_command_line():
        assert findings.comparison(page).endswith(advice.format("`--method kmeans`"))


def test_results_with_equal_means_are_as_good_as_each_other(make_study):
    study = _with_scores(make_study(), alone=[0.5] * 3, pooled=[np.nan] * 3, together=[0.5] * 3)
    assert findings.comparison(read(study)) == (
        "Measured against the true classes (accuracy in %), clustering together is on average as "
        "good as each data set alone and not comparable with all rows pooled."
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


def test_a_single_cluster_has_no_silhouette_and_no_part_in_the_mean():
    rows = makers.make_related_blobs(n_tasks=2, random_state=0)
    found = kf.compare(rows, n_clusters={"task-0": 1, "task-1": 3}, method="kmeans")
    table = findings.score_tables(read(found.study))[-1]
    assert table.title == "Silhouette (−1 to 1, – for a single cluster)"
    one, three, mean = table.lines
    assert set(one.texts) == {"–"}
    assert one.best == set()
    assert mean.texts == three.texts


def test_without_truth_nothing_is_called_better(make_study):
    study = make_study(truth=False)
    alone = next(result for result in study.results if result.name == "alone")
    # Three rows of one task in another cluster; other numbers of clusters are no change.
    labels = (study.model.labels_ + 1) % (study.model.labels_.max() + 1)
    rows = np.flatnonzero(study.data.tasks == "texas")[:3]
    labels[rows] = (labels[rows] + 1) % 3
    results = [replace(alone, labels=labels), *study.results[1:]]
    sentence = findings.comparison(read(replace(study, results=results)))
    assert sentence == (
        "Compared with each data set alone, 3 of 180 rows are in another cluster. The true classes "
        "are not known, so no score can show which result is right: look at the kinds themselves."
    )


def test_one_data_set_is_not_compared_with_itself(fit_study):
    study = fit_study("several methods", tasks=1)
    study = replace(study, data=replace(study.data, target=None))
    assert findings.comparison(read(study)).startswith("The true classes are not known")


@pytest.mark.parametrize("truth", [True, False])
def test_an_answer_worse_than_k_means_is_never_said_to_be_better(chosen, no_pictures, truth):
    study = chosen([SUPPORTED, {}, OF_OWN_RUNS], truth=truth)
    accuracy = {"alone": 0.6, "pooled": 0.4, "together": 0.54, "k-means alone": 0.93}
    # The silhouettes say the contrary of the true classes.
    silhouettes = {"alone": 0.2, "pooled": 0.1, "together": 0.3, "k-means alone": -0.2}
    tasks = study.model.task_names_
    results = [*study.results, replace(study.results[0], name="k-means alone")]
    results = [
        replace(
            result,
            scores={
                "accuracy": dict.fromkeys(tasks, accuracy[result.name]),
                "silhouette": dict.fromkeys(tasks, silhouettes[result.name]),
            },
        )
        for result in results
    ]
    html = page.render(replace(study, results=results))
    text = re.sub(r"<(style|svg).*?</\1>|<[^>]+>", " ", html, flags=re.S)
    assert "better than k-means" not in text
    assert "better than each data set" not in text
    if truth:
        assert "39.0 points worse than k-means alone" in text
        assert "consider its clusters instead" in text
        assert (
            "Measured against the true classes, cornell, texas and wisconsin became worse" in text
        )
    else:
        assert not re.search(r"points (worse|better)", text)


def test_changes_are_listed_for_each_data_set(make_study):
    study = make_study()
    assert findings.changes_by_task(read(study)) == []
    study.model.evidence_ = study.model.left_out_ = []
    study.model.guard_ = [{"task": t, "meaning": f"{t} is fine."} for t in ("cornell", "texas")]
    expected = ["cornell: cornell is fine.", "texas: texas is fine."]
    assert findings.changes_by_task(read(study)) == expected
    assert findings.changes_by_task(dataclasses.replace(read(study), tasks=["cornell"])) == []


def test_what_is_said_of_several_data_sets_is_said_once(make_study):
    study = make_study()
    study.model.evidence_ = study.model.left_out_ = []
    tasks = ("cornell", "texas", "wisconsin")
    study.model.guard_ = [{"task": t, "meaning": "Nothing changed."} for t in tasks]
    assert findings.changes_by_task(read(study)) == [
        "cornell, texas and wisconsin: Nothing changed."
    ]


def test_a_single_result_cannot_be_compared(make_study):
    study = make_study()
    study = replace(study, results=study.results[:1])
    assert findings.comparison(read(study)).startswith("Only one strategy could run")


def test_the_largest_and_smallest_contribution_are_named(make_study):
    assert task_pairs.strongest_help(read(make_study())) == (
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


def test_an_unconverged_calculation_says_what_to_do(make_study):
    study = make_study()
    study.model.converged_ = False
    (sentence,) = findings.convergence(read(study))
    assert "24 sweeps, the maximum" in sentence
    assert "Allow more sweeps (max_iter)" in sentence


def test_the_headline_names_the_kinds_and_their_sizes_the_largest_first(make_study):
    study = make_study()
    found = findings.headline(read(study)).replace(wording.NO_BREAK, " ")
    sizes = np.bincount(study.model.matched_labels_)
    order = sorted(range(len(sizes)), key=lambda kind: -sizes[kind])
    named = [f"kind {kind} ({sizes[kind]} rows, {sizes[kind] / 180:.0%})" for kind in order]
    expected = f"The 180 rows of 3 data sets are of 5 kinds: {', '.join(named[:4])} and {named[4]}."
    assert found == expected.replace("%", " %")


def test_of_many_kinds_the_headline_names_the_largest_and_the_smallest(make_study):
    study = make_study()
    read_page = read(study)
    one = read_page.groups[0][0]
    groups = {g: [replace(one, rows=np.arange(20 - g))] for g in range(9)}
    found = findings.headline(replace(read_page, groups=groups)).replace(wording.NO_BREAK, " ")
    assert "are of 9 kinds: kind 0 (20 rows" in found
    assert "kind 4 (16 rows, 9 %) and 4 more, down to kind 8 (12 rows" in found
    assert "kind 5" not in found


def test_kinds_that_were_named_have_their_names(make_study):
    study = SimpleNamespace(names={0: "families"})
    assert [wording.kind(study, kind) for kind in (0, 1)] == ["families", "kind 1"]


def test_the_headline_of_one_task_speaks_of_no_other(fit_study):
    found = findings.headline(read(fit_study("several views"))).replace(wording.NO_BREAK, " ")
    assert found.startswith("The 60 rows are of 3 kinds: kind 0 (")


def test_the_headline_says_where_no_clusters_were_found(chosen):
    assert "chance" not in findings.headline(read(chosen()))
    study = chosen([{}, {"has_clusters": False}, {"has_clusters": False}])
    assert "No clusters clearer than chance were found in texas and wisconsin: " in (
        findings.headline(read(study))
    )


def test_of_one_column_no_data_set_is_said_to_have_clusters(chosen):
    study = chosen([{}, {"has_clusters": False}, {"has_clusters": False}])
    found = findings.headline(read(replace(study, X=study.X[:, :1])))
    assert "chance were found: one column alone cannot show any, so take" in found


def test_data_sets_named_by_small_numbers_get_a_noun_in_sentences():
    records = [{"task": t, "meaning": "Nothing changed."} for t in (0, 1)]
    assert wording.told_together(records) == ["Data set 0 and data set 1: Nothing changed."]
    records = [{"task": t, "meaning": "Nothing changed."} for t in (2004, "Oslo")]
    assert wording.told_together(records) == ["2004 and Oslo: Nothing changed."]


def test_the_headline_says_how_certain_a_fit_to_samples_is(chosen):
    study = chosen()
    study.model.sampling_ = {"meaning": "The methods saw 60 of 600 rows."}
    assert findings.headline(read(study)).endswith("The methods saw 60 of 600 rows.")


def test_equal_contributions_have_no_largest(make_study):
    study = make_study()
    study.model.task_relatedness_ = np.full((3, 3), 0.5)
    sentence = task_pairs.strongest_help(read(study))
    assert sentence == "All data sets contribute to one another equally."


def test_a_task_left_out_of_sharing_does_not_contribute_least(make_study):
    study = make_study()
    R = np.array([[1, 0.4, 0], [0.3, 1, 0], [0, 0, 1.0]])
    study.model.task_relatedness_ = R
    sentence = task_pairs.strongest_help(read(study))
    assert "from texas to cornell (0.40)" in sentence
    assert "smallest from cornell to texas (0.30)" in sentence
    assert "wisconsin" not in sentence


def test_a_task_that_takes_nothing_but_contributes_to_others_is_named(make_study):
    study = make_study()
    study.model.task_relatedness_ = np.array([[1, 0.4, 0.6], [0.3, 1, 0.2], [0, 0, 1.0]])
    sentence = task_pairs.strongest_help(read(study))
    assert "from wisconsin to cornell (0.60)" in sentence
    assert "to wisconsin (0.00)" in sentence


def test_no_contribution_at_all_has_no_sentence(make_study):
    study = make_study()
    study.model.task_relatedness_ = np.eye(3)
    assert task_pairs.strongest_help(read(study)) == ""


def test_relatedness_that_was_not_learned_has_no_sentence(make_study):
    assert task_pairs.strongest_help(read(make_study(relatedness=False))) == ""


def test_measures_that_need_the_truth_are_dropped_without_it(make_study):
    assert findings.measures(make_study()) == ["accuracy", "nmi", "silhouette"]
    assert findings.measures(make_study(truth=False)) == ["silhouette"]


def test_without_scores_there_is_nothing_to_compare(make_study):
    study = make_study()
    study = replace(study, results=[replace(r, scores={}) for r in study.results])
    assert findings.comparison(read(study)) == "There are no scores to compare."
    assert findings.score_tables(read(study)) == []


def test_scores_are_rounded_as_shown(make_study):
    study = _with_scores(make_study(), alone=[0.12345] * 3, pooled=[0.5] * 3, together=[0.6] * 3)
    assert findings.score(study.results[0], "accuracy", "texas") == 12.3
    assert np.isnan(findings.score(study.results[0], "nmi", "texas"))


def test_a_tie_has_two_best(make_study):
    study = _with_scores(make_study(), alone=[0.7] * 3, pooled=[0.2] * 3, together=[0.7] * 3)
    for line in findings.score_tables(read(study))[0].lines:
        assert line.best == {"alone", "together"}
        assert line.gain == "+0.0"


def test_the_mean_of_a_task_without_a_score_is_unknown(make_study):
    study = _with_scores(
        make_study(), alone=(0.5, 0.7, 0.6), pooled=(0.4, 0.4, 0.4), together=(np.nan, 0.5, 0.6)
    )
    mean = findings.score_tables(read(study))[0].lines[-1]
    assert mean.texts == ["60.0", "40.0", "–"]
    assert "not comparable with each data set alone" in findings.comparison(read(study))


def test_where_the_result_shown_is_best_there_is_no_advice(make_study):
    study = _with_scores(make_study(), alone=[0.5] * 3, pooled=[np.nan] * 3, together=[0.6] * 3)
    assert "consider" not in findings.comparison(read(study))
    study = _with_scores(make_study(), alone=[0.7] * 3, pooled=[np.nan] * 3, together=[0.6] * 3)
    assert findings.comparison(read(study)).endswith(
        "those of alone: consider its clusters instead."
    )
    study = _with_scores(make_study(), alone=[0.7] * 3, pooled=[0.7] * 3, together=[np.nan] * 3)
    assert "consider" not in findings.comparison(read(study))


def test_rows_that_do_not_differ_are_not_told_to_ask_for_more_clusters():
    X = np.tile([1.5, 2.5], (20, 1))
    study = kf.compare(X, tasks=["a", "b"] * 10, n_clusters=3, method="per-task").study
    said = "one cluster of all its rows: they do not differ in any column"
    assert said in sizes.undivided(read(study))
