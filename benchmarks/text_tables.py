"""Formats rows of text as aligned tables, for terminals or Markdown."""

from kinfolk.disk import writing

MARK = "<!-- measured: written by the command above -->"
"""What stands below this line in a page is replaced."""


def text(rows):
    """Format rows as aligned columns: the first left, the others right."""
    return "\n".join("  ".join(row) for row in _padded(rows))


def markdown(rows):
    """Format rows as a Markdown table."""
    first, *rest = _padded(rows)
    rule = ["-" * len(first[0]), *("-" * (len(cell) - 1) + ":" for cell in first[1:])]
    return "\n".join(f"| {' | '.join(row)} |" for row in [first, rule, *rest])


def put(path, page):
    """Write a page, or the part of an existing page after the mark."""
    if path.exists() and MARK in (old := path.read_text()):
        page = f"{old.partition(MARK)[0]}{MARK}\n\n{page}"
    writing.write_atomically(path, page.encode())


def _padded(rows):
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [[row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])] for row in rows]
