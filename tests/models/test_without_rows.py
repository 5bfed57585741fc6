"""Models without rows: nothing of a row is in the files, and new rows are still assigned."""

import numpy as np
import pytest
import scipy.sparse as sp
from safetensors.numpy import load_file

import kinfolk as kf
from kinfolk import catalogue
from kinfolk.errors import InputError
from kinfolk.estimators import kept_rows
from kinfolk.methods.multitask.baselines import PerTask
from kinfolk.methods.single.symmetric import SymNMF
from kinfolk.models import nearest_centers, storage, without_rows
from kinfolk.models.model import Model
from stored_fits import SIZES, D, fitted, table

REFUSED = {"gfhf", "llgc", "cdsc"}

pytestmark = [
    pytest.mark.usefixtures("short_sweeps"),
    pytest.mark.filterwarnings("ignore"),
]


@pytest.mark.parametrize("name", [name for name in catalogue.METHODS if name not in REFUSED])
def test_no_array_has_an_entry_for_each_row_and_new_rows_are_assigned(name, tmp_path):
    full = fitted(name)
    size = np.min(full._cluster_sizes[full._cluster_sizes > 0])
    storage.save(Model(full, name), tmp_path / "m", rows=False, minimum_cluster_size=1)
    arrays = load_file(tmp_path / "m" / storage.ARRAYS)
    shapes = {key: a.shape for key, a in arrays.items()}
    assert not [s for s in shapes.values() if {*SIZES, sum(SIZES), sum(SIZES) + 1} & set(s)]
    loaded = storage.load(tmp_path / "m").estimator
    assert kept_rows.of(loaded) == kept_rows.NONE
    new, tasks, _ = table(1)
    found = loaded.predict(new, tasks=tasks)
    expected = full.predict(new, tasks=tasks)
    if isinstance(loaded, nearest_centers.NearestCenters):
        # The groups are clear, and sizes show that the method has found them.
        if size >= 10:
            assert (found == expected).mean() > 0.95
    else:
        np.testing.assert_array_equal(found, expected)
        # The strength is nan where the method has left the cluster empty.
        np.testing.assert_array_equal(loaded.match([0], "a"), full.match([0], "a"))


def test_a_loaded_model_without_rows_can_be_stored_again(tmp_path):
    for rows in (True, False):
        storage.save(fitted("mtcfir"), tmp_path / "one", rows=False)
        again = storage.load(tmp_path / "one")
        storage.save(again, tmp_path / "two", rows=rows)
        for file in (storage.HEADER, storage.ARRAYS):
            assert (tmp_path / "two" / file).read_bytes() == (tmp_path / "one" / file).read_bytes()


def test_the_fitted_estimator_itself_keeps_its_rows():
    estimator = fitted("mec")
    before = estimator.labels_.copy()
    reduced = without_rows.of(estimator)
    assert reduced.labels_.size == 0
    np.testing.assert_array_equal(estimator.labels_, before)
    assert estimator.estimators_[0].memberships_.shape == (SIZES[0], 3)


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_methods_that_spread_known_labels_over_rows_are_refused(name, tmp_path):
    with pytest.raises(InputError, match="store it with the rows, or take a method with weights"):
        kf.save(fitted(name), tmp_path / "m", rows=False, minimum_cluster_size=1)
    assert not (tmp_path / "m").exists()


def test_models_of_given_similarities_are_refused(tmp_path):
    X = table()[0]
    model = PerTask(SymNMF(3, affinity="precomputed", random_state=0)).fit(X @ X.T)
    with pytest.raises(InputError, match="fitted to similarities of rows"):
        kf.save(model, tmp_path / "m", rows=False)


def test_a_cluster_below_the_minimum_is_refused_by_name(tmp_path):
    X = np.repeat([[0.0], [9.0], [30.0]], [12, 3, 1], axis=0)
    model = PerTask(n_clusters=3).fit(X, tasks=["north"] * 16)
    with pytest.raises(InputError, match=r"of north \(. rows\) and 1 more has fewer than 10 rows"):
        kf.save(model, tmp_path / "m", rows=False)
    with pytest.raises(InputError, match="minimum_cluster_size is 0; give a whole number from 1"):
        kf.save(model, tmp_path / "m", rows=False, minimum_cluster_size=0)
    kf.save(model, tmp_path / "m", rows=False, minimum_cluster_size=1)
    said = kept_rows.sentence(kf.load(tmp_path / "m").estimator)
    assert "2 clusters have fewer than 10 rows: their means say much" in said


