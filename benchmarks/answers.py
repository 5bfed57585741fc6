"""Result of one side of a comparison, and timing of its steps."""

from dataclasses import dataclass, field

import numpy as np

from benchmarks.stopwatch import Stopwatch
from kinfolk.estimators import factorization
from kinfolk.methods.multitask import feature_instance, model_relation
from kinfolk.numerics import (
    associations,
    common_features,
    denoising,
    geometry,
    graphs,
    starts,
    subspaces,
)

SEED = 0
STEPS = {
    "features": [(common_features, "fit"), (denoising, "stack")],
    "k-means": [(starts, "first_labels"), (starts, "kmeans"), (starts, "condensed")],
    "thresholds": [(associations, "threshold")],
    "weights": [(associations, "weights"), (associations, "sampled_weights")],
    "graph": [
        (associations, "precompute"),
        (geometry, "grams"),
        (feature_instance, "Geometry"),
        (feature_instance, "consistent_similarity"),
        (graphs, "heat_graph"),
    ],
    "eigenvectors": [(model_relation, "Ridge"), (subspaces, "axes")],
    "sweeps": [(factorization, "symmetric")],
}
"""The functions that make up each step of ours."""


@dataclass
class Answer:
    """Result of one side: labels, objective, sweeps and seconds of steps.

    Attributes
    ----------
    labels : (n,) clusters
    relatedness : (T, T), or (0, 0) where the method has none
    error : (T, T) standard error of the relatedness
    objective : J at the end, where both sides have the same
    sweeps : how many there were, all starts and tasks together
    sweeping : seconds of them alone, where they can be told apart
    steps : seconds by step, of our side only
    """

    labels: np.ndarray
    relatedness: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    error: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    objective: float | None = None
    sweeps: int = 0
    sweeping: float | None = None
    steps: dict[str, float] = field(default_factory=dict)


def timed(rounds, work):
    """Run `work` and return a stopwatch that timed its steps and the functions `rounds`."""
    with Stopwatch(STEPS | {"rounds": rounds}) as watch:
        work()
    return watch


def steps(watch, sweeping=None):
    """Seconds of the steps, with those of the sweeps where they are known."""
    seconds = {name: s for name, s in watch.seconds.items() if s and name != "rounds"}
    return seconds if sweeping is None else seconds | {"sweeps": sweeping}


def printed(module, work):
    """Run a literal algorithm, recording its objective after each sweep."""
    with Stopwatch({"rounds": [(module, "objective")]}) as watch:
        labels, trace = work()[:2]
    sweeping, sweeps = watch.laps("rounds")
    return Answer(labels, objective=float(trace[-1]), sweeps=sweeps, sweeping=sweeping)


def fitted(module, model, X, **given):
    """Fit a model, recording the objective of its module after each sweep."""
    watch = timed([(module, "objective")], lambda: model.fit(X, **given))
    sweeping, sweeps = watch.laps("rounds")
    return Answer(
        model.labels_,
        objective=float(model.objective_trace_[-1]),
        sweeps=sweeps,
        sweeping=sweeping,
        steps=steps(watch, sweeping),
    )
