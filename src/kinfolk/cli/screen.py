"""Prints text to a terminal with control characters escaped."""

import re
import sys
from typing import TextIO

# ESC and other control characters can move the cursor, change a title or hide text; marks of
# writing direction can show a text in another order; halves of surrogate pairs cannot be written.
# Tabs and ends of lines stay.
_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def visible(text: str) -> str:
    r"""Escape the control characters of a text as Python's repr does.

    >>> print(visible("shop \x1b[2J \u202e"))
    shop \x1b[2J \u202e
    >>> visible("Zürich\n")
    'Zürich\n'
    """
    return _CONTROLS.sub(lambda found: ascii(found[0])[1:-1], text)


def say(sentence: str) -> None:
    """Write a sentence to standard error, apart from results on standard output."""
    sys.stderr.write(f"{visible(sentence)}\n")


def show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning as one sentence; replaces `warnings.showwarning`."""
    say(f"Note: {message}")
