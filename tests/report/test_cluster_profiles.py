import numpy as np
import pytest

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
