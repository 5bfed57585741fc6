"""Stores a benchmark's runs as JSON files, so that it can be stopped and resumed."""

import argparse
import json
from functools import lru_cache
from pathlib import Path

from benchmarks import text_tables
from kinfolk.disk import writing
from kinfolk.errors import MissingDataError


def parser(doc, sets, methods, seeds=None):
    """Command-line options that such benchmarks share."""
    made = argparse.ArgumentParser(description=doc.splitlines()[0])
    made.add_argument("--data", type=Path)
    made.add_argument("--runs", type=Path, required=True)
    made.add_argument("--only", nargs="+", default=list(sets), metavar="SET")
    made.add_argument("--methods", nargs="+", default=list(methods))
    made.add_argument("--markdown", type=Path, metavar="FILE")
    made.add_argument("--before", type=Path, metavar="OTHER")
    if seeds is not None:
        made.add_argument("--seeds", type=int, default=seeds)
        made.add_argument("--first", type=int, default=0, metavar="SEED")
    return made


def work(given, make, page):
    """Make runs by `make(given)`, then write `page(folder, before)`."""
    if given.data is not None or given.markdown is None:
        given.runs.mkdir(parents=True, exist_ok=True)
        make(given)
    if given.markdown is not None:
        text_tables.put(given.markdown, page(given.runs, given.before))


def seeds(given):
    """Seeds chosen by the options --first and --seeds."""
    return range(given.first, given.first + given.seeds)


def file(folder, *parts):
    """Path of a run's JSON file, from data set, method and further parts."""
    name = "_".join(map(str, parts))
    for sign, other in ((" ", "-"), ("/", "-"), (",", ""), (":", "")):
        name = name.replace(sign, other)
    return folder / f"{name}.json"


def make(given, load, measure, line):
    """Make the missing runs, the first seed of all data sets first.

    Parameters
    ----------
    given : the options
    load : `load(name, data directory)` returns a set, which is kept until another one is needed
    measure : `measure(name, method, seed, data)` returns what is to be stored; the seed is None
        without --seeds
    line : `line(found)` says it in few words
    """
    load = lru_cache(maxsize=1)(load)
    absent = set()
    for name, method, seed in _wanted(given):
        told = () if seed is None else (seed,)
        place = file(given.runs, name, method, *told)
        if place.exists() or name in absent:
            continue
        try:
            data = load(name, given.data)
        except MissingDataError as error:
            print(f"{name}: {error}")
            absent.add(name)
            continue
        found = measure(name, method, seed, data)
        write(place, found, f"{' '.join(map(str, (name, method, *told)))}: {line(found)}")


def _wanted(given):
    wanted = seeds(given) if "seeds" in given else [None]
    return ((n, m, seed) for seed in wanted for n in given.only for m in given.methods)


def write(place, found, line):
    """Write a run and say so."""
    writing.write_atomically(place, json.dumps(found).encode())
    print(line, flush=True)
