"""Columns of a table as people have it: values of any sort, and what each column is taken for."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

NUMBER = "number"
AMOUNT = "amount"
YES_NO = "yes/no"
CATEGORY = "category"
ORDERED = "ordered category"
DATE = "date"
TEXT = "text"
IDENTIFIER = "identifier"
CONSTANT = "constant"
UNCLEAR = "unclear"

NUMERIC = (NUMBER, AMOUNT, YES_NO, DATE)
"""Kinds whose values are kept as numbers; dates as days since 1970, yes as 1 and no as 0."""


@dataclass(frozen=True)
class Column:
    """The values of one column with what they are taken for.

    Attributes
    ----------
    name : of the column
    kind : one of the kinds above
    reason : why, in plain words
    values : (n,) float64 with NaN for gaps, or for other than `NUMERIC` kinds object: str or None
    levels : of an ordered category, from lowest to highest

    Examples
    --------
    >>> plan = Column("plan", CATEGORY, "2 values", np.array(["pro", None], dtype=object))
    >>> plan.gaps
    array([False,  True])
    """

    name: str
    kind: str
    reason: str
    values: NDArray[Any]
    levels: tuple[str, ...] = ()

    @property
    def gaps(self) -> NDArray[np.bool_]:
        """True for each row (n,) without a value."""
        return gaps(self.values)


def gaps(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Return True for each of the values (n,) that is missing.

    >>> gaps(np.array([1.0, np.nan]))
    array([False,  True])
    """
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind == "M":
        return np.isnat(values)
    return np.array([value is None for value in values.tolist()], dtype=bool)
