"""Damaged files of every format are refused in a sentence or harmless; none ends the process."""

import importlib.util
import json
import os
import signal
import time

import numpy as np
import pytest
from benchmarks import damage, damaged_files, damaged_formats
from benchmarks.damaged_formats import FORMATS, Format

from kinfolk.errors import FileFormatError

FEW, MANY = 20, 500
"""Files of each format in each run of the tests, in 10 seconds; and by `-m slow`, as in CI."""


def assert_no_defect(name, n, first=0):
    found = damaged_files.tried(name, n, seed=1, first=first)
    assert not found.defects
    assert found.counts["refused"] + found.counts["harmless"] == n
    assert found.counts["refused"] > n / 5
    assert found.peak < 500 * 2**20


@pytest.mark.parametrize("name", FORMATS)
def test_damaged_files_are_refused_in_a_sentence_or_harmless(name):
    assert_no_defect(name, FEW)


def test_damaged_models_of_every_method_are_refused_in_a_sentence_or_harmless():
    models = damaged_formats.of_every_method()
    for i, name in enumerate(models):
        found = damaged_files.tried(name, 2, seed=2, first=2 * i)
        assert (name, found.defects) == (name, [])
    assert len(models) > 60


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_many_damaged_files_are_refused_in_a_sentence_or_harmless(name, request):
    if "slow" not in request.config.getoption("markexpr"):
        pytest.skip("500 files of each format take minutes: python -m pytest -m slow")
    assert_no_defect(name, MANY - FEW, first=FEW)


def written(folder):
    (folder / "t.txt").write_text("sound", "utf-8")
    return folder / "t.txt"


def numbered(sound, place, rng):
    place.write_text(str(rng.integers(10**9)), "utf-8")


def ending(folder):
    """Uses of a file that fail in each way that is counted."""
    calls = []

    def use(path):
        if path.read_text("utf-8") == "sound":
            return
        calls.append(path)
        _WAYS[(len(calls) - 1) % len(_WAYS)]()

    return use


def raises(error):
    def use():
        raise error

    return use


_WAYS = (
    lambda: None,
    raises(FileFormatError("t is damaged: copy it again.")),
    raises(FileFormatError("two\nlines")),
    raises(KeyError("x")),
    lambda: os.kill(os.getpid(), signal.SIGKILL),
)


def test_every_way_to_go_wrong_is_counted(monkeypatch, tmp_path):
    monkeypatch.setitem(FORMATS, "made", Format(written, numbered, ending(tmp_path)))
    found = damaged_files.tried("made", 7)
    # After the process ended, a new one goes on with the next file and counts from the start.
    assert found.counts == {"harmless": 2, "refused": 2, "defect": 3}
    assert [i for i, _ in found.defects] == [2, 3, 4]
    assert [what.split()[0] for _, what in found.defects] == ["two\\nlines", "KeyError:", "the"]
    assert "SIGKILL" in found.defects[-1][1]
    assert found.line("made")[:5] == ["made", "7", "2", "2", "3"]


def test_a_process_that_a_library_ends_is_counted(monkeypatch):
    def use(path):
        if path.read_text("utf-8") != "sound":
            os._exit(1)

    monkeypatch.setitem(FORMATS, "made", Format(written, numbered, use))
    found = damaged_files.tried("made", 2)
    assert found.counts == {"defect": 2}
    assert "the process ended (exit 1)" in found.defects[0][1]


def test_a_file_that_takes_long_is_a_defect(monkeypatch, tmp_path):
    monkeypatch.setattr(damaged_files, "SECONDS", 1)
    former = signal.signal(signal.SIGALRM, damaged_files._too_slow)
    try:
        kind, _, what = damaged_files.outcome(lambda path: time.sleep(5), tmp_path)
    finally:
        signal.signal(signal.SIGALRM, former)
    assert kind == "defect"
    assert "more than 1 seconds" in what


@pytest.mark.parametrize("change", [damage.of_bytes, damage.of_json, damage.of_arrays])
def test_the_same_seed_makes_the_same_damage_and_leaves_the_sound_file(change):
    sound = {
        damage.of_bytes: b"a,b\n1,2\n3,4\n" * 9,
        damage.of_json: {"a": [1, {"b": "x"}], "c": 0.5},
        damage.of_arrays: {"a": np.arange(6.0).reshape(2, 3), "b": np.arange(4)},
    }[change]
    before = repr(sound)
    made = [repr(change(sound, np.random.default_rng([0, i]))) for i in range(50)]
    again = [repr(change(sound, np.random.default_rng([0, i]))) for i in range(50)]
    assert made == again
    assert repr(sound) == before
    assert sum(one != before for one in made) > 40
    assert len(set(made)) > 25


def test_damaged_json_can_always_be_written():
    rng = np.random.default_rng(0)
    value = {"a": [1, {"b": "x"}], "c": 0.5}
    for _ in range(300):
        value = damage.of_json(value, rng) or value
        json.dumps(value)


def test_every_format_that_a_table_can_have_is_damaged():
    from kinfolk.sources import paths

    names = " ".join(FORMATS)
    # Cells are damaged where anndata is installed; CI does that in an environment of its own.
    needs = {".h5ad": "anndata", ".h5mu": "mudata"}
    left_out = {".ndjson", *(s for s, name in needs.items() if not importlib.util.find_spec(name))}
    for suffix in set(paths.TEXT_SUFFIXES + paths.BINARY_SUFFIXES) - left_out:
        assert suffix[1:] in names
    assert damaged_formats.FORMATS is FORMATS


def test_a_preparation_with_a_category_of_one_value_is_refused():
    found = damaged_files.tried("preparation", 1, first=235)  # found by the 20,000
    assert found.counts == {"refused": 1}
