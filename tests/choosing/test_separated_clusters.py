"""Own answers of measurements by clusters with sparse space between them."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score

import kinfolk as kf
from kinfolk.choosing import separated_clusters
from kinfolk.choosing.separated_clusters import FAMILY, SeparatedClusters
from kinfolk.numerics import density_gaps

pytestmark = pytest.mark.usefixtures("three_families")

SHAPES = {
    "crescents": lambda seed: make_moons(150, noise=0.06, random_state=seed),
    "rings": lambda seed: make_circles(150, noise=0.04, factor=0.4, random_state=seed),
}


def fitted(X, tasks=None, k=2, **parameters):
    return kf.Kinfolk(k, random_state=0, **parameters).fit(X, tasks=tasks)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("shape", SHAPES)
def test_bent_clusters_are_the_answer(shape, seed):
    X, y = SHAPES[shape](seed)
    model = fitted(X)
    assert adjusted_rand_score(y, model.labels_) == 1.0
    (record,) = model.guard_
    assert record["combiner"] == FAMILY
    assert record["meaning"].endswith("hardly a row lies between them.")


def test_each_task_is_asked_by_itself():
    X, y = SHAPES["crescents"](0)
    balls, groups = make_blobs(150, 2, centers=2, cluster_std=2, random_state=0)
    tasks = np.repeat(["crescents", "balls"], 150)
    model = fitted(np.vstack([X, balls]), tasks)
    combiners = [record["combiner"] == FAMILY for record in model.guard_]
    assert combiners == [True, False]
    assert adjusted_rand_score(y, model.labels_[:150]) == 1.0


def test_new_rows_get_the_cluster_of_the_nearest_row():
    X, y = SHAPES["rings"](0)
    new, expected = SHAPES["rings"](1)
    model = fitted(X)
    assert np.array_equal(model.predict(X), model.labels_)
    assert adjusted_rand_score(expected, model.predict(new)) == 1.0


def test_a_saved_model_assigns_the_same(tmp_path):
    X, _ = SHAPES["rings"](0)
    model = fitted(X)
    kf.save(model, tmp_path / "model")
    loaded = kf.load(tmp_path / "model").estimator
    assert np.array_equal(loaded.predict(X), model.labels_)


@pytest.mark.parametrize("d", [2, 4])
@pytest.mark.parametrize("draw", ["normal", "heavy tails", "skewed", "two of three"])
def test_tables_without_gaps_have_no_separated_clusters(draw, d):
    for seed in range(5):
        random = np.random.default_rng(seed)
        X = {
            "normal": random.normal(size=(120, d)),
            "heavy tails": random.standard_t(2, size=(120, d)),
            "skewed": np.exp(random.normal(size=(120, d))),
            "two of three": random.normal(size=(120, d)) + 2 * np.eye(3, d)[np.arange(120) % 3],
        }[draw]
        assert not SeparatedClusters(2).fit(X / X.std(axis=0)).separated_


def test_values_of_a_category_are_no_gap():
    random = np.random.default_rng(0)
    X = np.column_stack([random.normal(size=(90, 2)), 9 * (np.arange(90) % 2)])
    model = SeparatedClusters(2).fit(X)
    assert model.gap_ > 2
    assert not model.separated_


def test_a_few_rows_far_away_are_no_cluster():
    random = np.random.default_rng(0)
    X = np.vstack([random.normal(size=(84, 2)), 20 + random.normal(size=(6, 2))])
    assert not SeparatedClusters(2).fit(X).separated_


def test_clusters_that_the_runs_agree_on_are_left_to_them():
    X, _ = make_blobs(120, 4, centers=2, cluster_std=0.5, random_state=0)
    assert SeparatedClusters(2).fit(X).separated_
    assert fitted(X).guard_[0]["combiner"] != FAMILY


def test_known_labels_decide_by_themselves():
    X, y = SHAPES["crescents"](0)
    known = np.where(np.arange(150) < 40, y, -1)
    assert kf.Kinfolk(2, random_state=0).fit(X, known).guard_[0]["combiner"] != FAMILY


def test_many_rows_are_clustered_by_a_sample(monkeypatch):
    monkeypatch.setattr(separated_clusters, "MOST_ROWS", 300)
    seen = []
    separated = density_gaps.separated

    def watched(X, k, least):
        seen.append(len(X))
        return separated(X, k, least)

    monkeypatch.setattr(density_gaps, "separated", watched)
    X, y = make_circles(900, noise=0.03, factor=0.4, random_state=0)
    model = SeparatedClusters(2, random_state=0).fit(X)
    assert seen == [300]
    assert adjusted_rand_score(y, model.labels_) == 1.0
    assert np.array_equal(model.predict(X), model.labels_)


def test_one_cluster_has_no_gap():
    model = SeparatedClusters(1).fit(np.random.default_rng(0).normal(size=(30, 2)))
    assert not model.separated_
    assert not model.labels_.any()


@pytest.mark.usefixtures("all_null_tables")
def test_small_clusters_of_an_answer_are_no_chance_where_gaps_part_them():
    random = np.random.default_rng(2)
    y = np.repeat([0, 1, 2], [120, 22, 8])
    X = random.normal(size=(150, 2)) + np.array([[0, 0], [9, 0], [0, 9]])[y]
    model = fitted(X, k=3)
    assert adjusted_rand_score(y, model.labels_) == 1.0
    assert model.unclustered_tasks_ == []
