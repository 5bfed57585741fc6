"""Parameters by which methods run as their papers print them, where our defaults differ."""

from collections.abc import Mapping
from typing import Any

from kinfolk import catalogue

STEPS = {
    "update": "multiplicative",
    "affinity": "cosine",
    "share_features": True,
    "max_neighbors": None,
    "normalize": False,
    "centers": "all",
}
"""What the papers do where a method's default is another, for methods with these parameters."""
_SWEEPS = {"max_iter": 20, "tol": 0.0}
_TO_THE_END = {"max_iter": 300, "tol": 1e-6}
_DESCENTS: Mapping[str, Mapping[str, Any]] = {
    "asi": {"init": "random", **_SWEEPS},
    "soft-kmeans": {"init": "random", **_SWEEPS},
    **dict.fromkeys(("lssttc", "plcmf", "comsc-five"), _SWEEPS),
    "multinmf": {"max_iter": 30, "tol": 0.0},
    "comvsc": {"max_iter": 100, "tol": 1e-4},
    "cocc": {"guard": "off"},  # it changes no answer, and takes two thirds of the time
    # Its printed spreads need a random start; MTCTKI's, which has none, are 0.
    "samtc": {"init": "kmeans"},
    **dict.fromkeys(("mec", "kt-mec"), {"init": "random"}),
    "linear-svm": {"C": 1.0},  # LIBSVM's default
    **dict.fromkeys(("symnmf", "mtcfir", "mtcfir-nf", "mtcfir-ni", "mtcfir-nr"), _TO_THE_END),
    **dict.fromkeys(("mtcmrl", "snmf-lr"), _TO_THE_END),
    # The kind of graph is not stated, and the method has none of cosines.
    **dict.fromkeys(("comvcf", "comvcf-n"), {**_TO_THE_END, "affinity": "gaussian"}),
}
"""Method -> start and sweeps of the papers, or ours where they say none.

Those of LSSMTC are presets of its variants.
"""
UNNAMED: Mapping[str, Mapping[str, Any]] = {
    "plcmf": {"balanced": False},
    "mvcf": {"update": "multiplicative", "max_iter": 100, "tol": 1e-3},
}
"""Method -> parameters of its runs that their keys do not name: defaults when runs were stored.

Our defaults have changed since. Named, they would change the key of every stored run.
"""
BEST_OF_KMEANS = {"mtcfir": 10, "mtcmrl": 10}
"""Paper -> k-means runs of which one run takes the best, as k-means and as a start; 1 for others.

Many cells of MTCFIR and MTCMRL have no deviation over 10 runs, which one start would have.
"""


def parameters(method: str) -> dict[str, Any]:
    """Parameters that make a method run as printed in its paper, if it has them.

    >>> parameters("symnmf"), parameters("kmeans")
    ({'update': 'multiplicative', 'affinity': 'cosine', 'max_iter': 300, 'tol': 1e-06}, {})
    >>> "share_features" in parameters("mtcfir"), "share_features" in parameters("mtcfir-nf")
    (True, False)
    """
    entry = catalogue.method(method)
    known = entry.cls().get_params(deep=False).keys() - entry.preset.keys()
    known -= UNNAMED.get(method, {}).keys()
    steps = {name: value for name, value in STEPS.items() if name in known}
    return {**steps, **_DESCENTS.get(method, {})}


def start(paper: str, method: str) -> dict[str, int]:
    """Parameters for the starts of each run: a single start, or the best of several k-means.

    >>> start("mtcfir", "kmeans"), start("mtcfir", "mtcfir"), start("ktmec", "mec")
    ({'n_init': 10}, {'n_init': 1, 'kmeans_n_init': 10}, {'n_init': 1})
    >>> start("lssmtc", "gfhf")  # has no start
    {}
    """
    known = catalogue.method(method).cls().get_params(deep=False)
    if "n_init" not in known:
        return {}
    best_of = BEST_OF_KMEANS.get(paper, 1)
    if method == "kmeans":
        return {"n_init": best_of}
    # A run of best-of-one is the same run as before there was a choice, and has the same key.
    if best_of > 1 and "kmeans_n_init" in known:
        return {"n_init": 1, "kmeans_n_init": best_of}
    return {"n_init": 1}


def complete(method: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Add to a run's parameters those that its key does not name, see `UNNAMED`.

    >>> complete("mvcf", {"n_init": 1, "max_iter": 9})
    {'update': 'multiplicative', 'max_iter': 9, 'tol': 0.001, 'n_init': 1}
    >>> complete("mec", {"n_init": 1})
    {'n_init': 1}
    """
    return {**UNNAMED.get(method, {}), **parameters}
