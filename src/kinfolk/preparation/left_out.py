"""Names the columns that are left out of a prepared table, with the reason."""

from collections.abc import Iterable, Sequence

from kinfolk import arguments
from kinfolk.tables import columns
from kinfolk.tables.alignment import some
from kinfolk.tables.columns import Column

_LISTED = 20
"""Parts of a sentence that are listed; of more columns those with the same reason are counted."""


def told(left: Sequence[Column]) -> str:
    """Name columns with the reason; of many, some and the number of those with the same reason.

    >>> id, town = (Column(n, k, "", []) for n, k in (("id", "identifier"), ("town", "constant")))
    >>> told([id, town])
    'id (identifier), town (constant)'
    >>> told([id, *[town] * 40])
    "1 identifier ('id'), 40 constant ('town', 'town', 'town', 'town', 'town' and 35 more)"
    """
    if len(left) <= _LISTED:
        return listed(f"{column.name} ({_why(column)})" for column in left)
    names: dict[str, list[str]] = {}
    for column in left:
        names.setdefault(_why(column), []).append(column.name)
    return listed(f"{len(same):,} {why} ({some(same)})" for why, same in names.items())


def listed(parts: Iterable[str]) -> str:
    """Join parts of a sentence with commas: the first twenty, and the number of others.

    >>> listed("ab"), listed(["age"] * 22)[-19:]
    ('a, b', 'age, age and 2 more')
    """
    return arguments.listed(list(parts), _LISTED)


def _why(column: Column) -> str:
    """Reason why a column is left out, in few words."""
    if column.kind == columns.CATEGORY:
        return f"category in which no value has {columns.COMMON:.0%} of the rows"
    if column.kind == columns.SEVERAL:
        return f"several answers, none of which has {columns.COMMON:.0%} of the rows"
    if column.kind == columns.COPY:
        return column.reason.partition(" (")[0]
    return column.kind
