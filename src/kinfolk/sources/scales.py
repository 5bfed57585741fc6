"""Orders the words of a scale, such as answers from "never" to "always" or ages "18-29"."""

import re
from collections.abc import Sequence

_WORDS = (
    "strongly disagree, disagree, neutral | neither | neither agree nor disagree | undecided, "
    "agree, strongly agree",
    "very dissatisfied, dissatisfied, neutral | neither, satisfied, very satisfied",
    "very unlikely, unlikely, neutral, likely, very likely",
    "never, rarely | seldom, sometimes | occasionally, often | frequently, very often, always",
    "very bad | very poor, bad | poor, fair | ok | okay | average | acceptable, good, very good, "
    "excellent",
    "very low, low, medium | moderate | normal | middle, high, very high",
    "none, mild, moderate, severe",
    "small, medium, large",
    "xxs, xs, s, m, l, xl, xxl",
    "i, ii, iii, iv, v",
    "stimme gar nicht zu | stimme überhaupt nicht zu, stimme nicht zu | stimme eher nicht zu, "
    "neutral | teils/teils, stimme eher zu, stimme zu, stimme voll zu | stimme voll und ganz zu",
    "nie, selten, manchmal | gelegentlich, oft | häufig, sehr oft | sehr häufig, immer",
    "sehr schlecht, schlecht, mittel | mittelmäßig | teils/teils, gut, sehr gut",
    "sehr niedrig, niedrig | gering, mittel | normal, hoch, sehr hoch",
    "klein, mittel, groß | gross",
)
"""Steps of common scales from lowest to highest, other words for the same step after |."""

_STEPS = tuple(
    {word.strip(): i for i, step in enumerate(scale.split(",")) for word in step.split("|")}
    for scale in _WORDS
)

_NUMBER = r"\d+(?:[.,]\d+)?"
_RANGES = (
    re.compile(rf"()({_NUMBER})\s*(?:-|–|to|bis)\s*{_NUMBER}\s*[^\W\d]*"),
    re.compile(rf"()({_NUMBER})\s*\+\s*[^\W\d]*"),
    re.compile(rf"([<>≤≥]=?|under|below|over|above|unter|bis|über|ab)\s*({_NUMBER})\s*[^\W\d]*"),
    re.compile(rf"()({_NUMBER})\s*[-–:=)]\s*[^\W\d].*"),
)
"""Ranges such as 18-29, 60+, < 18, and numbered words such as "1 - very bad"."""

_BELOW = ("<", "≤", "under", "below", "unter", "bis")

FEWEST = 3
"""Two steps have no order that matters: they differ, and that is all."""


def levels(words: Sequence[str]) -> tuple[str, ...]:
    """Order different words from lowest to highest; () if they are not steps of one scale.

    >>> levels(["often", "Never", "sometimes"]), levels(["30-44", "< 18", "60+", "18-29"])
    (('Never', 'sometimes', 'often'), ('< 18', '18-29', '30-44', '60+'))
    >>> levels(["red", "green", "blue"])
    ()
    """
    plain = [" ".join(word.lower().split()) for word in words]
    if len(words) < FEWEST:
        return ()
    for steps in _STEPS:
        if all(word in steps for word in plain):
            return _ordered(words, [steps[word] for word in plain])
    if found := [place for word in plain if (place := _lowest(word)) is not None]:
        return _ordered(words, found) if len(found) == len(words) else ()
    return ()


def _ordered(words: Sequence[str], places: Sequence[float]) -> tuple[str, ...]:
    """Sort words by their places; () if two have the same one, which have no order."""
    if len(set(places)) < len(places):
        return ()
    return tuple(word for _, word in sorted(zip(places, words, strict=True)))


def _lowest(word: str) -> float | None:
    """Return the number at which a range begins, or None for other words.

    >>> _lowest("18-29"), _lowest("<18"), _lowest("room 18")
    (18.0, 17.5, None)
    """
    for pattern in _RANGES:
        if match := pattern.fullmatch(word):
            number = float(match[2].replace(",", "."))
            # Beside 18-29 there may be both "< 18" and "> 18".
            return number - 0.5 * match[1].startswith(_BELOW) if match[1] else number
    return None
