"""Laws that every method of the catalogue must pass, each a function of its entry.

`test_laws` asks the catalogue for all methods and runs each law that applies, so that a new
method gets all of these tests by existing. `@law(applies)` registers a law, with the condition on
the entry; the tables that every method must survive are in `AWKWARD`.

A law compares fits with the same few starts. Where it needs the clear groups of `related` to be
found, whatever the starts, it calls `fit_well`. Laws that start from the same fit of the same table
share it by `shared_fit`.
"""

import functools
import pickle
import warnings
from itertools import cycle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine

import containers
from kinfolk import catalogue
from kinfolk.errors import InputError, LeftOutWarning, UnknownTaskError
from kinfolk.numerics import entropic, memo
from kinfolk.testing import laws
from kinfolk.testing.subject import AWKWARD, Subject, assert_same_fit, drawn, related, same_clusters

LAWS = []
"""Pairs of a law and the entries that it applies to."""

TABLE_LAWS = []
"""The same for laws about one of the `AWKWARD` tables."""

RANDOM_STARTS = {"lssmtc-released"}
"""Methods whose random starts miss clear groups: 1 or 2 find those of one task of `related`."""

PRINTED_STEP = {"lssmtc-published", "lssmtc-released"}
"""Methods with the step that LSSMTC's paper prints, 20 times.

Labels of the fit are those of the memberships that these steps have reached, as in the paper; new
rows get the memberships that are best for the centers."""

VOTED = {"kinfolk"}
"""Methods that assign new rows by a vote of base clusterings. The labels of the fit are the best
of several consensus clusterings; where groups overlap the two may differ."""

WITHOUT_OBJECTIVE = {"mtl-gmm", "clr"}
"""Methods that iterate to a fixed point of updates that lower no common objective. CLR changes the
weight in its objective from one graph to the next."""

FIRST_COLUMNS = {"lssmtc-released"}
"""Methods that treat the first columns differently, as the code of their authors does.

A draw by content would be another method than the released one, which it reproduces."""

SLOW = {"cf", "lccf", "comvcf", "comvcf-n", "mtcmrl", "snmf-lr"}
"""Methods that take hundreds of sweeps to converge."""

FEW = 10
"""Sweeps of a fit. What depends on an order, a container or a draw does so from the first one."""

MANY_COLUMNS = {"tsc"}
"""Methods that refuse tables with fewer columns than clusters."""

LONG_SWEEPS = {"cf", "lccf", "comvcf", "comvcf-n", "mvcf"}
"""Methods whose sweep has many steps of L-BFGS-B, and takes as long as ten sweeps of others."""

QUICK = {
    "kinfolk": {"families": ["mec", "pooled"]},  # two families obey the laws as nine do
    "plcmf": {"n_components": 8},
    "multinmf-released": {"inner_iter": 10},
    # Quasi-Newton sweeps are long, and magnify rounding.
    **dict.fromkeys(LONG_SWEEPS, {"max_iter": 3}),
}
"""Parameters that make a method quick; laws about the end of a descent give their own."""

ONE_START = SLOW | {
    "mvcf",
    "multinmf",
    "plcmf",
    "mtl-gmm",
    "samtc",
    "samtc-own",
    "lssmtc",
    "mcda",
    "dmtfc-ls",
    "dmtrc-ls",
}
"""Methods with long sweeps, fitted from one start; all methods share the choice of the best one.

So are further settings of a class, whose first entry has several starts."""


def always(entry):
    """True for every entry."""
    return True


def of_tasks(entry):
    """True for methods of several tasks."""
    return entry.relation.of_tasks


def implemented_here(entry):
    """True for methods that are not taken from scikit-learn."""
    return entry.cls.__module__.startswith("kinfolk")


def draws_by_content(entry):
    """True for methods whose answer does not depend on the order of columns."""
    return implemented_here(entry) and entry.name not in FIRST_COLUMNS


def many_sweeps(entry):
    """Number of sweeps in which a step that raises the objective would be seen."""
    return 10 if entry.name in LONG_SWEEPS else 40


def first_of_class(entry):
    """True for one entry of each class: presets read tables and tasks by the same code."""
    same = (other for other in catalogue.METHODS.values() if other.cls is entry.cls)
    return entry is next(same, entry)


