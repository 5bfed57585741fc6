"""Laws of clustering as functions that raise AssertionError if a clusterer breaks them.

The first line of a docstring is what a user reads of the law.
"""

import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils import get_tags

from kinfolk.errors import UnknownTaskError
from kinfolk.testing.subject import AWKWARD, Subject, assert_same_fit, related, same_clusters

Law = Callable[[Subject], None]


def clear_groups_are_found(subject: Subject) -> None:
    """Three well separated groups are found in each task, and matched across tasks."""
    X, tasks, truth = related()
    found = subject.fit(X, tasks)
    if not subject.several:
        assert same_clusters(found.labels_, truth), "three groups far apart are not the clusters"
        return
    for task in ("lab", "field"):
        rows = tasks == task
        assert same_clusters(found.labels_[rows], truth[rows]), f"not found in task {task!r}"
    if hasattr(found, "matched_labels_"):
        assert same_clusters(found.matched_labels_, truth), "equal groups have different kinds"


def the_order_of_rows_does_not_matter(subject: Subject) -> None:
    """Rows in another order give the same clusters."""
    X, tasks, _ = related()
    order = np.random.default_rng(1).permutation(len(X))
    a = subject.partition(subject.fit(X, tasks), tasks)
    b = subject.partition(subject.fit(X[order], tasks[order]), tasks[order])
    assert same_clusters(a[order], b), "another order of the rows gives other clusters"


def the_order_of_columns_does_not_matter(subject: Subject) -> None:
    """Columns in another order give the same clusters."""
    X, tasks, _ = related()
    order = np.random.default_rng(1).permutation(X.shape[1])
    a = subject.partition(subject.fit(X, tasks), tasks)
    b = subject.partition(subject.fit(X[:, order], tasks), tasks)
    assert same_clusters(a, b), "another order of the columns gives other clusters"


def the_order_and_the_names_of_tasks_do_not_matter(subject: Subject) -> None:
    """Tasks under other names, in another order, have the same clusters."""
    # Sizes differ, so that tasks are told apart by more than their names.
    X, tasks, _ = related(sizes=(15, 12, 9))
    order = np.argsort(tasks, kind="stable")
    renamed = np.array([{"lab": 7, "field": 1, "sea": 4}[t] for t in tasks])
    a = subject.partition(subject.fit(X, tasks), tasks)
    b = subject.partition(subject.fit(X[order], renamed[order]), renamed[order])
    assert same_clusters(a[order], b), "other names of the tasks give other clusters"


def inputs_stay_as_they_are(subject: Subject) -> None:
    """Neither `fit` nor `predict` changes the table or the tasks that it is given."""
    X, tasks, _ = related()
    for table in _containers(subject, X):
        before = table.copy()
        names = tasks.copy()
        model = subject.fit(table, names)
        if subject.predicts:
            subject.predict(model, table, names)
        assert abs(table - before).max() == 0, "the table is changed"
        np.testing.assert_array_equal(names, tasks, "the tasks are changed")


def read_only_tables_are_taken(subject: Subject) -> None:
    """A read-only table gives the same fit."""
    X, tasks, _ = related()
    locked = X.copy()
    locked.flags.writeable = False
    assert_same_fit(subject.fit(locked, tasks), subject.fit(X, tasks))


def the_same_seed_gives_the_same_result(subject: Subject) -> None:
    """Two fits with the same `random_state` are equal."""
    # Noise that blurs the groups: an answer that depends on draws would now show it.
    X, tasks, _ = related(noise=1.5)
    assert_same_fit(subject.fit(X, tasks), subject.fit(X, tasks))


def the_global_generator_is_untouched(subject: Subject) -> None:
    """A fit neither draws from NumPy's global generator nor seeds it."""
    X, tasks, _ = related()
    before = global_state()
    model = subject.fit(X, tasks)
    if subject.predicts:
        subject.predict(model, X, tasks)
    assert global_state() == before, "the global generator has moved"


def global_state() -> tuple[bytes, int]:
    """Return the state of NumPy's global generator."""
    # A few draws move the place alone: the numbers are made anew after each 624 draws.
    state: Any = np.random.get_state(legacy=False)["state"]  # noqa: NPY002
    return state["key"].tobytes(), int(state["pos"])


def a_second_fit_forgets_the_first(subject: Subject) -> None:
    """Refitting gives the same as a new model, without attributes left over."""
    first = related(sizes=(9, 20, 12), d=8, seed=4)
    X, tasks, _ = related()
    model = subject.fit(first.X, first.tasks)
    if subject.predicts:
        subject.predict(model, first.X, first.tasks)
    model = subject.fit_again(model, X, tasks)
    fresh = subject.fit(X, tasks)
    assert_same_fit(model, fresh)
    left = sorted(vars(model).keys() ^ vars(fresh).keys())
    assert not left, f"attributes of the first fit are left: {', '.join(left)}"


