"""`kinfolk run` and `assign` on tables with words, dates, gaps and ids."""

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import kinfolk as kf
from kinfolk.measures import accuracy

QUICK = ("--clusters", "2", "--method", "kmeans", "--quiet")


@pytest.fixture
def mixed(make_shops):
    """Fixture: a table of customers with a row number, a category, a date and gaps."""
    frame = make_shops(each=8).drop(columns="customer")
    frame.insert(0, "no", np.arange(500, 500 + len(frame)))
    frame["plan"] = np.where(frame["kind"] == "young", "basic", "pro")
    frame["since"] = [f"{day}.{month}.2024" for day in range(1, 9) for month in range(1, 5)]
    frame.loc[[0, 9], "age"] = np.nan
    frame.loc[3, "plan"] = None
    frame.to_csv("mixed.csv", index=False)
    return frame


def test_a_table_with_words_dates_gaps_and_ids_needs_no_preparation(kinfolk, mixed):
    done = kinfolk("run", "mixed.csv", "--tasks", "shop", "--target", "kind", *QUICK)
    assert done.code == 0
    first = done.err.splitlines()
    assert first[0].split() == ["column", "taken", "for", "because", "gaps", "what", "is", "done"]
    assert first[1].startswith("no       identifier")
    assert "Columns left out: no (identifier), since (date)." in done.err
    assert "'no' names the rows: with `--id no` so does labels.csv." in done.err
    assert "age 2, plan 1" in done.err
    found = pd.read_csv("kinfolk-report/labels.csv")
    for _, rows in found.groupby("task"):
        kinds = mixed["kind"][rows["row"] - 1]
        assert pd.crosstab(rows["cluster"].to_numpy(), kinds.to_numpy()).gt(0).sum().sum() == 2


@pytest.mark.parametrize(("other", "advised"), [("id", True), ("key", False)])
def test_names_of_rows_are_advised_as_the_files_of_all_views_call_them(kinfolk, other, advised):
    rows = [f"p{i}" for i in range(12)]
    pd.DataFrame({"id": rows, "x": np.arange(12) % 2 * 9.0}).to_csv("a.csv", index=False)
    pd.DataFrame({other: rows, "y": np.arange(12) % 2 * 9.0}).to_csv("b.csv", index=False)
    views = ("--views", "files", "--method", "joined-kmeans", "--clusters", "2")
    done = kinfolk("run", "a.csv", "b.csv", *views)
    assert done.code == 0
    assert ("names the rows: with `--id id` so does labels.csv." in done.err) == advised
    assert "--id 'a: id'" not in done.err


def test_new_rows_with_gaps_and_new_words_are_prepared_as_the_old_ones(kinfolk, mixed):
    assert kinfolk("run", "mixed.csv", "--tasks", "shop", *QUICK, "--ignore", "kind").code == 0
    new = mixed.drop(columns=["kind", "since", "no"]).iloc[:6]
    new.to_csv("new.csv", index=False)
    done = kinfolk("assign", "kinfolk-report/model", "new.csv", "--out", "found.csv")
    assert done.code == 0
    before = pd.read_csv("kinfolk-report/labels.csv")["cluster"][:6]
    assert pd.read_csv("found.csv")["cluster"].tolist() == before.tolist()
    new.assign(plan="gold").to_csv("gold.csv", index=False)
    assert kinfolk("assign", "kinfolk-report/model", "gold.csv").code == 0


def test_columns_that_new_rows_lack_are_named(kinfolk, mixed):
    assert kinfolk("run", "mixed.csv", "--tasks", "shop", *QUICK, "--ignore", "kind").code == 0
    mixed.drop(columns="plan").to_csv("new.csv", index=False)
    refused = kinfolk("assign", "kinfolk-report/model", "new.csv")
    assert refused.code != 0
    assert "columns that the model was fitted on ('plan'): add them" in refused.err


def test_new_rows_are_read_in_the_notation_of_the_fit(kinfolk):
    sizes = ["1.200,50", "1.210,00", "3,50", "4,00"] * 2
    head = "shop;size;age\n"
    rows = "".join(f"s;{size};{30 + i % 4}\n" for i, size in enumerate(sizes))
    Path("fit.csv").write_text(head + rows)
    assert kinfolk("run", "fit.csv", "--tasks", "shop", *QUICK).code == 0
    Path("new.csv").write_text(head + "s;1.200;30\ns;3;32\n")
    new = kinfolk("assign", "kinfolk-report/model", "new.csv")
    found = pd.read_csv("kinfolk-report/labels.csv")["cluster"]
    assert pd.read_csv(io.StringIO(new.out))["cluster"].tolist() == found[[0, 2]].tolist()


