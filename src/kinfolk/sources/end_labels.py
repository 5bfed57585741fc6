"""Finds the numbers of a scale with labels at its ends, as of "1 - never", "2", "3 - always"."""

import re
from collections.abc import Collection

from kinfolk.sources import placeholders

_LABELLED = re.compile(
    r"(\d{1,3})\s*(?:(?:[-–—:=)]|\.\s)\s*(?P<behind>[^\W\d]\D*)|\((?P<inside>[^\W\d]\D*)\))"
)

FEWEST = 3
"""Scales of fewer steps are none."""

USUAL = 10
"""Most scales end here at the latest; a longer one begins with 0 or 1 and has at most 100."""


def of(words: Collection[str], known: bool = False) -> dict[str, str]:
    """Return {word with a label: its number}; {} if the words are no steps of one scale.

    Its lowest or highest number has a label, and others have none, unless it is `known` that the
    words are numbers. Words for gaps, such as "99 - refused", have no number.

    >>> of(["1 - never", "2", "3", "4: always"])
    {'1 - never': '1', '4: always': '4'}
    >>> of(["5 (new)", "17", "40"]), of(["1 - red", "2 - blue"]), of(["7 = all"], known=True)
    ({}, {}, {'7 = all': '7'})
    """
    found = {}
    for word in words:
        match = _LABELLED.fullmatch(word)
        if match and not placeholders.is_gap(match["behind"] or match["inside"]):
            found[word] = match[1]
    if known or not found:
        return found
    with_label = {int(number) for number in found.values()}
    without = {int(word) for word in words if re.fullmatch(r"\d{1,3}", word)}
    steps = with_label | without
    low = min(steps)
    high = max(steps)
    # Two labels of one number are no ends of one scale.
    alike = without and len(steps) >= FEWEST and len(with_label) == len(found)
    short = high <= USUAL or (low <= 1 and high <= 100)
    return found if alike and short and not with_label.isdisjoint({low, high}) else {}
