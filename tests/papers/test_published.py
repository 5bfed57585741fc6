import math

import pytest

from kinfolk import catalogue
from kinfolk.errors import InputError
from kinfolk.papers import published

PRINTED = {
    "mtcfir": {"table": range(2, 13), "figure": range(2, 9)},
    "mtcmrl": {"table": range(2, 5), "figure": range(1, 4)},
    "ktmec": {"table": (1, 2, 5, 7), "figure": range(1, 4)},
    "comvcf": {"table": range(2, 7), "figure": range(1, 4)},
    "lssmtc": {"table": range(3, 9), "figure": ()},
}
ITEMS = published.items()
BOUNDED = {"accuracy", "nmi", "rand index", "relatedness", "relation"}


def cells():
    """Yield every cell that has a number, with its item, row and column."""
    for item in ITEMS.values():
        for row in item.rows:
            for column, cell in zip(item.columns, row.cells, strict=True):
                if cell.mean is not None:
                    yield item, row, column, cell


def doubted(item, row, column):
    return (row.label, str(column)) in {(doubt.row, doubt.column) for doubt in item.doubts}


def could_be(printed, scale, possible):
    """True if one of `possible` equally spaced shares of 1 would be printed so."""
    share = float(printed) / scale
    half = 0.5 * 10.0 ** -len(printed.partition(".")[2]) / scale
    return abs(round(share * possible) / possible - share) <= half * (1 + 1e-6)


def test_every_table_and_figure_is_there_and_nothing_else():
    matrices = {f"mtcmrl-matrix-{data}" for data in ("webkb4", "20newsgroups", "reuters")}
    numbered = {
        f"{paper}-{kind}-{number}"
        for paper, kinds in PRINTED.items()
        for kind, numbers in kinds.items()
        for number in numbers
    }
    assert set(ITEMS) == numbered | matrices
    assert all(id.startswith(f"{e.paper}-{e.kind}") for id, e in ITEMS.items())


def test_every_row_has_a_cell_for_every_column():
    for item in ITEMS.values():
        assert bool(item.rows) == bool(item.columns) == (item.kind != "figure")
        assert {len(row.cells) for row in item.rows} <= {len(item.columns)}
        assert bool(item.plots) == (item.kind == "figure")


def test_the_third_value_of_a_method_says_why_it_is_not_there():
    methods = {"DMTFC": ["", "together", "a step could not be read"], "SNMF": ["symnmf", "alone"]}
    row = published._row("DMTFC | 75.11", 1, methods)
    assert (row.ours, row.strategy, row.reason) == ("", "together", "a step could not be read")
    assert published._row("SNMF | 75.11", 1, methods).reason == ""


def test_scores_are_shares():
    for item, _, column, cell in cells():
        whole = {"percent": 100, "fraction": 1}.get(item.unit, math.inf)
        assert 0 <= cell.mean <= whole
        assert math.isfinite(whole) or column.measure not in BOUNDED
        assert cell.deviation is None or 0 <= cell.deviation <= whole / 2


def test_every_method_of_ours_is_in_the_catalogue():
    ours = {(row.ours, row.strategy) for e in ITEMS.values() for row in e.rows if row.ours}
    assert {name for name, _ in ours} <= set(catalogue.METHODS)
    assert {"mtcfir", "mtcmrl", "kt-mec", "comvcf", "lssmtc-released"} <= {n for n, _ in ours}
    assert all(way in {"alone", "pooled", "together"} for _, way in ours)


def test_rows_without_a_way_are_no_methods():
    for item in ITEMS.values():
        ways = {bool(row.strategy) for row in item.rows}
        assert len(ways) <= 1
        assert ways != {False} or item.columns[0].measure in {
            "relatedness",
            "relation",
            "discrepancy",
        }


def test_accuracies_are_means_over_the_runs_of_counts_of_rows():
    tested = 0
    for item, row, column, cell in cells():
        data = published.compositions(item.paper).get(item.data[0])
        if column.measure != "accuracy" or doubted(item, row, column):
            continue
        n = sum(data.tasks[column.group.split(" to ")[-1]].values())
        runs = 1 if row.label in item.protocol.single_runs else item.protocol.runs
        scale = 100 if item.unit == "percent" else 1
        printed = cell.printed.partition("±")[0]
        assert could_be(printed, scale, n * runs), (item.id, row.label, str(column))
        tested += n * runs < 10_000
    assert tested > 200