def test_a_new_task_is_prepared_by_its_own_rows(kinfolk, mixed):
    assert kinfolk("run", "mixed.csv", "--tasks", "shop", *QUICK, "--ignore", "kind").code == 0
    other = mixed[mixed["shop"] == "north"].drop(columns="kind").assign(shop="east")
    other["age"] = other["age"] * 365 + 1000
    other.to_csv("east.csv", index=False)
    done = kinfolk("assign", "kinfolk-report/model", "east.csv", "--new-task", "--out", "f.csv")
    assert done.code == 0
    before = pd.read_csv("kinfolk-report/labels.csv")
    pairs = zip(pd.read_csv("f.csv")["cluster"], before["cluster"][before["task"] == "north"])
    assert len(set(pairs)) == 2


def test_columns_are_chosen_and_named_by_options(kinfolk, mixed):
    options = ("--only", "age,plan,orders", "--as", "orders=category", "--missing", "drop")
    done = kinfolk("run", "mixed.csv", "--tasks", "shop", *QUICK, *options)
    assert done.code == 0
    lines = {line.split()[0]: line for line in done.err.splitlines()[1:4]}
    assert set(lines) == {"age", "plan", "orders"}
    assert "category   as you said" in lines["orders"]
    assert "3 of 32 rows have gaps and are left out." in done.err


def test_gaps_can_be_refused(kinfolk, mixed):
    # Here each kind has a plan of its own: beside one the other says nothing, and has no gaps.
    chosen = ("--tasks", "shop", "--ignore", "kind", "--missing", "error")
    done = kinfolk("run", "mixed.csv", *chosen, *QUICK)
    assert done.code == 2
    assert "gaps in 'age' 2, 'plan' 1, the first in data row 1" in done.err


def test_a_missing_task_column_is_asked_for(kinfolk, mixed):
    done = kinfolk("run", "mixed.csv", *QUICK)
    assert "which data set a row is from (--tasks)" in done.err


def test_suggest_takes_the_same_options(kinfolk, mixed):
    done = kinfolk(
        "suggest", "mixed.csv", "--tasks", "shop", "--ignore", "kind", "--at-most", "3", "--quiet"
    )
    assert done.code == 0


def test_knowledge_of_a_mixed_table_is_refused_with_advice(kinfolk, mixed):
    quick = ("--clusters", "2", "--method", "mec", "--quiet", "--ignore", "kind")
    assert kinfolk("run", "mixed.csv", "--tasks", "shop", *quick).code == 0
    told = kinfolk("knowledge", "export", "kinfolk-report/model", "--task", "north", "--out", "k")
    assert told.code == 2
    assert "column by column" in told.err


@pytest.fixture
def clear_in_numbers(at_home):
    """Fixture: three groups in two shops, clear in three numbers, with noise categories."""
    rng = np.random.default_rng(0)
    group = np.arange(90) % 3
    frame = pd.DataFrame(group[:, None] * [4.0, -4.0, 4.0] + rng.normal(size=(90, 3)))
    frame.columns = ["age", "orders", "returns"]
    for name in ("color", "street", "door"):
        frame[name] = rng.choice([f"{name} {i}" for i in range(8)], 90)
    frame = frame.assign(shop=np.repeat(["north", "south"], 45), group=group)
    frame.to_csv("clear.csv", index=False)
    return frame


def test_rare_values_do_not_hide_groups_that_numbers_show(kinfolk, clear_in_numbers):
    options = ("--clusters", "3", "--set", 'families=["kmeans", "mec"]', "--quiet")
    told = ("--tasks", "shop", "--target", "group")
    done = kinfolk("run", "clear.csv", *told, *options)
    assert done.code == 0, done.err
    stored = kf.load("kinfolk-report/model")
    assert stored.estimator.columns_are_scaled
    y = clear_in_numbers["group"].to_numpy()
    assert accuracy(y, stored.estimator.matched_labels_) > 0.95
    # Each column of variance 1 again, as it was before: the rarest values outweigh the numbers.
    data = kf.read("clear.csv", tasks="shop", target="group").data
    again = clone(stored.estimator).set_params(columns_are_scaled=False)
    again.fit(stored.preparation.transform(data), tasks=data.tasks)
    assert accuracy(y, again.matched_labels_) <= 0.9
    page = Path("kinfolk-report/report.html").read_text("utf-8")
    assert "taken for category" in page
    assert "color, street, door" in page


