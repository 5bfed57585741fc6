"""Finds the encoding of a text, and converts it to UTF-8."""

import codecs
import re

from kinfolk.errors import FileFormatError
from kinfolk.sources.contents import Contents

_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
"""Bytes that no text in one byte per letter has."""

_BEYOND_ASCII = re.compile(rb"[\x80-\xff]+")
_CYRILLIC = bytes([*range(0xC0, 0x100), *"ЁёІіЇїЄєҐґЎў".encode("cp1251")])
"""Cyrillic letters of Russian, Bulgarian, Ukrainian and Belarusian in Windows-1251."""

_COMMON_CHINESE = range(0xB0, 0xD8)
"""First bytes of the 3755 most frequent Chinese characters."""

_KOREAN = range(0xB0, 0xC9)
"""First bytes of Korean syllables, in order of the alphabet; Chinese has half its characters there.
"""
_FEWEST_PAIRS = 8
"""Of so many different Chinese characters hardly all would be among the Korean syllables."""

_PAIR = rb"[\x81-\x9f\xe0-\xfc][\x40-\x7e\x80-\xfc]"
_JAPANESE = (re.compile(rb"(?:%b)+" % _PAIR), range(0x81, 0xA0))
_TAIWANESE = (re.compile(rb"(?:[\xa1-\xf9][\x40-\x7e\xa1-\xfe])+"), range(0xA4, 0xC7))
"""Runs of characters of two bytes in Shift-JIS and Big5, and the first bytes of the usual ones."""

_IN_WORDS = re.compile(
    rb"(?<=[A-Za-z\xc0-\xff])[\x8d\x8f\x9d\xa3\xa5\xaa\xaf\xb3\xb9\xba\xbc\xbe\xbf](?=[A-Za-z\xc0-\xff])"
)
"""Letters of Windows-1250 within words where Windows-1252 has signs, such as of ł and ¹ for ą."""
_CENTRAL = (
    ("áčďéěíňóřšťúůýž", "ěřůč", "šž"),
    ("áčďéěíňóřšťúůýž", "ě", "ř"),
    ("áäčďéíĺľňóôŕšťúýž", "čňľť", "šž"),
    ("čćđšž", "čćđ", "šž"),
    ("áéíóöőúüű", "őű", "öü"),
)
"""Letters of Czech, Slovak, Croatian or Slovene, and Hungarian, and two groups that tell them: no
other language has letters of both in Windows-1252."""

_CP1250 = "Windows-1250 (Central European)"
_POLISH = {*"ąćęłńóśźżĄĆĘŁŃÓŚŹŻ".encode("cp1250")}
_POLISH_WORDS = re.compile(
    rb"(?<![A-Za-z\x80-\xff])[\xa3\xaf](?=[a-z\x9c\xb3\xf3])"  # Ł, Ż before a small letter
    rb"|(?<=[A-Za-z\x80-\xff])\x9f"  # ź
    rb"|(?<=[a-z\x80-\xff][a-ln-z\x80-\xff])\xb3(?![A-Za-z\x80-\xff])"  # ł, but not in m³
    rb"|(?<=[a-z\x80-\xff])\xb3(?=[a-z])"
    rb"|(?<=[A-Za-z\x80-\xff])\xf1(?![AEIOUaeiou\x80-\xff])"  # ń; no vowel behind it as in Spanish
    rb"|[\x8c\x9c](?=[mrwz\xe6]|c(?!u))|(?<=[a-z])\x9c(?![A-Za-z\x80-\xff])"  # ś; œ is in French
    rb"|\xea(?=d)"  # ę
)
"""Letters that stand in Polish words where Windows-1252 has signs, or letters of other languages.
"""

_GREEK_ACCENT = re.compile(rb"[\xe1-\xfe][\xdc-\xdf]")
"""A small letter before one with an accent, as most Greek words have in Windows-1253. In
Windows-1251 the second is a capital letter, which stands within no word."""

_TURKISH = {*"âçğıîöşûüÂÇĞİÎÖŞÛÜ".encode("cp1254")}
_DOTLESS = b"\xfd"
_NOT_ICELANDIC = {*"çüÇÜ".encode("cp1254")}
"""Icelandic has ý where Turkish has ı without a dot, but none of these."""
_TURKISH_END = re.compile(rb"[A-Za-z\xf0\xfd]\xfe(?![A-Za-z\x80-\xff])")
"""A ş at the end of a word; Icelandic has þ there, which ends no word."""

