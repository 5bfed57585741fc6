"""Recognizes identifiers, codes, dates and durations by the names and numbers of columns."""

import math
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinfolk.sources import spelling

_IDENTIFIER = re.compile(
    r"(^|[_\W])(id|uuid|guid|key|[Nn]r|[Nn]o|[Nn][°º])\.?$|^id[_\W]|[a-z](Id|ID|Nr|No|nr)\.?$"
    r"|([Nn]umber|[Nn]ummer|[Nn][uú]m[eé]ro|号|#)$|^[Nn]([uú]m[eé]ro|[°º])\W"
    r"|^(account|phone|iban|ean|isbn|imei|pid)$|[iI][dD]_?[nN]um$"
)
_CODE = re.compile(
    r"(?i:(^|[_\W])(id|code|zip|plz|post(al)?[_\W]?code|zip[_\W]?code|postleitzahl"
    r"|code[_\W]postal)$)|[a-z](Id|ID)$|(?i:[a-z](code|fips)$)"  # storeId, but not paid
)
_GROUPS = re.compile(
    r"^(region|district|department|dept|sector|branch|store|shop|country|gender|sex|ethnicity"
    r"|religion|species|nationality|occupation|geschlecht|abteilung|filiale|bundesland|beruf|région"
    r"|département|pays|sexe|país|sexo|género|regione|sesso)$|(^|[_\W])type$",
    re.IGNORECASE,
)
_DURATION = re.compile(r"duration|elapsed|runtime|dauer|laufzeit|durée|duración|durata", re.I)

_DATE = re.compile(r"(?i:(^|[_\W])(date|fecha)($|[_\W]))|[a-z]Date$|[Dd]atum$")

MOST_CODES = 10
"""Numbers from 1 to at most this one may be codes, as of regions, as well as amounts."""

BY_CHANCE = 1 / 500
"""Whole numbers are identifiers if all would differ by chance less often than this.

Ten draws from 1 to 11 all differ in 1 of 650 columns.
"""

LONG_NUMBER = 1e11
"""Whole numbers of one length from twelve digits on are names, such as of accounts, not amounts."""

EVEN_NUMBER = 1e8
FEWEST_EVEN = 30
FARTHEST = 1.63
"""Shorter numbers, from nine digits on, are names if they are drawn evenly: the least of them, the
fewest rows that can tell, and Kolmogorov's statistic, which fewer than 1 % of such draws exceed."""


def is_identifier(name: str) -> bool:
    """True for the name of an identifier, such as order_id; its numbers must all differ, too.

    >>> [is_identifier(name) for name in ("order_id", "Kundennr", "n° client", "pidnum", "paid")]
    [True, True, True, True, False]
    """
    return bool(_IDENTIFIER.search(name))


def is_unnamed(name: str) -> bool:
    """True for the name that pandas gives a column without one, mostly of row numbers.

    >>> is_unnamed("Unnamed: 0"), is_unnamed("Unnamed")
    (True, False)
    """
    return bool(re.fullmatch(r"Unnamed: \d+", name))


def why_identifier(name: str, values: NDArray[Any], rows: int) -> str:
    """Reason to take a column of distinct whole numbers for an identifier; "" if there is none.

    `values` (n,) are the numbers, `rows` how many of them are of different rows.

    >>> cases = np.arange(61_382.0, 61_802.0)
    >>> why_identifier("case", cases, rows=420)
    'whole numbers from 61382 to 61801, each row its own: they name the rows'
    >>> why_identifier("income", 171.0 * (cases - 61_000), rows=420)
    ''
    """
    low = float(values.min())
    high = float(values.max())
    # Independent numbers differ most often where all are equally likely, the birthday problem.
    n_values = high - low + 1
    if np.log1p(-np.arange(rows) / n_values).sum() < math.log(BY_CHANCE):
        return f"whole numbers {spelling.of_range(low, high)}, each row its own: they name the rows"
    if is_identifier(name):
        return "every value is different, and the name says identifier"
    digits = len(f"{low:.0f}")
    if digits == len(f"{high:.0f}") and (low >= LONG_NUMBER or _are_even_and_long(values)):
        return f"every value is different, a whole number of {digits} digits"
    return ""


def _are_even_and_long(values: NDArray[Any]) -> bool:
    """True for numbers of nine digits and more that lie evenly from the least to the largest.

    Amounts of that size crowd at their middle, or below it.

    >>> random = np.random.default_rng(0)
    >>> amounts = 2e8 + random.gamma(2.0, 1e7, size=99)
    >>> [_are_even_and_long(values) for values in (random.uniform(1e8, 9e8, size=99), amounts)]
    [True, False]
    """
    low = float(values.min())
    if low < EVEN_NUMBER or len(values) < FEWEST_EVEN:
        return False
    places = np.sort((values - low) / np.ptp(values))
    n = len(places)
    above = np.arange(1, n + 1) / n - places
    return bool(max(above.max(), (1 / n - above).max()) * math.sqrt(n) < FARTHEST)


def is_code(name: str) -> bool:
    """True for the name of a code, such as a postcode: its numbers are no amounts.

    >>> [is_code(name) for name in ("Zip", "store_id", "code postal", "Id", "citycode", "paid")]
    [True, True, True, True, True, False]
    """
    return bool(_CODE.search(name))


def names_groups(name: str) -> bool:
    """True for the name of groups without an order, whose numbers are codes, such as 1 to 4.

    >>> [names_groups(name) for name in ("Region", "store_type", "sex", "sales_store", "age group")]
    [True, True, True, False, False]
    """
    return bool(_GROUPS.search(name))


def may_be_codes(low: float, high: float, n_different: int) -> bool:
    """True for whole numbers that are all of 1 to k, such as 1, 2, 3, with k up to `MOST_CODES`."""
    return low == 1 and 3 <= n_different == high <= MOST_CODES


def is_date(name: str) -> bool:
    """True for the name of a date, in which 45123 is a day as spreadsheets count them.

    >>> [is_date(name) for name in ("Order date", "Bestelldatum", "birth_date", "update", "days")]
    [True, True, True, False, False]
    """
    return bool(_DATE.search(name))


def is_duration(name: str) -> bool:
    """True for the name of a length of time, in which 0:45:00 is no time of day.

    >>> is_duration("Call duration"), is_duration("start")
    (True, False)
    """
    return bool(_DURATION.search(name))
