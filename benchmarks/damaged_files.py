"""Read damaged files of every format: `python -m benchmarks.damaged_files --mutations 20000`.

    tried       files with one to three random changes, of bytes or of parts
    refused     an error of Kinfolk, in one sentence
    harmless    read; all numbers finite, labels from 0 to k - 1
    defects     another error, several lines, a wrong number, 10 seconds, or the end of the process
    peak        memory that the worst file took, MB

Formats are those of tables, stores and labels, and model folders of all methods. Each runs in a
process of its own, so that its end is counted. Mutation i is made from the seed and i alone;
`--first I --mutations 1` repeats one.
"""

import argparse
import os
import shutil
import signal
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from benchmarks import damaged_formats, text_tables
from kinfolk.errors import KinfolkError
from kinfolk.papers import peak_memory

SECONDS = 10
COLUMNS = ["format", "tried", "refused", "harmless", "defects", "peak, MB"]


@dataclass
class Found:
    """Counts of outcomes for one format, examples of defects, and peak memory."""

    counts: Counter = field(default_factory=Counter)
    defects: list = field(default_factory=list)
    peak: int = 0

    def line(self, name):
        """Format the line of the table."""
        tried = sum(self.counts.values())
        counts = [self.counts[kind] for kind in ("refused", "harmless", "defect")]
        return [name, *(f"{n:,}" for n in (tried, *counts)), f"{self.peak / 2**20:.0f}"]


def tried(name, n, seed=0, first=0):
    """Read n damaged files of a format in child processes, and count the outcomes."""
    found = Found()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "sound").mkdir()
        shape = damaged_formats.every()[name]
        sound = shape.make(folder / "sound")
        damaged_formats.quietly(shape.use, _copied(sound, folder))
        start = first
        while start < first + n:
            last, ended = _in_a_child(shape, sound, folder, range(start, first + n), seed, found)
            if ended:
                found.counts["defect"] += 1
                found.defects.append((last, f"the process ended ({ended})"))
            start = last + 1
    return found


def _copied(sound, folder):
    """Copy the sound file to where damaged ones are written."""
    place = folder / sound.name
    copy = shutil.copytree if sound.is_dir() else shutil.copy
    copy(sound, place)
    for other in sound.parent.glob(f"{sound.stem}.*"):
        if other != sound:
            shutil.copy(other, folder / other.name)
    return place


def _in_a_child(shape, sound, folder, numbers, seed, found):
    """Read files of these numbers in a child; return the last one and how the child ended."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        try:
            _read_all(shape, sound, folder / sound.name, numbers, seed, writing)
        finally:
            os._exit(0)
    os.close(writing)
    last = numbers[0]
    pending = True
    with os.fdopen(reading) as lines:
        for line in lines:
            number, kind, memory, what = line.rstrip("\n").split("\t", 3)
            last = int(number)
            pending = kind == "started"
            if pending:
                continue
            found.counts[kind] += 1
            found.peak = max(found.peak, int(memory))
            if kind == "defect":
                found.defects.append((last, what))
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        return last, signal.Signals(os.WTERMSIG(status)).name
    # A library that leaves the process, as OpenMP does, ends it without a signal.
    return last, f"exit {os.WEXITSTATUS(status)}" if pending else ""


def _read_all(shape, sound, place, numbers, seed, writing):
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 2)
    signal.signal(signal.SIGALRM, _too_slow)
    for number in numbers:
        os.write(writing, f"{number}\tstarted\t0\t\n".encode())
        with np.errstate(all="ignore"):  # damaged numbers need not fit their new type
            shape.change(sound, place, np.random.default_rng([seed, number]))
        kind, memory, what = outcome(shape.use, place)
        os.write(writing, f"{number}\t{kind}\t{memory}\t{what[:300]}\n".encode("utf-8", "replace"))


def _too_slow(*_):
    raise TimeoutError(f"took more than {SECONDS} seconds")


def outcome(use, place):
    """Use a file; return outcome, bytes of memory, and the error's sentence."""
    before = peak_memory.start()
    signal.alarm(SECONDS)
    kind = "harmless"
    what = ""
    try:
        damaged_formats.quietly(use, place)
    except KinfolkError as error:
        what = str(error)
        kind = "defect" if "\n" in what else "refused"
    except BaseException as error:  # whatever it is, it should not be
        kind = "defect"
        what = f"{type(error).__name__}: {error}"
    finally:
        signal.alarm(0)
    return kind, peak_memory.rise_since(before) or 0, what.replace("\n", "\\n")


def main():
    """Print the table, and the defects if there are any."""
    arguments = _arguments()
    lines = [COLUMNS]
    defects = []
    total = Found()
    names = arguments.formats or list(damaged_formats.every())
    share = max(1, arguments.mutations // len(names))
    for name in names:
        found = tried(name, share, arguments.seed, arguments.first)
        lines.append(found.line(name))
        print("\t".join(lines[-1]), flush=True)
        total.counts += found.counts
        total.peak = max(total.peak, found.peak)
        defects += [(name, *defect) for defect in found.defects]
    lines.append(total.line("all"))
    print("\n" + text_tables.text(lines))
    for what, n in Counter((name, _kind(what)) for name, _, what in defects).most_common():
        example = next(i for name, i, text in defects if (name, _kind(text)) == what)
        print(f"{n:5} {what[0]}: {what[1]} (such as {example})")


def _kind(what):
    """Defect text without numbers and paths, for counting equal ones."""
    return "".join("#" if c.isdigit() else c for c in what)[:160]


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mutations", type=int, default=20_000, help="files, of all formats")
    parser.add_argument("--formats", nargs="*", help="names of formats; all if left out")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="the number of the first file")
    return parser.parse_args()


if __name__ == "__main__":
    main()
