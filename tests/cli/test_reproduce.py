import os
import re
from collections import Counter
from pathlib import Path

import pytest
import typer

from kinfolk import datasets
from kinfolk.cli import reproducing
from kinfolk.datasets import makers
from kinfolk.disk import file_sets
from kinfolk.errors import MissingDataError
from kinfolk.numerics import discriminative
from kinfolk.papers import as_printed, execution, protocols, published, table_files
from kinfolk.papers.store import Outcome, Store

BLOBS = makers.make_related_blobs(n_samples=20, n_tasks=3, random_state=0)


@pytest.fixture(autouse=True)
def small_data(monkeypatch):
    monkeypatch.setattr(datasets, "load", lambda name, data=None, **options: BLOBS)
    # Which labels are found matters to no test here, and k-means from 10 starts takes most of the
    # time of a run on 20 rows.
    few = dict.fromkeys(as_printed.BEST_OF_KMEANS, 2)
    monkeypatch.setattr(as_printed, "BEST_OF_KMEANS", few)
    monkeypatch.setattr(discriminative, "SEED_STARTS", 2)


def test_all_printed_items_are_listed(kinfolk, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    said = kinfolk("reproduce", "--list")
    assert said.code == 0
    assert all(name in said.out for name in published.items())


def test_a_table_is_written_and_nothing_is_run_twice(kinfolk, tmp_path, monkeypatch):
    few = {"reuters": {"families": ["kmeans"]}}  # all families take long
    monkeypatch.setattr(protocols, "KINFOLK_PARAMETERS", few)
    # A repeat takes the same way again.
    monkeypatch.setattr(protocols, "QUICK_REPEATS", 1)
    monkeypatch.setattr(protocols, "KINFOLK_REPEATS", 1)
    said = kinfolk("reproduce", "mtcfir-table-5", "--quick", "--out", "made", "--quiet")
    assert said.code == 0, said.err
    table = published.item("mtcfir-table-5")
    runs = [run for cell in protocols.planned_cells(table, quick=True) for run in cell.runs]
    made = (tmp_path / "made" / "mtcfir-table-5.md").read_text("utf-8")
    assert "| MTCFIR | gnp-gold-cocoa accuracy | 98.54±0.00 |" in made
    assert "| exact |  |\n| MTCFIR | gnp-gold-cocoa nmi |" in made
    with Store(tmp_path / "made" / "runs.sqlite", read_only=True) as store:
        # The blobs have negative entries, which some methods refuse.
        assert len(store.runs(status=("done", "refused"))) == len(runs)
        assert f"{len(store.runs(status='done'))} done" in said.err
    again = kinfolk("reproduce", "mtcfir-table-5", "--quick", "--out", "made", "--quiet")
    assert "none was missing" in again.err
    assert (tmp_path / "made" / "mtcfir-table-5.md").read_text("utf-8") == made


def test_the_runs_of_one_row_are_executed_and_other_rows_filled_from_the_store(kinfolk, tmp_path):
    options = ("mtcfir-table-5", "--quick", "--out", "made", "--quiet")
    said = kinfolk("reproduce", *options, "--row", "k-means")
    assert said.code == 0, said.err
    with Store(tmp_path / "made" / "runs.sqlite", read_only=True) as store:
        assert {run.spec.method for run in store.runs()} == {"kmeans"}
    wrong = kinfolk("reproduce", *options, "--row", "K")
    assert wrong.code == 2
    assert "--row is 'K'; choose of 'k-means', " in wrong.err


def test_tables_are_filled_from_the_store_without_a_run(kinfolk, tmp_path):
    options = ("mtcfir-table-5", "--quick", "--quiet", "--store", "kept.sqlite")
    assert kinfolk("reproduce", *options, "--row", "k-means", "--out", "first").code == 0
    before = (tmp_path / "kept.sqlite").read_bytes()
    said = kinfolk("reproduce", *options, "--stored", "--out", "again")
    assert said.code == 0, said.err
    assert (tmp_path / "kept.sqlite").read_bytes() == before
    first, again = ((tmp_path / f / "mtcfir-table-5.md").read_text() for f in ("first", "again"))
    assert again == first
    assert "0 of" in again  # the other rows
    both = kinfolk("reproduce", *options, "--stored", "--row", "k-means", "--out", "both")
    assert both.code == 2
    assert "give one of the two" in both.err


def test_a_quick_row_can_have_all_repeats_of_its_chosen_setting(kinfolk, tmp_path):
    options = ("mtcfir-table-5", "--quick", "--quiet", "--row", "k-means", "--out", "made")
    assert kinfolk("reproduce", *options, "--all-repeats").code == 0
    with Store(tmp_path / "made" / "runs.sqlite", read_only=True) as store:
        assert [run.spec.seed for run in store.runs()] == list(range(10))
    table = (tmp_path / "made" / "mtcfir-table-5.md").read_text()
    row = next(line for line in table.splitlines() if line.startswith("| k-means"))
    assert row.endswith("| exact | 10 repeats of the chosen setting |")
    said = kinfolk("reproduce", "mtcfir-table-5", "--all-repeats")
    assert said.code == 2
    assert "give it with --quick" in said.err
    for others in (("--stored",), ("--stored", "--quick")):
        said = kinfolk("reproduce", "mtcfir-table-5", "--all-repeats", *others)
        assert said.code == 2
        assert "--stored executes no runs, and --all-repeats some" in " ".join(said.err.split())
        assert "give it with --quick" not in said.err


def test_the_list_says_which_items_need_no_runs(kinfolk, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    lines = kinfolk("reproduce", "--list").out.splitlines()
    of = {name: next(line for line in lines if name in line) for name in ("mtcfir-table-12",)}
    assert of["mtcfir-table-12"].count("none needed") == 2
    assert sum("none needed" in line for line in lines) == 6


@pytest.fixture
def example(tmp_path):
    """Fixture: the module of docs/your-method.md in the current folder."""
    page = Path(__file__).parents[2] / "docs" / "your-method.md"
    text, *_ = re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    (tmp_path / "my_module.py").write_text(text)


ONLY = ("--only-method", "--quick", "--out", "made", "--quiet")


@pytest.mark.usefixtures("example")
@pytest.mark.parametrize("others", [("--row", "k-means"), ("--all-repeats",)])
def test_only_the_own_method_and_runs_of_other_rows_contradict_each_other(
    kinfolk, tmp_path, others
):
    named = ("reproduce", "--method", "my_module:CommonStart", "mtcfir-table-5")
    said = kinfolk(*named, *ONLY, *others)
    assert said.code == 2
    assert f"{others[0]} some of other rows: give one of the two" in said.err
    assert not (tmp_path / "made").exists()


@pytest.mark.usefixtures("example")
def test_the_method_of_the_page_gets_a_row_of_its_own(kinfolk, tmp_path):
    named = ("reproduce", "--method", "my_module:CommonStart", "mtcfir-table-5")
    said = kinfolk(*named, *ONLY)
    assert said.code == 0, said.err
    assert "6 done" in said.err
    assert "CommonStart (yours): mean accuracy " in said.err
    made = (tmp_path / "made" / "mtcfir-table-5.md").read_text("utf-8")
    assert "| CommonStart (yours) | gnp-gold-cocoa accuracy |  | " in made
    assert "CommonStart (yours) is my_module:CommonStart@" in made
    assert "none was missing" in kinfolk(*named, *ONLY).err
    more = kinfolk(*named, "--grid", "pull=0.1,0.2,0.9", *ONLY)
    assert "6 done" in more.err


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--method", "nowhere:Mine"), "There is no module 'nowhere'"),
        (("--method", "sklearn.cluster:KMeans", "--grid", "tol"), "--grid has 'tol'"),
        (("--grid", "tol=1"), "name --method"),
    ],
)
def test_a_method_that_cannot_be_run_is_refused_before_any_work(kinfolk, tmp_path, options, why):
    said = kinfolk("reproduce", "mtcfir-table-5", *options, "--out", "made")
    assert said.code == 2
    assert why in said.err
    assert not (tmp_path / "made").exists()


