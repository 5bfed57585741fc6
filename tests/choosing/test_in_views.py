import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

import kinfolk as kf
from kinfolk.choosing import changes, view_answer, view_coregularized
from kinfolk.errors import InputError

LABELS = np.repeat([0, 1, 2], 14)


def blobs(seed, spread=1.0, d=4):
    random = np.random.RandomState(seed)
    return 5 * random.randn(3, d)[LABELS] + spread * random.randn(len(LABELS), d)


def noise(seed, d=4):
    return np.random.RandomState(seed).randn(len(LABELS), d)


def fitted(views, **parameters):
    X, columns = kf.join(views)
    given = {"families": ["kmeans", "spectral"], "random_state": 0, **parameters}
    return kf.Kinfolk(3, views=columns, **given).fit(X), X


@pytest.fixture(scope="module")
def model():
    return fitted({"a": blobs(0, 2.0), "b": blobs(1, 2.0), "n": noise(2), "c": blobs(3, 2.0)})


def test_clusters_that_views_share_are_the_answer(model):
    assert adjusted_rand_score(LABELS, model[0].labels_) == 1


def test_a_view_of_noise_is_left_out_and_the_record_says_that_it_would_harm(model):
    records = {record["view"]: record for record in model[0].view_guard_}
    assert not records["n"]["takes_part"]
    assert records["n"]["weight"] == 0
    assert "adding it would harm" in records["n"]["meaning"]
    assert all(records[view]["takes_part"] for view in "abc")
    assert "3 of 4 views were joined (not n" in model[0].guard_[0]["meaning"]


def test_views_have_names_weights_own_clusters_and_agreement(model):
    found, _ = model
    assert found.view_names_.tolist() == ["a", "b", "n", "c"]
    assert found.view_weights_.sum() == pytest.approx(1)
    assert found.own_view_labels_.shape == (len(LABELS), 4)
    A = found.view_agreement_
    expected = adjusted_rand_score(found.own_view_labels_[:, 0], found.own_view_labels_[:, 2])
    assert A[0, 2] == pytest.approx(expected)
    assert np.diag(A).tolist() == [1, 1, 1, 1]


def test_own_labels_are_those_of_the_best_supported_view(model):
    found, _ = model
    best = max(found.view_guard_, key=lambda record: record["support"])["view"]
    place = found.view_names_.tolist().index(best)
    assert (found.own_labels_ == found.own_view_labels_[:, place]).all()


def test_the_record_of_an_answer_has_the_keys_of_a_single_table(model):
    table = kf.Kinfolk(3, families=["kmeans"], random_state=0).fit(blobs(0))
    assert model[0].guard_[0].keys() == table.guard_[0].keys()
    assert model[0].evidence_[0].keys() == table.evidence_[0].keys()


def test_new_rows_get_the_clusters_of_their_nearest_rows(model):
    found, X = model
    assert adjusted_rand_score(found.predict(X), found.labels_) > 0.95


def test_a_fit_to_one_table_forgets_the_views(model):
    found, X = model
    again = clone(found).set_params(families=["kmeans"]).fit(X)
    again.set_params(views=None).fit(X)
    assert not hasattr(again, "view_weights_")
    assert not hasattr(again, "own_view_labels_")
    assert len(again.predict(X[:3])) == 3


def test_rows_in_another_order_have_the_same_clusters(model):
    found, X = model
    order = np.random.RandomState(0).permutation(len(X))
    again = clone(found).fit(X[order])
    assert adjusted_rand_score(again.labels_, found.labels_[order]) == 1
    np.testing.assert_allclose(again.view_weights_, found.view_weights_)
    for v in range(4):
        assert (
            adjusted_rand_score(again.own_view_labels_[:, v], found.own_view_labels_[order, v]) == 1
        )


def test_views_that_disagree_leave_the_clearest_one():
    other = blobs(1, 0.3)[np.random.RandomState(0).permutation(len(LABELS))]
    found, _ = fitted({"dim": blobs(0, 2.5), "clear": other})
    assert "alone" in found.guard_[0]["meaning"]
    assert "No view supports" in found.guard_[0]["meaning"]
    assert (found.labels_ == found.own_labels_).all()
    assert found.view_weights_.max() == 1


def test_one_view_is_clustered_by_itself():
    found, _ = fitted({"a": blobs(0)})
    assert adjusted_rand_score(found.labels_, found.own_view_labels_[:, 0]) == 1
    assert found.guard_[0]["meaning"].startswith("There is one view")


