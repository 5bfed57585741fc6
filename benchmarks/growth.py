"""Time and memory of every method for several tasks, and how they grow with rows and columns.

    python -m benchmarks.growth --data DIR --runs FOLDER [--only SET ...] [--methods NAME ...]
                                [--seconds 120] [--gigabytes 6]
    python -m benchmarks.growth --runs FOLDER --markdown FILE

The first makes the runs that are not yet in the folder, one file each, so that it may be stopped
and several may work side by side; the second writes the tables of all that are there. Each run is
one fit with the defaults and one start, in a process of its own with one thread, which is ended
after so many seconds of the processor or at so many gigabytes. The real data are prepared as for
MTCFIR's tables. Made data are counts of words in four tasks of five topics, 1 % of them not zero.

    s          seconds of the processor
    MB         peak memory above the data
    growth     exponent of a power of the number of rows or columns, fitted to the made data
    > S        it did not end in S seconds; > G GB: it needed more memory
"""

import json

import numpy as np

from benchmarks import folders, growing, ordinary, sources, text_tables
from kinfolk import catalogue, datasets
from kinfolk.papers import preparations
from kinfolk.preparation import Preparation

REAL = ("webkb4", "20newsgroups", "handdigits")
SIZES = (1000, 2000, 4000)
BY_ROWS = tuple(f"{n} x 1000" for n in SIZES)
BY_COLUMNS = tuple(f"1000 x {d}" for d in SIZES)
SETS = tuple(dict.fromkeys((*BY_ROWS, *BY_COLUMNS, *REAL)))
TASKS = 4
TOPICS = 5
LEAST = {"seconds": 0.02, "megabytes": 1.0}
"""Smaller figures are of the clock and the allocator, and no growth is fitted to them."""
OF_TASKS = (catalogue.SEVERAL_TASKS, catalogue.KNOWN_LABELS, catalogue.OTHER_SITE)
METHODS = [name for name, entry in catalogue.METHODS.items() if entry.relation in OF_TASKS]


def main():
    """Make the runs, then write the tables."""
    parser = folders.parser(__doc__, SETS, METHODS)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--gigabytes", type=float, default=6.0)
    given = parser.parse_args()
    folders.work(given, _make, page)


def _make(given):
    """Make the runs that are missing, small sets first."""
    limits = given.seconds, given.gigabytes

    def measure(name, method, seed, rows):
        smaller = [run(given.runs, other, method) for other in _smaller(name)]
        stopped = next((found for found in smaller if found and _is_stopped(found)), None)
        # What did not end for fewer rows does not end for more.
        return {"limits": limits, **(stopped or growing.measured(method, rows, *limits))}

    folders.make(given, data, measure, shown)


def data(name, folder):
    """Load a data set by name: rows, tasks and classes.

    >>> data("1000 x 1000", None).X.shape
    (1000, 1000)
    """
    if name in REAL:
        read = datasets.load(name, folder, **preparations.DATA_OPTIONS.get(name, {}))
        prepare = Preparation(**preparations.preparation("mtcfir", name))
        return ordinary.Ordinary(prepare.fit_transform(read), read.tasks, np.asarray(read.target))
    n, d = map(int, name.split(" x "))
    X, tasks = sources.documents(n, d, TOPICS, TASKS)
    return ordinary.Ordinary(X, tasks.astype(str), (np.arange(n) % TOPICS).astype(str))


def _smaller(name):
    """Data sets of the same series with fewer rows or columns."""
    series = next((s for s in (BY_ROWS, BY_COLUMNS) if name in s), ())
    return series[: series.index(name)] if series else ()


def run(folder, name, method):
    """A stored run, or None."""
    file = folders.file(folder, name, method)
    return json.loads(file.read_text()) if file.exists() else None


def _is_stopped(found):
    return found["ended"] in ("time", "memory")


def shown(found):
    """Format a run in one line."""
    return found["ended"] or f"{found['seconds']:.2f} s, {found['megabytes']:.0f} MB"


def exponent(sizes, values):
    """Least-squares slope of log values on log sizes.

    >>> round(exponent([1, 2, 4], [3.0, 12.0, 48.0]), 2)
    2.0
    """
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def growth(folder, series, method, figure):
    """Format the growth exponent of a figure over a series; "" with fewer than three."""
    pairs = [
        (size, found[figure])
        for size, name in zip(SIZES, series, strict=True)
        if (found := run(folder, name, method)) and not found["ended"]
        if found[figure] >= LEAST[figure]
    ]
    return f"{exponent(*zip(*pairs, strict=True)):.1f}" if len(pairs) >= 3 else ""


def page(folder, before=None):
    """The table of real sets, that of growth, and what methods refused."""
    names = [name for name in REAL if any(run(folder, name, method) for method in METHODS)]
    methods = [m for m in METHODS if any(run(folder, name, m) for name in SETS)]
    rows = [["", *(f"{name} {unit}" for name in names for unit in ("s", "MB"))]]
    rows += [[m, *(c for name in names for c in _cells(run(folder, name, m)))] for m in methods]
    ends = BY_ROWS[0], BY_ROWS[-1], BY_COLUMNS[-1]
    titles = [f"{name} {unit}" for name in ends for unit in ("s", "MB")]
    grown = [["", *titles, "rows: s", "rows: MB", "columns: s", "columns: MB"]]
    for method in methods:
        cells = [cell for name in ends for cell in _cells(run(folder, name, method))]
        powers = [
            growth(folder, series, method, figure)
            for series in (BY_ROWS, BY_COLUMNS)
            for figure in ("seconds", "megabytes")
        ]
        grown.append([method, *cells, *powers])
    parts = [text_tables.markdown(rows), text_tables.markdown(grown), _refusals(folder, methods)]
    return "\n\n".join(parts) + "\n"


def _cells(found):
    """Format seconds and megabytes of a run."""
    if found is None:
        return ["", ""]
    if found["ended"] == "time":
        return [f"> {found['limits'][0]}", ""]
    if found["ended"] == "memory":
        return ["", f"> {found['limits'][1]:g} GB"]
    if found["ended"]:
        return ["-", "-"]
    return [f"{found['seconds']:.2f}", f"{found['megabytes']:.0f}"]


def _refusals(folder, methods):
    """Lines with the sentences of methods that refused."""
    said = {}
    for method in methods:
        for name in SETS:
            found = run(folder, name, method)
            if found and found["ended"] and not _is_stopped(found):
                said.setdefault((method, found["ended"]), []).append(name)
    return "\n".join(f"- {method} on {', '.join(n)}: {why}" for (method, why), n in said.items())


if __name__ == "__main__":
    main()
