"""`kinfolk run`: the user's own tables in, labels, a model and a report out."""

import gzip
import json
import re
import shlex
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy
import scipy.sparse as sp
import sklearn

import kinfolk as kf
import laws
from kinfolk.models import storage

NUMBERS = ["age", "orders", "returns"]

pytestmark = pytest.mark.usefixtures("short_sweeps")

ONE_START = ("--method", "mtcfir", "--set", "n_init=1")


def labels(folder):
    return pd.read_csv(Path(folder) / "labels.csv", dtype={"row": str, "task": str})


def header(folder):
    return json.loads((Path(folder) / "model" / "model.json").read_text("utf-8"))


def arrays(frame):
    """Convert the table to the arrays of an .npz file."""
    return {
        "X": frame[NUMBERS].to_numpy(),
        "tasks": frame["shop"].to_numpy(str),
        "target": frame["kind"].to_numpy(str),
        "row_ids": frame["customer"].to_numpy(str),
        "feature_names": np.array(NUMBERS),
    }


@pytest.fixture(scope="module")
def finished(kinfolk, make_shops, roles, quick, tmp_path_factory):
    """Fixture: what a run on the table of `table` said, and the folder of its results.

    Tests read it and change nothing: it is one run for all of them.
    """
    folder = tmp_path_factory.mktemp("finished")
    make_shops().to_csv(folder / "shops.csv", index=False)
    said = kinfolk("run", folder / "shops.csv", *roles, *quick, "--out", folder / "out")
    assert said.code == 0, said.err
    return said, folder / "out"


def test_a_run_leaves_labels_a_model_and_a_report_and_nothing_else(finished):
    _, out = finished
    left = {str(p.relative_to(out)) for p in out.rglob("*") if p.is_file()}
    model = {"model/model.json", "model/arrays.safetensors"}
    assert left == {"labels.csv", "profiles.csv", "report.html", "run.json"} | model


def test_labels_hold_row_task_cluster_match_and_strength_in_the_order_of_the_rows(finished, table):
    found, given = labels(finished[1]), pd.read_csv(table)
    assert list(found) == ["row", "task", "cluster", "matched_cluster", "strength"]
    assert found["row"].tolist() == given["customer"].tolist()
    assert found["task"].tolist() == given["shop"].tolist()
    assert pd.crosstab(given["kind"], found["matched_cluster"]).astype(bool).sum(axis=1).max() == 1
    assert found["matched_cluster"].nunique() == 2
    assert found["strength"].between(0.9, 1).all()


def test_results_go_to_standard_output_and_messages_to_standard_error(finished):
    said, out = finished
    for words in ("Accuracy", "NMI", "alone", "pooled", "together", "Rows of each kind", "north"):
        assert words in said.out
        assert words not in said.err
    assert str(out / "report.html") in said.err


def test_without_true_classes_only_what_needs_none_is_shown(kinfolk, table, quick):
    pd.read_csv(table).drop(columns="kind").to_csv(table, index=False)
    said = kinfolk("run", table, "--tasks", "shop", "--id", "customer", *quick)
    assert said.code == 0
    assert "Accuracy" not in said.out
    assert "Silhouette" in said.out


@pytest.fixture
def help_of(table, make_shops):
    """Required options for methods of each relation, on `table`."""
    make_shops().assign(known=lambda t: t["kind"].where(t["shop"] == "north", "")).to_csv(
        table, index=False
    )
    kf.Knowledge([[70.0, 1.0, 8.0], [25.0, 9.0, 2.0]], [20.0, 20.0], NUMBERS).save("k.safetensors")
    return {
        "another site's centers": ("--knowledge", "k.safetensors"),
        "tasks with labels": ("--labels", "known"),
        "several views": ("--views", "who=age,what=[or]*"),
    }


