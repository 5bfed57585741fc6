"""`kinfolk assign`: new rows into the clusters of a stored model."""

import os
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import kinfolk as kf

NUMBERS = ["age", "orders", "returns"]


@pytest.fixture(scope="module")
def results(kinfolk, make_shops, quick, tmp_path_factory):
    """Fixture: folder with a table of customers by shop and the results of a run on its rows."""
    folder = tmp_path_factory.mktemp("results")
    make_shops().drop(columns="kind").to_csv(folder / "shops.csv", index=False)
    roles = ("--tasks", "shop", "--id", "customer", "--scale", "standard")
    out = ("--out", folder / "kinfolk-report")
    assert kinfolk("run", folder / "shops.csv", *roles, *quick, *out).code == 0
    return folder


@pytest.fixture
def model(results, table):
    """Fixture: a saved model of customers by shop, fitted on scaled rows; its own copy."""
    shutil.copytree(results, os.curdir, dirs_exist_ok=True)
    return Path("kinfolk-report/model")


@pytest.fixture
def new(model, make_shops):
    """Fixture: new customers, some between the two kinds, columns in another order."""
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


@pytest.fixture
def late(make_shops):
    """Fixture: customers of a new shop, of the known kinds and one more."""
    frame = make_shops(("west",)).drop(columns="kind")
    more = frame.iloc[:6].assign(customer=lambda t: t["customer"] + "x")
    more[NUMBERS] = more[NUMBERS] * [1, 0, 0] + [0, 40, 60]
    frame = pd.concat([frame, more], ignore_index=True)
    frame.to_csv("west.csv", index=False)
    return frame


def test_a_task_that_is_not_known_needs_a_word_and_the_refusal_says_which(kinfolk, model, late):
    said = kinfolk("assign", model, "west.csv")
    assert said.code == 2
    assert "(--new-task)" in said.err
    assert "add_task" not in said.err


def test_a_new_task_is_clustered_and_gets_the_numbers_of_the_kinds(kinfolk, model, late, new):
    late.iloc[:12].to_csv("west.csv", index=False)
    everything = pd.concat([late.iloc[:12], new], ignore_index=True)
    order = np.random.default_rng(0).permutation(len(everything))
    everything.iloc[order].to_csv("mixed.csv", index=False)
    said = kinfolk("assign", model, "mixed.csv", "--new-task")
    assert said.code == 0
    lines = said.out.splitlines()
    old = [line for line in lines if ",west," not in line]
    known = kinfolk("assign", model, "new.csv").out.splitlines()
    assert sorted(old) == sorted(known)
    before = pd.read_csv("kinfolk-report/labels.csv").query("task == 'north'")
    kind = dict(zip(before["row"], before["matched_cluster"], strict=True))
    west = [line.split(",") for line in lines if ",west," in line]
    assert {row: int(matched) for row, _, _, matched, _ in west} == kind
    assert "of west" not in said.err


def test_a_cluster_without_clear_counterpart_is_told(kinfolk, model, late):
    said = kinfolk("assign", model, "west.csv", "--new-task", "--clusters", 3, "--keep", "grown")
    told = [line for line in said.err.splitlines() if line.startswith("Cluster ")]
    model = kf.load("grown").estimator
    records = model.counterparts_
    mine = {}
    for record in records:
        if record["task"] == "west":
            mine.setdefault(record["cluster"], []).extend(record["other_clusters"])
    alone = [cluster for cluster, others in mine.items() if not others]
    assert alone
    kinds = model.matched_clusters_.tolist()
    for cluster, line in zip(alone, told, strict=True):
        kind = kinds[model.clusters_.index(("west", cluster))]
        # A number that others have too is not "no counterpart": labels.csv shows it.
        shared = kinds.count(kind) > 1
        said = f"is of kind {kind} with doubt" if shared else "has no counterpart"
        assert line.startswith(f"Cluster {cluster} of west {said}")


def test_the_grown_model_is_kept_and_knows_the_new_task(kinfolk, model, late):
    before = (model / "model.json").read_bytes()
    found = kinfolk("assign", model, "west.csv", "--new-task", "--keep", "grown")
    assert found.code == 0
    assert (model / "model.json").read_bytes() == before
    assert kinfolk("assign", "grown", "west.csv").out == found.out
    over = kinfolk("assign", model, "west.csv", "--new-task", "--keep", model)
    assert over.code == 0
    assert kinfolk("assign", model, "west.csv").out == found.out


