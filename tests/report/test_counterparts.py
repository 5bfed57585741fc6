"""Sentences on counterparts, from records made by hand and from a real match."""

import re
from dataclasses import replace

import numpy as np
import pytest

import kinfolk as kf
from kinfolk.comparison import files
from kinfolk.estimators.correspondence import correspond
from kinfolk.estimators.correspondence import counterparts as find
from kinfolk.report import counterparts, page
from kinfolk.report.content import read

NONE = float("nan")


def _record(task, cluster, other, kin=(), strength=NONE):
    named = {"task": task, "cluster": cluster, "other_task": other, "other_clusters": list(kin)}
    return {**named, "strength": strength}


@pytest.fixture
def matched(make_study):
    """Return a function that makes a study with the given records of counterparts."""

    def made(records, strength=0.2, **given):
        study = make_study("numbers", **given)
        study.model.counterparts_ = records
        study.model.match_strength_ = np.full(len(study.model.clusters_), strength)
        return study

    return made


def _all(names, sizes=(3, 3, 4)):
    """Records without a counterpart for each cluster and other task."""
    return [
        _record(task, c, other)
        for task, k in zip(names, sizes, strict=True)
        for c in range(k)
        for other in names
        if other != task
    ]


def _without(names, *lonely):
    """Records in which all clusters but some have one counterpart."""
    records = _all(names)
    for record in records:
        if (record["task"], record["cluster"]) not in lonely:
            record.update(other_clusters=[0], strength=0.9)
    return records


NAMES = ("cornell", "texas", "wisconsin")


def test_without_counterparts_and_where_numbers_are_enough_there_is_no_sentence(
    make_study, matched, no_pictures
):
    assert counterparts.sentences(read(make_study())) == []
    study = matched(_without(NAMES))
    assert counterparts.sentences(read(study)) == []
    assert "not the whole picture" not in page.render(study)


def unmarked(html):
    """Remove the marks of names from a page's HTML."""
    marks = r'<span data-kinds="[^"]*">([^<]*)</span>'
    return re.sub(marks, lambda found: found[1].replace("\N{NO-BREAK SPACE}", " "), html)


def test_kinds_that_match_only_together_and_kinds_without_match_are_named(matched, no_pictures):
    records = _without(NAMES, ("texas", 2), ("wisconsin", 3), ("wisconsin", 0))
    several = next(r for r in records if (r["task"], r["cluster"]) == ("cornell", 1))
    several.update(other_task="texas", other_clusters=[2, 0], strength=0.967)
    study = matched(records)
    assert counterparts.sentences(read(study)) == [
        "Kinds 0 and 3 of texas together match kind 1 of cornell (0.97).",
        "Kind 3 of texas has no counterpart that is clearer than chance.",
        "Kinds 0 and 4 of wisconsin have no counterpart that is clearer than chance.",
    ]
    html = unmarked(page.render(study))
    assert all(f"<li>{said}</li>" in html for said in counterparts.sentences(read(study)))


@pytest.mark.parametrize(("strength", "strong"), [(0.29, False), (0.3, True), (NONE, False)])
def test_a_match_is_not_called_none_beside_a_table_that_shows_it_strong(matched, strength, strong):
    study = matched(_without(NAMES, ("texas", 2), ("wisconsin", 0), ("wisconsin", 3)), strength)
    one, two = counterparts.sentences(read(study))
    assert one.startswith("Kind 3 of texas matches as strongly as the table says") == strong
    assert two.startswith("Kinds 0 and 4 of wisconsin match as strongly as the table") == strong
    assert ("no counterpart" in one) == ("no counterpart" in two) == (not strong)


def test_two_clear_clusters_in_each_data_set_do_not_contradict_their_strength():
    X = 9.0 * np.repeat([[0.0], [1.0], [0.0], [1.0]], 40, axis=0)
    X += np.random.default_rng(0).normal(size=X.shape)
    tasks = np.repeat(["a", "b"], 80)
    found = read(kf.compare(X, tasks=tasks, n_clusters=2, method="kmeans").study)
    assert all(cluster.strength > 0.9 for cluster in found.clusters)
    assert all("not beyond doubt" in said for said in counterparts.sentences(found))
    assert len(counterparts.sentences(found)) == 2