def has_sweeps(entry):
    """True for methods that descend in sweeps, of which `max_iter` are allowed."""
    if entry.name in WITHOUT_OBJECTIVE:
        return False
    return implemented_here(entry) and "max_iter" in entry.cls().get_params(deep=False)


def predicts_fitted_labels(entry):
    """True if prediction returns the labels of the fit."""
    return entry.name not in PRINTED_STEP | VOTED


def has_printed_step(entry):
    """True if the labels of the fit are those of memberships on the way."""
    return entry.name in PRINTED_STEP


def votes(entry):
    """True for methods that assign new rows by a vote."""
    return entry.name in VOTED


def refuses(entry, X, k):
    """True for a table that the method does not take."""
    return entry.name in MANY_COLUMNS and X.shape[1] < k


def law(applies=always, into=LAWS):
    """Register a law, and the condition on the entries that it applies to."""

    def register(check):
        into.append((check, applies))
        return check

    return register


def accepted(entry, **parameters):
    """Return those of the parameters that the method has."""
    known = entry.cls().get_params(deep=False)
    return {name: value for name, value in parameters.items() if name in known}


def make(entry, k=3, **parameters):
    """Make an estimator with few starts and sweeps, and a fixed seed."""
    starts = 2 if first_of_class(entry) and entry.name not in ONE_START else 1
    few = accepted(entry, n_clusters=k, random_state=0, n_init=starts, max_iter=FEW)
    return entry.make(**{**few, **QUICK.get(entry.name, {}), **parameters})


def fit(entry, X, tasks=None, k=3, **parameters):
    model = make(entry, k, **parameters)
    return model.fit(X, tasks=tasks) if of_tasks(entry) else model.fit(X)


def fit_well(entry, X, tasks=None, k=3, **parameters):
    """Fit from enough starts to find clear groups."""
    more = {"n_init": 10} if entry.name in RANDOM_STARTS else {}
    return fit(entry, X, tasks, k, **{**more, **parameters})


def shared_fit(entry, table=related, k=3, well=False):
    """Fit of a made table that several laws use and none changes, made once in a process."""
    well = well and entry.name in RANDOM_STARTS
    if entry is catalogue.METHODS.get(entry.name):
        return _shared_fit(entry.name, table, k, well)
    # A test may give the laws another setting of a method under the same name.
    return _read_only_fit(entry, table, k, well)


@functools.cache
def _shared_fit(name, table, k, well):
    return _read_only_fit(catalogue.METHODS[name], table, k, well)


def _read_only_fit(entry, table, k, well):
    X, tasks, _ = table()
    model = (fit_well if well else fit)(entry, X, tasks, k=k)
    for value in vars(model).values():
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
    return model


def subject(entry):
    """Wrap a method for the public laws, with few starts and a fixed seed."""
    return Subject(lambda k: make(entry, k), of_tasks(entry), hasattr(entry.cls, "predict"))


def predict(entry, model, X, tasks=None):
    return model.predict(X, tasks=tasks) if of_tasks(entry) else model.predict(X)


def partition(entry, model, tasks):
    """One label per row, distinct between tasks."""
    tasks = np.asarray(tasks if of_tasks(entry) else np.zeros(len(model.labels_)))
    return np.unique(tasks, return_inverse=True)[1] * 1000 + model.labels_


def traces(model):
    if hasattr(model, "objective_traces_"):
        return list(model.objective_traces_.values())
    return [model.objective_trace_]


def assert_never_rises(model, rounding=0.0):
    for trace in traces(model):
        assert np.isfinite(trace).all()
        assert np.diff(trace, prepend=trace[0]).max() <= 1e-9 * abs(trace[0]) + rounding


@law()
def clear_groups_are_found(entry):
    for signed in (True, False):
        X, tasks, truth = related(signed=signed)
        found = shared_fit(entry, well=True) if signed else fit_well(entry, X, tasks)
        if of_tasks(entry):
            for task in ("lab", "field"):
                assert same_clusters(found.labels_[tasks == task], truth[tasks == task])
            assert same_clusters(found.matched_labels_, truth)
        else:
            assert same_clusters(found.labels_, truth)


