"""The answer beside that of each data set by itself: of a real fit, and of records made by hand."""

import re
from collections import Counter

import numpy as np
import pytest
from tests.report.conftest import EVIL, LONG
from tests.report.soundness import assert_sound
from tests.report.studies import OWN_METHODS, runs_of

from kinfolk.report import page, sharing_effect
from kinfolk.report.content import read

LEFT_OUT = {
    "has_clusters": False,
    "own_runs_only": True,
    "agreement_with_joint_runs": float("nan"),
    "joint_share": 0.0,
}


def effects_of(study):
    return sharing_effect.effects(read(study))


def sentences_of(study):
    return sharing_effect.sentences(read(study), effects_of(study))


def picture_of(study):
    return sharing_effect.picture(read(study), effects_of(study))


def criteria_of(study):
    return list(sharing_effect.criteria(effects_of(study)))


@pytest.mark.parametrize("tasks", [1, 2])
def test_a_real_fit_makes_a_sound_page_with_a_mark_for_every_run(fit_study, tasks):
    study = fit_study("several methods", tasks=tasks)
    html = page.render(study)
    assert_sound(html)
    assert {"sharing", "runs"} <= set(re.findall(r'\sid="([^"]+)"', html))
    marks = re.findall(r"<(?:use|path) [^>]*><title>([^<]+)", html)
    assert len(marks) == len(study.model.evidence_)
    assert Counter(title.split(" ")[0] for title in marks) == Counter(
        record["family"] for record in study.model.evidence_
    )
    for record in study.model.guard_:
        assert record["meaning"] in html
    assert ("What the other data sets changed" in html) == (tasks > 1)
    assert ("by itself</th>" in html) == (tasks > 1)


def test_a_method_that_does_not_choose_has_no_section(make_study, no_pictures):
    study = make_study()
    assert effects_of(study) == []
    assert sentences_of(study) == []
    assert picture_of(study) == ""
    html = page.render(study)
    assert 'id="sharing"' not in html
    assert 'id="runs"' not in html


def test_effects_and_sentences_say_all_that_happened(eventful):
    found = effects_of(eventful)
    assert [effect.tone for effect in found] == ["tasks", "shape", "tasks"]
    flags = [[], ["two answers"], ["no clusters found", "made of its own runs"]]
    assert [effect.flags for effect in found] == flags
    assert sentences_of(eventful) == [
        "Because of the other data sets, 17 of 180 rows are in another cluster than each data set "
        "has by itself.",
        "The clusters that the other data sets have by themselves support the change of cornell "
        f"and {LONG}.",
        "One shape of clusters was learned from all data sets; by it those of texas agree better "
        "with the others.",
        f"No clusters were found in {LONG}.",
        "A second answer is possible in texas, but it is the worse bet: where classes were known "
        "it was the better one in 2 of 14 cases.",
        f"In {LONG} the answer was made of the data set's own runs only.",
    ]


@pytest.mark.parametrize(
    "support", ["tasks", "labels", "shape", "mixture", "found twice", "common mixture"]
)
def test_the_tone_of_a_change_is_its_reason(chosen, support):
    study = chosen([{"support": support, "changed": 1}, {}, {}])
    assert [effect.tone for effect in effects_of(study)] == [support, "same", "same"]


def test_reasons_for_changes_are_told_in_sentences(chosen):
    refused = {"refused_rows": [1, 2], "evidence": 0.01}
    by_shape = {"changed": 2, "source": "joint", "evidence": float("nan")}
    study = chosen([{"changed": 2, "support": "tasks"}, refused, by_shape])
    assert [effect.tone for effect in effects_of(study)] == ["tasks", "kept", "shape"]
    first, second, third = (effect.task for effect in effects_of(study))
    assert sentences_of(study)[1:] == [
        f"The clusters that the other data sets have by themselves support the change of {first}.",
        f"In {second} another answer scored higher, but the other data sets do not support it: the "
        "clusters are those of the data set by itself.",
        "One shape of clusters was learned from all data sets; by it those of "
        f"{third} agree better with the others.",
    ]


def test_agreement_is_shown_where_it_counts(chosen):
    study = chosen(
        [
            {
                "cross_task_agreement": 0.42,
                "own_cross_task_agreement": 0.35,
                "has_cross_task_support": True,
            },
            {"cross_task_agreement": 0.1},
            {},
        ]
    )
    assert criteria_of(study) == list(sharing_effect.TITLES)
    parts = picture_of(study).split('id="sharing-PathCollection_')[3:7]
    marks = [part.split("</g>")[0].count("<use ") for part in parts]
    assert marks == [3, 3, 1, 1]


def test_a_table_of_criteria_has_dashes_where_agreement_does_not_count(chosen, no_pictures):
    html = page.render(
        chosen(
            [
                {
                    "cross_task_agreement": 0.42,
                    "own_cross_task_agreement": 0.35,
                    "has_cross_task_support": True,
                },
                {"cross_task_agreement": 0.1},
                {},
            ]
        )
    )
    title = sharing_effect.TITLES["cross_task_agreement"]
    assert (
        f'<th scope="row">{title}</th><td>0.350</td><td class="best">★ 0.420</td><td>0</td>' in html
    )
    assert html.count(f'<th scope="row">{title}</th><td>–</td><td>–</td>') == 2


def test_without_agreement_there_is_one_criterion_beside_the_level_of_chance(chosen, no_pictures):
    assert criteria_of(chosen()) == ["modularity"]
    html = page.render(chosen())
    row = '<th scope="row">Neighbors</th><td>0.600</td><td class="best">★ 0.610</td><td>0.100</td>'
    assert html.count(row) == 3
    assert "best score (0 to 2)" in html