def test_an_unknown_id_is_refused_before_any_work(kinfolk, tmp_path):
    said = kinfolk("reproduce", "mtcfir-table-99", "--out", "made")
    assert said.code == 2
    assert "did you mean 'mtcfir-table-9'" in said.err
    assert not (tmp_path / "made").exists()


def test_nothing_named_is_told_what_to_name(kinfolk):
    said = kinfolk("reproduce")
    assert said.code == 2
    assert "--list shows all" in said.err


def test_figures_and_relatedness_are_written(kinfolk, tmp_path):
    names = "mtcfir-figure-7", "mtcfir-table-11"
    said = kinfolk("reproduce", *names, "--quick", "--out", "made", "--quiet")
    assert said.code == 0, said.err
    made = {path.name for path in (tmp_path / "made").iterdir()}
    assert {f"mtcfir-figure-7.{e}" for e in ("svg", "png", "csv")} < made
    table = (tmp_path / "made" / "mtcfir-table-11.md").read_text("utf-8")
    assert "| gnp-gold-cocoa | cpi-gas-steel relatedness | 0.43 |" in table


@pytest.mark.parametrize("jobs", ["0", "-2"])
def test_a_number_of_jobs_that_is_none_is_refused(kinfolk, tmp_path, jobs):
    said = kinfolk("reproduce", "mtcfir-table-5", "--jobs", jobs, "--out", "made")
    assert said.code == 2
    assert f"--jobs is {jobs}; give 1 or more, or -1" in said.err
    assert not (tmp_path / "made").exists()


