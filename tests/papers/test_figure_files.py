"""Every figure becomes a picture that says what it shows."""

from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib import image

from kinfolk.papers import figure_files, published
from kinfolk.papers.figures import FigureData, FigurePanel, FigurePoint

POWERS = (0.25, 0.5, 1.0, 2.0, 4.0)


def curve(name, xs, height):
    return [FigurePoint(name, x, height + i, deviation=1.0, n_runs=2) for i, x in enumerate(xs)]


DRAWINGS = {
    "mtcmrl-figure-1": FigureData(
        "lines",
        tuple(
            FigurePanel(
                "", name, f"{m}, %", (*curve("webkb4", POWERS, 60), *curve("reuters", POWERS, 80))
            )
            for name in ("regression_weight", "evenness")
            for m in ("accuracy", "nmi")
        ),
        2,
        ("evenness on webkb4: 3 of 5 runs",),
    ),
    "mtcmrl-figure-2": FigureData(
        "lines",
        tuple(
            FigurePanel(n, "iteration", "objective", tuple(curve("", range(40), 9))) for n in "abc"
        ),
        2,
    ),
    "mtcfir-figure-4": FigureData(
        "map",
        tuple(
            FigurePanel(
                f"{m}, %",
                "noise",
                "neighbors",
                tuple(
                    FigurePoint("", x, y, 100 * x * y) for x in (0.5, 0.6, 0.9) for y in (0.1, 0.3)
                ),
            )
            for m in ("accuracy", "nmi")
        ),
        2,
    ),
    "mtcfir-figure-8": FigureData(
        "marks",
        (
            FigurePanel(
                "",
                "",
                "seconds",
                (
                    FigurePoint("mtcfir", "webkb4", 1.0),
                    FigurePoint("mtcfir", "handdigits", 900.0),
                    FigurePoint("lssmtc-released", "webkb4", 3.0),
                ),
            ),
        ),
    ),
    "ktmec-figure-2": FigureData(
        "cloud",
        tuple(
            FigurePanel(
                name,
                "x",
                "y",
                (
                    *(FigurePoint("rows", x, x**2 % 7) for x in np.linspace(0, 9, 30)),
                    *(FigurePoint("true centers", x, 2.0) for x in (1.0, 5.0, 8.0)),
                    *(FigurePoint("KT-MEC", x, 2.5) for x in (1.0, 5.0, 8.0)),
                ),
            )
            for name in ("x1", "x2", "x3", "x4")
        ),
        2,
    ),
    "ktmec-figure-3": FigureData(
        "pictures", tuple(FigurePanel("", "", "", picture=np.eye(9)) for _ in range(3)), 3
    ),
    "comvcf-figure-1": FigureData("lines", (), 2, ("mfeat: 0 of 1 runs",)),
}


def texts(path):
    root = ElementTree.parse(path).getroot()
    return " ".join("".join(element.itertext()) for element in root.iter())


@pytest.mark.parametrize("id", DRAWINGS)
def test_a_figure_is_an_svg_and_a_png_with_title_axes_and_statements(tmp_path, id):
    item, drawing = published.item(id), DRAWINGS[id]
    files = figure_files.contents(item, drawing)
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    assert sorted(files) == [f"{id}.csv", f"{id}.png", f"{id}.svg"]
    path = tmp_path / f"{id}.svg"
    said = texts(path)
    assert item.title in said
    for panel in drawing.panels:
        assert panel.x in said
        assert panel.y in said
        assert all(point.series in said for point in panel.points)
    for sentence in (*item.stated, *drawing.notes):
        assert sentence.split()[0] in said
    pixels = image.imread(path.with_suffix(".png"))
    assert pixels.shape[1] == 5 * 160
    assert pixels[..., :3].std() > 0


def test_the_same_numbers_give_the_same_bytes():
    item, drawing = published.item("mtcfir-figure-8"), DRAWINGS["mtcfir-figure-8"]
    assert figure_files.contents(item, drawing) == figure_files.contents(item, drawing)


@pytest.mark.parametrize(
    ("x", "geometric"),
    [((0.25, 0.5, 1.0), True), ((0.1, 0.3, 0.5), False), ((0.0, 1.0, 2.0), False), ((), False)],
)
def test_values_that_grow_by_a_factor_get_a_logarithmic_axis(x, geometric):
    assert figure_files._geometric(np.array(x)) == geometric
