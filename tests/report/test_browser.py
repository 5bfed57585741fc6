"""The page as a browser sees it, at the width of a desk and of a phone."""

import json
import re
import shutil
import subprocess

import pytest

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
    inked: [...inside.querySelectorAll("svg")].map((e) => e.getBBox().width),
  });
};
frame.src = "report.html";
</script></body>"""


needs_browser = pytest.mark.skipif(
    BROWSER is None, reason="no chromium or google-chrome on the PATH"
)


def _seen(html, folder, width):
    """Return what a browser measures of a page in a window of a width."""
    (folder / "report.html").write_text(html, encoding="utf-8")
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
    found = json.loads(re.search(r"<pre>(\{.*\})</pre>", dom).group(1))
    assert 0 < width - found["seen"] < 30 or found["seen"] == width
    return found


@needs_browser
@pytest.mark.parametrize("width", [1280, 390])
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


@needs_browser
@pytest.mark.parametrize(
    "relation",
    [
        *("several tasks", "several views", "another site's centres", "tasks with labels"),
        "several methods",
    ],
)
def test_sections_of_a_method_fit_a_phone(fitted_page, tmp_path, relation):
    found = _seen(fitted_page(relation), tmp_path, 390)
    assert found["needed"] <= found["seen"]
    assert all(w > 20 and h > 20 for w, h in found["pictures"])
