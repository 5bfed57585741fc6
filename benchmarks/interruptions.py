"""Kills, Ctrl-C and SIGTERM at random moments of `kinfolk run` and `kinfolk reproduce`.

    python -m benchmarks.interruptions [--each 100] [--seed 0] [--verb run]

Each attempt starts with a folder that holds an older set of files and a file of its user. A process
forked from a warm one writes a new set there and is stopped: half of the attempts at a moment drawn
from the whole run, a quarter within 10 ms after the first new file, and a quarter within 1 ms after
the last one, when the files take their places. Then the files must belong together (checksums, one
run in run.json, model.json and report.html), the user's file and each run that the store
acknowledged must be there, and the next run must work.
"""

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import numpy as np

from kinfolk import cli, datasets
from kinfolk.cli import app  # noqa: F401 (imported once, before the processes are forked)
from kinfolk.datasets import makers
from kinfolk.disk import file_sets
from kinfolk.papers import published, reproduction
from kinfolk.papers.store import Store
from kinfolk.report import canvas

ITEM = "mtcfir-table-8"
SIGNALS = {"kill": signal.SIGKILL, "Ctrl-C": signal.SIGINT, "SIGTERM": signal.SIGTERM}
STOPPED = {"kill": {-9}, "Ctrl-C": {0, 130}, "SIGTERM": {0, 143, -15}}
"""Signal -> exit codes of a process that was stopped, or had ended before."""

MOMENTS = (None, ("", 0.01), None, (file_sets.MANIFEST, 0.001))
"""Taken in turn: the file of a draft to wait for ("" the draft itself), and the seconds after it;
None: any moment of the run."""


class Case(NamedTuple):
    """A command to stop: arguments, output folder with an older set, and store."""

    verb: str
    arguments: list[str]
    folder: Path
    template: Path
    store: Path | None = None


def made(place):
    """Return the cases, with tables and older sets in a folder."""
    blobs = makers.make_related_blobs(n_samples=20, n_tasks=2, random_state=0)
    rows = [f"{t},{','.join(map(str, x))}" for t, x in zip(blobs.tasks, blobs.X, strict=True)]
    head = ",".join(["task", *(f"x{j}" for j in range(blobs.X.shape[1]))])
    (place / "table.csv").write_text("\n".join([head, *rows]) + "\n")
    line = f"run {place}/table.csv --tasks task --clusters 2 --method kmeans --set n_init=1 --quiet"
    run = Case("run", line.split(), place / "run", place / "old-run")
    assert ended(started([*run.arguments, "--seed", "99", "--out", str(run.template)])) == 0
    line = f"reproduce {ITEM} --quick --quiet"
    folder = place / "reproduce"
    told = Case("reproduce", line.split(), folder, place / "old-tables", folder / "runs.sqlite")
    with Store(place / "none.sqlite") as store:
        older = reproduction.render(published.item(ITEM), store, quick=True).contents
    file_sets.replace(told.template, older, run="older")
    for case in (run, told):
        (case.template / "notes.txt").write_text("mine")
    return [run, told]


