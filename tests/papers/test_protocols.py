import pytest

from kinfolk import catalogue, datasets
from kinfolk.papers import protocols, published
from kinfolk.preparation import Preparation

ITEMS = published.items().values()


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("item", ITEMS, ids=lambda e: e.id)
def test_every_run_names_what_exists(item, quick):
    if item.paper == "comvcf" and not quick:
        return  # a million runs, of the same kind as the quick ones
    for piece in protocols.planned_cells(item, quick):
        assert piece.runs
        for run in piece.runs[:: max(1, len(piece.runs) // 50)]:
            assert run.data in datasets.AVAILABLE
            entry = catalogue.method(run.method)
            entry.make(**run.parameters)
            Preparation(**run.preparation)
            assert set(run.data_options) <= set(datasets.AVAILABLE[run.data].options)


@pytest.mark.parametrize("item", [e for e in ITEMS if e.kind == "table"], ids=lambda e: e.id)
def test_every_row_that_we_have_is_run(item):
    if protocols.planned_cells(item, quick=True):
        rows = {piece.row for piece in protocols.planned_cells(item, quick=True)}
        ours = {row.label for row in item.rows if row.ours}
        shared = ours | {protocols.KINFOLK_ROW}
        transfers = "by the true classes of the target" in item.protocol.choice
        methods = [catalogue.method(row.ours) for row in item.rows if row.ours]
        tasks = any(method.relation.name == "several tasks" for method in methods)
        assert rows in ({""}, shared if tasks and not transfers else ours)


def test_a_quick_plan_is_smaller_and_its_values_are_of_the_grid():
    item = published.item("mtcfir-table-2")
    whole, few = (protocols.planned_cells(item, quick)[-2].runs for quick in (False, True))
    assert len(whole) == 250
    assert len(few) == 12
    assert set(map(repr, few)) <= set(map(repr, whole))


def test_repeats_follow_one_another_and_early_steps_come_first():
    runs = protocols.planned_cells(published.item("mtcfir-table-2"))[-2].runs
    assert [run.seed for run in runs[:10]] == list(range(10))
    noises = [run.parameters["noise"] for run in runs]
    assert noises == sorted(noises)


def test_classification_runs_from_each_source_to_each_target():
    found = protocols.planned_cells(published.item("lssmtc-table-8"), quick=True)
    assert [piece.runs[0].way for piece in found] == [
        "windows-crypt to mac-space",
        "mac-space to windows-crypt",
    ]
