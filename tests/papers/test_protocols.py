import functools

import pytest

from kinfolk import catalogue, datasets
from kinfolk.papers import as_printed, preparations, protocols, published, readings
from kinfolk.papers.store import canonical
from kinfolk.preparation import Preparation
from made_views import related_views

ITEMS = published.items().values()


@functools.cache
def options_of(data):
    return set(datasets.AVAILABLE[data].options)


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
            assert set(run.data_options) <= options_of(run.data)


@pytest.mark.parametrize("item", [e for e in ITEMS if e.kind == "table"], ids=lambda e: e.id)
def test_every_row_that_we_have_is_run(item):
    if protocols.planned_cells(item, quick=True):
        pieces = protocols.planned_cells(item, quick=True)
        rows = {piece.row for piece in pieces if not piece.reading_of}
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
    for row in ("SVM", "TSVM", "GFHF", "LLGC", "LSSTTC"):
        assert [piece.runs[0].strategy for piece in found if piece.row == row] == [
            "windows-crypt to mac-space",
            "mac-space to windows-crypt",
        ]


TABLES = [item for item in ITEMS if item.kind == "table"]


def n_repeats(item, quick):
    printed = item.protocol.runs or 1
    return min(printed, 3) if quick else printed


@pytest.mark.parametrize("item", TABLES, ids=lambda e: e.id)
def test_the_number_of_runs_is_settings_times_repeats(item):
    methods = {row.label: row.ours for row in item.rows}
    if item.id in {f"mtcfir-table-{n}" for n in (6, 7, 8, 9, 10, 11, 12)}:
        return  # not tables of results
    for cell in protocols.planned_cells(item):
        method = methods.get(cell.row)
        if method is None:
            if cell.reading_of:
                continue  # tested beside the printed row
            assert cell.row == protocols.KINFOLK_ROW
            assert [run.seed for run in cell.runs] == list(range(protocols.KINFOLK_REPEATS))
            continue
        grid = catalogue.method(method).grid
        if method == "lssmtc-released" and item.paper in ("mtcfir", "mtcmrl"):
            grid = protocols.WIDE_LSSMTC
        if method == "samtc" and item.paper == "mtcmrl":
            grid = protocols.COUNTED_NEIGHBORS
        draws = "random_state" in catalogue.method(method).make().get_params(deep=False)
        once = cell.row in item.protocol.single_runs
        n = n_repeats(item, quick=False) if draws and not once else 1
        for values in grid.values():
            n *= len(values)
        assert len(cell.runs) == n


@pytest.mark.parametrize("item", ITEMS, ids=lambda e: e.id)
def test_a_quick_plan_has_distinct_runs_from_one_start_each(item):
    for cell in protocols.planned_cells(item, quick=True):
        runs = list(cell.runs)
        assert len({canonical(vars(run)) for run in runs}) == len(runs) == len(cell.runs)
        assert {run.data for run in runs} == {cell.data}
        assert {run.seed for run in runs} <= set(range(3))
        other = {
            readings.UNIT_LENGTH: {"scale": "unit"},
            readings.WEIGHTED: {"scale": "unit", "text_weighting": "tfidf"},
        }.get(cell.row.partition(", ")[2], {})
        for run in runs:
            assert run.preparation == {**preparations.preparation(item.paper, run.data), **other}
        known = catalogue.method(runs[0].method).make().get_params(deep=False) if runs else {}
        if cell.row != protocols.KINFOLK_ROW and "n_init" in known:
            best_of = as_printed.BEST_OF_KMEANS.get(item.paper, 1)
            n = best_of if runs[0].method == "kmeans" else 1
            assert {run.parameters["n_init"] for run in runs} == {n}
            assert {run.parameters.get("kmeans_n_init", best_of) for run in runs} == {best_of}


def test_another_reading_differs_from_the_printed_row_in_that_point_alone():
    cells = {cell.row: cell for cell in protocols.planned_cells(published.item("mtcfir-table-2"))}
    other = cells[f"MTCFIR, {readings.DIVIDED}"]
    assert other.reading_of == "MTCFIR"
    for run, printed in zip(other.runs, cells["MTCFIR"].runs, strict=True):
        assert run.parameters == printed.parameters | {"divide_by_degrees": True}
        assert (run.seed, run.data, run.preparation) == (
            printed.seed,
            printed.data,
            printed.preparation,
        )


def test_the_three_corpora_of_one_paper_are_prepared_alike():
    own = [
        preparations.preparation("mtcfir", name) for name in ("webkb4", "reuters", "20newsgroups")
    ]
    assert len({(found["text_weighting"], found["stop_words"]) for found in own}) == 1
    assert preparations.preparation("lssmtc", "webkb4") != protocols.preparation("mtcfir", "webkb4")


def test_counting_runs_makes_none():
    made = []
    runs = protocols.LazyRuns(5, lambda: made.append("made") or [1, 2, 3, 4, 5])
    assert len(runs) == 5
    assert made == []
    assert runs[1:3] == [2, 3]
    assert list(runs) == [1, 2, 3, 4, 5]
    assert made == ["made"]  # once


@pytest.mark.parametrize("keep", [1, 2, 3, 4])
@pytest.mark.parametrize("n", [1, 2, 3, 5, 9, 10])
def test_thinned_values_are_some_of_all_in_their_order(n, keep):
    values = tuple(range(n))
    found = protocols.thinned(values, keep)
    assert len(found) == min(n, keep)
    assert list(found) == sorted(set(found))
    assert set(found) <= set(values)
    # As far from one end as from the other, up to one value.
    assert abs(found[0] - (n - 1 - found[-1])) <= 1


