"""Reads .h5ad files of single-cell data (cells by genes), and the modalities of .h5mu files.

The numbers are `X`; columns of `obs` may have a role. Counts become logarithms of shares, and the
genes that are most variable within tasks are kept (`numerics.gene_counts`).
"""

import io
import math
import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk.arrays import Table
from kinfolk.errors import FileFormatError, InputError, KinfolkError, import_extra
from kinfolk.numerics import gene_counts, operators, sparse_format
from kinfolk.running import progress
from kinfolk.sources import finite_numbers, limits, sheets
from kinfolk.sources.sheets import Roles, Sheet
from kinfolk.tables import Tasks, alignment, name_order

N_GENES = 2000
"""Most variable genes that are kept, as is customary; a choice of columns keeps others."""

_NEEDS = "Reading this file needs"
_PARTS = ("X", "obs", "var")

SUFFIXES = (".h5ad", ".h5mu")
"""Files of cells: one matrix, or a matrix for each modality."""


def modalities(file: str, raw: bytes) -> list[str]:
    """Return the names of the modalities of an .h5mu file, in its order.

    Raises
    ------
    FileFormatError : the file is damaged, or its modalities have other cells and the same genes
    MissingExtraError : h5py is not installed
    """
    h5py = import_extra("h5py", "mudata", _NEEDS)
    with _read_errors(file), h5py.File(io.BytesIO(raw), "r") as stored:
        if int(stored.attrs.get("axis", 0)) != 0:
            raise FileFormatError(f"{file} has modalities of other cells: give one file for each.")
        _check_link(file, h5py, stored, "mod")
        found = stored["mod"].attrs.get("mod-order", list(stored["mod"]))
        return [str(name) for name in found]


def by_modality(
    file: str, raw: bytes, roles: Roles, names: Callable[[str], Any], sparse: bool
) -> dict[str, Sheet]:
    """Read all modalities of an .h5mu file: modality -> its cells by genes, as of `sheet`.

    `names` gives the columns to read and to leave out of a modality, as `only` and `ignore`.
    """
    parts = {}
    for modality in progress.track(modalities(file, raw), "reading modalities"):
        own = names(modality)
        part = sheet(file, raw, roles, own.only, own.ignore, optional=True, modality=modality)
        X = part.X if sparse or part.X is None else operators.dense(part.X)
        notes = tuple(f"{modality}: {note}" for note in part.notes)
        parts[modality] = replace(part, X=X, notes=notes)
    return parts


def sheet(
    file: str,
    raw: bytes,
    roles: Roles,
    only: Collection[str] | None = None,
    ignore: Collection[str] = (),
    *,
    optional: bool = False,
    modality: str | None = None,
) -> Sheet:
    """Read cells by genes as a `Sheet`; log-normalize counts and keep their most variable genes.

    Columns of `obs` are sorted by role, and names of cells are row ids. Of an .h5mu file one
    `modality` is read; columns of `obs` may also be those of all modalities.

    Genes in `only` are kept, without it those that `var["highly_variable"]` marks, else the
    `N_GENES` most variable ones if X holds counts, else all; none of those in `ignore`.

    Raises
    ------
    InputError : a column that is named does not stand in obs, or a number is missing or infinite
    FileFormatError : the file is damaged, refers to other files, or has no `X`
    MissingExtraError : anndata is not installed
    """
    if roles.text is not None:
        raise InputError(f"{file} holds cells, not texts: give texts as .csv, .jsonl or .parquet.")
    X, obs, var = _parts(file, raw, modality)
    file = file if modality is None else f"{file} ({modality})"
    roles = roles.present_in(obs.columns) if optional else roles
    values = {role: _column(file, obs, getattr(roles, role)) for role in Roles._fields}
    tasks = _strings(file, roles.tasks, values["tasks"])
    if tasks is not None:
        tasks = sheets.in_order(tasks, name_order.order_of(obs[roles.tasks]))
    row_ids = _strings(file, roles.row_id or "obs_names", values["row_id"])
    names = _gene_names(file, var)
    X = finite_numbers.checked(file, names.tolist(), X)
    X, notes = _prepared(file, X)
    kept = _kept(X, names, var, tasks, only, notes)
    left_out = np.isin(names[kept], list(ignore))
    ignored = tuple(names[kept[left_out]].tolist())
    kept = kept[~left_out]
    if not len(kept):
        raise InputError(f"{file} has no gene left to cluster on: name genes that it has.")
    known = values["labels"]
    return Sheet(
        file,
        np.array([str(name) for name in obs.index]) if row_ids is None else row_ids,
        tasks=tasks,
        target=_strings(file, roles.target, values["target"]),
        labels=None if known is None else sheets.known_classes(known),
        X=X[:, kept],
        feature_names=tuple(names[kept].tolist()),
        ignored=ignored,
        notes=tuple(notes),
    )


def _gene_names(file: str, var: Any) -> NDArray[Any]:
    """Return the names of genes; FileFormatError if two are the same."""
    names = [str(name) for name in var.index]
    if twice := alignment.repeated(names):
        raise FileFormatError(
            f"{file} has more than one gene named {alignment.some(twice)}: call "
            "adata.var_names_make_unique() and write it again."
        )
    return np.array(names)


def _prepared(file: str, X: Table) -> tuple[Table, list[str]]:
    """Log-normalize counts (other numbers stay), and return a note on it."""
    if not gene_counts.are_counts(X):
        return X, []
    note = (
        "Counts of genes are divided by their sum in each cell, times 10,000; the logarithm of 1 "
        "+ that is clustered."
    )
    return gene_counts.log_normalized(X), [note]


