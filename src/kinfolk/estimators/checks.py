"""Checks of estimators' arguments; each fault raises an error with one sentence.

Each function returns the checked value or raises InputError.
"""

from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from kinfolk.arguments import at_least as at_least  # beside the other checks
from kinfolk.arguments import choice as choice
from kinfolk.arguments import flag, shown, spelled
from kinfolk.arrays import Labels, MatrixLike, Table
from kinfolk.errors import InputError, UnknownTaskError
from kinfolk.estimators.parameterized import defaults
from kinfolk.numerics import sparse_format
from kinfolk.tables import Tasks, TaskSizes, intake
from kinfolk.tables.alignment import some
from kinfolk.tables.tasks import split_off

LARGEST = {np.dtype(np.float64): 1e75, np.dtype(np.float32): 1e14}
"""Numbers above this are refused, by their precision.

In double precision products of four stay finite. In single precision, whose largest number is
3.4e38, the sum of squared distances stays finite that k-means makes of up to 8e9 numbers: each
adds (2e14)^2 at most.
"""

SMALLEST = {np.dtype(np.float64): 1e-140, np.dtype(np.float32): 1e-17}
"""A fit refuses tables whose entries are all below this, by their precision.

Squares of differences of a millionth of that are numbers still; of less, they are 0, and all rows
look alike.
"""

COLUMNS = {"n_features_in_", "feature_names_in_"}
"""Attributes that describe the columns of the fit, which are set when a table is checked."""


def number(name: str, value: Any, low: float, high: float = np.inf, *, open_low: bool) -> float:
    """Return a number, checked to be in [low, high), or in (low, high) with `open_low`."""
    real = isinstance(value, Real) and not isinstance(value, bool)
    if isinstance(value, np.floating):
        value = float(value)  # 1e75 has no place in single precision
    if real and value not in (np.inf, -np.inf) and abs(value) > LARGEST[np.dtype(np.float64)]:
        raise InputError(f"{name} is {shown(value)}, whose square overflows; give one below 1e75.")
    if real and (low < value < high or (not open_low and value == low)):
        return float(value)
    least = f"greater than {low:g}" if open_low else f"of at least {low:g}"
    most = "" if np.isinf(high) else f" and below {high:g}"
    raise InputError(f"{name} is {shown(value)}; give a number {least}{most}.")


def above(name: str, value: Any, low: float) -> float:
    """Return a number, checked to be finite and > low."""
    return number(name, value, low, open_low=True)


def not_negative(name: str, value: Any) -> float:
    """Return a number, checked to be finite and >= 0."""
    return number(name, value, 0.0, open_low=False)


def share(name: str, value: Any) -> float:
    """Return a number, checked to be from 0 to 1."""
    if not_negative(name, value) > 1:
        raise InputError(f"{name} is {shown(value)}; give a number from 0 to 1.")
    return float(value)


def covariance_shrinkage(value: Any) -> float | None:
    """Return the shrinkage intensity, checked to be in [0, 1); None for "auto"."""
    if isinstance(value, str) and value == "auto":
        return None
    if isinstance(value, str):
        raise InputError(f'covariance_shrinkage is {value!r}; give a number in [0, 1), or "auto".')
    return number("covariance_shrinkage", value, 0.0, 1.0, open_low=False)


def flags(estimator: BaseEstimator) -> None:
    """Raise InputError unless every parameter whose default is a boolean is True or False."""
    for name, default in defaults(type(estimator)).items():  # type: ignore[arg-type]
        if isinstance(default, bool):
            flag(name, getattr(estimator, name))


def random(seed: Any) -> np.random.RandomState:
    """Return NumPy's RandomState for the parameter `random_state`, as scikit-learn does."""
    try:
        return check_random_state(seed)
    except ValueError:
        raise InputError(
            f"random_state is {shown(seed)}; give a whole number, a numpy RandomState or None."
        ) from None


