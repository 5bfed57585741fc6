"""Archives of plain NumPy arrays: found in the data directory, verified, read."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from kinfolk import tables
from kinfolk.arrays import Matrix, Table
from kinfolk.datasets import home
from kinfolk.tables import RelatedData

Arrays: TypeAlias = dict[str, NDArray[Any]]
"""The arrays of a file by name."""


@dataclass(frozen=True)
class Archive:
    """A compressed NumPy file whose content is known to the last byte.

    Attributes
    ----------
    folder : where it lies in the data directory, unless it lies there itself
    file : its name
    sha256 : of the whole file
    """

    folder: str
    file: str
    sha256: str

    def find(self, dataset: str, data: home.Place, home_page: str) -> Path:
        """Return its path; MissingDataError if the data directory does not hold it."""
        return home.find(dataset, (self.file, f"{self.folder}/{self.file}"), data, home_page)

    def read(self, dataset: str, data: home.Place, home_page: str) -> Arrays:
        """Return its arrays.

        Raises
        ------
        MissingDataError : the data directory does not hold it
        FileFormatError : it is damaged or another version
        """
        path = self.find(dataset, data, home_page)
        home.verify(path, self.sha256)
        with np.load(path, allow_pickle=False) as arrays:
            return dict(arrays)


def components(X: Matrix, n_components: int, solver: str) -> Matrix:
    """Principal components, the same to the last digit however many threads there are.

    >>> components(np.array([[0.0, 1.0], [0.0, 3.0]]), 1, "full")
    array([[-1.],
           [ 1.]])
    """
    with threadpool_limits(1):
        found = PCA(n_components, svd_solver=solver).fit_transform(X)
    return np.round(found, 9) + 0.0


def side_by_side(
    name: str, views: Mapping[str, Table], target: NDArray[Any], origin: str
) -> RelatedData:
    """Make one task "all" of several views (n, d_v) of the same rows and their classes (n,).

    >>> views = {"height": np.ones((3, 1)), "shape": np.zeros((3, 2))}
    >>> data = side_by_side("trees", views, np.array(["oak", "oak", "elm"]), "A garden.")
    >>> data.feature_names, data.views["shape"]
    (('height_0', 'shape_0', 'shape_1'), slice(1, 3, None))
    """
    X, columns = tables.join(views)
    return RelatedData(
        name=name,
        tasks=np.repeat("all", len(target)),
        row_ids=np.arange(len(target)).astype(str),
        X=X,
        feature_names=tuple(f"{view}_{j}" for view in views for j in range(views[view].shape[1])),
        target=target.astype(str),
        views=columns,
        origin=origin,
    )