def _kept(
    X: Table,
    names: NDArray[Any],
    var: Any,
    tasks: NDArray[Any] | None,
    only: Collection[str] | None,
    notes: list[str],
) -> NDArray[np.intp]:
    """Positions of the genes to keep; appends to `notes`, which are empty if X has no counts."""
    d = len(names)
    if only is not None:
        return np.flatnonzero(np.isin(names, list(only)))
    if "highly_variable" in var.columns:
        kept = gene_counts.marked(var["highly_variable"])
        notes.append(f"{len(kept):,} of {d:,} genes are kept, those marked as highly_variable.")
        return kept
    if not notes or d <= N_GENES:  # no counts, so that genes were chosen before
        return np.arange(d)
    codes = np.zeros(X.shape[0], dtype=int) if tasks is None else Tasks.of(tasks).codes
    kept = gene_counts.most_variable(X, codes, N_GENES)
    notes.append(f"{len(kept):,} of {d:,} genes are kept, the most variable within data sets.")
    return kept


@contextmanager
def _read_errors(file: str) -> Iterator[None]:
    """Context in which whatever HDF5 and anndata raise on damaged files is a FileFormatError."""
    try:
        yield
    except KinfolkError:
        raise
    except Exception as error:
        kind = file.rpartition(".")[2]
        raise FileFormatError(
            f"{file} is not an .{kind} file that can be read: write it again with "
            f"{'adata.write_h5ad' if kind == 'h5ad' else 'mdata.write'}(file)."
        ) from error


def _parts(file: str, raw: bytes, modality: str | None) -> tuple[Table, Any, Any]:
    """Return X, obs and var of a file, or of a modality, whose obs joins that of the file."""
    h5py = import_extra("h5py", "anndata", _NEEDS)
    reading = import_extra("anndata.io", "anndata", _NEEDS)
    with _read_errors(file), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of older forms of the file, which are read as well
        with h5py.File(io.BytesIO(raw), "r") as stored:
            own = stored
            for name in () if modality is None else ("mod", modality):
                _check_link(file, h5py, own, name)
                own = own[name]
            if missing := [part for part in _PARTS if part not in own]:
                raise FileFormatError(
                    f"{file} has no {missing[0]!r}: write it with adata.write_h5ad(file)."
                )
            _check(file, h5py, own, _PARTS, len(raw))
            X, obs, var = (reading.read_elem(own[part]) for part in _PARTS)
            if modality is not None and "obs" in stored:
                _check(file, h5py, stored, ("obs",), len(raw))
                shared = reading.read_elem(stored["obs"])
                shared = shared.loc[~shared.index.duplicated()].reindex(obs.index)
                obs = obs.join(shared[shared.columns.difference(obs.columns)])
        return _matrix(file, X, len(obs), len(var)), obs, var


def _check_link(file: str, h5py: Any, group: Any, name: str) -> None:
    """Raise FileFormatError if a name in an HDF5 group is a soft or external link."""
    if not isinstance(group.get(name, getlink=True), h5py.HardLink):
        raise FileFormatError(f"{file} refers to other places by {name!r}: write it again.")


def _check(file: str, h5py: Any, stored: Any, parts: Collection[str], size: int) -> None:
    """Raise FileFormatError if parts link to other files, or claim too much memory."""
    total = 0

    def visit(group: Any, name: str) -> None:
        """Check the links of a part, and add the bytes of its arrays to `total`."""
        nonlocal total
        _check_link(file, h5py, group, name)
        found = group[name]
        if isinstance(found, h5py.Group):
            for inner in found:
                visit(found, inner)
        elif found.external or found.is_virtual:
            raise FileFormatError(f"{file} keeps {name!r} in other files: write it again.")
        else:
            # libhdf5 makes room for a whole chunk, however few of its numbers are there.
            entries = max(int(found.size or 0), math.prod(found.chunks or ()))
            total += entries * found.dtype.itemsize
            limits.check_unpacked(file, total, size)

    for part in parts:
        visit(stored, part)
    if "X" in parts:
        shape = stored["X"].attrs.get("shape", getattr(stored["X"], "shape", (0, 0)))
        n, d = (int(length) for length in shape)
        limits.check_named_width(file, d)
        limits.check_axes(file, n, d, size)


def _matrix(file: str, X: Any, n: int, d: int) -> Table:
    """Return the matrix (n, d) in double precision, dense or CSR."""
    if X.shape != (n, d):
        raise FileFormatError(f"{file}: X has shape {X.shape}, but obs and var need ({n}, {d}).")
    if X.dtype.kind not in "biuf":
        raise FileFormatError(f"{file}: X holds {X.dtype}, and not numbers.")
    if sp.issparse(X):
        # anndata gives matrices of SciPy's older interface, whose sums have two axes.
        return sp.csr_array(sparse_format.checked(X, file), dtype=np.float64)
    return np.ascontiguousarray(X, dtype=np.float64)


def _column(file: str, obs: Any, name: str | None) -> NDArray[Any] | None:
    """Return a column of `obs` as objects, None in empty cells; None without a name."""
    if name is None:
        return None
    if name not in obs.columns:
        raise InputError(
            f"{file} has no {name!r} in obs; it has {alignment.some(list(obs.columns))}."
        )
    values = obs[name]
    found = values.astype(object).to_numpy(copy=True)
    found[values.isna().to_numpy()] = None
    return np.asarray(found)


def _strings(file: str, name: str | None, values: NDArray[Any] | None) -> NDArray[Any] | None:
    return None if values is None or name is None else sheets.labels(file, name, values)
