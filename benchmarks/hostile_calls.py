"""Calls every estimator and public function with hostile arguments, and counts outcomes.

    python -m benchmarks.hostile_calls [--calls 1000] [--seed 0]

Each call has one or two arguments from `hostile_values`. It must return a result, or refuse in a
sentence: an error of `kinfolk.errors`, or one of scikit-learn's validation. Everything else is a
defect: another exception, labels that are none, a call that does not end, a process that dies.
Calls run in processes of their own, so that a crash is counted and the others go on.
"""

import argparse
import collections
import json
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

PATIENCE = 60
"""Seconds that a call may take."""

MEMORY = 6 * 2**30
"""Bytes of address space that the calls may take."""

ACCEPTED, REFUSED, DEFECT = "accepted", "refused", "defect"


def outcome_of(call):
    """Return the outcome of a call, and for defects its reason."""
    from sklearn.exceptions import NotFittedError

    from kinfolk.errors import KinfolkError

    try:
        call()
    except (KinfolkError, NotFittedError) as error:
        return (REFUSED, "") if str(error).strip() else (DEFECT, "an error without a sentence")
    except TimeoutError:
        raise
    except BaseException as error:
        frames = traceback.extract_tb(error.__traceback__)
        if isinstance(error, ValueError | TypeError) and _of_scikit_learn(frames):
            return REFUSED, ""
        ours = [f for f in frames if "/kinfolk/" in f.filename] or frames
        place = f"{ours[-1].filename.rpartition('/kinfolk/')[2]}:{ours[-1].lineno}"
        return DEFECT, f"{type(error).__name__} at {place}: {str(error)[:100]!r}"
    return ACCEPTED, ""


def _of_scikit_learn(frames):
    """Return True if the validation of scikit-learn raised the error."""
    name = frames[-1].filename
    return any(part in name for part in ("sklearn/utils/", "sklearn/base.py", "sklearn/model_sel"))


def drawn(index, seed):
    """Return target, description and function of the call with this index."""
    import numpy as np

    from benchmarks import hostile_targets

    targets = hostile_targets.all_targets()
    order = np.random.default_rng(seed).permutation(len(targets))
    target = targets[order[index % len(targets)]]
    return target.name, *hostile_targets.draw(target, np.random.default_rng([seed, index]))


def work(start, stop, seed):
    """Make the calls start to stop, logging a line before and after each."""
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    lines = os.fdopen(os.dup(1), "w", buffering=1)
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    signal.signal(signal.SIGALRM, _stop)
    for index in range(start, stop):
        name, what, call = drawn(index, seed)
        lines.write(json.dumps([index, name, what]) + "\n")
        signal.alarm(PATIENCE)
        try:
            found = outcome_of(call)
        except TimeoutError:
            found = DEFECT, f"no end after {PATIENCE} s"
        signal.alarm(0)
        lines.write(json.dumps([index, *found]) + "\n")


def _stop(signum, frame):
    raise TimeoutError


def run(calls, seed):
    """Yield target, description, outcome and reason of each call."""
    start = 0
    with tempfile.TemporaryDirectory() as folder:
        inside = Path(folder) / "a" / "b" / "c"  # "../.." stays in the folder
        inside.mkdir(parents=True)
        while start < calls:
            for record in _worker(start, calls, seed, inside):
                yield record[1:]
                start = record[0] + 1


def _worker(start, stop, seed, folder):
    """Yield the records of one process, until it ends or dies."""
    command = [sys.executable, "-m", "benchmarks.hostile_calls", "--worker", str(start), str(stop)]
    root = str(Path(__file__).resolve().parents[1])
    path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    process = subprocess.Popen(
        [*command, "--seed", str(seed)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    begun = None
    while line := _line(process):
        record = json.loads(line)
        if begun is None:
            begun = record
            continue
        yield [*begun, *record[1:]]
        begun = None
    process.kill()
    code = process.wait()
    process.stdout.close()
    if begun is not None:
        yield [*begun, DEFECT, f"the process died or hung (code {code})"]
    elif code not in (0, -signal.SIGKILL):
        raise SystemExit(f"the worker cannot start (code {code})")


def _line(process):
    """Return the next line of a process, nothing if it ends or is silent for too long."""
    ready, _, _ = select.select([process.stdout], [], [], 2 * PATIENCE)
    return process.stdout.readline() if ready else b""


def table(records):
    """Return lines that count outcomes by function, and one line for each kind of defect."""
    counts = collections.defaultdict(collections.Counter)
    defects = collections.defaultdict(list)
    for name, what, outcome, reason in records:
        counts[name][outcome] += 1
        if outcome == DEFECT:
            defects[name.partition(":")[0], reason].append(what)
    width = max(map(len, counts), default=8)
    lines = [f"{'function':{width}}  calls  accepted  refused in a sentence  defects"]
    total = collections.Counter()
    for name, found in [*sorted(counts.items()), ("all", total)]:
        total += found if name != "all" else {}
        numbers = f"{found[ACCEPTED]:8}  {found[REFUSED]:21}  {found[DEFECT]:7}"
        lines.append(f"{name:{width}}  {sum(found.values()):5}  {numbers}")
    for (name, reason), whats in sorted(defects.items()):
        lines.append(f"{len(whats)} x {name}: {reason}; for example {whats[0]}")
    return lines


def main():
    """Parse the arguments, make the calls, print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--worker", type=int, nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker:
        work(*given.worker, given.seed)
        return 0
    records = list(run(given.calls, given.seed))
    print("\n".join(table(records)))
    return int(any(record[2] == DEFECT for record in records))


if __name__ == "__main__":
    sys.exit(main())
