"""Each kind of printed item goes to its own writer, and every cell of a table is printed."""

import csv

import pytest

from kinfolk.papers import published, reproduction

TABLES = ("mtcfir-table-2", "mtcfir-table-9", "mtcmrl-matrix-reuters", "ktmec-table-2")


def written(item, store, folder, **options):
    """Write all files of an item; return the first path and the summary."""
    found = reproduction.render(item, store, **options)
    assert sorted(found.contents) == sorted(reproduction.file_names(item))
    for name, content in found.contents.items():
        (folder / name).write_bytes(content)
    return folder / found.first, found.summary


@pytest.mark.parametrize("id", TABLES)
def test_a_table_of_an_empty_store_has_every_printed_cell(store, tmp_path, id):
    item = published.item(id)
    path, summary = written(item, store, tmp_path, quick=True)
    assert path == tmp_path / f"{id}.md"
    n_cells = len(item.rows) * len(item.columns)
    assert summary == f"none of {n_cells} printed figures has ours beside it"
    with (tmp_path / f"{id}.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    printed = [cell.printed for row in item.rows for cell in row.cells]
    assert [row["published"] for row in rows[:n_cells]] == printed
    assert {row["ours, chosen with labels"] for row in rows} == {""}


@pytest.mark.parametrize("id", ["mtcfir-table-6", "mtcfir-table-12"])
def test_a_table_without_runs_names_the_missing_data(store, tmp_path, id):
    path, _ = written(published.item(id), store, tmp_path, data=tmp_path)
    assert str(tmp_path) in path.read_text("utf-8")


@pytest.mark.parametrize("id", ["comvcf-figure-1", "mtcfir-figure-8", "ktmec-figure-1"])
def test_a_figure_is_three_files(store, tmp_path, id):
    path, summary = written(published.item(id), store, tmp_path, quick=True)
    assert path == tmp_path / f"{id}.svg"
    assert all(path.with_suffix(ending).stat().st_size for ending in (".png", ".csv"))
    assert summary
