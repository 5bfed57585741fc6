"""Writes printed figures and ours of each method on one common set, for the package and the docs.

    python scripts/common_figures.py [--check]

It reads `docs/reproduction/*.csv` and writes `src/kinfolk/papers/common_figures.csv`, which
`kinfolk methods NAME` shows, and `docs/common-set.md`. Run it after the tables were reproduced
again. With `--check` it writes nothing, and ends with 1 if a file would change.
"""

import argparse
import csv
import io
import sys
from pathlib import Path

import numpy as np

from kinfolk import catalogue
from kinfolk.papers import common_figures
from kinfolk.papers.common_figures import Ours, shown

ROOT = Path(__file__).resolve().parents[1]
HEAD = """# Published and ours on one common set

Means over the tasks of one data set, in percent: as printed, ours with the setting of the paper's
grid that is best by the true classes, and ours chosen without labels. A method that several papers
compare has the figures of the first one. `kinfolk methods NAME` shows the same;
[methods.md](methods.md) says what the words of fidelity mean, and
[reproduction.md](reproduction.md) why figures differ. This page is written by `python
scripts/common_figures.py` from the tables in [reproduction/](reproduction/). Methods without
stored runs are left out.

| method | fidelity | data | measure | printed | ours | ours without labels | table |
|---|---|---|---|---:|---:|---:|---|
"""


def files() -> dict[Path, str]:
    """Return file -> text of the file of the package and of the page."""
    ours = common_figures.collect(ROOT / "docs" / "reproduction")
    package = ROOT / "src" / "kinfolk" / "papers" / common_figures.FILE
    return {package: _table(ours), ROOT / "docs" / "common-set.md": _page(ours)}


def _table(ours: Ours) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["table", "row", "measure", "ours", "label_free"])
    writer.writerows([*place, *means] for place, means in ours.items())
    return text.getvalue()


def _page(ours: Ours) -> str:
    order = list(catalogue.METHODS)
    # Methods without runs are left out, so that the page changes only when the tables do.
    run = [f for f in common_figures.figures(ours) if not np.isnan([f.ours, f.label_free]).all()]
    lines = []
    for figure in sorted(run, key=lambda figure: order.index(figure.method)):
        numbers = map(shown, (figure.printed, figure.ours, figure.label_free))
        fidelity = catalogue.method(figure.method).fidelity
        table = f"[{figure.table}](reproduction/{figure.table}.md)"
        cells = [figure.method, fidelity, figure.data, figure.measure, *numbers, table]
        lines.append(f"| {' | '.join(cells)} |\n")
    return HEAD + "".join(lines)


def main() -> None:
    """Write or check both files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    stale = [
        path
        for path, text in files().items()
        if not path.exists() or path.read_text("utf-8") != text
    ]
    for path in [] if check else stale:
        path.write_text(files()[path], encoding="utf-8")
    for path in stale:
        print(f"{'stale' if check else 'wrote'}: {path.relative_to(ROOT)}")
    sys.exit(1 if check and stale else 0)


if __name__ == "__main__":
    main()
