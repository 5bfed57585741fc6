"""Finds numbers without a sign beside percentages, which may be percentages or shares."""

from collections.abc import Mapping

from kinfolk.sources.divisions import DECIMAL_COMMA, NUMBER

SIGNS = frozenset("%‰")


def doubtful(parts: Mapping[str, tuple[str, str]], sign: str) -> list[str]:
    """Return the numbers without a sign beside percentages if they may be anything else.

    They are percentages if most numbers have the sign and they lie among these, above 1 or at 0: 45
    beside 40% and 60%. 0.45 may be 0.45% or 45%.

    Parameters
    ----------
    parts : word -> its number and its unit, "" without one

    Examples
    --------
    >>> parts = {"40%": ("40", "%"), "60 %": ("60", "%"), "45": ("45", ""), "n.a.": ("n.a.", "")}
    >>> doubtful(parts, "%"), doubtful(parts | {"0.45": ("0.45", "")}, "%")
    ([], ['45', '0.45'])
    """
    signed = [_number(bare) for bare, unit in parts.values() if unit == sign]
    among = [number for number in signed if number is not None]
    without = {word: _number(bare) for word, (bare, unit) in parts.items() if not unit}
    plain = {word: number for word, number in without.items() if number is not None}
    if not plain or not among:
        return []
    few = len(plain) < len(among)
    alike = all(min(among) <= x <= max(among) and (x > 1 or x == 0) for x in plain.values())
    return [] if few and alike else list(plain)


def _number(text: str) -> float | None:
    """Parse a number with decimal point or comma; None for other words."""
    if not (NUMBER.fullmatch(text) or DECIMAL_COMMA.fullmatch(text)):
        return None
    return float(text if NUMBER.fullmatch(text) else text.replace(".", "").replace(",", "."))