@pytest.mark.parametrize("method", kf.catalogue.METHODS)
def test_every_method_of_the_catalogue_runs_is_stored_and_assigns(
    method, kinfolk, table, roles, help_of
):
    relation = kf.catalogue.method(method).relation.name
    options = (*roles, "--clusters", 2, "--method", method, *help_of.get(relation, ()))
    known = kf.catalogue.method(method).cls().get_params(deep=False)
    few = {"n_init": 1, "max_iter": laws.FEW, **laws.QUICK.get(method, {})}
    for name in few.keys() & known.keys():
        options += ("--set", f"{name}={json.dumps(few[name])}")
    if relation != "tasks with labels":
        pd.read_csv(table).drop(columns="known").to_csv(table, index=False)
    said = kinfolk("run", table, *options, "--out", "out")
    assert said.code == 0, said.err
    found = labels("out")
    assert len(found) == 24
    assert header("out")["method"] == method
    assert kf.load("out/model").method == method
    assert kinfolk("assign", "out/model", table, "--out", "again.csv").code == 0
    again = pd.read_csv("again.csv", dtype={"row": str})
    assert list(again) == list(found)
    assert again["row"].tolist() == found["row"].tolist()
    if method == "lssttc":
        assert again["class"].tolist() == pd.read_csv(table)["kind"].tolist()
        assert again["class"].equals(found["class"])


def test_workers_are_told_and_do_not_change_the_labels(kinfolk, table, roles):
    families = ("--clusters", 2, "--set", 'families=["mec", "kmeans"]')
    for name, jobs in (("one", ()), ("told", ("--jobs", 1))):
        assert kinfolk("run", table, *roles, *families, *jobs, "--out", name).code == 0
    assert kf.load("told/model").estimator.n_jobs == 1
    assert Path("one/labels.csv").read_bytes() == Path("told/labels.csv").read_bytes()


def test_without_a_method_many_are_asked_and_each_task_hears_what_sharing_changed(
    kinfolk, table, roles
):
    said = kinfolk("run", table, *roles, "--clusters", 2, "--budget", "0.001", "--out", "out")
    assert said.code == 0
    assert header("out")["method"] == "kinfolk"
    model = kf.load("out/model").estimator
    assert model.budget == 0.001
    for record in model.guard_:
        # What is the same for several tasks is said once, after all their names.
        assert any(
            record["task"] in line.partition(": ")[0] and line.endswith(f": {record['meaning']}")
            for line in said.out.splitlines()
        )
    note = next(line for line in said.err.splitlines() if "runs were not made" in line)
    assert note.endswith("the budget of 0.001 s was spent.")
    assert note in Path("out/report.html").read_text("utf-8")
    assert kinfolk("assign", "out/model", table, "--out", "again.csv").code == 0
    assert Path("again.csv").read_bytes() == Path("out/labels.csv").read_bytes()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--clusters", 2, "--budget", 9), "mtcfir takes no --budget: leave it out, or choose"),
        (("--clusters", "auto"), "mtcfir cannot find the number of clusters itself: give"),
    ],
)
def test_what_only_many_methods_take_is_refused_by_one(options, told, kinfolk, table, roles):
    said = kinfolk("run", table, *roles, "--method", "mtcfir", *options, "--out", "out")
    assert said.code == 2
    assert told in said.err
    assert "--method kinfolk" in said.err
    assert not Path("out").exists()


def test_help_that_a_method_cannot_use_is_refused(kinfolk, table, roles, quick):
    methods = {"--labels": "lssttc", "--views": "comvcf", "--knowledge": "kt-mec"}
    for option, able in methods.items():
        said = kinfolk("run", table, *roles, *quick, option, "age", "--out", "out")
        assert said.code == 2
        assert f"mtcfir takes no {option}" in said.err
        assert able in said.err
        assert not Path("out").exists()


@pytest.mark.parametrize(("method", "told"), [("kt-mec", "--knowledge"), ("lssttc", "--labels")])
def test_help_that_a_method_needs_is_asked_for(method, told, kinfolk, table, roles):
    said = kinfolk("run", table, *roles, "--clusters", 2, "--method", method, "--out", "out")
    assert said.code == 2
    assert told in said.err
    assert not Path("out").exists()


@pytest.fixture(scope="module")
def exported(kinfolk, make_shops, tmp_path_factory):
    """Fixture: file of the centers of a site with rows in tenfold units and reordered columns."""
    folder = tmp_path_factory.mktemp("west")
    site = make_shops(("west",), each=15)[["returns", "age", "orders"]] * 10
    site.to_csv(folder / "west.csv", index=False)
    options = ("--clusters", 2, "--method", "mec", "--scale", "standard", "--out", folder / "out")
    assert kinfolk("run", folder / "west.csv", *options).code == 0
    file = folder / "west.safetensors"
    assert kinfolk("knowledge", "export", folder / "out" / "model", "--out", file).code == 0
    return file