def samples(
    estimator: BaseEstimator,
    X: MatrixLike,
    *,
    reset: bool = True,
    at_least: int = 1,
    gaps: bool = False,
) -> Table:
    """Return X (n, d), checked, dense or CSR; with `reset`, delete the estimator's last results.

    Entries are finite; NaN may pass with `gaps`. Columns are recorded with `reset`, else compared
    with those of the fit. Single precision stays single; all other numbers become double. The
    indices of sparse tables are checked in full, once: everything below `samples` may rely on them.
    """
    if reset:
        flags(estimator)
    X = intake.numbers(X)
    try:
        X = validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
            ensure_min_samples=at_least,
            skip_check_array=_is_usual(X, at_least),
        )
    except ValueError as error:  # too few rows or columns, other columns than those of the fit
        raise InputError(" ".join(str(error).split())) from error
    largest = finite(X, getattr(estimator, "feature_names_in_", None), gaps)
    if reset and 0 < largest < SMALLEST[X.dtype]:
        raise InputError(
            f"X has no entry larger than {largest:.3g}, and squares of such numbers are 0 in "
            f"{X.dtype}; multiply X by one large number, or take a smaller unit."
        )
    if reset:
        forget(estimator)
    return sparse_format.compact(X) if sp.issparse(X) else X


def _is_usual(X: MatrixLike, at_least: int) -> bool:
    """True for an array as `samples` asks for; scikit-learn's check would double its time."""
    plain = type(X) is np.ndarray and X.ndim == 2 and X.dtype in LARGEST
    return plain and X.shape[0] >= at_least and X.shape[1] > 0


def forget(estimator: BaseEstimator) -> None:
    """Delete the public results of an earlier fit, so that no later one can depend on them.

    >>> from kinfolk import MEC
    >>> model = MEC(random_state=0).fit([[0.0], [1.0], [9.0]])
    >>> forget(model)
    >>> [name for name in vars(model) if name.endswith("_")]
    ['n_features_in_']
    """
    for name in results(estimator):
        delattr(estimator, name)


def results(estimator: BaseEstimator) -> list[str]:
    """Return the names of the public results of a fit."""
    # Private names may be scikit-learn's, which it sets before a fit; `lambda_` may be a parameter.
    names = vars(estimator).keys() - COLUMNS - estimator.get_params(deep=False).keys()
    return [name for name in names if name.endswith("_") and not name.startswith("_")]


def clusters(n_clusters: Any, tasks: Tasks | TaskSizes) -> list[int]:
    """Return the number of clusters of each task (T,), from one number or a dict by task.

    In a mapping, None stands for all tasks that it does not name.

    >>> clusters({"a": 2, "b": 1}, Tasks.of(["a", "a", "b"]))
    [2, 1]
    >>> clusters({None: 1, "a": 2}, Tasks.of(["a", "a", "b"]))
    [2, 1]
    """
    called = spelled("--clusters", "n_clusters")
    if isinstance(n_clusters, Mapping):
        if None in n_clusters:
            named = {name: k for name, k in n_clusters.items() if name is not None}
            n_clusters = dict.fromkeys(tasks.names, n_clusters[None]) | named
        unknown = [name for name in n_clusters if name not in tasks.names]
        missing = [name for name in tasks.names if name not in n_clusters]
        if unknown or missing:
            what = "has no entry for" if missing else "names"
            raise InputError(
                f"{called} {what} {some(missing or unknown)}; "
                f"give one number for each of the tasks {some(tasks.names)}."
            )
        per_task = [n_clusters[name] for name in tasks.names]
    elif isinstance(n_clusters, Iterable) and not isinstance(n_clusters, str | bytes):
        # Which number is for which task would depend on an order that users do not see.
        example = {str(name): 2 for name in tasks.names[:2]}
        given = " ".join(f"{n_clusters!r:.80}".split())
        raise InputError(
            f"{called} of task {tasks.names[0]!r} is {given}; give a whole number of at "
            f"least 1, or one for each task by its name such as {example}."
        )
    else:
        per_task = [n_clusters] * len(tasks.names)
    for name, k, n in zip(tasks.names, per_task, tasks.sizes, strict=True):
        label = f"{called} of task {name!r}" if len(tasks.names) > 1 else called
        if at_least(label, k, 1) > n:
            several = len(tasks.names) > 1
            where = f"task {name!r} has" if several else "X has"
            how = f", or leave smaller tasks out ({least(k)})" * several
            raise InputError(
                f"{label} is {k} but {where} only {n} rows (n_samples={n}); give at most {n}{how}."
            )
    return [int(k) for k in per_task]


