import dataclasses

import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.report import cluster_profiles
from kinfolk.report.content import read


def test_terms_that_lift_a_cluster_are_those_of_its_topic(make_study):
    gathered = cluster_profiles.profiles(read(make_study("terms")))
    names = {feature.name for feature in gathered[0][0].features}
    assert {"lecture", "homework", "course", "exam"} <= names
    assert not names & {"student", "project", "staff", "faculty"}
    assert ("lecture", True) in cluster_profiles.shared(gathered)[0]


def test_numbers_are_lifted_by_standard_deviations_of_the_task(make_study):
    study = make_study("numbers")
    portrait = cluster_profiles.profiles(read(study))[1][0]
    task = study.X[study.data.tasks == "cornell"]
    mine = study.X[(study.data.tasks == "cornell") & (study.model.matched_labels_ == 1)]
    lifts = (mine.mean(axis=0) - task.mean(axis=0)) / task.std(axis=0)
    assert portrait.features
    for feature in portrait.features:
        j = study.feature_names.index(feature.name)
        assert feature.lift == pytest.approx(lifts[j])
    assert abs(portrait.features[0].lift) == pytest.approx(np.abs(lifts).max())


def test_pixels_make_pictures_and_other_names_do_not(make_study):
    assert cluster_profiles.kind(make_study("pixels")) == "pixels"
    assert cluster_profiles.profiles(read(make_study("pixels")))[0][0].picture.startswith(
        "data:image/png;base64,"
    )
    assert cluster_profiles.profiles(read(make_study("numbers")))[0][0].picture == ""


def test_pixel_names_with_gaps_are_not_a_picture():
    names = ("pixel_0_0", "pixel_0_1", "pixel_1_0", "pixel_9999_9999")
    assert cluster_profiles.pixel_places(names) is None
    assert cluster_profiles.pixel_places(("pixel1", "pixel2", "pixel3")) is None
    assert cluster_profiles.pixel_places(("pixel1", "pixel2", "pixel3", "pixel4")).tolist()[3] == [
        1,
        1,
    ]


def _by_hand(X, mine, task):
    """Mean difference of each column in standard deviations of the task, by plain loops."""
    lifts = []
    for j in range(X.shape[1]):
        column = [float(X[i, j]) for i in task]
        mean = sum(column) / len(column)
        spread = (sum((value - mean) ** 2 for value in column) / len(column)) ** 0.5
        own = [float(X[i, j]) for i in mine]
        lifts.append((sum(own) / len(own) - mean) / spread)
    return lifts


def test_features_of_numbers_are_those_of_plain_loops(make_study):
    study = make_study("numbers")
    page = read(study)
    for members in cluster_profiles.profiles(page).values():
        for profile in members:
            rows = profile.cluster.rows
            lifts = _by_hand(study.X, rows, page.rows[profile.cluster.task])
            found = {study.feature_names.index(f.name): f.lift for f in profile.features}
            for j, lift in found.items():
                assert lift == pytest.approx(lifts[j])
            enough = sorted((abs(lift) for lift in lifts if abs(lift) >= 0.2), reverse=True)
            assert len(found) == min(8, len(enough))
            assert [abs(f.lift) for f in profile.features] == pytest.approx(enough[: len(found)])


def test_terms_are_only_those_a_cluster_uses_more(make_study):
    for members in cluster_profiles.profiles(read(make_study("terms"))).values():
        for profile in members:
            lifts = [feature.lift for feature in profile.features]
            assert lifts == sorted(lifts, reverse=True)
            assert all(lift >= 0.1 * lifts[0] > 0 for lift in lifts)
            assert len(lifts) <= cluster_profiles.MOST_FEATURES


def test_sparse_and_dense_terms_have_the_same_features(make_study):
    study = make_study("terms")
    dense = dataclasses.replace(study, X=study.X.toarray())
    for one, other in zip(
        cluster_profiles.profiles(read(study)).values(),
        cluster_profiles.profiles(read(dense)).values(),
        strict=True,
    ):
        for a, b in zip(one, other, strict=True):
            assert [f.name for f in a.features] == [f.name for f in b.features]


def test_an_empty_cluster_has_no_features(make_study):
    study = make_study("numbers")
    study.model.labels_ = np.where(study.model.labels_ == 2, 0, study.model.labels_)
    found = cluster_profiles.profiles(read(study))
    empty = [p for members in found.values() for p in members if p.cluster.size == 0]
    assert len(empty) == 3
    assert all(profile.features == [] for profile in empty)


def test_a_constant_column_is_never_a_feature(make_study):
    study = make_study("numbers")
    study.X[:, 3] = 0.1
    for members in cluster_profiles.profiles(read(study)).values():
        assert all(f.name != "size 3 (cm)" for profile in members for f in profile.features)


def test_columns_without_names_are_called_by_their_position(make_study):
    study = make_study("numbers", names=())
    assert cluster_profiles.names(study)[:2] == ("column 0", "column 1")


@pytest.mark.parametrize("width", [2, 3])
def test_names_of_pixels_give_their_places_in_any_order(width):
    places = [(r, c) for c in range(width) for r in range(width)]
    found = cluster_profiles.pixel_places(tuple(f"pixel_{r}_{c}" for r, c in places))
    assert [tuple(place) for place in found.tolist()] == places


def test_spreads_of_sparse_and_dense_tables_agree():
    X = np.random.default_rng(0).poisson(0.7, (30, 6)).astype(float)
    rows = np.arange(3, 20)
    np.testing.assert_allclose(cluster_profiles.spreads(X, rows), X[rows].std(axis=0))
    sparse = cluster_profiles.spreads(sp.csr_array(X), rows)
    np.testing.assert_allclose(sparse, X[rows].std(axis=0))
