"""The runs an answer was chosen from: marks, sentences and table, from records made by hand."""

import re

import numpy as np
import pytest
from tests.report.studies import JOINT_METHODS, OWN_METHODS, runs_of

from kinfolk.report import page, runs
from kinfolk.report.content import read

TASKS = ("cornell", "texas", "wisconsin")


def test_methods_differ_in_color_and_those_that_use_several_tasks_in_shape(chosen):
    found = runs.methods(read(chosen()))
    assert [method.name for method in found] == [*OWN_METHODS, *JOINT_METHODS]
    assert [method.marker for method in found] == ["o"] * 5 + ["D"] * 4
    assert len({method.color for method in found}) == 9


def test_a_method_that_does_not_choose_has_no_runs(make_study):
    facts = read(make_study())
    assert runs.methods(facts) == []
    assert runs.by_task(facts) == []
    assert runs.sentences(facts) == []
    assert runs.table(facts) == []
    assert runs.pictures(facts) == {}
    assert runs.left_out(facts) == {}


def test_runs_are_counted_by_the_data_sets_they_use(chosen):
    first, second, third = runs.sentences(read(chosen(runs=runs_of(TASKS, starts=2))))
    assert first == (
        "Kinfolk ran many methods instead of one: 18 runs of 5 methods that use one data set at a "
        "time and 4 that use several together."
    )
    assert second.endswith("the same clusters and if the most similar rows share a cluster.")
    assert "three groups of runs" in third
    assert "three ways, which gives nine candidates at most. The candidate with the best" in third


def test_one_method_is_told_in_the_singular(chosen):
    study = chosen(runs=runs_of(TASKS, families=OWN_METHODS[:1]))
    first, *_ = runs.sentences(read(study))
    assert first.endswith("1 run of 1 method that uses one data set at a time.")


def test_the_rule_of_choice_is_that_of_the_models_parameter(chosen):
    study = chosen()
    assert runs.sentences(read(study))[2].endswith("it has without their clusters.")
    study.model.guard = "both"
    said = runs.sentences(read(study))[2]
    assert "support it in both directions, with an evidence above 0.1" in said
    assert said.endswith("else the best of the data set's own candidates is.")


def test_agreement_with_other_data_sets_is_a_reason_if_it_counts_in_a_run(chosen):
    study = chosen(runs=runs_of(TASKS, echo=0.3))
    assert "clusters of another data set" in runs.sentences(read(study))[1]


def test_runs_on_single_data_sets_have_a_plain_rule(chosen):
    study = chosen(runs=runs_of(TASKS, families=OWN_METHODS))
    first, _, third = runs.sentences(read(study))
    assert first.endswith("5 runs of 5 methods that use one data set at a time.")
    assert third.startswith("The best runs were combined in up to three ways;")
    study.model.guard_ = [{**record, "combiner": "single run"} for record in study.model.guard_]
    assert runs.sentences(read(study))[2] == "The run with the best scores is the answer."


def test_single_runs_of_three_groups_are_candidates(chosen):
    study = chosen()
    study.model.guard_ = [{**record, "combiner": "single run"} for record in study.model.guard_]
    assert "The best run of each group is a candidate." in runs.sentences(read(study))[2]


@pytest.mark.parametrize("tasks", [TASKS, TASKS[::-1]])
def test_a_task_with_fewer_methods_keeps_its_column(chosen, tasks):
    records = [*runs_of(TASKS[:2], 2), *runs_of(TASKS[2:], 2, OWN_METHODS)]
    study = chosen(runs=records)
    study.model.task_names_ = np.array(tasks)
    facts = read(study)
    assert "18 runs" in runs.sentences(facts)[0]
    lines = runs.table(facts)
    left = tasks.index("wisconsin")
    assert [line.runs for line in lines] == [2] * 9
    assert [line.tasks[left] is None for line in lines] == [False] * 5 + [True] * 4


def test_the_table_counts_runs_of_each_family_and_task(chosen):
    study = chosen(runs=runs_of(TASKS, starts=6))
    lines = runs.table(read(study))
    assert [line.method.name for line in lines] == [*OWN_METHODS, *JOINT_METHODS]
    for line in lines:
        assert line.runs == 6
        assert line.seconds == pytest.approx(0.25 * 3.5)
        for task, (kept, best) in zip(study.model.task_names_, line.tasks, strict=True):
            scores = [
                record["score"]
                for record in study.model.evidence_
                if (record["task"], record["family"]) == (task, line.method.name)
            ]
            assert kept == 2
            assert best == max(scores)


def test_what_is_left_out_is_gathered_by_its_reason(chosen):
    spent, refused = "the budget was spent", "numbers differ"
    names = [("mtcfir", spent), ("lssmtc", refused), ("mtcfir", spent), ("mtcmrl", spent)]
    left = [{"family": family, "reason": reason} for family, reason in names]
    assert runs.left_out(read(chosen(left_out=left))) == {
        spent: "2 runs of mtcfir and 1 run of mtcmrl",
        refused: "1 run of lssmtc",
    }


