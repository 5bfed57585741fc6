import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import kinfolk as kf
from kinfolk.choosing import cluster_count, cluster_count_criteria
from kinfolk.choosing.cluster_count import Suggestion, Suggestions
from kinfolk.datasets import makers
from kinfolk.errors import InputError


def suggest(data, **options):
    return kf.suggest_clusters(data.X, data.tasks, random_state=0, **options)


@pytest.fixture(autouse=True, scope="module")
def few():
    """Fewer halves and tables: what differs here differs with a few."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cluster_count_criteria, "SPLITS", 4)
        patch.setattr(cluster_count_criteria, "PERMUTED_TABLES", 4)
        yield


@pytest.fixture(scope="module")
def documents():
    return makers.make_related_documents(60, n_clusters=3, random_state=0)


@pytest.fixture(scope="module")
def suggested(documents):
    return suggest(documents, at_most=5)


def test_topics_are_counted(suggested):
    assert suggested.numbers == {"task-0": 3, "task-1": 3}
    assert [(s.low, s.high, s.confidence) for s in suggested] == [(3, 3, "sure")] * 2
    assert all("directions" in s.curve[0] and "words" in s.sign for s in suggested)


@pytest.mark.parametrize("k", [2, 4])
def test_balls_are_counted(k):
    data = makers.make_related_blobs(20 * k, 5, k, 1, separation=6.0, random_state=k)
    (found,) = suggest(data, at_most=5)
    assert found.number == k
    assert "clearness" in found.curve[0]


def test_one_cloud_is_one_cluster():
    random = np.random.RandomState(0)
    cloud = random.standard_normal((80, 6)) @ random.standard_normal((6, 6))
    words = sp.csr_array(random.poisson(random.gamma(0.3, 0.5, 200), size=(80, 200)) * 1.0)
    for X in (cloud, words):
        (found,) = kf.suggest_clusters(X, at_most=4, random_state=0)
        assert (found.task, found.number, found.low) == ("all", 1, 1)
        assert (found.confidence, found.high) == ("a guess", max(found.first, found.second))


def test_the_same_seed_gives_the_same_answer_and_leaves_the_rows_alone(documents, suggested):
    before = documents.X.copy()
    again = suggest(documents, at_most=5)
    assert again.table() == suggested.table()
    assert [s.curve for s in again] == [s.curve for s in suggested]
    assert (before != documents.X).nnz == 0


def test_a_task_of_few_rows_is_a_guess():
    X = np.random.RandomState(0).normal(size=(19, 3))
    (found,) = kf.suggest_clusters(X, random_state=0)
    assert (found.number, found.confidence, found.curve) == (1, "a guess", [])


def test_no_cluster_of_fewer_rows_than_ten_is_looked_for(documents):
    rows = np.arange(45)
    (found,) = kf.suggest_clusters(documents.X[rows], documents.tasks[rows], random_state=0)
    assert [record["clusters"] for record in found.curve] == [2, 3, 4]


def test_rows_beyond_the_most_are_drawn(documents, monkeypatch):
    seen, cosines = [], cluster_count_criteria.cosines
    monkeypatch.setattr(cluster_count, "MAX_ROWS", 50)
    monkeypatch.setattr(
        cluster_count_criteria, "cosines", lambda X: seen.append(X.shape[0]) or cosines(X)
    )
    suggest(documents, at_most=3)
    assert set(seen) == {50}


def test_the_end_of_what_was_looked_at_is_a_guess(documents):
    (first, _) = suggest(documents, at_most=3)
    assert (first.number, first.high, first.confidence) == (3, 3, "a guess")


def test_equal_rows_are_no_trouble():
    X = np.repeat([[0.0, 1.0], [5.0, 2.0]], 20, axis=0)
    (found,) = kf.suggest_clusters(X, random_state=0)
    assert found.number == 2
    for X in (np.ones((40, 2)), np.zeros((40, 2)), np.full((40, 3), -2.5)):
        assert kf.suggest_clusters(X, random_state=0).numbers == {"all": 1}


def test_tasks_of_frames_are_named_by_a_column():
    frame = pd.DataFrame(np.random.RandomState(0).normal(size=(40, 2)), columns=["a", "b"])
    frame["site"] = np.repeat(["x", "y"], 20)
    assert list(kf.suggest_clusters(frame, "site", random_state=0).numbers) == ["x", "y"]


@pytest.mark.parametrize(
    ("X", "options", "message"),
    [
        (np.ones((30, 2)), {"at_most": 0}, "at_most"),
        (np.full((30, 2), np.nan), {}, "missing|NaN|nan|finite"),
    ],
)
def test_what_is_not_usable_is_said(X, options, message):
    with pytest.raises(InputError, match=message):
        kf.suggest_clusters(X, **options)


MADE = Suggestions(
    [
        Suggestion("<a>", 3, 2, 4, "a guess", 2, 4, "", []),
        Suggestion("b", 1, 1, 1, "likely", 1, 1, "", []),
    ]
)


def test_suggestions_are_a_sequence_and_a_table():
    assert len(MADE) == 2
    assert [s.task for s in MADE] == [s.task for s in MADE[:2]] == ["<a>", "b"]
    assert pd.DataFrame(MADE.table())["number"].tolist() == [3, 1]
    assert repr(MADE) == "<a>: 3 clusters, 2 to 4 (a guess).\nb: 1 cluster (likely)."
    shown = MADE._repr_html_()
    assert "&lt;a&gt;" in shown
    assert "<a>" not in shown


def test_auto_takes_the_numbers_with_a_note():
    k, note = cluster_count.chosen(MADE)
    assert k == [3, 1]
    for words in ("3 for <a> (a guess, 2 to 4)", "1 for b", "suggestions_"):
        assert words in note


def test_words_lie_between_agreement_and_directions(documents, monkeypatch):
    values = np.array([9.0, 1.5, 1.4, 1.3, 1.2, 0.9])
    monkeypatch.setattr(cluster_count_criteria, "directions", lambda *_: (values, 1.2))
    peak = np.tile([0.9, 0.5, 0.4, 0.3, 0.95], (4, 1))  # the last is beyond the directions
    monkeypatch.setattr(cluster_count_criteria, "agreement", lambda *_: peak)
    found = suggest(documents, at_most=6)[0]
    assert (found.first, found.second, found.number) == (2, 5, 3)
    assert (found.low, found.high, found.confidence) == (2, 5, "a guess")


def test_directions_below_the_limit_suggest_one_cluster(documents, monkeypatch):
    values = np.array([9.0, 1.19, 1.1, 0.9, 0.8])
    monkeypatch.setattr(cluster_count_criteria, "directions", lambda *_: (values, 1.2))
    found = suggest(documents, at_most=5)[0]
    assert (found.number, found.low, found.high) == (1, 1, 3)
    assert found.confidence == "a guess"


@pytest.mark.parametrize(
    ("low", "high", "most", "confidence"),
    [
        (3, 3, 6, "sure"),
        (3, 4, 6, "likely"),
        (3, 5, 6, "a guess"),
        (6, 6, 6, "a guess"),
        (5, 6, 6, "a guess"),
        (2, 2, 2, "a guess"),
    ],
)
def test_confidence_follows_from_the_interval_and_the_largest_number(low, high, most, confidence):
    assert cluster_count._confidence(low, high, most) == confidence


@pytest.mark.parametrize("a", [2, 3, 5])
@pytest.mark.parametrize("b", [2, 3, 4, 6])
def test_numbers_for_words_are_geometric_means(a, b, monkeypatch):
    values = np.r_[np.full(b, 1.5), np.full(8 - b, 0.5)]
    monkeypatch.setattr(cluster_count_criteria, "directions", lambda *_: (values, 1.2))
    numbers = [2, 3, 4, 5, 6, 7, 8]
    agreed = np.array([0.5 if k == a else 0.1 for k in numbers])
    found = cluster_count._prefer_for_words(None, None, agreed, numbers, None)
    first = a if a <= b else 2  # only numbers up to b are compared
    assert (found.first, found.second) == (first, b)
    assert abs(found.number - (first * b) ** 0.5) <= 0.5
    assert found.strength == pytest.approx(0.5 / 0.2)


def test_numbers_for_other_tables_have_the_largest_sum_of_relative_criteria(monkeypatch):
    numbers = [2, 3, 4, 5]
    for seed in range(20):
        agreed, clear = np.random.default_rng(seed).uniform(0.1, 1, size=(2, 4))
        monkeypatch.setattr(
            cluster_count_criteria, "clearness", lambda *_, clear=clear: (clear, 0.1)
        )
        found = cluster_count._prefer_for_others(np.eye(2), None, agreed, numbers, None)
        sums = {k: agreed[i] / max(agreed) + clear[i] / max(clear) for i, k in enumerate(numbers)}
        assert found.number == max(sums, key=sums.get)
        assert found.first == 2 + list(agreed).index(max(agreed))
        assert found.second == 2 + list(clear).index(max(clear))
        assert found.strength == pytest.approx(max(clear) / (4 * 0.1))


def test_the_error_of_agreement_is_that_of_its_mean(documents, monkeypatch):
    found = np.random.default_rng(0).uniform(size=(4, 2))
    monkeypatch.setattr(cluster_count_criteria, "agreement", lambda *_: found)
    (first, _) = suggest(documents, at_most=3)
    for place, record in enumerate(first.curve):
        assert record["clusters"] == place + 2
        assert record["agreement"] == pytest.approx(sum(found[:, place]) / 4)
        assert record["error"] == pytest.approx(np.std(found[:, place], ddof=1) / 2)


def test_one_as_the_largest_number_is_one_cluster(documents):
    for found in suggest(documents, at_most=1):
        assert (found.number, found.low, found.high, found.confidence) == (1, 1, 1, "a guess")
