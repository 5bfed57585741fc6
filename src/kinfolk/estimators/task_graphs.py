"""Factors a graph of each task's rows, in memory or in blocks (MTCFIR).

Rows in blocks, with outputs of denoising layers beside them (Z of `blocks.common_features`):

    layers, alpha, Z_s'Z_s    of all rows, by sums over blocks
    graph, factor             of at most `landmarks` rows of each task
    labels                    of all rows, as of new ones

or, where tasks do not share instances, the factor of the cosines of all rows, by products.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from kinfolk.arrays import Labels, Matrix, Table, Vector
from kinfolk.blocks import Block, Blocks, gram, kernel, landmarks, task_weights
from kinfolk.blocks import common_features as shared
from kinfolk.errors import InputError
from kinfolk.estimators import affinity, checks, factorization, task_blocks
from kinfolk.estimators import rows as rows_in
from kinfolk.estimators.descent import Settings
from kinfolk.numerics import (
    affinities,
    associations,
    distances,
    features,
    operators,
    starts,
    weighted_rows,
)
from kinfolk.numerics.consistent import TaskSimilarity
from kinfolk.numerics.features import Features
from kinfolk.running import progress

CLUSTERING = "clustering tasks"

OF_BLOCKS = ("_triangles", "_landmark_labels", "_profiles")
"""Attributes that only a model fitted to rows in blocks has."""


class Clustered(NamedTuple):
    """Descent of a task, memberships Y (n_t, k_t) and labels of its rows, and the scaled factor."""

    run: factorization.SymmetricRun
    Y: Matrix
    labels: Labels
    scaled: Matrix


def checked(model: Any) -> int:
    """Check parameters that all fits have, forget a fit of blocks; return `kmeans_n_init`."""
    for name in OF_BLOCKS:
        vars(model).pop(name, None)
    Settings.of(model, checks.random(0))
    checks.choice("update", model.update, factorization.UPDATES)
    return checks.at_least("kmeans_n_init", model.kmeans_n_init, 1)


def check_weighted(model: Any, weighted: bool) -> None:
    """Raise InputError if rows have weights and the similarity does not take them."""
    if weighted and (model.share_instances or model.affinity_ != "cosine"):
        raise InputError(
            "sample_weight is given, and a row repeated more often than it has neighbors would be "
            "linked to its copies alone: give share_instances=False and affinity='cosine', which "
            "compares all rows, or leave the weights out."
        )


def factorized(
    model: Any,
    similar: TaskSimilarity,
    first: list[Labels],
    k: int,
    weight: Vector | None = None,
) -> Clustered:
    """Factor a task's similarity from several clusterings `first`; return the best result.

    It is divided by its degrees, (D) of `numerics.degrees`, then come steps (25) of MTCFIR, or
    exact ones. Weights (n_t,) count a row as so many; the factor of the run is then D^1/2 Y.
    """
    M, first_equal = similar
    compared = "neighbors" if model.share_instances else model.affinity_
    M, s = factorization.balanced(M, model.divide_by_degrees, model.update, compared, weight)
    settings = {"update": model.update, "max_iter": int(model.max_iter), "tol": float(model.tol)}
    run = factorization.symmetric(M, first, k, **settings, weight=weight)
    end = factorization.symmetric_memberships(run.state, M=M, weight=weight)
    if model.update == "exact":  # equal rows are the same row for `predict`
        end = factorization.Memberships(end.Y[first_equal], end.labels[first_equal])
    scaled = weighted_rows.times_roots(s[:, None] * run.state.Y, weight)
    return Clustered(run, end.Y, end.labels, scaled)


def keep(model: Any, each: Sequence[Clustered]) -> None:
    """Store in the model the factors of each task, which `predict` needs."""
    model._training = {}  # large: filled when new rows first come
    model._factors = [own.run.state.Y for own in each]
    model._scaled = [own.scaled for own in each]


def fit_blocks(model: Any, rows: Blocks) -> Any:
    """Cluster rows in blocks by cosines; return the model."""
    best_of = checked(model)
    random = checks.random(model.random_state)
    seeds = Settings.of(model, random).seeds
    k = task_blocks.clusters(model.n_clusters, rows)
    names = affinities.NAMES if model.share_instances else affinities.WITHIN
    model.affinity_ = affinity.of_blocks(model, rows, names)
    check_weighted(model, rows.weighted)
    if not model.share_instances:  # else landmarks have a sentence of their own
        task_blocks.check_sample(rows, k)
    layers = shared.layers(rows, *model._layer_settings(rows.sample().x))
    model._layers = list(layers)
    model.layer_share_ = shared.layer_share(shared.with_outputs(rows, layers), rows.shape[1])
    if model.share_instances:
        each = _of_landmarks(model, rows, k, seeds, best_of, random)
    else:
        each = _of_all_rows(model, rows, k, seeds, best_of)
    keep(model, each)
    return task_blocks.record(model, rows, k, [own.run for own in each])


def is_of_blocks(model: Any) -> bool:
    """True if a model was fitted to rows in blocks."""
    return not vars(model).keys().isdisjoint(OF_BLOCKS)


def products(model: Any, X: Table, t: int) -> Matrix:
    """Cosines of new rows X (m, d) with all rows of a task in blocks, times its factor."""
    Z = distances.unit_rows(shared.Outputs(tuple(model._layers))(X))
    return operators.times(Z, model._profiles[t])


def _of_landmarks(
    model: Any, rows: Blocks, k: list[int], seeds: list[int], best_of: int, random: Any
) -> list[Clustered]:
    """Draw landmarks of each task and factor their graph; store both in the model for `predict`."""
    most = checks.at_least("landmarks", model.landmarks, 3)
    layers = tuple(model._layers)
    model._X, model._codes = landmarks.drawn(task_blocks.samples(rows), k, most, seeds[0])
    own = features.by_task([shared.Outputs(layers)(model._X)], model._codes)
    first = [starts.first_labels(z, n, seeds, best_of) for z, n in zip(own, k, strict=True)]
    sizes = rows.task_sizes
    model._l = model._neighbor_counts(sizes, k)
    V = model._formula()
    marks = associations.prepare(V, own)
    Z = shared.with_outputs(rows, layers)
    model._set_weights(_weights(model, Z, sizes, marks, random))
    model._l = model._neighbor_counts([z.shape[0] for z in marks], k)
    model._triangles = shared.triangles(Z, len(k), model._precision())
    tracked = progress.track(range(len(k)), CLUSTERING)
    similar = (model._similarity(V, marks, t, model._triangles) for t in tracked)
    each = [factorized(model, *of) for of in zip(similar, first, k, strict=True)]
    model._landmark_labels = np.concatenate([found.labels for found in each])
    return each


def _weights(
    model: Any, Z: Blocks, sizes: list[int], marks: list[Features], random: Any
) -> associations.TaskWeights:
    """Estimate task weights alpha from landmarks, or `weight_rows` of them, against all rows."""
    if not model.weigh_tasks:
        return associations.constant_weights(len(sizes))
    most = max(z.shape[0] for z in marks)
    if model.weight_rows is not None:
        most = checks.at_least("weight_rows", model.weight_rows, 2)
    seed = starts.seeds(random, 1)[0]
    counted = [z.rows(associations.drawn(z.shape[0], most, seed)).dense() for z in marks]
    return task_weights.sampled_weights(Z, sizes, counted, model._l)


def _of_all_rows(
    model: Any, rows: Blocks, k: list[int], seeds: list[int], best_of: int
) -> list[Clustered]:
    """Factor the cosines of all rows of each task; store products in the model for `predict`."""
    layers = tuple(model._layers)
    model._set_weights(associations.constant_weights(len(k), related=False))
    model._l = model._neighbor_counts(rows.task_sizes, k)
    for name in ("_X", "_codes"):  # of an earlier fit
        vars(model).pop(name, None)
    model._profiles = []
    each = []
    for t in progress.track(range(len(k)), CLUSTERING):
        own = rows.of_task(t)
        Z = shared.with_outputs(own, layers)
        sample = task_blocks.samples(rows)[t]
        near = Block(shared.Outputs(layers)(sample.x), sample.weight)
        weight = rows_in.weights_of_blocks(own)
        first = [kernel.start_labels(Z, near, k[t], seed, best_of) for seed in seeds]
        M = gram.cosines(Z)
        each.append(factorized(model, TaskSimilarity(M, np.arange(M.n)), first, k[t], weight))
        model._profiles.append(M.crossed(each[-1].scaled))
    return each
