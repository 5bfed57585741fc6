from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

from kinfolk import datasets, measures
from kinfolk.datasets import adversarial
from kinfolk.errors import InputError
from kinfolk.preparation import scaling

PUBLISHED = {
    "alone": ((0.763, 0.033), (0.763, 0.014)),
    "pooled": ((0.673, 0.044), (0.254, 0.047)),
    "centered": ((0.703, 0.031), (0.342, 0.025)),
    "z-scores": ((0.574, 0.057), (0.544, 0.020)),
}
"""Accuracy of k-means on the hostile digits as printed: mean and deviation of lab and of field."""


def classes(data):
    return {task: sorted(set(data.target[data.tasks == task].tolist())) for task in data.task_names}


def sizes(data):
    return Counter(data.tasks.tolist())


def parts(data):
    return [data.X[data.tasks == task] for task in data.task_names]


@pytest.fixture(scope="module")
def figures():
    """Mean accuracy of k-means over five seeds: {strategy: accuracy of lab and field}."""
    found = {strategy: [] for strategy in PUBLISHED}
    for seed in range(5):
        data = adversarial.make_hostile_digits(seed)
        lab, field = parts(data)

        def k_means(X, seed=seed):
            return KMeans(10, n_init=10, random_state=seed).fit_predict(X)

        labels = {
            "alone": np.concatenate([k_means(lab), k_means(field)]),
            "pooled": k_means(data.X),
            "centered": k_means(np.vstack([part - part.mean(axis=0) for part in (lab, field)])),
            "z-scores": k_means(
                np.vstack([scaling.standard(part, *scaling.moments(part)) for part in (lab, field)])
            ),
        }
        for strategy, values in labels.items():
            scores = measures.per_task(measures.accuracy, data.tasks, data.target, values)
            found[strategy].append([scores["lab"], scores["field"]])
    return {strategy: np.mean(values, axis=0) for strategy, values in found.items()}


@pytest.mark.parametrize("strategy", PUBLISHED)
def test_hostile_digits_are_those_of_the_comparison(figures, strategy):
    for score, (mean, deviation) in zip(figures[strategy], PUBLISHED[strategy], strict=True):
        assert abs(score - mean) <= 2 * deviation, (strategy, score, mean)


def test_pooling_ruins_the_field_alone_does_not(figures):
    assert figures["alone"][1] - figures["pooled"][1] > 0.4


def test_hostile_digits_are_shifted_dimmed_noisy_and_cut():
    data = adversarial.make_hostile_digits(3)
    source = load_digits()
    rows = data.row_ids.astype(int)
    assert sorted(rows) == list(range(1797))
    assert data.target.tolist() == source.target[rows].astype(str).tolist()
    assert sizes(data) == {"lab": 898, "field": 899}
    images = source.images[rows] / 16
    lab, field = parts(data)
    np.testing.assert_array_equal(lab.reshape(-1, 8, 8), images[:898])
    clean = 0.6 * images[898:]
    noise = field.reshape(-1, 8, 8)[:, :, 1:] - clean[:, :, :-1]
    inside = noise[(clean[:, :, :-1] > 0.3) & (clean[:, :, :-1] < 0.6)]
    assert inside.std() == pytest.approx(0.1, rel=0.03)
    assert inside.mean() == pytest.approx(0, abs=0.003)
    assert field.min() == 0
    assert field.max() <= 1


@pytest.mark.parametrize("seed", [None, np.random.RandomState(5), np.int64(5)])
def test_hostile_digits_take_every_kind_of_seed(seed):
    assert adversarial.make_hostile_digits(seed).X.shape == (1797, 64)


def test_hostile_digits_refuse_what_is_no_seed():
    with pytest.raises(InputError, match="random_state is 'seven'"):
        adversarial.make_hostile_digits("seven")


@pytest.mark.parametrize("make", datasets.ADVERSARIAL.values(), ids=list(datasets.ADVERSARIAL))
def test_a_case_is_small_and_the_same_again(make):
    first, again, other = make(random_state=1), make(random_state=1), make(random_state=2)
    assert 300 <= len(first) <= 1800
    assert len(first) == len(first.target) == first.X.shape[0]
    assert first.X.shape[1] == len(set(first.feature_names))
    assert len(set(zip(first.tasks, first.row_ids, strict=True))) == len(first)
    assert abs(first.X - again.X).max() == 0
    assert abs(first.X - other.X).max() > 0


def test_unrelated_documents_share_neither_words_nor_topics():
    data = datasets.load("unrelated-documents")
    first, second = (np.asarray(part.sum(axis=0)).ravel() > 0 for part in parts(data))
    assert not (first & second).any()
    assert not set.intersection(*map(set, classes(data).values()))
    assert [len(found) for found in classes(data).values()] == [3, 3]


def test_shuffled_digits_have_the_second_source_in_another_order():
    data = datasets.load("shuffled-digits", random_state=4)
    forms, maps = parts(data)
    plain = datasets.load_digits_two_sources((300, 300), np.random.RandomState(4))
    np.testing.assert_array_equal(forms, plain.X[:300])
    assert not np.array_equal(maps, plain.X[300:])
    np.testing.assert_array_equal(np.sort(maps), np.sort(plain.X[300:]))


@pytest.mark.parametrize(
    ("name", "task_sizes"),
    [
        ("noise-documents", {"task-0": 150, "task-1": 150, "noise": 150}),
        ("noise-digits", {"forms": 300, "maps": 300, "noise": 300}),
    ],
)
def test_noise_is_beside_two_tasks_with_the_same_classes(name, task_sizes):
    data = datasets.load(name)
    assert sizes(data) == task_sizes
    first, second, noise = classes(data).values()
    assert first == second
    assert len(first) >= 3
    assert noise == ["noise"]


def test_disjoint_digits_share_no_digit():
    assert classes(datasets.load("disjoint-digits")) == {
        "forms": list("01234"),
        "maps": list("56789"),
    }


@pytest.mark.parametrize(
    ("name", "task_sizes", "k"),
    [
        ("unequal-digits", {"forms": 1000, "maps": 50}, 10),
        ("few-digits", {"forms": 300, "maps": 20}, 5),
        ("few-documents", {"task-0": 150, "task-1": 150, "task-2": 20}, 3),
    ],
)
def test_tasks_of_unequal_size_have_all_the_same_classes(name, task_sizes, k):
    data = datasets.load(name)
    assert sizes(data) == task_sizes
    assert sp.issparse(data.X) == name.endswith("documents")
    found = list(classes(data).values())
    assert all(names == found[0] for names in found)
    assert len(found[0]) == k