def cluster_numbers(labels: Any) -> Labels:
    """Return cluster labels as whole numbers (m,), checked.

    >>> cluster_numbers([0, 2])
    array([0, 2])
    """
    if type(labels) is np.ndarray and labels.dtype.kind == "i" and labels.ndim == 1:
        return labels.astype(np.intp)
    found = intake.column(labels)
    if found is None or not all(isinstance(label, Integral) for label in found):
        raise InputError(f"labels is {shown(labels)}; give one whole number for each row.")
    try:
        return found.astype(np.intp)
    except OverflowError:
        raise InputError("labels has a number beyond 2**63; give numbers of clusters.") from None


def below(name: str, numbers: Labels, high: Labels) -> Labels:
    """Return whole numbers (m,), each checked to be from 0 to its own limit `high` (m,) less 1."""
    if len(wrong := np.flatnonzero((numbers < 0) | (numbers >= high))):
        first = wrong[0]
        raise InputError(
            f"{name} has {numbers[first]} in row {first}; give clusters of the row's task, from 0 "
            f"to {high[first] - 1}."
        )
    return numbers


def one_number_of_clusters(n_clusters: Any, tasks: Tasks | TaskSizes, method: str) -> int:
    """Return the common number of clusters, for methods that need it equal in all tasks."""
    different = set(clusters(n_clusters, tasks))
    if len(different) > 1:
        raise InputError(
            f"{method} needs the same number of clusters in every task, given were "
            f"{sorted(different)}; give one number, or use a method that allows different ones."
        )
    return different.pop()


def least(n_rows: int) -> str:
    """Return the text of the option that leaves out tasks of fewer than `n_rows` rows.

    >>> least(2)
    'min_rows=2 of kf.read'
    """
    return spelled(f"--min-rows {n_rows}", f"min_rows={n_rows} of kf.read")


def tasks_of(tasks: Any, X: MatrixLike, *, least_rows: int = 1) -> tuple[Tasks, MatrixLike]:
    """Return the tasks of the rows of X, and X without the task column if one was named."""
    X, frame = _opened(X)
    if frame is not None and isinstance(tasks, str) and tasks in frame.columns:
        return tasks_of(*split_off(tasks, frame), least_rows=least_rows)
    n = _n_rows(X, frame)
    if tasks is None:
        return Tasks.single(n), X
    if is_single(tasks):
        raise InputError(
            f"tasks is {shown(tasks)}, which is no column of X; give one task per row, "
            "the name of a column of a data frame, or None for a single task."
        )
    found = Tasks.given(tasks, n, X)
    sizes = dict(zip(found.names, found.sizes, strict=True))
    if few := [name for name, size in sizes.items() if size < least_rows]:
        have = f"s {some(few)} have 1 row each" if few[1:] else f" {some(few)} has 1 row"
        raise InputError(
            f"task{have}, at least {least_rows} are needed; leave out these rows "
            f"({least(least_rows)}), or give them the name of the task they belong to."
        )
    return found, X


def known_tasks(tasks: Any, X: MatrixLike, known: list[Any]) -> tuple[np.ndarray, MatrixLike]:
    """Return the position of each row's task in `known`, and X without a task column.

    >>> known_tasks(["b", "a"], np.ones((2, 3)), ["a", "b"])[0]
    array([1, 0])
    """
    X, frame = _opened(X)
    n = _n_rows(X, frame)
    if tasks is None:
        if len(known) > 1:
            raise InputError(unnamed_tasks(known))
        return np.zeros(n, dtype=int), X
    named = isinstance(tasks, str) and frame is not None and tasks in frame.columns
    # A tuple is a list of names, unless it is itself the name of a task.
    tuples = [name for name in known if isinstance(name, tuple)]
    one = tasks in tuples if isinstance(tasks, tuple) else is_single(tasks)
    if one and not intake.missing(tasks) and tasks in known:
        return np.full(n, known.index(tasks)), X
    if is_single(tasks) and not named:
        raise UnknownTaskError(unknown_tasks([tasks], known))
    given, X = tasks_of(tasks, X)
    unknown = [name for name in given.names if name not in known]
    if unknown:
        raise UnknownTaskError(unknown_tasks(unknown, known))
    return np.array([known.index(name) for name in given.names], dtype=int)[given.codes], X


