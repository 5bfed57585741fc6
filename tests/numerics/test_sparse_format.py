"""A sparse table with an index outside itself is refused before compiled code follows it."""

import copy

import numpy as np
import pytest
import scipy.sparse as sp

import kinfolk as kf
from kinfolk.errors import InputError
from kinfolk.numerics import sparse_format
from kinfolk.preparation import Preparation

DENSE = np.array([[0.0, 2.0, 0.0], [1.0, 0.0, 3.0], [0.0, 0.0, 4.0], [5.0, 6.0, 0.0]] * 3)
KINDS = [sp.csr_array, sp.csr_matrix, sp.csc_array, sp.csc_matrix, sp.coo_array, sp.coo_matrix]
OTHERS = [sp.lil_array, sp.dok_array, sp.dia_array, sp.bsr_array]
TASKS = np.repeat(["a", "b"], 6)


def out_of_range(kind, place=2**28):
    """Sparse table with one index changed to lie outside."""
    X = kind(DENSE)
    if X.format == "coo":
        X.col[4] = place
    else:
        X.indices[4] = place
    return X


@pytest.mark.parametrize("kind", [*KINDS, *OTHERS])
def test_a_sound_table_keeps_its_entries_and_is_not_changed(kind):
    X = kind(DENSE)
    before = copy.deepcopy(X)
    found = sparse_format.checked(X)
    np.testing.assert_array_equal(found.toarray(), DENSE)
    np.testing.assert_array_equal(X.toarray(), before.toarray())
    if X.format in ("csr", "csc"):
        assert np.shares_memory(found.data, X.data)


def test_unused_ends_of_the_arrays_stay_where_they_are():
    X = sp.csr_array(DENSE)
    X.data = np.append(X.data, 7.0)
    X.indices = np.append(X.indices, 0).astype(X.indices.dtype)
    sparse_format.checked(X)
    assert X.data[-1] == 7.0


@pytest.mark.parametrize("place", [3, -1, 2**28, -(2**28)])
@pytest.mark.parametrize("kind", KINDS)
def test_an_index_outside_is_told(kind, place):
    least = 12 if "csc" in kind.__name__ else 3
    if place == 3 and least == 12:
        place = 12
    with pytest.raises(InputError, match="rows is a damaged sparse table .*make it again"):
        sparse_format.checked(out_of_range(kind, place), "rows")


@pytest.mark.parametrize(
    "damage",
    [
        lambda X: X.indptr.__setitem__(1, 99),
        lambda X: X.indptr.__setitem__(0, 1),
        lambda X: X.indptr.__setitem__(3, -5),
        lambda X: setattr(X, "indptr", X.indptr[:-1]),
        lambda X: setattr(X, "data", X.data[:-1]),
        lambda X: setattr(X, "indices", X.indices[:3]),
        lambda X: setattr(X, "indices", None),
    ],
)
def test_parts_that_do_not_fit_are_told(damage):
    X = sp.csr_array(DENSE)
    damage(X)
    with pytest.raises(InputError, match="damaged sparse table"):
        sparse_format.checked(X)


def test_a_coordinate_without_an_entry_is_told():
    X = sp.coo_array(DENSE)
    X.data = X.data[:-1]
    with pytest.raises(InputError, match="indices for"):
        sparse_format.checked(X)


ESTIMATORS = {
    "per task": lambda: kf.PerTask(n_clusters=2),
    "pooled": lambda: kf.Pooled(n_clusters=2),
    "mtcfir": lambda: kf.MTCFIR(2, n_init=1, random_state=0),
    "mec": lambda: kf.PerTask(kf.MEC(2, random_state=0)),
    "default": lambda: kf.Kinfolk(2, families=["kmeans"], random_state=0),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_no_estimator_follows_an_index_outside(name, kind):
    with pytest.raises(InputError, match="damaged sparse table"):
        ESTIMATORS[name]().fit(out_of_range(kind), tasks=TASKS)
    if name != "default":  # whose fit takes a second; `samples` is the same for all
        fitted = ESTIMATORS[name]().fit(sp.csr_array(DENSE), tasks=TASKS)
        with pytest.raises(InputError, match="damaged sparse table"):
            fitted.predict(out_of_range(kind), tasks=TASKS)


def test_tables_are_checked_before_they_are_joined_prepared_or_measured():
    X = out_of_range(sp.csr_array)
    for join in (kf.stack, kf.join):
        with pytest.raises(InputError, match="'b' is a damaged sparse table"):
            join({"a": sp.csr_array(DENSE), "b": X})
    with pytest.raises(InputError, match="damaged sparse table"):
        kf.by_task(X, TASKS)
    data = kf.RelatedData("t", TASKS, np.arange(12).astype(str), X, tuple("abc"))
    with pytest.raises(InputError, match="damaged sparse table"):
        Preparation(scale="unit").fit_transform(data)
    labels = np.tile([0, 1], 6)
    for measure in (kf.measures.silhouette, kf.measures.davies_bouldin, kf.measures.dunn):
        with pytest.raises(InputError, match="damaged sparse table"):
            measure(X, labels)
    with pytest.raises(InputError, match="damaged sparse table"):
        kf.measures.mmd(X, TASKS)


def test_a_sparse_table_with_repeated_entries_stays_the_callers():
    X = sp.csr_array(([1.0, 2.0, 3.0, 4.0], [2, 0, 1, 1], [0, 2, 4]), shape=(2, 3))
    before = X.toarray()
    for part in (X.data, X.indices, X.indptr):
        part.flags.writeable = False
    found = sparse_format.compact(X)
    np.testing.assert_array_equal(found.toarray(), before)
    assert found.has_canonical_format
    assert (X.data.tolist(), X.indices.tolist()) == ([1.0, 2.0, 3.0, 4.0], [2, 0, 1, 1])
