"""Command line of the benchmark: `python -m benchmarks.related renew`, and its other commands.

run      makes the runs that are missing; it may be stopped, and several may work side by side
         with --part 1/2 and --part 2/2
renew    the same for the present code, then the page: the answers alone, as tables, yardsticks and
         runs for comparison are kept in the folder
prepare  makes only the tables of the sets, and says the seconds
judge    prints the tables of a rule of the guard from stored runs
page     writes them to two pages, below their marks: failures and aims to the one that is named,
         the other tables to the one beside it whose name ends in -measured
"""

import argparse
import functools
import importlib
import os
import sys
import time
import traceback
from pathlib import Path

import numpy as np

from benchmarks import text_tables
from benchmarks.related import (
    comparisons,
    files,
    page,
    prepared,
    recording,
    stored,
    yardsticks,
)
from kinfolk.errors import MissingDataError


def main(arguments=None):
    """Run a command; return the exit code."""
    given = _parser().parse_args(arguments)
    sets = files.read_all()
    wanted = given.sets or [n for n, s in sets.items() if given.split in (None, s.split)]
    if unknown := sorted(set(wanted) - set(sets)):
        print(f"There is no set {unknown[0]!r}; known are {', '.join(sets)}.")
        return 2
    chosen = {name: sets[name] for name in wanted}
    return COMMANDS[given.command](given, chosen)


def _parser():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.related", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in COMMANDS:
        command = commands.add_parser(name)
        command.add_argument("--runs", type=Path, required=True, help="folder of the runs")
        command.add_argument("--sets", nargs="+", metavar="NAME")
        command.add_argument("--split", choices=files.SPLITS, help="only the sets of this split")
        if name in ("run", "prepare", "renew"):
            command.add_argument("--data", type=Path, default=os.environ.get("KINFOLK_DATA"))
            command.add_argument("--limit-seconds", type=float, default=np.inf,
                                 help="no further run starts after these")  # fmt: skip
            command.add_argument("--part", default="1/1", metavar="I/N")
            command.add_argument("--seeds", type=int, default=0 if name == "prepare" else 3)
            command.add_argument("--peers", default=sys.executable, metavar="PYTHON",
                                 help="has harmonypy, igraph and leidenalg")  # fmt: skip
        if name in ("judge", "page"):
            command.add_argument("--code", help="state of the code; default: the newest run's")
        if name in ("judge", "page", "renew"):
            command.add_argument("--rule", default="benchmarks.related.rules:as_stored")
        if name in ("page", "renew"):
            command.add_argument("path", type=Path)
    return parser


def _mine(given, chosen):
    """Select the data sets of one part of the work, such as every second one."""
    part, number = map(int, given.part.split("/"))
    return list(chosen.values())[part - 1 :: number]


def _run(given, chosen):
    begin = time.monotonic()
    key = prepared.code_key()
    failed = 0
    for seed in range(given.seeds):
        for wanted in _mine(given, chosen):
            place = stored.place(given.runs, key, wanted.name, seed)
            if time.monotonic() - begin > given.limit_seconds:
                print("The limit of seconds is reached.")
                return 1 if failed else 0
            try:
                table = prepared.table(wanted, given.runs, given.data)
                if place.exists() and stored.read(place).facts["table"] == table.fingerprint:
                    continue
                facts, arrays = one_run(wanted, table, seed, given)
            except MissingDataError as error:
                print(f"{wanted.name}: {error}", flush=True)
                continue
            except Exception:  # a set that fails must not end the runs of all others
                failed += 1
                print(f"{wanted.name} {seed} failed:\n{traceback.format_exc()}", flush=True)
                continue
            stored.write(place, facts, arrays)
            print(_line(facts), flush=True)
    return 1 if failed else 0


