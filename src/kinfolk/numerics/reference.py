"""Training rows of all tasks with their learned layers, prepared for comparison with new rows."""

from dataclasses import dataclass

import numpy as np

from kinfolk.arrays import Labels, Matrix, Table, Vector
from kinfolk.numerics import (
    associations,
    denoising,
    features,
    geometry,
    graphs,
    memo,
    operators,
)
from kinfolk.numerics.affinities import Formula
from kinfolk.numerics.associations import Association, Precomputed
from kinfolk.numerics.features import Features
from kinfolk.numerics.geometry import Geometry
from kinfolk.numerics.seminonnegative import nonnegative_assignment


@dataclass(eq=False)
class Reference:
    """Training rows X (n, d) of all tasks with their denoising layers, prepared for affinities.

    Attributes
    ----------
    codes : (n,) the position of each row's task
    layers : fitted on X, one on the output of the other
    V : how rows are compared
    precision : of the products that distances come from
    triangles : of `geometry.grams` for more rows than X, by which X is compared; None: those of X
    Z : the rows of each task as V compares them
    """

    X: Table
    codes: Labels
    layers: list[denoising.Layer]
    V: Formula
    precision: type[np.floating]
    triangles: tuple[Vector, ...] | None = None

    def __post_init__(self) -> None:
        self._H = denoising.stack(self.X, self.layers)
        rows = features.by_task([*self._H], self.codes)
        few = self.triangles is None and associations.worth_precomputing(rows)
        values = associations.precompute(self.V, rows) if few else ()
        # Means or scales of new rows come from the rows of their task.
        self._fit = list(rows) if self.V.local else [None for _ in rows]
        self.Z = associations.prepare(self.V, rows)
        self._V: Association = Precomputed(self.V) if few else self.V
        self._compared = values if few else self.Z
        self._grams = self.triangles
        if self._grams is None:
            self._grams = geometry.grams(self._V, self._compared, self.precision)
        self._geometries: dict[tuple[float, ...], Geometry] = {}

    def prepared(self, X: Table, t: int) -> Features:
        """Apply the layers to new rows X (m, d) of task t and prepare them for the affinity."""
        return self.V.prepared(Features(denoising.stack(X, self.layers, self._H)), self._fit[t])

    def compared(self, X: Table, t: int) -> Features:
        """Features of new rows X (m, d) of task t, for which `geometry` measures distances."""
        rows = self.prepared(X, t)
        if isinstance(self._V, Precomputed):
            return associations.precompute_new(self.V, rows, self.Z)
        return rows

    def geometry(self, alpha: Vector, t: int) -> Geometry:
        """Distances to the rows of task t, for the task's weights alpha (T,)."""
        key = (t, *alpha)
        if key not in self._geometries:
            self._geometries[key] = Geometry(
                self._V, self._compared, alpha, t, self._grams, self.precision
            )
        return self._geometries[key]


@dataclass(eq=False)
class OwnReference:
    """Training rows X (n, d) with their layers, each task compared by an affinity of its own (nI).

    Attributes
    ----------
    codes, layers : as of `Reference`
    V : how rows of each task are compared
    Z : the rows of each task as its V compares them
    """

    X: Table
    codes: Labels
    layers: list[denoising.Layer]
    V: tuple[Formula, ...]

    def __post_init__(self) -> None:
        self._H = denoising.stack(self.X, self.layers)
        self._rows = features.by_task([*self._H], self.codes)
        self.Z = [V.prepared(rows) for V, rows in zip(self.V, self._rows, strict=True)]

    def products(self, X: Table, t: int, Y: Matrix) -> Matrix:
        """Affinities of new rows X (m, d) with the rows of task t, times Y (n_t, k)."""
        V = self.V[t]
        new = Features(denoising.stack(X, self.layers, self._H))
        # Means or scales of new rows come from the rows of their task.
        return V.tile(V.prepared(new, self._rows[t] if V.local else None), self.Z[t]) @ Y


@memo.remembered
def reference(
    X: Table,
    codes: Labels,
    layers: list[denoising.Layer],
    V: Formula,
    precision: type[np.floating],
    triangles: tuple[Vector, ...] | None = None,
) -> Reference:
    """Prepare training rows with their layers; a cached result is shared by models."""
    return Reference(X, codes, layers, V, precision, triangles)


@memo.remembered
def own_reference(
    X: Table, codes: Labels, layers: list[denoising.Layer], V: tuple[Formula, ...]
) -> OwnReference:
    """Prepare training rows of tasks that are compared each by itself; cached, as `reference`."""
    return OwnReference(X, codes, layers, V)


@memo.remembered
def compared(rows: Reference, X: Table, t: int) -> Features:
    """Prepare new rows X (m, d) of task t for comparison with `rows`, cached."""
    return rows.compared(X, t)


def linked(
    fitted: Reference,
    X: Table,
    t: int,
    alpha: Vector,
    l: int,
    end: tuple[Matrix, Matrix, Labels],
) -> Labels:
    """Assign new rows X (m, d) of task t by links to their l nearest rows of the task's fit.

    `end` are the factor Y (n_t, k) of the fit, the same times the scales of its similarity, and
    the labels (n_t,) of its rows.
    """
    Y, scaled, known = end
    rows = compared(fitted, X, t)
    task = fitted.geometry(alpha, t)
    labels = np.empty(X.shape[0], dtype=int)
    for block in operators.blocks(X.shape[0], len(Y)):
        A, sizes = task.distances(rows.rows(block))
        near, weights = graphs.simplex_neighbors(A, l, sizes)
        links = graphs.directed(near, weights, len(Y))
        # A row of the fit keeps its label, which its best y >= 0 may not give.
        same = A.min(axis=1) <= graphs.EQUAL_DISTANCES[A.dtype] * sizes
        assigned = nonnegative_assignment(links @ scaled, Y.T @ Y)
        labels[block] = np.where(same, known[A.argmin(axis=1)], assigned)
    return labels
