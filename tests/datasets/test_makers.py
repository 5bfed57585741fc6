from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from kinfolk.datasets import makers
from kinfolk.errors import InputError
from kinfolk.testing.laws import global_state

MAKERS = [makers.make_related_blobs, makers.make_related_documents]


def dense(X):
    return X.toarray() if sp.issparse(X) else X


def classes(data, task):
    return set(data.target[data.tasks == task].tolist())


@pytest.mark.parametrize("make", MAKERS)
def test_same_seed_gives_same_data(make):
    first, same, other = (make(random_state=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(dense(first.X), dense(same.X))
    assert first.target.tolist() == same.target.tolist()
    assert not np.array_equal(dense(first.X), dense(other.X))


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("shared", [0, 2, 4])
def test_tasks_have_exactly_the_shared_clusters_in_common(make, shared):
    data = make(n_samples=10, n_clusters=4, n_tasks=3, shared=shared, random_state=0)
    sets = [classes(data, task) for task in data.task_names]
    assert [len(found) for found in sets] == [4, 4, 4]
    for a in range(3):
        for b in range(a):
            assert sets[a] & sets[b] == {f"c{k}" for k in range(shared)}


@pytest.mark.parametrize("make", MAKERS)
def test_clusters_of_a_task_are_as_equal_as_can_be(make):
    data = make(n_samples=11, n_clusters=3, n_tasks=2, random_state=0)
    for task in data.task_names:
        sizes = Counter(data.target[data.tasks == task].tolist()).values()
        assert sorted(sizes) == [3, 4, 4]


@pytest.mark.parametrize("make", MAKERS)
def test_shapes_and_names_belong_together(make):
    data = make(n_samples=8, n_tasks=3, random_state=0)
    assert data.X.shape == (24, len(set(data.feature_names)))
    assert len(data) == data.target.size == data.row_ids.size == 24
    assert len(set(zip(data.tasks, data.row_ids, strict=True))) == 24


def test_global_generator_is_left_alone():
    before = global_state()
    for make in MAKERS:
        make(random_state=0)
    assert global_state() == before


def test_separated_blobs_are_found_by_k_means_in_each_task():
    data = makers.make_related_blobs(n_clusters=4, n_features=3, n_tasks=3, random_state=0)
    for task in data.task_names:
        rows = data.tasks == task
        labels = KMeans(4, n_init=10, random_state=0).fit_predict(data.X[rows])
        assert adjusted_rand_score(data.target[rows], labels) == 1


def test_shift_moves_a_task_as_a_whole():
    still, moved = (makers.make_related_blobs(shift=s, random_state=0) for s in (0.0, 5.0))
    difference = moved.X - still.X
    for task in still.task_names:
        rows = difference[still.tasks == task]
        np.testing.assert_allclose(rows, rows[:1] + np.zeros_like(rows), atol=1e-9)
        assert np.abs(rows[0]).max() > 0.5


def test_blobs_have_unit_variance_about_their_centers():
    data = makers.make_related_blobs(n_samples=3000, n_tasks=1, random_state=0)
    residuals = np.vstack(
        [data.X[data.target == c] - data.X[data.target == c].mean(0) for c in set(data.target)]
    )
    np.testing.assert_allclose(residuals.var(axis=0), 1, rtol=0.1)


def test_documents_are_counts_in_csr_with_the_mean_length():
    data = makers.make_related_documents(n_samples=200, length=30, random_state=0)
    assert isinstance(data.X, sp.csr_array)
    assert data.X.data.min() >= 1
    np.testing.assert_array_equal(data.X.data, np.rint(data.X.data))
    assert data.X.sum(axis=1).mean() == pytest.approx(30, rel=0.05)
    assert data.X.sum(axis=1).min() >= 1


def test_own_vocabulary_is_used_by_its_task_alone_and_in_its_share():
    data = makers.make_related_documents(
        n_samples=200, n_terms=50, own_terms=10, own_share=0.3, random_state=0
    )
    counts = data.X.toarray()
    first = data.tasks == "task-0"
    own, other = counts[first, 50:60], counts[first, 60:]
    assert other.sum() == 0
    assert own.sum() / counts[first].sum() == pytest.approx(0.3, abs=0.02)
    assert all(name.endswith("of-task-0") for name in data.feature_names[50:60])


def test_a_shared_topic_uses_the_same_terms_in_both_tasks():
    data = makers.make_related_documents(n_samples=600, own_share=0, purity=1, random_state=0)
    counts = data.X.toarray()

    def frequency(task, label):
        rows = counts[(data.tasks == task) & (data.target == label)].sum(axis=0)
        return rows / rows.sum()

    first = frequency("task-0", "c0")
    assert np.abs(first - frequency("task-1", "c0")).sum() < 0.1
    assert np.abs(first - frequency("task-1", "c1")).sum() > 1


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"n_clusters": 0}, "n_clusters is 0; give at least 1"),
        ({"n_tasks": 0}, "n_tasks is 0; give at least 1"),
        ({"n_samples": 2}, "n_samples is 2; give at least 3"),
        ({"shared": 4}, "shared is 4; give at most n_clusters, 3"),
        ({"shared": -1}, "shared is -1; give at least 0"),
    ],
)
def test_a_number_out_of_range_gives_a_sentence(make, arguments, sentence):
    with pytest.raises(InputError, match=sentence):
        make(**arguments)


@pytest.mark.parametrize(
    ("make", "arguments", "sentence"),
    [
        (MAKERS[0], {"n_features": 0}, "n_features is 0; give at least 1"),
        (MAKERS[1], {"n_terms": 1}, "n_terms is 1; give at least 2"),
        (MAKERS[1], {"own_terms": 0}, "own_terms is 0; give at least 2"),
        (MAKERS[1], {"own_share": 1.5}, "own_share is 1.5; give a number from 0 to 1"),
        (MAKERS[1], {"purity": -0.5}, "purity is -0.5; give a number of at least 0"),
        (MAKERS[1], {"length": 0}, "length is 0; give a number greater than 0"),
    ],
)
def test_an_argument_of_one_maker_out_of_range_gives_a_sentence(make, arguments, sentence):
    with pytest.raises(InputError, match=sentence):
        make(**arguments)
