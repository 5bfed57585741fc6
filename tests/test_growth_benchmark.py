"""The benchmark of growth: each fit in a process of its own, its limits, and its tables."""

import json

import numpy as np
import pytest
from benchmarks import folders, growing, growth

from kinfolk import catalogue

DATA = growth.data("200 x 100", None)


def test_all_methods_of_several_tasks_are_measured():
    several = {n for n, e in catalogue.METHODS.items() if e.relation == catalogue.SEVERAL_TASKS}
    assert several < {*growth.METHODS}
    assert {"kt-mec", "lssttc"} < {*growth.METHODS}
    assert "mec" not in growth.METHODS


@pytest.mark.parametrize("method", ["joint-spectral", "per-task", "kt-mec", "lssttc"])
def test_a_fit_has_seconds_and_no_reason(method):
    found = growing.fit(method, DATA)
    assert found["ended"] == ""
    assert found["seconds"] > 0


def test_what_a_method_refuses_is_a_sentence():
    data = growth.data("200 x 100", None)
    data.target[data.tasks == "0"] = "0"  # one class in the first task
    found = growing.fit("lssmtc", data)
    assert found["ended"].startswith("refused: ")
    assert "number of clusters" in found["ended"]


def test_a_process_of_its_own_ends_at_its_limit():
    found = growing.measured("joint-spectral", DATA, seconds=60, gigabytes=8)
    assert found["ended"] == ""
    large = growth.data("3000 x 2000", None)
    assert growing.measured("shared-covariance", large, seconds=1, gigabytes=8)["ended"] == "time"


def test_memory_that_is_not_there_is_said(monkeypatch):
    def full(*_, **__):
        raise MemoryError

    monkeypatch.setattr(growing.ordinary, "fitted", full)
    assert growing.fit("lssmtc", DATA) == {"ended": "memory"}


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_an_exponent_is_that_of_the_power(power):
    sizes = np.array([1000.0, 2000.0, 4000.0])
    assert growth.exponent(sizes, 3.0 * sizes**power) == pytest.approx(power)


def test_the_page_shows_times_limits_growth_and_refusals(tmp_path):
    def put(name, method, **found):
        kept = {"limits": [60, 6.0], "ended": "", **found}
        folders.file(tmp_path, name, method).write_text(json.dumps(kept))

    for i, name in enumerate(growth.BY_ROWS):
        put(name, "stc", seconds=1.5 * 4.0**i, megabytes=10 * 2.0**i)
        put(name, "tsc", seconds=0.001, megabytes=0.1)
    put("webkb4", "stc", ended="time")
    put("handdigits", "stc", ended="memory")
    put("webkb4", "tsc", ended="refused: no.")
    page = growth.page(tmp_path)
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines()]
    real, grown = (line for line in lines if line and line[0] == "stc")
    assert real == ["stc", "> 60", "", "", "> 6 GB"]
    assert grown == ["stc", "1.50", "10", "24.00", "40", "", "", "2.0", "1.0", "", ""]
    small = [line for line in lines if line and line[0] == "tsc"]
    assert small[0] == ["tsc", "-", "-", "", ""]
    assert small[1][-4:] == ["", "", "", ""]  # too fast for a growth to be fitted
    assert "- tsc on webkb4: refused: no." in page


def test_runs_that_are_there_are_not_made_again(tmp_path, capsys, monkeypatch):
    command = ["growth", "--runs", str(tmp_path), "--only", "200 x 100", "--methods", "per-task"]
    monkeypatch.setattr(growing, "measured", lambda *_: {"ended": "", "seconds": 1, "megabytes": 2})
    for said in ("200 x 100 per-task: 1.00 s, 2 MB\n", ""):
        monkeypatch.setattr("sys.argv", command)
        growth.main()
        assert capsys.readouterr().out == said


def test_what_did_not_end_for_fewer_rows_is_not_tried_for_more(tmp_path, monkeypatch):
    monkeypatch.setattr(growing, "measured", lambda *_: {"ended": "time"})
    smallest, larger, _ = growth.BY_ROWS
    options = ["--methods", "per-task", "--seconds", "7", "--runs", str(tmp_path)]
    monkeypatch.setattr("sys.argv", ["growth", *options, "--only", smallest])
    growth.main()
    monkeypatch.setattr(growing, "measured", None)
    monkeypatch.setattr("sys.argv", ["growth", *options, "--only", larger])
    growth.main()
    assert growth.run(tmp_path, larger, "per-task") == {"limits": [7, 6.0], "ended": "time"}
