from dataclasses import replace

import numpy as np
import pytest

from kinfolk.datasets import makers
from kinfolk.papers import execution, protocols, published, tables
from kinfolk.papers.published import Cell, Column, Row
from kinfolk.papers.store import Store

BLOBS = makers.make_related_blobs(n_samples=24, separation=3.0, random_state=0)
COLUMNS = tuple(Column(t, m) for t in ("first", "second") for m in ("accuracy", "nmi"))
ITEM = replace(
    published.item("mtcfir-table-5"),
    data=("blobs",),
    columns=COLUMNS,
    rows=(
        Row("k-means", "kmeans", "alone", (Cell.read("90.00±1.00"),) * 4),
        Row("S-MBC", "", "together", (Cell.read("80.00±1.00"),) * 4),
        Row("LSSTTC", "pca-kmeans", "pooled", (Cell.read("-"),) * 4),
        Row("MTCFIR", "mtcfir", "together", (Cell.read("95.00±1.00"),) * 4),
    ),
)


def load(name, **options):
    return BLOBS


@pytest.fixture(scope="module", autouse=True)
def few_candidates():
    """The row of `kf.Kinfolk` from one family of methods: all of them take long."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(protocols, "KINFOLK_PARAMETERS", {"blobs": {"families": ["kmeans"]}})
        yield


@pytest.fixture(scope="module")
def store(few_candidates, tmp_path_factory):
    with Store(tmp_path_factory.mktemp("runs") / "runs.sqlite") as kept:
        pieces = protocols.planned_cells(ITEM, quick=True)
        execution.execute([run for p in pieces for run in p.runs], kept, load=load)
        yield kept


def entry(entries, row, column):
    return next(e for e in entries if (e.row, e.column) == (row, column))


def test_every_printed_cell_has_a_line(store):
    entries = tables.table(ITEM, store, quick=True)
    assert [(e.row, e.column) for e in entries] == [
        (label, str(column))
        for label in (*(row.label for row in ITEM.rows), protocols.KINFOLK_ROW)
        for column in COLUMNS
    ]
    assert all(e.ours is not None and not e.note for e in entries if e.row == "MTCFIR")


def test_the_last_row_is_one_answer_without_labels(store):
    found = entry(tables.table(ITEM, store, quick=True), protocols.KINFOLK_ROW, "first nmi")
    assert (found.published, found.ours) == (None, None)
    assert len(found.label_free.repeats) == protocols.KINFOLK_REPEATS
    assert 0 <= found.label_free.mean <= 100


def test_a_method_that_the_library_lacks_is_not_made_up(store):
    found = entry(tables.table(ITEM, store, quick=True), "S-MBC", "first accuracy")
    assert found == tables.CellComparison(
        "S-MBC", "first accuracy", Cell.read("80.00±1.00"), note="not yet"
    )


def test_the_setting_chosen_with_labels_has_the_best_mean(store):
    rows = store.runs(method="mtcfir")
    means = {}
    for row in rows:
        key = tuple(row.spec.parameters.items())
        means.setdefault(key, []).append(np.mean([*row.outcome.scores["accuracy"].values()]))
    assert len(means) == 4
    best = dict(max(means, key=lambda key: np.mean(means[key])))
    found = entry(tables.table(ITEM, store, quick=True), "MTCFIR", "second nmi").ours
    repeats = [r.outcome.scores["nmi"]["task-1"] for r in rows if r.spec.parameters == best]
    np.testing.assert_allclose(found.repeats, 100 * np.array(repeats))
    assert found.mean == pytest.approx(100 * np.mean(repeats))
    assert found.deviation == pytest.approx(100 * np.std(repeats, ddof=1))
    assert found.n_settings == 4


def test_a_choice_without_labels_does_not_look_at_the_scores(store, tmp_path):
    rows = store.runs(method="mtcfir")
    blind = [
        replace(row, outcome=replace(row.outcome, scores={
            "silhouette": row.outcome.scores["silhouette"]}))
        for row in rows
    ]  # fmt: skip
    for task in ("task-0", "task-1"):
        assert tables.best_label_free(blind, [task], store) == tables.best_label_free(
            rows, [task], store
        )


def test_one_setting_is_the_same_with_and_without_labels(store):
    found = entry(tables.table(ITEM, store, quick=True), "k-means", "first nmi")
    assert found.ours.setting == found.label_free.setting
    assert found.ours.n_settings == 1


def test_missing_runs_are_said_and_not_filled_in(tmp_path):
    pieces = protocols.planned_cells(ITEM, quick=True)
    with Store(tmp_path / "runs.sqlite") as kept:
        execution.execute(pieces[-2].runs[:2], kept, load=load)
        entries = tables.table(ITEM, kept, quick=True)
    assert entry(entries, "MTCFIR", "first nmi").note == "2 of 12 runs"
    found = entry(entries, "k-means", "first nmi")
    assert (found.ours, found.note) == (None, "0 of 3 runs")


def test_a_refusal_is_told(tmp_path):
    unequal = replace(ITEM, rows=(Row("All KM", "kmeans", "pooled", ITEM.rows[0].cells),))
    pieces = protocols.planned_cells(unequal, quick=True)
    target = np.where(BLOBS.tasks == "task-0", "one", BLOBS.target)
    with Store(tmp_path / "runs.sqlite") as kept:
        execution.execute(pieces[0].runs, kept, load=lambda name: replace(BLOBS, target=target))
        (first, *_) = tables.table(unequal, kept, quick=True)
    assert first.ours is None
    assert "different numbers of clusters" in first.note or "refused" in first.note


def value(*repeats):
    repeats = np.array(repeats)
    return tables.Value(repeats.mean(), repeats.std(ddof=1), repeats, "{}", 1)


@pytest.mark.parametrize(
    ("own", "other", "mark"),
    [
        ((0.90, 0.91, 0.92, 0.90), (0.80, 0.82, 0.81, 0.80), "•"),
        ((0.90, 0.70, 0.92, 0.60), (0.80, 0.82, 0.81, 0.55), ""),  # not significantly
        ((0.80, 0.82, 0.81, 0.80), (0.90, 0.91, 0.92, 0.90), ""),  # it is worse
        ((0.90, 0.90, 0.90), (0.80, 0.80, 0.80), "•"),  # without any spread
        ((0.90, 0.91, 0.92), (0.80, 0.82), ""),  # not paired
    ],
)
def test_rows_that_the_own_method_beats_significantly_are_marked(own, other, mark):
    item = replace(ITEM, rows=(ITEM.rows[0], ITEM.rows[-1]))
    made = [
        tables.CellComparison("k-means", "first nmi", None, value(*other)),
        tables.CellComparison("MTCFIR", "first nmi", None, value(*own)),
    ]
    assert [e.mark for e in tables._marked(made, item)] == [mark, ""]