def test_names_of_tasks_are_inert(matched, no_pictures):
    names = ("<b>evil", "texas", "wisconsin")
    html = page.render(matched(_without(names, ("<b>evil", 0)), tasks=names))
    assert "<b>evil" not in html
    assert "<li>Kind 0 of &lt;b&gt;evil has no counterpart" in unmarked(html)


def test_of_many_sentences_the_first_are_shown_and_the_rest_counted(matched):
    records = _all(NAMES)
    for record in records:
        if record["task"] == "cornell":
            record.update(other_clusters=[0, 1], strength=0.5)
    study = matched(records)
    said = counterparts.sentences(read(study))
    assert len(said) == 8
    records.append(_record("texas", 0, "cornell", [0, 1], 0.5))
    records.append(_record("texas", 1, "cornell", [0, 1], 0.5))
    said = counterparts.sentences(read(study))
    assert len(said) == 9
    assert said[-1] == "And 2 more."


def test_halves_of_a_group_are_one_kind_together(make_study):
    X = np.repeat(np.eye(12)[[0, 1, 2, 0, 0, 1, 2]], 9, axis=0)
    X[27:45, 3] = np.repeat([0.4, -0.4], 9)
    X += 0.1 * np.random.RandomState(0).normal(size=X.shape)
    labels = np.repeat([0, 1, 2, 0, 1, 2, 3], 9)
    found = correspond(X, labels, np.repeat([0, 1], [27, 36]), ["cornell", "texas"], [3, 4])
    study = make_study("numbers")
    model = study.model
    model.task_names_ = np.array(["cornell", "texas"])
    model.clusters_, model.matched_clusters_ = found.clusters, found.groups
    model.match_strength_, model.counterparts_ = found.strength, find(found)
    halves = sorted(found.groups[3:5])
    (said,) = counterparts.sentences(read(study))
    assert said.startswith(f"Kinds {halves[0]} and {halves[1]} of texas together match kind ")
    assert f"kind {found.groups[0]} of cornell (0.9" in said


def test_kinds_with_a_name_are_called_by_it(matched):
    records = _without(NAMES, ("texas", 0), ("texas", 2))
    records[0].update(other_clusters=[0, 1], strength=0.7)
    study = replace(matched(records), names={0: "families"})
    assert counterparts.sentences(read(study)) == [
        "families and kind 1 of texas together match families of cornell (0.70).",
        "families and kind 3 of texas have no counterpart that is clearer than chance.",
    ]


@pytest.mark.parametrize("names", [{0: "a & b"}, {0: "old", 3: "young", 4: "<i>"}])
def test_a_page_with_exchanged_names_is_the_page_of_a_study_with_these_names(
    names, matched, no_pictures
):
    records = _without(NAMES, ("texas", 2), ("wisconsin", 3), ("wisconsin", 0))
    several = next(r for r in records if (r["task"], r["cluster"]) == ("cornell", 1))
    several.update(other_task="texas", other_clusters=[2, 0], strength=0.967)
    study = matched(records)
    told = "In texas, \ufdd00\ufdd1 and \ufdd03\ufdd1 are close."
    profiled = replace(study.profiles, cautions=("In texas, kind 0 and kind 3 are close.",))
    study.__dict__["profiles"] = profiled
    study.__dict__["_profiled"] = replace(profiled, cautions=(told,))
    named = replace(study, names=names)
    called = {kind: names.get(kind, f"kind {kind}") for kind in (0, 3)}
    sentence = f"In texas, {called[0]} and {called[3]} are close."
    named.__dict__["profiles"] = replace(profiled, names=names, cautions=(sentence,))
    named.__dict__["_profiled"] = replace(profiled, cautions=(told,))
    before = page.render(study)
    assert "In texas, kind 0 and kind 3 are close." in unmarked(before)
    after = files.renamed_report(before, names)
    assert after == page.render(named)
    # A second change of names leaves no name of the first.
    assert files.renamed_report(files.renamed_report(before, {0: "first"}), names) == after