def unnamed_tasks(known: list[Any]) -> str:
    """Build the error sentence for rows without tasks, for a model of several tasks."""
    return f"the model knows {len(known)} tasks ({some(known)}) and the rows name none; " + spelled(
        "name the column that has the task of each row (--tasks), or one task for all (--task).",
        "give tasks=, one name for all rows or one per row.",
    )


def one_task_for_all(known: list[Any]) -> str:
    """Build the sentence that says how to name a known task for rows without a column of tasks."""
    return (
        f"If all rows belong to one task, name it ({spelled('--task', 'tasks=')}): the model knows "
        f"{some(known)}."
    )


def unknown_tasks(names: list[Any], known: list[Any]) -> str:
    """Build the error sentence for rows of tasks that a model does not know."""
    return (
        f"task {some(names)} was not there when the model was fitted; it knows {some(known)}: "
        f"name the known task that the rows belong to ({spelled('--task', 'tasks=')}), take them "
        f"in as a new one ({spelled('--new-task', 'add_task')}), or fit again with them."
    )


def _opened(X: MatrixLike) -> tuple[MatrixLike, Any]:
    """Return X, and its narwhals data frame or None for an array."""
    frame = intake.frame_of(X, "X")
    # Sparse tables are checked by `samples`; here only their shape is of use.
    return (X if frame is not None or sp.issparse(X) else intake.numbers(X)), frame


def _n_rows(X: MatrixLike, frame: Any) -> int:
    if frame is not None:
        return len(frame)
    return X.shape[0] if X.shape else 0


def is_single(tasks: Any) -> bool:
    """True if `tasks` is one name (str, number, None) and not a list of names."""
    return not isinstance(tasks, list | tuple) and np.ndim(tasks) == 0


def finite(X: Table, names: Any, gaps: bool) -> float:
    """Return the largest absolute entry; InputError if one is NaN, infinite or above `LARGEST`.

    NaN may pass with `gaps`.
    """
    entries = X.data if sp.issparse(X) else X
    if gaps and np.isnan(entries.sum()):
        entries = entries[~np.isnan(entries)]
    # The largest is NaN if any entry is; two reductions need no copy of |X|.
    largest = np.maximum(entries.max(initial=0.0), -entries.min(initial=0.0))
    if not np.isfinite(largest):
        raise InputError(_first_not_finite(X, names))
    if largest > LARGEST[entries.dtype]:
        raise InputError(
            f"X has entries as large as {largest:.3g}, whose squares overflow in "
            f"{entries.dtype}; divide the "
            "columns by their size, for example with sklearn.preprocessing.StandardScaler."
        )
    return float(largest)


def _first_not_finite(X: Table, names: Any) -> str:
    """Describe in words how many entries are not finite, in which columns, and the first one."""
    rows: Labels
    columns: Labels
    if sp.issparse(X) and len(X.data) == X.count_nonzero():
        rows, columns = (i[~np.isfinite(X.data)] for i in X.nonzero())
    else:  # stored zeros: places of entries are not those of nonzero()
        rows, columns = np.nonzero(~np.isfinite(X.toarray() if sp.issparse(X) else X))
    row = int(rows[0])
    column = int(columns[0])
    kind = "NaN" if np.isnan(X[row, column]) else "inf"
    called = [j if names is None else str(names[j]) for j in np.unique(columns).tolist()]
    wrong = f" in {len(called)} columns ({some(called)})" if len(called) > 1 else ""
    where = repr(str(names[column])) if names is not None else str(column)
    place = f"{kind} in row {row}, column {where}"
    if len(rows) == 1:
        only = f"X has 1 entry that is NaN or infinite (inf), {place}"
        return f"{only}; fill it in or leave the row out."
    return (
        f"X has {len(rows)} entries that are NaN or infinite (inf){wrong}, the first is {place}; "
        "fill them in or leave the rows out."
    )
