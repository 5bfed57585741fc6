"""Modalities of a `MuData`, such as genes and proteins of the same cells, as views of its rows."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinfolk.anndata import cells
from kinfolk.arrays import Table
from kinfolk.errors import InputError
from kinfolk.numerics import operators
from kinfolk.tables import joined_views
from kinfolk.tables.alignment import repeated, some


class Modalities(NamedTuple):
    """Prepared cells to cluster, with one view (set of columns) per modality.

    Attributes
    ----------
    X : (n, d) NaN in all columns of a modality that a cell lacks
    batches : (n,) the batch of each cell, as text
    columns_are_scaled : True if the columns of every modality have comparable units
    views : modality -> the slice of its columns
    """

    X: Table
    batches: NDArray[Any]
    columns_are_scaled: bool
    views: dict[str, slice]


def is_mudata(data: Any) -> bool:
    """Return True for objects with the fields of a MuData, without importing mudata.

    >>> is_mudata([[1.0]])
    False
    """
    fields = all(hasattr(data, name) for name in ("mod", "obs", "obsm", "uns", "obs_names"))
    return fields and isinstance(data.mod, Mapping)


def rows(
    mdata: Any,
    batch_key: str | None,
    use_rep: Any = None,
    layer: Any = None,
    n_top_genes: int = 2000,
    n_comps: int = 50,
) -> Modalities:
    """Return prepared cells with modalities as views; parameters as in `kinfolk.anndata.cluster`.

    Parameters
    ----------
    use_rep, layer : of all modalities, or modality -> key

    Raises
    ------
    InputError : there are less than two modalities, or a key names none; or as of `cells.rows`
    """
    asked = {"use_rep": use_rep, "layer": layer}
    _check(mdata, asked)
    batches = cells.batches(mdata, batch_key)
    views = {}
    scaled = []
    for name, adata in mdata.mod.items():
        at = adata.obs_names.get_indexer(mdata.obs_names)
        # The batches of the cells of this modality, in its own order.
        own = np.empty(adata.shape[0], dtype=batches.dtype)
        own[at[at >= 0]] = batches[at >= 0]
        of_modality = {
            parameter: given.get(name) if isinstance(given, Mapping) else given
            for parameter, given in asked.items()
        }
        try:
            X, _, is_scaled = cells.of_batches(
                adata, own, **of_modality, n_top_genes=n_top_genes, n_comps=n_comps
            )
        except InputError as error:
            raise InputError(f"modality {name!r}: {error}") from error
        views[name] = _placed(X, at)
        scaled.append(is_scaled)
    slices = joined_views.slices({name: X.shape[1] for name, X in views.items()})
    return Modalities(operators.hstack(list(views.values())), batches, all(scaled), slices)


def _check(mdata: Any, asked: Mapping[str, Any]) -> None:
    """Raise InputError if a MuData has one modality, lacks a named one, or repeats a cell name."""
    names = list(mdata.mod)
    if len(names) < 2:
        raise InputError(
            f"this MuData has {len(names)} modalities; give the AnnData of one, such as "
            f"mdata[{names[0] if names else 'rna'!r}]."
        )
    for parameter, given in asked.items():
        unknown = set(given) - set(names) if isinstance(given, Mapping) else ()
        if unknown:
            raise InputError(
                f"{parameter} names {some(sorted(unknown))}; the modalities are {some(names)}."
            )
    for name, adata in mdata.mod.items():
        if twice := repeated([str(cell) for cell in adata.obs_names]):
            raise InputError(
                f"modality {name!r} has more than one cell called {some(twice)}: give cells names "
                "of their own, such as with obs_names_make_unique()."
            )


def _placed(X: Table, at: NDArray[np.integer]) -> Table:
    """Select rows of X by positions (n,), NaN where the position is -1.

    >>> _placed(np.array([[1.0], [2.0]]), np.array([1, -1, 0])).tolist()
    [[2.0], [nan], [1.0]]
    """
    if (at >= 0).all():
        placed: Table = X[at]
        return placed
    found = np.full((len(at), X.shape[1]), np.nan)
    found[at >= 0] = operators.dense(X[at[at >= 0]])
    return found