def one_run(wanted, table, seed, given):
    """Facts and arrays of one run of a set, with the yardsticks."""
    compared = functools.partial(comparisons.kept, wanted.name, folder=given.runs)
    facts, arrays = recording.record(table, seed, compared=compared)
    begin = time.perf_counter()
    facts["yardsticks"] = yardsticks.kept(wanted.name, table, seed, given.peers, given.runs)
    facts["seconds_of_yardsticks"] = time.perf_counter() - begin
    facts |= {"set": wanted.name, "seed": seed, "fingerprint": wanted.fingerprint}
    facts |= {"table": table.fingerprint, "rows": len(table.tasks)}
    position = {name: t for t, name in enumerate(table.names)}
    arrays["tasks"] = np.array([position[name] for name in table.tasks.tolist()])
    arrays["target"] = table.target
    return facts, arrays


def _line(facts):
    judged = [task for task in facts["tasks"] if task["judged"]]
    own, answer = (
        np.mean([task["answers"][task[side]]["accuracy"] for task in judged])
        for side in ("own", "answer")
    )
    seconds = [facts[f"seconds{part}"] for part in ("", "_of_recording", "_of_yardsticks")]
    shown = " + ".join(f"{s:.1f}" for s in seconds)
    return (
        f"{facts['set']} {facts['seed']}: {facts['rows']} rows, {facts['kind']}, own {own:.3f}, "
        f"answer {answer:.3f}, {shown} s"
    )


def _prepare(given, chosen):
    for wanted in _mine(given, chosen):
        try:
            table = prepared.table(wanted, given.runs, given.data)
        except MissingDataError as error:
            print(f"{wanted.name}: {error}", flush=True)
            continue
        sizes = {
            name: f"{len(table.rows(name))} rows, k {table.n_clusters[name]}"
            for name in table.names
        }
        shape = "x".join(map(str, table.X.shape))
        told = "; ".join(f"{name}: {size}" for name, size in sizes.items())
        kind = _kind(wanted, table)
        print(f"{wanted.name}: {shape}, {kind}, {table.seconds:.1f} s; {told}", flush=True)
        for seed in range(given.seeds):
            yardsticks.kept(wanted.name, table, seed, given.peers, given.runs)
    return 0


def _kind(wanted, table):
    """Kind of table as text, followed by that of its file if they differ."""
    same = wanted.kind in (table.kind, "mixed")
    return table.kind if same else f"{table.kind} (its file says {wanted.kind})"


def _stored_runs(given, chosen):
    """Load the chosen sets' runs for a state of the code; None without any."""
    known = stored.keys(given.runs)
    key = given.code or (known[-1] if known else "")
    runs = [run for run in stored.read_all(given.runs, key) if run.set in chosen]
    if not runs:
        print(f"There are no such runs in {given.runs}; states of the code: {', '.join(known)}.")
        return None
    current = [run for run in runs if run.facts["fingerprint"] == chosen[run.set].fingerprint]
    if left := {run.set for run in runs} - {run.set for run in current}:
        print(f"Left out, since their files have changed: {', '.join(sorted(left))}.")
    return current


def _rule(name):
    module, _, function = name.partition(":")
    return getattr(importlib.import_module(module), function)


def _judge(given, chosen):
    runs = _stored_runs(given, chosen)
    if not runs:
        return 1
    for title, rows in page.parts(runs, _rule(given.rule), chosen).items():
        print(f"\n{title}\n")
        print(text_tables.text(rows))
    return 0


def _page(given, chosen):
    runs = _stored_runs(given, chosen)
    if not runs:
        return 1
    measured = given.path.with_name(f"{given.path.stem}-measured{given.path.suffix}")
    pages = page.markdown(runs, _rule(given.rule), chosen)
    for path, text in zip((given.path, measured), pages, strict=True):
        text_tables.put(path, text)
    return 0


def _renew(given, chosen):
    """Make the runs of the present code that are missing, and write the page if all are there."""
    _run(given, chosen)
    given.code = prepared.code_key()
    expected = [
        stored.place(given.runs, given.code, name, seed)
        for name in chosen
        for seed in range(given.seeds)
    ]
    if missing := sum(not path.exists() for path in expected):
        print(f"{missing} of {len(expected)} runs are missing: the page is left as it was.")
        return 1
    return _page(given, chosen)


COMMANDS = {"renew": _renew, "run": _run, "prepare": _prepare, "judge": _judge, "page": _page}

if __name__ == "__main__":
    sys.exit(main())
