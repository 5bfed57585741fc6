from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import kinfolk as kf
from kinfolk.datasets import alterations, makers
from kinfolk.errors import InputError
from kinfolk.tables import RelatedData


@pytest.fixture
def documents():
    return makers.make_related_documents(n_samples=30, n_clusters=4, n_tasks=3, random_state=0)


@pytest.fixture
def blobs():
    return makers.make_related_blobs(30, 5, 4, 3, shared=4, random_state=0)


@pytest.fixture
def texts():
    return RelatedData(
        name="pets",
        tasks=np.array(["home", "home", "home", "farm", "farm", "farm"]),
        row_ids=np.array(["0", "1", "2", "0", "1", "2"]),
        texts=("cat cat", "dog", "cat dog bird", "cow", "cow hen hen", "hen"),
        target=np.array(["cat", "dog", "cat", "cow", "hen", "hen"]),
    )


def dense(X):
    return X.toarray() if sp.issparse(X) else X


def size(data, task):
    return int(np.sum(data.tasks == task))


def identities(data):
    """Identify each row by task, id, class and content, which operations must keep together."""
    content = data.texts if data.X is None else map(tuple, dense(data.X).tolist())
    return list(zip(data.tasks, data.row_ids, data.target, content, strict=True))


@pytest.mark.parametrize("kind", ["documents", "blobs", "texts"])
def test_rows_that_are_taken_stay_whole(kind, request):
    data = request.getfixturevalue(kind)
    before, rows = identities(data), [4, 0, 3]
    assert identities(alterations.take(data, np.array(rows))) == [before[i] for i in rows]
    mask = data.target == data.target[0]
    assert identities(alterations.take(data, mask)) == [
        row for row, kept in zip(before, mask, strict=True) if kept
    ]


def test_unrelated_sets_have_their_own_columns_and_nothing_else(documents, blobs):
    data = alterations.unrelated(documents, blobs)
    assert sp.issparse(data.X)
    assert len(data) == 180
    d = documents.X.shape[1]
    X = data.X.toarray()
    np.testing.assert_array_equal(X[:90, :d], documents.X.toarray())
    np.testing.assert_array_equal(X[90:, d:], blobs.X)
    assert not X[:90, d:].any()
    assert not X[90:, :d].any()
    assert len(set(data.feature_names)) == X.shape[1]
    assert data.task_names[0] == "documents: task-0"
    assert data.task_names[-1] == "blobs: task-2"
    assert data.target[0] == f"documents: {documents.target[0]}"
    assert data.target[-1] == f"blobs: {blobs.target[-1]}"
    assert data.row_ids[-1] == "29"


def test_unrelated_dense_sets_stay_dense_and_unlabelled_ones_leave_no_truth(blobs):
    data = alterations.unrelated(blobs, replace(blobs, name="others", target=None))
    assert data.X.shape == (180, 10)
    assert isinstance(data.X, np.ndarray)
    assert data.target is None


@pytest.mark.parametrize("kind", ["documents", "blobs"])
def test_one_permutation_is_done_to_the_columns_of_one_task(kind, request):
    data = request.getfixturevalue(kind)
    other = alterations.shuffled_features(data, "task-1", random_state=0)
    assert sp.issparse(other.X) == sp.issparse(data.X)
    X, Y, rows = dense(data.X), dense(other.X), data.tasks == "task-1"
    np.testing.assert_array_equal(Y[~rows], X[~rows])
    assert not np.array_equal(Y[rows], X[rows])
    order = np.lexsort(X[rows])
    np.testing.assert_array_equal(Y[rows][:, np.lexsort(Y[rows])], X[rows][:, order])
    again = alterations.shuffled_features(data, "task-1", random_state=0)
    np.testing.assert_array_equal(dense(again.X), Y)
    assert other.origin.endswith("The columns of task-1 are permuted.")