@pytest.fixture
def told(exported, table):
    """Fixture: the centers of `exported`, whose file is at hand."""
    shutil.copy(exported, "west.safetensors")
    return kf.Knowledge.load("west.safetensors")


def test_centers_of_another_site_meet_rows_on_its_scale(told, kinfolk, table, roles):
    options = ("--method", "kt-mec", "--knowledge", "west.safetensors", "--clusters", 2)
    assert kinfolk("run", table, *roles, *options, "--out", "out").code == 0
    estimator = kf.load("out/model").estimator
    known = told.aligned(NUMBERS)
    assert estimator.estimator.knowledge == known
    frame = pd.read_csv(table)
    rows = known.scaled(frame[NUMBERS].to_numpy())
    by_hand = kf.PerTask(kf.KTMEC(knowledge=known, random_state=0), 2).fit(rows, tasks=frame.shop)
    np.testing.assert_array_equal(labels("out")["cluster"], by_hand.labels_)
    page = Path("out/report.html").read_text("utf-8")
    assert "2 centers of 3 columns, scaling standard" in page
    assert preparation("out")["scale"] == "standard"
    frame.drop(columns="kind").to_csv("new.csv", index=False)
    assert kinfolk("assign", "out/model", "new.csv", "--out", "new-labels.csv").code == 0
    assert Path("new-labels.csv").read_bytes() == Path("out/labels.csv").read_bytes()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--scale", "unit"), "--scale is 'unit' and the rows behind west.safetensors were scaled"),
        (("--knowledge", "shops.csv"), "no knowledge of Kinfolk"),
        (("--knowledge", "nowhere"), "cannot be read"),
        (("--set", "own_share=2"), "own_share is 2"),
        (("--id", "age"), "lacks 'age'"),
        (("--set", "knowledge=1"), "say this by --knowledge"),
    ],
)
def test_knowledge_that_does_not_fit_is_refused(options, sentence, told, kinfolk, table):
    names = ("--tasks", "shop", "--target", "kind", "--id", "customer")
    base = ("--method", "kt-mec", "--knowledge", "west.safetensors", "--clusters", 2)
    if "--id" in options:
        pd.read_csv(table).drop(columns="customer").to_csv(table, index=False)
    said = kinfolk("run", table, *names, *base, *options, "--out", "out")
    assert said.code == 2
    assert sentence in said.err
    assert not Path("out").exists()


def test_terms_of_another_site_are_counted_here(kinfolk, papers):
    options = ("--clusters", 2, "--scale", "unit")
    kinfolk("run", papers[0], *papers[2:], *options, "--method", "mec", "--out", "site")
    exported = kinfolk("knowledge", "export", "site/model", "--minimum", 5, "--out", "k")
    assert exported.code == 0
    options = ("--clusters", 2, "--method", "kt-mec", "--knowledge", "k")
    weighed = kinfolk("run", papers[1], *papers[2:], *options, "--weighting", "tfidf")
    assert "leave --weighting out" in weighed.err
    assert kinfolk("run", papers[1], *papers[2:], *options, "--out", "out").code == 0
    assert preparation("out")["feature_names"] == preparation("site")["feature_names"]
    found = labels("out")
    topics = found["row"].str.rstrip("0123456789")
    assert (pd.crosstab(topics, found["cluster"]) > 0).sum().tolist() == [1, 1]


@pytest.fixture
def sides(table, make_shops):
    """Fixture: two files that are views of the same customers, in different orders."""
    frame = make_shops()
    frame[["customer", "shop", "kind", "age"]].to_csv("who.csv", index=False)
    frame[["customer", "orders", "returns"]].iloc[::-1].to_csv("what.csv", index=False)
    return ("who.csv", "what.csv", "--views", "files", "--method", "comvcf")