def test_data_that_is_nowhere_is_told_before_any_run(kinfolk, tmp_path, monkeypatch):
    def nowhere(name, data=None, **options):
        raise MissingDataError(f"{name} was not found in {data}.")

    monkeypatch.setattr(datasets, "load", nowhere)
    said = kinfolk("reproduce", "mtcfir-table-5", "--data", "/nonexistent", "--out", "made")
    assert said.code == 3
    assert "was not found in /nonexistent" in said.err
    assert not (tmp_path / "made").exists()


def test_runs_that_fail_end_with_1_and_say_where_to_look(kinfolk, tmp_path, monkeypatch):
    def failed(key, run, source, threads, yours):
        return key, Outcome("failed", "ValueError: no")

    monkeypatch.setattr(execution, "_with_key", failed)
    said = kinfolk("reproduce", "ktmec-table-2", "--quick", "--out", "made", "--quiet")
    assert said.code == 1
    assert "runs failed; `kinfolk results made/runs.sqlite --status failed" in said.err
    assert (tmp_path / "made" / "ktmec-table-2.md").exists()


def test_a_file_of_somebody_else_is_refused_before_any_run(kinfolk, tmp_path):
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "mtcfir-table-5.md").write_text("mine")
    said = kinfolk("reproduce", "mtcfir-table-5", "--out", "made")
    assert said.code == 2
    assert "mtcfir-table-5.md was not written by Kinfolk" in said.err
    assert not (tmp_path / "made" / "runs.sqlite").exists()


def test_stopping_says_what_is_kept_and_the_same_command_goes_on(kinfolk, tmp_path, monkeypatch):
    with_key, ended = execution._with_key, []

    def stopped(*args):
        if len(ended) == 3:
            raise KeyboardInterrupt
        ended.append(args)
        return with_key(*args)

    command = ("reproduce", "ktmec-table-2", "--quick", "--out", "made", "--quiet")
    with monkeypatch.context() as patch:
        patch.setattr(execution, "_with_key", stopped)
        said = kinfolk(*command)
    assert said.code == 130
    assert "made/runs.sqlite keeps 3 new runs, and the same command goes on" in said.err
    assert [path.name for path in (tmp_path / "made").iterdir()] == ["runs.sqlite"]
    monkeypatch.setattr(execution, "_with_key", lambda key, *_: (key, Outcome("refused")))
    assert kinfolk(*command).code == 0
    with Store(tmp_path / "made" / "runs.sqlite", read_only=True) as store:
        statuses = [run.outcome.status for run in store.runs()]
    assert len(statuses) - statuses.count("refused") <= 3
    assert file_sets.damaged(tmp_path / "made") == []


def test_tables_that_were_cut_off_are_finished_by_the_same_command(kinfolk, tmp_path, monkeypatch):
    monkeypatch.setattr(execution, "_with_key", lambda key, *_: (key, Outcome("refused")))
    command = ("reproduce", "mtcfir-table-8", "--quick", "--out", "made", "--quiet")
    assert kinfolk(*command).code == 0
    replace = os.replace

    def cut(source, target):
        if str(target).endswith(".tex"):
            raise PermissionError(13, "Permission denied", str(target))
        replace(source, target)

    # Another text, so that the older files differ from the new ones.
    monkeypatch.setattr(table_files, "summary", lambda *_: "summary")
    monkeypatch.setattr(table_files, "introduction", lambda *_: ["Another introduction."])
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", cut)
        assert kinfolk(*command).code == 2
    assert (tmp_path / "made" / ".kinfolk-next").is_dir()
    assert file_sets.damaged(tmp_path / "made")
    assert kinfolk(*command).code == 0
    assert file_sets.damaged(tmp_path / "made") == []


def test_one_failed_run_is_told_in_the_singular(capsys):
    with pytest.raises(typer.Exit):
        reproducing.tell(Counter(failed=1), [], Path("runs.sqlite"), Path())
    assert "1 run failed; `kinfolk results runs.sqlite --status failed" in capsys.readouterr().err


def test_what_a_store_lacks_is_not_said_to_be_there_if_no_run_was_to_be_executed(kinfolk):
    said = kinfolk("reproduce", "mtcfir-table-9", "--stored", "--out", "made")
    assert "Runs: none was executed (--stored)" in said.err
    assert "none of 4 printed figures has ours" in said.err
