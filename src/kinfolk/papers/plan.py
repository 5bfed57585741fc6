"""What to run: every method on every data set, with every setting and every seed."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.model_selection import ParameterGrid

from kinfolk.papers.store import Run, canonical
from kinfolk.tables import RelatedData

__all__ = ["Run", "checksum", "grid", "plan"]


def grid(values: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Return every setting of a grid such as `catalogue.method("mtcfir").grid`.

    >>> grid({"noise": (0.5, 0.7), "n_init": (1,)})
    [{'n_init': 1, 'noise': 0.5}, {'n_init': 1, 'noise': 0.7}]
    """
    return list(ParameterGrid({name: list(allowed) for name, allowed in values.items()}))


def plan(
    data: Iterable[str],
    methods: Iterable[str],
    *,
    ways: Sequence[str] = ("together",),
    seeds: Sequence[int] = (0,),
    parameters: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    data_options: Sequence[Mapping[str, Any]] = ({},),
    n_clusters: int | Mapping[str, int] | None = None,
    preparation: Mapping[str, Any] | None = None,
) -> list[Run]:
    """Return the product of all that is given, data sets outermost.

    Parameters
    ----------
    data, methods : names
    ways : see `kinfolk.comparison.strategies`
    parameters : method -> its settings, as from `grid`; the defaults for a method not named
    data_options : what the loaders of all data sets take, for example draws
    n_clusters, preparation : see `Run`, the same in all

    Examples
    --------
    >>> runs = plan(["blobs"], ["kmeans", "mec"], seeds=range(3),
    ...             parameters={"mec": grid({"temperature": (1.0, 2.0)})})
    >>> len(runs), runs[-1].method, runs[-1].seed, runs[-1].parameters
    (9, 'mec', 2, {'temperature': 2.0})
    """
    settings = parameters or {}
    return [
        Run(name, method, way, seed, n_clusters, chosen, preparation or {}, options)
        for name, options, method in product(data, data_options, methods)
        for way, chosen, seed in product(ways, settings.get(method, [{}]), seeds)
    ]


def checksum(data: RelatedData) -> str:
    """Return the SHA-256 of what a method could see of the data, and of what it is scored by.

    >>> rows = np.array(["a", "b"])
    >>> checksum(RelatedData("x", rows, rows, np.eye(2))) == checksum(
    ...     RelatedData("x", rows, rows, np.eye(2)[::-1]))
    False
    """
    digest = hashlib.sha256()
    for part in _parts(data):
        digest.update(f"{len(part)}:".encode())
        digest.update(part)
    return digest.hexdigest()


def _parts(data: RelatedData) -> Iterable[bytes]:
    yield canonical(
        {
            "tasks": data.tasks.tolist(),
            "target": None if data.target is None else data.target.tolist(),
            "features": list(map(str, data.feature_names)),
            "texts": data.texts,
            "views": {name: [v.start, v.stop, v.step] for name, v in data.views.items()},
        }
    ).encode()
    if data.X is None:
        return
    if sp.issparse(data.X):
        X = sp.csr_array(data.X, copy=True)
        X.sum_duplicates()
        yield from map(_bytes, (X.indptr.astype(np.int64), X.indices.astype(np.int64), X.data))
    else:
        yield from map(_bytes, (np.array(np.shape(data.X)), np.asarray(data.X)))


def _bytes(array: Any) -> bytes:
    return np.ascontiguousarray(array).tobytes()
