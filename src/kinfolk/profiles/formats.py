"""Formats numbers of profiles with as many decimals as their spread makes sense of."""

import numpy as np

MOST_DECIMALS = 9
"""Most decimal places that are shown; smaller numbers have a power of ten."""

_PERIODS = (
    (8766.0, " years"),
    (24.0, " days"),
    (1.0, " h"),
    (1 / 60, " min"),
    (1 / 3600, " s"),
)
"""Units in which durations are shown, each after its number of hours; the longest first."""


def number(value: float, spread: float, *, hours: bool = False, years: bool = False) -> str:
    """Format a mean or quartile by the standard deviation of its column.

    Parameters
    ----------
    value, spread : in units of the column
    hours : True for lengths of time in hours, which get a unit that suits their spread
    years : True for years, which have no comma between thousands

    >>> number(1234.56, 300.0), number(0.01234, 0.002), number(2012.4, 3.0, years=True)
    ('1,235', '0.0123', '2012.4')
    >>> number(50.0, 30.0, hours=True), number(-3.0, 1.0)
    ('2.1 days', '−3.0')
    """
    unit = ""
    if hours:
        # All values of a column in one unit, as large as the spread makes sense of.
        fitting = (period for period in _PERIODS if spread >= period[0] / 2)
        length, unit = next(fitting, _PERIODS[-1])
        value = value / length
        spread = spread / length
    # Equal numbers have a spread of rounding, which asks for no decimals.
    varies = spread > 1e-12 * abs(value)
    digits = max(0, 1 - int(np.floor(np.log10(spread)))) if varies else 2
    if digits > MOST_DECIMALS:  # amounts of 2e-11 would all be 0.000000000
        return f"{round(value, digits):z.9g}".replace("-", "−") + unit
    comma = "" if years else ","
    # Differences of sums may leave a mean just below 0, too.
    return f"{value:z{comma}.{digits}f}".replace("-", "−") + unit
