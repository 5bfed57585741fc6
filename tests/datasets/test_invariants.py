"""Laws that every data set at hand must keep: the embedded ones and those of the makers."""

import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk import datasets

MAKERS = {
    "blobs": lambda seed: datasets.make_related_blobs(20, random_state=seed),
    "documents": lambda seed: datasets.make_related_documents(20, random_state=seed),
    **{name: datasets.AVAILABLE[name].loader for name in datasets.ADVERSARIAL},
    "digits-two-sources": lambda seed: datasets.load_digits_two_sources((40, 30), seed),
    "toydata": datasets.make_toydata,
    "syn500": datasets.make_syn500,
    **{
        f"simulated-transfer-{scene}": lambda seed, scene=scene: datasets.make_transfer_scene(
            scene, seed
        )
        for scene in ("x1", "x2", "x3", "x4")
    },
}
COUNTS = ("documents", "unrelated-documents", "noise-documents", "few-documents")


@pytest.fixture(scope="module")
def made():
    """Fixture: each data set made once with seed 0; do not modify."""
    return {name: make(0) for name, make in MAKERS.items()}


def dense(X):
    return X.toarray() if sp.issparse(X) else X


@pytest.mark.parametrize("name", MAKERS)
def test_all_fields_have_one_entry_per_row_and_per_column(name, made):
    data = made[name]
    n, d = data.X.shape
    assert len(data.tasks) == len(data.row_ids) == len(data.target) == len(data) == n
    assert len(data.feature_names) == len(set(data.feature_names)) == d
    assert data.texts is None


@pytest.mark.parametrize("name", MAKERS)
def test_rows_have_names_of_their_own_within_a_task(name, made):
    data = made[name]
    assert len(set(zip(data.tasks.tolist(), data.row_ids.tolist(), strict=True))) == len(data)


@pytest.mark.parametrize("name", MAKERS)
def test_tasks_and_classes_are_words(name, made):
    data = made[name]
    for values in (data.tasks, data.row_ids, data.target):
        assert values.dtype.kind == "U"
        assert all(values.tolist())


@pytest.mark.parametrize("name", MAKERS)
def test_rows_of_a_task_stand_together(name, made):
    tasks = made[name].tasks
    assert np.sum(tasks[1:] != tasks[:-1]) == len(made[name].task_names) - 1


@pytest.mark.parametrize("name", MAKERS)
def test_numbers_are_finite_and_in_double_precision(name, made):
    X = dense(made[name].X)
    assert X.dtype == np.float64
    assert np.all(np.isfinite(X))


@pytest.mark.parametrize("name", COUNTS)
def test_documents_are_sparse_counts_without_empty_rows(name, made):
    X = made[name].X
    assert X.format == "csr"
    assert X.data.min() >= 1
    np.testing.assert_array_equal(X.data, np.rint(X.data))
    assert X.sum(axis=1).min() >= 1


@pytest.mark.parametrize("name", MAKERS)
def test_views_cover_all_columns_without_overlap(name, made):
    data = made[name]
    columns = [j for view in data.views.values() for j in range(view.start, view.stop)]
    assert columns in ([], list(range(data.X.shape[1])))


@pytest.mark.parametrize("name", MAKERS)
def test_the_same_seed_gives_the_same_data_in_arrays_of_its_own(name, made):
    first = made[name]
    again = MAKERS[name](0)
    np.testing.assert_array_equal(dense(first.X), dense(again.X))
    assert first.target.tolist() == again.target.tolist()
    for a, b in ((first.tasks, again.tasks), (first.target, again.target)):
        assert not np.shares_memory(a, b)
    if not sp.issparse(first.X):
        assert not np.shares_memory(first.X, again.X)


@pytest.mark.parametrize("name", MAKERS)
def test_another_seed_gives_other_data_of_the_same_shape(name, made):
    other = MAKERS[name](1)
    assert other.X.shape == made[name].X.shape
    assert other.tasks.tolist() == made[name].tasks.tolist()
    assert abs(made[name].X - other.X).max() > 0


@pytest.mark.parametrize("name", MAKERS)
def test_the_origin_is_a_sentence(name, made):
    assert made[name].origin.endswith(".")
