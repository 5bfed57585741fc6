"""Finds the encoding of a text, and converts it to UTF-8."""

import codecs
import re

from kinfolk.errors import FileFormatError
from kinfolk.sources.contents import Contents

_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
"""Bytes that no text in one byte per letter has."""


def decoded(file: str, contents: Contents) -> tuple[Contents, str]:
    """Convert a text to UTF-8, in memory; also name the encoding if it was another.

    UTF-16 is known by its first two bytes. Other bytes that are not UTF-8 are taken for
    Windows-1252, in which Western European spreadsheets write; FileFormatError if they hold
    control characters, which no text has.

    >>> found, encoding = decoded("t.csv", Contents.of_bytes("Größe".encode("latin-1")))
    >>> found.read().decode(), encoding
    ('Größe', 'Windows-1252 (Western European)')
    """
    try:
        if _start(contents).startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return Contents.of_bytes(contents.read().decode("utf-16").encode()), "UTF-16"
        # The mark and bytes 0 are looked for when the text is read.
        _check_utf8(contents)
        return contents, ""
    except UnicodeDecodeError:
        if any(_CONTROL.search(piece) for piece in contents.pieces()):
            raise not_utf8(file) from None
        text = contents.read().decode("cp1252", errors="replace")
        return Contents.of_bytes(text.encode()), "Windows-1252 (Western European)"


def _start(contents: Contents) -> bytes:
    """The first bytes, in which a mark of the encoding stands."""
    with contents.open() as stream:
        return stream.read(len(codecs.BOM_UTF16_LE))


def _check_utf8(contents: Contents) -> None:
    """Raise UnicodeDecodeError unless bytes are UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    for piece in contents.pieces():
        decoder.decode(piece)
    decoder.decode(b"", final=True)


def not_utf8(file: str) -> FileFormatError:
    """Build the error for bytes that are no text in UTF-8."""
    return FileFormatError(
        f"{file} is not text in UTF-8: save it as UTF-8 (in a spreadsheet program as "
        '"CSV UTF-8"), and check that its name ends in the suffix of its true format.'
    )
