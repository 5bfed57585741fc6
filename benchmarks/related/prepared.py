"""Prepared data sets as Kinfolk gets them, cached in a folder.

The name of a kept table has the fingerprint of its file and of the code that makes and prepares it.
"""

import ast
import hashlib
import io
import time
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import benchmarks
import kinfolk
from benchmarks.by_task import ByTask
from benchmarks.related import making
from kinfolk.choosing.representations import Representations
from kinfolk.datasets import alterations
from kinfolk.disk import writing
from kinfolk.preparation import Preparation

LIBRARY = Path(kinfolk.__file__).parent
BENCHMARKS = Path(benchmarks.__file__).parent
FITTED_BY = [
    LIBRARY / part for part in ("choosing", "estimators", "measures", "methods", "numerics")
]
MADE_BY = [
    *(LIBRARY / part for part in ("datasets", "preparation", "tables")),
    *(BENCHMARKS / f"{part}.py" for part in ("heldout", "mixed_tables", "made_customers")),
    *(BENCHMARKS / "related" / f"{part}.py" for part in ("pools", "making")),
]


@dataclass(frozen=True)
class Prepared(ByTask):
    """A numeric data set X (n, d) with task and true class of each row.

    Attributes
    ----------
    columns_are_scaled : as `Kinfolk` takes it
    seconds : that making and preparing took
    """

    X: np.ndarray | sp.csr_array
    tasks: np.ndarray
    target: np.ndarray
    columns_are_scaled: bool
    seconds: float

    @property
    def fingerprint(self):
        """Hash (12 digits) of rows, tasks and classes."""
        X = sp.csr_array(self.X)
        parts = (X.data, X.indices, X.indptr, self.tasks, self.target)
        found = hashlib.sha256()
        for part in parts:
            found.update(np.ascontiguousarray(part).tobytes())
        return found.hexdigest()[:12]

    @property
    def kind(self):
        """Kind of table as Kinfolk sees it: counts, amounts or measurements."""
        return Representations.of(
            self.X, np.zeros(len(self.tasks), int), self.columns_are_scaled
        ).kind

    @property
    def n_clusters(self):
        """Number of classes of each task; for noise the largest of the others."""
        k = super().n_clusters
        most = max(k.values())
        return {task: most if task == alterations.NOISE else number for task, number in k.items()}


@lru_cache
def code_key(*places):
    """Hash (10 digits) of source code, ignoring comments and docstrings.

    Without places: of the code that fits.
    """
    files = [
        file
        for place in places or FITTED_BY
        for file in ([place] if place.suffix == ".py" else sorted(place.rglob("*.py")))
    ]
    found = hashlib.sha256()
    for file in files:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                node.value.value = ""
        found.update(f"{file.name}\n{ast.dump(tree)}".encode())
    return found.hexdigest()[:10]


def table(wanted, folder, data=None):
    """The prepared table of a `files.SetFile`, made now unless it is kept in a folder."""
    name = f"{wanted.name}-{wanted.fingerprint}-{code_key(*MADE_BY)}"
    place = Path(folder) / "tables" / f"{name}.npz"
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        begin = time.perf_counter()
        made = making.make(wanted, data)
        preparation = Preparation()
        X = preparation.fit_transform(made)
        seconds = time.perf_counter() - begin
        _write(place, X, made, preparation.columns_are_scaled, seconds)
    return _read(place)


def _write(place, X, made, scaled, seconds):
    if sp.issparse(X):
        X = sp.csr_array(X)
        numbers = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape}
    else:
        numbers = {"X": np.asarray(X, dtype=float)}
    raw = io.BytesIO()
    np.savez_compressed(raw, tasks=made.tasks.astype(str), target=made.target.astype(str),
                        scaled=scaled, seconds=seconds, **numbers)  # fmt: skip
    writing.write_atomically(place, raw.getvalue())


def _read(place):
    with np.load(place, allow_pickle=False) as kept:
        if "X" in kept:
            X = kept["X"]
        else:
            # scikit-learn's k-means refuses indices of 64 bits, which SciPy makes of drawn rows.
            places = (kept[name].astype(np.int32) for name in ("indices", "indptr"))
            parts = (kept["data"], *places)
            X = sp.csr_array(parts, shape=tuple(kept["shape"]))
        return Prepared(X, kept["tasks"], kept["target"], bool(kept["scaled"]),
                        float(kept["seconds"]))  # fmt: skip