def test_the_scale_of_scores_is_longer_where_agreement_counts(chosen, no_pictures):
    assert "best score (0 to 2.5)" in page.render(
        chosen([{"has_cross_task_support": True}, {}, {}])
    )


def test_a_task_left_out_of_sharing_has_flags_and_no_numbers_it_lacks(chosen, no_pictures):
    names = ("cornell", "texas", "wisconsin")
    runs = [*runs_of(names[:2], 2), *runs_of(names[2:], 2, OWN_METHODS)]
    study = chosen([{}, {}, LEFT_OUT], runs=runs)
    assert effects_of(study)[2].flags == ["no clusters found", "left out of sharing"]
    assert "Left out of sharing: wisconsin." in sentences_of(study)
    html = page.render(study)
    card = html.split("<h3>wisconsin</h3>")[1].split("</article>")[0]
    assert "left out of sharing" in card
    assert "nan" not in card
    assert html.count('<td><span class="quiet">–</span></td>') >= 4


def test_known_labels_that_helped_to_choose_are_counted(chosen):
    assert not any("known" in sentence for sentence in sentences_of(chosen()))
    study = chosen([{"known_rows": 5}, {"known_rows": 0}, {"known_rows": 7}])
    assert sentences_of(study)[-1] == "12 known labels helped to choose the answer."


def test_the_page_shows_each_effect_with_its_tone_and_flags(eventful, no_pictures):
    html = page.render(eventful)
    pools = re.findall(r"Made of the best of</th><td>([^<]+)", html)
    assert pools == [
        "runs on several data sets",
        "runs on several data sets",
        "its own runs",
    ]
    for effect in effects_of(eventful):
        assert f'<article class="card {effect.tone}">' in html
        assert f'<li class="tone">{effect.summary}</li>' in html
    assert html.count('<li class="alert">') == 3
    assert "Two answers: rows of each kind" in html


def test_hostile_names_of_rows_tasks_and_reasons_are_inert(eventful, no_pictures):
    html = page.render(eventful)
    evil = "&lt;b&gt;&amp;"
    assert EVIL not in html
    assert "<b>&amp;" not in html
    assert f"<h3>{'x' * 58} {evil}</h3>" in html
    assert f"1 run of mtcfir: Refused {evil}." in html


def test_changed_rows_are_named_in_short_and_on_request_in_full(eventful, no_pictures):
    html = page.render(eventful)
    evil = "&lt;b&gt;&amp;"
    rows = np.flatnonzero(eventful.data.tasks == "cornell")[:14]
    many, two, one = re.findall(r'<p class="rows">(.*?)</p>', html)
    assert re.findall(rf"{evil}(\d+)</span>", many) == [str(row) for row in rows[:10]]
    assert "and 4 more" in many
    assert "more" not in two
    assert f"{evil}.html</span>" in one
    assert "people" not in re.sub("<[^>]*>", "", one)
    in_full = re.findall(r"<details>(.*?)</details>", html)
    assert re.findall(rf"{evil}(\d+)", in_full[0]) == [str(row) for row in rows]
    assert "All 14 names" in in_full[0]
    assert [f"people/{evil}" in text for text in in_full] == [False, True]


def test_where_nothing_changed_there_is_one_sentence(chosen):
    study = chosen()
    assert [effect.tone for effect in effects_of(study)] == ["same"] * 3
    assert sentences_of(study) == [
        "With and without the other data sets the clusters are the same."
    ]


def test_where_no_run_used_several_data_sets_there_is_nothing_to_compare(chosen):
    study = chosen(runs=runs_of(("cornell", "texas", "wisconsin"), families=OWN_METHODS))
    assert not sharing_effect.compared(read(study))
    assert sentences_of(study) == [
        "Every data set has the clusters that it finds by itself; the other data sets offered no "
        "better ones."
    ]


def test_of_very_many_changed_rows_not_all_are_named(chosen):
    (effect, *_) = effects_of(chosen([{"changed": 3000}, {}, {}], rows=10_000))
    assert (effect.changed, len(effect.ids), len(effect.named)) == (3000, 2000, 10)


def test_two_answers_are_crossed_row_by_row(eventful):
    crossed = effects_of(eventful)[1].second
    model = eventful.model
    rows = np.flatnonzero(eventful.data.tasks == "texas")
    kinds = dict(zip(model.clusters_, model.matched_clusters_.tolist(), strict=True))
    counts = Counter(
        (kinds["texas", mine], other)
        for mine, other in zip(model.labels_[rows], model.second_labels_["texas"], strict=True)
    )
    assert crossed.kinds == [0, 1, 3]
    for kind, line in zip(crossed.kinds, crossed.counts, strict=True):
        assert sorted(line) == sorted(counts[kind, other] for other in range(3))
    assert [line.index(max(line)) for line in crossed.counts] == [0, 1, 2]


def test_tasks_without_a_second_answer_have_no_cross_table(eventful):
    first, _, third = effects_of(eventful)
    assert first.second is None
    assert third.second is None


def test_modularity_is_drawn_from_chance_on(chosen):
    close = {"modularity": 0.998, "own_modularity": 0.996}
    study = chosen([close, close, close])
    shown = [float(t) for t in re.findall(r">(\d\.\d+)</text>", picture_of(study))]
    assert (min(shown), max(shown)) == (0.0, 1.0)
