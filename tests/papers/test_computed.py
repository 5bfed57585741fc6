"""What needs no run: ideal relatedness, discrepancies, seconds, scenes and faces."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from kinfolk import datasets, measures
from kinfolk.datasets import faces, makers, simulated
from kinfolk.errors import InputError, MissingDataError
from kinfolk.numerics import common_features, model_relations
from kinfolk.papers import computed, published
from kinfolk.tables import RelatedData


def composed(name, **options):
    """Make a data set with the class counts of the paper and nothing else."""
    tasks = published.compositions("mtcfir")[name].tasks
    rows = [(t, c) for t, classes in tasks.items() for c, n in classes.items() for _ in range(n)]
    own, target = np.array(rows).T
    return RelatedData(name, own, np.arange(len(own)), np.zeros((len(own), 1)), target=target)


def absent(name, **options):
    raise MissingDataError(f"{name} is not here.")


@pytest.mark.parametrize("id", ["mtcfir-table-6", "mtcfir-table-7"])
def test_ideal_relatedness_is_the_printed_one(id):
    for entry in computed.table(published.item(id), composed):
        assert entry.ours.mean == pytest.approx(entry.published.mean, abs=0.0051)


def test_ideal_relatedness_counts_rows_of_kinds_that_both_tasks_have():
    data = composed("reuters")
    kinds = [computed.CLASS_KINDS.get(name, name) for name in data.target]
    R = computed.ideal_relatedness(data)
    for i, a in enumerate(data.task_names):
        for j, b in enumerate(data.task_names):
            one = [kind for kind, task in zip(kinds, data.tasks) if task == a]
            other = [kind for kind, task in zip(kinds, data.tasks) if task == b]
            shares = [
                sum(k in other for k in one) / len(one),
                sum(k in one for k in other) / len(other),
            ]
            assert R[i, j] == pytest.approx(shares[0] * shares[1])


def test_discrepancies_are_means_over_pairs_of_tasks():
    data = datasets.load("digits-two-sources", n_rows=(30, 20))
    data = replace(data, tasks=np.array(["a"] * 20 + ["b"] * 20 + ["c"] * 10))
    original, common = computed.discrepancies(data)[0]
    _, layers = common_features.fit(data.X, 0.5, 3, 1e-5)
    for found, X in ((original, data.X), (common, np.hstack(layers))):
        D = measures.mmd(X, data.tasks)
        assert found == pytest.approx(np.mean([D[i, j] for i, j in combinations(range(3), 2)]))


@pytest.mark.parametrize("id", ["mtcfir-table-6", "mtcfir-table-7", "mtcfir-table-12"])
def test_data_that_are_not_there_leave_a_note(id):
    for entry in computed.table(published.item(id), absent):
        assert entry.ours is None
        assert entry.published is not None
        assert "is not here" in entry.note


def test_data_of_other_tasks_than_printed_leave_a_note():
    found = computed.table(published.item("mtcfir-table-6"), lambda name: composed("reuters"))
    assert {entry.note for entry in found} == {"(3, 3) numbers were found, (4, 4) are printed."}


def test_every_solver_has_a_time_for_every_number_of_clusters():
    item = replace(published.item("mtcmrl-figure-3"), sweep={"n_clusters": (2, 3)})
    drawing = computed.figure(item)
    found = [(point.series, point.x) for point in drawing.panels[0].points]
    assert found == [(name, k) for name in model_relations.SOLVERS for k in (2, 3)]
    assert all(point.y > 0 for point in drawing.panels[0].points)
    assert drawing.notes == ()


def test_a_slow_solver_is_stopped_with_a_note():
    item = replace(published.item("mtcmrl-figure-3"), sweep={"n_clusters": (2, 3)})
    drawing = computed.figure(item, seconds_limit=0.0)
    assert {point.x for point in drawing.panels[0].points} == {2}
    assert len(drawing.notes) == len(model_relations.SOLVERS)
    assert "projection: not run from 3 clusters on" in drawing.notes[0]


def test_the_scene_shows_source_and_ideal_target_by_class():
    source, target = computed.figure(published.item("ktmec-figure-1")).panels
    assert len(source.points) == 750 + 3
    assert len(target.points) == 300 + 3
    centers = [(p.x, p.y) for p in target.points if p.series == "true centers"]
    np.testing.assert_array_equal(centers, simulated.TRUE_CENTERS)


def test_faces_are_upright_and_turned(monkeypatch):
    frames = np.random.default_rng(0).integers(0, 256, (6, 112 * 92))
    arrays = {"view_0": frames, "y": np.array([0, 0, 1, 1, 2, 2])}
    monkeypatch.setattr(type(faces.ORL), "arrays", lambda *arguments: arrays)
    drawing = computed.figure(published.item("ktmec-figure-3"))
    assert drawing.columns == 3
    assert len(drawing.panels) == 9
    second = drawing.panels[3].picture
    np.testing.assert_allclose(second, frames[2].reshape(112, 92) / 255)
    assert "credit to AT&T" in drawing.notes[0]


def test_faces_that_are_not_there_leave_a_note(tmp_path):
    drawing = computed.figure(published.item("ktmec-figure-3"), data=tmp_path)
    assert drawing.panels == ()
    assert "orl_112x92.npz" in drawing.notes[0]


def test_tables_and_figures_of_runs_are_refused():
    with pytest.raises(InputError, match="mtcfir-table-2 is not computed from data"):
        computed.table(published.item("mtcfir-table-2"))
    with pytest.raises(InputError, match="needs a store of runs"):
        computed.figure(published.item("mtcfir-figure-2"))


def test_relatedness_of_data_without_classes_is_refused():
    data = makers.make_related_blobs(n_samples=6, random_state=0)
    with pytest.raises(InputError, match="has no true classes, from which relatedness is counted"):
        computed.ideal_relatedness(replace(data, target=None))


def test_relatedness_is_the_product_of_shares_of_rows_of_shared_kinds():
    data = makers.make_related_blobs(n_samples=8, n_tasks=2, random_state=0)
    target = np.array(["rec.autos"] * 4 + ["gold"] * 4 + ["rec.sport"] * 2 + ["talk.guns"] * 6)
    found = computed.ideal_relatedness(replace(data, target=target))
    np.testing.assert_allclose(found, [[1, 4 / 8 * 2 / 8], [2 / 8 * 4 / 8, 1]])
