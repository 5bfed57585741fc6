"""Names of columns that say what their numbers are: identifiers, codes, durations."""

import re

_IDENTIFIER = re.compile(
    r"(^|[_\W])(id|uuid|guid|key|nr|no)$|^id[_\W]|[a-z](Id|ID|Nr|No)$"
    r"|(number|nummer|n[uú]mero)$|^(account|phone|iban|ean|isbn|imei)$"
)
_CODE = re.compile(
    r"(?i:(^|[_\W])(id|code|zip|plz|post(al)?[_\W]?code|zip[_\W]?code|postleitzahl"
    r"|code[_\W]postal)$)|[a-z](Id|ID)$"  # storeId, but not paid
)
_DURATION = re.compile(r"duration|elapsed|runtime|dauer|laufzeit|durée|duración|durata", re.I)


def is_identifier(name: str) -> bool:
    """True for a name such as order_id, which numbers that all differ confirm.

    >>> [is_identifier(name) for name in ("order_id", "Kundennummer", "paid")]
    [True, True, False]
    """
    return bool(_IDENTIFIER.search(name))


def is_code(name: str) -> bool:
    """True for the name of a code, such as a postcode: its numbers are no amounts.

    >>> [is_code(name) for name in ("Zip", "PLZ", "store_id", "code postal", "storeId", "paid")]
    [True, True, True, True, True, False]
    """
    return bool(_CODE.search(name))


def is_duration(name: str) -> bool:
    """True for the name of a length of time, in which 0:45:00 is no time of day.

    >>> is_duration("Call duration"), is_duration("start")
    (True, False)
    """
    return bool(_DURATION.search(name))
