"""A matrix as shaded fields with numbers."""

import re

import numpy as np
import pytest

from kinfolk.report import canvas, heatmap

R = np.array([[1.0, 0.25, np.nan], [-0.5, 1.0, 0.75]])
FILL = re.compile(r"<path [^>]*fill: (#[0-9a-f]{6})")
OWN = np.array([[True, False, False], [False, True, False]])


def written(values, own, form):
    def draw(figure):
        heatmap.draw(figure.subplots(), values, own, -1.0, 1.0, form)

    text = canvas.svg(draw, name="heat", title="t", description="d", width=3, height=2)
    return re.findall(r">([^<>]+)</text>", text), text


@pytest.mark.parametrize(("form", "minus"), [("{:.2f}", "−0.50"), ("{:.1f}", "−0.5")])
def test_every_number_is_written_once_and_nan_is_not(form, minus):
    texts, _ = written(R, OWN, form)
    one = form.format(1.0)
    assert texts.count(one) >= 2
    assert minus in texts
    assert form.format(0.75) in texts
    assert not any("nan" in text for text in texts)


def test_without_a_form_fields_are_only_shaded():
    texts, drawn = written(R, OWN, "")
    # What is left are the ticks of the axes.
    assert set(texts) <= {"0.0", "0.5", "1.0", "1.5", "2.0", "2.5", "3.0"}
    assert len(set(re.findall(r"fill: (#[0-9a-f]{6})", drawn))) >= 4


def test_own_fields_are_grey_and_the_largest_other_value_is_darkest():
    _, drawn = written(R, OWN, "")
    shades = [tuple(int(f[i : i + 2], 16) for i in (1, 3, 5)) for f in FILL.findall(drawn)]
    assert any(len(set(shade)) == 1 and 0 < shade[0] < 255 for shade in shades)
    blue = [sum(shade) for shade in shades if len(set(shade)) > 1]
    expected = heatmap._SHADES((0.75 + 1) / 2)
    assert min(blue) == pytest.approx(255 * sum(expected[:3]), abs=3)


def test_a_value_that_rounds_to_zero_has_no_minus():
    R = np.array([[1.0, -0.001], [0.5, 1.0]])

    def draw(figure):
        heatmap.draw_pairs(figure.subplots(), ["a", "b"], R, ("x", "y"))

    text = canvas.svg(draw, name="heat", title="t", description="d", width=3, height=2)
    assert ">0.00<" in text
    assert "−0.00" not in text
