"""Names of months and days of the week in several languages, with their order."""

from collections.abc import Iterable, Sequence

_MONTH_NAMES = (
    "january jan januar jänner janvier janv enero ene gennaio gen janeiro januari",
    "february feb februar février févr fév febrero febbraio fevereiro fev februari",
    "march mar märz mär maerz mars marzo março maart mrt",
    "april apr avril avr abril abr aprile",
    "may mai mayo maggio mag maio mei",
    "june jun juni juin junio giugno giu junho",
    "july jul juli juillet juil julio luglio lug julho",
    "august aug août aout agosto ago augustus",
    "september sep sept septembre septiembre settembre set setembro",
    "october oct oktober okt octobre octubre ottobre ott outubro out",
    "november nov novembre noviembre novembro",
    "december dec dezember dez décembre déc diciembre dic dicembre dezembro",
)
MONTHS = {name: j for j, names in enumerate(_MONTH_NAMES, start=1) for name in names.split()}
"""Name of a month in small letters -> its number."""

_DAY_NAMES = (
    "monday mon montag mo lundi lun lunes lunedì segunda segunda-feira maandag ma 周一 星期一",
    "tuesday tue tues dienstag di mardi mar martes martedì terça terça-feira dinsdag 周二 星期二",
    "wednesday wed mittwoch mi mercredi mer miércoles mié mercoledì quarta quarta-feira woensdag "
    "wo 周三 星期三",
    "thursday thu thur thurs donnerstag do jeudi jeu jueves jue giovedì gio quinta quinta-feira "
    "donderdag 周四 星期四",
    "friday fri freitag fr vendredi ven viernes vie venerdì sexta sexta-feira vrijdag vr "
    "周五 星期五",
    "saturday sat samstag sonnabend sa samedi sam sábado sáb sabato sab zaterdag za 周六 星期六",
    "sunday sun sonntag so dimanche dim domingo dom domenica zondag zo 周日 星期日",
)
DAYS_OF_WEEK = {name: j for j, names in enumerate(_DAY_NAMES) for name in names.split()}
"""Name of a day of the week in small letters -> its number."""

FEWEST_NAMES = 3
"""Fewer names of months or days may be those of people or something else, as May and Jan."""


def names_of(words: Iterable[str]) -> str:
    """Say whether words name "months" or "days of the week"; "" if some do not, or they are few.

    >>> names_of(["Jan", "March", "dec."]), names_of(["Mo", "Di", "So"]), names_of(["May", "Jan"])
    ('months', 'days of the week', '')
    """
    plain = [_plain(word) for word in words]
    for what, known in (("months", MONTHS), ("days of the week", DAYS_OF_WEEK)):
        if all(word in known for word in plain) and len({*plain}) >= FEWEST_NAMES:
            return what
    return ""


def places(names: Sequence[str]) -> dict[str, int]:
    """Return {name: its place} of months or days of the week; {} if some are no such names.

    >>> places(["Thur", "Fri", "Sat"]), places(["May", "June"]), places(["Sat", "Samstag", "Sun"])
    ({'Thur': 3, 'Fri': 4, 'Sat': 5}, {}, {})
    """
    known = {"months": MONTHS, "days of the week": DAYS_OF_WEEK}.get(names_of(names), {})
    found = {name: known[_plain(name)] for name in names} if known else {}
    return found if len(set(found.values())) == len(found) else {}


def _plain(name: str) -> str:
    return name.lower().removesuffix(".")
