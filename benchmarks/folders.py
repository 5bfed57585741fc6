"""Runs of a benchmark in a folder, one JSON file each: made once, in any order, by any process."""

import argparse
import json
from pathlib import Path

from benchmarks import text_tables
from kinfolk import writing


def parser(doc, sets, methods, seeds=None):
    """The options that such benchmarks share; `seeds` is the default number of seeds."""
    made = argparse.ArgumentParser(description=doc.splitlines()[0])
    made.add_argument("--data", type=Path)
    made.add_argument("--runs", type=Path, required=True)
    made.add_argument("--only", nargs="+", default=list(sets), metavar="SET")
    made.add_argument("--methods", nargs="+", default=list(methods))
    made.add_argument("--markdown", type=Path, metavar="FILE")
    made.add_argument("--before", type=Path, metavar="OTHER")
    if seeds is not None:
        made.add_argument("--seeds", type=int, default=seeds)
    return made


def work(given, make, page):
    """Make the runs with `make(given)`, then write `page(folder, before)`, as the options say."""
    if given.data is not None or given.markdown is None:
        given.runs.mkdir(parents=True, exist_ok=True)
        make(given)
    if given.markdown is not None:
        text_tables.put(given.markdown, page(given.runs, given.before))


def file(folder, *parts):
    """The file of a run, named by its set, its method and what else tells it apart."""
    name = "_".join(map(str, parts))
    for sign, other in ((" ", "-"), ("/", "-"), (",", ""), (":", "")):
        name = name.replace(sign, other)
    return folder / f"{name}.json"


def missing(given):
    """Set, method and file of each run that the folder lacks at the moment it is asked for."""
    for name in given.only:
        for method in given.methods:
            place = file(given.runs, name, method)
            if not place.exists():
                yield name, method, place


def write(place, found, line):
    """Write a run and say so."""
    writing.write_atomically(place, json.dumps(found).encode())
    print(line, flush=True)
