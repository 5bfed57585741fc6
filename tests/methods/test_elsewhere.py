"""Methods that work where arrays of other libraries lie: their laws, and what others say."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cluster import KMeans

import kinfolk as kf
import laws
from kinfolk.catalogue import METHODS
from kinfolk.errors import InputError
from kinfolk.testing.subject import related
from libraries import LIBRARIES, given_arrays

X, TASKS, _ = related(noise=1.0)
KNOWN = kf.Knowledge(X[:3] + 0.3, [30.0, 30.0, 30.0])
WEIGHT = np.arange(len(X)) % 3 + 0.5

ENTRIES = {
    name: METHODS[name].variant(name, preset)
    for name, preset in {
        "mec": {},
        "kt-mec": {},
        "soft-kmeans": {},
        "lssmtc": {},
        "mcda": {},
        "symnmf": {"affinity": "cosine"},
        "cf": {},
        "mtcmrl": {"affinity": "cosine"},
        "per-task": {},
        "pooled": {},
    }.items()
}

QUICK = {
    "clear_groups_are_found",
    "the_order_of_rows_does_not_matter",
    "inputs_stay_as_they_are",
    "the_global_generator_is_untouched",
    "single_precision_finds_clear_groups_and_assigns_rows",
    "rows_are_assigned_independently_of_each_other",
    "rows_of_the_fit_keep_their_labels",
    "unknown_and_missing_tasks_are_refused",
    "other_columns_than_those_of_the_fit_are_refused",
}
"""Laws that take milliseconds; `python -m pytest -m slow` asks for the others."""

OTHER_TABLES = {
    "a_fit_survives_pickling",
    "data_frames_may_number_their_columns",
    "every_container_gives_the_same_labels",
    "other_number_formats_give_the_same_fit",
    "sparse_and_dense_tables_agree",
    "read_only_tables_are_taken",
}
"""Laws whose tables are no arrays of floats, or which find a class by its name."""

SIGNS = {"results_for_rows_move_with_the_rows", "tasks_may_be_given_in_many_forms"}
"""Laws that compare axes of a subspace, whose signs are up to the rounding of sums over rows."""


def laws_of(name, among):
    left_out = OTHER_TABLES | (SIGNS if name in ("lssmtc", "mcda") else set())
    return [
        law for law, applies in among if applies(ENTRIES[name]) and law.__name__ not in left_out
    ]


FIRST = [
    pytest.param(law, entry, id=f"{name}-{law.__name__}")
    for name, entry in ENTRIES.items()
    for law in laws_of(name, laws.LAWS)
    if law.__name__ in QUICK
]


@pytest.mark.parametrize("convert", LIBRARIES[1:])
@pytest.mark.parametrize(("law", "entry"), FIRST)
def test_a_quick_law_holds_for_arrays_of_other_libraries(law, entry, convert):
    law(given_arrays(entry, convert))


# Not yet of these two: in blocks two rows of 80 follow the order of the rows (cf), and a table of
# dependent columns brings SciPy's warning of a singular matrix (mtcmrl).
SLOW = [name for name in ENTRIES if name not in ("cf", "mtcmrl")]


@pytest.mark.slow
@pytest.mark.parametrize("convert", LIBRARIES)
@pytest.mark.parametrize("name", SLOW)
def test_each_law_holds_for_arrays_of_other_libraries(name, convert, request):
    if "slow" not in request.config.getoption("markexpr"):
        pytest.skip("all laws of one method take half a minute: python -m pytest -m slow")
    entry = given_arrays(ENTRIES[name], convert)
    for law in laws_of(name, laws.LAWS):
        law(entry)
    for law in laws_of(name, laws.TABLE_LAWS):
        for table in laws.AWKWARD:
            law(entry, table)


ALONE = {
    "mec": kf.MEC(3, random_state=0),
    "kt-mec": kf.KTMEC(knowledge=KNOWN, own_share=0.5, random_state=0),
}
TOGETHER = {
    "per-task": kf.PerTask(KMeans(3, n_init=2, random_state=0)),
    "pooled": kf.Pooled(kf.MEC(3, random_state=0)),
    "lssmtc": kf.LSSMTC(3, n_init=2, random_state=0),
}


@pytest.mark.parametrize("convert", LIBRARIES)
@pytest.mark.parametrize("name", ALONE)
def test_a_fit_is_that_of_the_same_numbers_of_numpy(name, convert):
    found = clone(ALONE[name]).fit(convert(X), sample_weight=convert(WEIGHT))
    same = clone(ALONE[name]).fit(X, sample_weight=WEIGHT)
    np.testing.assert_array_equal(found.labels_, same.labels_)
    np.testing.assert_allclose(found.cluster_centers_, same.cluster_centers_, rtol=1e-10)
    np.testing.assert_allclose(found.objective_trace_, same.objective_trace_, rtol=1e-10)
    np.testing.assert_allclose(found.memberships_, same.memberships_, atol=1e-10)
    kinds = {type(value) for value in vars(found).values() if hasattr(value, "shape")}
    assert kinds == {np.ndarray}


@pytest.mark.parametrize("convert", LIBRARIES)
@pytest.mark.parametrize("name", TOGETHER)
def test_a_fit_of_tasks_is_that_of_the_same_numbers_of_numpy(name, convert):
    codes = np.unique(TASKS, return_inverse=True)[1]
    found = clone(TOGETHER[name]).fit(convert(X), tasks=convert(codes.astype(float)))
    same = clone(TOGETHER[name]).fit(X, tasks=codes.astype(float))
    np.testing.assert_array_equal(found.labels_, same.labels_)
    np.testing.assert_array_equal(found.matched_labels_, same.matched_labels_)
    np.testing.assert_array_equal(found.predict(convert(X[:4]), 0.0), same.predict(X[:4], 0.0))


@pytest.mark.parametrize("convert", LIBRARIES)
@pytest.mark.parametrize("make", [kf.SymNMF, kf.MTCMRL, kf.ConceptFactorization])
def test_products_with_rows_of_other_libraries_give_the_fit_of_their_blocks(make, convert):
    cosines = {} if make is kf.ConceptFactorization else {"affinity": "cosine"}
    model = make(n_clusters=3, n_init=2, max_iter=30, random_state=0, **cosines)
    found = clone(model).fit(convert(X))
    same = clone(model).fit(kf.Blocks(X))
    np.testing.assert_array_equal(found.labels_, same.labels_)
    np.testing.assert_allclose(found.objective_trace_, same.objective_trace_, rtol=1e-8)
    np.testing.assert_array_equal(found.predict(convert(X)), same.predict(X))


@pytest.mark.parametrize("make", [kf.SymNMF, kf.JointSpectral, kf.Kinfolk])
def test_a_method_that_needs_numpy_says_so_for_what_lies_elsewhere(make):
    far = LIBRARIES[1].values[0](X)
    with pytest.raises(InputError, match=r"on Device\('device1'\), and this works on arrays of N"):
        make(n_clusters=3).fit(far)


def test_a_method_that_needs_numpy_takes_what_lies_in_the_memory_of_the_processor():
    near = LIBRARIES[0].values[0](X)
    found = kf.JointSpectral(3, random_state=0).fit(near, tasks=TASKS)
    same = kf.JointSpectral(3, random_state=0).fit(X, tasks=TASKS)
    np.testing.assert_array_equal(found.labels_, same.labels_)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda x: x.__setitem__((3, 1), np.nan), "the first is nan in row 3, column 1"),
        (lambda x: x.__setitem__((3, 1), -np.inf), "the first is -inf in row 3, column 1"),
        (lambda x: x.__setitem__((3, 1), 1e80), "entries as large as 1e.80, whose squares"),
    ],
)
@pytest.mark.parametrize("convert", LIBRARIES[1:])
def test_entries_that_cannot_be_used_are_named(change, sentence, convert):
    bad = X.copy()
    change(bad)
    with pytest.raises(InputError, match=sentence):
        kf.MEC(3).fit(convert(bad))


@pytest.mark.parametrize("convert", LIBRARIES[1:])
def test_tables_of_odd_shapes_are_refused(convert):
    with pytest.raises(InputError, match="X has 1 dimension; give rows and columns"):
        kf.MEC(3).fit(convert(X[0]))
    with pytest.raises(InputError, match="X has 1 rows; give at least 2"):
        kf.MEC(3).fit(convert(X[:1]))
    with pytest.raises(InputError, match="source has no rows; give at least one"):
        kf.MEC(3).fit(convert(X[:0]))
