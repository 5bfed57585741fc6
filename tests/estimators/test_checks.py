import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans

from kinfolk import MEC, MTCFIR, Blocks, Kinfolk, PerTask, Pooled, SymNMF
from kinfolk.errors import InputError, KinfolkError, UnknownTaskError
from kinfolk.estimators import checks
from kinfolk.tables import Tasks

X = np.random.default_rng(0).normal(size=(10, 3))
TASKS = np.repeat(["lab", "field"], 5)
NAMED = pd.DataFrame(X, columns=["height", "mass", "age"])


def with_entry(value, table=X):
    table = table.copy()
    table[4, 1] = value
    return table


def in_tasks(*values):
    tasks = TASKS.astype(object)
    tasks[2 : 2 + len(values)] = values
    return tasks


WHOLE = "give a whole number of at least 1"
CLUSTERS = {
    "zero": (0, "n_clusters of task 'lab' is 0; give at least 1"),
    "text": ("ten", f"n_clusters of task 'lab' is 'ten'; {WHOLE}"),
    "true": (True, f"n_clusters of task 'lab' is True; {WHOLE}"),
    "a fraction": (2.0, f"n_clusters of task 'lab' is 2.0; {WHOLE}"),
    "a series": (pd.Series([2, 2]), rf"n_clusters of task 'lab' is 0 2 1 2 dtype: int64; {WHOLE}"),
    "a list": ([2, 2], rf"n_clusters of task 'lab' is \[2, 2\]; {WHOLE}, or one for each task by"),
    "an array": (
        np.array([3, 3]),
        rf"'lab' is array\(\[3, 3\]\); {WHOLE}, or one for each task by",
    ),
    "a long list": ([2] * 1000, r"is .{80}; give"),
    "negative": (-1, "n_clusters of task 'lab' is -1; give at least 1"),
    "a number of NumPy that is no number": (np.bool_(True), f"is (np.)?True_?; {WHOLE}"),
    "true for one": ({"lab": 2, "field": True}, f"n_clusters of task 'field' is True; {WHOLE}"),
    "more than rows": (6, r"n_clusters of task 'lab' is 6 but task 'lab' has only 5 rows.*at most"),
    "a task missing": ({"lab": 2}, "n_clusters has no entry for 'field'; give one number for each"),
    "a task too many": (
        {"lab": 2, "field": 2, "sea": 2},
        "n_clusters names 'sea'; give one number for each of the tasks 'lab', 'field'",
    ),
    "a bad entry": ({"lab": 2, "field": -1}, "n_clusters of task 'field' is -1; give at least 1"),
}


@pytest.mark.parametrize(("given", "sentence"), CLUSTERS.values(), ids=CLUSTERS)
@pytest.mark.parametrize("method", [MTCFIR, PerTask, Kinfolk])
def test_a_number_of_clusters_is_refused(method, given, sentence):
    with pytest.raises(InputError, match=sentence):
        method(n_clusters=given).fit(X, tasks=TASKS)


@pytest.mark.parametrize("method", [MEC, SymNMF])
@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (0, "n_clusters is 0; give at least 1"),
        (11, "n_clusters is 11 but X has only 10 rows"),
        (None, f"n_clusters is None; {WHOLE}"),
        ({"all": 0}, "n_clusters is 0; give at least 1"),
    ],
)
def test_a_number_of_clusters_of_one_table_is_refused(method, given, sentence):
    with pytest.raises(InputError, match=sentence):
        method(n_clusters=given).fit(X)


def test_pooled_rows_have_one_number_of_clusters():
    with pytest.raises(InputError, match=r"Pooled needs the same number.*given were \[2, 3\]"):
        Pooled(n_clusters={"lab": 2, "field": 3}).fit(X, tasks=TASKS)


