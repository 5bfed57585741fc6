"""Turns drawings into small SVG pictures that live side by side in one HTML page.

Text stays text, identifiers carry the picture's name, and the same drawing gives the same
bytes, whatever the reader's own matplotlib settings are.
"""

import io
import re
import warnings
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import matplotlib
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

INK = "#1d2733"
QUIET = "#66727f"
FAINT = "#e3e7ec"

# Okabe and Ito's colours without yellow, then Paul Tol's muted scheme, then four darker ones:
# the first seven are told apart with any colour vision, and numbers are written everywhere.
PALETTE = (
    *("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#332288"),
    *("#ddcc77", "#882255", "#44aa99", "#999933", "#aa4499", "#117733", "#cc6677"),
    *("#88ccee", "#7f7f7f", "#6a3d00", "#004d40", "#8c6bb1", "#1d2733"),
)
_MARKERS = "osD^vP*X<>"

_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "kinfolk",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9.0,
    "text.parse_math": False,
    "text.color": INK,
    "axes.edgecolor": "#b4bcc5",
    "axes.labelcolor": QUIET,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "hatch.linewidth": 0.8,
}


def colour(group: int) -> str:
    """Return the colour of a group of matched clusters; it repeats after twenty.

    >>> colour(0), colour(20) == colour(0)
    ('#0072b2', True)
    """
    return PALETTE[group % len(PALETTE)]


def marker(group: int) -> str:
    """Return the shape of a group's points, so that colour is not the only sign.

    >>> marker(0), marker(1)
    ('o', 's')
    """
    return _MARKERS[group % len(_MARKERS)]


def ink(paper: Any) -> str:
    """Return white or dark, whichever is easier to read on a colour matplotlib understands.

    >>> ink("#332288"), ink("#ddcc77")
    ('white', '#1d2733')
    """
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(paper)]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "white" if luminance < 0.2 else INK


def plain(name: object, limit: int = 18) -> str:
    r"""Return a name in one line of printable characters, its middle cut out if over `limit`.

    >>> plain("a very long name of a task"), plain("two\nlines")
    ('a very l…of a task', 'two lines')
    """
    text = "".join(c if c.isprintable() else " " for c in str(name)).strip()
    if len(text) <= limit:
        return text
    tail = limit // 2
    return text[: limit - 1 - tail].rstrip() + "…" + text[-tail:].lstrip()


def svg(
    draw: Callable[[Figure], None],
    *,
    name: str,
    title: str,
    description: str,
    width: float,
    height: float,
) -> str:
    """Return what `draw` puts on an empty figure of width x height inches, as an SVG element.

    `name` is the prefix of all identifiers; `title` and `description` are read aloud to those
    who cannot see the picture.

    >>> picture = svg(lambda figure: None, name="empty", title="Nothing", description="",
    ...               width=2, height=1)
    >>> picture[:4], "Nothing</title>" in picture
    ('<svg', True)
    """
    buffer = io.BytesIO()
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        figure = Figure(figsize=(width, height), layout="constrained")
        draw(figure)
        figure.savefig(buffer, format="svg", facecolor="none", dpi=180, metadata={"Date": None})
    root = ElementTree.fromstring(buffer.getvalue())
    _settle(root, name)
    root.attrib = {
        "xmlns": "http://www.w3.org/2000/svg",
        "viewBox": root.attrib["viewBox"],
        "role": "img",
        "aria-labelledby": f"{name}-title {name}-description",
        "style": f"width:100%;max-width:{96 * width:.0f}px",
    }
    for place, (tag, text) in enumerate((("title", title), ("description", description))):
        element = ElementTree.Element(tag.replace("description", "desc"), id=f"{name}-{tag}")
        element.text = plain(text, 1000)
        root.insert(place, element)
    return ElementTree.tostring(root, encoding="unicode")


def _settle(root: ElementTree.Element, name: str) -> None:
    """Drop what an HTML page does not need and make every identifier start with `name`."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag.endswith(("}metadata", "}style")):
                parent.remove(child)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        element.attrib = {
            key.rpartition("}")[2]: _renamed(key, value, name)
            for key, value in element.attrib.items()
        }


def _renamed(key: str, value: str, name: str) -> str:
    if key == "id":
        return f"{name}-{value}"
    if key.endswith("href"):
        return re.sub(r"^#", f"#{name}-", value)
    return value.replace("url(#", f"url(#{name}-")