@law(has_sweeps)
def the_objective_never_rises(entry):
    random = np.random.default_rng(3)
    mixed = random.normal(size=(24, 5))
    tasks = np.repeat(["a", "b"], 12)
    # Three tables are three starts, and each end of the grid meets all of them.
    settings = [{}, *({name: v[end]} for name, v in entry.grid.items() for end in (0, -1))]
    for X in (mixed, np.abs(mixed), random.poisson(0.5, size=(24, 9)).astype(float)):
        for given in settings:
            long = {"tol": 0.0, "max_iter": many_sweeps(entry), "n_init": 1}
            assert_never_rises(fit(entry, X, tasks, **long, **given))


@law(has_sweeps)
def more_starts_never_end_higher(entry):
    X = np.random.default_rng(5).normal(size=(28, 4))
    tasks = np.repeat(["a", "b"], 14)
    for seed in range(2):
        # The first of four seeds is that of one start, so the law holds after any sweep.
        settings = {"k": 4, "max_iter": 2, "random_state": seed}
        one = fit(entry, X, tasks, n_init=1, **settings)
        four = fit(entry, X, tasks, n_init=4, **settings)
        for few, many in zip(traces(one), traces(four), strict=True):
            assert many[-1] <= few[-1] + 1e-9 * abs(few[0])


@law(has_sweeps)
def the_number_of_sweeps_fits_the_trace(entry):
    X, tasks, _ = related(noise=1.0)
    short = fit(entry, X, tasks, max_iter=1, tol=0.0)
    assert (short.n_iter_, len(short.objective_trace_)) == (1, 2)
    long = fit(entry, X, tasks, max_iter=5000, tol=1e-2)
    assert len(long.objective_trace_) == long.n_iter_ + 1
    assert long.converged_


@law()
def the_order_of_rows_does_not_matter(entry):
    X, tasks, _ = related()
    order = np.random.default_rng(1).permutation(len(X))
    a, b = shared_fit(entry, well=True), fit_well(entry, X[order], tasks[order])
    assert same_clusters(partition(entry, a, tasks)[order], partition(entry, b, tasks[order]))


@law()
def the_order_of_columns_does_not_matter(entry):
    X, tasks, _ = related()
    order = np.random.default_rng(1).permutation(X.shape[1])
    a, b = shared_fit(entry, well=True), fit_well(entry, X[:, order], tasks)
    assert same_clusters(partition(entry, a, tasks), partition(entry, b, tasks))
    if hasattr(a, "task_relatedness_"):
        np.testing.assert_allclose(a.task_relatedness_, b.task_relatedness_, atol=1e-10)


def three_tasks():
    """Make three tasks of different sizes with clear groups."""
    return related(sizes=(15, 12, 9))


@law(of_tasks)
def the_order_and_the_names_of_tasks_do_not_matter(entry):
    X, tasks, _ = three_tasks()
    order = np.argsort(tasks, kind="stable")
    renamed = np.array([{"lab": 7, "field": 1, "sea": 4}[t] for t in tasks])
    a, b = shared_fit(entry, three_tasks, well=True), fit_well(entry, X[order], renamed[order])
    assert same_clusters(partition(entry, a, tasks)[order], partition(entry, b, renamed[order]))
    assert same_clusters(a.matched_labels_[order], b.matched_labels_)
    if hasattr(a, "task_relatedness_"):
        names = [{"lab": 7, "field": 1, "sea": 4}[t] for t in a.task_names_]
        place = [list(b.task_names_).index(name) for name in names]
        there = b.task_relatedness_[np.ix_(place, place)]
        np.testing.assert_allclose(a.task_relatedness_, there, atol=1e-10)


def overlapping():
    """Make three tasks with overlapping groups, where descents end in many local optima."""
    return related(sizes=(22, 17, 14), noise=1.2)


def assert_same_answer(entry, a, b, tasks, order):
    """Assert that model b, of reordered rows, has model a's clusters and objective."""
    there = partition(entry, b, np.asarray(tasks)[order])
    assert same_clusters(partition(entry, a, tasks)[order], there)
    if hasattr(a, "matched_labels_"):
        assert same_clusters(a.matched_labels_[order], b.matched_labels_)
    if hasattr(a, "objective_trace_"):
        np.testing.assert_allclose(b.objective_trace_[-1], a.objective_trace_[-1], rtol=1e-8)


