from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from sklearn.cluster import KMeans

from kinfolk import measures
from kinfolk.datasets import simulated
from kinfolk.errors import InputError

SCENES = ("x1", "x2", "x3", "x4")
SIZES = {"x1": 30, "x2": 300, "x3": 370, "x4": 300}


def targets(scene, draw=0):
    data = simulated.make_transfer_scene(scene, draw)
    rows = data.tasks == "target"
    return data.X[rows], data.target[rows]


@pytest.mark.parametrize("scene", SCENES)
def test_scenes_have_250_source_rows_of_each_class(scene):
    data = simulated.make_transfer_scene(scene)
    assert data.task_names == ["source", "target"]
    source = data.tasks == "source"
    assert Counter(data.target[source].tolist()) == {f"class{c}": 250 for c in (1, 2, 3)}
    assert (~source).sum() == SIZES[scene]


def test_scenes_of_a_draw_share_their_source():
    first, *others = (simulated.make_transfer_scene(scene).X[:750] for scene in SCENES)
    for other in others:
        np.testing.assert_array_equal(first, other)


def test_x1_is_the_beginning_of_each_class_of_x2():
    (X1, y1), (X2, y2) = targets("x1"), targets("x2")
    for label in np.unique(y1):
        np.testing.assert_array_equal(X1[y1 == label], X2[y2 == label][:10])


def test_x3_is_x2_and_35_stray_rows_of_two_classes():
    (X2, y2), (X3, y3) = targets("x2"), targets("x3")
    np.testing.assert_array_equal(X3[:300], X2)
    np.testing.assert_array_equal(y3[:300], y2)
    assert Counter(y3[300:].tolist()) == {"class2": 35, "class3": 35}


def test_x4_is_x2_with_noise_of_variance_two():
    noise = np.concatenate([targets("x4", d)[0] - targets("x2", d)[0] for d in range(10)])
    assert noise.mean() == pytest.approx(0, abs=4 * np.sqrt(2 / noise.size))
    assert noise.var() == pytest.approx(2, rel=4 * np.sqrt(2 / noise.size))


def test_true_centers_are_the_means_of_the_ideal_target():
    X, y = zip(*(targets("x2", draw) for draw in range(20)), strict=True)
    X, y = np.concatenate(X), np.concatenate(y)
    means = np.array([X[y == f"class{c}"].mean(axis=0) for c in (1, 2, 3)])
    # The largest variance of a column is 24, of 2000 rows.
    np.testing.assert_allclose(means, simulated.TRUE_CENTERS, atol=4 * np.sqrt(24 / 2000))


def test_draws_differ_and_repeat():
    np.testing.assert_array_equal(targets("x3", 4)[0], targets("x3", 4)[0])
    assert not np.array_equal(targets("x3", 4)[0], targets("x3", 5)[0])


def test_scenes_are_as_hard_as_the_paper_has_them():
    """k-means comes near the printed scores of MEC in table 1."""
    published = {"x1": 0.8130, "x2": 0.8260, "x3": 0.6498, "x4": 0.7523}
    for scene, nmi in published.items():
        found = []
        for draw in range(5):
            X, y = targets(scene, draw)
            labels = KMeans(3, n_init=5, random_state=0).fit_predict(X)
            found.append(measures.nmi(y, labels))
        assert np.mean(found) == pytest.approx(nmi, abs=0.08)


def test_distance_to_truth_is_the_least_over_all_pairings():
    random = np.random.default_rng(0)
    for _ in range(20):
        V = random.normal(12, 6, (3, 2))
        least = min(
            sum(np.sum((V[i] - simulated.TRUE_CENTERS[j]) ** 2) for j, i in enumerate(order))
            for order in permutations(range(3))
        )
        assert simulated.distance_to_truth(V) == pytest.approx(least)


@pytest.mark.parametrize("centers", [np.zeros((2, 2)), np.full((3, 2), np.nan)])
def test_centers_that_are_not_three_points_give_a_sentence(centers):
    with pytest.raises(InputError, match="give the three centers of a transfer scene"):
        simulated.distance_to_truth(centers)


def test_an_unknown_scene_gives_those_that_are_known():
    with pytest.raises(InputError, match="scene is 'X5'; choose one of 'x1', 'x2', 'x3', 'x4'"):
        simulated.make_transfer_scene("X5")


@pytest.mark.parametrize("make", [simulated.make_toydata, simulated.make_syn500])
def test_views_have_negative_values_and_all_together_tell_most(make):
    data = make()
    k = len(set(data.target))
    scores = {}
    for view, columns in {**data.views, "all": slice(None)}.items():
        assert data.X[:, columns].min() < 0
        labels = KMeans(k, n_init=5, random_state=0).fit_predict(data.X[:, columns])
        scores[view] = measures.accuracy(data.target, labels)
    together = scores.pop("all")
    assert max(scores.values()) + 0.04 < together
    np.testing.assert_array_equal(data.X, make(0).X)
    assert not np.array_equal(data.X, make(1).X)
    with pytest.raises(InputError, match="draw is -1"):
        make(-1)


def test_toydata_and_syn500_have_classes_of_equal_size():
    assert Counter(simulated.make_toydata().target.tolist()) == {str(c): 200 for c in range(3)}
    assert Counter(simulated.make_syn500().target.tolist()) == {str(c): 100 for c in range(5)}
