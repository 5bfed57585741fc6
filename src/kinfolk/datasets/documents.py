"""Documents with a task and a class, and the table of texts that they make."""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np

from kinfolk.errors import FileFormatError
from kinfolk.tables import RelatedData

Counts: TypeAlias = Mapping[str, Mapping[str, int]]
"""counts[task][class]: how many documents a data set has, tasks and classes in its order."""


class Document(NamedTuple):
    """One row before it is in a table."""

    task: str
    target: str
    row_id: str
    text: str


def ordered(name: str, documents: Iterable[Document], counts: Counts, path: Path) -> list[Document]:
    """Order the documents by task, class and row id.

    Raises
    ------
    FileFormatError : what was read from `path` has not exactly these `counts`
    """
    order = {
        (task, target): place
        for place, (task, target) in enumerate((t, c) for t in counts for c in counts[t])
    }
    rows = sorted(documents, key=lambda row: (order[row.task, row.target], row.row_id))
    found = Counter((row.task, row.target) for row in rows)
    for task, target in order:
        if found[task, target] != counts[task][target]:
            total = sum(sum(classes.values()) for classes in counts.values())
            raise FileFormatError(
                f"{path} holds {len(rows)} of the {total} documents of {name}: class {target} of "
                f"{task} has {found[task, target]} instead of {counts[task][target]}; unpack or "
                "fetch it again."
            )
    return rows


def related(
    name: str, documents: Iterable[Document], counts: Counts, path: Path, origin: str
) -> RelatedData:
    """Make one table of texts of the documents, which are then `ordered`.

    Raises
    ------
    FileFormatError : what was read from `path` has not exactly these `counts`
    """
    rows = ordered(name, documents, counts, path)
    return RelatedData(
        name=name,
        tasks=np.array([row.task for row in rows]),
        row_ids=np.array([row.row_id for row in rows]),
        texts=tuple(row.text for row in rows),
        target=np.array([row.target for row in rows]),
        origin=origin,
    )
