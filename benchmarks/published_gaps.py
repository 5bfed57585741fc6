"""Prints how far the rows of published tables are from print, for several choices of parameters.

    python -m benchmarks.published_gaps STORE mtcfir-table-2 ktmec-table-7:quick

One line per row, ours minus print in points (hundredths), as mean / mean absolute value over all
cells. *One*: one setting for all tasks, the best mean of the choosing measure. *Each*: for a task
and measure the setting that is best there. Papers print "the best" and do not say which is meant.
"""

import sys
from pathlib import Path

import numpy as np

from kinfolk.papers import protocols, published, tables
from kinfolk.papers.store import Store, canonical


def gaps(item, planned, stored):
    """Differences from print (cells,) of a row in points, by one setting and by one per cell."""
    runs = stored.done(planned)
    label = planned.reading_of or planned.row
    printed = next((row.cells for row in item.rows if row.label == label), ())
    names = tables.scored_tasks(planned, runs) if runs else []
    settings = list(dict.fromkeys(canonical(run.spec.parameters) for run in runs))
    best = tables.best_with_labels(item, planned, runs) if runs else ""
    groups = [planned.group] if planned.group else list(item.column_groups)
    unit, points = (100.0, 1.0) if item.unit == "percent" else (1.0, 100.0)
    one, each = [], []
    for column, cell in zip(item.columns, printed, strict=False):
        place = groups.index(column.group) if column.group in groups else len(names)
        if cell.mean is None or place >= len(names):
            continue
        measure = tables.OUR_MEASURES.get(column.measure, column.measure)
        ours = {s: tables.value(runs, s, measure, names[place], unit).mean for s in settings}
        one.append(ours[best] - cell.mean)
        each.append(max(ours.values()) - cell.mean)
    return points * np.array(one), points * np.array(each), runs


def main():
    """Print a Markdown table."""
    print("| table | row | one setting | each cell | runs |")
    print("| --- | --- | ---: | ---: | ---: |")
    with Store(Path(sys.argv[1])) as store:
        for asked in sys.argv[2:]:
            name, _, form = asked.partition(":")
            item = published.item(name)
            stored = tables.StoredRuns(store, protocols.planned_cells(item, form == "quick"))
            rows = {}  # a row may be planned in parts, such as pairs of tasks
            for planned in stored.planned:
                one, each, runs = gaps(item, planned, stored)
                if len(one):
                    part = rows.setdefault(planned.row, [])
                    part.append((one, each, len(runs), len(planned.runs)))
            for row, parts in rows.items():
                one, each, runs, planned_runs = zip(*parts, strict=True)
                found = [np.concatenate(gap) for gap in (one, each)]
                shown = " | ".join(f"{g.mean():+.1f} / {abs(g).mean():.1f}" for g in found)
                print(f"| {name} | {row} | {shown} | {sum(runs)} of {sum(planned_runs)} |")


if __name__ == "__main__":
    main()
