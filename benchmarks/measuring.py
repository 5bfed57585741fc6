"""Measures one fit in a fresh process: seconds, peak memory and result.

`python -m benchmarks.measuring SIDE` is how this module calls itself: it reads a job from its
input and writes numbers to its output.
"""

import json
import os
import resource
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from benchmarks.answers import Answer
from benchmarks.cases import Case

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class Measurement:
    """Wall seconds, seconds of all cores, peak megabytes above the data, and the answer."""

    seconds: float
    core_seconds: float
    megabytes: float
    answer: Answer


def save(path, X, tasks):
    """Save a case's data for the measuring processes."""
    if sp.issparse(X):
        parts = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape}
    else:
        parts = {"dense": X}
    np.savez(path, tasks=tasks, **parts)


def measure(case: Case, path: Path, side: str) -> Measurement:
    """Run one side of a case in a fresh process."""
    found = _process(side, case, path)
    with np.load(_answer_file(path)) as kept:
        found["answer"] = Answer(**{name: kept[name] for name in kept}, **found["answer"])
    return Measurement(**found)


def fastest(runs: list[Measurement]) -> Measurement:
    """Run with the fewest wall seconds."""
    return min(runs, key=lambda run: run.seconds)


def products(case: Case, path: Path, sweeps: int) -> tuple[float, float]:
    """Seconds of a case's unavoidable products, before and during the sweeps."""
    before, within = _process("products", case, path, sweeps=sweeps)["seconds"]
    return before, within


def held(case: Case, path: Path) -> float:
    """Megabytes of the arrays that a case's literal form keeps."""
    return case.held(*_load(path))


THREADS = "KINFOLK_BENCHMARK_THREADS"
"""The variable that limits the threads of either side; the cores if it is not set."""


def _process(side, case, path, **more):
    job = json.dumps({"case": asdict(case), "path": str(path), **more})
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.measuring", side],
        input=job,
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def environment() -> dict[str, str]:
    """The variables of a measuring process: either side has no more threads than `threads`."""
    variables = ("OPENBLAS", "OMP", "MKL", "BLIS", "VECLIB_MAXIMUM")
    return os.environ | {f"{name}_NUM_THREADS": threads() for name in variables}


def threads() -> str:
    """The number of threads that either side may use."""
    return os.environ.get(THREADS, str(CORES))


def _answer_file(path):
    return Path(path).with_suffix(".answer.npz")


def _load(path):
    kept = np.load(path)
    if "dense" in kept:
        return kept["dense"], kept["tasks"]
    parts = (kept["data"], kept["indices"], kept["indptr"])
    return sp.csr_array(parts, shape=tuple(kept["shape"])), kept["tasks"]


def _resident():
    """Peak and present resident megabytes of this process.

    Linux counts the peak of the parent into that of `getrusage`, hence its own file.
    """
    status = Path("/proc/self/status")
    if status.exists():
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return tuple(int(lines[name].split()[0]) / 1024 for name in ("VmHWM", "VmRSS"))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peak /= 2**20 if sys.platform == "darwin" else 2**10
    return peak, peak


def _run(side, job):
    case, path = Case(**job["case"]), Path(job["path"])
    X, tasks = _load(path)
    if side == "products":
        return {"seconds": case.products(X, tasks, job["sweeps"])}
    before = _resident()[1]
    start, used = time.perf_counter(), time.process_time()
    answer = (case.literal if side == "literal" else case.ours)(X, tasks)
    seconds, used = time.perf_counter() - start, time.process_time() - used
    megabytes = _resident()[0] - before
    found = vars(answer)
    arrays = {name: found.pop(name) for name in ("labels", "relatedness", "error")}
    np.savez(_answer_file(path), **arrays)
    return {
        "seconds": seconds,
        "core_seconds": used,
        "megabytes": megabytes,
        "answer": found,
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_run(sys.argv[1], json.load(sys.stdin))))