def assert_rows_moved(name, before, after, order, tasks):
    """Assert that per-row attributes moved with the rows, and others stayed."""
    n = len(order)
    if isinstance(before, list) and [np.shape(part)[:1] for part in before] == [
        (np.sum(tasks == task),) for task in dict.fromkeys(tasks)
    ]:
        whole = np.zeros((n, max(part[0].size for part in before)))
        moved = np.zeros_like(whole)
        for task, own, there in zip(dict.fromkeys(tasks), before, after, strict=True):
            whole[tasks == task, : own[0].size] = own.reshape(len(own), -1)
            moved[tasks[order] == task, : own[0].size] = there.reshape(len(own), -1)
        before = whole
        after = moved
    if not (isinstance(before, np.ndarray) or sp.issparse(before)):
        return
    before, after = (np.asarray(v.toarray() if sp.issparse(v) else v) for v in (before, after))
    for axis in range(min(2, before.ndim)):
        if before.shape[axis] == n:
            before = before.take(order, axis)
    if before.dtype.kind in "iufb":
        np.testing.assert_allclose(after, before, rtol=1e-7, atol=1e-9, err_msg=name)
    else:
        assert after.tolist() == before.tolist(), name


@law(implemented_here)
def results_for_rows_move_with_the_rows(entry):
    X, tasks, _ = overlapping()
    order = np.random.default_rng(2).permutation(len(X))
    order = order[np.argsort(order >= 3, kind="stable")]  # the first rows: tasks appear as before
    order[:3] = np.arange(3)
    assert list(dict.fromkeys(tasks)) == list(dict.fromkeys(tasks[order]))
    a, b = shared_fit(entry, overlapping, k=4), fit(entry, X[order], tasks[order], k=4)
    np.testing.assert_array_equal(b.labels_, a.labels_[order])
    for name, value in vars(a).items():
        if not name.startswith("_"):
            assert_rows_moved(name, value, vars(b)[name], order, tasks)
    new = related(sizes=(9, 9, 9), noise=1.2, seed=8)
    here, there = (predict(entry, model, new.X, new.tasks) for model in (a, b))
    np.testing.assert_array_equal(here, there)


@law(implemented_here)
def no_draw_depends_on_the_order_of_tasks(entry):
    X, tasks, _ = overlapping()
    order = np.argsort(tasks, kind="stable")
    a, b = shared_fit(entry, overlapping, k=4), fit(entry, X[order], tasks[order], k=4)
    assert_same_answer(entry, a, b, tasks, order)


@law(draws_by_content)
def no_draw_depends_on_the_order_of_columns(entry):
    X, tasks, _ = overlapping()
    order = np.random.default_rng(2).permutation(X.shape[1])
    a, b = shared_fit(entry, overlapping, k=4), fit(entry, X[:, order], tasks, k=4)
    assert_same_answer(entry, a, b, tasks, np.arange(len(X)))


@law(lambda entry: of_tasks(entry) and first_of_class(entry))
def tasks_may_be_given_in_many_forms(entry):
    X, tasks, _ = related()
    expected = shared_fit(entry)
    pairs = np.empty(len(tasks), dtype=object)
    pairs[:] = [("north", task) for task in tasks]
    # `test_checks` has all forms; a method that skipped the check would stumble over these.
    for form in (pairs, pd.Series(tasks), tasks[:, None] == "lab"):
        assert_same_fit(fit(entry, X, form), expected)
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(site=tasks)
    by_name = fit(entry, frame, "site")
    assert_same_fit(by_name, expected)
    assert by_name.feature_names_in_.tolist() == list("abcdef")
    assert_same_fit(fit(entry, X), fit(entry, X, np.zeros(len(X))))


@law(of_tasks)
def tasks_may_have_different_numbers_of_clusters(entry):
    X, tasks, _ = related()
    different = {"lab": 3, "field": 2}
    if not entry.different_k:
        with pytest.raises(InputError, match="same number of clusters in every task"):
            fit(entry, X, tasks, k=different)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeftOutWarning)  # the default method says who refuses
        model = fit(entry, X, tasks, k=different)
    found = dict(zip(model.task_names_, model.n_clusters_.tolist(), strict=True))
    assert found == different
    for task, k in different.items():
        assert set(model.labels_[tasks == task]) <= set(range(k))