POSITIVE = "give a number greater than 0"
PARAMETERS = [
    (MEC, "temperature", [-1.0, 0, "warm", np.nan, np.inf, None, True], POSITIVE),
    (MEC, "tol", [-1e-9, "low", np.nan], "give a number of at least 0"),
    (MEC, "n_init", [0, 1.5, "ten", None, True], "give "),
    (MEC, "max_iter", [0, -1, 2.5], "give "),
    (MEC, "random_state", ["seed", -1, 1.5], "give a whole number, a numpy RandomState or None"),
    (SymNMF, "affinity", ["euclid", 3, None], "choose one of 'auto', 'cosine'"),
    (SymNMF, "n_init", [0], "give at least 1"),
    (SymNMF, "max_iter", [0], "give at least 1"),
    (SymNMF, "tol", [-1], "give a number of at least 0"),
    (SymNMF, "random_state", ["seed"], "give a whole number"),
    (MTCFIR, "noise", [1, -0.1, 1.5, "loud", None], "give a number of at least 0 and below 1"),
    (MTCFIR, "n_layers", [0, 2.5, "three"], "give "),
    (MTCFIR, "neighbors", [0, -1, np.inf], POSITIVE),
    (MTCFIR, "affinity", ["euclid", None], "choose one of 'auto', 'cosine'"),
    (MTCFIR, "weight_rows", [0, 1, 2.5], "give "),
    (MTCFIR, "ridge", [0, -1], POSITIVE),
    (MTCFIR, "n_init", [0], "give at least 1"),
    (MTCFIR, "max_iter", [0], "give at least 1"),
    (MTCFIR, "tol", [-1], "give a number of at least 0"),
    (MTCFIR, "random_state", ["seed"], "give a whole number"),
]


@pytest.mark.parametrize(
    ("method", "name", "value", "advice"),
    [(method, name, v, advice) for method, name, values, advice in PARAMETERS for v in values],
)
def test_a_parameter_out_of_range_is_named(method, name, value, advice):
    with pytest.raises(InputError, match=f"^{name} is {value!r}; {advice}"):
        method(**{name: value}).fit(X)


@pytest.mark.parametrize(
    "model",
    [
        SymNMF(affinity="gaussian", bandwidth=0),
        MTCFIR(affinity="gaussian", bandwidth=-2.0),
    ],
)
def test_a_bandwidth_must_be_positive(model):
    with pytest.raises(InputError, match=f"^bandwidth is {model.bandwidth}; {POSITIVE}"):
        model.fit(X)


