"""Colors, names and SVG output that all figures share."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from kinfolk.report import canvas

TEXT = "{http://www.w3.org/2000/svg}text"


def drawn(draw=lambda figure: None, name="one", **given):
    given = {"title": "A title", "description": "Words.", "width": 2, "height": 1, **given}
    return canvas.svg(draw, name=name, **given)


def _contrast(one, other):
    """Contrast of two colors by the formula of WCAG 2, in plain steps."""

    def luminance(color):
        total = 0.0
        for weight, c in zip((0.2126, 0.7152, 0.0722), to_rgb(color), strict=True):
            total += weight * (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4)
        return total

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("shade", canvas.PALETTE)
def test_numbers_on_every_color_can_be_read(shade):
    assert _contrast(canvas.ink(shade), shade) > 3


def test_colors_and_markers_differ_and_then_repeat():
    assert len({canvas.color(group) for group in range(20)}) == 20
    assert canvas.color(23) == canvas.color(3)
    assert len({canvas.marker(group) for group in range(10)}) == 10
    assert canvas.marker(13) == canvas.marker(3)


@pytest.mark.parametrize(
    ("name", "limit", "expected"),
    [
        ("short", 18, "short"),
        ("x" * 18, 18, "x" * 18),
        ("abcdefghij", 5, "ab…ij"),
        ("  padded\t", 18, "padded"),
        (7, 18, "7"),
        ("a\x00b", 18, "a b"),
        ("first part    last", 12, "first…  last".replace("  ", "")),
    ],
)
def test_names_fit_one_line(name, limit, expected):
    assert canvas.plain(name, limit) == expected


@pytest.mark.parametrize("length", range(1, 60, 7))
def test_a_short_name_is_never_longer_than_its_limit(length):
    assert len(canvas.plain("y" * length, 10)) == min(length, 10)


def test_limits_hold_all_points_with_a_margin():
    points = np.random.default_rng(0).standard_normal((30, 2)) * (1, 50)
    low, high = canvas.limits(points)
    assert (low < points.min(axis=0)).all()
    assert (high > points.max(axis=0)).all()
    np.testing.assert_allclose(high - low, 1.12 * np.ptp(points, axis=0))


def test_limits_of_equal_points_leave_room():
    low, high = canvas.limits(np.array([[3.0, 3.0], [3.0, 3.0]]))
    np.testing.assert_allclose(high - low, [0.12, 0.12])


def test_title_and_description_come_first_and_label_the_picture():
    root = ElementTree.fromstring(drawn(title="Rows of <a & b>", description="Say it."))
    title, described = list(root)[:2]
    assert (title.text, described.text) == ("Rows of <a & b>", "Say it.")
    labels = f"{title.get('id')} {described.get('id')}"
    assert root.get("aria-labelledby") == labels == "one-title one-description"
    assert root.get("role") == "img"


def test_a_picture_scales_with_its_page_up_to_its_own_width():
    assert "width:100%;max-width:192px" in drawn(width=2)


def test_all_identifiers_and_references_start_with_the_name():
    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        axes.scatter(range(9), range(9), marker="D")

    text = drawn(draw, name="rows-3")
    ids = set(re.findall(r'\bid="([^"]+)"', text))
    references = set(re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', text))
    assert all(name.startswith("rows-3-") for name in ids)
    assert references
    assert {"".join(pair) for pair in references} <= ids


def test_text_stays_text_and_formulas_are_not_read():
    text = drawn(lambda figure: figure.text(0.5, 0.5, "$x_1$ of <b>") and None)
    assert "$x_1$ of &lt;b&gt;</text>" in text


def test_nothing_a_page_does_not_need_is_left():
    text = drawn()
    for part in ("<metadata", "<style", "<?xml", "xlink:"):
        assert part not in text


def test_the_same_drawing_gives_the_same_bytes():
    def draw(figure: Figure) -> None:
        figure.subplots().plot([1, 3, 2])

    assert drawn(draw) == drawn(draw)


def test_a_badge_has_the_number_and_color_of_its_group():
    text = drawn(lambda figure: canvas.badge(figure.subplots(), 0.5, 0.5, 4))
    assert ">4</text>" in text
    assert canvas.color(4) in text


def test_names_of_lines_stand_from_top_to_bottom():
    def draw(figure: Figure) -> None:
        canvas.name_lines(figure.subplots(), ["north", "south"])

    root = ElementTree.fromstring(drawn(draw, height=3))
    places = {element.text: element.get("y") for element in root.iter() if element.tag == TEXT}
    assert float(places["north"]) < float(places["south"])
