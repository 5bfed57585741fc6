"""What methods learnt is read from the best runs of a store, in the printed order."""

from dataclasses import replace

import numpy as np
import pytest

import kept
from kinfolk import datasets
from kinfolk.datasets import makers
from kinfolk.papers import execution, from_models, protocols, published, tables
from kinfolk.papers.store import canonical


def test_distances_are_those_of_the_centers_at_the_best_setting(store):
    item = kept.small("ktmec-table-2", ("simulated-transfer-x1",))
    item = kept.square(item, ["MEC", "KT-MEC"], item.data)
    item = replace(
        item,
        rows=tuple(
            replace(r, ours=o, strategy=w)
            for r, o, w in zip(item.rows, ["mec", "kt-mec"], ["alone", "together"])
        ),
    )
    pieces = protocols.planned_cells(item, quick=True)
    for piece in pieces:
        execution.execute(piece.runs[:6], store)
    for entry, piece in zip(from_models.table(item, store, quick=True), pieces):
        means = {}
        for row in store.runs(method=piece.runs[0].method):
            centers = store.array(row.key, "cluster_centers")[-1]
            key = str(sorted(row.spec.parameters.items()))
            means.setdefault(key, []).append(
                (row.outcome.scores["nmi"]["target"], datasets.distance_to_truth(centers))
            )
        best = max(means.values(), key=lambda found: np.mean([nmi for nmi, _ in found]))
        assert entry.ours.mean == pytest.approx(np.mean([distance for _, distance in best]))
        assert entry.note == f"6 of {len(piece.runs)} runs"


def test_relatedness_is_the_mean_over_the_repeats_of_the_best_setting(store):
    item = kept.square(kept.small("mtcfir-table-9", ("one",)), ["a", "b"], ["a", "b"])
    (piece,) = protocols.planned_cells(item, quick=True)
    best = piece.runs[3].parameters
    for run in piece.runs:
        R = np.array([[1.0, run.seed + 0.5], [0.25, 1.0]])
        R += 10 * (run.parameters != best)
        arrays = {
            "task_relatedness": R,
            "labels": np.arange(4) % 2,
            "task_codes": np.arange(4) // 2,
        }
        kept.record(
            store, run, scores=kept.scores(0.9 if run.parameters == best else 0.4), arrays=arrays
        )
    cells = {(e.row, e.column): e for e in from_models.table(item, store, quick=True)}
    cell = cells["a", "b relatedness"]
    assert (cell.ours.mean, cell.ours.n_settings) == (1.0, 4)
    assert cell.ours.deviation == pytest.approx(np.std([0.5, 1.5], ddof=1))
    assert cell.published.mean == 0.5
    assert cells["b", "a relatedness"].ours.repeats.tolist() == [0.25, 0.25]


def test_relatedness_of_real_runs_is_one_for_the_own_task(store):
    item = kept.square(
        kept.small("mtcfir-table-9", ("one",)), ["task-0", "task-1"], ["task-0", "task-1"]
    )
    kept.run(item, store)
    for entry in from_models.table(item, store, quick=True):
        assert entry.note == ""
        assert (entry.ours.mean == 1) == (entry.column == f"{entry.row} relatedness")
        assert entry.label_free.n_settings == entry.ours.n_settings == 4


def test_without_labels_one_setting_has_the_best_mean_rank_over_the_tasks(store):
    (piece,) = protocols.planned_cells(kept.small("mtcfir-table-9", ("one",)), quick=True)
    settings = list({canonical(run.parameters): run.parameters for run in piece.runs})
    ranks = {"a": [4, 3, 2, 1], "b": [1, 3, 2, 4]}  # 5, 6, 4 and 5 together
    arrays = {"labels": np.array([0, 1, 0, 1]), "task_codes": np.array([0, 0, 1, 1])}
    for run in piece.runs:
        place = settings.index(canonical(run.parameters))
        own = {task: ranks[task][place] / 10 for task in ranks}
        kept.record(store, run, scores=kept.scores(0.5) | {"silhouette": own}, arrays=arrays)
    rows = store.runs()
    assert tables.best_label_free(rows, ["a"], store) == settings[0]
    assert tables.best_label_free(rows, ["b"], store) == settings[3]
    assert tables.best_label_free(rows, ["a", "b"], store) == settings[1]


