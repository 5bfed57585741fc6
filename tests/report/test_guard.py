"""Guard and evidence on a page: of a real fit, and of records made by hand."""

import dataclasses
import re
from collections import Counter
from xml.etree import ElementTree

import numpy as np
import pytest

from kinfolk.choosing import changes
from kinfolk.report import evidence, guard, page

OWN = ("kmeans", "symnmf", "graph", "soft-kmeans", "mec")
JOINT = ("pooled", "mtcfir", "lssmtc", "mtcmrl")


def _record(study, task, changed=0, **given):
    rows = np.flatnonzero(study.data.tasks == task)
    record = {
        "task": task,
        "agreement": 0.8,
        **{"modularity": 0.61, "own_modularity": 0.6, "echo": 0.0, "own_echo": 0.0, "known": 0},
        **{"way": "vote", "own_way": "vote", "source": "all", "chance": 0.1, "clusters": True},
        **{"joint_share": 0.25, "agree_own": 0.5, "agree_joint": 0.7, "own_stands": False},
        **{"second": False, "rows": rows[:changed], "n_rows": len(rows), "heard": False, **given},
    }
    return {**record, "meaning": changes.meaning(record)}


def _runs(tasks, starts=1, families=(*OWN, *JOINT), echo=0.0):
    rng = np.random.default_rng(0)
    return [
        {
            "task": task,
            "family": family,
            "setting": "noise 0.5" if family == "mtcfir" else "",
            "space": "raw",
            "start": start,
            "joint": family in JOINT,
            "agree": rng.random(),
            "modularity": 0.6 * rng.random(),
            "echo": echo,
            "score": 2 * rng.random(),
            "kept": start % 4 == 0,
            "seconds": 0.25 * (start + 1),
        }
        for task in tasks
        for family in families
        for start in range(starts)
    ]


@pytest.fixture
def guarded(make_study):
    """Return a function that makes a study of three tasks with records made by hand."""

    def made(records=({}, {}, {}), runs=None, left_out=(), **given):
        study = make_study("numbers", **given)
        names = study.model.task_names_
        study.model.guard_ = [_record(study, t, **r) for t, r in zip(names, records, strict=True)]
        study.model.evidence_ = _runs(names) if runs is None else runs
        study.model.second_labels_ = {}
        study.model.guard = "report"
        study.model.left_out_ = list(left_out)
        return study

    return made