def test_one_parameter_varies_while_the_others_are_held():
    item = published.item("mtcmrl-figure-1")
    cells = protocols.planned_cells(item)
    assert [(cell.data, cell.row) for cell in cells] == [
        (data, name) for data in item.data for name in item.sweep
    ]
    for cell in cells:
        values = item.sweep[cell.row] or catalogue.method("mtcmrl").grid[cell.row]
        for run in cell.runs:
            starts = {"n_init", "kmeans_n_init"}
            ours = {cell.row, *starts, "max_iter", "tol", *as_printed.STEPS}
            held = {k: v for k, v in run.parameters.items() if k not in ours}
            assert held == {k: v for k, v in item.fixed.items() if k != cell.row}
        shown = list(dict.fromkeys(run.parameters[cell.row] for run in cell.runs))
        assert shown == list(values)


def test_layers_are_tried_from_the_fewest():
    for cell in protocols.planned_cells(published.item("mtcfir-figure-2")):
        layers = [run.parameters.get("n_layers", 3) for run in cell.runs]
        assert layers == sorted(layers)
        assert tuple(dict.fromkeys(layers)) == protocols.LAYER_COUNTS


@pytest.mark.parametrize("quick", [False, True])
def test_runs_of_the_default_layers_are_those_of_the_tables(quick):
    (table,) = protocols.planned_cells(published.item("mtcfir-table-11"), quick)
    figure = protocols.planned_cells(published.item("mtcfir-figure-3"), quick)
    (curve,) = (cell for cell in figure if cell.data == "reuters")
    assert [run for run in curve.runs if "n_layers" not in run.parameters] == list(table.runs)


@pytest.mark.parametrize("id", ["mtcfir-table-6", "mtcfir-table-12", "ktmec-figure-3"])
def test_items_counted_from_data_need_no_run(id):
    assert protocols.planned_cells(published.item(id)) == []


def test_methods_take_the_steps_and_the_similarity_of_the_papers():
    for run in protocols.planned_cells(published.item("mtcfir-table-2"))[-2].runs:
        assert (run.method, run.parameters["update"]) == ("mtcfir", "multiplicative")
        assert run.parameters["affinity"] == "cosine"


def test_soft_memberships_take_the_published_start_step_and_sweeps():
    methods = {}
    for id in ("lssmtc-table-4", "lssmtc-table-8"):
        for cell in protocols.planned_cells(published.item(id)):
            for run in cell.runs[:1]:
                methods[run.method] = catalogue.method(run.method).make(**run.parameters)
    for name, init in (("asi", "random"), ("lssmtc-released", "random"), ("lssttc", "matched")):
        model = methods[name]
        assert (model.update, model.init, model.max_iter) == ("multiplicative", init, 20)
    assert methods["lssttc"].centers == "all"


def test_a_descent_is_one_run_at_the_defaults():
    for id in ("mtcmrl-figure-2", "comvcf-figure-1"):
        item = published.item(id)
        cells = protocols.planned_cells(item)
        assert [cell.data for cell in cells] == list(item.data)
        for cell in cells:
            (run,) = cell.runs
            assert run.seed == 0
            assert run.parameters["n_init"] == 1
            starts = {"n_init", "kmeans_n_init"}
            assert {*run.parameters} <= {*starts, "max_iter", "tol", *as_printed.STEPS}


def test_s_mbc_is_also_read_with_rows_of_unit_length():
    cells = {cell.row: cell for cell in protocols.planned_cells(published.item("mtcfir-table-5"))}
    plain = cells["S-MBC"].runs[0]
    other = cells[f"S-MBC, {readings.UNIT_LENGTH}"].runs[0]
    assert other.preparation == {**plain.preparation, "scale": "unit"}
    assert other.parameters == plain.parameters


def test_a_classification_is_read_with_weighted_counts_for_each_pair_of_tasks():
    cells = list(protocols.planned_cells(published.item("lssmtc-table-8")))
    other = [cell for cell in cells if cell.row == f"SVM, {readings.WEIGHTED}"]
    assert [cell.group for cell in other] == ["task 1 to task 2", "task 2 to task 1"]
    for cell in other:
        (run,) = cell.runs
        assert run.preparation == {"text_weighting": "tfidf", "scale": "unit"}


def test_rows_of_single_runs_have_one_seed():
    cells = {c.row: c for c in protocols.planned_cells(published.item("mtcfir-table-2"))}
    assert {run.seed for run in cells["DMTFC"].runs} == {0}
    assert {run.seed for run in cells["MTCFIR"].runs} == set(range(10))
    cells = {c.row: c for c in protocols.planned_cells(published.item("lssmtc-table-8"))}
    assert {run.seed for run in cells["TSVM"].runs} == {0}


def test_methods_of_views_take_the_parameters_of_their_plans():
    X, views, _ = related_views(signed=False)
    fitted = set()
    for id in ("comvcf-table-3", "comvcf-table-5", "comvcf-table-6", "comvcf-figure-1"):
        for cell in protocols.planned_cells(published.item(id), quick=True):
            run = cell.runs[0]
            entry = catalogue.method(run.method)
            few = {"max_iter": 2} if "max_iter" in run.parameters else {}
            if run.method not in fitted and "views" in entry.cls().get_params(deep=False):
                entry.make(n_clusters=3, views=views, **{**run.parameters, **few}).fit(X)
                fitted.add(run.method)
    assert {"comvcf", "comvcf-n", "mvcf", "cofkm", "multinmf"} <= fitted
