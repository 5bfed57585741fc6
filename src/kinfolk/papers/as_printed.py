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
"""Parameter -> value of the papers, where our default is another; for methods that have it."""
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
"""Method -> further parameters of the papers, mostly start and sweeps; ours where they say none.

Those of LSSMTC are presets of its variants.
"""
UNNAMED: Mapping[str, Mapping[str, Any]] = {
    "plcmf": {"balanced": False},
    "mvcf": {"update": "multiplicative", "max_iter": 100, "tol": 1e-3},
}
"""Method -> former defaults with which its stored runs were made, and which their keys omit.

Our defaults have changed since. Named, they would change the key of every stored run.
"""
BEST_OF_KMEANS = {"mtcfir": 10, "mtcmrl": 10}
"""Paper -> number of k-means runs from which each run takes the best; 1 for other papers.

For k-means itself, and for methods that start from k-means. Many cells of MTCFIR and MTCMRL have no
deviation over 10 runs, which one start would have.
"""


def parameters(method: str) -> dict[str, Any]:
    """Return the parameters with which a method runs as its paper prints it, beside its defaults.

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
    """Return `n_init` and `kmeans_n_init` of a run: one start, or the best of several k-means.

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
    """Return a run's parameters with those that its key omits, see `UNNAMED`.

    >>> complete("mvcf", {"n_init": 1, "max_iter": 9})
    {'update': 'multiplicative', 'max_iter': 9, 'tol': 0.001, 'n_init': 1}
    >>> complete("mec", {"n_init": 1})
    {'n_init': 1}
    """
    return {**UNNAMED.get(method, {}), **parameters}
