"""Print, for each case, our form beside the literal one, and peers: `python -m benchmarks`."""

import argparse
import platform
import sys
import tempfile
from pathlib import Path

import numpy as np
import scipy
import sklearn
import threadpoolctl

from benchmarks import comparison, contest, measuring, relations, text_tables
from benchmarks.cases import FULL, QUICK
from benchmarks.sources import SOURCES
from kinfolk.errors import MissingDataError


def main():
    """Run the cases and print or write their tables."""
    arguments = _arguments()
    with tempfile.TemporaryDirectory() as folder:
        made, notes = _cases(arguments, Path(folder))
        notes.append(_machine())
        _write(arguments, made, notes)
        if _wanted(arguments, "relations"):
            made.append(relations.table([4, 10] if arguments.quick else [4, 10, 20, 40]))
        if _wanted(arguments, "peers"):
            table, missing = contest.table(
                Path(folder), arguments.data, arguments.peers, arguments.quick
            )
            made.append(table)
            notes += missing
    _write(arguments, made, notes)
    shown = [text_tables.text(table) for table in made if len(table) > 1]
    print("\n\n".join(["", *shown, "\n".join(notes)]))


def _write(arguments, made, notes):
    """Write the tables that have rows, so that a later part that is stopped loses none."""
    if arguments.markdown:
        parts = [text_tables.markdown(table) for table in made if len(table) > 1]
        notes = "\n".join(f"- {note}" for note in notes)
        arguments.markdown.write_text("\n\n".join([*parts, notes]) + "\n")


def _cases(arguments, folder):
    """Measure the cases; return the tables of times and of steps, and notes on cases."""
    rows, steps, notes, known = [comparison.COLUMNS], [comparison.STEPS], [], {}
    for case in QUICK if arguments.quick else FULL:
        if not _wanted(arguments, case.title):
            continue
        path = folder / f"{case.source}.npz"
        try:
            if not path.exists():
                measuring.save(path, *SOURCES[case.source](arguments.data))
        except MissingDataError as error:
            notes.append(f"{case.title}: left out. {error}")
            continue
        found = comparison.measured(case, path, known, arguments.repeats)
        rows.append([case.title, *comparison.row(found, np.load(path)["tasks"])])
        steps.append([case.title, *comparison.shares(found)])
        notes += comparison.notes(case, path, found)
        print(text_tables.text([comparison.COLUMNS, rows[-1]]), flush=True)
    return [rows, steps], notes


def _wanted(arguments, title):
    return arguments.only is None or arguments.only.lower() in title.lower()


def _arguments():
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, less than a minute")
    parser.add_argument(
        "--only", metavar="NAME", help="cases with NAME in their title, or one of: relations, peers"
    )
    parser.add_argument("--data", help="the data directory; default: KINFOLK_DATA")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables there too")
    parser.add_argument(
        "--peers",
        metavar="PYTHON",
        default=sys.executable,
        help="the Python that has the peers; default: this one",
    )
    parser.add_argument(
        "--repeats", type=int, default=1, help="runs of each, in turns; the fastest counts"
    )
    return parser.parse_args()


def _machine():
    blas = {f"{p['internal_api']} {p['version']}" for p in threadpoolctl.threadpool_info()}
    return (
        f"{measuring.CORES} cores ({platform.machine()}), {measuring.threads()} threads, "
        f"{', '.join(sorted(blas))}, Python "
        f"{platform.python_version()}, NumPy {np.__version__}, SciPy {scipy.__version__}, "
        f"scikit-learn {sklearn.__version__}; memory is the peak above the data."
    )


if __name__ == "__main__":
    main()
