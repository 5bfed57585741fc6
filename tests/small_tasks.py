"""Small tasks and their associations, for tests of associations and geometries."""

import numpy as np

import oracles
from kinfolk.numerics import associations
from kinfolk.numerics.affinities import Cosine, Gaussian
from kinfolk.numerics.associations import Precomputed
from kinfolk.numerics.features import Features

SIZES = (9, 7, 8)
L = [3, 2, 4]
KINDS = {"cosine": (Cosine(), oracles.cosine), "gaussian": (Gaussian(2.5), oracles.gaussian(2.5))}
WIDTHS = {"narrow tables": 4, "wide tables": 60}


def tables(d, seed=0, sizes=SIZES):
    random = np.random.default_rng(seed)
    return [random.normal(size=(n, d)) * (2.0 if d < 10 else 0.5) + 0.3 for n in sizes]


def prepared(V, X, kind=np.asarray):
    """Split each table in two side by side, as layers are, and prepare it for V."""
    return [V.prepared(Features([kind(x[:, :2]), kind(x[:, 2:])])) for x in X]


def precomputed(V, X):
    rows = [Features([x[:, :2], x[:, 2:]]) for x in X]
    return Precomputed(V), associations.precompute(V, rows)