def test_columns_are_permuted_where_the_rows_of_tasks_take_turns(blobs):
    mixed = alterations.take(blobs, np.random.RandomState(0).permutation(len(blobs)))
    other = alterations.shuffled_features(mixed, "task-1", random_state=0)
    rows = mixed.tasks == "task-1"
    np.testing.assert_array_equal(other.X[~rows], mixed.X[~rows])
    np.testing.assert_array_equal(np.sort(other.X[rows]), np.sort(mixed.X[rows]))


def test_noise_of_counts_comes_from_the_words_of_all_and_is_as_long():
    data = makers.make_related_documents(300, length=40, random_state=0)
    noisy = alterations.with_noise(data, 900, random_state=0)
    assert isinstance(noisy.X, sp.csr_array)
    noise = noisy.X[noisy.tasks == "noise"].toarray()
    assert noise.shape == (900, data.X.shape[1])
    np.testing.assert_array_equal(noise, np.rint(noise))
    assert set(noise.sum(axis=1)) <= set(data.X.sum(axis=1))
    assert noise.sum(axis=1).std() == pytest.approx(data.X.sum(axis=1).std(), rel=0.1)
    wanted = data.X.sum(axis=0) / data.X.sum()
    assert np.abs(noise.sum(axis=0) / noise.sum() - wanted).sum() < 0.1


def test_other_noise_is_uniform_in_the_range_of_each_column(blobs):
    noisy = alterations.with_noise(blobs, 4000, random_state=0)
    noise = noisy.X[noisy.tasks == "noise"]
    low, high = blobs.X.min(axis=0), blobs.X.max(axis=0)
    assert np.all((noise >= low) & (noise <= high))
    share = (noise - low) / (high - low)
    np.testing.assert_allclose(
        np.quantile(share, [0.25, 0.5, 0.75], axis=0).T, 5 * [[0.25, 0.5, 0.75]], atol=0.03
    )
    assert np.abs(np.corrcoef(noise.T) - np.eye(5)).max() < 0.1


def test_noise_of_texts_has_words_of_the_texts(texts):
    noisy = alterations.with_noise(texts, 40, random_state=0)
    words = {word for text in noisy.texts[6:] for word in text.split()}
    assert words == {"cat", "dog", "bird", "cow", "hen"}
    assert {len(text.split()) for text in noisy.texts[6:]} == {1, 2, 3}


@pytest.mark.parametrize("kind", ["documents", "blobs", "texts"])
def test_noise_is_a_last_task_of_one_class_and_the_others_stay(kind, request):
    data = request.getfixturevalue(kind)
    noisy = alterations.with_noise(data, random_state=0)
    assert identities(noisy)[: len(data)] == identities(data)
    assert noisy.task_names == [*data.task_names, "noise"]
    mean = len(data) // len(data.task_names)
    assert noisy.target[len(data) :].tolist() == ["noise"] * mean
    assert noisy.row_ids[len(data) :].tolist() == [str(i) for i in range(mean)]


def test_each_task_keeps_its_classes_alone(blobs):
    classes = {"task-0": ["c0", "c3"], "task-1": ["c1"], "task-2": ["c2"]}
    data = alterations.disjoint_groups(blobs, classes)
    wanted = [row for row in identities(blobs) if row[2] in classes[row[0]]]
    assert identities(data) == wanted
    assert len(wanted) > 20


@pytest.mark.parametrize("n", [4, 6, 20])
def test_a_cut_task_keeps_a_row_of_each_class(n):
    target = np.repeat(["a", "b", "c", "d"], [3, 1, 45, 1])
    data = RelatedData(
        name="uneven",
        tasks=np.repeat(["one", "two"], 50),
        row_ids=np.tile(np.arange(50), 2).astype(str),
        X=np.arange(100.0).reshape(100, 1),
        target=np.tile(target, 2),
    )
    for seed in range(5):
        small = alterations.cut(data, "two", n, seed)
        assert size(small, "one") == 50
        assert size(small, "two") == n
        assert set(small.target[small.tasks == "two"]) == {"a", "b", "c", "d"}
        assert set(identities(small)) <= set(identities(data))
        assert np.all(np.diff(small.X.ravel()) > 0)


