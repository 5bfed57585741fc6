"""What each kind is like, in the user's units: a table of columns and kinds, and a card a kind."""

import dataclasses
import re

import numpy as np
import pandas as pd
import pytest
from tests.report import studies

import kinfolk as kf
from kinfolk.report import kind_profiles, page
from kinfolk.report.content import read

EVIL = "<b>&"


@pytest.fixture(scope="module")
def customers():
    """Make a study of two kinds of customers in three countries."""
    rng = np.random.default_rng(0)
    rich = np.tile([False, False, True], 24)
    frame = pd.DataFrame(
        {
            "income": np.where(rich, 90_000, 30_000) + 100 * rng.integers(0, 40, 72),
            "plan": np.where(rich, "pro", rng.choice(["free", "basic"], 72)),
            "smokes": rng.choice(["yes", "no"], 72),
        }
    )
    frame.loc[3, "income"] = np.nan
    tasks = np.repeat(["DE", "FR", "PT"], 24)
    return kf.compare(frame, tasks=tasks, n_clusters=2, method="kmeans").study, frame, tasks, rich


def test_means_and_shares_are_those_of_the_rows_as_they_were_read(customers):
    study, frame, tasks, rich = customers
    shown = {line.label: line for line in kind_profiles.table(read(study))}
    assert list(shown) == [*sorted(shown, key=lambda label: label == "smokes")]  # tells least
    for place, mine in enumerate((~rich, rich)):
        assert shown["income"].cells[place].text == f"{frame.income[mine].mean():,.0f}"
        assert shown["plan = pro"].cells[place].text == f"{100 * mine[rich].mean():.0f} %"
        assert shown["smokes"].cells[place].text == (
            f"{100 * (frame.smokes[mine] == 'yes').mean():.0f} %"
        )
    assert shown["income"].everything.text == f"{frame.income.mean():,.0f}"
    assert [cell.mark for cell in shown["income"].cells] == ["▼", "▲"]
    assert [cell.mark for cell in shown["smokes"].cells] == ["", ""]


def test_a_card_has_what_sets_its_kind_apart_and_the_same_in_each_data_set(customers):
    study, frame, tasks, rich = customers
    _, card = kind_profiles.cards(read(study))
    assert (card.size.rows, card.size.kind) == (24, 1)
    said = {t.label: f"{t.mark} {t.here}, {t.others}" for t in card.traits}
    here, others = re.fullmatch(r"▲ (.*) on average, others (.*)", said["income"]).groups()
    assert here == f"{frame.income[rich].mean():,.0f}"
    # Others are weighted by data set, and one of their incomes is missing.
    beside = frame.income[~rich].mean()
    assert float(others.replace(",", "")) == pytest.approx(beside, rel=0.01)
    assert said["plan = pro"] == "▲ 100 % of rows, others 0 %"
    assert "smokes" not in said
    by_task = {label: texts for label, _, texts in card.by_task}
    means = [frame.income[rich & (tasks == task)].mean() for task in ("DE", "FR", "PT")]
    assert by_task["income"] == [f"{mean:,.0f}" for mean in means]


def test_a_sentence_on_each_kind_has_one_value_of_each_column(customers):
    study, frame, _, rich = customers
    ordinary, pro = kind_profiles.sentences(read(study))
    assert re.match(r"kind 0: (income|plan = )", ordinary)
    assert f"income {frame.income[rich].mean():,.0f} (others " in pro
    assert "plan = pro 100 % (others 0 %)" in pro
    for sentence in (ordinary, pro):
        assert [sentence.count(name) for name in ("income", "plan")] == [1, 1]


def test_a_sentence_on_a_kind_of_texts_has_its_words_and_of_pictures_there_is_none(make_study):
    page = read(make_study())
    first = kind_profiles.sentences(page)[0]
    frequent = {t.label for t in kind_profiles.cards(page)[0].traits if t.mark == "▲"}
    assert set(first.removeprefix("kind 0: ").split(", ")) <= frequent
    assert kind_profiles.sentences(read(make_study(looks="pixels"))) == []


def test_typical_rows_have_their_own_values(customers):
    study, frame, tasks, rich = customers
    for card in kind_profiles.cards(read(study)):
        assert len(card.typical) == 3
        for row in card.typical:
            mine = frame.iloc[int(row.name) - 1]
            values = dict(zip(card.columns, row.values))
            assert values["plan"] == mine["plan"]
            assert values["income"] == f"{mine['income']:,.0f}"
            assert row.task == tasks[int(row.name) - 1]


def test_a_category_of_two_values_has_one_line_and_one_trait():
    frame = pd.DataFrame(
        {"x": [1.5, 1.7, 9.2, 9.9] * 3, "plan": ["free", "free", "pro", "pro"] * 3}
    )
    study = kf.compare(frame, n_clusters=2, method="kmeans").study
    found = read(study)
    assert {line.label for line in kind_profiles.table(found)} == {"x", "plan = free"}
    for card in kind_profiles.cards(found):
        (plan,) = (t for t in card.traits if t.label.startswith("plan"))
        assert (plan.mark, plan.here, plan.others) == ("▲", "100 % of rows", "others 0 %")
    assert card.by_task == []


def test_terms_have_shares_of_rows_and_typical_texts_are_cut_and_escaped(make_study, no_pictures):
    study = make_study("terms")
    long = f"{EVIL} " + "lecture " * 200
    data = dataclasses.replace(study.data, texts=(long,) * len(study.data))
    study = dataclasses.replace(study, data=data)
    found = read(study)
    assert kind_profiles.table(found) == []
    card = kind_profiles.cards(found)[0]
    assert {"lecture", "homework", "course"} <= {trait.label for trait in card.traits}
    assert all(len(row.text) <= kind_profiles.LETTERS for row in card.typical)
    html = page.render(study)
    assert f"<blockquote>{'&lt;b&gt;&amp; lecture'}" in html


