"""Plans runs as products of data sets, methods, strategies, settings and seeds."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.model_selection import ParameterGrid

from kinfolk.papers.store import RunSpec, canonical
from kinfolk.tables import RelatedData


def grid(values: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Return all combinations of a parameter grid as dicts, such as of a method's published grid.

    >>> grid({"noise": (0.5, 0.7), "n_init": (1,)})
    [{'n_init': 1, 'noise': 0.5}, {'n_init': 1, 'noise': 0.7}]
    """
    return list(ParameterGrid({name: list(allowed) for name, allowed in values.items()}))


def plan(
    data: Iterable[str],
    methods: Iterable[str],
    *,
    strategies: Sequence[str] = ("together",),
    seeds: Sequence[int] = (0,),
    parameters: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    data_options: Sequence[Mapping[str, Any]] = ({},),
    n_clusters: int | Mapping[str, int] | None = None,
    preparation: Mapping[str, Any] | None = None,
) -> list[RunSpec]:
    """Return a run for each combination of the arguments, data sets slowest, seeds fastest.

    Parameters
    ----------
    data, methods : names
    strategies : names of `kinfolk.catalogue.strategies`, such as "alone" and "pooled"
    parameters : method -> its settings, as from `grid`; the defaults for a method not named
    data_options : keyword arguments of the loaders, for example draws, the same for all data sets
    n_clusters, preparation : as in `RunSpec`, the same for all runs

    Examples
    --------
    >>> runs = plan(["blobs"], ["kmeans", "mec"], seeds=range(3),
    ...             parameters={"mec": grid({"temperature": (1.0, 2.0)})})
    >>> len(runs), runs[-1].method, runs[-1].seed, runs[-1].parameters
    (9, 'mec', 2, {'temperature': 2.0})
    """
    settings = parameters or {}
    return [
        RunSpec(name, method, strategy, seed, n_clusters, setting, preparation or {}, options)
        for name, options, method in product(data, data_options, methods)
        # Repeats of a setting follow one another, so that they can share steps.
        for strategy, setting, seed in product(strategies, settings.get(method, [{}]), seeds)
    ]


def checksum(data: RelatedData) -> str:
    """Return the SHA-256 of all content that methods may see, and of the true classes.

    >>> rows = np.array(["a", "b"])
    >>> checksum(RelatedData("x", rows, rows, np.eye(2)))[:8]
    'd91e280d'
    >>> checksum(RelatedData("another name", rows, rows, np.eye(2)))[:8]
    'd91e280d'
    >>> checksum(RelatedData("x", rows, rows, np.eye(2)[::-1]))[:8]
    '29e4db61'
    """
    digest = hashlib.sha256()
    for part in _parts(data):
        # The length goes first, so that no two lists of parts give the same bytes.
        digest.update(f"{len(part)}:".encode())
        digest.update(part)
    return digest.hexdigest()


def _parts(data: RelatedData) -> Iterable[bytes]:
    """Yield the content as bytes: tasks, classes, names and texts, then mixed columns or X."""
    yield canonical(
        {
            "tasks": data.tasks.tolist(),
            "target": None if data.target is None else data.target.tolist(),
            "features": list(map(str, data.feature_names)),
            "texts": data.texts,
            "views": {name: [v.start, v.stop, v.step] for name, v in data.views.items()},
        }
    ).encode()
    for column in data.columns or ():
        yield canonical([column.kind, column.levels]).encode()
        # Numbers as bytes, because gaps among them are nan, which has no JSON.
        words = column.values.dtype.hasobject
        yield canonical(column.values.tolist()).encode() if words else _bytes(column.values)
    if data.X is None:
        return
    if sp.issparse(data.X):
        X = sp.csr_array(data.X, copy=True)  # the next line changes it in place
        X.sum_duplicates()
        yield from map(_bytes, (X.indptr.astype(np.int64), X.indices.astype(np.int64), X.data))
    else:
        yield from map(_bytes, (np.array(np.shape(data.X)), np.asarray(data.X)))


def _bytes(array: Any) -> bytes:
    return np.ascontiguousarray(array).tobytes()