_MAC = {*range(0x80, 0xA0), *"†°§•ß®©™ÆØªºæø¿¡«»…ÀÃÕŒœ–—“”‘’€".encode("mac_roman")}
_MAC_IN_WORDS = re.compile(
    rb"(?<=[A-Za-z])[\x87-\x89\x8b\x98\x9b](?=[a-z])|(?<=[a-z])[\x88\x8a\x8c-\x90](?![A-Z])"
)
"""Letters of Mac Roman within words where Windows-1250 and 1252 have signs or capital letters."""
_MAC_U = re.compile(rb"(?<=[A-Za-z])\x9f(?=[a-z])")
_BESIDE_U = {*"äöß".encode("mac_roman")}
"""Polish has ź where Mac Roman has ü, but nothing where German has one of these."""

_LONG_RUN = 2.5
"""Bytes beyond ASCII that stand together on average in texts without Latin letters."""

_ACCENTED = 0.2
"""Least share of the Greek words that have an accent behind a small letter."""

_MOST = 0.9
"""Least share of the bytes, or of their runs, that fits an encoding."""


def decoded(file: str, contents: Contents) -> tuple[Contents, str]:
    """Convert a text to UTF-8, in memory; also name the encoding if it was another.

    UTF-16 is known by its first two bytes. Other bytes that are not UTF-8 are taken for the
    encoding in which spreadsheets write: GB18030 in China, Big5 in Taiwan, Shift-JIS in Japan,
    CP949 in Korea, Windows-1251 for Cyrillic letters, 1253 for Greek ones, 1250 in Central Europe,
    1254 in Turkey, Mac Roman of older Macs, or Windows-1252 in Western Europe; FileFormatError if
    they hold control characters, which no text has.

    >>> found, encoding = decoded("t.csv", Contents.of_bytes("Größe".encode("latin-1")))
    >>> found.read().decode(), encoding
    ('Größe', 'Windows-1252 (Western European)')
    """
    codec, name = encoding_of(file, contents)
    if not name:
        return contents, ""
    return Contents.of_bytes(contents.read().decode(codec, errors="replace").encode()), name


def encoding_of(file: str, contents: Contents) -> tuple[str, str]:
    """Return codec and name of the encoding of a text, "" for UTF-8; see `decoded`.

    >>> encoding_of("t.csv", Contents.of_bytes("Größe".encode()))
    ('utf-8', '')
    """
    utf16 = _start(contents).startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if utf16 and _is_text(contents, "utf-16"):
        return "utf-16", "UTF-16"
    # The mark and bytes 0 are looked for when the text is read.
    if not utf16 and _is_text(contents, "utf-8"):
        return "utf-8", ""
    if any(_CONTROL.search(piece) for piece in contents.pieces()):
        raise not_utf8(file)
    return _of_spreadsheets(contents)


def _of_spreadsheets(contents: Contents) -> tuple[str, str]:
    """Return codec and name of the encoding of bytes that are not UTF-8.

    >>> [_of_spreadsheets(Contents.of_bytes(text.encode(encoding)))[0] for text, encoding in (
    ...     ("门店,年龄", "gbk"), ("Größe, été", "cp1252"), ("Возраст", "cp1251"))]
    ['gb18030', 'cp1252', 'cp1251']
    """
    # The first piece with such letters tells.
    runs = next(filter(None, map(_BEYOND_ASCII.findall, contents.pieces())), [])
    letters = b"".join(runs)
    pairs = [run for run in runs if len(run) % 2 == 0]
    common = sum(first in _COMMON_CHINESE for first in b"".join(pairs)[::2])
    is_chinese = len(pairs) >= _MOST * len(runs) and 4 * common >= len(letters)
    if is_chinese:
        firsts = {run[i : i + 2] for run in pairs for i in range(0, len(run), 2)}
        is_korean = len(firsts) >= _FEWEST_PAIRS and all(pair[0] in _KOREAN for pair in firsts)
        if is_korean and _is_text(contents, "cp949"):
            return "cp949", "CP949 (Korean)"
        if _is_text(contents, "gb18030"):
            return "gb18030", "GB18030 (Chinese)"
    text = next(filter(_BEYOND_ASCII.search, contents.pieces()), b"")
    if _is_polish(text, letters):
        return "cp1250", _CP1250
    if _has_runs(text, *_JAPANESE) and _is_text(contents, "cp932"):
        return "cp932", "Shift-JIS (Japanese)"
    if _has_runs(text, *_TAIWANESE) and _is_text(contents, "big5"):
        return "big5", "Big5 (Chinese, traditional)"
    # In Western Europe such letters stand between others, in other scripts they make up words.
    others = len(letters.translate(None, _CYRILLIC))
    if len(letters) >= _LONG_RUN * len(runs) and others <= (1 - _MOST) * len(letters):
        accents = sum(_GREEK_ACCENT.search(run) is not None for run in runs)
        if accents >= _ACCENTED * len(runs) and _is_text(contents, "cp1253"):
            return "cp1253", "Windows-1253 (Greek)"
        return "cp1251", "Windows-1251 (Cyrillic)"
    if _is_mac(text, letters):
        return "mac_roman", "Mac Roman"
    in_words = len(_IN_WORDS.findall(text)) >= (1 - _MOST) * len(runs)
    if (in_words or _is_central(letters)) and _is_text(contents, "cp1250"):
        return "cp1250", _CP1250
    if _is_turkish(text, letters):
        return "cp1254", "Windows-1254 (Turkish)"
    return "cp1252", "Windows-1252 (Western European)"


