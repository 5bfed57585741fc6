"""Reads words for yes and no in several languages."""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_YES = (
    "yes y true t 1 on ja j wahr oui o vrai si sí s verdadero sì vero sim verdadeiro tak "
    "是 有 对 真 はい 예"
)
_NO = "no n false f 0 off nein falsch non faux falso nee nej não nie 否 无 無 错 假 いいえ 아니요"
YES = frozenset(_YES.split())
NO = frozenset(_NO.split())
TICKS = frozenset(["x", "✓", "✔", "☑", "☒"])
"""Marks of boxes that are ticked; beside them an empty cell is a box that is not."""
EMPTY_IS_NO = "with empty cells for no"
"""Entry of `Column.written` for a column of ticks, in which empty cells are no."""


def are_ticks(distinct: Sequence[str]) -> bool:
    """True if all different words are marks of ticked boxes, at least one.

    >>> are_ticks(["X"]), are_ticks(["yes"]), are_ticks([])
    (True, False, False)
    """
    return bool(distinct) and TICKS.issuperset(word.lower() for word in distinct)


def ticks(words: NDArray[np.object_]) -> NDArray[np.float64]:
    """Convert words (n,) to 1 (ticked, or yes), 0 (empty, or no) or NaN.

    >>> ticks(np.array(["X", None, "perhaps"], dtype=object))
    array([ 1.,  0., nan])
    """
    read = numbers(words)
    found = [0.0 if w is None else 1.0 if w.lower() in TICKS else math.nan for w in words.tolist()]
    return np.where(np.isnan(read), found, read)


def numbers(words: NDArray[np.object_]) -> NDArray[np.float64]:
    """Convert words (n,) to 1 (yes), 0 (no) or NaN.

    >>> numbers(np.array(["Ja", "nein", None, "perhaps"], dtype=object))
    array([ 1.,  0., nan, nan])
    """
    table = dict.fromkeys(YES, 1.0) | dict.fromkeys(NO, 0.0)
    return np.array([table.get((w or "").lower(), math.nan) for w in words.tolist()], dtype=float)


def listed(distinct: Sequence[str]) -> str:
    """List different words for yes, then those for no.

    >>> listed(["yes", "no"]), listed(["ja", "nein", "oui"])
    ('yes and no', 'ja, oui and nein')
    """
    sides = [sorted(word for word in distinct if word.lower() in known) for known in (YES, NO)]
    return " and ".join(", ".join(side) for side in sides)


def said(words: NDArray[np.object_]) -> tuple[str, ...]:
    """Most frequent words for no and yes among words (n,); () if they are no, yes, 0 and 1.

    >>> said(np.array(["ja", "Ja", "ja", "nein"], dtype=object))
    ('nein', 'ja')
    >>> said(np.array(["Yes", "no"], dtype=object))
    ()
    """
    # In the order of letters, so that equally frequent ones do not depend on the order of rows.
    times = Counter(sorted(words.tolist())).most_common()
    no, yes = (next(w for w, _ in times if w.lower() in known) for known in (NO, YES))
    return () if {no.lower(), yes.lower()} <= {"no", "yes", "0", "1"} else (no, yes)
