"""Printed means and ours of each method are those of the papers and of the reproduced tables."""

import csv
import runpy
from pathlib import Path

import numpy as np
import pytest

from kinfolk import catalogue
from kinfolk.papers import common_figures, published

ROOT = Path(__file__).parents[2]
REPRODUCED = ROOT / "docs" / "reproduction"
READ = {(figure.method, figure.measure): figure for figure in common_figures.read()}


def test_the_files_are_those_of_the_reproduced_tables():
    files = runpy.run_path(str(ROOT / "scripts" / "common_figures.py"))["files"]()
    for path, text in files.items():
        same = path.read_text("utf-8") == text
        assert same, f"{path.name} is stale: run python scripts/common_figures.py"


def test_every_method_of_the_tables_is_there():
    named = {
        row.ours
        for name in common_figures.TABLES
        for row in published.item(name).rows
        if row.ours and row.strategy != "pooled"
    }
    assert {method for method, _ in READ} == named | {"kinfolk"} <= catalogue.METHODS.keys()


@pytest.mark.parametrize(("method", "row"), [("mtcfir", "MTCFIR"), ("kmeans", "k-means")])
def test_the_means_are_as_by_hand(method, row):
    with (REPRODUCED / "mtcfir-table-2.csv").open(encoding="utf-8") as file:
        lines = [line for line in csv.DictReader(file) if line["row"] == row]
    nmi = [line for line in lines if line["column"].endswith("nmi")]
    assert len(nmi) == 4
    found = READ[method, "nmi"]
    shown = {
        "published": found.printed,
        "ours, chosen with labels": found.ours,
        "ours, without labels": found.label_free,
    }
    for column, mean in shown.items():
        by_hand = np.mean([float(line[column].split("±")[0]) for line in nmi])
        assert mean == pytest.approx(by_hand, abs=0.01)


def test_shares_become_percent_and_only_the_first_of_several_sets_counts():
    found = READ["kt-mec", "nmi"]
    item = published.item("ktmec-table-1")
    (row,) = [row for row in item.rows if row.ours == "kt-mec"]
    assert (found.data, str(item.columns[0])) == ("simulated-transfer-x1", f"{found.data} nmi")
    assert found.printed == pytest.approx(100 * row.cells[0].mean, abs=0.01)


def test_a_method_without_runs_has_only_the_printed_figure():
    found = {(f.method, f.measure): f for f in common_figures.figures({})}
    mtcfir = found["mtcfir", "accuracy"]
    assert mtcfir.printed == READ["mtcfir", "accuracy"].printed > 70
    assert np.isnan([mtcfir.ours, mtcfir.label_free]).all()
