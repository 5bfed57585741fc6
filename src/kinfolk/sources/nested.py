"""Cells that hold no single value, such as lists and records: what a column of them is told."""

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from kinfolk.arguments import shown, spelled, type_of
from kinfolk.tables import columns


@dataclass(frozen=True)
class NotRead:
    """Stands for a list or record of a Parquet file, which may take any memory if it is read.

    Attributes
    ----------
    kind : str, its type as pyarrow writes it, such as "struct<lat: double>"
    is_vector : bool, True for a list of numbers
    """

    kind: str
    is_vector: bool = False


def are_not_read(values: NDArray[Any]) -> bool:
    """True for a column of lists or records that are not read."""
    return len(values) > 0 and isinstance(values[0], NotRead)


def why_unclear(name: str, values: NDArray[Any], odd: Any) -> str:
    """Explain why a column with lists or records, the first of which is `odd`, cannot be used.

    >>> import numpy as np
    >>> values = np.array([1, {"lat": 2}], dtype=object)
    >>> why_unclear("at", values, values[1]).partition(":")[0]
    "data row 2 holds {'lat'"
    >>> values[:] = NotRead("struct<lat: double>")
    >>> why_unclear("at", values, values[0]).partition(" are ")[0]
    'lists or records (struct<lat: double>)'
    """
    out = f"leave the column out ({columns.left_out(name)}), or write single values"
    if isinstance(odd, NotRead):
        vectors = f"; vectors are clustered alone, by {spelled('--embeddings', 'embeddings=')}"
        return (
            f"lists or records ({odd.kind:.60}) are no numbers, words or dates: {out}"
            f"{vectors if odd.is_vector else ''}"
        )
    # An array equals no list, but each value is itself.
    row = next(i for i, v in enumerate(values.tolist(), start=1) if v is odd)
    held = f"{shown(odd)}, {type_of(odd)}"
    return f"data row {row} holds {held}, which is no number, word or date: {out}"
