import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import kinfolk as kf
from kinfolk.choosing import cluster_count, cluster_count_criteria, cross_task, shared_numbers
from kinfolk.choosing.representations import Representations
from kinfolk.choosing.suggestions import Suggestion
from kinfolk.datasets import makers
from kinfolk.errors import InputError


def suggest(data, **options):
    return kf.suggest_clusters(data.X, data.tasks, random_state=0, **options)


@pytest.fixture(autouse=True, scope="module")
def few():
    """Fixture: fewer halves and null tables, to save time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cluster_count_criteria, "SPLITS", 4)
        patch.setattr(cluster_count_criteria, "PERMUTED_TABLES", 4)
        yield


@pytest.fixture(scope="module")
def documents():
    return makers.make_related_documents(60, n_clusters=3, shared=3, random_state=0)


@pytest.fixture(scope="module")
def suggested(documents):
    return suggest(documents, at_most=5)


def test_topics_are_counted(suggested):
    assert suggested.numbers == {"task-0": 3, "task-1": 3}
    assert [(s.low, s.high, s.confidence) for s in suggested] == [(3, 3, "sure")] * 2
    names = {"clusters", "agreement", "error", "gap", "other_tasks"}
    assert all(set(s.curve[0]) == names and s.sign == cluster_count.SIGN for s in suggested)
    assert [s.third for s in suggested] == [3, 3]


@pytest.mark.parametrize("k", [2, 4])
def test_balls_are_counted(k):
    data = makers.make_related_blobs(20 * k, 5, k, 1, separation=6.0, random_state=k)
    (found,) = suggest(data, at_most=5)
    assert found.number == k
    assert found.third in {None, k}
    assert "clearness" in found.curve[0]


def test_long_clusters_are_counted_by_a_mixture():
    random = np.random.RandomState(0)
    X = random.normal(size=(120, 2)) * [1.0, 25.0] + np.repeat([[0.0], [8.0], [16.0]], 40, axis=0)
    (found,) = kf.suggest_clusters(X, at_most=6, random_state=0)
    assert (found.number, found.third) == (3, 3)


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
    X = np.repeat([[0.0, 1.0], [1.0, 0.0]], 20, axis=0)
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


NUMBERS = [2, 3, 4, 5, 6]


def evidence(agreed, gaps, labels=None, kind="amounts", rows=80, mixture=None, few_values=False):
    labels = np.zeros((5, rows), dtype=int) if labels is None else labels
    agreed = np.tile(agreed, (4, 1))
    X = np.random.RandomState(0).normal(size=(rows, 3))
    name = "clearness" if kind == "measurements" else "gap"
    exceeds = False if kind == "measurements" else None
    return cluster_count._Evidence(
        "a", X, kind, NUMBERS, agreed, name, np.array(gaps), labels, exceeds, 0, mixture, few_values
    )


@pytest.fixture
def clear(monkeypatch):
    monkeypatch.setattr(cluster_count, "_exceeds_chance", lambda *_: True)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.usefixtures("clear")
def test_the_number_has_the_largest_sum_of_relative_criteria(seed):
    agreed, gaps, others = np.random.default_rng(seed).uniform(0.1, 1, size=(3, 5))
    others *= 0.6
    found = cluster_count._suggestion(evidence(agreed, gaps), others)
    sums = [
        agreed[i] / max(agreed) + gaps[i] / max(gaps) + others[i] / max(*others, cross_task.SUPPORT)
        for i in range(5)
    ]
    assert found.number == 2 + int(np.argmax(sums))
    assert found.first == 2 + int(np.argmax(agreed))
    assert found.second == 2 + int(np.argmax(gaps))
    heard = int(max(others) >= cross_task.SUPPORT)
    assert found.third == (2 + int(np.argmax(others)) if heard else None)
    given = [found.number, found.first, found.second, *[found.third] * heard]
    assert (found.low, found.high) == (min(given), max(given))


@pytest.mark.parametrize(
    ("low", "high", "most", "enough", "confidence"),
    [
        (3, 3, 6, True, "sure"),
        (3, 3, 6, False, "likely"),
        (3, 4, 6, True, "likely"),
        (3, 5, 6, True, "a guess"),
        (6, 6, 6, True, "a guess"),
        (5, 6, 6, True, "a guess"),
    ],
)
def test_confidence_follows_from_the_interval_and_the_evidence(low, high, most, enough, confidence):
    assert cluster_count._confidence(low, high, most, enough) == confidence


@pytest.mark.parametrize(("rows", "others", "confidence"), [
    (80, 0.5, "sure"), (80, 0.3, "likely"), (59, 0.5, "likely")])  # fmt: skip
@pytest.mark.usefixtures("clear")
def test_other_tasks_and_enough_rows_make_sure(rows, others, confidence):
    one = [0.1, 1.0, 0.1, 0.1, 0.1]
    found = cluster_count._suggestion(evidence(one, one, rows=rows), others * np.array(one))
    assert (found.number, found.confidence) == (3, confidence)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("few_values", [True, False])
@pytest.mark.usefixtures("clear")
def test_measurements_are_counted_by_halves_and_clearness(seed, few_values):
    agreed, clear = np.random.default_rng(seed).uniform(0.1, 1, size=(2, 5))
    found = cluster_count._suggestion(
        evidence(agreed, clear, kind="measurements", few_values=few_values),
        np.array([0, 0, 0, 0, 1.0]),
    )
    sums = [agreed[i] / max(agreed) + clear[i] / max(clear) for i in range(5)]
    number = 2 + int(np.argmax(sums))
    first = 2 + int(np.argmax(agreed))
    if few_values and abs(first - (2 + int(np.argmax(clear)))) > 1:
        number = round((first * number) ** 0.5)
    assert found.number == number
    assert (found.third, found.also) == (None, None)
    assert found.sign == cluster_count.SIGN_OF_MEASUREMENTS
    assert set(found.curve[0]) == {"clusters", "agreement", "error", "clearness"}


@pytest.mark.parametrize(
    ("mixture", "confidence", "low", "high"),
    [(3, "sure", 3, 3), (4, "likely", 3, 4), (5, "a guess", 3, 5), (None, "likely", 3, 3)],
)
@pytest.mark.usefixtures("clear")
def test_a_mixture_that_fits_tells_the_number_of_measurements(mixture, confidence, low, high):
    one = [0.1, 1.0, 0.1, 0.1, 0.1]
    seen = evidence(one, one, kind="measurements", mixture=mixture)
    found = cluster_count._suggestion(seen, np.zeros(5))
    assert (found.number, found.third) == (mixture or 3, mixture)
    assert (found.low, found.high, found.confidence) == (low, high, confidence)


@pytest.mark.parametrize("seed", [0, 1])
def test_clusters_of_one_column_of_many_are_counted_by_a_mixture(seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(150, 7)) - 50
    X[:, 0] += 5 * (np.arange(150) % 2)
    (found,) = cluster_count.suggest_clusters(X, random_state=0)
    assert found.number == 2


def small_beside(n_large, n_small=25, seed=0):
    """Three round clusters in a task of so many rows and, shifted, in two of few rows."""
    random = np.random.default_rng(seed)
    tasks = np.repeat(["large", "b", "c"], [n_large, n_small, n_small])
    places = 7 * np.eye(3, 5)[random.integers(3, size=len(tasks))]
    return places + random.normal(size=(len(tasks), 5)) + 3.0 * (tasks == "b")[:, None], tasks


@pytest.mark.parametrize("n_large", [25, 120])
def test_tasks_of_few_rows_get_the_number_of_all_rows_together(n_large):
    X, tasks = small_beside(n_large)
    few = cluster_count.suggest_clusters(X, tasks, random_state=0)[1:]
    assert [(one.number, one.confidence) for one in few] == [(3, "a guess")] * 2
    assert {one.sign for one in few} == {shared_numbers.SIGN_OF_ALL_ROWS}
    alone = cluster_count.suggest_clusters(X[tasks == "b"], random_state=0)[0]
    assert alone.number < 3


def test_the_number_of_all_rows_depends_on_no_order():
    X, tasks = small_beside(60)
    found = cluster_count.suggest_clusters(X, tasks, random_state=0).numbers
    names = {"large": "z", "b": "a", "c": "m"}
    turned = cluster_count.suggest_clusters(
        X[::-1], np.array([names[t] for t in tasks[::-1]]), random_state=0
    ).numbers
    assert {names[t]: number for t, number in found.items()} == turned


def _suggestion(number, confidence=cluster_count.GUESS, also=None):
    return Suggestion("t", number, min(number, 3), number, confidence, 3, number, "", [], also=also)


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ([12, 3], [6, 3]),
        ([3, 2], [3, 2]),  # their mean, 2.4, is rounded up
        ([7, 7, 7], [7, 7, 7]),
        ([8, 1, 1], [8, 1, 1]),  # tasks without clusters say nothing of how many there are
        ([1, 1], [1, 1]),
        ([11, 2, 2], [4, 2, 2]),
    ],
)
def test_a_guess_is_no_larger_than_the_geometric_mean_of_all_tasks(numbers, expected):
    several = [number for number in numbers if number > 1] or [1]
    mean = np.prod(np.array(several, dtype=float)) ** (1 / len(several))
    assert max(expected) <= max(2, np.ceil(mean - 1e-9))
    found = shared_numbers.lowered([_suggestion(number) for number in numbers])
    assert [one.number for one in found] == expected
    assert all(one.low <= one.number for one in found)


def test_numbers_that_are_likely_stay_and_a_second_number_is_no_repetition():
    likely = _suggestion(12, cluster_count.LIKELY)
    guess = _suggestion(12, also=6)
    found = shared_numbers.lowered([likely, guess, _suggestion(2)])
    assert [(one.number, one.also) for one in found] == [(12, None), (7, None), (2, None)]
    (_, lowered) = shared_numbers.lowered([_suggestion(3), guess])
    assert (lowered.number, lowered.also, lowered.low) == (6, None, 3)
    assert lowered.sign == shared_numbers.SIGN_OF_OTHERS


def test_few_rows_get_no_more_clusters_than_a_task_with_more_rows_has(monkeypatch):
    X, tasks = small_beside(120)
    nine = _suggestion(9)
    monkeypatch.setattr(cluster_count, "_of_all_rows", lambda *_: nine)
    few = cluster_count.suggest_clusters(X, tasks, random_state=0)[1:]
    assert [one.number for one in few] == [3, 3]


def test_tasks_of_enough_rows_keep_their_number():
    X, tasks = small_beside(120, n_small=cluster_count.SURE_ROWS)
    found = cluster_count.suggest_clusters(X, tasks, random_state=0)
    assert all(one.sign == cluster_count.SIGN_OF_MEASUREMENTS for one in found)


def test_groups_in_more_columns_than_rows_are_counted():
    random = np.random.default_rng(0)
    X = random.normal(size=(45, 200)) - 50
    assert cluster_count.suggest_clusters(X, random_state=0)[0].number == 1
    X[:, :40] += 1.5 * random.normal(size=(3, 40))[np.arange(45) % 3]
    assert cluster_count.suggest_clusters(X, random_state=0)[0].number == 3


PEAKS = [1.0, 0.2, 0.3, 0.9, 0.3]


@pytest.mark.usefixtures("clear")
def test_a_second_number_is_given_where_its_clusters_divide_those_of_the_first():
    halves = np.arange(80) // 40
    labels = np.array([halves, halves, halves, np.arange(80) // 16, halves])
    labels[3, 32:48] = np.where(np.arange(32, 48) < 40, 2, 4)
    found = cluster_count._suggestion(evidence(PEAKS, PEAKS, labels), np.zeros(5))
    assert (found.number, found.also) == (2, 5)
    assert found.sentence == "2 or 5 clusters (likely)."
    crossed = labels.copy()
    crossed[3] = np.arange(80) % 5  # each of the five has rows of both halves
    assert cluster_count._suggestion(evidence(PEAKS, PEAKS, crossed), np.zeros(5)).also is None
    weak = [1.0, 0.2, 0.3, 0.7, 0.3]
    assert cluster_count._suggestion(evidence(weak, weak, labels), np.zeros(5)).also is None
    beside = [1.0, 0.9, 0.3, 0.2, 0.1]
    assert cluster_count._suggestion(evidence(beside, beside, labels), np.zeros(5)).also is None


@pytest.mark.parametrize("kind", ["counts", "amounts", "measurements"])
def test_clusters_that_do_not_exceed_chance_are_one_cluster(kind):
    labels = np.random.default_rng(0).integers(2, size=(5, 80))
    found = cluster_count._suggestion(evidence(PEAKS, PEAKS, labels, kind), np.full(5, 0.5))
    assert (found.number, found.low, found.confidence) == (1, 1, "a guess")
    assert found.also is None


def test_values_of_all_rows_are_counted_before_tasks_are_scaled():
    # Z-scores of two tasks have twice as many different values.
    random = np.random.RandomState(0)
    codes = np.repeat([0, 1], 60)
    X = random.randint(15, size=(120, 4)) * 1.0
    seen = Representations.of(X, codes, False)
    found = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(cluster_count, "_suggestion", lambda task, _: found.append(task))
        cluster_count._of_all_rows(X, codes, seen, 3, random)
    assert found[0].few_values
    assert not cluster_count._has_few_values(seen.for_scoring(X, codes))


@pytest.mark.parametrize(
    ("rows", "numbers"),
    [(100, [*range(2, 11)]), (130, [*range(2, 13)]), (400, [*range(2, 17), 18, 20])],
)
def test_more_rows_are_searched_for_more_clusters(rows, numbers):
    X = np.random.RandomState(0).normal(size=(rows, 2))
    made = cluster_count._evidence("a", X, "amounts", None, np.random.RandomState(0))
    assert made.numbers == numbers


def test_the_other_task_decides_between_numbers_that_one_task_cannot_tell():
    gaps = [0.9, 0.2, 1.0, 0.2, 0.1]
    task = evidence([1.0, 0.3, 0.95, 0.3, 0.3], gaps)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cluster_count, "_exceeds_chance", lambda *_: True)
        alone = cluster_count._suggestion(task, np.zeros(5))
        helped = cluster_count._suggestion(task, np.array([0.9, 0.3, 0.5, 0.3, 0.3]))
    assert (alone.number, helped.number) == (4, 2)
