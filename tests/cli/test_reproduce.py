import pytest

from kinfolk import datasets
from kinfolk.datasets import makers
from kinfolk.papers import protocols, published
from kinfolk.papers.store import Store

BLOBS = makers.make_related_blobs(n_samples=20, n_tasks=3, random_state=0)


@pytest.fixture(autouse=True)
def small_data(monkeypatch):
    monkeypatch.setattr(datasets, "load", lambda name, data=None, **options: BLOBS)


def test_all_printed_items_are_listed(kinfolk, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    said = kinfolk("reproduce", "--list")
    assert said.code == 0
    assert all(name in said.out for name in published.items())


@pytest.mark.usefixtures("few_null_tables")
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
    assert f"{len(runs)} done" in said.err
    made = (tmp_path / "made" / "mtcfir-table-5.md").read_text("utf-8")
    assert "| MTCFIR | gnp-gold-cocoa accuracy | 98.54±0.00 |" in made
    assert "| exact |  |\n| MTCFIR | gnp-gold-cocoa nmi |" in made
    with Store(tmp_path / "made" / "runs.sqlite", read_only=True) as store:
        assert len(store.runs(status="done")) == len(runs)
    again = kinfolk("reproduce", "mtcfir-table-5", "--quick", "--out", "made", "--quiet")
    assert "none was missing" in again.err
    assert (tmp_path / "made" / "mtcfir-table-5.md").read_text("utf-8") == made


def test_an_unknown_id_is_refused_before_any_work(kinfolk, tmp_path):
    said = kinfolk("reproduce", "mtcfir-table-99", "--out", "made")
    assert said.code == 2
    assert "the closest is 'mtcfir-table-9'" in said.err
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