FORMS = {
    "dense": lambda value: with_entry(value),
    "sparse": lambda value: sp.csr_array(with_entry(value)),
    "sparse columns": lambda value: sp.csc_array(with_entry(value)),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize(("value", "name"), [(np.nan, "NaN"), (np.inf, "inf"), (-np.inf, "inf")])
@pytest.mark.parametrize("model", [MEC(), MTCFIR(), PerTask()])
def test_entries_that_are_not_finite_are_located(model, value, name, form):
    sentence = rf"X has 1 entry that is NaN or infinite \(inf\), {name} in row 4"
    with pytest.raises(InputError, match=f"{sentence}, column 1"):
        model.fit(form(value))


def test_a_cell_that_is_not_finite_is_named_by_its_column():
    with pytest.raises(InputError, match="row 4, column 'mass'; fill it in"):
        MEC().fit(pd.DataFrame(with_entry(np.nan), columns=NAMED.columns))


def test_all_columns_with_gaps_are_named():
    frame = pd.DataFrame(np.ones((6, 7)), columns=list("abcdefg"))
    frame.iloc[3, [1, 4]] = np.nan
    with pytest.raises(InputError, match=r"X has 2 .* in 2 columns \('b', 'e'\), the first is NaN"):
        MEC().fit(frame)
    frame.iloc[2] = np.nan
    with pytest.raises(InputError, match=r"in 7 columns \('a', .*, 'e' and 2 more\), the first is"):
        MEC().fit(frame)
    with pytest.raises(InputError, match=r"in 7 columns \(0, 1, 2, 3, 4 and 2 more\)"):
        MEC().fit(frame.to_numpy())


def test_explicit_zeros_and_repeated_entries_of_a_sparse_table_do_not_mislead():
    table = sp.csr_array(with_entry(np.nan))
    table.data[0] = 0.0
    with pytest.raises(InputError, match="in row 4, column 1"):
        MEC().fit(table)
    doubled = sp.coo_array(([1.0, 1.0, 5.0], ([0, 0, 1], [0, 0, 1])), shape=(2, 2))
    found = checks.samples(BaseEstimator(), doubled)
    np.testing.assert_array_equal(found.toarray(), [[2, 0], [0, 5]])
    assert found.nnz == 2


TABLES = {
    "text column": (NAMED.assign(sex="f"), "column 'sex' holds String values, for example 'f'"),
    "dates": (NAMED.assign(day=pd.Timestamp("2020-01-01")), "column 'day' holds Datetime"),
    "ragged": ([[1.0, 2.0], [3.0]], "rows of X have different lengths, from 1 to 2"),
}


@pytest.mark.parametrize(("given", "sentence"), TABLES.values(), ids=TABLES)
def test_a_table_that_holds_no_numbers_is_refused(given, sentence):
    with pytest.raises(InputError, match=sentence):
        MEC().fit(given)


@pytest.mark.parametrize("model", [MTCFIR(), PerTask()])
def test_ragged_rows_of_several_tasks_are_refused(model):
    with pytest.raises(InputError, match="rows of X have different lengths, from 1 to 2"):
        model.fit([[1.0, 2.0], [3.0], [4.0, 5.0]])


def test_text_in_an_array_is_refused():
    with pytest.raises(InputError, match="X holds text"):
        MEC().fit([["1", "2"], ["3", "4"], ["9", "5"]])


@pytest.mark.parametrize("model", [MEC(), SymNMF(), MTCFIR(), PerTask(), Pooled()])
@pytest.mark.parametrize("shape", [(0, 3), (1, 3), (3, 0), (3,), (2, 2, 2), ()])
def test_tables_without_rows_and_columns_are_refused(model, shape):
    with pytest.raises(ValueError, match=r"minimum of|2D array|dim 3|at least 2|scalar"):
        model.fit(np.ones(shape))


MANY = [f"s{i}" for i in range(7)]
TASK_ERRORS = {
    "too few": (TASKS[:4], r"tasks has shape \(4,\) but X has 10 rows; give one task per row"),
    "a table": (np.zeros((10, 2)), r"tasks has shape \(10, 2\) but X has 10 rows"),
    "no column": ("site", "tasks is 'site', which is no column of X"),
    "a number": (3, "tasks is 3, which is no column of X"),
    "None inside": (in_tasks(None, None), r"missing \(None or NaN\) in 2 rows, the first is row 2"),
    "NaN inside": (in_tasks(np.nan), r"missing \(None or NaN\) in 1 rows, the first is row 2"),
    "a task of one row": (in_tasks("sea"), "task 'sea' has 1 row, at least 2 are needed"),
    "two tasks of one row": (in_tasks("sea", "sky"), "tasks 'sea', 'sky' have 1 row each"),
}


@pytest.mark.parametrize(("given", "sentence"), TASK_ERRORS.values(), ids=TASK_ERRORS)
@pytest.mark.parametrize("method", [MTCFIR, PerTask, Pooled])
@pytest.mark.parametrize("table", [X, NAMED], ids=["array", "frame"])
def test_tasks_are_refused(table, method, given, sentence):
    with pytest.raises(InputError, match=sentence):
        method().fit(table, tasks=given)


def test_missing_names_of_any_frame_are_refused():
    with pytest.raises(InputError, match=r"missing \(None or NaN\) in 1 rows"):
        PerTask().fit(X, tasks=pd.array([*TASKS[:-1], None], dtype="string"))


def test_a_column_of_tasks_with_holes_is_refused():
    with pytest.raises(InputError, match="missing .* in 1 rows, the first is row 9"):
        PerTask().fit(NAMED.assign(site=[*TASKS[:-1], None]), tasks="site")


def test_long_lists_of_names_are_cut():
    tasks = np.repeat(MANY, 2)
    model = PerTask(n_clusters=1).fit(np.arange(14.0)[:, None], tasks=tasks)
    with pytest.raises(UnknownTaskError, match="it knows 's0', 's1', 's2', 's3', 's4' and 2 more"):
        model.predict([[1.0]], tasks="moon")


def test_a_column_may_name_the_tasks_of_new_rows():
    model = PerTask(n_clusters=2).fit(NAMED, tasks=TASKS)
    frame = NAMED.assign(site=TASKS)
    np.testing.assert_array_equal(model.predict(frame, tasks="site"), model.labels_)
    with pytest.raises(UnknownTaskError, match="task 'place' was not there .*add_task"):
        model.predict(frame, tasks="place")


def test_one_name_serves_for_all_new_rows():
    model = PerTask(n_clusters=2).fit(X, tasks=TASKS)
    rows = X[TASKS == "lab"]
    np.testing.assert_array_equal(model.predict(rows, tasks="lab"), model.labels_[TASKS == "lab"])
    with pytest.raises(UnknownTaskError, match="task 7 was not there"):
        model.predict(rows, tasks=7)


def test_the_limits_of_a_range_are_kept():
    assert checks.number("p", 0, 0.0, 1.0, open_low=False) == 0.0
    assert checks.above("p", np.float32(0.5), 0) == 0.5
    assert checks.not_negative("p", 0) == 0.0
    assert checks.at_least("k", np.int64(3), 3) == 3
    for value in (1.0, -1e-300, 1j):
        with pytest.raises(InputError, match="give a number of at least 0 and below 1"):
            checks.number("p", value, 0.0, 1.0, open_low=False)


def test_numbers_of_clusters_come_in_the_order_of_the_tasks():
    tasks = Tasks.of(["b", "a", "b", "a"])
    assert checks.clusters({"a": 1, "b": 2}, tasks) == [2, 1]
    assert checks.clusters(2, tasks) == [2, 2]
    assert checks.one_number_of_clusters({"a": 2, "b": 2}, tasks, "M") == 2


def test_every_error_is_one_of_the_tree():
    assert issubclass(UnknownTaskError, InputError)
    assert issubclass(InputError, KinfolkError)
    assert issubclass(InputError, ValueError)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "csr"])
