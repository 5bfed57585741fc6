"""Words that stand for gaps among numbers and dates, such as "unknown", "k.A." and "#N/A"."""

import re
from collections.abc import Iterable
from typing import Any

import narwhals as nw

_WORDS = (
    "? ?? - -- --- – — . .. ... * na n/a n.a. n.a n/d n.d. n.d nd nan nil null none missing",
    "unknown tbd tba <na> (blank) (empty) (null) blank empty",
    "#n/a #na #nv #div/0! #value! #ref! #num! #null! #name? #wert! #bezug! #zahl! #valeur! #error",
    "k.a. k.a ka unbekannt fehlt fehlend o.a. n.v. n.b. entfällt",
    "n.c. nc inconnu inconnue manquant",
    "s/d s.d. s/i desconocido desconocida falta faltante",
    "n.p. sconosciuto mancante desconhecido ausente n/i onbekend ontbreekt brak",
    "不明 未知 无 無 缺失 缺 不详 未填 没有 暂无",
)
_PHRASES = (
    "not known, not available, not applicable, not recorded, not measured, not given, no data, "
    "no answer, no value, does not apply, k. a., keine angabe, keine angaben, keine daten, "
    "nicht bekannt, nicht gemessen, nicht erhoben, ohne angabe, n. d., n. a., non renseigné, "
    "non renseignée, non disponible, non connu, pas de données, sans réponse, sin datos, sin dato, "
    "no disponible, no consta, non disponibile, non noto, sem dados, não informado, "
    "não disponível, niet bekend, geen gegevens, brak danych"
)
PLACEHOLDERS = frozenset(" ".join(_WORDS).split()) | frozenset(_PHRASES.split(", "))
"""Words, in small letters, that are gaps where all other values are numbers or dates."""

_ANSWERS = (
    "refused, refusal, don't know, dont know, do not know, dk, not asked, inapplicable, iap, "
    "prefer not to say, prefer not to answer, rather not say, no opinion, keine meinung, "
    "verweigert, weiß nicht, weiss nicht, trifft nicht zu, ne sait pas, nsp, refus, no sabe, "
    "no contesta, ns/nc, non sa, não sabe, weet niet, 不知道, 拒绝回答, 不适用"
)
ANSWERS = PLACEHOLDERS | frozenset(_ANSWERS.split(", "))
"""Labels of numbers, in small letters, that are gaps among numbers, as surveys have them."""

GAPS_OF_NAMES = frozenset({"NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "#N/A"})
"""Words that stand for no name: what programs write for a gap, no word of a language."""

_MOST_SHOWN = 3


def all_stand_for_gaps(words: Iterable[str]) -> bool:
    """True if each word stands for a gap, in capital or small letters.

    >>> all_stand_for_gaps(["k.A.", "UNKNOWN"]), all_stand_for_gaps(["unknown", "many"])
    (True, False)
    """
    return PLACEHOLDERS.issuperset(word.lower() for word in words)


def is_gap(label: str) -> bool:
    """True if the label of a number stands for a gap.

    >>> is_gap("Refused"), is_gap(" no answer "), is_gap("80 or older")
    (True, True, False)
    """
    return label.strip().lower() in ANSWERS


def remark(words: Iterable[str]) -> str:
    """Say which words count as gaps, for the end of a sentence; "" without any.

    >>> remark(["n/d", "–", "n/d"]), remark(["unknown"]), remark([])
    ("; 'n/d' and '–' count as gaps", "; 'unknown' counts as a gap", '')
    """
    named = sorted(set(words), key=lambda word: (word.lower(), word))
    if not named:
        return ""
    shown = [repr(word) for word in named[:_MOST_SHOWN]]
    if named[_MOST_SHOWN:]:
        shown.append(f"{len(named) - _MOST_SHOWN} more words")
    listed = " and ".join([", ".join(shown[:-1]), shown[-1]] if shown[1:] else shown)
    return f"; {listed} {'count as gaps' if shown[1:] else 'counts as a gap'}"


def without_gap_words(frame: Any, column: str | None) -> Any:
    """Empty the cells of a column of names that say "NA", as R writes gaps.

    >>> import pandas as pd
    >>> for names in (["carni", "herbi", "NA"], ["US", "NA", "DE"]):
    ...     frame = nw.from_native(pd.DataFrame({"task": names}), eager_only=True)
    ...     print(without_gap_words(frame, "task")["task"].is_null().to_list())
    [False, False, True]
    [False, False, False]
    """
    if column is None:
        return frame
    cells = frame[column].to_list()
    names = {str(cell).strip() for cell in cells if cell is not None} - {""}
    # Beside other codes of two letters it is one: Namibia, or North America.
    if GAPS_OF_NAMES.isdisjoint(names) or all(re.fullmatch("[A-Z]{2}", name) for name in names):
        return frame
    given = [str(name).strip() not in GAPS_OF_NAMES for name in cells]
    mask = nw.new_series("given", given, backend=frame.implementation)
    return frame.with_columns(nw.when(mask).then(nw.col(column)).alias(column))
