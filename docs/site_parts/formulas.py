r"""Formulas of the site as pictures in the page, drawn when it is built.

MathJax would load a script from another site, or need a copy of one here. Matplotlib, which the
site needs for its pictures, knows the mathematics of TeX that the pages use: `\frac`, `\sum`,
indices, Greek letters; no environments such as `aligned`.
"""

import html
import io
import re
import zlib
from functools import cache
from typing import Any

from matplotlib import mathtext, rc_context
from matplotlib.font_manager import FontProperties

SIZE = 12.0
"""Size of letters in points."""

INK = "#123456"
"""A color that no drawing has by itself, to be replaced."""


@cache
def drawing(tex: str, size: float = SIZE) -> tuple[str, float]:
    """Return a formula as SVG in the color of the text around it, and its depth in points.

    The depth is how far it reaches below the line of the text. ValueError at unknown commands.
    """
    font = FontProperties(size=size, family="serif", math_fontfamily="stix")
    file = io.BytesIO()
    # Without a background, which would be white on a dark page as well.
    with rc_context({"svg.hashsalt": tex, "savefig.transparent": True}):
        depth = mathtext.math_to_image(f"${tex}$", file, prop=font, format="svg", color=INK)
    text = file.getvalue().decode()
    # Without its head and the date; pages are dark at night, so formulas take the text's color.
    text = text[text.index("<svg") :].replace(INK, "currentColor")
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    return _with_own_names(text, tex), float(depth)


def _with_own_names(svg: str, tex: str) -> str:
    """Return a drawing whose shapes have names of its own, because several stand in one page."""
    own = f"f{zlib.crc32(tex.encode('utf-8')):x}-"
    return re.sub(r'(id="|href="#|url\(#)', rf"\1{own}", svg)


def shown(tex: str, *, block: bool) -> str:
    """Return the HTML of a formula, in the line or on a line of its own.

    >>> shown("k^2", block=False).startswith('<span class="formula" role="img" aria-label="k^2"')
    True
    """
    tex = " ".join(tex.split())
    svg, depth = drawing(tex, SIZE * 1.15 if block else SIZE)
    style = "" if block else f' style="vertical-align:-{depth:.1f}pt"'
    tag = "div" if block else "span"
    label = html.escape(tex, quote=True)
    return f'<{tag} class="formula" role="img" aria-label="{label}"{style}>{svg}</{tag}>'


def visit(self: Any, node: Any) -> None:
    """Write a formula within a line."""
    _write(self, node, block=False)


def visit_block(self: Any, node: Any) -> None:
    """Write a formula on a line of its own."""
    _write(self, node, block=True)


def _write(translator: Any, node: Any, *, block: bool) -> None:
    from docutils.nodes import SkipNode

    translator.body.append(shown(node.astext(), block=block))
    raise SkipNode
