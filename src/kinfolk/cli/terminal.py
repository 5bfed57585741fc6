"""Print progress bars and notes on standard error, and results on standard output."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from kinfolk import progress
from kinfolk.cli import screen
from kinfolk.cli.screen import say as say

_NO_MARGIN = 100_000
"""Width of a table that is written to a file: long names must not wrap there."""

LINE_INTERVAL = 10.0
"""Seconds between two lines on progress where there is no terminal, as in a log file."""


@contextmanager
def bars(quiet: bool) -> Iterator[None]:
    """Show progress while the block runs: bars on a terminal, else a line every ten seconds."""
    console = Console(stderr=True)
    if quiet:
        yield
    elif not console.is_terminal:
        with _lines():
            yield
    else:
        with _bars(console):
            yield


@contextmanager
def _bars(console: Console) -> Iterator[None]:
    """Show a bar for each unfinished work."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as shown:
        started = {}

        def listener(what: str, done: int, total: int) -> None:
            if what not in started:
                started[what] = shown.add_task(screen.visible(what), total=total)
            # A finished bar goes, so that the screen shows only work that is under way.
            shown.update(started[what], completed=done, total=total, visible=done < total)

        with progress.listening(listener):
            yield


@contextmanager
def _lines() -> Iterator[None]:
    """Write a line on the unfinished work every ten seconds, also while one step takes long."""
    work = progress.Unfinished()
    ended = threading.Event()
    start = time.monotonic()

    def write() -> None:
        while not ended.wait(LINE_INTERVAL):
            say(f"After {time.monotonic() - start:.0f} s: {work.text or 'at work'}")

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    try:
        with progress.listening(work):
            yield
    finally:
        ended.set()
        writer.join()


class _Paper(Console):
    """Console that shows control characters in names, and takes nothing in them for markup."""

    def render_str(self, text: str, **options: Any) -> Text:
        """Return a string, such as a cell of a table, as rich prints it."""
        return super().render_str(screen.visible(text), **options)


def paper() -> Console:
    """Return standard output for results; a file gets lines of any length."""
    # Names from the data may hold brackets or colons, which rich would take for its own markup.
    console = _Paper(markup=False, emoji=False, highlight=False)
    if not console.is_terminal:
        console.width = _NO_MARGIN
    return console


def write_unwrapped(text: str) -> None:
    """Write a text to standard output for other programs, without wrapped lines or colors."""
    # Another program gets every name as it is.
    sys.stdout.write(screen.visible(text) if sys.stdout.isatty() else text)
