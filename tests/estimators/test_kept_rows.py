"""The level of facts about rows that an estimator declares is what its stored model holds."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from safetensors.numpy import load_file
from sklearn.cluster import DBSCAN, KMeans

from kinfolk import catalogue
from kinfolk.estimators import facets, kept_rows
from kinfolk.estimators.kept_rows import LABELS, MEMBERSHIPS, NONE, ROWS
from kinfolk.methods.multitask.baselines import PerTask, Pooled
from kinfolk.methods.single.entropy import MEC
from kinfolk.methods.single.symmetric import SymNMF
from kinfolk.models import storage
from kinfolk.models.model import Model
from kinfolk.numerics import content_order
from stored_fits import PLANTED, SIZES, fitted, table

pytestmark = pytest.mark.usefixtures("short_sweeps")


def stored_arrays(estimator, name, folder):
    """Load every array of a saved model, sparse ones as dense, and the header's text."""
    storage.save(Model(estimator, name), folder)
    arrays = load_file(folder / storage.ARRAYS)
    text = (folder / storage.HEADER).read_text()
    sparse = [sp.csr_array((arrays[d], arrays[i], arrays[p]), shape=shape).toarray()
              for d, i, p, shape in tables(json.loads(text))]  # fmt: skip
    return [*arrays.values(), *sparse], text


def tables(value):
    """Names of the parts of each sparse table in a header, with its shape."""
    if isinstance(value, dict):
        if "csr" in value:
            yield [*(part["array"] for part in value["csr"]), tuple(value["shape"])]
        else:
            for item in value.values():
                yield from tables(item)
    elif isinstance(value, list):
        for item in value:
            yield from tables(item)


def per_row(arrays):
    """Arrays with several numbers per row, as {name: (rows, numbers)}."""
    sizes = {*SIZES, sum(SIZES)}
    flat = [a.reshape(len(a), -1) for a in arrays if a.ndim > 1 and len(a) in sizes]
    return [a for a in flat if a.shape[1] > 1]


def gives_rows_back(A):
    """True if the rows (or their directions) can be computed linearly from A (n, m)."""
    X, tasks, _ = table()
    # Models hold rows in the order of their content.
    for order in (np.arange(len(X)), content_order.order(X, (tasks == "b").astype(int)).rows):
        if _gives_back(A, X[order], [tasks[order] == "a", tasks[order] == "b"]):
            return True
    return False


def _gives_back(A, X, parts):
    if len(A) == len(X):
        pairs = [(A[part], X[part]) for part in parts]
    else:
        pairs = [(A, X[parts[SIZES.index(len(A))]])]
    return any(linear(known, own) or linear(known, unit(own)) for known, own in pairs)


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def linear(A, rows):
    """True if the rows (n, d) are linear functions of A (n, m) with fewer columns than rows."""
    used = A[:, A.any(axis=0)].astype(float)
    design = np.column_stack([used, np.ones(len(A))])
    if design.shape[1] >= len(A):
        return False  # any rows would fit
    left = rows - design @ np.linalg.lstsq(design, rows, rcond=None)[0]
    return np.linalg.norm(left) < 1e-6 * np.linalg.norm(rows - rows.mean(axis=0))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", catalogue.METHODS)
def test_the_declared_level_is_what_the_stored_model_holds(name, tmp_path):
    estimator = fitted(name)
    level = kept_rows.of(estimator)
    arrays, text = stored_arrays(estimator, name, tmp_path / "model")
    each = per_row(arrays)
    assert any(map(gives_rows_back, each)) == (level == ROWS)
    planted = any((a == PLANTED).any() for a in arrays if a.dtype.kind == "f")
    assert level == ROWS or not planted
    assert str(PLANTED) not in text
    if level == LABELS:
        assert not each
        assert not any(a.dtype == np.uint64 for a in arrays)  # hashes
    if level == MEMBERSHIPS:
        assert each
    # Declared without a fit, so that a reader of the catalogue knows before.
    assert kept_rows.LEVELS.index(level) <= kept_rows.LEVELS.index(
        kept_rows.of(catalogue.method(name).make())
    )


@pytest.mark.filterwarnings("ignore")
def test_the_default_answer_holds_the_planted_value_as_its_runs_hold_rows(tmp_path):
    for name in ("kinfolk", "mtcfir", "joint-spectral", "clr"):
        arrays, _ = stored_arrays(fitted(name), name, tmp_path / name)
        assert any((a == PLANTED).any() for a in arrays if a.dtype.kind == "f"), name


def test_every_estimator_of_the_library_declares_a_level():
    for entry in catalogue.METHODS.values():
        if entry.cls is not KMeans:
            assert isinstance(entry.make(), facets.KeepsRows), entry.name
            assert entry.cls.keeps in kept_rows.LEVELS


def test_wrappers_are_what_they_wrap():
    assert kept_rows.of(PerTask(SymNMF())) == ROWS
    assert kept_rows.of(Pooled(KMeans())) == LABELS
    assert kept_rows.of(PerTask(DBSCAN())) == ROWS  # not known, so the worst
    X, tasks, _ = table()
    assert kept_rows.of(PerTask(SymNMF(3, affinity="cosine")).fit(X, tasks=tasks)) == MEMBERSHIPS
    kernels = SymNMF(3, affinity="gaussian", random_state=0)
    assert kept_rows.of(PerTask(kernels).fit(X, tasks=tasks)) == ROWS


def test_an_added_task_counts():
    X, tasks, _ = table()
    model = PerTask(SymNMF(3, affinity="auto", random_state=0)).fit(X, tasks=tasks)
    model.set_params(estimator=KMeans(3, n_init=1, random_state=0)).fit(X, tasks=tasks)
    assert kept_rows.of(model) == LABELS
    model.add_task(X[:20], "c")
    model.added_tasks_.append(fitted("mtcfir"))
    assert kept_rows.of(model) == ROWS


def test_memberships_of_more_clusters_than_columns_give_a_row_back():
    X = np.random.default_rng(1).random((60, 2))
    model = MEC(4, temperature=0.05, random_state=0).fit(X)
    V = model.cluster_centers_
    # log u_k / u_0 = (2 x (v_k - v_0) - |v_k|^2 + |v_0|^2) / temperature: k - 1 linear equations
    logs = np.log(model.memberships_[:, 1:] / model.memberships_[:, :1])
    right = 0.05 * logs + (V[1:] ** 2).sum(axis=1) - (V[0] ** 2).sum()
    found = np.linalg.lstsq(2 * (V[1:] - V[0]), right.T, rcond=None)[0].T
    np.testing.assert_allclose(found, X, atol=0.01)


@pytest.mark.parametrize(
    ("sizes", "ending"),
    [
        ((12, 11), "and means of clusters."),
        ((12, 3), "One cluster has fewer than 10 rows: its mean says much about each of them."),
        ((4, 3), "2 clusters have fewer than 10 rows: their means say much about each of them."),
    ],
)
def test_the_sentence_counts_small_clusters(sizes, ending):
    X = np.repeat([[0.0], [9.0]], sizes, axis=0)
    assert kept_rows.sentence(PerTask(n_clusters=2).fit(X)).endswith(ending)


def test_the_sentence_can_be_about_another_level():
    model = PerTask(n_clusters=2).fit(np.repeat([[0.0], [9.0]], 12, axis=0))
    assert kept_rows.sentence(model, NONE).startswith("The model holds nothing about single rows")
    assert kept_rows.sentence(model, ROWS).startswith("The model holds the rows of the fit: only")
