"""The page of each relation, from small fits of the real methods."""

import dataclasses
import re

import numpy as np
import pytest
from tests.report.soundness import assert_sound

from kinfolk.cli import study_text
from kinfolk.report import findings, page, sections, wording
from kinfolk.report.content import read

SECTIONS = {
    "several tasks": "cluster-relatedness",
    "several views": "view-weights",
    "another site's centers": "knowledge",
    "tasks with labels": "labels",
    "one data set": None,
    "several methods": "runs",
}
QUESTIONS = {
    "several tasks": "Alone, pooled or together: which clusters are better?",
    "several views": "One view or all views together: which clusters are better?",
    "another site's centers": "With or without the other site's centers",
    "tasks with labels": "With or without the known labels: which clusters are better?",
    "one data set": "How this method compares with others",
    "several methods": "Alone, pooled or together: which clusters are better?",
}


@pytest.mark.parametrize("relation", SECTIONS)
def test_the_page_asks_the_question_of_its_relation_and_has_its_section_alone(
    fitted_page, relation
):
    html = fitted_page(relation)
    assert QUESTIONS[relation].replace("'", "&#39;") in html
    for section in filter(None, SECTIONS.values()):
        assert (f'<section id="{section}">' in html) == (section == SECTIONS[relation])


@pytest.mark.parametrize("relation", SECTIONS)
def test_every_page_is_sound_and_fetches_nothing(fitted_page, relation):
    html = fitted_page(relation)
    assert_sound(html)
    assert "<script" not in html
    assert "url(http" not in html
    for address in re.findall(r'(?:src|href)="([^"]*)"', html):
        assert address.startswith(("data:image/png;base64,", "#"))


@pytest.mark.parametrize("relation", SECTIONS)
def test_page_and_terminal_say_the_same_sentences(fit_study, fitted_page, relation, capsys):
    study = fit_study(relation)
    study_text.show(study)
    printed, html = capsys.readouterr().out, fitted_page(relation)
    said = sections.sentences(read(study))
    assert bool(said) == (relation not in ("one data set", "several methods"))
    for sentence in [*said, findings.comparison(read(study))]:
        assert sentence in printed
        assert sentence.replace("'", "&#39;") in html


def test_the_terminal_says_once_what_two_sections_say(fit_study, capsys, monkeypatch):
    study = fit_study("several methods")
    changed = findings.changes_by_task(read(study))
    monkeypatch.setattr(sections, "sentences", lambda page: changed)
    study_text.show(study)
    printed = capsys.readouterr().out
    assert changed
    assert [printed.count(sentence) for sentence in changed] == [1] * len(changed)


@pytest.mark.parametrize("tasks", [1, 2])
def test_hostile_names_of_views_tasks_and_columns_are_inert(fit_study, tasks):
    evil = "<script>alert(1)</script>&"
    study = fit_study("several views", tasks=tasks)
    names = np.empty(3, dtype=object)
    names[:] = [evil, "b", "c"]
    for fitted in study.model.estimators_:
        columns = dict(zip(names, fitted.views.values(), strict=True))
        fitted.view_names_, fitted.views = names, columns
    study.results[0] = dataclasses.replace(study.results[0], name=f"view {evil}")
    html = page.render(dataclasses.replace(study, feature_names=(evil, *"abcdef")))
    assert "<script" not in html
    assert html.count("&lt;script&gt;alert(1)&lt;/script&gt;&amp;") >= 3


def test_hostile_names_of_columns_are_inert_in_what_knowledge_moved(fit_study, no_pictures):
    evil = "<img src=x onerror=alert(1)>"
    study = dataclasses.replace(fit_study("another site's centers"), feature_names=("pulse", evil))
    html = page.render(study)
    assert "<img src=x" not in html
    assert "&lt;img src=x onerror=alert(1)&gt; <span" in html


def test_hostile_names_of_classes_are_inert(fit_study, no_pictures):
    study = fit_study("tasks with labels")
    study.model.classes_ = np.array(["<b>", "c1", "c2"])
    html = page.render(study)
    assert "<b></th>" not in html
    assert "&lt;b&gt;</th>" in html


def test_views_are_compared_with_the_best_and_the_worst_of_them(fit_study):
    sentence = findings.comparison(read(fit_study("several views")))
    assert "clustering with all views together is" in sentence
    assert "the best view alone (loud)" in sentence
    assert "points better than the worst view alone (mute)" in sentence
    assert "all columns as one view" in sentence


def test_the_gain_of_views_is_measured_from_the_best_view_of_each_line(fit_study):
    study = fit_study("several views", tasks=2)
    for table in findings.score_tables(read(study)):
        assert table.gain == "together − best view"
        for line in table.lines[:-1]:
            values = [float(text.replace("−", "-")) for text in line.texts]
            shown = dict(zip(table.names, values, strict=True))
            best = max(value for name, value in shown.items() if name.startswith("view "))
            gain = float(line.gain.replace("−", "-"))
            assert gain == pytest.approx(shown["together"] - best)


def test_the_words_of_knowledge_and_labels_name_the_help(fit_study):
    sentence = findings.comparison(read(fit_study("another site's centers")))
    assert "clustering with the other site's centers is as good as the same without" in sentence
    sentence = findings.comparison(read(fit_study("tasks with labels")))
    assert "in task-1 clustering with the known labels is as good as" in sentence
    assert "each data set without labels" in sentence


def test_the_comparison_leaves_out_data_sets_whose_labels_were_all_given(fit_study):
    study = fit_study("tasks with labels")
    together = next(c for c in study.results if c.name == "together")
    together.scores["accuracy"].update({"task-0": 0.2, "task-1": 0.7})
    assert "30.0 points worse than each data set without labels" in findings.comparison(read(study))
    study.model.known_[:] = False
    assert "is on average 55.0 points worse than each data set" in findings.comparison(read(study))


def test_one_data_set_at_a_time_has_no_gain_and_is_compared_with_k_means(fit_study, fitted_page):
    study = fit_study("one data set")
    assert wording.gain(study) == ""
    assert '<th scope="col">gain</th>' not in fitted_page("one data set")
    assert findings.comparison(read(study)).endswith("k-means alone.")


def test_a_single_view_has_no_gain(fit_study):
    study = fit_study("several views")
    study = dataclasses.replace(study, results=study.results[-2:])
    assert wording.gain(study) == ""
    assert findings.score_tables(read(study))[0].gain == ""


def test_every_result_is_explained_and_nothing_else(fit_study):
    assert list(wording.explanations(fit_study("several views"))) == [
        "view …",
        "pooled",
        "together",
        "k-means alone",
    ]
    assert list(wording.explanations(fit_study("another site's centers"))) == ["alone", "together"]


def test_a_single_data_set_has_no_section_on_kinds_across_data_sets(fitted_page):
    html = fitted_page("several views")
    assert "cluster in labels.csv" in html
    assert "Which clusters are the same in several data sets" not in html
    assert "no counterpart" not in html
