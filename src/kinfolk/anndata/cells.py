"""Prepares the cells of an `AnnData` for clustering as single-cell analysis does."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.decomposition import PCA

from kinfolk.arrays import Table
from kinfolk.errors import InputError
from kinfolk.estimators import checks
from kinfolk.numerics import gene_counts, operators, sparse_format
from kinfolk.tables import Tasks, intake
from kinfolk.tables.alignment import repeated, some

SINGLE_BATCH = "all"
"""Name of the only batch if no `batch_key` is given."""

LARGEST_LOGARITHM = 30.0
"""Largest number taken for the logarithm of a count: even in base 2 that of a million is 20."""


class PreparedCells(NamedTuple):
    """Prepared cells to cluster: rows, batches and how they were made.

    Attributes
    ----------
    X : (n, d)
    batches : (n,) the batch of each cell, as text
    columns_are_scaled : True if the columns have comparable units
    """

    X: Table
    batches: NDArray[Any]
    columns_are_scaled: bool


def is_anndata(adata: Any) -> bool:
    """Return True for objects with the fields of an AnnData, without importing anndata.

    >>> is_anndata([[1.0]])
    False
    """
    return all(hasattr(adata, name) for name in ("obs", "var", "obsm", "uns", "layers", "X"))


def rows(
    adata: Any,
    batch_key: str | None,
    use_rep: str | None = None,
    layer: str | None = None,
    n_top_genes: int = 2000,
    n_comps: int = 50,
) -> PreparedCells:
    """Return the prepared cells; parameters as in `kinfolk.anndata.cluster`.

    Raises
    ------
    InputError : there is no such column, key or layer, or both a key and a layer are named
    """
    return of_batches(adata, batches(adata, batch_key), use_rep, layer, n_top_genes, n_comps)


def of_batches(
    adata: Any,
    batches: NDArray[Any],
    use_rep: str | None = None,
    layer: str | None = None,
    n_top_genes: int = 2000,
    n_comps: int = 50,
) -> PreparedCells:
    """Return the prepared cells to cluster, given their batches (n,)."""
    n_top_genes = checks.at_least("n_top_genes", n_top_genes, 1)
    n_comps = checks.at_least("n_comps", n_comps, 1)
    if use_rep is not None and not (isinstance(use_rep, str) and use_rep == "X"):
        if layer is not None:
            raise InputError(
                f"use_rep is {use_rep!r} and layer is {layer!r}; give one of them: cells are read "
                "from obsm or from a layer."
            )
        # Sizes of components mean something: they have one unit, and the first is the largest.
        return PreparedCells(
            intake.matrix(_named("obsm", adata.obsm, use_rep), use_rep), batches, True
        )
    X = adata.X if layer is None else _named("layers", adata.layers, layer)
    if X is None:
        raise InputError("adata.X is empty; name a layer, or use_rep, the key of obsm to cluster.")
    X = sparse_format.checked(X) if sp.issparse(X) else intake.matrix(X, "X")
    if use_rep == "X":
        return PreparedCells(X, batches, False)
    X = _prepared(adata, X, batches, n_top_genes)
    return PreparedCells(_components(gene_counts.scaled(X), n_comps), batches, True)


def _components(X: Table, n_comps: int) -> Table:
    """Scores (n, m) of X (n, d) on its first m <= n_comps principal components.

    With as many components as columns, X less its means: a rotation changes no distances.
    """
    m = min(n_comps, X.shape[1], X.shape[0] - 1)
    if not 1 <= m < min(X.shape):
        return X - X.mean(axis=0) if not sp.issparse(X) else X.toarray() - X.mean(axis=0)
    # A sparse table is never made dense: Lanczos steps see it less its mean.
    solver = "arpack" if sp.issparse(X) else "auto"
    return PCA(m, svd_solver=solver, random_state=0).fit_transform(X)


def _prepared(adata: Any, X: Table, batches: NDArray[Any], n_top_genes: int) -> Table:
    """Select variable genes from X (n, d); log-normalize first if X holds counts."""
    X = gene_counts.log_normalized(X) if gene_counts.are_counts(X) else X
    if "highly_variable" in adata.var:
        kept = gene_counts.marked(adata.var["highly_variable"])
    elif X.shape[1] > n_top_genes:
        _check_logarithms(X, n_top_genes)
        kept = gene_counts.most_variable(X, Tasks.of(batches).codes, n_top_genes)
    else:
        return X
    return X[:, kept]


def _check_logarithms(X: Table, n_top_genes: int) -> None:
    """Raise InputError if numbers cannot be log-normalized counts."""
    values = operators.entries(X)
    least = float(values.min(initial=0.0))
    most = float(values.max(initial=0.0))
    if least < 0 or most > LARGEST_LOGARITHM:
        raise InputError(
            f"the numbers of genes lie between {least:.3g} and {most:.3g}: they are neither counts "
            f"nor logarithms of them, by which {n_top_genes:,} of {X.shape[1]:,} genes could be "
            'chosen; name a layer of counts, mark genes in var["highly_variable"], or give '
            f"n_top_genes={X.shape[1]}."
        )


def batches(adata: Any, batch_key: str | None) -> NDArray[Any]:
    """Return the batch (n,) of each cell as text; InputError if there is no such column."""
    n = int(adata.shape[0])
    if batch_key is None:
        return np.full(n, SINGLE_BATCH)
    values = _named("obs", adata.obs, batch_key)
    found = Tasks.given(values, n, None, f"obs[{batch_key!r}]", "adata")
    names = [str(name) for name in found.names]
    if twice := repeated(names):
        raise InputError(
            f"obs[{batch_key!r}] has batches that read alike: {some(twice)}; write them as one, or "
            "give them different names."
        )
    return found.of_rows(texts=True)


def _named(field: str, values: Mapping[str, Any], key: Any) -> Any:
    """Return values[key]; InputError lists the keys that exist."""
    if not isinstance(key, str) or key not in values:
        raise InputError(f"adata.{field} has no {key!r}; it has {some(list(values)) or 'nothing'}.")
    return values[key]
