import gzip
import hashlib
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.datasets import threesources
from kinfolk.datasets.registry import Collection
from kinfolk.errors import FileFormatError, MissingDataError

TOPICS = ("business", "entertainment", "health", "politics", "sport", "tech")
SIZES = {
    "bbc": (87, 53, 45, 48, 81, 38),
    "guardian": (78, 41, 24, 40, 76, 43),
    "reuters": (94, 43, 27, 23, 71, 36),
}
AS_VIEWS = "multiview/3sources.npz"
MULTI_VIEW_FILE = Collection(
    "", "", {AS_VIEWS: "57604e9e285a4ef71f083b69dc9f695473273b1dcf5f25f63cd18043e633af2b"}
)


@pytest.mark.parametrize("load", [threesources.load_3sources, threesources.load_3sources_tasks])
def test_an_empty_directory_gives_a_sentence(load, tmp_path):
    with pytest.raises(MissingDataError, match="3sources.* was not found"):
        load(tmp_path)


def test_a_changed_list_of_stories_is_refused(tmp_path):
    (tmp_path / Path(threesources.STORIES_FILE).name).write_bytes(b"something else")
    with pytest.raises(FileFormatError, match="633fc8473602 is expected"):
        threesources.load_3sources(tmp_path)


def test_a_missing_agency_is_named(data, tmp_path):
    stories = threesources.THREESOURCES.locate(threesources.STORIES_FILE, "3sources", data)
    (tmp_path / stories.name).write_bytes(stories.read_bytes())
    with pytest.raises(MissingDataError, match="looked for 3sources_bbc.npz"):
        threesources.load_3sources_tasks(tmp_path)


def test_real_views_are_those_that_multi_view_papers_use(data, real):
    loaded = real("3sources")
    arrays = MULTI_VIEW_FILE.arrays(AS_VIEWS, "3sources", data)
    for v, view in enumerate(threesources.AGENCIES):
        counts = loaded.X[:, loaded.views[view]].toarray()
        np.testing.assert_array_equal(counts, arrays[f"view_{v}"])
    np.testing.assert_array_equal(loaded.target, np.array(TOPICS)[arrays["y"]])
    assert loaded.task_names == ["all"]
    assert len(set(loaded.feature_names)) == loaded.X.shape[1] == 10259
    assert loaded.feature_names[3560].startswith("guardian:")


def test_real_tasks_have_the_published_sizes(real):
    loaded = real("3sources-tasks")
    expected = {
        (task, topic): n
        for task, sizes in SIZES.items()
        for topic, n in zip(TOPICS, sizes, strict=True)
    }
    assert Counter(zip(loaded.tasks, loaded.target, strict=True)) == expected
    assert len(set(zip(loaded.tasks, loaded.row_ids, strict=True))) == 948


def test_real_tasks_count_the_same_terms_in_the_same_columns(real):
    loaded = real("3sources-tasks")
    views = real("3sources")
    row_of = {pair: i for i, pair in enumerate(zip(loaded.tasks, loaded.row_ids, strict=True))}
    column_of = {term: j for j, term in enumerate(loaded.feature_names)}
    assert len(column_of) == loaded.X.shape[1] == 4750
    for view, columns in views.views.items():
        rows = [row_of[view, story] for story in views.row_ids]
        terms = [name.partition(":")[2] for name in views.feature_names[columns]]
        aligned = loaded.X[rows][:, [column_of[term] for term in terms]]
        assert abs(aligned - views.X[:, columns]).sum() == 0
        assert loaded.X[rows].sum() == aligned.sum()


STORED = {
    "bbc": ([[1, 0], [0, 2], [3, 3]], ["s1", "s2", "s3"], ["tax", "vote"]),
    "guardian": ([[5, 0, 1], [0, 6, 0]], ["s3", "s1"], ["goal", "tax", "win"]),
    "reuters": ([[7], [8]], ["s1", "s3"], ["vote"]),
}
TOPIC_OF = {"s1": "politics", "s2": "sport", "s3": "business"}


@pytest.fixture
def small(packed, monkeypatch, tmp_path):
    """Three stories, of which two are reported by all three agencies."""
    archives = {}
    for agency, (counts, _, _) in STORED.items():
        X = sp.csr_array(np.array(counts))
        parts = {"data": X.data, "indices": X.indices, "indptr": X.indptr}
        archives[f"text/3sources_{agency}.npz"] = {**parts, "shape": np.array(X.shape)}
    collection = packed(archives)
    facts = {
        "docs": {agency: stories for agency, (_, stories, _) in STORED.items()},
        "terms": {agency: terms for agency, (_, _, terms) in STORED.items()},
        "stories_in_all_three": ["s1", "s3"],
        "label_disjoint": TOPIC_OF,
    }
    content = gzip.compress(json.dumps(facts).encode())
    path = tmp_path / Path(threesources.STORIES_FILE).name
    path.write_bytes(content)
    checksum = hashlib.sha256(content).hexdigest()
    files = {**collection.files, threesources.STORIES_FILE: checksum}
    monkeypatch.setattr(threesources, "THREESOURCES", replace(collection, files=files))
    return tmp_path


def test_views_hold_the_common_stories_in_one_order(small):
    data = threesources.load_3sources(small)
    assert data.row_ids.tolist() == ["s1", "s3"]
    assert data.target.tolist() == ["politics", "business"]
    assert data.feature_names[:3] == ("bbc:tax", "bbc:vote", "guardian:goal")
    np.testing.assert_array_equal(data.X.toarray(), [[1, 0, 0, 6, 0, 7], [3, 3, 5, 0, 1, 8]])
    assert data.views == {"bbc": slice(0, 2), "guardian": slice(2, 5), "reuters": slice(5, 6)}


def test_tasks_hold_every_article_under_the_terms_of_all(small):
    data = threesources.load_3sources_tasks(small)
    assert data.tasks.tolist() == ["bbc"] * 3 + ["guardian"] * 2 + ["reuters"] * 2
    assert data.row_ids.tolist() == ["s1", "s2", "s3", "s3", "s1", "s1", "s3"]
    assert data.target.tolist() == [TOPIC_OF[story] for story in data.row_ids]
    assert sorted(data.feature_names) == ["goal", "tax", "vote", "win"]
    X = data.X.toarray()
    for agency, (counts, _, terms) in STORED.items():
        rows = X[data.tasks == agency]
        columns = [data.feature_names.index(term) for term in terms]
        np.testing.assert_array_equal(rows[:, columns], counts)
        assert rows.sum() == np.sum(counts)
