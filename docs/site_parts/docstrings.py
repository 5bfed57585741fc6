"""Docstrings of the library as reStructuredText that numpydoc reads.

The docstrings are plain text: `|x|` is a norm and `labels_` an attribute, where reStructuredText
sees a substitution and a link. And they describe a parameter on one line, "tol : float >= 0, stop
when ...", where numpydoc expects a type, then an indented description.
"""

import re
from collections.abc import Iterator
from typing import Any

_LISTED = {"Parameters", "Attributes", "Raises", "Warns", "Returns", "Yields"}
_ENTRY = re.compile(r"^(?P<name>[\w.*, /\\]+?) : (?P<text>.+)$")
_CODE = re.compile(r"(`[^`\n]+`)")


def process(
    app: Any, what: str, name: str, thing: object, options: object, lines: list[str]
) -> None:
    """Rewrite the lines of a docstring in place, as Sphinx asks."""
    lines[:] = rewritten(lines)


def rewritten(lines: list[str]) -> list[str]:
    r"""Return the lines with plain text escaped and parameters in numpydoc's two lines.

    >>> rewritten(["Norm |x| of `x`.", "", "Parameters", "----------", "tol : float, the least"])
    ['Norm \\|x\\| of `x`.', '', 'Parameters', '----------', 'tol', '    float, the least']
    """
    return list(_rewritten(lines))


def _rewritten(lines: list[str]) -> Iterator[str]:
    section = ""
    in_example = False
    for place, line in enumerate(lines):
        following = lines[place + 1] if place + 1 < len(lines) else ""
        if following and set(following) == {"-"}:
            section = line
        if line.startswith(">>>"):
            if section in _LISTED:  # numpydoc would take it for one more entry of the list
                yield from ("Examples", "--------")
                section = "Examples"
            in_example = True
        elif not line.strip():
            in_example = False
        entry = _ENTRY.match(line) if section in _LISTED else None
        if in_example or set(line) == {"-"} or _is_code(line, section):
            yield line
        elif entry:
            yield entry["name"]
            yield "    " + escaped(entry["text"])
        else:
            yield escaped(line)


def _is_code(line: str, section: str) -> bool:
    """Return True for an indented line outside of lists of parameters, such as a formula."""
    return section not in _LISTED and line.startswith("    ")


def escaped(text: str) -> str:
    r"""Return plain text with the marks of reStructuredText escaped outside of `code`.

    >>> escaped("the mean |x| of `a*b` in labels_")
    'the mean \\|x\\| of `a*b` in labels\\_'
    """
    parts = _CODE.split(text)
    plain = [re.sub(r"([*|\\])|(?<=\w)(_)(?!\w)", r"\\\1\2", part) for part in parts[::2]]
    parts[::2] = plain
    return "".join(parts)