def relation(store, item, seed, labels, G):
    run = protocols.planned_cells(item)[0].runs[0]
    arrays = {
        "labels": np.array(labels),
        "task_codes": np.array([0, 0, 0, 1, 1, 1]),
        "n_clusters": np.array([2, 2]),
        "cluster_relatedness": G,
    }
    kept.record(store, replace(run, seed=seed), scores=kept.scores(0.5), arrays=arrays)


def classes(name, **options):
    data = makers.make_related_blobs(n_samples=3, random_state=0)
    target = np.array(["x", "x", "y", "u", "v", "v"])
    return replace(data, target=target)


def test_clusters_of_a_relation_stand_in_the_order_of_their_classes(store):
    item = kept.square(kept.small("mtcmrl-matrix-reuters", ("one",)), ["x", "y"], ["u", "v"])
    G = np.zeros((4, 4))
    G[:2, 2:] = [[0.1, 0.2], [0.3, 0.4]]
    G[2:, :2] = G[:2, 2:].T
    relation(store, item, 0, [0, 0, 1, 0, 1, 1], G)
    relation(store, item, 1, [1, 1, 0, 0, 1, 1], G)
    found = {(e.row, e.column): e for e in from_models.table(item, store, classes)}
    assert found["x", "u relation"].ours.repeats.tolist() == [0.1, 0.3]
    assert found["y", "u relation"].ours.repeats.tolist() == [0.3, 0.1]
    assert sum(e.ours.mean for e in found.values()) == pytest.approx(1)


def test_a_relation_of_other_classes_than_printed_is_a_note(store):
    item = kept.square(kept.small("mtcmrl-matrix-reuters", ("one",)), ["x", "z"], ["u", "v"])
    relation(store, item, 0, [0, 0, 1, 0, 1, 1], np.zeros((4, 4)))
    for entry in from_models.table(item, store, classes):
        assert entry.ours is None
        assert "printed order x, z" in entry.note


def test_what_a_run_did_not_keep_is_a_note(store):
    item = kept.square(kept.small("mtcfir-table-9", ("one",)), ["a", "b"], ["a", "b"])
    (piece,) = protocols.planned_cells(item)
    arrays = {"labels": np.array([0, 1, 0, 1]), "task_codes": np.array([0, 0, 1, 1])}
    kept.record(store, piece.runs[0], scores=kept.scores(0.5), arrays=arrays)
    for entry in from_models.table(item, store):
        assert entry.ours is None
        assert "has no 'task_relatedness'" in entry.note


def test_an_empty_store_leaves_every_cell_with_what_is_printed_and_a_note(store):
    for name in ("mtcfir-table-8", "mtcmrl-matrix-20newsgroups", "ktmec-table-2"):
        item = published.item(name)
        found = from_models.table(item, store, quick=True)
        assert [e.published for e in found] == [c for row in item.rows for c in row.cells]
        assert all(e.ours is None and e.note.startswith("0 of ") for e in found)


def test_a_relation_that_was_learnt_sums_to_one(store):
    data = kept.blobs("one")
    own = [np.unique(data.target[data.tasks == task]).tolist() for task in data.task_names]
    item = kept.square(kept.small("mtcmrl-matrix-reuters", ("one",)), *own)
    kept.run(item, store)
    cells = from_models.table(item, store, kept.blobs, quick=True)
    for values in ([cell.ours.mean for cell in cells], [cell.label_free.mean for cell in cells]):
        assert sum(values) == pytest.approx(1)
        assert min(values) >= 0