def test_single_precision_stays_and_other_numbers_become_double(make):
    stays = make(np.eye(3, dtype=np.float32))
    assert checks.samples(BaseEstimator(), stays).dtype == np.float32
    for kind in (np.int64, np.uint8, bool):
        assert checks.samples(BaseEstimator(), make(np.eye(3, dtype=kind))).dtype == np.float64
    half = np.eye(3, dtype=np.float16)
    assert checks.samples(BaseEstimator(), half).dtype == np.float64
    frame = pd.DataFrame(np.eye(3, dtype=np.float32), columns=list("abc"))
    assert checks.samples(BaseEstimator(), frame).dtype == np.float32


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_largest_number_of_single_precision_lets_squares_add_up(make, sign):
    large = sign * np.float32(9e13) * np.eye(3, 2, dtype=np.float32)
    found = MEC(2, n_init=1, random_state=0).fit(make(large))
    assert np.isfinite(found.objective_trace_).all()
    with pytest.raises(InputError, match=r"as large as 9e\+14, whose squares overflow in float32"):
        MEC(2).fit(make(10 * large))
    MEC(2, n_init=1, random_state=0).fit(make(10 * large.astype(float)))


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "csr"])
def test_tables_of_numbers_whose_squares_are_zero_are_refused_by_a_fit(make):
    X = np.array([[1.0, 2.0], [1.1, 2.0], [5.0, 1.0]])
    model = MEC(2, n_init=1, random_state=0)
    found = model.fit(make(X * 1e-130)).labels_
    np.testing.assert_array_equal(found, model.fit(make(X)).labels_)
    assert model.predict(make(X * 1e-200)).shape == (3,)  # new rows may all lie near 0
    model.fit(make(0 * X))  # zeros lose nothing
    for tiny in (X * 1e-150, (X * 1e-20).astype(np.float32)):
        with pytest.raises(InputError, match=r"no entry larger than 5e-.*are 0 in float"):
            model.fit(make(tiny))


