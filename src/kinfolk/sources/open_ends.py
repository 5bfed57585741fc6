"""Finds the last class of numbers that is open, as 80+ beside ages from 0 to 79."""

import re
from collections.abc import Mapping

from kinfolk.sources.divisions import NUMBER

_OR_MORE = re.compile(
    r"(?<=\d)(\s*\+|\s+plus|\s+(and|or|und|oder|et|ou|y|o)\s+"
    r"(more|over|above|older|mehr|älter|plus|más))$",
    re.IGNORECASE,
)

FEWEST = 2
"""Fewer other numbers say nothing of a count: "0" and "1+" are two classes."""


def of(texts: Mapping[str, str], known: bool = False) -> list[str]:
    """Return the word of {word: text} whose text is an open class above plain numbers, in a list.

    Several are steps of a scale, as are 18-29 and 60+, unless it is `known` that the words are
    numbers: then all are returned.

    >>> counts = ["0", "1", "2", "3+"]
    >>> of(dict(zip(counts, counts))), of({"7+": "7+", "9+": "9+"})
    (['3+'], [])
    """
    # Most numbers end with a digit, which takes less time to see.
    ends = [w for w, text in texts.items() if not text[-1:].isdigit() and _OR_MORE.search(text)]
    if known or len(ends) != 1:
        return ends if known else []
    others = [text for word, text in texts.items() if word not in ends and re.match(r"\d", text)]
    last = without(texts[ends[0]])
    if len(others) < FEWEST or not all(map(NUMBER.fullmatch, [last, *others])):
        return []
    return ends if float(last) > max(map(float, others)) else []


def without(text: str) -> str:
    """Cut off what says that a class is open.

    >>> without("3+"), without("80 or older"), without("3")
    ('3', '80', '3')
    """
    return _OR_MORE.sub("", text)
