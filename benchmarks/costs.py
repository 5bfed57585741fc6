"""Seconds of the first run of every family on made tables, and powers of sizes fitted to them.

    python -m benchmarks.costs FILE.jsonl

Appends one line for each table to the file, and prints the numbers of `choosing/costs.py`. Takes
about half an hour of one core; a file that exists is only read.
"""

import itertools
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import nnls

from kinfolk.choosing import candidates, fitting, null_model
from kinfolk.choosing.candidates import FAMILIES
from kinfolk.choosing.representations import Representations
from kinfolk.numerics import memo

KINDS = "amounts", "measurements", "counts"
LONGEST = 6.0
"""Seconds of a run after which larger tables of its kind are not tried."""
# Of counts, MTCFIR makes layers of all columns; cosines of sparse rows are products by entries.
OF_COUNTS = {"mtcfir": "d", "symnmf": "w"}

Line = dict[str, Any]


def table(kind: str, n: int, d: int, T: int, k: int) -> tuple[Any, np.ndarray]:
    """Rows of k groups in each of T tasks, and the task of each."""
    random = np.random.default_rng(0)
    tasks = np.arange(n) % T
    groups = random.integers(k, size=n)
    if kind == "counts":
        shares = random.dirichlet(np.full(d, 0.05), size=k)
        return sp.csr_array(random.multinomial(60, shares[groups]).astype(float)), tasks
    X = random.normal(size=(k, d))[groups] + random.normal(size=(T, d))[tasks]
    X = X + 1.6 * random.normal(size=(n, d))
    return (np.abs(X) if kind == "amounts" else X), tasks


def seconds(work: Callable[..., Any], *args: Any, **options: Any) -> float:
    """Processor time of a call."""
    begin = time.process_time()
    work(*args, **options)
    return time.process_time() - begin


def measured() -> Iterator[Line]:
    """Yield one line for each table: its sizes, and the seconds of each family and null level."""
    slow: dict[tuple[Any, ...], float] = {}
    for n, kind, d, T, k in itertools.product(
        (300, 1000, 3000, 8000), KINDS, (20, 200, 1000), (2, 8), (3, 10)
    ):
        if (kind == "counts") != (d == 1000) or n // T < 5 * k:
            continue
        X, tasks = table(kind, n, d, T, k)
        w = (X.nnz if sp.issparse(X) else X.size) / n
        line: Line = {"kind": kind, "n": n, "d": d, "w": w, "T": T, "k": k}
        seen = Representations.of(X, tasks)
        plan = candidates.plan(
            list(FAMILIES), seen, dict.fromkeys(range(T), k), np.random.RandomState(0)
        )
        for candidate in {c.family: c for c in reversed(plan)}.values():
            size = candidate.family, kind, d, T, k
            if slow.get(size, 0.0) < LONGEST:
                rows = seen.transform(candidate.representation, X, tasks)
                with memo.remembering(memo.Memory()):
                    slow[size] = seconds(fitting.fit, candidate.estimator, rows, tasks)
                line[candidate.family] = slow[size]
        if n <= 3000:
            rows = seen.for_scoring(X[tasks == 0], tasks[tasks == 0])
            drawn = null_model.COPULA if kind == "measurements" else null_model.PERMUTED
            line["null"] = seconds(null_model.null_level, rows, k, kind=drawn)
        yield line


def power(lines: list[Line], family: str, width: str) -> np.ndarray:
    """Fit the power law of a family's seconds, as `costs.Power`."""
    used = [line for line in lines if family in line]
    A = np.array([[np.e, l["n"], l[width], l["k"], l["T"]] for l in used])
    A = np.log(A)
    b = np.log([max(l[family], 0.002) for l in used])
    weights = np.sqrt(np.exp(np.clip(b, -4, 2)))  # errors of long runs matter more
    fixed = np.ptp(A[:, 2]) < 0.1
    share = (1.0 if width == "d" else 0.5) if fixed else 0.0
    b = b - share * A[:, 2]
    A[:, 2] *= not fixed
    found = np.linalg.lstsq(A * weights[:, None], b * weights, rcond=None)[0]
    found[2] += share
    return found


def null(lines: list[Line]) -> np.ndarray:
    """Fit the cost of null levels, as `costs.NULL_LEVELS`."""
    used = [line for line in lines if "null" in line]
    n = np.array([-(-line["n"] // line["T"]) for line in used])
    w = np.array([line["w"] for line in used])
    b = np.array([line["null"] for line in used])
    A = np.column_stack([np.ones(len(n)), n * np.sqrt(w), n**2.0])
    return nnls(A / b[:, None], np.ones(len(b)))[0]


def main(path: Path) -> None:
    """Measure unless the file exists, and print the numbers."""
    if not path.exists():
        with path.open("a") as file:
            for line in measured():
                file.write(json.dumps(line) + "\n")
                file.flush()
    lines = [json.loads(text) for text in path.read_text().splitlines()]
    for family in FAMILIES:
        others = lines
        if family in OF_COUNTS:
            counts = [line for line in lines if line["kind"] == "counts"]
            others = [line for line in lines if line["kind"] != "counts"]
            sys.stdout.write(f"{family} of counts {power(counts, family, OF_COUNTS[family])}\n")
        sys.stdout.write(f"{family} {power(others, family, 'w')}\n")
    for kind in KINDS:
        of_kind = [line for line in lines if line["kind"] == kind]
        sys.stdout.write(f"null levels of {kind} {null(of_kind)}\n")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(Path(sys.argv[1]))
