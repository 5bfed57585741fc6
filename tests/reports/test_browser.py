"""The page as a browser sees it, at the width of a desk and of a telephone."""

import json
import re
import shutil
import subprocess

import pytest

from kinfolk.reports import page

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


@pytest.mark.skipif(BROWSER is None, reason="no chromium or google-chrome on the PATH")
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("looks", ["terms", "pixels"])
def test_the_page_opens_shows_all_pictures_and_never_scrolls_sideways(
    make_study, tmp_path, looks, width
):
    page.write(make_study(looks), tmp_path / "report.html")
    (tmp_path / "measure.html").write_text(MEASURE % width)
    dom = subprocess.run(
        [
            BROWSER,
            *FLAGS,
            f"--user-data-dir={tmp_path / 'profile'}",
            "--dump-dom",
            (tmp_path / "measure.html").as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    ).stdout
    found = json.loads(re.search(r"<pre>(\{.*\})</pre>", dom).group(1))
    assert found["title"] == "University web pages · Kinfolk report"
    assert 0 < width - found["seen"] < 30 or found["seen"] == width
    assert found["needed"] <= found["seen"]
    assert len(found["inked"]) == 9
    assert min(found["inked"]) > 50
    assert all(w > 20 and h > 20 for w, h in found["pictures"])
