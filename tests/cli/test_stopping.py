"""Ctrl-C ends the command line with 130, and leaves whole files or none."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import interrupting
import kinfolk as kf
from kinfolk import cli
from kinfolk.choosing import fitting, null_model
from kinfolk.cli import study_text
from kinfolk.comparison import files
from kinfolk.disk import file_sets, folder_exchange, sealed
from kinfolk.methods.multitask.baselines import Pooled
from kinfolk.methods.multitask.feature_instance import MTCFIR
from kinfolk.models import storage
from kinfolk.report import page


def interrupt(*_, **__):
    raise KeyboardInterrupt


def test_stopping_during_the_fit_leaves_nothing(kinfolk, table, roles, quick, monkeypatch):
    monkeypatch.setattr(MTCFIR, "fit", interrupt)
    said = kinfolk("run", table, *roles, *quick, "--out", "out")
    assert said.code == cli.STOPPED
    assert said.out == ""
    assert os.listdir() == ["shops.csv"]


@pytest.mark.filterwarnings("default:interrupted")
def test_stopping_while_many_methods_are_asked_keeps_what_they_said(
    kinfolk, table, roles, monkeypatch
):
    fit, made = fitting.fit, []

    def stopped(estimator, *rest):
        if len(made) == 7:
            raise KeyboardInterrupt
        made.append(estimator)
        return fit(estimator, *rest)

    monkeypatch.setattr(fitting, "fit", stopped)
    said = kinfolk("run", table, *roles, "--clusters", 2, "--out", "out")
    assert said.code == 0
    notes = [line for line in said.err.splitlines() if "nterrupted" in line]
    assert len(notes) == 1
    assert notes[0].startswith("Interrupted after 7 runs")
    assert notes[0] in Path("out/report.html").read_text("utf-8")
    assert len(kf.load("out/model").estimator.evidence_) == 2 * 7


@pytest.mark.filterwarnings("default:interrupted")
@pytest.mark.parametrize(
    ("module", "function", "sentence"),
    [
        (null_model, "null_scores", "which was not tested"),
        (Pooled, "fit", "No scores of pooled: Ctrl-C came before it was done."),
    ],
)
def test_stopping_after_the_runs_keeps_the_answer(
    module, function, sentence, kinfolk, table, roles, monkeypatch
):
    interrupting.at_calls(monkeypatch, module, function, 1)
    # Two families alone, which are quick; both have a run before any of these steps.
    few = ("--clusters", 2, "--set", 'families=["kmeans", "mec"]')
    said = kinfolk("run", table, *roles, *few, "--out", "out")
    assert said.code == 0, said.err
    assert sentence in said.out + said.err
    assert file_sets.damaged("out") == []
    assert Path("out/labels.csv").stat().st_size > 100


def test_stopping_during_an_import_is_no_fault(kinfolk, table, roles, quick, monkeypatch):
    def during_an_import(*_, **__):
        raise RuntimeError("Error calling __set_name__ on 'value'") from KeyboardInterrupt()

    monkeypatch.setattr(MTCFIR, "fit", during_an_import)
    said = kinfolk("run", table, *roles, *quick, "--out", "out")
    assert said.code == cli.STOPPED
    assert "Stopped" in said.err


def test_stopping_during_the_first_import_shows_no_traceback():
    script = """if True:
    import signal
    import sys

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it

    class Finder:
        def find_spec(self, name, path=None, target=None):
            if name == "kinfolk":
                signal.raise_signal(signal.SIGINT)

    sys.meta_path.insert(0, Finder())
    import kinfolk_command

    kinfolk_command.main()
    """
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert ended.returncode == cli.STOPPED
    assert ended.stderr == "Stopped before anything was begun.\n"


def test_stopping_is_told(kinfolk, table, roles, quick, monkeypatch):
    monkeypatch.setattr(MTCFIR, "fit", interrupt)
    assert "Stopped" in kinfolk("run", table, *roles, *quick, "--out", "out").err


@pytest.mark.parametrize("function", ["run_id", "report_page"])
def test_stopping_once_while_results_are_made_ready_writes_them(
    function, kinfolk, table, roles, quick, monkeypatch
):
    interrupting.at_calls(monkeypatch, files, function, 1)
    said = kinfolk("run", table, *roles, *quick, "--out", "out")
    assert said.code == 0
    assert "Interrupted while results were written: the report has no pictures." in said.err
    assert file_sets.damaged("out") == []


@pytest.mark.parametrize(
    ("owner", "function"),
    [
        (sealed, "format_arrays"),
        (storage.json, "dumps"),
        (page, "render"),
        (folder_exchange, "exchange"),
    ],
)
def test_stopping_while_files_are_written_leaves_nothing(
    owner, function, kinfolk, table, roles, quick, monkeypatch
):
    with monkeypatch.context() as patch:
        patch.setattr(owner, function, interrupt)
        said = kinfolk("run", table, *roles, *quick, "--out", "out")
    assert said.code == cli.STOPPED
    assert os.listdir() == ["shops.csv"]
    assert "out is as it was; the same command starts the run again" in said.err


def test_stopping_leaves_the_results_of_an_earlier_run_as_they_were(
    kinfolk, table, roles, quick, monkeypatch
):
    kinfolk("run", table, *roles, *quick, "--out", "out")
    before = {path: path.read_bytes() for path in Path("out").rglob("*") if path.is_file()}
    monkeypatch.setattr(MTCFIR, "fit", interrupt)
    assert kinfolk("run", table, *roles, *quick, "--out", "out").code == cli.STOPPED
    assert {p: p.read_bytes() for p in Path("out").rglob("*") if p.is_file()} == before


FIT_THAT_SAYS_SO = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
from kinfolk.cli import main
from kinfolk.methods.multitask.baselines import Pooled
from kinfolk.methods.multitask.feature_instance import MTCFIR
fit = MTCFIR.fit
def announced(*args, **options):
    print("fitting", flush=True)
    for _ in range(1000):
        fit(*args, **options)
MTCFIR.fit = announced
sys.exit(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a signal of POSIX")
def test_a_signal_during_the_fit_stops_the_process(table, roles, quick):
    arguments = ["run", str(table), *roles, *map(str, quick), "--out", "out"]
    with subprocess.Popen(
        [sys.executable, "-c", FIT_THAT_SAYS_SO, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout.readline() == "fitting\n"
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert running.returncode == cli.STOPPED, err
    assert out == ""
    assert "Traceback" not in err
    assert os.listdir() == ["shops.csv"]


@pytest.mark.skipif(sys.platform == "win32", reason="a signal of POSIX")
def test_sigterm_during_the_fit_stops_as_ctrl_c_does(kinfolk, table, roles, quick, monkeypatch):
    monkeypatch.setattr(MTCFIR, "fit", lambda *_, **__: signal.raise_signal(signal.SIGTERM))
    said = kinfolk("run", table, *roles, *quick, "--out", "out")
    assert said.code == cli.TERMINATED == 143
    assert "out is as it was; the same command starts the run again" in said.err
    assert os.listdir() == ["shops.csv"]


def test_stopping_after_the_files_were_exchanged_says_that_they_are_new(
    kinfolk, table, roles, quick, monkeypatch
):
    monkeypatch.setattr(study_text, "show", interrupt)
    said = kinfolk("run", table, *roles, *quick, "--out", "out")
    assert said.code == cli.STOPPED
    assert "out holds the new results" in said.err
    assert file_sets.damaged("out") == []
