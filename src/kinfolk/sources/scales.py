"""Orders the words of a scale, such as answers from "never" to "always" or ages "18-29"."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinfolk.sources import parsing, placeholders
from kinfolk.tables import columns
from kinfolk.tables.columns import Column

_WORDS = (
    "strongly disagree, disagree, neutral | neither | neither agree nor disagree | undecided, "
    "agree, strongly agree",
    "very dissatisfied, dissatisfied, neutral | neither, satisfied, very satisfied",
    "very unlikely, unlikely, neutral, likely, very likely",
    "never, rarely | seldom, sometimes | occasionally, often | frequently, very often, always",
    "very bad | very poor, bad | poor, fair | ok | okay | average | acceptable, good, very good, "
    "excellent",
    "very low, low, medium | med | moderate | normal | middle | average, high, "
    "very high | urgent | critical",
    "none, mild | slight, moderate, severe, very severe | critical",
    "trivial, minor, moderate, major, critical | severe, blocker",
    "beginner, intermediate, advanced, expert",
    "primary | primary school | elementary school, secondary | secondary school | high school, "
    "bachelor | bachelors | bachelor's | bachelor's degree, master | masters | master's | "
    "master's degree, phd | doctorate | doctoral",
    "very small, small, medium, large, very large",
    "xxs, xs, s, m, l, xl, xxl",
    "i, ii, iii, iv, v",
    "stimme gar nicht zu | stimme überhaupt nicht zu, stimme nicht zu | stimme eher nicht zu, "
    "neutral | teils/teils, stimme eher zu, stimme zu, stimme voll zu | stimme voll und ganz zu",
    "nie, selten, manchmal | gelegentlich, oft | häufig, sehr oft | sehr häufig, immer",
    "sehr schlecht, schlecht, mittel | mittelmäßig | teils/teils, gut, sehr gut",
    "sehr niedrig, niedrig | gering, mittel | normal, hoch, sehr hoch",
    "klein, mittel, groß | gross",
    "pas du tout d'accord, pas d'accord, plutôt pas d'accord, neutre | ni d'accord ni pas "
    "d'accord, plutôt d'accord, d'accord, tout à fait d'accord",
    "jamais, rarement, parfois | quelquefois, souvent, très souvent, toujours",
    "très mauvais, mauvais, moyen, bon, très bon, excellent",
    "très faible, faible, moyen, élevé | fort, très élevé | très fort",
    "petit, moyen, grand",
    "totalmente en desacuerdo | muy en desacuerdo, en desacuerdo, neutral | ni de acuerdo ni en "
    "desacuerdo, de acuerdo, totalmente de acuerdo | muy de acuerdo",
    "nunca, casi nunca, raramente | rara vez, a veces | algunas veces, a menudo | frecuentemente, "
    "casi siempre, siempre",
    "muy malo, malo, regular, bueno, muy bueno, excelente",
    "muy bajo, bajo, medio, alto, muy alto",
    "pequeño, mediano, grande",
    "mai, raramente, a volte | qualche volta, spesso, sempre",
    "molto basso, basso, medio, alto, molto alto",
    "nunca, raramente, às vezes, frequentemente, sempre",
    "muito baixo, baixo, médio, alto, muito alto",
    "非常不同意, 不同意, 一般 | 中立, 同意, 非常同意",
    "非常不满意, 不满意, 一般, 满意, 非常满意",
    "从不, 很少, 有时, 经常, 总是",
    "很差, 差, 一般 | 中, 良 | 好, 优 | 很好",
    "低, 中, 高",
    "小, 中, 大",
    "优, 良, 轻度污染, 中度污染, 重度污染, 严重污染",
)
"""Steps of common scales from lowest to highest, other words for the same step after |."""

_STEPS = tuple(
    {word.strip(): i for i, step in enumerate(scale.split(",")) for word in step.split("|")}
    for scale in _WORDS
)

_NUMBER = r"(?:[1-9]\d{0,2}(?:[.,]\d{3})+|\d+(?:[.,]\d+)?)"
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:[.,]\d{3})+")
_UNIT = r"\s*([^\W\d]*)"
# A word needs a space behind it: AB12 is a code.
_SIGN = (
    r"(?:[<>≤≥]=?\s*|(?:under|below|less than|lt|up to|over|above|more than|gt|unter|bis|über|ab|"
    r"moins de|plus de|menos de|más de)\s+)"
)
_MORE = r"(?:and|or|und|oder|et|ou|y|o)\s+[^\W\d]+"
_RANGES = (
    re.compile(rf"()({_NUMBER})\s*(?:-|–|to|bis|à|a)\s*{_NUMBER}{_UNIT}"),
    re.compile(rf"()({_NUMBER})\s*(?:\+|plus(?![^\W\d])){_UNIT}"),
    re.compile(rf"()({_NUMBER}){_UNIT}\s+{_MORE}"),
    re.compile(rf"({_SIGN})({_NUMBER}){_UNIT}"),
)
"""Ranges such as 18-29, 60+, 60 and over, < 18 years."""

_NUMBERED = re.compile(rf"()({_NUMBER})\s*[-–:=)]\s*[^\W\d].*()")
"""Numbered words such as "1 - very bad"."""

_SINGLE = re.compile(rf"()({_NUMBER}){_UNIT}")
"""A number alone, such as 0 beside 1-2 and 3+."""

_NOTHING = re.compile(
    r"none|nil|never|zero|(?:no|zero)\s+[^\W\d]+|keine?|nie|aucun|aucune|jamais|ninguno|ninguna|nunca"
    r"|无|無|没有"
)
"""Words for 0 beside ranges that begin above it."""

_BELOW = ("<", "≤", "under", "below", "less", "lt", "up", "unter", "bis", "moins", "menos")

_ABOVE = (">", "over", "above", "more than", "gt", "über", "plus de", "más de")

MOST_NUMBERED = 11
"""Numbered words of more steps, or such as "01: Maine", are lists of codes; scales end at 10."""

_GRADE = re.compile(r"([a-g])(\+*|[-−–])")
_GRADES = frozenset("abcdf")
"""Marks of schools, which have no E: letters that skip it are no names of groups."""

_SIGNS = re.compile(r"(?<=[\dkm])\s*[€£$¥₹]|[€£$¥₹]\s*")
_MAGNITUDES = {"k": 1e3, "m": 1e6}
_MARKED = re.compile(rf"({_NUMBER})\s*([km])(?![^\W\d])")
_TO_MARKED = re.compile(rf"({_NUMBER})(?=\s*(?:-|–|to|bis|à|a)\s*{_NUMBER}\s*([km])(?![^\W\d]))")

_DEGREES = {
    degree.strip(): place
    for place, degrees in enumerate(
        (
            "not at all",
            "not very | not too | not so | not particularly | hardly",
            "slightly | a little | a bit | a little bit",
            "somewhat | to some extent",
            "fairly | pretty | quite | rather | moderately",
            "very | a lot | very much | a great deal",
            "extremely | completely | totally",
        )
    )
    for degree in degrees.split("|")
}
"""Words for how much of something, as of "very happy", after their place from lowest."""

_DEGREE = re.compile(
    rf"(?P<degree>{'|'.join(sorted(_DEGREES, key=len, reverse=True))})(?:\s+(?P<of>[^\W\d]+))?"
    r"|not (?P<not>[^\W\d]+) at all"
)

_REPEATED = re.compile(r"([^\w\s])\1*")
"""A sign once or more, as of prices (€, €€) or stars."""

FEWEST = 3
"""Scales of fewer steps are none: the order of two steps makes no difference."""


def decided(name: str, words: NDArray[Any], distinct: Sequence[str]) -> Column | None:
    """Return words (n,) of a scale as an ordered category; None if they are not of one scale."""
    levels, unanswered = answered(distinct)
    if not levels:
        return None
    answers = np.empty(len(words), dtype=object)
    answers[:] = [None if word in unanswered else word for word in words.tolist()]
    found = of_levels(name, answers, levels)
    return replace(found, reason=found.reason + placeholders.remark(unanswered))


def of_levels(name: str, words: NDArray[Any], levels: tuple[str, ...]) -> Column:
    """Return words (n,) with the order of their levels as a column."""
    shown = " < ".join(levels[:5]) + (" < ..." if len(levels) > 5 else "")
    return Column(name, columns.ORDERED, f"in the order {shown}", words, levels)


def answered(words: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    """Order different words as `levels` does; also return those that are no answer, such as n/a.

    >>> answered(["low", "high", "Don't know", "medium"])
    (('low', 'medium', 'high'), ["Don't know"])
    >>> answered(["none", "mild", "severe"]), answered(["low", "n/a"])
    ((('none', 'mild', 'severe'), []), ((), []))
    """
    if found := levels(words):
        return found, []
    without = [word for word in words if placeholders.is_gap(word)]
    found = levels([word for word in words if word not in without]) if without else ()
    return found, without if found else []


def levels(words: Sequence[str]) -> tuple[str, ...]:
    """Order different words from lowest to highest; () if they are not steps of one scale.

    >>> levels(["often", "Never", "sometimes"]), levels(["30-44", "< 18", "60+", "18-29"])
    (('Never', 'sometimes', 'often'), ('< 18', '18-29', '30-44', '60+'))
    >>> levels(["€€", "€€€", "€"]), levels(["red", "green", "blue"])
    (('€', '€€', '€€€'), ())
    >>> levels(["£20k - £40k", "< £20k", "£40k+"]), levels(["B+", "A-", "C", "B"])
    (('< £20k', '£20k - £40k', '£40k+'), ('C', 'B', 'B+', 'A-'))
    >>> levels(["3+", "none", "1-2"]), levels(["very happy", "not happy at all", "pretty happy"])
    (('none', '1-2', '3+'), ('not happy at all', 'pretty happy', 'very happy'))
    """
    # The patterns take time by the square of the length of a word.
    if len(words) < FEWEST or any(len(word) > parsing.LONGEST for word in words):
        return ()
    plain = [" ".join(word.lower().split()) for word in words]
    for steps in _STEPS:
        if all(word in steps for word in plain):
            return _ordered(words, [steps[word] for word in plain])
    if len({word[:1] for word in plain}) == 1 and all(map(_REPEATED.fullmatch, plain)):
        return _ordered(words, [len(word) for word in plain])
    if grades := _grades(plain):
        return _ordered(words, grades)
    if degrees := _degrees(plain):
        return _ordered(words, degrees)
    starts = _starts(_without_magnitudes(plain))
    return _ordered(words, starts) if starts else ()


def _starts(words: Sequence[str]) -> list[float]:
    """Numbers at which ranges in small letters begin; [] if a word is none or units differ.

    Beside ranges such as 1-2 and 3+ there may be single numbers, and a word for 0.

    >>> _starts(["18-29", "60+"]), _starts(["none", "1", "2+"]), _starts(["6+ months", "1+ years"])
    ([18.0, 60.0], [0.0, 1.0, 2.0], [])
    >>> _starts(["1 - bad", "2 - good"]), _starts(["01: maine", "02: iowa"])
    ([1.0, 2.0], [])
    """
    ranges = {word: start for word in words if (start := _start(word, _RANGES))}
    numbered = {word: start for word in words if (start := _start(word, [_NUMBERED]))}
    if len(numbered) > MOST_NUMBERED or any(re.match(r"0\d", word) for word in numbered):
        return []
    found = {**numbered, **ranges}
    if ranges:
        singles = ((word, _start(word, [_SINGLE])) for word in words if word not in found)
        found |= {word: start for word, start in singles if start}
        if min(found.values())[0] > 0:
            found |= {word: (0.0, "") for word in words if _NOTHING.fullmatch(word)}
    # 6-11 months are less than 1-2 years; ranges without a unit are taken to have that of others.
    units = {unit for _, unit in found.values()} - {""}
    if len(found) < len(words) or len(units) > 1:
        return []
    return [found[word][0] for word in words]


def _degrees(words: Sequence[str]) -> list[float]:
    """Places of words such as "very happy" in small letters; [] if these are of different things.

    >>> _degrees(["not at all", "a little", "a lot"]), _degrees(["very happy", "pretty sad"])
    ([0, 2, 5], [])
    """
    found = [match for word in words if (match := _DEGREE.fullmatch(word))]
    of = {match["of"] or match["not"] or "" for match in found}
    if len(found) < len(words) or len(of) > 1:
        return []
    return [_DEGREES.get(match["degree"] or "", 0) for match in found]


def _grades(words: Sequence[str]) -> list[float]:
    """Places of marks such as B+ in small letters; [] if a word is none or may be something else.

    Letters alone name groups as well, and blood groups have a sign, but no three letters of these.

    >>> _grades(["b+", "c", "a-"]), _grades(["a+", "b+", "a-"]), _grades(["a", "b", "c"])
    ([-0.7, -2.0, -0.3], [], [])
    """
    found = [match for word in words if (match := _GRADE.fullmatch(word))]
    letters = {match[1] for match in found}
    signed = any(match[2] for match in found)
    of_school = len(letters) > FEWEST and "f" in letters and letters <= _GRADES
    if len(found) < len(words) or len(letters) < FEWEST or not (signed or of_school):
        return []
    signs = (len(match[2]) if match[2].startswith("+") else -len(match[2]) for match in found)
    return [
        round(ord("a") - ord(match[1]) + 0.3 * sign, 1)
        for match, sign in zip(found, signs, strict=True)
    ]


def _without_magnitudes(words: Sequence[str]) -> Sequence[str]:
    """Write 20-40k as 20000-40000, and m as millions, if some number of the words has a k.

    >>> _without_magnitudes(["<$20k", "20-40 k", "1.5m+"]), _without_magnitudes(["3m", "5m"])
    (['<$20000', '20000-40000', '1500000+'], ['3m', '5m'])
    """
    if not any(match[2] == "k" for word in words for match in _MARKED.finditer(word)):
        return words

    def whole(match: re.Match[str]) -> str:
        digits = match[1].replace(",", "") if _THOUSANDS.fullmatch(match[1]) else match[1]
        return f"{float(digits.replace(',', '.')) * _MAGNITUDES[match[2]]:.15g}"

    both = (_TO_MARKED.sub(r"\1\2", word) for word in words)
    return [_MARKED.sub(whole, word) for word in both]


def _ordered(words: Sequence[str], places: Sequence[float]) -> tuple[str, ...]:
    """Sort words by their places; () if two have the same one, which have no order."""
    if len(set(places)) < len(places):
        return ()
    return tuple(word for _, word in sorted(zip(places, words, strict=True)))


def _start(word: str, patterns: Sequence[re.Pattern[str]] = _RANGES) -> tuple[float, str] | None:
    """Return the number at which a range begins and its unit; None for other words.

    >>> [_start(word, _RANGES) for word in ("18-29 years", "<1,000", "€5 - €9", "room 18")]
    [(18.0, 'year'), (999.5, ''), (5.0, '€'), None]
    """
    money = _SIGNS.search(word)
    bare = _SIGNS.sub("", word) if money else word
    for pattern in patterns:
        if match := pattern.fullmatch(bare):
            sign, digits, unit = match.groups()
            if _THOUSANDS.fullmatch(digits):
                digits = digits.replace(",", "").replace(".", "")
            number = float(digits.replace(",", "."))
            # Beside 18-29 there may be both "< 18" and "> 18", and beside 16 also "> 16".
            number -= 0.5 * sign.startswith(_BELOW)
            place = number + 0.5 * (sign.strip() in _ABOVE)
            return place, money[0].strip() if money else parsing.singular(unit)
    return None