def _has_runs(text: bytes, form: re.Pattern[bytes], usual: range) -> bool:
    """True if characters of two bytes make up words, nearly all with usual first bytes.

    A single letter with an accent before another letter is such a pair by chance.
    """
    found = form.findall(text)
    firsts = b"".join(run[::2] for run in found)
    common = sum(first in usual for first in firsts)
    return len(firsts) >= 1.5 * len(found) > 0 and common >= _MOST * len(firsts)


def _is_central(letters: bytes) -> bool:
    """True for bytes beyond ASCII that are letters of one language of Central Europe.

    >>> [_is_central(text.encode("cp1250")) for text in ("ěšářů", "őüé", "öäü", "éčá")]
    [True, True, False, False]
    """
    there = {*letters}
    for groups in _CENTRAL:
        every, one, other = ({*(group + group.upper()).encode("cp1250")} for group in groups)
        if there <= every and there & one and there & other:
            return True
    return False


def _is_polish(text: bytes, letters: bytes) -> bool:
    """True for a Polish text in Windows-1250, given its bytes beyond ASCII.

    >>> [_is_polish(t, bytes(b for b in t if b > 127)) for t in (
    ...     "Łódź".encode("cp1250"), "£5 por año".encode("cp1252"), "año, m³".encode("cp1252"))]
    [True, False, False]
    """
    return {*letters} <= _POLISH and _POLISH_WORDS.search(text) is not None


def _is_mac(text: bytes, letters: bytes) -> bool:
    """True for a text in Mac Roman, given its bytes beyond ASCII.

    >>> [_is_mac(t, bytes(b for b in t if b > 127)) for t in (
    ...     "cafés".encode("mac_roman"), "Köln".encode("mac_roman"), "cafés".encode("cp1252"))]
    [True, False, False]
    """
    there = {*letters}
    if not there <= _MAC:
        return False
    german = _MAC_U.search(text) and there & _BESIDE_U
    return bool(german or _MAC_IN_WORDS.search(text))


def _is_turkish(text: bytes, letters: bytes) -> bool:
    """True for a text in Windows-1254, given its bytes beyond ASCII."""
    there = {*letters}
    if not there <= _TURKISH or _DOTLESS not in letters:
        return False
    return bool(there & _NOT_ICELANDIC or _TURKISH_END.search(text))


def _is_text(contents: Contents, encoding: str) -> bool:
    """True if bytes can be decoded by this encoding."""
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for piece in contents.pieces():
            decoder.decode(piece)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _start(contents: Contents) -> bytes:
    """The first bytes, in which a mark of the encoding stands."""
    with contents.open() as stream:
        return stream.read(len(codecs.BOM_UTF16_LE))


def not_utf8(file: str) -> FileFormatError:
    """Build the error for bytes that are no text in UTF-8."""
    return FileFormatError(
        f"{file} is not text in UTF-8: save it as UTF-8 (in a spreadsheet program as "
        '"CSV UTF-8"), and check that its name ends in the suffix of its true format.'
    )