def test_a_cut_is_drawn_from_all_rows_and_without_truth_too(blobs):
    bare = replace(blobs, target=None)
    drawn = [alterations.cut(bare, "task-1", 10, seed).X[30:40, 0] for seed in range(20)]
    assert len(np.unique(drawn)) == 30


def test_fewer_rows_than_classes_are_a_plain_draw(documents):
    assert size(alterations.cut(documents, "task-0", 2, 0), "task-0") == 2


def test_unequal_sizes_are_those_that_are_asked_for(texts, documents):
    data = alterations.unequal(documents, {"task-0": 5, "task-2": 20}, random_state=0)
    assert Counter(data.tasks.tolist()) == {"task-0": 5, "task-1": 30, "task-2": 20}
    assert set(identities(data)) <= set(identities(documents))
    assert len(alterations.unequal(texts, {"home": 1}, random_state=0).texts) == 4


def test_the_given_data_stay_as_they_are(documents):
    before = identities(documents)
    alterations.shuffled_features(documents, "task-0", random_state=0)
    alterations.with_noise(documents, random_state=0)
    alterations.cut(documents, "task-0", 5, random_state=0)
    assert identities(documents) == before


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda d: alterations.unrelated(d, d), "give at least one, and each a name of its own"),
        (lambda d: alterations.unrelated(), "give at least one"),
        (lambda d: alterations.shuffled_features(d, "task-9"), "task is 'task-9'; choose one of"),
        (lambda d: alterations.with_noise(d, 0), "n_rows is 0; give at least 1"),
        (lambda d: alterations.with_noise(alterations.with_noise(d)), "has a task 'noise' already"),
        (
            lambda d: alterations.with_noise(replace(d, X=d.X * 0.5)),
            "sparse, but no table of count",
        ),
        (lambda d: alterations.with_noise(replace(d, X=d.X * 0)), "sparse, but no table of counts"),
        (lambda d: alterations.with_noise(replace(d, X=-d.X)), "sparse, but no table of counts"),
        (lambda d: alterations.cut(d, "task-0", 31), "size of 'task-0' is 31; give at most 30"),
        (lambda d: alterations.cut(d, "task-0", 0), "size of 'task-0' is 0; give at least 1"),
        (lambda d: alterations.cut(d, "here", 5), "task is 'here'; choose one of 'task-0'"),
    ],
)
def test_what_cannot_be_done_gives_a_sentence(documents, change, sentence):
    with pytest.raises(InputError, match=sentence):
        change(documents)


@pytest.mark.parametrize(
    ("classes", "sentence"),
    [
        ({"task-0": ["c0"], "task-1": ["c1"]}, "no entry for task 'task-2'"),
        ({"task-0": ["c0"], "task-1": ["c0"], "task-2": []}, "given to 'task-0' and to 'task-1'"),
        ({"task-0": ["c9"], "task-1": [], "task-2": []}, "no row of class 'c9'; choose from its"),
        ({"task-0": [], "task-1": [], "task-2": [], "x": []}, "task is 'x'; choose one of"),
        (None, "no entry for task 'task-0'"),
        ({"task-0": [3], "task-1": [], "task-2": []}, "classes of 'task-0' is .3.; give a list"),
    ],
)
def test_groups_that_cannot_be_disjoint_give_a_sentence(blobs, classes, sentence):
    with pytest.raises(InputError, match=sentence):
        alterations.disjoint_groups(blobs, classes)


def test_groups_need_true_classes(blobs):
    with pytest.raises(InputError, match="has no true classes"):
        alterations.disjoint_groups(replace(blobs, target=None), {})