@law(of_tasks)
def matched_numbers_agree_with_the_clusters(entry):
    _, tasks, _ = three_tasks()
    model = shared_fit(entry, three_tasks, well=True)
    matched, strength = model.match(model.labels_, tasks)
    np.testing.assert_array_equal(matched, model.matched_labels_)
    assert ((strength > 0.9) & (strength <= 1)).all()
    assert len(model.clusters_) == len(model.matched_clusters_) == len(model.cluster_links_) == 9
    assert (np.diff(np.bincount(model.matched_labels_)) <= 0).all()


@law()
def inputs_stay_as_they_are(entry):
    laws.inputs_stay_as_they_are(subject(entry))


@law()
def read_only_tables_are_taken(entry):
    laws.read_only_tables_are_taken(subject(entry))


@law(implemented_here)
def the_callers_handling_of_float_errors_does_not_matter(entry):
    X, tasks, _ = related()
    X = np.vstack([X, np.full((1, X.shape[1]), 1e4), np.full((2, X.shape[1]), 1e-170)])
    tasks = np.append(tasks, tasks[:3])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that such a table is awkward is worth a warning
        plain = fit(entry, X, tasks)
        with np.errstate(all="raise"):  # as `np.seterr` of a user does; tiny numbers become 0
            model = fit(entry, X, tasks)
            predict(entry, model, X, tasks)
            if hasattr(model, "score"):
                model.score(X, tasks=tasks) if of_tasks(entry) else model.score(X)
    np.testing.assert_array_equal(model.labels_, plain.labels_)


@law()
def the_same_seed_gives_the_same_result(entry):
    laws.the_same_seed_gives_the_same_result(subject(entry))


@law()
def the_global_generator_is_untouched(entry):
    laws.the_global_generator_is_untouched(subject(entry))


@law()
def steps_that_are_remembered_give_the_same_fit(entry):
    X, tasks, _ = related()
    counts = sp.csr_array(np.maximum(X, 0.0))
    plain = fit(entry, counts, tasks)
    with memo.remembering(memo.Memory()):  # runs of a plan share steps, whose arrays are read-only
        assert_same_fit(fit(entry, counts, tasks), plain)
        assert_same_fit(fit(entry, counts, tasks), plain)


@law()
def a_second_fit_forgets_the_first(entry):
    first, (X, tasks, _) = related(sizes=(9, 20, 12), d=8, seed=4), related()
    model = fit(entry, first.X, first.tasks)
    if hasattr(model, "predict"):
        predict(entry, model, first.X, first.tasks)
    model = model.fit(X, tasks=tasks) if of_tasks(entry) else model.fit(X)
    fresh = fit(entry, X, tasks)
    assert_same_fit(model, fresh)
    assert set(vars(model)) == set(vars(fresh))
    if predicts_fitted_labels(entry):
        np.testing.assert_array_equal(predict(entry, model, X, tasks), model.labels_)


@law()
def a_fit_survives_pickling(entry):
    X, tasks, _ = related()
    model = shared_fit(entry)
    expected = predict(entry, model, X, tasks)
    copy = pickle.loads(pickle.dumps(model))  # noqa: S301
    assert_same_fit(copy, model)
    np.testing.assert_array_equal(predict(entry, copy, X, tasks), expected)


@law()
def clones_carry_the_parameters_and_no_fit(entry):
    model = shared_fit(entry)
    copy = clone(model)
    assert not hasattr(copy, "labels_")
    for name, value in model.get_params(deep=False).items():
        assert getattr(copy, name) == value
    copy.set_params(n_clusters=2)
    assert (copy.n_clusters, model.n_clusters) == (2, 3)


@law(lambda entry: implemented_here(entry) and first_of_class(entry))
def other_number_formats_give_the_same_fit(entry):
    X, tasks, _ = related()
    X = np.round(10 * X)
    expected = fit(entry, X, tasks)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    for form in (np.asfortranarray(X), X.tolist(), frame, X.astype(int)):
        assert_same_fit(fit(entry, form, tasks), expected)