def test_files_that_are_views_are_joined_by_the_ids_of_rows(kinfolk, sides, roles, quick, table):
    assert kinfolk("run", *roles, *quick, *sides, "--out", "out").code == 0
    frame = pd.read_csv(table)
    views = {"who": slice(0, 1), "what": slice(1, 3)}
    by_hand = kf.PerTask(kf.CoMVCF(views=views, n_init=1, random_state=0), 2)
    by_hand.fit(frame[NUMBERS].to_numpy(), tasks=frame["shop"])
    found = labels("out")
    assert found["row"].tolist() == frame["customer"].tolist()
    for shop, rows in frame.groupby("shop").indices.items():
        assert kf.measures.accuracy(found["cluster"].iloc[rows], by_hand.labels_[rows]) == 1.0, shop
    assert kf.load("out/model").estimator.estimator.views == views
    page = Path("out/report.html").read_text("utf-8")
    assert "who: 1 to 1, what: 2 to 3" in page
    assert "view who" in page


def test_new_rows_are_assigned_from_files_that_are_views(kinfolk, sides, roles, quick):
    kinfolk("run", *roles, *quick, *sides, "--out", "out")
    together = kinfolk("assign", "out/model", "who.csv", "what.csv")
    assert together.code == 0, together.err
    who, what = pd.read_csv("who.csv"), pd.read_csv("what.csv")
    who.merge(what, on="customer").to_csv("whole.csv", index=False)
    assert kinfolk("assign", "out/model", "whole.csv").out == together.out


def test_a_named_data_set_takes_no_views(kinfolk):
    options = ("--clusters", 10, "--method", "comvcf", "--views", "files")
    assert "takes no --views" in kinfolk("run", "digits-two-sources", *options).err


def test_the_only_task_of_a_model_needs_no_name(kinfolk, make_shops, quick):
    make_shops(("north",))[NUMBERS].to_csv("north.csv", index=False)
    kinfolk("run", "north.csv", *quick, "--method", "mec", "--out", "out")
    make_shops(("north",))[NUMBERS].to_csv("new.csv", index=False)
    assert kinfolk("assign", "out/model", "new.csv", "--out", "new-labels.csv").code == 0
    assert pd.read_csv("new-labels.csv")["task"].unique().tolist() == ["north"]


def test_the_same_seed_writes_the_same_labels(kinfolk, table, roles, quick):
    for name in ("first", "second"):
        kinfolk("run", table, *roles, *quick, "--seed", 7, "--out", name)
    assert Path("first/labels.csv").read_bytes() == Path("second/labels.csv").read_bytes()
    assert (
        Path("first/model/model.json").read_bytes() == Path("second/model/model.json").read_bytes()
    )


def test_the_seed_is_that_of_the_method(kinfolk, table, roles, quick):
    kinfolk("run", table, *roles, *quick, "--seed", 5, "--out", "out")
    assert kf.load("out/model").estimator.random_state == 5


def written(frame, name):
    """Write the table in the format that the name asks for."""
    if name.endswith(".gz"):
        inner = name.removesuffix(".gz")
        written(frame, inner)
        Path(name).write_bytes(gzip.compress(Path(inner).read_bytes()))
    elif name.endswith((".csv", ".tsv")):
        frame.to_csv(name, index=False, sep="," if name.endswith(".csv") else "\t")
    elif name.endswith((".jsonl", ".ndjson")):
        frame.to_json(name, orient="records", lines=True)
    elif name.endswith(".parquet"):
        frame.to_parquet(name)
    else:
        np.savez(name, **arrays(frame))


@pytest.mark.parametrize(
    "name",
    ["t.tsv", "t.jsonl", "t.ndjson", "t.parquet", "t.csv.gz", "t.tsv.gz", "t.jsonl.gz", "t.npz"],
)
def test_the_same_table_in_another_format_gets_the_same_labels(
    name, kinfolk, finished, roles, quick, make_shops
):
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    written(make_shops(), name)
    named = () if name.endswith(".npz") else roles
    assert kinfolk("run", name, *named, *quick, "--out", "other").code == 0
    of_csv = finished[1] / "labels.csv"
    assert of_csv.read_bytes() == Path("other/labels.csv").read_bytes()