@pytest.mark.parametrize("method", ["symnmf", "mtcfir", "ncut"])
def test_methods_by_name_take_prepared_columns_for_measurements(kinfolk, clear_in_numbers, method):
    quick = ("--clusters", "3", "--method", method, "--set", "n_init=1", "--quiet")
    options = ("--tasks", "shop", "--ignore", "group", *quick)
    assert kinfolk("run", "clear.csv", *options).code == 0
    estimator = kf.load("kinfolk-report/model").estimator
    estimator = estimator if method == "mtcfir" else estimator.estimators_[0]
    # By the numbers alone, of which 85 % are zeros, the rows are like words.
    assert estimator.affinity == "measurements"
    assert estimator.affinity_ == ("local-neighbors" if method == "symnmf" else "local-gaussian")
    assert kinfolk("run", "clear.csv", *options, "--set", "affinity=cosine").code == 0
    estimator = kf.load("kinfolk-report/model").estimator
    assert getattr(estimator, "estimators_", [estimator])[0].affinity_ == "cosine"


def test_a_number_for_all_but_some_holds_for_tasks_that_come_later(kinfolk, mixed):
    quick = ("--clusters", "3,north=2", *QUICK[2:])
    assert kinfolk("run", "mixed.csv", "--tasks", "shop", *quick, "--ignore", "kind").code == 0
    other = mixed[mixed["shop"] == "north"].drop(columns="kind").assign(shop="east")
    other.to_csv("east.csv", index=False)
    done = kinfolk("assign", "kinfolk-report/model", "east.csv", "--new-task", "--out", "f.csv")
    assert done.code == 0, done.err
    assert pd.read_csv("f.csv")["cluster"].nunique() == 3


def test_several_answers_in_a_cell_are_told_clustered_assigned_and_profiled(kinfolk, mixed):
    young = (mixed["kind"] == "young").to_numpy()
    twice = np.arange(len(mixed)) % 3 == 0
    first = np.where(young, "email", "phone")
    second = np.where(young, "chat", "letter")
    mixed["contact"] = np.where(twice, [f"{a}; {b}" for a, b in zip(first, second)], first)
    mixed.loc[1, "contact"] = "chat; shop"
    mixed.loc[2, "contact"] = "letter; shop"
    mixed.to_csv("mixed.csv", index=False)
    done = kinfolk("run", "mixed.csv", "--tasks", "shop", "--ignore", "kind,plan", *QUICK)
    assert done.code == 0
    (told,) = (line for line in done.err.splitlines() if line.startswith("contact "))
    assert "several answers" in told
    assert told.endswith("a 0/1 column per answer")
    found = pd.read_csv("kinfolk-report/profiles.csv")
    shares = found[(found["column"] == "contact") & (found["task"] == "all data sets")]
    every = shares[shares["name"] == "all kinds"].set_index("value")["share"]
    assert every["email"] == pytest.approx(mixed["contact"].str.contains("email").mean(), abs=1e-4)
    assert "contact: email" in Path("kinfolk-report/report.html").read_text(encoding="utf-8")
    new = mixed.drop(columns=["kind", "since", "no", "plan"]).iloc[:6].copy()
    new.loc[0, "contact"] += "; fax"
    new.to_csv("new.csv", index=False)
    assigned = kinfolk("assign", "kinfolk-report/model", "new.csv", "--out", "found.csv")
    assert "does not know and leaves out: contact 'fax' (1 row)." in assigned.err
    before = pd.read_csv("kinfolk-report/labels.csv")["cluster"][:6]
    assert pd.read_csv("found.csv")["cluster"].tolist() == before.tolist()


@pytest.mark.parametrize("tasks", [["--tasks", "shop"], []])
def test_data_sets_of_one_cluster_each_are_not_shown_as_kinds_that_differ(kinfolk, mixed, tasks):
    done = kinfolk("run", "mixed.csv", *tasks, "--clusters", "1", "--method", "kmeans", "--quiet")
    assert done.code == 0
    what = "Each of the 2 data sets is one cluster of all its rows" if tasks else "are one cluster"
    assert what in done.out
    assert "ask for 2 or more (--clusters 2)" in done.out
    assert "Silhouette" not in done.out
    assert what in Path("kinfolk-report/report.html").read_text(encoding="utf-8")


def test_a_named_column_names_the_rows_rather_than_the_row_numbers_of_pandas(kinfolk, mixed):
    frame = mixed.assign(member=[f"M{i:03d}" for i in mixed["no"]]).drop(columns="no")
    frame.insert(0, "Unnamed: 0", range(len(frame)))
    frame.to_csv("mixed.csv", index=False)
    said = kinfolk("run", "mixed.csv", "--tasks", "shop", *QUICK).err
    assert "'member' names the rows: with `--id member` so does labels.csv." in said
    frame.drop(columns="member").to_csv("mixed.csv", index=False)
    said = kinfolk("run", "mixed.csv", "--tasks", "shop", "--out", "again", *QUICK).err
    assert "'Unnamed: 0' names the rows" in said
