"""Reads words for yes and no in several languages."""

import math
from collections import Counter

import numpy as np
from numpy.typing import NDArray

_YES = "yes y true t 1 on ja j wahr oui vrai si sí verdadero sì vero sim verdadeiro tak"
_NO = "no n false f 0 off nein falsch non faux falso nee nej não nie"
YES = frozenset(_YES.split())
NO = frozenset(_NO.split())


def numbers(words: NDArray[np.object_]) -> NDArray[np.float64]:
    """Convert words (n,) to 1 (yes), 0 (no) or NaN.

    >>> numbers(np.array(["Ja", "nein", None, "perhaps"], dtype=object))
    array([ 1.,  0., nan, nan])
    """
    table = dict.fromkeys(YES, 1.0) | dict.fromkeys(NO, 0.0)
    return np.array([table.get((w or "").lower(), math.nan) for w in words.tolist()], dtype=float)


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