@law(lambda entry: "knowledge" not in entry.preset and first_of_class(entry))  # has own columns
def every_container_gives_the_same_labels(entry):
    few = accepted(entry, n_init=1, max_iter=2, families=["mec"])
    expected = fit(entry, containers.ROWS, containers.TASKS, k=2, **few)
    assigned = predict(entry, expected, containers.ROWS, containers.TASKS)
    forms = cycle(containers.forms_of(containers.TASKS))
    for name, make_container in {**containers.FRAMES, **containers.OTHERS}.items():
        X = make_container(containers.ROWS)
        tasks = next(forms)
        model = fit(entry, X, tasks, k=2, **few)
        assert model.labels_.tolist() == expected.labels_.tolist(), name
        assert predict(entry, model, X, tasks).tolist() == assigned.tolist(), name
        names = containers.NAMES if name in containers.FRAMES else []
        assert list(getattr(model, "feature_names_in_", [])) == names


SINGLE = 1e-6
"""Single precision may change objectives by this share of what they add up."""


def size(model, X):
    """Scale of the objective for these rows: scatter, plus entropy if the method has one."""
    entropy = getattr(model, "temperature_", 0.0) * len(X)
    return max(np.square(X, dtype=float).sum() + entropy, *(abs(t).max() for t in traces(model)))


def rounding_of(model, X):
    """Rounding error of the objective in single precision; 0 except for entropic methods."""
    gamma = getattr(model, "temperature_", None)
    return 0.0 if gamma is None else entropic.rounding(X, gamma)


@law(has_sweeps)
def single_precision_finds_the_objective_of_double_precision(entry):
    for noise in (0.1, 0.8):
        X, tasks, _ = related(noise=noise, d=12)
        X = np.where(abs(X) > 0.1, X, 0).astype(np.float32)
        settings = {"n_init": 1, "max_iter": 5, "tol": 0.0}
        expected = fit(entry, X.astype(float), tasks, **settings)
        for form in (X, np.asfortranarray(X), sp.csr_array(X)):
            found = fit(entry, form, tasks, **settings)
            for low, high in zip(traces(found), traces(expected), strict=True):
                n = min(len(low), len(high))  # where nothing falls any more rounding may stop it
                np.testing.assert_allclose(low[:n], high[:n], atol=SINGLE * size(expected, X))
            assert found.objective_trace_.dtype == np.float64


@law(has_sweeps)
def the_objective_never_rises_in_single_precision(entry):
    random = np.random.default_rng(3)
    mixed = random.normal(size=(24, 5))
    counts = random.poisson(0.5, size=(24, 9))
    tasks = np.repeat(["a", "b"], 12)
    settings = {"tol": 0.0, "max_iter": many_sweeps(entry), "n_init": 1, "random_state": 1}
    for X in (mixed, np.abs(mixed), mixed + 20.0, counts):
        X = np.asarray(X, dtype=np.float32)
        sparse = [sp.csr_array(X)] if X.min() <= 0 else []  # of the signed one, and of the counts
        for form in (X, *sparse):
            found = fit(entry, form, tasks, **settings)
            assert_never_rises(found, rounding_of(found, X))


@law(implemented_here)
def single_precision_finds_clear_groups_and_assigns_rows(entry):
    X, tasks, _ = related()
    expected = partition(entry, shared_fit(entry, well=True), tasks)
    for form in (X.astype(np.float32), sp.csr_array(X.astype(np.float32))):
        before = form.copy()
        model = fit_well(entry, form, tasks)
        assert same_clusters(partition(entry, model, tasks), expected)
        if predicts_fitted_labels(entry):
            np.testing.assert_array_equal(predict(entry, model, form, tasks), model.labels_)
        again = predict(entry, model, form.astype(float), tasks)
        np.testing.assert_array_equal(predict(entry, model, form, tasks), again)
        assert getattr(model, "cluster_centers_", form).dtype == np.float32
        assert form.dtype == np.float32
        assert abs(form - before).max() == 0


@law(implemented_here)
def data_frames_may_number_their_columns(entry):
    X, tasks, _ = related()
    assert_same_fit(fit(entry, pd.DataFrame(X), tasks), shared_fit(entry))