def _marks(picture):
    """Title and rounded position of every named mark in larger groups."""
    marks = re.findall(r'<use [^>]*x="(\d+\.\d)" y="(\d+\.\d)"[^>]*><title>([^<]+)', picture)
    return [(title, float(x), float(y)) for x, y, title in marks]


def test_each_mark_stands_where_its_run_does_and_says_which_it_is(chosen):
    records = runs_of(TASKS, starts=40, families=("graph", "mtcfir"))
    pictures = runs.pictures(read(chosen(runs=records)))
    assert list(pictures) == list(TASKS)
    frames = []
    for task, picture in pictures.items():
        marks = _marks(picture)
        places = {}
        for run in records:
            if run["task"] == task:
                setting = " (noise 0.5)" if run["family"] == "mtcfir" else ""
                title = f"{run['family']}{setting} on raw, start {run['start'] + 1}"
                places[title] = (run["mean_agreement"], run["modularity"])
        assert sorted(title for title, _, _ in marks) == sorted(places)
        wanted = np.array([places[title] for title, _, _ in marks])
        drawn = np.array([(x, y) for _, x, y in marks])
        for axis, sign in enumerate((1, -1)):
            slope, start = np.polyfit(wanted[:, axis], drawn[:, axis], 1)
            assert np.sign(slope) == sign
            line = slope * wanted[:, axis] + start
            np.testing.assert_allclose(drawn[:, axis], line, atol=0.11)
            frames.append((slope, start))
    np.testing.assert_allclose(frames[0], frames[2], rtol=0.02)


def test_few_marks_of_a_family_say_which_they_are(chosen):
    records = runs_of(TASKS, starts=3)
    for picture in runs.pictures(read(chosen(runs=records))).values():
        named = re.findall(r"<(?:use|path) [^>]*><title>([^ ]+)", picture)
        assert sorted(named) == sorted(3 * [*OWN_METHODS, *JOINT_METHODS])


def test_the_answer_stands_at_the_mean_over_methods(chosen):
    study = chosen([{"agreement_with_own_runs": 0.5, "agreement_with_joint_runs": 0.68}, {}, {}])
    first = runs.by_task(read(study))[0]
    assert first.task == "cornell"
    assert first.star == (pytest.approx((5 * 0.5 + 4 * 0.68) / 9), 0.61)


def test_an_answer_of_own_runs_needs_no_agreement_with_others(chosen):
    study = chosen(
        [{"agreement_with_own_runs": 0.5, "agreement_with_joint_runs": float("nan")}, {}, {}]
    )
    study.model.evidence_ = [run for run in study.model.evidence_ if not run["joint"]]
    assert runs.by_task(read(study))[0].star == (0.5, 0.61)


def test_a_single_run_that_is_the_answer_stands_at_its_own_mark(chosen):
    study = chosen([{"combiner": "single run"}, {}, {}])
    for place, run in enumerate(study.model.evidence_):
        run["kept"] = place == 3
    expected = study.model.evidence_[3]
    star = runs.by_task(read(study))[0].star
    assert star == (expected["mean_agreement"], expected["modularity"])


def test_many_runs_still_make_small_pictures_in_which_kept_runs_are_named(chosen):
    few = chosen(runs=runs_of(TASKS, starts=38, families=("kmeans", "mec", "mtcfir")))
    for picture in runs.pictures(read(few)).values():
        assert len(_marks(picture)) == 114
        assert len(picture) < 40_000
    many = chosen(runs=runs_of(TASKS, starts=300, families=("kmeans", "mec", "mtcfir")))
    for picture in runs.pictures(read(many)).values():
        assert len(_marks(picture)) == 225
        assert picture.count("<use ") >= 900
        assert len(picture) < 130_000


def _warned(family, message, times=1):
    return [{"family": family, "setting": "", "start": i, "message": message} for i in range(times)]


def test_warnings_of_runs_are_gathered_by_their_text(chosen, no_pictures):
    study = chosen()
    study.model.run_warnings_ = [*_warned("mec", "J rose <at> 3.", 2), *_warned("graph", "Split.")]
    found = runs.warnings(read(study))
    assert found == {"J rose <at> 3.": "2 runs of mec", "Split.": "1 run of graph"}
    html = page.render(study)
    assert "Warnings of the runs" in html
    assert "<li>2 runs of mec: J rose &lt;at&gt; 3.</li>" in html


def test_of_many_warnings_the_first_are_shown_and_the_rest_counted(chosen):
    study = chosen()
    study.model.run_warnings_ = [w for i in range(11) for w in _warned("mec", f"J rose in {i}.")]
    *first, last = runs.warnings(read(study)).items()
    assert [message for message, _ in first] == [f"J rose in {i}." for i in range(8)]
    assert last == ("all are in the model's run_warnings_", "3 more warnings")


def test_without_warnings_there_is_no_word_of_them(chosen, no_pictures):
    study = chosen()
    assert runs.warnings(read(study)) == {}
    study.model.run_warnings_ = []
    assert "Warnings of the runs" not in page.render(study)