def started(arguments, acknowledged=None):
    """Fork a process that runs `kinfolk` and logs the keys of recorded runs."""
    pid = os.fork()
    if pid:
        return pid
    code = 99
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        log = os.open("log.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 1)
        os.dup2(log, 2)
        with mock.patch.object(Store, "record", acknowledging(acknowledged)):
            code = cli.main(arguments)
    except KeyboardInterrupt:
        code = 130  # before the command line had begun, or after its end
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def acknowledging(path):
    """Wrap `Store.record` so that it logs the run's key once it has returned."""
    record = Store.record

    def recorded(store, key, outcome):
        record(store, key, outcome)
        if path is not None:
            with path.open("ab", buffering=0) as file:
                file.write(f"{key}\n".encode())

    return recorded


def ended(pid):
    """Wait for a process; return its exit code, negative if a signal ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def stopped(pid, number, moment, folder, pattern):
    """Send a signal after some seconds, or once a draft file of this name exists."""
    drafts = f".{folder.name}.kinfolk-draft-*"
    while pattern is not None and not any(
        (draft / pattern).exists() for draft in folder.parent.glob(drafts)
    ):
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            break
        time.sleep(0.0001)
    time.sleep(moment)
    with suppress(ProcessLookupError):
        os.kill(pid, number)
    return ended(pid)


def state(folder):
    """State of a folder's files: "whole", "to mend" or "lost"."""
    entries = file_sets.entries(folder)
    runs = {entry.run for entry in entries.values()}
    if not (folder / "notes.txt").is_file() or not runs:
        return "lost"
    if (folder / ".kinfolk-next" / file_sets.MANIFEST).is_file():
        return "to mend"
    if file_sets.damaged(folder) or len(runs) != 1:
        return "lost"
    if (folder / "report.html").is_file():
        runs.add(json.loads((folder / "model" / "model.json").read_bytes())["run"])
        named = f"run {min(runs)}." in (folder / "report.html").read_text("utf-8")
        return "whole" if len(runs) == 1 and named else "lost"
    return "whole"


def recorded(store):
    """Return the keys of the runs in a store that have an outcome."""
    if not store.is_file() or not store.stat().st_size:  # stopped before its first table
        return set()
    with Store(store, read_only=True) as opened:
        return {run.key for run in opened.runs(status=("done", "refused", "failed"))}


def attempt(case, name, moment, pattern, seed, place):
    """Stop a command once, check the files, run it again; return the findings."""
    found = Counter(tried=1)
    shutil.rmtree(case.folder, ignore_errors=True)
    shutil.copytree(case.template, case.folder)
    keys = place / "acknowledged.txt"
    keys.unlink(missing_ok=True)
    arguments = [*case.arguments, "--out", str(case.folder)]
    if case.verb == "run":
        arguments += ["--seed", str(seed)]
    older = file_sets.entries(case.folder)
    pid = started(arguments, keys)
    code = stopped(pid, SIGNALS[name], moment, case.folder, pattern)
    if code not in {0, *STOPPED[name]}:
        fault(found, f"{case.verb} {name}: ended with {code}")
    left = state(case.folder)
    found[left] += 1
    found["new"] += left == "whole" and file_sets.entries(case.folder) != older
    if case.store is not None:
        sure = set(keys.read_text().split()) if keys.is_file() else set()
        found["acknowledged"] += len(sure)
        found["runs lost"] += len(sure - recorded(case.store))
    if ended(started(arguments)) != 0 or state(case.folder) != "whole":
        fault(found, f"{case.verb} {name}: the next run failed")
    return found


def fault(found, told):
    """Count a fault, and print the process's last lines."""
    found["faults"] += 1
    print(told, *Path("log.txt").read_text().splitlines()[-5:], sep="\n  ", flush=True)


def duration(case):
    """Seconds that a command takes without being stopped."""
    shutil.rmtree(case.folder, ignore_errors=True)
    start = time.monotonic()
    assert ended(started([*case.arguments, "--out", str(case.folder)])) == 0
    return time.monotonic() - start


COLUMNS = (*("tried", "whole", "new", "to mend", "lost", "acknowledged", "runs lost", "faults"),)
"""Counts by their names; "new" are those of "whole" with the files of the stopped run."""


def main(arguments=None):
    """Print a line for each verb and signal; return 1 if anything was lost."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--each", type=int, default=100, help="attempts of each verb and signal")
    parser.add_argument("--seed", type=int, default=0, help="seed of the moments")
    parser.add_argument("--verb", choices=["run", "reproduce"], help="only this one")
    given = parser.parse_args(arguments)
    moments = random.Random(given.seed)
    blobs = makers.make_related_blobs(n_samples=20, n_tasks=3, random_state=0)
    worst = 0
    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.object(datasets, "load", return_value=blobs),
        # Pictures take nine tenths of the time and are no files of their own.
        mock.patch.object(canvas, "svg", return_value="<svg></svg>"),
    ):
        os.chdir(folder)
        print("verb       signal  " + " ".join(f"{name:>12}" for name in COLUMNS))
        cases = made(Path(folder))
        for case in [case for case in cases if given.verb in (None, case.verb)]:
            seconds = np.median([duration(case) for _ in range(3)])
            for name in SIGNALS:
                found = Counter()
                for i in range(given.each):
                    pattern, most = MOMENTS[i % len(MOMENTS)] or (None, seconds)
                    moment = moments.uniform(0, most)
                    found += attempt(case, name, moment, pattern, i, Path(folder))
                counts = " ".join(f"{found[column]:12}" for column in COLUMNS)
                print(f"{case.verb:10} {name:7} {counts}", flush=True)
                worst += found["lost"] + found["runs lost"] + found["faults"]
        os.chdir("/")
    return int(worst > 0)


if __name__ == "__main__":
    sys.exit(main())
