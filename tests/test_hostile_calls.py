"""A fast part of `python -m benchmarks.hostile_calls`, and what it counts as a defect."""

import functools
import sys
import warnings

import pytest
from benchmarks import hostile_calls, hostile_doors, hostile_targets
from benchmarks.hostile_calls import ACCEPTED, DEFECT, REFUSED
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_array

from kinfolk.errors import InputError

CALLS = len(hostile_targets.all_targets())
"""One call of every target."""


@pytest.mark.parametrize("seed", [1, 2])
def test_every_hostile_call_is_answered_or_refused_in_a_sentence(seed, tmp_path, monkeypatch):
    inside = tmp_path / "a" / "b" / "c"
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)
    defects = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for index in range(CALLS):
            name, what, call = hostile_calls.drawn(index, seed)
            outcome, reason = hostile_calls.outcome_of(call)
            if outcome == DEFECT:
                defects.append((name, what, reason))
    assert defects == []


def refuse(error):
    raise error


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: 3, ACCEPTED),
        (lambda: refuse(InputError("k is 0; give 1.")), REFUSED),
        (lambda: refuse(InputError("")), DEFECT),
        (lambda: refuse(NotFittedError("not fitted")), REFUSED),
        (lambda: check_array([1.0]), REFUSED),
        (lambda: refuse(ValueError("a sentence of nobody")), DEFECT),
        (lambda: {}["x"], DEFECT),
        (lambda: refuse(hostile_targets.BadResultError("labels from -1")), DEFECT),
        (lambda: refuse(MemoryError()), DEFECT),
    ],
)
def test_only_results_and_sentences_are_no_defects(call, expected):
    assert hostile_calls.outcome_of(call)[0] == expected


def test_labels_that_are_no_clusters_are_a_bad_result():
    for labels in ([0, -1], [0, 2], [0.0, 1.0], [[0, 1]]):
        with pytest.raises(hostile_targets.BadResultError, match="labels"):
            hostile_targets._check(labels, 2)
    hostile_targets._check([0, 1], 2)


def test_the_same_seed_draws_the_same_calls():
    first = [hostile_calls.drawn(i, 5)[:2] for i in range(30)]
    assert [hostile_calls.drawn(i, 5)[:2] for i in range(30)] == first
    assert [hostile_calls.drawn(i, 6)[:2] for i in range(30)] != first


def test_a_process_that_dies_is_a_defect_and_the_others_go_on(tmp_path, monkeypatch):
    dying = tmp_path / "dying.py"
    dying.write_text(
        "import json, os, sys\n"
        "start = int(sys.argv[1])\n"
        "for i in range(start, 3):\n"
        "    print(json.dumps([i, 'f', 'x: y']), flush=True)\n"
        "    if i == 1: os._exit(11)\n"
        "    print(json.dumps([i, 'accepted', '']), flush=True)\n"
    )
    popen = hostile_calls.subprocess.Popen

    def instead(command, **options):
        return popen(
            [sys.executable, str(dying), command[command.index("--worker") + 1]], **options
        )

    monkeypatch.setattr(hostile_calls.subprocess, "Popen", instead)
    records = list(hostile_calls.run(3, 0))
    assert [record[2] for record in records] == [ACCEPTED, DEFECT, ACCEPTED]
    assert "died or hung (code 11)" in records[1][3]
    lines = hostile_calls.table(records)
    assert lines[1].split() == ["f", "3", "2", "0", "1"]
    assert lines[-1].startswith("1 x f: the process died")


@pytest.mark.parametrize("door", hostile_doors.targets(hostile_targets._table), ids=lambda d: d[0])
def test_every_door_takes_its_good_arguments(door):
    target = hostile_targets.Target(*door)
    target.call(**{name: make() for name, make in target.good.items()})


def test_a_command_line_that_ends_in_a_fault_is_a_defect(monkeypatch):
    monkeypatch.setattr("kinfolk.cli.main", lambda words: 1)
    call = functools.partial(hostile_doors.typed, "methods", "x", 0, "y", "")
    assert hostile_calls.outcome_of(call)[0] == DEFECT
