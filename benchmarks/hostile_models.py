"""Quickly fitted models, on which `benchmarks.hostile_calls` calls methods with wrong arguments."""

from functools import cache
from typing import Any

from benchmarks.hostile_values import LABELS, TASKS, X
from kinfolk import catalogue

QUICK = {"n_init": 1, "max_iter": 5, "random_state": 0, "n_clusters": 2, "families": ["mec"]}
"""Parameters that make a fit quick."""


@cache
def fitted_model(name: str) -> Any:
    """Return a quickly fitted model of a method."""
    entry = catalogue.METHODS[name]
    known = entry.cls().get_params(deep=False)
    model = entry.make(**{key: value for key, value in QUICK.items() if key in known})
    given = {"tasks": TASKS} if entry.relation.of_tasks else {}
    return model.fit(X, LABELS if entry.relation == catalogue.KNOWN_LABELS else None, **given)
