"""Shared parts of figures (colors, markers, legends) and conversion to SVG.

Text in a picture stays text. Identifiers start with the picture's name, because all pictures of a
page share one set of identifiers. The same drawing gives the same bytes, whatever the reader's
matplotlib settings are.
"""

import io
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from xml.etree import ElementTree

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from kinfolk.arrays import Matrix, Vector
from kinfolk.errors import warn_user
from kinfolk.running import deadlines, interruptions

INK = "#1d2733"
QUIET = "#66727f"
FAINT = "#e3e7ec"
EDGE = "#b4bcc5"

# Okabe and Ito's colors without yellow, then Paul Tol's muted scheme, then four darker ones. The
# first seven differ for every color vision; numbers stand beside all colors, so later ones may not.
PALETTE = (
    *("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#332288"),
    *("#ddcc77", "#882255", "#44aa99", "#999933", "#aa4499", "#117733", "#cc6677"),
    *("#88ccee", "#7f7f7f", "#6a3d00", "#004d40", "#8c6bb1", "#1d2733"),
)
_MARKERS = "osD^vP*X<>"  # filled shapes that differ at 4 pixels

_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",  # text stays text
    # Without a salt the identifiers are random, and two pages of one study differ.
    "svg.hashsalt": "kinfolk",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9.0,
    "text.parse_math": False,  # names of columns may hold dollar signs
    "text.color": INK,
    "axes.edgecolor": EDGE,
    "axes.labelcolor": QUIET,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "hatch.linewidth": 0.8,
}


def color(group: int) -> str:
    """Color of a group of matched clusters, repeating after twenty.

    >>> color(0), color(5), color(20)
    ('#0072b2', '#d55e00', '#0072b2')
    """
    return PALETTE[group % len(PALETTE)]


def marker(group: int) -> str:
    """Marker shape of a group of matched clusters, to tell groups apart without color.

    >>> marker(0), marker(1)
    ('o', 's')
    """
    return _MARKERS[group % len(_MARKERS)]


def ink(paper: Any) -> str:
    """Return white or dark, whichever is easier to read on a color that matplotlib knows.

    >>> ink("#332288"), ink("#ddcc77")
    ('white', '#1d2733')
    """
    # Relative luminance of sRGB as WCAG 2 defines it.
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(paper)]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    # About where both inks have the same contrast by WCAG's formula.
    return "white" if luminance < 0.2 else INK


def plain(name: object, limit: int = 18) -> str:
    r"""Return a name as printable characters on one line, shortened in the middle to `limit`.

    >>> plain("a very long name of a task"), plain("two\nlines")
    ('a very l…of a task', 'two lines')
    """
    text = "".join(c if c.isprintable() else " " for c in str(name)).strip()
    if len(text) <= limit:
        return text
    tail = limit // 2
    return text[: limit - 1 - tail].rstrip() + "…" + text[-tail:].lstrip()


def limits(points: Matrix) -> tuple[Vector, Vector]:
    """Lower and upper axis limits (2,) that hold points (m, 2) with a margin of 6 %.

    >>> low, high = limits(np.array([[0.0, 5.0], [10.0, 5.0]]))
    >>> low.round(2).tolist(), high.round(2).tolist()
    ([-0.6, 4.94], [10.6, 5.06])
    """
    low = points.min(axis=0)
    high = points.max(axis=0)
    margin = 0.06 * np.where(high > low, high - low, 1)
    return low - margin, high + margin


def name_lines(axes: Axes, names: Sequence[object]) -> None:
    """Write row names at the left of a picture's horizontal lines, the first on top."""
    axes.set_yticks(range(len(names)), [plain(name) for name in names])
    axes.set_ylim(len(names) - 0.4, -0.6)
    quiet_axis(axes)


def quiet_axis(axes: Axes) -> None:
    """Hide the left spine and all tick marks of axes."""
    axes.spines["left"].set_visible(False)
    axes.tick_params(length=0)
    axes.tick_params(axis="y", labelcolor=INK)