def test_sparse_files_a_task_each_get_the_labels_of_the_dense_ones(kinfolk, quick, make_shops):
    for kind in ("sparse", "dense"):
        Path(kind).mkdir()
    for shop, part in make_shops().groupby("shop"):
        X = part[NUMBERS].to_numpy()
        np.savez(f"dense/{shop}.npz", X=X)
        sp.save_npz(f"sparse/{shop}.npz", sp.csr_array(X))
    for kind in ("sparse", "dense"):
        files = (f"{kind}/north.npz", f"{kind}/south.npz")
        assert kinfolk("run", *files, *quick, "--out", f"out-{kind}").code == 0
    assert Path("out-dense/labels.csv").read_bytes() == Path("out-sparse/labels.csv").read_bytes()


def test_several_files_are_a_task_each_by_their_names(kinfolk, quick, make_shops):
    for shop, part in make_shops(("bergen", "oslo")).groupby("shop"):
        part[["customer", *NUMBERS]].to_csv(f"{shop}.csv", index=False)
    kinfolk("run", "bergen.csv", "oslo.csv", "--id", "customer", *quick, "--out", "out")
    assert labels("out")["task"].unique().tolist() == ["bergen", "oslo"]


def test_a_named_data_set_needs_no_file(kinfolk):
    said = kinfolk(
        *("run", "digits-two-sources", "--clusters", 10, "--method", "kmeans"),
        *("--set", "n_init=1", "--quiet", "--out", "out"),
    )
    assert said.code == 0
    assert len(labels("out")) == 600


def test_tasks_may_have_different_numbers_of_clusters(kinfolk, table, roles):
    pairs = ("--clusters", "north=2,south=3")
    said = kinfolk("run", table, *roles, *pairs, *ONE_START, "--out", "out")
    assert said.code == 0
    assert kf.load("out/model").estimator.n_clusters_.tolist() == [2, 3]
    page = Path("out/report.html").read_text("utf-8")
    assert "same number of clusters in every task" in page  # why pooled could not run
    assert "No scores of pooled: Pooled needs the same number of clusters" in said.out


def test_pairs_may_also_be_given_one_by_one(kinfolk, table, roles):
    for given in ("3,north=2", "north=2, 3"):
        said = kinfolk("run", table, *roles, *ONE_START, "--clusters", given, "--out", "o")
        assert said.code == 0
        assert kf.load("o/model").estimator.n_clusters_.tolist() == [2, 3]
    pairs = ("--clusters", "north=2", "--clusters", "south = 3")
    assert kinfolk("run", table, *roles, *pairs, *ONE_START, "--out", "out").code == 0
    assert kf.load("out/model").estimator.n_clusters_.tolist() == [2, 3]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("north=2", "no entry for 'south'"),
        ("north=2,south=2,west=2", "names 'west'"),
        ("north=2,south=two", "'two'"),
        ("north=2,south=", "--clusters has ''"),
        ("2.5", "'2.5'"),
        ("", "--clusters has ''"),
        ("0", "at least 1"),
        ("-1", "at least 1"),
        ("13", "only 12 rows"),
        ("north=2,south=13", "'south' has only 12 rows"),
        ("north=2,south=2,south=3", "twice"),
        ("2,3", "a number for all data sets twice"),
        ("2,=3", "without a name"),
        ("2,est=3", "est"),
    ],
)
def test_an_unusable_number_of_clusters_is_refused(given, told, kinfolk, table, roles):
    said = kinfolk("run", table, *roles, "--clusters", given, "--out", "out")
    assert said.code == 2
    assert told in said.err
    assert said.out == ""
    assert not Path("out").exists()


def test_a_task_name_with_a_comma_can_have_a_number_of_its_own(kinfolk, roles, make_shops):
    make_shops(("Bergen, NO", "a=b")).to_csv("shops.csv", index=False)
    said = kinfolk(
        *("run", "shops.csv", *roles, "--clusters", "Bergen, NO=2", "--clusters", "a=b=3"),
        *(*ONE_START, "--out", "out"),
    )
    assert said.code == 0
    assert kf.load("out/model").estimator.n_clusters_.tolist() == [2, 3]


TEXTS = {
    "sport": "football team coach season league player",
    "money": "market bank shares profit investor trade",
}