def test_pixels_have_a_picture_for_each_cluster_and_no_table(make_study):
    found = read(make_study("pixels"))
    assert kind_profiles.table(found) == []
    for card in kind_profiles.cards(found):
        assert [task for task, _, _ in card.pictures] == [
            cluster.task for cluster in found.groups[card.size.kind]
        ]
        assert card.traits == []


def test_names_of_kinds_stand_where_their_numbers_would(make_study, no_pictures):
    study = dataclasses.replace(make_study("numbers"), names={0: f"families {EVIL}"})
    html = page.render(study)
    assert "families &lt;b&gt;&amp;" in html
    assert EVIL not in html
    assert html.count("families &lt;b&gt;&amp;") >= 4  # first sentence, sizes, profiles, matches
    assert "Kind 0" not in html


def test_a_kind_without_rows_has_no_card(make_study):
    study = make_study("numbers")
    model = study.model
    model.matched_labels_ = np.where(model.matched_labels_ == 4, 0, model.matched_labels_)
    model.labels_ = np.where(
        (study.data.tasks == "wisconsin") & (model.labels_ == 3), 0, model.labels_
    )
    assert [card.size.kind for card in kind_profiles.cards(read(study))] == [0, 1, 2, 3]


def test_lines_beyond_the_first_are_shown_on_request(make_study, no_pictures, monkeypatch):
    monkeypatch.setattr(kind_profiles, "SHOWN", 7)
    assert "<summary>3 more lines</summary>" in page.render(make_study("numbers"))
    monkeypatch.setattr(kind_profiles, "SHOWN", 10)
    assert "more lines</summary>" not in page.render(make_study("numbers"))


@pytest.mark.parametrize("relation", list(studies.FITS))
def test_every_relation_has_a_card_for_each_kind(fit_study, relation):
    found = read(fit_study(relation))
    assert [card.size.kind for card in kind_profiles.cards(found)] == list(found.groups)


def test_typical_rows_have_the_words_and_headings_the_units_of_the_table():
    frame = pd.DataFrame(
        {
            "width": ["1,5 cm", "1,7 cm", "9,2 cm", "9,9 cm"] * 3,
            "family": ["ja", "ja", "nein", "nein"] * 3,
        }
    )
    found = read(kf.compare(frame, n_clusters=2, method="kmeans").study)
    assert {line.label for line in kind_profiles.table(found)} == {"width (cm)", "family = ja"}
    words = {
        dict(zip(card.columns, row.values, strict=True))["family"]
        for card in kind_profiles.cards(found)
        for row in card.typical
    }
    assert words == {"ja", "nein"}
    assert "width (cm)" in kind_profiles.cards(found)[0].columns


def test_means_over_data_sets_whose_units_may_differ_are_nowhere_on_the_page():
    rng = np.random.default_rng(0)
    tasks = np.repeat(["north", "south", "west"], 40)
    kinds = np.tile([0, 1], 60)
    frame = pd.DataFrame(
        {"glucose": rng.normal(100 + 80 * kinds, 6), "bmi": rng.normal(22 + 9 * kinds, 1)}
    )
    frame.loc[tasks == "west", "glucose"] /= 18
    study = kf.compare(frame, tasks=tasks, n_clusters=2, method="kmeans").study
    found = read(study)
    (line,) = [one for one in kind_profiles.table(found) if one.label == "glucose"]
    assert [cell.text for cell in line.cells] == ["+2.0 SD", "−2.0 SD"]
    assert [cell.spread for cell in line.cells] == ["", ""]
    assert line.everything.text == "–"
    assert (
        "glucose 2.0 standard deviations above the others of each data set"
        in kind_profiles.sentences(found)[0]
    )
    card = kind_profiles.cards(found)[0]
    (trait,) = [trait for trait in card.traits if trait.label == "glucose"]
    assert (trait.here, trait.others) == (
        "2.0 standard deviations above the others",
        "within data sets",
    )
    (_, everything, means) = next(one for one in card.by_task if one[0] == "glucose")
    assert everything == "–"
    assert [float(mean) for mean in means] == pytest.approx([180, 180, 10], rel=0.02)
    text = re.sub(r"<[^>]+>", "", page.render(study))
    assert "Units of glucose may differ between data sets, so there is no mean over them" in text


def test_values_of_a_large_category_that_tell_no_kinds_apart_come_last():
    rng = np.random.default_rng(0)
    rich = np.tile([False, True], 200)
    frame = pd.DataFrame(
        {
            "income": rng.normal(20 + 40 * rich, 5),
            "postcode": np.where(
                rich & (rng.random(400) < 0.5), "Z0", rng.choice(list("ABCDEFGH"), 400)
            ),
            "built": rng.normal(1960, 30, 400),
        }
    )
    study = kf.compare(frame, n_clusters=2, method="kmeans").study
    labels = [line.label for line in kind_profiles.table(read(study))]
    assert labels[:2] == ["income", "postcode = Z0"]
    # Some of the others are rarer where half have Z0.
    assert labels.index("built") < len(labels) - 1
    effects = {
        f"{c.name} = {value}": np.abs(c.effects[:, v]).max()
        for c in study.profiles.columns
        for v, value in enumerate(c.values)
    }
    behind = labels[labels.index("built") + 1 :]
    assert behind
    assert all(effects[label] < 0.2 for label in behind)
    assert all(effects.get(label, 1) >= 0.2 for label in labels[: labels.index("built")])