@law()
def sparse_and_dense_tables_agree(entry):
    # `test_checks` has all kinds; products of a csr_matrix mean something else than of an array.
    for d, kinds in ((9, (sp.csr_array, sp.csr_matrix)), (40, (sp.csr_array,))):
        X, tasks, _ = related(d=d)
        X = np.where(X > 0.3, X, 0.0)
        expected = fit(entry, X, tasks)
        for kind in kinds:
            found = fit(entry, kind(X), tasks)
            a, b = partition(entry, found, tasks), partition(entry, expected, tasks)
            assert same_clusters(a, b)
            if hasattr(found, "task_relatedness_"):
                there = expected.task_relatedness_
                np.testing.assert_allclose(found.task_relatedness_, there, atol=1e-10)
            if predicts_fitted_labels(entry):
                again = predict(entry, found, kind(X), tasks)
                np.testing.assert_array_equal(again, found.labels_)


@law()
def rows_are_assigned_independently_of_each_other(entry):
    laws.rows_are_assigned_independently_of_each_other(subject(entry))


@law(predicts_fitted_labels)
def rows_of_the_fit_keep_their_labels(entry):
    for noise in (0.1, 1.5):
        for d in (6, 40):
            X, tasks, _ = related(noise=noise, d=d)
            usual = (noise, d) == (0.1, 6)
            model = shared_fit(entry) if usual else fit(entry, X, tasks)
            order = np.random.default_rng(0).permutation(len(X))
            again = predict(entry, model, X[order], tasks[order])
            np.testing.assert_array_equal(again, model.labels_[order])


@law(has_printed_step)
def the_printed_step_labels_rows_by_its_last_memberships(entry):
    X, tasks, _ = related(noise=1.5)
    model = fit(entry, X, tasks)
    for name, Y in zip(dict.fromkeys(tasks.tolist()), model.memberships_, strict=True):
        np.testing.assert_array_equal(model.labels_[tasks == name], Y.argmax(axis=1))


@law(votes)
def most_rows_of_the_fit_keep_their_labels(entry):
    for noise, least in ((0.1, 1.0), (1.5, 0.9)):
        X, tasks, _ = related(sizes=(60, 50), noise=noise)
        model = fit(entry, X, tasks)
        assert (predict(entry, model, X, tasks) == model.labels_).mean() >= least


@law(of_tasks)
def unknown_and_missing_tasks_are_refused(entry):
    X, _, _ = related()
    model = shared_fit(entry)
    with pytest.raises(UnknownTaskError, match=r"task 'moon' was not there.*'lab'"):
        model.predict(X, tasks="moon")
    with pytest.raises(UnknownTaskError, match=r"task 'moon' was not there.*fit again"):
        model.predict(X[:2], tasks=["lab", "moon"])
    with pytest.raises(InputError, match=r"the model knows 2 tasks.*give tasks="):
        model.predict(X)
    with pytest.raises(InputError, match=r"tasks has shape \(1,\) but X has 27 rows"):
        model.predict(X, tasks=["lab"])


@law(implemented_here)
def other_columns_than_those_of_the_fit_are_refused(entry):
    X, tasks, _ = related()
    with pytest.raises(ValueError, match="X has 5 features.*expecting 6 features"):
        predict(entry, shared_fit(entry), X[:, :5], tasks)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    model = fit(entry, frame, tasks)
    assert model.feature_names_in_.tolist() == list("abcdef")
    with pytest.raises(ValueError, match="feature names should match"):
        predict(entry, model, frame[list("fedcba")], tasks)


def outlying():
    """Make clear groups and one row far away in its own direction."""
    X = related(noise=0.5, signed=False).X
    X[4] *= 1e4
    return X


def stretched():
    """Make clear groups with one column in small units."""
    X = related(noise=0.5).X
    X[:, 2] *= 1e6
    return X


