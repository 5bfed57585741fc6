"""Builds `RelatedData` from documents, counts of terms, or views."""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk import tables
from kinfolk.arrays import Labels, Table
from kinfolk.errors import FileFormatError
from kinfolk.tables import RelatedData

Counts: TypeAlias = Mapping[str, Mapping[str, int]]
"""counts[task][class]: number of documents; tasks and classes in the order of the data set."""


class Document(NamedTuple):
    """One text with task, class and id: a row of a text data set."""

    task: str
    target: str
    row_id: str
    text: str


def in_order(
    name: str, documents: Iterable[Document], counts: Counts, path: Path
) -> list[Document]:
    """Sort documents by task, class and row id; each class must have as many as `counts` says.

    Parameters
    ----------
    name : of the data set, for the error message
    documents : in any order
    counts : how many of each class each task must have; gives the order of tasks and classes
    path : the file or folder they were read from, for the error message

    Raises
    ------
    FileFormatError : a class has another number of documents than `counts`

    >>> documents = [Document("pets", "dog", "1", "woof"), Document("pets", "cat", "2", "meow")]
    >>> counts = {"pets": {"cat": 1, "dog": 1}}
    >>> [row.text for row in in_order("animals", documents, counts, Path("animals.gz"))]
    ['meow', 'woof']
    """
    classes = [(task, target) for task in counts for target in counts[task]]
    order = {pair: place for place, pair in enumerate(classes)}
    rows = sorted(documents, key=lambda row: (order[row.task, row.target], row.row_id))
    # Every class is counted: an archive that was unpacked by hand has no checksum.
    found = Counter((row.task, row.target) for row in rows)
    for task, target in classes:
        if found[task, target] != counts[task][target]:
            total = sum(sum(sizes.values()) for sizes in counts.values())
            raise FileFormatError(
                f"{path} holds {len(rows)} of the {total} documents of {name}: class {target} of "
                f"{task} has {found[task, target]} instead of {counts[task][target]}; unpack or "
                "fetch it again."
            )
    return rows


def from_documents(
    name: str, documents: Iterable[Document], counts: Counts, path: Path, origin: str
) -> RelatedData:
    """Build a data set of texts from documents, checked and sorted."""
    rows = in_order(name, documents, counts, path)
    return RelatedData(
        name=name,
        tasks=np.array([row.task for row in rows]),
        row_ids=np.array([row.row_id for row in rows]),
        texts=tuple(row.text for row in rows),
        target=np.array([row.target for row in rows]),
        origin=origin,
    )


def from_views(
    name: str, views: Mapping[str, Table], target: NDArray[Any], origin: str
) -> RelatedData:
    """Build a data set from views (n, d_v) of the same rows, in one task "all".

    >>> views = {"height": np.ones((3, 1)), "shape": np.zeros((3, 2))}
    >>> data = from_views("trees", views, np.array(["oak", "oak", "elm"]), "A garden.")
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


def counts_from_arrays(arrays: Mapping[str, NDArray[Any]]) -> sp.csr_array:
    """Build a CSR matrix from the arrays of a `scipy.sparse.save_npz` file.

    >>> arrays = {"data": [2], "indices": [1], "indptr": [0, 1, 1], "shape": (2, 3)}
    >>> counts_from_arrays(arrays).toarray()
    array([[0., 2., 0.],
           [0., 0., 0.]])
    """
    compressed = (arrays["data"], arrays["indices"], arrays["indptr"])
    return sp.csr_array(compressed, shape=tuple(arrays["shape"]), dtype=float)


def draw_rows(
    target: Labels, sizes: Mapping[int, int], random: np.random.RandomState
) -> NDArray[np.intp]:
    """Draw row positions with the given number of each class, ascending.

    >>> draw_rows(np.array([7, 7, 8, 8, 8]), {7: 2, 8: 1}, np.random.RandomState(0))
    array([0, 1, 4])
    """
    rows = [
        random.choice(np.flatnonzero(target == label), size=size, replace=False)
        for label, size in sizes.items()
    ]
    # Ascending, so that rows keep the order of their source.
    return np.sort(np.concatenate(rows))
