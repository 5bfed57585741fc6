"""Progress bars and notes on standard error, results on standard output."""

import io
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.text import Text

from kinfolk.cli.screen import say as say
from kinfolk.disk import writing
from kinfolk.running import progress

_NO_MARGIN = 100_000
"""Width of a table that is written to a file: long names must not wrap there."""

LINE_INTERVAL = 10.0
"""Seconds between two lines on progress where there is no terminal, as in a log file."""


@contextmanager
def bars(quiet: bool) -> Iterator[None]:
    """Context that shows progress: bars on a terminal, else a line every ten seconds."""
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
    """Context that shows a progress bar for each piece of work that is under way."""
    # Here, as the lists of methods and data sets show none.
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

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
                started[what] = shown.add_task(writing.visible(what), total=total)
            # A finished bar goes, so that the screen shows only work that is under way.
            shown.update(started[what], completed=done, total=total, visible=done < total)

        with progress.listening(listener):
            yield


@contextmanager
def _lines() -> Iterator[None]:
    """Context that prints a line on unfinished work every ten seconds."""
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
    """Console of rich that escapes control characters and interprets no markup."""

    def render_str(self, text: str, **options: Any) -> Text:
        """Convert a string, such as a table cell, to rich text without markup."""
        return super().render_str(writing.visible(text), **options)


def paper() -> Console:
    """Return the console for results on standard output; lines to files are not wrapped."""
    # Names from the data may hold brackets or colons, which rich would take for its own markup.
    console = _Paper(markup=False, emoji=False, highlight=False)
    if not console.is_terminal:
        console.width = _NO_MARGIN
    return console


def write_unwrapped(text: str) -> None:
    """Write a text to standard output for other programs: no wrapping, no colors, in UTF-8."""
    if sys.stdout.isatty():
        sys.stdout.write(writing.visible(text))
        return
    # Another program gets every name as it is, and the same bytes as in a file.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8"))
    else:
        sys.stdout.write(text)