@pytest.mark.parametrize("tasks", [1, 2])
def test_a_real_fit_makes_a_sound_page_with_a_mark_for_every_run(fit_study, tasks):
    study = fit_study("several methods", tasks=tasks)
    html = page.render(study)
    ids = re.findall(r'\sid="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    assert {"guard", "evidence"} <= set(ids)
    for pair in re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', html):
        assert "".join(pair) in ids
    for svg in re.findall(r"<svg.*?</svg>", html, flags=re.S):
        title, described = list(ElementTree.fromstring(svg))[:2]
        assert title.text
        assert described.text
    marks = re.findall(r"<(?:use|path) [^>]*><title>([^<]+)", html)
    assert len(marks) == len(study.model.evidence_)
    assert Counter(title.split(" ")[0] for title in marks) == Counter(
        record["family"] for record in study.model.evidence_
    )
    for record in study.model.guard_:
        assert record["meaning"] in html
    assert ("What the other data sets changed" in html) == (tasks > 1)
    assert ("by itself</th>" in html) == (tasks > 1)


def test_a_method_without_a_guard_has_neither_section(make_study):
    study = make_study()
    assert guard.of(study) == []
    assert guard.sentences(study) == []
    assert guard.picture(study) == ""
    assert evidence.sentences(study) == []
    assert evidence.pictures(study) == {}


EVIL = "<b>&"
LONG = f"{'x' * 58} {EVIL}"
BETTER = {"modularity": 0.5, "own_modularity": 0.4, "source": "joint"}
MIXED = {"modularity": 0.5, "own_modularity": 0.4, "echo": 0.3, "own_echo": 0.4, "heard": True}
WORSE = {"modularity": 0.3, "own_modularity": 0.4, "source": "own"}
LEFT_OUT = {"clusters": False, "own_stands": True, "agree_joint": float("nan"), "joint_share": 0.0}


@pytest.fixture
def eventful(guarded):
    """A study with all that can happen: three tones, rows, flags, two answers, evil names."""
    records = [
        {**BETTER, "changed": 14},
        {**MIXED, "changed": 2, "second": True},
        {**WORSE, "changed": 1, "clusters": False, "own_stands": True},
    ]
    reason = {"family": "mtcfir", "reason": f"Refused {EVIL}."}
    study = guarded(records, left_out=[reason], tasks=("cornell", "texas", LONG))
    rows = np.flatnonzero(study.data.tasks == "texas")
    second = np.array([2, 0, 1])[study.model.labels_[rows]]
    second[::5] = 0
    study.model.second_labels_ = {np.str_("texas"): second}
    names = np.array([f"{EVIL}{i}" for i in range(180)], dtype=object)
    names[study.data.tasks == LONG] = f"http://www.cs.wisc.edu/people/{EVIL}.html"
    return dataclasses.replace(study, data=dataclasses.replace(study.data, row_ids=names))


def test_cards_and_sentences_tell_all_that_happened(eventful):
    cards = guard.of(eventful)
    assert [card.tone for card in cards] == ["better", "mixed", "worse"]
    flags = [[], ["two answers"], ["no clusters found", "its own runs stand"]]
    assert [card.flags for card in cards] == flags
    assert guard.sentences(eventful) == [
        "With the other data sets in view, 17 of 180 rows are in another cluster than without.",
        "The signs are for the change in cornell.",
        "There is no clear sign for or against the change in texas.",
        f"The signs are against the change in {LONG}.",
        f"No clusters were found in {LONG}.",
        "Two answers are equally well supported in texas.",
        f"In {LONG} more speaks for the data set's own runs.",
    ]


@pytest.mark.parametrize(
    ("changes", "tone"),
    [
        ((0.1, 0.0), "better"),
        ((0.0, 0.1), "better"),
        ((0.1, -0.1), "mixed"),
        ((-0.1, 0.0), "worse"),
        ((0.0, 0.0), "mixed"),
    ],
)
def test_a_change_is_better_if_a_sign_is_for_it_and_none_against(guarded, changes, tone):
    own = {"own_modularity": 0.5, "own_echo": 0.5, "heard": True}
    signs = {sign: own[f"own_{sign}"] + up for sign, up in zip(guard.SIGNS, changes, strict=True)}
    study = guarded([{**own, **signs, "changed": 1}, {}, {}])
    assert [card.tone for card in guard.of(study)] == [tone, "same", "same"]


def test_an_echo_that_is_too_weak_to_tell_says_nothing(guarded):
    weak = {"modularity": 0.6, "own_modularity": 0.5, "echo": 0.1, "own_echo": 0.2, "changed": 1}
    study = guarded([weak, {**weak, "heard": True}, {}])
    assert [card.tone for card in guard.of(study)] == ["better", "mixed", "same"]
    first, second, _ = (record["meaning"] for record in study.model.guard_)
    assert "for the better" in first
    assert "with signs for and against it" in second


def test_the_echo_is_shown_where_other_data_sets_had_something_to_say(guarded):
    assert list(guard.signs(guard.of(guarded()))) == ["modularity"]
    study = guarded([{"echo": 0.42, "own_echo": 0.35, "heard": True}, {"echo": 0.1}, {}])
    assert list(guard.signs(guard.of(study))) == list(guard.SIGNS)
    picture, html = guard.picture(study), page.render(study)
    parts = picture.split('id="guard-PathCollection_')[3:7]
    marks = [part.split("</g>")[0].count("<use ") for part in parts]
    assert marks == [3, 3, 1, 1]
    assert '<th scope="row">Echo</th><td>0.350</td><td class="best">★ 0.420</td><td>0</td>' in html
    assert html.count('<th scope="row">Echo</th><td>–</td><td>–</td>') == 2


def test_neighbours_stand_beside_the_level_of_chance(guarded):
    row = '<th scope="row">Neighbours</th><td>0.600</td><td class="best">★ 0.610</td><td>0.100</td>'
    assert page.render(guarded()).count(row) == 3


def test_the_scale_of_scores_is_longer_where_an_echo_counts(guarded):
    assert "best score (0 to 2)" in page.render(guarded())
    assert "best score (0 to 2.5)" in page.render(guarded([{"heard": True}, {}, {}]))


def test_a_data_set_that_took_no_part_in_sharing_breaks_nothing(guarded):
    names = ("cornell", "texas", "wisconsin")
    runs = [*_runs(names[:2], 2), *_runs(names[2:], 2, OWN)]
    study = guarded([{}, {}, LEFT_OUT], runs=runs)
    assert guard.of(study)[2].flags == ["no clusters found", "left out of sharing"]
    assert "Left out of sharing: wisconsin." in guard.sentences(study)
    for tasks in (names, names[::-1]):
        study.model.task_names_ = np.array(tasks)
        assert "18 runs" in evidence.sentences(study)[0]
        lines = {line.family.name: line for line in evidence.table(study)}
        left = tasks.index("wisconsin")
        assert [line.runs for line in lines.values()] == [2] * 9
        assert [line.tasks[left] is None for line in lines.values()] == [False] * 5 + [True] * 4
    html = page.render(study)
    card = html.split("<h3>wisconsin</h3>")[1].split("</article>")[0]
    assert "left out of sharing" in card
    assert "nan" not in card
    assert html.count('<td><span class="quiet">–</span></td>') >= 4
    assert len(evidence.pictures(study)) == 3


def test_known_labels_that_took_part_are_told(guarded):
    assert not any("known" in said for said in guard.sentences(guarded()))
    study = guarded([{"known": 5}, {"known": 0}, {"known": 7}])
    assert guard.sentences(study)[-1] == "12 known labels took part in the choice."


def test_the_page_shows_each_card_and_names_rows_and_tasks_without_harm(eventful):
    html = page.render(eventful)
    crowds = re.findall(r"Made of the best of</th><td>([^<]+)", html)
    assert crowds == ["runs that see several", "all runs", "its own runs"]
    evil = "&lt;b&gt;&amp;"
    assert EVIL not in html
    assert "<b>&amp;" not in html
    assert f"<h3>{'x' * 58} {evil}</h3>" in html
    assert f"1 run of mtcfir: Refused {evil}." in html
    for card in guard.of(eventful):
        assert f'<article class="card {card.tone}">' in html
        assert f'<li class="verdict">{card.verdict}</li>' in html
    assert html.count('<li class="alert">') == 3
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
    assert "Two answers: rows of each kind" in html


def test_where_nothing_changed_or_nothing_was_shared_there_is_one_sentence(guarded):
    study = guarded()
    assert [card.tone for card in guard.of(study)] == ["same"] * 3
    assert guard.sentences(study) == [
        "With and without the other data sets the clusters are the same."
    ]
    study.model.evidence_ = _runs(study.model.task_names_, families=OWN)
    (alone,) = guard.sentences(study)
    assert "nothing to compare" in alone


def test_of_very_many_changed_rows_not_all_are_named(guarded):
    (card, *_) = guard.of(guarded([{"changed": 3000}, {}, {}], rows=10_000))
    assert (card.changed, len(card.ids), len(card.named)) == (3000, 2000, 10)


def test_two_answers_are_crossed_row_by_row(eventful):
    crossing = guard.of(eventful)[1].crossing
    model, rows = eventful.model, np.flatnonzero(eventful.data.tasks == "texas")
    kinds = dict(zip(model.clusters_, model.matched_clusters_.tolist(), strict=True))
    counts = Counter(
        (kinds["texas", mine], other)
        for mine, other in zip(model.labels_[rows], model.second_labels_["texas"], strict=True)
    )
    assert crossing.kinds == [0, 1, 3]
    for kind, line in zip(crossing.kinds, crossing.counts, strict=True):
        assert sorted(line) == sorted(counts[kind, other] for other in range(3))
    assert [line.index(max(line)) for line in crossing.counts] == [0, 1, 2]


def test_neighbours_are_drawn_from_chance_on(guarded):
    close = {"modularity": 0.998, "own_modularity": 0.996}
    study = guarded([close, close, close])
    shown = [float(t) for t in re.findall(r">(\d\.\d+)</text>", guard.picture(study))]
    assert (min(shown), max(shown)) == (0.0, 1.0)


def test_families_differ_in_colour_and_those_that_see_other_tasks_in_shape(guarded):
    found = evidence.families(guarded())
    assert [family.name for family in found] == [*OWN, *JOINT]
    assert [family.marker for family in found] == ["o"] * 5 + ["D"] * 4
    assert len({family.colour for family in found}) == 9


def test_how_the_answer_came_about_is_told_with_numbers(guarded):
    study = guarded(runs=_runs(("cornell", "texas", "wisconsin"), starts=2))
    first, second, third = evidence.sentences(study)
    assert "18 runs of 5 methods that see one data set at a time and 4 that see several" in first
    assert second.endswith("the same clusters and if rows most alike share a cluster.")
    assert "three crowds" in third
    assert "three ways, into nine answers at most. The one for which most speaks" in third
    study.model.guard = "both"
    assert "the data set's own was taken, unless" in evidence.sentences(study)[2]
    study.model.evidence_ = _runs(study.model.task_names_, echo=0.3)
    assert "clusters of another data set" in evidence.sentences(study)[1]
    study.model.evidence_ = _runs(study.model.task_names_, families=OWN)
    study.model.guard_ = [{**record, "way": "single run"} for record in study.model.guard_]
    first, _, third = evidence.sentences(study)
    assert "5 runs of 5 methods that see one data set at a time." in first
    assert third == "The best run gives the answer."


def test_the_table_counts_runs_of_each_family_and_task(guarded):
    study = guarded(runs=_runs(("cornell", "texas", "wisconsin"), starts=6))
    lines = evidence.table(study)
    assert [line.family.name for line in lines] == [*OWN, *JOINT]
    for line in lines:
        assert line.runs == 6
        assert line.seconds == pytest.approx(0.25 * 3.5)
        for task, (kept, best) in zip(study.model.task_names_, line.tasks, strict=True):
            scores = [
                record["score"]
                for record in study.model.evidence_
                if (record["task"], record["family"]) == (task, line.family.name)
            ]
            assert kept == 2
            assert best == max(scores)


def test_what_is_left_out_is_gathered_by_its_reason(guarded):
    spent, refused = "the budget was spent", "numbers differ"
    names = [("mtcfir", spent), ("lssmtc", refused), ("mtcfir", spent), ("mtcmrl", spent)]
    left = [{"family": family, "reason": reason} for family, reason in names]
    assert evidence.left_out(guarded(left_out=left)) == {
        spent: "2 runs of mtcfir and 1 run of mtcmrl",
        refused: "1 run of lssmtc",
    }


def _marks(picture):
    """Title and place, to a tenth, of every named mark of a group with many."""
    marks = re.findall(r'<use [^>]*x="(\d+\.\d)" y="(\d+\.\d)"[^>]*><title>([^<]+)', picture)
    return [(title, float(x), float(y)) for x, y, title in marks]


def test_each_mark_stands_where_its_run_does_and_says_which_it_is(guarded):
    runs = _runs(("cornell", "texas", "wisconsin"), starts=40, families=("graph", "mtcfir"))
    pictures = evidence.pictures(guarded(runs=runs))
    assert list(pictures) == ["cornell", "texas", "wisconsin"]
    frames = []
    for task, picture in pictures.items():
        marks = _marks(picture)
        places = {}
        for run in runs:
            if run["task"] == task:
                setting = " (noise 0.5)" if run["family"] == "mtcfir" else ""
                title = f"{run['family']}{setting} on raw, start {run['start'] + 1}"
                places[title] = (run["agree"], run["modularity"])
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


def test_few_marks_of_a_family_say_which_they_are(guarded):
    runs = _runs(("cornell", "texas", "wisconsin"), starts=3)
    for picture in evidence.pictures(guarded(runs=runs)).values():
        named = re.findall(r"<(?:use|path) [^>]*><title>([^ ]+)", picture)
        assert sorted(named) == sorted(3 * (*OWN, *JOINT))


def test_the_answer_stands_at_the_mean_over_families_or_where_its_single_run_does(guarded):
    study = guarded([{"agree_own": 0.5, "agree_joint": 0.68}, {}, {}])
    runs, found = study.model.evidence_[:9], evidence.families(study)
    panel = evidence.Panel("cornell", study.model.guard_[0], runs, found)
    assert panel.star == (pytest.approx((5 * 0.5 + 4 * 0.68) / 9), 0.61)
    alone = {**study.model.guard_[0], "agree_joint": float("nan")}
    own = [run for run in runs if not run["joint"]]
    assert evidence.Panel("cornell", alone, own, found).star == (0.5, 0.61)
    single = {**alone, "way": "single run"}
    runs = [{**run, "kept": place == 3} for place, run in enumerate(runs)]
    expected = runs[3]["agree"], runs[3]["modularity"]
    assert evidence.Panel("cornell", single, runs, found).star == expected


def test_many_runs_still_make_small_pictures_in_which_kept_runs_are_named(guarded):
    tasks = ("cornell", "texas", "wisconsin")
    few = guarded(runs=_runs(tasks, starts=38, families=("kmeans", "mec", "mtcfir")))
    for picture in evidence.pictures(few).values():
        assert len(_marks(picture)) == 114
        assert len(picture) < 40_000
    many = guarded(runs=_runs(tasks, starts=300, families=("kmeans", "mec", "mtcfir")))
    for picture in evidence.pictures(many).values():
        assert len(_marks(picture)) == 225
        assert picture.count("<use ") >= 900
        assert len(picture) < 130_000