LARGER = {
    "plain blobs": (drawn(40, 3, 11) + 3 * np.eye(3)[np.arange(40) % 3], 3),
    "iris": (load_iris().data[::3], 3),
    "wine": (load_wine().data[::3], 3),
    "rows of zeros among counts": (
        np.round(abs(drawn(20, 6, 12))) * (np.arange(20) > 3)[:, None],
        3,
    ),
    "a row of another size": (outlying(), 3),
    "a column of another size": (stretched(), 3),
    "single precision": (drawn(24, 5, 13).astype(np.float32) + 2, 3),
    "sparse": (sp.csr_array(np.maximum(drawn(24, 9, 14), 0)), 3),
    "sparse, single precision": (
        sp.csr_array(np.maximum(drawn(24, 9, 15), 0), dtype=np.float32),
        3,
    ),
    "every row its own cluster": (drawn(8, 5, 16), 4),
}
"""Table, and a number of clusters for each half of its rows, as in `AWKWARD`."""

TIE = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): 1e-5}
"""A row is tied if changing its numbers by this share of them changes its label."""


def tied(entry, model, X, tasks):
    """Mark rows (n,) whose label changes under tiny perturbations."""
    random = np.random.default_rng(0)
    expected = predict(entry, model, X, tasks)
    found = np.zeros(len(expected), dtype=bool)
    for _ in range(4):
        moved = X.copy()
        entries = moved.data if sp.issparse(moved) else moved
        entries *= 1 + TIE[X.dtype] * random.uniform(-1, 1, size=entries.shape).astype(X.dtype)
        found |= predict(entry, model, moved, tasks) != expected
    return found


def has_one_answer(entry):
    """True if new rows are assigned by the rule that gives the labels of the fit.

    Labels of a paper's multiplicative step are those of its unfinished memberships.
    """
    steps = entry.make().get_params(deep=False).get("update")
    return entry.name not in VOTED and steps != "multiplicative"


def halves(X):
    """Tasks (n,) of the rows: 0 for the first half of them, 1 for the second."""
    return (2 * np.arange(X.shape[0])) // X.shape[0]


def rows_that_change(entry, model, X):
    """Number of training rows, except ties, that get another label when predicted."""
    order = np.arange(X.shape[0])[::-1]
    tasks = halves(X)[order]
    different = predict(entry, model, X[order], tasks) != model.labels_[order]
    if not different.any():
        return 0
    return int(np.sum(different & ~tied(entry, model, X[order], tasks)))


@law(implemented_here, into=TABLE_LAWS)
def awkward_tables_give_usable_answers(entry, table):
    X, k = AWKWARD[table]
    tasks = halves(X)
    if refuses(entry, X, k):
        with pytest.raises(InputError, match=f"only {X.shape[1]} columns"):
            fit(entry, X, tasks, k=k)
        return
    sweeps = {"max_iter": 300} if has_sweeps(entry) else {}  # zeros come late
    model = fit(entry, X, tasks, k=k, **sweeps)
    assert model.labels_.shape == (len(X),)
    assert set(model.labels_) <= set(range(k))
    for name, value in vars(model).items():
        if isinstance(value, np.ndarray) and value.dtype.kind == "f" and name != "match_strength_":
            assert np.isfinite(value).all(), name
    if hasattr(model, "objective_trace_"):
        assert_never_rises(model)
    assert set(predict(entry, model, X, tasks)) <= set(range(k))
    if has_one_answer(entry):
        assert rows_that_change(entry, model, X) == 0


@law(has_one_answer)
def labels_of_the_fit_are_those_of_the_rows_when_they_come_again(entry):
    # Labels do not wait for the end of a descent, and do not know of other starts.
    few = accepted(entry, max_iter=3, n_init=1)
    for table, (X, k) in LARGER.items():
        if not refuses(entry, X, k):
            model = fit(entry, X, halves(X), k=k, **few)
            assert rows_that_change(entry, model, X) == 0, table


@law(always)
def rows_far_from_zero_keep_their_clusters_or_bring_a_warning(entry):
    X, tasks, truth = related(signed=False)
    X[:, ::2] += 5e8
    for table in (X, sp.csr_array(X)) if implemented_here(entry) else (X,):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                found = fit_well(entry, table, tasks)
            except InputError as refusal:
                warnings.warn(str(refusal), stacklevel=1)
        if not any("lie so far from 0" in str(w.message) for w in caught):
            for task in np.unique(tasks):
                own = tasks == task if of_tasks(entry) else slice(None)
                assert same_clusters(found.labels_[own], truth[own])