@pytest.fixture
def papers(at_home):
    """Fixture: two newspapers as JSON lines, with six articles on each of two topics."""
    rng = np.random.default_rng(1)
    for paper in ("guardian", "spiegel"):
        lines = [
            {"file": f"{topic}{i}", "text": "The " + " ".join(rng.choice(words.split(), 9))}
            for topic, words in TEXTS.items()
            for i in range(6)
        ]
        Path(f"{paper}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return ("guardian.jsonl", "spiegel.jsonl", "--text", "text", "--id", "file")


def preparation(folder):
    return header(folder)["preparation"]


def test_a_text_column_becomes_counts_of_terms_without_stop_words(kinfolk, papers, quick):
    assert kinfolk("run", *papers, *quick, "--out", "out").code == 0
    assert preparation("out")["feature_names"] == sorted(" ".join(TEXTS.values()).split())
    found = labels("out")
    topics = found["row"].str.rstrip("0123456789")
    assert (pd.crosstab(topics, found["matched_cluster"]) > 0).sum().tolist() == [1, 1]


def test_stop_words_can_be_kept(kinfolk, papers, quick):
    kinfolk("run", *papers, *quick, "--stop-words", "none", "--out", "out")
    assert "the" in preparation("out")["feature_names"]


@pytest.mark.parametrize("content", ["", "\n \n"])
def test_a_file_without_stop_words_is_refused(kinfolk, papers, quick, content):
    Path("mine.txt").write_text(content)
    said = kinfolk("run", *papers, *quick, "--stop-words", "mine.txt")
    assert said.code == 2
    assert "--stop-words is 'mine.txt', a file without a word" in said.err


def test_a_file_of_stop_words_that_is_not_there_is_named(kinfolk, papers, quick):
    said = kinfolk("run", *papers, *quick, "--stop-words", "mine.txt")
    assert said.code == 2
    assert "--stop-words is 'mine.txt', and there is no such file" in said.err
    assert "english, none, smart" in said.err or "english, smart, none" in said.err


def test_the_terms_kept_are_those_in_most_documents(kinfolk, papers, quick):
    options = ("--stop-words", "none", "--terms", 1, "--method", "kmeans")
    kinfolk("run", *papers, "--clusters", 1, *options, "--out", "out")
    assert preparation("out")["feature_names"] == ["the"]


def test_no_limit_of_terms_keeps_all(kinfolk, papers, quick):
    kinfolk("run", *papers, *quick, "--terms", 0, "--out", "out")
    assert preparation("out")["n_terms"] is None
    assert len(preparation("out")["feature_names"]) == 12


def test_terms_can_be_weighed_by_rarity(kinfolk, papers, quick):
    kinfolk("run", *papers, *quick, "--weighting", "tfidf", "--out", "out")
    assert preparation("out")["text_weighting"] == "tfidf"
    lines = [line for paper in papers[:2] for line in Path(paper).read_text("utf-8").splitlines()]
    texts = [json.loads(line)["text"] for line in lines]
    holding = sum("football" in text for text in texts)
    learnt = storage.load("out/model").preparation.to_state()[1]["idf"]
    position = preparation("out")["feature_names"].index("football")
    assert learnt[position] == pytest.approx(np.log((1 + len(texts)) / (1 + holding)) + 1)


@pytest.fixture
def different(at_home, make_shops):
    """Fixture: two files that share two of four columns."""
    for (shop, part), lacking in zip(make_shops().groupby("shop"), ("age", "orders"), strict=True):
        part[NUMBERS].assign(visits=3.0).drop(columns=lacking).to_csv(f"{shop}.csv", index=False)
    return ("north.csv", "south.csv")


def test_different_columns_are_refused_by_default(kinfolk, different, quick):
    said = kinfolk("run", *different, *quick, "--out", "out")
    assert said.code == 2
    assert "'age'" in said.err
    assert "intersect" in said.err
    assert not Path("out").exists()


@pytest.mark.parametrize(
    ("columns", "names"),
    [("intersect", ["returns", "visits"]), ("union", ["orders", "returns", "visits", "age"])],
)
def test_different_columns_are_aligned_as_asked(columns, names, kinfolk, different, quick):
    assert kinfolk("run", *different, *quick, "--columns", columns, "--out", "out").code == 0
    assert preparation("out")["feature_names"] == names
    assert "2 of 4 columns" in Path("out/report.html").read_text("utf-8")


@pytest.mark.parametrize("columns", ["intersect", "union"])
def test_the_overlap_of_columns_is_always_told(columns, kinfolk, different, quick):
    said = kinfolk("run", *different, *quick, "--columns", columns, "--out", "out")
    assert "2 of 4 columns are shared" in said.err


@pytest.mark.parametrize("scale", ["none", "unit", "standard"])
def test_the_scale_is_a_recorded_choice(scale, kinfolk, table, roles, quick):
    kinfolk("run", table, *roles, *quick, "--scale", scale, "--out", "out")
    assert preparation("out")["scale"] == scale
    X = pd.read_csv(table)[NUMBERS].to_numpy()
    scaled = {
        "none": X,
        "unit": X / np.linalg.norm(X, axis=1, keepdims=True),
        "standard": (X - X.mean(axis=0)) / X.std(axis=0),
    }[scale]
    by_hand = kf.MTCFIR(2, n_init=1, random_state=0).fit(scaled, tasks=pd.read_csv(table)["shop"])
    np.testing.assert_array_equal(labels("out")["cluster"], by_hand.labels_)
    assert f"<td>{scale}</td>" in Path("out/report.html").read_text("utf-8")


def test_a_parameter_set_by_hand_is_the_estimators(kinfolk, table, roles, quick):
    settings = ("--set", "noise=0.5", "--set", "affinity=cosine", "--set", "weigh_tasks=False")
    assert kinfolk("run", table, *roles, *quick, *settings, "--out", "out").code == 0
    estimator = kf.load("out/model").estimator
    assert (estimator.noise, estimator.affinity, estimator.weigh_tasks) == (0.5, "cosine", False)


def test_the_report_holds_settings_version_seed_and_command(
    kinfolk, table, roles, quick, monkeypatch
):
    arguments = ["run", "shops.csv", *roles, *map(str, quick), "--seed", "31", "--out", "an out"]
    monkeypatch.setattr("sys.argv", ["kinfolk", *arguments])
    kinfolk(*arguments)
    page = Path("an out/report.html").read_text("utf-8")
    for shown in (shlex.quote("an out").replace("'", "&#39;"), "kinfolk run shops.csv", "31"):
        assert shown in page
    for name, value in kf.load("an out/model").estimator.get_params().items():
        assert name in page
        assert str(value) in page
    assert kf.__version__ in page
    for library in (np, scipy, sklearn):
        assert library.__version__ in page


def test_the_command_in_the_report_is_what_was_run(kinfolk, table, roles, quick, monkeypatch):
    monkeypatch.setattr("sys.argv", ["something-else"])
    kinfolk("run", "shops.csv", *roles, *quick, "--out", "out")
    assert "kinfolk run shops.csv" in Path("out/report.html").read_text("utf-8")


def test_a_later_run_replaces_the_results_of_an_earlier_one(kinfolk, table, roles, quick):
    kinfolk("run", table, *roles, *quick, "--out", "out")
    kinfolk("run", table, *roles, "--clusters", 3, *ONE_START, "--out", "out")
    assert kf.load("out/model").estimator.n_clusters_.tolist() == [3, 3]
    assert labels("out")["cluster"].max() == 2
    left = ["labels.csv", "model", "profiles.csv", "report.html", "run.json"]
    assert sorted(p.name for p in Path("out").iterdir()) == left


def test_the_model_of_a_run_keeps_names_preparation_parameters_and_version(
    kinfolk, table, roles, quick
):
    kinfolk("run", table, *roles, *quick, "--scale", "unit", "--out", "out")
    kept = header("out")
    assert kept["kinfolk"] == kf.__version__
    assert kept["schema"] == storage.LAYOUT.latest == 4
    assert len(kept["sha256"]) == 64
    assert kept["preparation"]["feature_names"] == NUMBERS
    assert kept["preparation"]["scale"] == "unit"
    assert kept["estimator"]["attributes"]["n_clusters"] == 2
    assert kept["roles"]["tasks"] == "shop"


def test_the_labels_of_a_run_are_those_of_the_estimator_in_python(finished, table):
    frame = pd.read_csv(table)
    by_hand = kf.MTCFIR(2, n_init=1, random_state=0).fit(
        frame[NUMBERS].to_numpy(), tasks=frame.shop
    )
    found = labels(finished[1])
    np.testing.assert_array_equal(found["cluster"], by_hand.labels_)
    np.testing.assert_array_equal(found["matched_cluster"], by_hand.matched_labels_)


def test_without_a_method_files_that_are_views_are_joined(kinfolk, sides, roles):
    who, what, *views = sides[:4]
    options = (*views, *roles, "--clusters", 2, "--set", 'families=["kmeans"]', "--out", "out")
    said = kinfolk("run", who, what, *options)
    assert said.code == 0
    assert "the two views have by themselves agree by" in " ".join(said.out.split())
    assert re.search("^north( and south)?: ", said.out, re.MULTILINE)
    model = kf.load("out/model").estimator
    assert model.view_names_.tolist() == ["who", "what"]
    assert "What each view says" in Path("out/report.html").read_text("utf-8")
    assert kinfolk("assign", "out/model", who, what).code == 0


def test_rows_that_a_file_of_a_view_lacks_are_kept_and_assigned(kinfolk, sides, roles):
    pd.read_csv("what.csv").iloc[2:].to_csv("what.csv", index=False)
    options = ("--clusters", 2, "--set", 'families=["kmeans"]', "--out", "out")
    strict = kinfolk("run", *sides[:4], *roles, *options)
    assert strict.code == 2
    assert "--missing-views" in strict.err
    said = kinfolk("run", *sides[:4], *roles, *options, "--missing-views", "keep")
    assert said.code == 0, said.err
    assert "Rows that lack a view: what 2 of 24." in " ".join(said.err.split() + said.out.split())
    assert len(labels("out")) == 24
    assigned = kinfolk("assign", "out/model", *sides[:2])
    assert assigned.code == 0, assigned.err


def test_a_method_of_views_gets_rows_that_a_file_lacks(kinfolk, sides, roles):
    pd.read_csv("what.csv").iloc[2:].to_csv("what.csv", index=False)
    options = (*sides[:4], *roles, "--clusters", 2, "--out", "out", "--missing-views", "keep")
    said = kinfolk("run", *options, "--method", "cofkm")
    assert said.code == 0, said.err
    assert "Rows that lack a view: what 2 of 24." in " ".join(said.err.split() + said.out.split())
    assert len(labels("out")) == 24
    assert kinfolk("assign", "out/model", *sides[:2]).code == 0
    refused = kinfolk("run", *options, "--method", "plcmf", "--overwrite")
    assert refused.code == 2
    assert "PLCMF needs every view of every row" in " ".join(refused.err.split())


@pytest.mark.parametrize("method", ["kmeans", "mtcfir"])
def test_rows_of_one_data_set_are_told_once_and_before_the_fit(kinfolk, tmp_path, method):
    X = np.random.default_rng(0).normal(size=(40, 2)).round(3)
    lines = [f"{a},{b}" for a, b in X.tolist()]
    (tmp_path / "shops.csv").write_text("\n".join(["x,y", *lines]), encoding="utf-8")
    options = ("--clusters", 2, "--method", method, "--out", tmp_path / "out")
    said = kinfolk("run", tmp_path / "shops.csv", *options)
    assert said.err.count("one data set, 'shops': name the column that says which data set") == 1


def test_columns_of_numbers_that_may_be_something_else_are_told(kinfolk, tmp_path):
    values = np.random.default_rng(0).normal(size=20).round(3).tolist()
    lines = [f"{place},{value}" for place, value in enumerate(values, start=1)]
    (tmp_path / "visits.csv").write_text("\n".join(["visit,temp", *lines]), encoding="utf-8")
    said = kinfolk(
        "run",
        tmp_path / "visits.csv",
        "--clusters",
        2,
        "--method",
        "kmeans",
        "--out",
        tmp_path / "out",
    )
    assert "Both columns are numbers without gaps" in said.err
    assert "leave it out with --ignore visit." in said.err
