"""Columns with several answers in a cell become one question with a 0/1 column per answer."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import kinfolk as kf
from kinfolk.errors import InputError
from kinfolk.preparation import Preparation
from kinfolk.sources import read
from kinfolk.tables import answers, columns

N = 80
ANSWERS = ("email", "phone", "post", "shop")


def ticked(n=N, answers=ANSWERS, share=0.45, seed=0):
    """Answers of n people, of whom some gave none."""
    marks = np.random.default_rng(seed).random((n, len(answers))) < share
    return [[answer for answer, own in zip(answers, row, strict=True) if own] for row in marks]


def survey(mark="; ", **options):
    ages = np.random.default_rng(1).integers(20, 70, N)
    contact = [mark.join(cell) or None for cell in ticked(**options)]
    return pd.DataFrame({"site": ["a", "b"] * (N // 2), "age": ages, "contact": contact})


def described(cells):
    (column,) = kf.describe({"x": cells}).columns
    return column


@pytest.mark.parametrize("mark", ["; ", ";", ",", ", ", "|", " | ", "\n"])
def test_cells_whose_parts_come_again_have_several_answers(mark):
    found = described([mark.join(cell) for cell in ticked()])
    assert (found.kind, found.treatment) == (columns.SEVERAL, "a 0/1 column per answer")
    assert found.reason.startswith("4 different answers with ")


def test_a_mark_at_the_end_of_each_cell_is_no_answer():
    found = described(["".join(f"{answer};" for answer in cell) for cell in ticked()])
    assert found.reason.startswith("4 different answers")


def test_an_answer_that_comes_twice_in_a_cell_counts_once():
    cells = ticked()
    twice = [[*cell, *cell[:1]] if i % 4 == 0 else cell for i, cell in enumerate(cells)]
    found = described(["; ".join(cell) for cell in twice])
    once = described(["; ".join(cell) for cell in cells])
    assert (found.kind, found.reason) == (columns.SEVERAL, once.reason)
    assert answers.of_column(found) == answers.of_column(once)


def test_codes_of_answers_that_rise_in_each_cell_are_answers_and_not_decimals():
    codes = [",".join(cell) for cell in ticked(answers=("1", "2", "3", "4", "11"))]
    assert described(codes).kind == columns.SEVERAL
    assert described(["1,5", "2,5", "1,2", "3"] * 20).kind == columns.NUMBER


@pytest.mark.parametrize(
    "cells",
    {
        "names": [f"{a}, {b}" for a in ("Doe", "Lee", "Kim", "Roe") for b in ("Jo", "Al", "Mo")]
        * 5,
        "addresses": [f"{i} Main Street, Springfield, IL" for i in range(60)],
        "places": ["Rome, Italy", "Oslo, Norway", "Bergen, Norway", "Italy", "Norway"] * 12,
        "decimal commas": ["1,5", "2,25", "3,1", "12,75", "8"] * 12,
        "thousands": ["1,200", "12,500", "1,000,000", "900"] * 15,
        "dates": [f"May {1 + i % 28}, 20{10 + i % 9}" for i in range(60)],
        "days": [f"{1 + i % 28}.{1 + i % 12}.2024; 10:00" for i in range(60)],
        "genotypes": ["A|A", "A|G", "G|A", "G|G"] * 15,
        "genotypes with gaps": ["A|A", "A|G", "G|A", "G|G", "", "A|A"] * 15,
        "scores": ["3|2", "1|0", "2|2", "0|3", "1|1"] * 12,
        "texts": [f"I like it, but the {w} is late, so I left" for w in map(str, range(60))],
        "sorts": [f"{a}, {b}" for a in ("red", "blue", "tan") for b in ("S-size", "L-size")] * 10,
        "places on a map": [f"{48 + i / 100:.2f}, {11 - i / 10:.1f}" for i in range(60)],
        "yes with a remark": ["yes", "yes, a bit", "no", "no, never", "perhaps"] * 12,
    }.items(),
    ids=lambda pair: pair[0],
)
def test_names_addresses_numbers_dates_and_texts_are_no_answers(cells):
    found = kf.describe({"x": cells[1]}).columns
    assert all(column.kind != columns.SEVERAL for column in found)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_columns_of_lists_have_several_answers(library):
    lists = {"age": list(range(N)), "contact": ticked()}
    found = kf.describe(library(lists)).columns[1]
    words = kf.describe({"contact": [";".join(cell) or None for cell in ticked()]}).columns[0]
    assert (found.kind, found.values.tolist()) == (words.kind, words.values.tolist())


def test_lists_whose_words_hardly_recur_are_texts_and_vectors_are_refused():
    assert described([[f"w{i}", f"v{i}"] for i in range(N)]).kind == columns.TEXT
    codes = [[i % 3, 3 + i % 5] for i in range(N)]
    assert described(codes).kind == described([[0.5, i / 7] for i in range(N)]).kind == "unclear"
    (asked,) = kf.describe({"x": codes}, kinds={"x": "several"}).columns
    assert asked.values[4] == "1;7"


def test_a_question_is_one_column_of_numbers_for_each_answer():
    data = read(survey(), tasks="site").data
    preparation = Preparation()
    X = preparation.fit_transform(data)
    assert preparation.feature_names == ("age", *(f"contact: {answer}" for answer in ANSWERS))
    given = np.array([[answer in cell for answer in ANSWERS] for cell in ticked()])
    there = given.any(axis=1)
    assert np.array_equal(X[there, 1:] > 0, given[there])


def test_each_answer_counts_as_a_column_of_yes_and_no():
    frame = survey().dropna(subset="contact")
    given = [[part.strip() for part in cell.split(";")] for cell in frame.contact]
    split = frame.drop(columns="contact")
    for answer in ANSWERS:
        split[answer] = ["yes" if answer in cell else "no" for cell in given]
    prepared = [Preparation().fit_transform(read(f, tasks="site").data) for f in (frame, split)]
    np.testing.assert_allclose(*prepared)


def test_sets_with_gaps_and_numbers_are_answers_where_the_user_says_so():
    few = {"x": [{"email", None}, {"phone", 7}, {"email"}] * 4}
    (found,) = kf.describe(few, kinds={"x": "several"}).columns
    assert found.reason.startswith("as you said, 3 different answers")


def test_what_a_column_is_taken_for_can_be_changed_either_way():
    frame = survey(mark=", ")
    kinds = {"contact": "category"}
    assert read(frame, tasks="site", kinds=kinds).data.columns[1].kind == columns.CATEGORY
    few = pd.DataFrame({"x": ["Doe, Jane", "Doe, Jo", "Jo"] * 4})
    (found,) = kf.describe(few, kinds={"x": "several"}).columns
    assert found.reason.startswith("as you said, 3 different answers with ',' between them")
    with pytest.raises(InputError, match="choose one of .*'several'"):
        kf.describe(few, kinds={"x": "list"})


def test_gaps_take_the_answers_that_most_rows_of_their_data_set_have():
    cells = ["a;b", "a;c", "a;b;c", "a", "b;c", None] * 5
    data = read(pd.DataFrame({"site": "s", "q": cells}), tasks="site").data
    X = Preparation().fit_transform(data)
    full = Preparation().fit_transform(data)[2]
    np.testing.assert_array_equal(X[5], full)  # a 4, b 3, c 3 of 5 rows


def test_a_data_set_without_the_question_stands_at_the_middle_of_the_others():
    frame = survey()
    frame.loc[frame.site == "b", "contact"] = None
    X = Preparation().fit_transform(read(frame, tasks="site").data)
    without = X[(frame.site == "b").to_numpy(), 1:]
    having = X[(frame.site == "a").to_numpy() & frame.contact.notna().to_numpy(), 1:]
    np.testing.assert_allclose(without, np.tile(having.mean(axis=0), (len(without), 1)))


def test_new_rows_are_prepared_as_the_old_ones_and_unknown_answers_are_told():
    frame = survey()
    preparation = Preparation()
    X = preparation.fit_transform(read(frame, tasks="site").data)
    stored = Preparation.from_state(*preparation.to_state())
    new = frame.iloc[:6].copy()
    same = stored.transform(read(new, tasks="site", kinds=stored.kinds).data)
    np.testing.assert_allclose(same, X[:6])
    new.loc[0, "contact"] += "; fax"
    with_fax = stored.transform(read(new, tasks="site", kinds=stored.kinds).data)
    np.testing.assert_allclose(with_fax, X[:6])
    assert stored.notes == [
        "Values that the model does not know and leaves out: contact 'fax' (1 row)."
    ]


def test_a_state_with_a_damaged_question_is_refused():
    settings, arrays = Preparation().to_state.__func__(_fitted())
    settings["columns"]["recipes"][1][2] = []
    with pytest.raises(kf.errors.FileFormatError, match="not sound|has recipes"):
        Preparation.from_state(settings, arrays)


def _fitted():
    preparation = Preparation()
    preparation.fit_transform(read(survey(), tasks="site").data)
    return preparation


def test_rare_answers_are_joined_and_it_is_told():
    cells = ticked(n=300)
    for i in (3, 77, 140):
        cells[i] = [*cells[i], f"other: {i}"]
    frame = pd.DataFrame({"site": "a", "q": [";".join(cell) or None for cell in cells]})
    data = read(frame, tasks="site").data
    assert "all but the 4 most frequent are joined as 'other'" in data.columns[0].reason
    preparation = Preparation()
    X = preparation.fit_transform(data)
    assert preparation.feature_names[-1] == "q: other"
    assert np.flatnonzero(X[:, -1] > 0).tolist() == [3, 77, 140]
    assert any("Rare values are joined as 'other' in 'q'" in note for note in preparation.notes)


def test_a_model_reads_new_rows_by_the_mark_of_the_fit(tmp_path):
    frame = survey(mark=", ")
    path = tmp_path / "survey.csv"
    frame.to_csv(path, index=False)
    model = kf.compare(
        read(path, tasks="site"), n_clusters=2, method="kmeans", random_state=0
    ).model
    assert model.written == {"contact": "with ',' between answers"}
    tables = [frame.iloc[:1], frame.iloc[:1].assign(contact=[frame.contact[0].split(", ")])]
    first, second = (
        model.read([table], {"tasks": "site"}).data.columns[1].values.tolist() for table in tables
    )
    assert [cell.replace(", ", ",") for cell in first] == second


def test_profiles_have_the_share_of_rows_with_each_answer():
    data = read(survey(), tasks="site").data
    kinds = np.arange(N) % 4 // 2
    found = kf.profile(data, kinds)
    (question,) = (column for column in found.columns if column.name == "contact")
    assert set(question.values) == set(ANSWERS)
    place = question.values.index("email")
    has = np.array(["email" in cell for cell in ticked()])
    gave = np.array([bool(cell) for cell in ticked()])
    own = kinds == 0
    assert question.average(0, value=place) == pytest.approx(has[own].sum() / gave[own].sum())
    labels = [difference.label for difference in found.differences(0, least=0.0)]
    assert "contact: email" in labels


@pytest.mark.parametrize("suffix", [".parquet", ".jsonl"])
def test_files_may_have_columns_of_lists(tmp_path, suffix):
    frame = pd.DataFrame({"site": ["a", "b"] * (N // 2), "contact": ticked()})
    path = tmp_path / f"survey{suffix}"
    if suffix == ".parquet":
        frame.to_parquet(path)
    else:
        frame.to_json(path, orient="records", lines=True)
    (column,) = read(path, tasks="site").data.columns
    words = [";".join(cell) or None for cell in ticked()]
    assert (column.kind, column.values.tolist()) == (columns.SEVERAL, words)
