"""Runs all applicable laws on a clusterer of any package."""

import inspect
from collections.abc import Callable, Collection
from functools import partial
from typing import Any

from sklearn.base import clone
from sklearn.utils import get_tags

from kinfolk.arguments import choice, names, shown
from kinfolk.errors import InputError
from kinfolk.testing import laws
from kinfolk.testing.subject import Subject


def check_clusterer(
    clusterer: Any, *, except_for: Collection[str] = (), on_fail: str = "raise"
) -> list[dict[str, Any]]:
    """Check a clusterer against the laws that every method of Kinfolk satisfies.

    Parameters
    ----------
    clusterer : with `fit`, `labels_` and a parameter `n_clusters`, and a `random_state` that is set
        if it draws random numbers. One whose `fit` takes `tasks` is checked on several tasks
    except_for : names of laws that it is not to keep, for a reason
    on_fail : "raise" stops at the first law that is broken; "record" goes on

    Returns
    -------
    a record for each law: law, its name; meaning, a sentence; status, "kept", "broken" or "left
    out"; message, what was wrong

    Raises
    ------
    InputError : the object is no clusterer, or there is no such law
    AssertionError : a law is broken

    Examples
    --------
    >>> from kinfolk import MEC
    >>> found = check_clusterer(MEC(random_state=0, temperature=0.1))
    >>> found[0]["law"], found[0]["status"]
    ('clear_groups_are_found', 'kept')
    >>> found = check_clusterer(MEC(random_state=0, max_iter=1, tol=0.0), on_fail="record")
    >>> [record["law"] for record in found if record["status"] == "broken"]
    []
    """
    choice("on_fail", on_fail, ["raise", "record"])
    checks = laws_of(clusterer)
    left_out = [choice("except_for", name, checks) for name in names("except_for", except_for)]
    found = []
    for name, check in checks.items():
        record = {"law": name, "meaning": _meaning(check), "status": "kept", "message": ""}
        found.append(record)
        if name in left_out:
            record["status"] = "left out"
            continue
        try:
            check()
        except AssertionError as error:
            if on_fail == "raise":
                raise
            record |= {"status": "broken", "message": str(error)}
    return found


def laws_of(clusterer: Any) -> dict[str, Callable[[], None]]:
    """Return the laws that apply to a clusterer, {name: check}, for pytest's `parametrize`.

    Raises
    ------
    InputError : the object is no clusterer, or has no parameter `n_clusters`

    Examples
    --------
    >>> from sklearn.cluster import AgglomerativeClustering, KMeans
    >>> sorted(laws_of(KMeans()).keys() - laws_of(AgglomerativeClustering()).keys())
    ['rows_are_assigned_independently_of_each_other', 'rows_of_the_fit_keep_their_labels',
     'sparse_and_dense_tables_agree']
    """
    subject = subject_of(clusterer)
    checks = list(laws.OF_ALL)
    if get_tags(clusterer).input_tags.sparse:
        checks += laws.OF_SPARSE_TABLES
    if subject.predicts:
        checks += laws.OF_PREDICTION
    if subject.several:
        checks += laws.OF_TASKS
    if subject.several and subject.predicts:
        checks += laws.OF_PREDICTION_IN_TASKS
    return {law.__name__: partial(_check, law, subject, clusterer) for law in checks}


def subject_of(clusterer: Any) -> Subject:
    """Wrap a clusterer for the laws; InputError if it is none."""
    usable = all(hasattr(clusterer, name) for name in ("fit", "get_params", "set_params"))
    if isinstance(clusterer, type) or not usable:
        raise InputError(
            f"clusterer is {shown(clusterer)}; give a clusterer with fit and labels_, such as "
            "KMeans(random_state=0)."
        )
    if "n_clusters" not in clusterer.get_params():
        raise InputError(
            f"{type(clusterer).__name__} has no parameter n_clusters, which the laws set: wrap it."
        )
    several = "tasks" in inspect.signature(clusterer.fit).parameters

    def make(k: int) -> Any:
        return clone(clusterer).set_params(n_clusters=k)

    return Subject(make, several, hasattr(clusterer, "predict"))


def _check(law: laws.Law, subject: Subject, clusterer: Any) -> None:
    """Run one law; AssertionError with its name if it is broken."""
    try:
        law(subject)
    except Exception as error:  # whatever a clusterer raises breaks the law
        raise AssertionError(
            f"{type(clusterer).__name__} breaks the law {law.__name__!r}: {error}"
        ) from error


def _meaning(check: Any) -> str:
    return str(check.args[0].__doc__).split("\n")[0]