@pytest.mark.parametrize(("X", "says"), [(np.ones((1, 2)), "1 sample"), (np.ones(3), "1D array")])
def test_tables_that_scikit_learn_refuses_are_refused_by_our_error(X, says):
    with pytest.raises(InputError, match=says) as refused:
        MEC(1).fit(X)
    assert "\n" not in str(refused.value)


def test_positions_of_sparse_entries_are_as_narrow_as_can_be():
    X = sp.csr_array(np.eye(3))
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    found = checks.samples(KMeans(), X)
    assert found.indices.dtype == found.indptr.dtype == np.int32
    assert X.indices.dtype == np.int64


def _pairs(tasks):
    pairs = np.empty(len(tasks), dtype=object)
    pairs[:] = [("north", task) for task in tasks]
    return pairs


FORMS_OF_TASKS = {
    "a list": TASKS.tolist(),
    "objects": TASKS.astype(object),
    "a series": pd.Series(TASKS, index=np.arange(10) + 5),
    "categories": pd.Categorical(TASKS),
    "whole numbers": (TASKS != "lab").astype(int),
    "true and false": TASKS == "lab",
    "one column": TASKS[:, None],
    "tuples": _pairs(TASKS),
}


@pytest.mark.parametrize("form", FORMS_OF_TASKS.values(), ids=FORMS_OF_TASKS)
def test_tasks_may_be_given_in_many_forms(form):
    found, same = checks.tasks_of(form, X)
    assert same is X
    assert found.codes.tolist() == [0] * 5 + [1] * 5
    assert len(found.names) == 2


def test_a_column_of_tasks_is_taken_out_of_the_table():
    found, rest = checks.tasks_of("site", NAMED.assign(site=TASKS))
    assert found.names == ["lab", "field"]
    assert list(rest.columns) == ["height", "mass", "age"]


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array, sp.coo_array, sp.csr_matrix])
def test_every_sparse_form_becomes_csr_with_short_indices(kind):
    table = np.where(X > 0, X, 0.0)
    found = checks.samples(MEC(), kind(table))
    assert isinstance(found, sp.csr_array)
    assert found.indices.dtype == found.indptr.dtype == np.int32
    np.testing.assert_array_equal(found.toarray(), table)


@pytest.mark.parametrize("blocks", [False, True], ids=["table", "blocks"])
def test_a_fit_forgets_all_that_an_earlier_one_found(blocks):
    rows = np.array([[0.0], [1.0], [8.0], [9.0]])
    model = MEC(n_init=1, random_state=0)
    model.found_ = 1
    model.note = "the caller's own"
    model.fit(Blocks(rows) if blocks else rows)
    assert not hasattr(model, "found_")
    assert model.note == "the caller's own"


def test_a_table_that_is_refused_leaves_the_model_as_it_was():
    model = MEC(n_init=1, random_state=0).fit([[0.0], [1.0], [9.0]])
    with pytest.raises(InputError):
        model.fit([[0.0], [np.nan]])
    assert model.predict([[8.0]]) == model.labels_[2]


def test_a_parameter_with_the_name_of_a_result_outlives_a_fit():
    class Weighted(MEC):
        def __init__(self, n_clusters=2, lambda_=0.5):
            super().__init__(n_clusters)
            self.lambda_ = lambda_

    model = Weighted(lambda_=0.3)
    model.labels_ = None
    checks.forget(model)
    assert model.lambda_ == 0.3
    assert not hasattr(model, "labels_")