def test_runs_with_small_clusters_of_their_own_are_not_stored():
    X, tasks, _ = table()
    model = kf.Kinfolk(3, families=["mec", "pooled"], random_state=0).fit(X, tasks=tasks)
    assert isinstance(without_rows.of(model), kf.Kinfolk)
    model._kept_runs[0][1]._cluster_sizes = np.array([1, 36, 41])
    assert isinstance(without_rows.of(model), nearest_centers.NearestCenters)


def arrays_in(value):
    """Every array of numbers inside a fitted estimator."""
    if isinstance(value, np.ndarray):
        yield value
        value = value.tolist() if value.dtype == object else []
    if isinstance(value, list | tuple):
        parts = value
    elif isinstance(value, dict):
        parts = value.values()
    else:
        parts = vars(value).values() if hasattr(value, "__dict__") else []
    for part in parts:
        yield from arrays_in(part)


@pytest.mark.parametrize("rows", ["auto", 60])
def test_a_default_answer_whose_runs_hold_no_rows_keeps_its_vote(rows, tmp_path):
    sizes = (137, 141)
    random = np.random.default_rng(0)
    truth = np.concatenate([np.arange(n) % 3 for n in sizes])
    X = 3 * np.eye(3, D)[truth] + random.random((sum(sizes), D))
    tasks = np.repeat(["a", "b"], sizes)
    model = kf.Kinfolk(3, families=["mec", "pooled"], rows=rows, random_state=0)
    model.fit(X, tasks=tasks)
    kf.save(model, tmp_path / "m", rows=False)
    few = kf.load(tmp_path / "m").estimator
    assert isinstance(few, kf.Kinfolk)
    lengths = {size for array in arrays_in(few) for size in array.shape}
    assert not lengths & {*sizes, sum(sizes)}
    assert all(len(record["changed_rows"]) == 0 for record in few.guard_)
    if rows == 60:
        assert len(model.sampling_["rows"]) == 120
        assert len(few.sampling_["rows"]) == 0
    np.testing.assert_array_equal(few.predict(X, tasks=tasks), model.predict(X, tasks=tasks))


def test_a_model_without_rows_takes_no_new_task():
    rule = without_rows.of(fitted("joint-spectral"))
    with pytest.raises(InputError, match="stored without the rows and can only assign rows of"):
        rule.add_task(table()[0][:20], "c")


def test_a_model_without_means_is_refused():
    model = kf.JointSpectral(3, random_state=0).fit(table()[0])
    model._moments = None
    with pytest.raises(InputError, match="holds no means of its clusters"):
        without_rows.of(model)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("comparison", ["distances", "directions"])
def test_the_nearest_center_is_that_of_a_loop(comparison, sparse):
    rule = nearest_centers.of(fitted("joint-spectral"))
    rule.comparison_ = comparison
    # Of different lengths, so that the nearest and the most parallel center differ.
    rule.cluster_centers_ = rule.cluster_centers_ * np.linspace(0.3, 3, 6)[:, None]
    tasks = table()[1]
    new = np.random.default_rng(2).random((len(tasks), D)) * 4
    expected = []
    for x, task in zip(new, tasks, strict=True):
        own = [
            v for v, c in zip(rule.cluster_centers_, rule.clusters_, strict=True) if c[0] == task
        ]
        if comparison == "directions":
            expected.append(np.argmax([x @ v / np.linalg.norm(v) for v in own]))
        else:
            expected.append(np.argmin([np.sum((x - v) ** 2) for v in own]))
    X = sp.csr_array(new) if sparse else new
    np.testing.assert_array_equal(rule.predict(X, tasks=tasks), expected)


def test_no_new_row_goes_to_a_cluster_without_rows(tmp_path):
    # Two different rows cannot fill three clusters.
    X = np.repeat([[0.0, 1.0], [9.0, 1.0]], 30, axis=0)
    model = kf.JointSpectral(3, random_state=0).fit(X, tasks=["a"] * 60)
    assert len(np.unique(model.labels_)) == 2
    kf.save(model, tmp_path / "m", rows=False, minimum_cluster_size=np.int64(20))
    rule = storage.load(tmp_path / "m").estimator
    new = [[-1.0, -1.0], [0.1, 0.0], [-3.0, 0.5], [2.0, -3.0]]
    assert set(rule.predict(new, tasks="a")) <= set(model.labels_)
    np.testing.assert_array_equal(rule.predict(X, tasks="a"), model.labels_)


def test_profiles_stay_as_means_and_spreads(tmp_path):
    full = fitted("mtcfir")
    kf.save(full, tmp_path / "m", rows=False)
    loaded = kf.load(tmp_path / "m")
    assert loaded.profiles is None
    np.testing.assert_allclose(
        loaded.profiles_.columns[0].mean, full.profiles_.columns[0].mean, atol=1e-12
    )
