"""Print, for each case, our form beside the literal one: `python -m benchmarks [--quick]`."""

import argparse
import platform
import tempfile
from pathlib import Path

import numpy as np
import scipy
import sklearn
import threadpoolctl
from sklearn.metrics import adjusted_rand_score

from benchmarks import measuring
from benchmarks.cases import FULL, QUICK, SOURCES
from kinfolk.errors import MissingDataError

COLUMNS = [
    "case",
    "literal s",
    "ours s",
    "times faster",
    "times less core time",
    "literal MB",
    "ours MB",
    "times less",
    "same labels",
    "relatedness differs by",
    "needed products s",
    "ours / needed",
]


def main():
    """Run the cases and print or write their tables."""
    arguments = _arguments()
    rows, steps, notes = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        literal = {}
        for case in QUICK if arguments.quick else FULL:
            path = Path(folder) / f"{case.source}.npz"
            try:
                if not path.exists():
                    measuring.save(path, *SOURCES[case.source](arguments.data))
            except MissingDataError as error:
                notes.append(f"{case.title}: left out. {error}")
                continue
            known = literal.get((case.source, case.single))
            printed, ours, needed = _measured(case, path, known, arguments.repeats)
            literal[case.source, case.single] = printed
            tasks = np.load(path)["tasks"]
            rows.append([case.title, *_compared(printed, ours, needed, tasks)])
            steps.append([case.title, *_shares(ours)])
            notes += _precision(case, printed.answer, ours.answer)
            print(_table([COLUMNS, rows[-1]], markdown=False), flush=True)
    heading = ["where our time goes, s", *STEP_NAMES, "other"]
    tables = [[COLUMNS, *rows], [heading, *steps]]
    print("\n" + "\n\n".join(_table(table, markdown=False) for table in tables))
    print("\n".join(["", *notes, _machine()]))
    if arguments.markdown:
        parts = [_table(table, markdown=True) for table in tables]
        parts += ["\n".join(f"- {note}" for note in [*notes, _machine()])]
        arguments.markdown.write_text("\n\n".join(parts) + "\n")


STEP_NAMES = ["features", "k-means", "thresholds", "weights", "graph", "factorisation"]


def _measured(case, path, known, repeats):
    """The literal side unless it is known, ours, and the needed products: the fastest of each."""
    printed, ours, needed = [known] if known else [], [], []
    for _ in range(repeats):
        if not known:
            printed.append(measuring.measure(case, path, "literal"))
        ours.append(measuring.measure(case, path, "ours"))
        needed.append(measuring.products(case, path, ours[-1].answer.sweeps))
    return measuring.fastest(printed), measuring.fastest(ours), min(needed)


def _arguments():
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, a few seconds")
    parser.add_argument("--data", help="the data directory; default: KINFOLK_DATA")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables there too")
    parser.add_argument(
        "--repeats", type=int, default=1, help="runs of each, in turns; the fastest counts"
    )
    return parser.parse_args()


def _compared(literal, ours, needed, tasks):
    """The entries of a row, from the second column on."""
    a, b = literal.answer, ours.answer
    pairs = [(a.labels[tasks == t], b.labels[tasks == t]) for t in np.unique(tasks)]
    agreement = min(adjusted_rand_score(*pair) for pair in pairs)
    gap = np.abs(a.relatedness - b.relatedness).max() if b.relatedness.size else None
    return [
        f"{literal.seconds:.2f}",
        f"{ours.seconds:.2f}",
        f"{literal.seconds / ours.seconds:.1f}",
        f"{literal.core_seconds / ours.core_seconds:.1f}",
        f"{literal.megabytes:.0f}",
        f"{ours.megabytes:.0f}",
        f"{literal.megabytes / ours.megabytes:.1f}",
        "yes" if agreement == 1.0 else f"ARI {agreement:.4f}",
        "-" if gap is None else f"{gap:.0e}",
        f"{needed:.2f}",
        f"{ours.seconds / needed:.1f}",
    ]


def _shares(ours):
    seconds = [ours.answer.steps.get(name, 0.0) for name in STEP_NAMES]
    return [f"{s:.2f}" for s in [*seconds, ours.seconds - sum(seconds)]]


def _precision(case, exact, sampled):
    """A sentence on the standard errors of sampled weights."""
    if case.weight_rows is None:
        return []
    off = ~np.eye(len(exact.relatedness), dtype=bool)
    gap, error = np.abs(exact.relatedness - sampled.relatedness)[off], sampled.error[off]
    within = np.mean(gap <= 2 * error)
    return [
        f"{case.title}: largest standard error {error.max():.1e}, largest deviation "
        f"{gap.max():.1e}; root mean square of deviation / standard error "
        f"{np.sqrt(np.mean((gap / error) ** 2)):.2f}; {within:.0%} within 2 standard errors."
    ]


def _machine():
    blas = {f"{p['internal_api']} {p['version']}" for p in threadpoolctl.threadpool_info()}
    return (
        f"{measuring.CORES} cores ({platform.machine()}), {measuring.threads()} threads, "
        f"{', '.join(sorted(blas))}, Python "
        f"{platform.python_version()}, NumPy {np.__version__}, SciPy {scipy.__version__}, "
        f"scikit-learn {sklearn.__version__}; memory is the peak above the data."
    )


def _table(rows, markdown):
    widths = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
    pad = [[_padded(cell, widths[j], j) for j, cell in enumerate(row)] for row in rows]
    if not markdown:
        return "\n".join("  ".join(row) for row in pad)
    rule = ["-" * (w if j == 0 else w - 1) + ("" if j == 0 else ":") for j, w in enumerate(widths)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [pad[0], rule, *pad[1:]])


def _padded(cell, width, j):
    return cell.ljust(width) if j == 0 else cell.rjust(width)


if __name__ == "__main__":
    main()