def test_doubts_name_printed_cells():
    doubts = [(item, doubt) for item in ITEMS.values() for doubt in item.doubts]
    assert doubts
    for item, doubt in doubts:
        assert doubt.row in {row.label for row in item.rows}
        assert doubt.column in {str(column) for column in item.columns}
        assert doubt.why


@pytest.mark.parametrize(("id", "data"), [("table-6", "20newsgroups"), ("table-7", "reuters")])
def test_ideal_relatedness_is_what_the_class_counts_give(id, data):
    item = published.item(f"mtcfir-{id}")
    tasks = published.compositions("mtcfir")[data].tasks
    themes = {"gnp": "economy", "cpi": "economy", "ipi": "economy", "nat-gas": "energy"}
    themes |= {"gold": "metal", "iron-steel": "metal", "copper": "metal"}
    themes |= {"cocoa": "food", "coffee": "food"}

    def theme(name):
        return themes.get(name, name.split(".")[0])

    def shared(t, s):
        others = {theme(name) for name in tasks[s]}
        kept = sum(rows for name, rows in tasks[t].items() if theme(name) in others)
        return kept / sum(tasks[t].values())

    for row in item.rows:
        for column, cell in zip(item.columns, row.cells, strict=True):
            t, s = row.label, column.group
            assert cell.mean == pytest.approx(shared(t, s) * shared(s, t), abs=0.005)


def test_learned_relations_of_clusters_sum_to_one():
    matrices = [item for item in ITEMS.values() if item.kind == "matrix"]
    assert len(matrices) == 3
    for item in matrices:
        total = sum(cell.mean for row in item.rows for cell in row.cells)
        assert total == pytest.approx(1, abs=1e-9)


def test_the_own_task_has_relatedness_one():
    for number in range(6, 12):
        rows = published.item(f"mtcfir-table-{number}").rows
        assert [row.cells[t].mean for t, row in enumerate(rows)] == [1] * len(rows)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("mtcfir-table-2", "mtcmrl-table-2", "k-means SNMF LSSMTC S-MBC S-MKC DMTFC DMTRC"),
        ("mtcfir-table-4", "mtcmrl-table-3", "k-means SNMF S-MBC S-MKC"),
    ],
)
def test_two_papers_of_the_same_authors_agree_where_they_share_runs(one, other, same):
    a, b = ({row.label: row.cells for row in published.item(id).rows} for id in (one, other))
    assert {label for label in a.keys() & b.keys() if a[label] == b[label]} == set(same.split())


def test_protocols_say_everything():
    for item in ITEMS.values():
        said = vars(item.protocol)
        assert all(said[name] for name in ("preparation", "grid", "choice", "start", "stopping"))
        scored = {column.measure for column in item.columns} & {"accuracy", "nmi", "rand index"}
        assert not scored or item.protocol.runs
        assert not scored or "true classes" in item.protocol.choice
        assert item.protocol.nmi in {"geometric", "max", "not stated"}


def test_swept_and_fixed_parameters_are_ours():
    swept = [item for item in ITEMS.values() if item.sweep]
    assert len(swept) == 10
    for item in swept:
        parameters = catalogue.method(item.paper).cls().get_params(deep=False)
        assert {*item.sweep, *item.fixed} <= {*parameters, "n_clusters"}


def test_printed_cells_keep_their_digits():
    cell = published.item("mtcfir-table-2").rows[0].cells[0]
    assert cell == published.PrintedCell("64.00±0.00", 64.0, 0.0)
    absent, unread = published.PrintedCell.read("-"), published.PrintedCell.read("?")
    assert absent.mean is unread.mean is None
    assert absent != unread


def test_an_unknown_id_is_answered_with_the_closest():
    with pytest.raises(InputError, match=r"'mtcfir-tabel-2'; did you mean 'mtcfir-table-2'"):
        published.item("mtcfir-tabel-2")
    with pytest.raises(InputError, match="no paper 'nobody'"):
        published.compositions("nobody")


def test_a_changed_answer_does_not_change_the_next():
    published.items().clear()
    assert published.items() == ITEMS


def test_every_method_that_the_library_lacks_has_a_reason_in_the_papers_files():
    lacking = {
        (row.label, row.reason)
        for item in ITEMS.values()
        for row in item.rows
        if row.strategy and not row.ours
    }
    assert lacking == {
        ("FMR", "left out: a step of its paper has no minimum"),
        ("Co-FW-MVFCM", "left out: its paper divides by zero at t = V"),
    }