def a_fit_survives_pickling(subject: Subject) -> None:
    """A pickled model has the same labels and assigns the same rows to the same clusters."""
    X, tasks, _ = related()
    model = subject.fit(X, tasks)
    copy = pickle.loads(pickle.dumps(model))  # noqa: S301
    assert_same_fit(copy, model)
    if subject.predicts:
        expected = subject.predict(model, X, tasks)
        np.testing.assert_array_equal(subject.predict(copy, X, tasks), expected)


def clones_carry_the_parameters_and_no_fit(subject: Subject) -> None:
    """A clone has the model's parameters and is not fitted."""
    X, tasks, _ = related()
    model = subject.fit(X, tasks)
    copy = clone(model)
    assert not hasattr(copy, "labels_"), "a clone is fitted"
    expected = model.get_params(deep=False)
    for name, value in copy.get_params(deep=False).items():
        same = value is expected[name] or repr(value) == repr(expected[name])
        assert same, f"the clone has another {name}"


def rows_are_assigned_independently_of_each_other(subject: Subject) -> None:
    """A new row goes to the same cluster whatever other rows come with it."""
    X, tasks, _ = related()
    model = subject.fit(X, tasks)
    # Not the rows of the fit, whose labels a method may look up.
    new = X + 0.3 * np.random.default_rng(2).normal(size=X.shape)
    together = subject.predict(model, new, tasks)
    alone = [
        subject.predict(model, new[[i]], tasks[[i]] if i % 2 else tasks[i]) for i in range(len(X))
    ]
    np.testing.assert_array_equal(np.concatenate(alone), together)


def rows_of_the_fit_keep_their_labels(subject: Subject) -> None:
    """Training rows are assigned to the clusters that they had in the fit."""
    X, tasks, _ = related()
    model = subject.fit(X, tasks)
    np.testing.assert_array_equal(subject.predict(model, X, tasks), model.labels_)


def sparse_and_dense_tables_agree(subject: Subject) -> None:
    """The same numbers in a sparse table give the same clusters."""
    X, tasks, _ = related(d=9)
    # Most entries become 0, as in tables that come sparse, and none negative.
    X = np.where(X > 0.3, X, 0.0)
    a = subject.partition(subject.fit(X, tasks), tasks)
    b = subject.partition(subject.fit(sp.csr_array(X), tasks), tasks)
    assert same_clusters(a, b), "a sparse table has other clusters"


def unknown_tasks_are_refused(subject: Subject) -> None:
    """Rows of an unknown task raise an error that names it."""
    X, tasks, _ = related()
    model = subject.fit(X, tasks)
    sentence = ""
    try:
        subject.predict(model, X, "moon")
    except UnknownTaskError as error:
        sentence = str(error)
    assert "moon" in sentence, "no UnknownTaskError names the task that was not there"


def awkward_tables_give_usable_answers(subject: Subject) -> None:
    """Rows that are equal, zero, few, far apart or tiny give clusters, or a ValueError."""
    for name, (X, k) in AWKWARD.items():
        tasks = (2 * np.arange(len(X))) // len(X)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that such a table is awkward is worth a warning
            try:
                model = subject.fit(X, tasks, k)
            except ValueError:
                continue
        labels = np.asarray(model.labels_)
        assert labels.shape == (len(X),), f"{name}: labels have the shape {labels.shape}"
        assert set(labels.tolist()) <= set(range(-1, k)), f"{name}: labels are not below {k}"


def _containers(subject: Subject, X: Any) -> list[Any]:
    """Return a table in each container (array, sparse, ...) that a clusterer takes."""
    sparse = get_tags(subject.make(3)).input_tags.sparse
    tables = [X.copy(), np.asfortranarray(X)]
    return [*tables, sp.csr_array(np.where(abs(X) > 0.3, X, 0))] if sparse else tables


OF_ALL: tuple[Law, ...] = (
    clear_groups_are_found,
    the_order_of_rows_does_not_matter,
    the_order_of_columns_does_not_matter,
    inputs_stay_as_they_are,
    read_only_tables_are_taken,
    the_same_seed_gives_the_same_result,
    the_global_generator_is_untouched,
    a_second_fit_forgets_the_first,
    a_fit_survives_pickling,
    clones_carry_the_parameters_and_no_fit,
    awkward_tables_give_usable_answers,
)
OF_PREDICTION: tuple[Law, ...] = (
    rows_are_assigned_independently_of_each_other,
    rows_of_the_fit_keep_their_labels,
)
OF_TASKS: tuple[Law, ...] = (the_order_and_the_names_of_tasks_do_not_matter,)
OF_SPARSE_TABLES: tuple[Law, ...] = (sparse_and_dense_tables_agree,)
OF_PREDICTION_IN_TASKS: tuple[Law, ...] = (unknown_tasks_are_refused,)