def test_joined_views_that_fit_a_left_out_view_worse_are_refused():
    """The guard looks at held-out views: a negative mean gain keeps the best view."""
    views = {"a": blobs(0, 2.0), "b": blobs(1, 2.0), "c": blobs(3, 2.0)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(view_answer.view_fusion, "held_out_gains", lambda *_: np.full(3, -0.1))
        found, _ = fitted(views)
    assert found.guard_[0]["source"] == "own"
    assert (found.labels_ == found.own_labels_).all()
    assert found.view_weights_.max() == 1
    assert "worse than" in found.guard_[0]["meaning"]


def test_sparse_views_of_counts_are_joined_too():
    random = np.random.RandomState(0)
    rates = np.kron(np.eye(3), np.full((1, 8), 2.0)) + 0.1
    counts = [sp.csr_array(random.poisson(rates[LABELS]).astype(float)) for _ in range(2)]
    found, X = fitted({"one": counts[0], "two": counts[1]})
    assert adjusted_rand_score(LABELS, found.labels_) == 1
    assert adjusted_rand_score(LABELS, found.predict(X)) == 1


def test_each_task_has_its_own_answer():
    X, columns = kf.join({"a": blobs(0), "b": blobs(1)})
    tasks = np.tile(["x", "y"], len(LABELS) // 2)
    found = kf.Kinfolk(3, views=columns, families=["kmeans"], random_state=0).fit(X, tasks=tasks)
    for task in "xy":
        assert adjusted_rand_score(LABELS[tasks == task], found.labels_[tasks == task]) == 1
    assert [record["task"] for record in found.view_guard_] == ["x", "x", "y", "y"]


def test_new_rows_are_assigned_in_a_task_of_fewer_clusters_than_another():
    tasks = np.repeat(["a", "b"], len(LABELS))
    X, columns = kf.join({name: np.vstack([blobs(seed)] * 2) for seed, name in enumerate("vw")})
    rows = np.flatnonzero((tasks == "a") | (np.tile(LABELS, 2) < 2))
    X, tasks = X[rows], tasks[rows]
    model = kf.Kinfolk({"a": 3, "b": 2}, views=columns, families=["kmeans"], random_state=0)
    model.fit(X, tasks=tasks)
    np.testing.assert_array_equal(model.predict(X, tasks=tasks), model.labels_)
    shares = model.transform(X, tasks=tasks)
    np.testing.assert_array_equal(shares.argmax(axis=1), model.matched_labels_)


def test_the_order_of_tasks_changes_no_answer():
    X, columns = kf.join({"a": blobs(0, 9.0), "b": blobs(1, 9.0)})
    tasks = np.tile(["x", "y"], len(LABELS) // 2)
    model = kf.Kinfolk(3, views=columns, families=["kmeans"], random_state=0)
    found = clone(model).fit(X, tasks=tasks).labels_
    turned = clone(model).fit(X[::-1], tasks=tasks[::-1]).labels_[::-1]
    for task in "xy":
        assert adjusted_rand_score(found[tasks == task], turned[tasks == task]) == 1


def test_a_model_of_views_is_stored_and_read(model, tmp_path):
    found, X = model
    kf.save(found, tmp_path / "model")
    again = kf.load(tmp_path / "model").estimator
    assert (again.predict(X) == found.predict(X)).all()
    assert again.view_guard_[2]["meaning"] == found.view_guard_[2]["meaning"]
    assert again.level_kept() == "rows"


def test_a_model_without_rows_assigns_to_centers(model, tmp_path):
    found, X = model
    kf.save(found, tmp_path / "model", rows=False, minimum_cluster_size=1)
    again = kf.load(tmp_path / "model").estimator
    assert adjusted_rand_score(again.predict(X), found.labels_) > 0.8


def test_samples_of_a_large_table_place_the_other_rows():
    found, _ = fitted({"a": blobs(0), "b": blobs(1)}, rows=30, families=["kmeans"])
    assert adjusted_rand_score(LABELS, found.labels_) == 1
    assert len(found.sampling_["rows"]) == 30


def test_known_classes_are_refused_in_a_sentence():
    X, columns = kf.join({"a": blobs(0), "b": blobs(1)})
    y = np.where(np.arange(len(LABELS)) % 2, LABELS, -1)
    with pytest.raises(InputError, match="leave y or `views` out"):
        kf.Kinfolk(3, views=columns).fit(X, y)


def test_families_that_are_asked_for_cluster_the_views():
    found, _ = fitted({"a": blobs(0), "b": blobs(1)}, families=["kmeans", "pooled"])
    families = {record["family"] for record in found.evidence_}
    assert families >= {"kmeans", view_coregularized.NAME}
    assert families <= {"kmeans", view_coregularized.NAME, "joined-kmeans", "cofkm"}


def test_changed_rows_are_positions_where_the_answer_differs_from_the_best_view(model):
    found, _ = model
    differ = changes.differ(found.own_labels_, found.labels_)
    assert found.guard_[0]["changed_rows"].tolist() == np.flatnonzero(differ).tolist()


def lacking(X, columns, share, seed=0):
    """Set a share of views of rows to NaN, leaving at least one view in each row."""
    random = np.random.RandomState(seed)
    X = X.copy()
    gone = random.uniform(size=(len(X), len(columns))) < share
    gone[np.arange(len(X)), random.randint(len(columns), size=len(X))] = False
    for v, own in enumerate(columns.values()):
        rows = np.flatnonzero(gone[:, v])
        X[np.ix_(rows, np.arange(X.shape[1])[own])] = np.nan
    return X, gone


@pytest.fixture(scope="module")
def partly():
    X, columns = kf.join({"a": blobs(0), "b": blobs(1), "c": blobs(3)})
    X, gone = lacking(X, columns, 0.4)
    given = {"families": ["kmeans", "spectral"], "random_state": 0}
    return kf.Kinfolk(3, views=columns, **given).fit(X), X, gone


def test_rows_that_lack_views_are_clustered_by_those_that_they_have(partly):
    found, _, gone = partly
    assert gone.sum() > 25
    assert adjusted_rand_score(LABELS, found.labels_) == 1


def test_a_view_has_no_cluster_for_a_row_that_lacks_it(partly):
    found, _, gone = partly
    assert ((found.own_view_labels_ < 0) == gone).all()
    assert [record["missing"] for record in found.view_guard_] == gone.sum(axis=0).tolist()
    assert "rows lack it" in found.view_guard_[0]["meaning"]
    assert found.own_labels_.min() == 0


def test_new_rows_may_lack_views_too(partly):
    found, X, _ = partly
    assert adjusted_rand_score(found.predict(X), LABELS) > 0.9
    np.testing.assert_allclose(found.transform(X).sum(axis=1), 1)


def test_missing_blocks_are_no_values(partly):
    """Reordered rows, and other numbers in missing blocks, change nothing."""
    found, X, gone = partly
    order = np.random.RandomState(1).permutation(len(X))
    again = clone(found).fit(X[order])
    assert adjusted_rand_score(again.labels_, found.labels_[order]) == 1
    assert ((again.own_view_labels_ < 0) == gone[order]).all()


def test_a_model_with_missing_views_is_stored(partly, tmp_path):
    found, X, _ = partly
    kf.save(found, tmp_path / "model")
    again = kf.load(tmp_path / "model").estimator
    assert (again.predict(X) == found.predict(X)).all()


def test_samples_may_lack_views(partly):
    found, X, gone = partly
    again = clone(found).set_params(rows=36).fit(X)
    assert adjusted_rand_score(LABELS, again.labels_) > 0.8
    assert sum(record["missing"] for record in again.view_guard_) > 10


def test_a_view_with_a_hole_in_it_is_refused(partly):
    found, X, gone = partly
    X = X.copy()
    X[np.flatnonzero(~gone[:, 0])[0], 0] = np.nan
    with pytest.raises(InputError, match="may be missing from a row as a whole"):
        clone(found).fit(X)


def test_a_view_of_fewer_rows_than_clusters_is_refused():
    X, columns = kf.join({"a": blobs(0), "b": blobs(1)})
    X[2:, columns["b"]] = np.nan
    with pytest.raises(InputError, match="view 'b' is there in 2 rows"):
        kf.Kinfolk(3, views=columns).fit(X)


@pytest.mark.parametrize("k", [3, "auto"])
def test_a_view_that_a_whole_task_lacks_is_refused(k):
    X, columns = kf.join({"a": blobs(0), "b": blobs(1)})
    X[:20, columns["b"]] = np.nan
    with pytest.raises(InputError, match="view 'b' is missing .* all 20 rows of task True"):
        kf.Kinfolk(k, views=columns).fit(X, tasks=np.arange(42) < 20)


def test_without_views_a_gap_is_refused_as_before():
    X = blobs(0)
    X[0, 0] = np.nan
    with pytest.raises(InputError):
        kf.Kinfolk(3).fit(X)


@pytest.mark.parametrize(("gains", "joined"), [([-0.1, 0.08, -0.02], True), ([-0.1] * 3, False)])
def test_a_loss_within_the_standard_error_refuses_nothing(gains, joined):
    views = {"a": blobs(0, 2.0), "b": blobs(1, 2.0), "c": blobs(3, 2.0)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(view_answer.view_fusion, "held_out_gains", lambda *_: np.array(gains))
        found, _ = fitted(views, families=["kmeans"])
    assert (found.guard_[0]["source"] == "views") == joined
    assert found.guard_[0]["evidence"] < 0


def test_a_late_data_set_may_lack_views():
    X, columns = kf.join({"a": blobs(0), "b": blobs(1)})
    model = kf.Kinfolk(3, views=columns, families=["kmeans", "spectral"], random_state=0)
    model.fit(X, tasks=["first"] * len(X))
    late, _ = lacking(X, columns, 0.4)
    added = model.add_task(late, "late")
    assert adjusted_rand_score(LABELS, added.labels) == 1
    np.testing.assert_array_equal(added.matched_labels, model.matched_labels_)
    assert model.task_names_.tolist() == ["first", "late"]


def test_numbers_of_clusters_do_not_depend_on_the_units_of_a_view():
    views = {"a": blobs(0), "b": 1e6 * noise(5), "c": blobs(1)}
    X, columns = kf.join(views)
    model = kf.Kinfolk("auto", views=columns, families=["kmeans"], random_state=0)
    with pytest.warns(UserWarning, match="n_clusters='auto' took 3"):
        model.fit(X)
    assert model.n_clusters_.tolist() == [3]