def badge(axes: Axes, x: float, y: float, group: int, **look: Any) -> None:
    """Draw a group's number on a disc of the group's color."""
    shade = color(group)
    box = {"boxstyle": "circle,pad=0.28", "facecolor": shade, "edgecolor": "white", **look}
    text: dict[str, Any] = {"weight": "bold", "ha": "center", "va": "center", "zorder": 5}
    axes.text(x, y, str(group), color=ink(shade), bbox=box, **text)


# The pictures of a small table take about as long on a core without other work.
PATIENCE = 3.0
"""Seconds after a deadline during which pictures are still drawn."""
_LATE = "the budget was spent before it"
_STOPPED = "Ctrl-C came before it"

_stopped: ContextVar[list[str] | None] = ContextVar("kinfolk_first_picture_left_out", default=None)


@contextmanager
def left_out_after_interrupt() -> Iterator[None]:
    """Context of a page whose pictures Ctrl-C leaves out, in place of the whole page.

    Inside `without_pictures` all are left out.
    """
    stopped = _stopped.get()
    token = _stopped.set([] if stopped is None else stopped)
    try:
        with interruptions.keeping():
            yield
    finally:
        _stopped.reset(token)


@contextmanager
def without_pictures() -> Iterator[None]:
    """Context of pages that have a line in the place of each picture, as after Ctrl-C."""
    token = _stopped.set(["all"])
    try:
        yield
    finally:
        _stopped.reset(token)


def legend(figure: Figure, columns: int, **look: Any) -> None:
    """Draw a legend above the picture."""
    figure.legend(loc="outside upper left", ncols=columns, frameon=False, **look)


def svg(
    draw: Callable[[Figure], None],
    *,
    name: str,
    title: str,
    description: str,
    width: float,
    height: float,
) -> str:
    """Create a figure of width x height inches, call `draw` on it, and return it as SVG.

    `PATIENCE` seconds after a deadline (`deadlines`), and after Ctrl-C on a page, a sentence stands
    in its place, as pictures take most of a report's time. `name` is the prefix of all
    identifiers. Screen readers read `title` and `description` aloud.

    >>> picture = svg(lambda figure: None, name="empty", title="Nothing", description="",
    ...               width=2, height=1)
    >>> picture[:4], picture.index("<title"), picture.count(' id="empty-')
    ('<svg', 157, 4)
    """
    root = ElementTree.fromstring(_picture(draw, name, width, height))
    _clean(root, name)
    # The width in CSS pixels is the most; on a narrow screen the picture shrinks with the page.
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


def _picture(draw: Callable[[Figure], None], name: str, width: float, height: float) -> bytes:
    """Return a figure in SVG, or a sentence that says why there is none."""
    if deadlines.left() < -PATIENCE:
        return _without_picture(_LATE)
    stopped = _stopped.get()
    if stopped:
        return _without_picture(_STOPPED)
    try:
        return _drawn(draw, width, height)
    except KeyboardInterrupt:
        if stopped is None or not interruptions.is_first():
            raise
        stopped.append(name)
        warn_user(
            "interrupted while the pictures of the report were drawn: a line stands in the place "
            "of each that is missing; all else is written."
        )
        return _without_picture(_STOPPED)


def _without_picture(reason: str) -> bytes:
    """Return a line of text in SVG in the place of a picture."""
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 288 24"><text x="4" y="16" '
        f'font-size="11" fill="{QUIET}">No picture: {reason}.</text></svg>'
    ).encode()


def _drawn(draw: Callable[[Figure], None], width: float, height: float) -> bytes:
    """Return a figure of width x height inches as matplotlib writes it in SVG."""
    buffer = io.BytesIO()
    with matplotlib.rc_context(), warnings.catch_warnings():
        # matplotlib only measures text with its own font; the browser draws it with another one.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        figure = Figure(figsize=(width, height), layout="constrained")
        draw(figure)
        # Without a date the same page gives the same bytes.
        figure.savefig(buffer, format="svg", facecolor="none", dpi=180, metadata={"Date": None})
    return buffer.getvalue()


def _clean(root: ElementTree.Element, name: str) -> None:
    """Remove SVG parts that HTML does not need, and prefix all ids with `name`."""
    # Lists, because removing while iterating skips elements.
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