def test_columns_of_texts_are_refused_with_what_to_do(texts):
    for change in (alterations.unrelated, lambda d: alterations.shuffled_features(d, "home")):
        with pytest.raises(InputError, match="count the words first"):
            change(texts)


def test_a_table_of_words_and_gaps_is_refused_with_what_to_do():
    birds = kf.read(kf.datasets.penguins_csv(), tasks="island", target="species").data
    for change in (
        alterations.unrelated,
        alterations.with_noise,
        lambda d: alterations.shuffled_features(d, "Dream"),
    ):
        with pytest.raises(InputError, match="has columns of words or with gaps"):
            change(birds)
    assert len(alterations.cut(birds, "Dream", 20, 0)) == 344 - 124 + 20


def test_noise_beside_rows_that_have_documents_has_an_empty_one_each(blobs):
    told = replace(blobs, documents=tuple(f"row {i}" for i in range(len(blobs))))
    noisy = alterations.with_noise(told, 3, 0)
    assert noisy.documents == (*told.documents, "", "", "")


@pytest.mark.parametrize("rows", [[50, 1], [True] * 3, ["a"], 0.5])
def test_rows_that_are_not_there_get_a_sentence(blobs, rows):
    with pytest.raises(InputError, match="^rows is .*; give positions from 0 to 29, or 30 bool"):
        alterations.take(blobs.take(np.arange(30)), rows)
    with pytest.raises(InputError, match="data is 5, which is no RelatedData"):
        alterations.take(5, rows)


@pytest.mark.parametrize("kind", ["documents", "blobs", "texts"])
def test_taking_all_rows_changes_nothing_and_taking_twice_composes(kind, request):
    data = request.getfixturevalue(kind)
    assert identities(alterations.take(data, np.arange(len(data)))) == identities(data)
    once = alterations.take(data, np.array([5, 2, 0, 4]))
    assert identities(alterations.take(once, np.array([3, 1]))) == identities(
        alterations.take(data, np.array([4, 2]))
    )


def test_no_rows_can_be_taken(blobs):
    empty = alterations.take(blobs, np.zeros(len(blobs), dtype=bool))
    assert len(empty) == 0
    assert empty.X.shape == (0, 5)


def test_the_order_of_unrelated_sets_is_the_order_of_their_blocks(documents, blobs):
    first = alterations.unrelated(documents, blobs)
    second = alterations.unrelated(blobs, documents)
    n, d = documents.X.shape
    np.testing.assert_array_equal(first.X.toarray()[:n, :d], second.X.toarray()[-n:, -d:])
    assert first.feature_names[:d] == second.feature_names[-d:]
    assert sorted(first.task_names) == sorted(second.task_names)
    assert (first.name, second.name) == ("documents and blobs", "blobs and documents")


def test_one_set_beside_none_is_itself_under_longer_names(blobs):
    data = alterations.unrelated(blobs)
    np.testing.assert_array_equal(data.X, blobs.X)
    assert data.tasks.tolist() == [f"blobs: {task}" for task in blobs.tasks]
    assert data.origin == blobs.origin


def test_the_origin_of_unrelated_sets_names_each_source_once(blobs):
    others = [replace(blobs, name=name, origin=origin) for name, origin in ("aA", "bB", "cA")]
    assert alterations.unrelated(*others).origin == "A B"


def test_permuted_columns_keep_all_distances_within_the_task(blobs):
    other = alterations.shuffled_features(blobs, "task-2", random_state=3)
    rows = blobs.tasks == "task-2"

    def distances(X):
        return np.linalg.norm(X[rows][:, None] - X[rows][None], axis=2)

    np.testing.assert_allclose(distances(other.X), distances(blobs.X), atol=1e-12)


def test_permuted_columns_lose_their_views(blobs):
    data = replace(blobs, views={"a": slice(0, 2), "b": slice(2, 5)})
    assert alterations.shuffled_features(data, "task-0", random_state=0).views == {}


