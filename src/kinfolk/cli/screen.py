"""Prints text to a terminal with control characters escaped."""

import sys
from typing import TextIO

from kinfolk.disk.writing import visible


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
