"""Base classes of clusterers that need only sums over rows, and so can read rows in blocks."""

from collections.abc import Callable
from typing import Any, Self, TypeAlias

import numpy as np
from sklearn.utils.validation import check_is_fitted

from kinfolk.arrays import Labels, MatrixLike
from kinfolk.blocks import Block, Blocks, Rows, kernel, sums
from kinfolk.errors import InputError
from kinfolk.estimators import checks, rows, warn
from kinfolk.estimators.base import Clusterer
from kinfolk.estimators.descent import Run
from kinfolk.numerics import entropic
from kinfolk.numerics.entropic import Rule

Assign: TypeAlias = Callable[..., Labels]
"""Clusters (m,) of the rows of a block, from the block and a fitted state."""


class BlockClusterer(Clusterer):
    """Base of clusterers that take a table, `kinfolk.Blocks` or Dask arrays and frames."""

    def _open_blocks(
        self, X: MatrixLike, n_clusters: Any, sample_weight: Any = None
    ) -> tuple[Blocks, int]:
        """Check blocks of rows, weights and the number of clusters; return blocks and number."""
        found = rows.blocks(self, X, sample_weight=sample_weight, at_least=2)
        self._asked = checks.at_least("n_clusters", n_clusters, 1)
        if self._asked > found.shape[0]:
            raise InputError(
                f"n_clusters is {n_clusters} but X has only {found.shape[0]} rows; give fewer."
            )
        self.__dict__.pop("_row_order", None)
        sample = found.sample()
        kernel.check_sample(sample.shape[0], self._asked)
        warn.of_table(self, sample.x)
        return found, self._asked

    def _new_blocks(self, X: MatrixLike, sample_weight: Any = None) -> Rows:
        """Check new rows against the fit and return them: a table as one block, or in blocks."""
        check_is_fitted(self)
        if rows.in_blocks(X, self):
            return rows.blocks(self, X, sample_weight=sample_weight, reset=False)
        table = checks.samples(self, X, reset=False)
        return Block(table, rows.weights(rows.weights_beside(X, sample_weight), table.shape[0]))

    def _say_present(self, present: Labels) -> None:
        """Record which clusters have rows, for the warning of empty clusters."""
        self.__dict__["_present"] = present

    def _warn_of_empty_clusters(self) -> Self:
        present = self.__dict__.pop("_present", None)
        if present is None:
            return super()._warn_of_empty_clusters()
        warn.of_empty_clusters(present, np.zeros(len(present), dtype=int), ["all"], [self._asked])
        return self


class RowSumClusterer(BlockClusterer):
    """Base of clusterers whose sweeps are sums over rows: MEC and KT-MEC.

    The fit of blocks is that of the same table in memory, up to the rounding of sums, where the
    table is small enough to be the sample that starts are drawn from (`blocks.SAMPLE_NUMBERS`).
    Labels of an array of Dask are one, too, and so are memberships; of other blocks there are
    labels in memory and no memberships, which `predict_memberships` gives for any rows.
    """

    compares = "distances"

    def works_elsewhere(self) -> bool:
        """True if arrays of PyTorch and other libraries are processed on their own device."""
        return True

    def _open_rows(self, X: MatrixLike, n_clusters: Any, sample_weight: Any) -> tuple[Rows, int]:
        """Check a table or blocks, weights and the number of clusters; return rows and number."""
        if not rows.in_blocks(X, self):
            table, k = self._open(X, n_clusters)
            weight = rows.weights(rows.weights_beside(X, sample_weight), table.shape[0])
            if weight is None or (weight == 1).all():
                return Block(table), k  # sums without weights, to the last digit
            return Block(table, self._sorted(weight)), k
        return self._open_blocks(X, n_clusters, sample_weight)

    def _gamma(self, sample: Block, k: int, seed: int) -> float:
        """Return the temperature; "auto" is estimated from a sample of the rows."""
        given: Any = getattr(self, "temperature", None)
        if isinstance(given, str) and given == "auto":
            return entropic.temperature(sample.x, k, seed, sample.weight)
        return checks.above("temperature", given, 0)

    def _set_memberships(self, found: Rows, parts: list[tuple[float, Rule]]) -> None:
        """Set `memberships_` for a table, a Dask array or an array of another library."""
        if isinstance(found, Block) or found.is_dask or found.is_other:
            self.memberships_ = found.each(sums.mixture, parts)

    def _record_rows(self, run: Run, found: Rows, assign: Assign, *state: Any) -> Self:
        """Set the fitted attributes from a descent; `assign` labels the rows."""
        self.labels_ = found.each(assign, *state)
        if not isinstance(self.labels_, np.ndarray):
            # Labels of Dask are not there yet, so that rows are counted where they are.
            sizes = found.total(_sizes, assign, state, self._asked)
            self._say_present(np.flatnonzero(sizes))
        return self._record(run)


def _sizes(block: Block, assign: Assign, state: Any, k: int) -> Labels:
    """Count (k,) the rows of a block in each cluster."""
    return np.bincount(assign(block, *state), minlength=k)
