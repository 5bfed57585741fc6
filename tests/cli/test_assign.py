"""`kinfolk assign`: new rows into the clusters of a stored model."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import kinfolk as kf

NUMBERS = ["age", "orders", "returns"]


@pytest.fixture
def model(kinfolk, table, quick):
    """A model of customers by shop, fitted on scaled rows."""
    pd.read_csv(table).drop(columns="kind").to_csv(table, index=False)
    roles = ("--tasks", "shop", "--id", "customer")
    assert kinfolk("run", table, *roles, *quick, "--scale", "standard").code == 0
    return Path("kinfolk-report/model")


@pytest.fixture
def new(model, make_shops):
    """New customers, some between the two kinds, in another order of columns."""
    frame = make_shops(each=4).drop(columns="kind")
    frame[NUMBERS] += np.random.default_rng(3).normal(0, 9, (len(frame), 3)).round(2)
    frame = frame[["returns", "shop", "orders", "customer", "age"]]
    frame.to_csv("new.csv", index=False)
    return frame


def test_predictions_of_the_stored_model_are_those_before_storing(kinfolk, model, table):
    frame = pd.read_csv(table)
    X = frame[NUMBERS].to_numpy()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    fitted = kf.MTCFIR(2, n_init=1, random_state=0).fit(X, tasks=frame["shop"])
    assert kinfolk("assign", model, table, "--out", "found.csv").code == 0
    found = pd.read_csv("found.csv")
    np.testing.assert_array_equal(found["cluster"], fitted.predict(X, tasks=frame["shop"]))


def test_rows_one_by_one_are_assigned_as_rows_together(kinfolk, model, new):
    kinfolk("assign", model, "new.csv", "--out", "together.csv")
    lines = []
    for i in range(len(new)):
        new.iloc[[i]].to_csv("one.csv", index=False)
        said = kinfolk("assign", model, "one.csv")
        assert said.code == 0
        lines += said.out.splitlines()[1:]
    assert lines == Path("together.csv").read_text("utf-8").splitlines()[1:]


def test_standard_output_and_the_file_hold_the_same_csv(kinfolk, model, new):
    shown = kinfolk("assign", model, "new.csv")
    kept = kinfolk("assign", model, "new.csv", "--out", "found.csv")
    assert shown.out == Path("found.csv").read_text("utf-8")
    assert kept.out == ""
    first = shown.out.splitlines()[:2]
    assert first[0] == "row,task,cluster,matched_cluster,strength"
    assert first[1].startswith(f"{new['customer'][0]},north,")


def test_one_task_can_be_named_for_all_rows(kinfolk, model, new):
    part = new[new["shop"] == "south"]
    part.to_csv("part.csv", index=False)
    part.drop(columns="shop").to_csv("bare.csv", index=False)
    named = kinfolk("assign", model, "bare.csv", "--task", "south")
    assert named.code == 0
    assert named.out == kinfolk("assign", model, "part.csv").out


def test_columns_may_have_other_names_than_in_the_fitted_table(kinfolk, model, new):
    new.rename(columns={"shop": "branch", "customer": "who"}).to_csv("other.csv", index=False)
    renamed = kinfolk("assign", model, "other.csv", "--tasks", "branch", "--id", "who")
    assert renamed.out == kinfolk("assign", model, "new.csv").out


def test_texts_are_counted_by_the_stored_terms(kinfolk, quick):
    texts = ["football team goal", "team coach goal", "bank profit market", "market bank share"]
    for paper in ("guardian", "spiegel"):
        pd.DataFrame({"text": texts * 2}).to_csv(f"{paper}.csv", index=False)
    kinfolk("run", "guardian.csv", "spiegel.csv", "--text", "text", *quick, "--out", "out")
    fresh = pd.DataFrame({"text": ["goal for the unheard-of team", "share and profit"]})
    fresh.to_csv("fresh.csv", index=False)
    said = kinfolk("assign", "out/model", "fresh.csv", "--task", "guardian")
    assert said.code == 0
    learnt = pd.read_csv("out/labels.csv")["cluster"]
    found = [int(line.split(",")[2]) for line in said.out.splitlines()[1:]]
    assert found == [learnt[0], learnt[2]]


def test_the_rows_that_were_fitted_can_be_assigned_when_their_classes_are_known(
    kinfolk, table, roles, quick
):
    kinfolk("run", table, *roles, *quick)
    assert kinfolk("assign", "kinfolk-report/model", table).code == 0


def test_columns_of_words_that_the_model_does_not_use_are_ignored(kinfolk, model, new):
    plain = kinfolk("assign", model, "new.csv")
    new.assign(email="someone@example.org").to_csv("new.csv", index=False)
    said = kinfolk("assign", model, "new.csv")
    assert said.code == 0
    assert said.out == plain.out
    assert "email" in said.err


def test_a_task_named_for_all_rows_wins_over_the_column_of_tasks(kinfolk, model, new):
    said = kinfolk("assign", model, "new.csv", "--task", "south")
    assert said.code == 0
    assert {line.split(",")[1] for line in said.out.splitlines()[1:]} == {"south"}


def test_a_file_that_lacks_a_column_is_refused_next_to_one_that_has_it(kinfolk, model, new):
    new.drop(columns="age").assign(customer=lambda t: t["customer"] + "x").to_csv(
        "lacking.csv", index=False
    )
    assert kinfolk("assign", model, "lacking.csv").code == 2
    assert kinfolk("assign", model, "new.csv", "lacking.csv").code == 2


def test_naming_one_task_for_all_rows_is_not_complained_about(kinfolk, model, new):
    new.drop(columns="shop").to_csv("bare.csv", index=False)
    said = kinfolk("assign", model, "bare.csv", "--task", "north")
    assert said.code == 0
    assert "belong to one data set" not in said.err


@pytest.mark.parametrize(
    ("change", "options", "told"),
    [
        (lambda t: t.assign(shop="west"), (), "'west'"),
        (lambda t: t.drop(columns="age"), (), "'age'"),
        (lambda t: t.drop(columns="shop"), (), "'shop'"),
        (lambda t: t.assign(age=np.nan), (), "'age'"),
        (lambda t: t.drop(columns="shop"), ("--task", "west"), "'west'"),
        (lambda t: t, ("--text", "customer"), "customer"),
    ],
)
def test_unusable_new_rows_are_refused_in_a_sentence(change, options, told, kinfolk, model, new):
    change(new).to_csv("new.csv", index=False)
    said = kinfolk("assign", model, "new.csv", *options, "--out", "found.csv")
    assert said.code == 2
    assert told in said.err
    assert not Path("found.csv").exists()


@pytest.mark.parametrize("place", ["nowhere", "shops.csv", "."])
def test_a_place_without_a_model_is_refused(place, kinfolk, table):
    said = kinfolk("assign", place, table)
    assert said.code == 2
    assert "holds no model" in said.err
    assert len(said.err.splitlines()) == 1