@pytest.mark.parametrize("kind", ["documents", "blobs", "texts"])
def test_noise_and_draws_depend_on_the_seed_alone(kind, request):
    data = request.getfixturevalue(kind)
    for change in (
        lambda seed: alterations.with_noise(data, 5, seed),
        lambda seed: alterations.cut(data, data.task_names[0], 2, seed),
    ):
        assert identities(change(4)) == identities(change(4))
    noisy = [tuple(identities(alterations.with_noise(data, 5, seed))) for seed in range(5)]
    assert len(set(noisy)) == 5


def test_noise_beside_data_without_classes_has_none(blobs):
    noisy = alterations.with_noise(replace(blobs, target=None), 3, random_state=0)
    assert noisy.target is None
    assert noisy.tasks.tolist()[-3:] == ["noise"] * 3


def test_noise_without_a_number_of_rows_is_as_large_as_the_mean_task(blobs):
    uneven = alterations.cut(blobs, "task-0", 3, random_state=0)
    assert size(alterations.with_noise(uneven, random_state=0), "noise") == 21


def test_a_constant_column_stays_constant_in_noise(blobs):
    X = blobs.X.copy()
    X[:, 2] = 7
    noisy = alterations.with_noise(replace(blobs, X=X), random_state=0)
    np.testing.assert_array_equal(noisy.X[:, 2], 7)


def test_a_task_that_keeps_no_class_disappears(blobs):
    classes = {"task-0": ["c0"], "task-1": [], "task-2": ["c2"]}
    assert alterations.disjoint_groups(blobs, classes).task_names == ["task-0", "task-2"]


def test_a_cut_is_unequal_with_one_task(blobs):
    one = alterations.cut(blobs, "task-1", 7, random_state=2)
    other = alterations.unequal(blobs, {"task-1": 7}, random_state=2)
    assert identities(one) == identities(other)
    assert one.origin == other.origin


def test_a_cut_to_all_rows_changes_nothing(blobs):
    assert identities(alterations.cut(blobs, "task-1", 30, random_state=0)) == identities(blobs)


def test_rare_classes_are_drawn_from_all_their_rows():
    target = np.repeat(["rare", "common"], [4, 36])
    data = RelatedData(
        name="uneven",
        tasks=np.repeat("one", 40),
        row_ids=np.arange(40).astype(str),
        X=np.arange(40.0)[:, None],
        target=target,
    )
    small = [alterations.cut(data, "one", 2, seed) for seed in range(40)]
    rare = {float(cut.X[cut.target == "rare"][0, 0]) for cut in small}
    assert rare == {0, 1, 2, 3}


@pytest.mark.parametrize("kind", ["documents", "blobs"])
def test_every_operation_adds_what_it_did_to_the_origin(kind, request):
    data = request.getfixturevalue(kind)
    changed = alterations.shuffled_features(data, "task-0", random_state=0)
    changed = alterations.with_noise(changed, 3, random_state=0)
    changed = alterations.cut(changed, "task-1", 4, random_state=0)
    assert changed.origin == (
        f"{data.origin} The columns of task-0 are permuted. The task of noise is made by chance. "
        "Drawn to {'task-1': 4} rows."
    )


def test_a_text_is_one_class(blobs):
    rest = {"task-1": ["c1"], "task-2": []}
    found = alterations.disjoint_groups(blobs, {"task-0": "c0", **rest})
    expected = alterations.disjoint_groups(blobs, {"task-0": ["c0"], **rest})
    np.testing.assert_array_equal(found.X, expected.X)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_noise_beside_numbers_that_are_not_finite_gives_a_sentence(blobs, value):
    X = blobs.X.copy()
    X[3, 1] = value
    with pytest.raises(InputError, match="missing or infinite; fill them in"):
        alterations.with_noise(replace(blobs, X=X))
