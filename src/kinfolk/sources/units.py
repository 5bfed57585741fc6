"""Converts numbers between units of the same quantity, such as pounds and kilograms."""

import re
from collections.abc import Iterable

_MASS = {
    **{"ng": 1e-9, "µg": 1e-6, "μg": 1e-6, "mg": 1e-3, "g": 1.0, "kg": 1e3, "t": 1e6},
    **{"oz": 28.349523125, "lb": 453.59237, "lbs": 453.59237, "st": 6350.29318},
}
_LENGTH = {
    **{"mm": 1e-3, "cm": 1e-2, "m": 1.0, "km": 1e3},
    **{"in": 0.0254, "ft": 0.3048, "yd": 0.9144, "mi": 1609.344},
}
_VOLUME = {
    **{"ml": 1e-3, "mL": 1e-3, "cl": 1e-2, "dl": 0.1, "dL": 0.1, "l": 1.0, "L": 1.0},
    **{"m3": 1e3, "m³": 1e3},
}
_TIME = {"ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0, "days": 86400.0}
TIMES = frozenset(_TIME)

_QUANTITIES = (
    _MASS,
    _LENGTH,
    _VOLUME,
    {"m2": 1.0, "m²": 1.0, "ha": 1e4, "km2": 1e6, "km²": 1e6},
    _TIME,
    {"kJ": 1.0, "kcal": 4.184},
    {"W": 1.0, "kW": 1e3},
    {"hPa": 1.0, "mmHg": 1.33322387415, "bar": 1e3},
    {"µmol": 1e-6, "μmol": 1e-6, "mmol": 1e-3, "mol": 1.0},
    {"µS": 1e-6, "μS": 1e-6, "mS": 1e-3},
    {"Hz": 1.0, "MHz": 1e6, "GHz": 1e9},
    {"‰": 0.1, "%": 1.0},
)
"""Unit -> its size in one common unit. Units that mean different things in different places, as
gallons, cups, MB (of 1000 or 1024 kB) and money, are left out: nothing is guessed."""

_CELSIUS = {"°C", "℃"}
_FAHRENHEIT = {"°F", "℉"}

_FEET = re.compile(r"""(\d+)\s*(?:['’′]|ft\.?)\s*(\d{1,2}(?:[.,]\d+)?)\s*(?:["”″]|''|in\.?)?""")
_STONES = re.compile(r"(\d+)\s*st\.?\s*(\d{1,2}(?:[.,]\d+)?)\s*lbs?")
_COMPOUNDS = ((_FEET, 12, "ft"), (_STONES, 14, "st"))
"""Two units in one number, as 5'11" and 11 st 4 lb: how many of the second make one, the unit."""


def converted(number: float, unit: str, to: str) -> float | None:
    """Convert a number from a unit to another one; None if they measure different things.

    >>> converted(154.0, "lb", "kg"), converted(5.0, "g/l", "mg/dl"), converted(1.0, "kg", "m")
    (69.85322498, 500.0, None)
    >>> converted(98.6, "°F", "°C"), converted(100.0, "°C", "°F")
    (37.0, 212.0)
    """
    if unit in _FAHRENHEIT and to in _CELSIUS:
        return (number - 32.0) / 1.8
    if unit in _CELSIUS and to in _FAHRENHEIT:
        return number * 1.8 + 32.0
    size = _ratio(unit, to)
    # Of two factors the whole one is exact: 250 cm are 2.5 m, and 0.01 is no binary number.
    if size is None or size >= 1.0:
        return None if size is None else number * size
    return number / (_ratio(to, unit) or 1.0)


def are_alike(units: Iterable[str]) -> bool:
    """True if numbers in all of these units can be converted to any of them.

    >>> are_alike(["kg", "lb"]), are_alike(["mmol/l", "mg/dl"]), are_alike(["€", "$"])
    (True, False, False)
    """
    first, *others = units
    return all(converted(1.0, unit, first) is not None for unit in others)


def _ratio(unit: str, to: str) -> float | None:
    """Number of `to` in one `unit`, also of units per another one, as mg/l; None if unknown."""
    if unit == to or {unit, to} <= _CELSIUS or {unit, to} <= _FAHRENHEIT:
        return 1.0
    above, per, below = unit.partition("/")
    to_above, to_per, to_below = to.partition("/")
    if per != to_per:
        return None
    if per:
        one = _ratio(above, to_above)
        other = _ratio(to_below, below)
        return None if one is None or other is None else one * other
    return next((q[unit] / q[to] for q in _QUANTITIES if unit in q and to in q), None)


def of_compounds(words: dict[str, str]) -> dict[str, str]:
    """Return {word: text} of words in feet and inches, as feet, or stones and pounds, as stones.

    >>> of_compounds({"w": "5' 6''", "v": "11 st 7 lb", "u": "5'600"})
    {'w': '5.5 ft', 'v': '11.5 st'}
    """
    found = {}
    for word, text in words.items():
        for form, many, unit in _COMPOUNDS:
            if match := form.fullmatch(text):
                part = float(match[2].replace(",", ".")) / many
                if part < 1:
                    found[word] = f"{int(match[1]) + part!r} {unit}"
    return found
