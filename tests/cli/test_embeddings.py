"""`kinfolk run --embeddings`: vectors are clustered, texts beside them describe the kinds."""

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

QUICK = ("--clusters", 2, "--method", "kmeans", "--quiet")


@pytest.fixture
def posts(at_home):
    """Fixture: posts of two forums on two topics, with vectors that separate the topics."""
    rng = np.random.default_rng(0)
    cat = np.arange(24) % 2 == 0
    vectors = np.where(cat[:, None], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]) + rng.normal(
        0, 0.05, (24, 3)
    )
    frame = pd.DataFrame(
        {
            "forum": np.repeat(["here", "there"], 12),
            "body": np.where(cat, "whiskers purring kitten", "harbour sailing vessel"),
            "likes": rng.integers(0, 9, 24),
            "vector": vectors.tolist(),
        }
    )
    frame.to_parquet("posts.parquet")
    frame.drop(columns="vector").to_csv("posts.csv", index=False)
    np.save("vectors.npy", vectors)
    return cat


def labels(folder="out"):
    return pd.read_csv(Path(folder) / "labels.csv")


def test_a_column_and_a_file_of_vectors_give_the_same_labels(kinfolk, posts):
    shared = ("--tasks", "forum", *QUICK)
    by_column = kinfolk("run", "posts.parquet", "--embeddings", "vector", *shared, "--out", "one")
    by_file = kinfolk("run", "posts.csv", "--embeddings", "vectors.npy", *shared, "--out", "two")
    assert by_column.code == by_file.code == 0, by_file.err
    pd.testing.assert_frame_equal(labels("one"), labels("two"))
    assert pd.crosstab(posts, labels("one")["matched_cluster"]).astype(bool).sum().sum() == 2


def test_texts_describe_the_kinds_of_vectors_in_report_and_profiles(kinfolk, posts):
    said = kinfolk(
        *("run", "posts.parquet", "--embeddings", "vector", "--text", "body"),
        *("--tasks", "forum", *QUICK, "--out", "out"),
    )
    assert said.code == 0, said.err
    profiles = pd.read_csv("out/profiles.csv")
    assert {"kitten", "harbour"} <= set(profiles["column"])
    assert not any(name.startswith("embedding") for name in profiles["column"])
    report = Path("out/report.html").read_text("utf-8")
    assert "whiskers purring kitten" in report
    assert "Typical texts" in report


@pytest.mark.parametrize(
    ("source", "first", "again"),
    [
        ("posts.parquet", ("--embeddings", "vector"), ()),
        ("posts.csv", ("--embeddings", "vectors.npy"), ("--embeddings", "vectors.npy")),
    ],
)
def test_new_rows_are_assigned_by_vectors_of_their_own(kinfolk, posts, source, first, again):
    run = kinfolk("run", source, *first, "--tasks", "forum", *QUICK, "--out", "out")
    assert run.code == 0, run.err
    said = kinfolk("assign", "out/model", source, *again, "--quiet")
    assert said.code == 0, said.err
    found = pd.read_csv(io.StringIO(said.out))
    assert found["cluster"].tolist() == labels()["cluster"].tolist()
    # A path of this machine is no column of new rows.
    kept = json.loads(Path("out/model/model.json").read_text("utf-8"))["roles"]["embeddings"]
    assert kept == (None if again else "vector")


def test_other_columns_cannot_be_chosen_beside_embeddings(kinfolk, posts):
    said = kinfolk(
        *("run", "posts.parquet", "--embeddings", "vector", "--only", "likes"),
        *("--tasks", "forum", *QUICK),
    )
    assert said.code != 0
    assert "leave out only" in said.err


def test_numbers_of_clusters_of_embeddings_are_suggested(kinfolk, posts):
    said = kinfolk("suggest", "posts.parquet", "--embeddings", "vector", "--at-most", 3, "--quiet")
    assert said.code == 0, said.err
    assert "2" in said.out
