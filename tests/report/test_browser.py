"""The page as a browser sees it, at the width of a desk and of a phone."""

import html
import json
import re
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import kinfolk as kf
from kinfolk.report import page

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-dev-shm-usage", "--allow-file-access-from-files"),
    *("--window-size=1400,1000", "--virtual-time-budget=8000"),
)
MEASURE = """<!DOCTYPE html><body><iframe style="border:0;width:%dpx;height:900px"></iframe>
<pre></pre><script>
const frame = document.querySelector("iframe");
frame.onload = () => {
  const inside = frame.contentDocument, root = inside.documentElement;
  const size = (e) => { const box = e.getBoundingClientRect(); return [box.width, box.height]; };
  document.querySelector("pre").textContent = JSON.stringify({
    title: inside.title, seen: root.clientWidth, needed: root.scrollWidth,
    pictures: [...inside.querySelectorAll("svg, img")].map(size),
    outside: [...inside.querySelectorAll("section *")].filter(
      (e) => !e.closest(".scroll, svg, .sheet") && e.getBoundingClientRect().width
        && e.getBoundingClientRect().right > e.closest("section").getBoundingClientRect().right
    ).map((e) => e.outerHTML.slice(0, 80)),
    inked: [...inside.querySelectorAll("svg")].map((e) => e.getBBox().width),
  });
};
frame.src = "report.html";
</script></body>"""


needs_browser = pytest.mark.skipif(
    BROWSER is None, reason="no chromium or google-chrome on the PATH"
)


def _seen(shown, folder, width):
    """Measure a page in a browser window of this width."""
    (folder / "report.html").write_text(shown, encoding="utf-8")
    (folder / "measure.html").write_text(MEASURE % width)
    address = (folder / "measure.html").as_uri()
    profile = f"--user-data-dir={folder / 'profile'}"
    dom = subprocess.run(
        [BROWSER, *FLAGS, profile, "--dump-dom", address],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    ).stdout
    found = json.loads(html.unescape(re.search(r"<pre>(\{.*\})</pre>", dom).group(1)))
    assert 0 < width - found["seen"] < 30 or found["seen"] == width
    return found


@needs_browser
@pytest.mark.parametrize("width", [1280, 500, 390])
@pytest.mark.parametrize("looks", ["terms", "pixels"])
def test_the_page_opens_shows_all_pictures_and_never_scrolls_sideways(
    made_page, tmp_path, looks, width
):
    found = _seen(made_page(looks), tmp_path, width)
    assert found["title"] == "University web pages · Kinfolk report"
    assert found["needed"] <= found["seen"]
    assert len(found["inked"]) == 9
    assert min(found["inked"]) > 50
    assert all(w > 20 and h > 20 for w, h in found["pictures"])


@pytest.fixture(scope="module")
def six_hospitals():
    """Make a page with six tasks, twelve clusters and forty columns with long names."""
    rng = np.random.default_rng(0)
    kinds = rng.integers(0, 12, 720)
    X = 1000 * (rng.standard_normal((12, 40))[kinds] * 4 + rng.standard_normal((720, 40)))
    names = [f"a_rather_long_name_of_measurement_number_{j} (µg/100 ml)" for j in range(40)]
    frame = pd.DataFrame(X, columns=names)
    frame["ward"] = np.where(kinds % 2, "an intensive care unit", "Tagesklinik" * 6)
    saints = ("Bartholomew", "Mary", "George", "Thomas", "Anna", "Katharine")
    tasks = rng.choice([f"hospital of Saint {name}" for name in saints], 720)
    model = {"method": "kinfolk", "parameters": {"families": ["kmeans", "pooled"]}}
    study = kf.compare(frame, tasks=tasks, n_clusters=12, **model).study
    named = dict.fromkeys(range(3), "patients who came back within four weeks")
    return page.render(replace(study, names=named))


@needs_browser
@pytest.mark.parametrize("width", [1280, 500])
def test_six_data_sets_with_long_names_never_scroll_the_page_sideways(
    six_hospitals, tmp_path, width
):
    found = _seen(six_hospitals, tmp_path, width)
    assert found["needed"] <= found["seen"]
    assert all(w > 20 and h > 20 for w, h in found["pictures"])
    # Without a box of its own that scrolls, a wide table would stick out of its card.
    assert found["outside"] == []


@needs_browser
@pytest.mark.parametrize(
    "relation",
    [
        *("several tasks", "several views", "another site's centers", "tasks with labels"),
        "several methods",
    ],
)
def test_sections_of_a_method_fit_a_phone(fitted_page, tmp_path, relation):
    found = _seen(fitted_page(relation), tmp_path, 390)
    assert found["needed"] <= found["seen"]
    assert all(w > 20 and h > 20 for w, h in found["pictures"])