def test_only_tasks_that_are_new_this_time_are_told_of(kinfolk, model, late, make_shops):
    three = ("--new-task", "--clusters", 3)
    assert "of west has" in kinfolk("assign", model, "west.csv", *three, "--keep", "grown").err
    east = make_shops(("east",)).drop(columns="kind")
    pd.concat([late, east], ignore_index=True).to_csv("more.csv", index=False)
    said = kinfolk("assign", "grown", "more.csv", *three)
    assert said.code == 0
    assert ",east," in said.out
    assert "of west has" not in said.err


def test_a_new_task_without_clusters_is_told(kinfolk, table):
    roles = ("--tasks", "shop", "--id", "customer", "--target", "kind", "--clusters", 2)
    kinfolk("run", table, *roles, "--set", 'families=["kmeans"]', "--quiet", "--out", "out")
    noise = pd.DataFrame(np.random.default_rng(0).normal(30, 3, (40, 3)), columns=NUMBERS)
    noise.assign(shop="west", customer=range(40)).to_csv("west.csv", index=False)
    said = kinfolk("assign", "out/model", "west.csv", "--new-task")
    assert said.code == 0
    assert "No clusters found in west" in said.err


def test_several_new_tasks_in_one_table_have_numbers_of_their_own(kinfolk, model, make_shops):
    make_shops(("east", "west")).drop(columns="kind").to_csv("more.csv", index=False)
    pairs = ("--clusters", "east=2,west=3")
    assert kinfolk("assign", model, "more.csv", "--new-task", *pairs, "--keep", "grown").code == 0
    grown = kf.load("grown").estimator
    assert grown.task_names_.tolist() == ["north", "south", "east", "west"]
    assert grown.n_clusters_.tolist() == [2, 2, 2, 3]


def test_a_file_can_be_a_new_task_by_its_name_or_by_another(kinfolk, quick, make_shops):
    for shop in ("north", "south", "west"):
        frame = make_shops((shop,))[["customer", *NUMBERS]]
        frame.to_csv(f"{shop}.csv", index=False)
    kinfolk("run", "north.csv", "south.csv", "--id", "customer", *quick, "--out", "out")
    west = kinfolk("assign", "out/model", "west.csv", "--new-task")
    other = kinfolk("assign", "out/model", "west.csv", "--new-task", "--task", "new shop")
    assert (west.code, other.code) == (0, 0)
    assert west.out == other.out.replace(",new shop,", ",west,")
    kinfolk("run", "north.csv", "--id", "customer", *quick, "--out", "one")
    assert kinfolk("assign", "one/model", "west.csv", "--new-task").out.count(",west,") == 12


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--clusters", 2), "--clusters and --keep"),
        (("--keep", "grown"), "--clusters and --keep"),
        (("--new-task", "--task", "north"), "knows every task"),
        (("--new-task", "--clusters", 99), "99"),
        (("--new-task", "--clusters", "east=2"), "'west'"),
        (("--new-task", "--clusters", "auto"), "'auto'"),
        (("--new-task", "--keep", "notes"), "no model"),
        (("--new-task", "--keep", "west.csv"), "west.csv"),
    ],
)
def test_a_new_task_that_cannot_be_is_refused_in_a_sentence(options, told, kinfolk, model, late):
    Path("notes").mkdir()
    Path("notes/letter.txt").write_text("dear", "utf-8")
    said = kinfolk("assign", model, "west.csv", *options, "--out", "found.csv")
    assert said.code == 2
    assert told in said.err
    assert len(said.err.splitlines()) == 1
    assert not Path("found.csv").exists()
    assert not Path("grown").exists()
    assert Path("notes/letter.txt").exists()


def test_a_model_with_a_number_for_each_task_must_be_told_one(kinfolk, model, table, late):
    shop = ("--tasks", "shop", "--id", "customer", "--method", "mtcfir", "--set", "n_init=1")
    kinfolk("run", table, *shop, "--clusters", "north=2,south=3", "--out", "out")
    said = kinfolk("assign", "out/model", "west.csv", "--new-task")
    assert said.code == 2
    assert "--clusters" in said.err
    assert kinfolk("assign", "out/model", "west.csv", "--new-task", "--clusters", 2).code == 0


def test_a_model_of_known_classes_takes_no_new_task(kinfolk, table, late):
    learnt = ("--method", "lssttc", "--labels", "kind", "--clusters", 2, "--out", "out")
    frame = pd.read_csv(table)
    frame.loc[frame["shop"] == "south", "kind"] = ""
    frame.to_csv(table, index=False)
    assert kinfolk("run", table, "--tasks", "shop", "--id", "customer", *learnt).code == 0
    said = kinfolk("assign", "out/model", "west.csv", "--new-task")
    assert said.code == 2
    assert "lssttc takes no new task" in said.err
