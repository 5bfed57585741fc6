import sys
from collections import Counter

import numpy as np
import pytest

from kinfolk.datasets import caltech, image_features
from kinfolk.errors import MissingDataError, MissingExtraError

COUNTS = {
    "Faces": 435,
    "Motorbikes": 798,
    "dollar_bill": 52,
    "garfield": 34,
    "snoopy": 35,
    "stop_sign": 64,
    "windsor_chair": 56,
}


@pytest.fixture
def small(packed, monkeypatch, tmp_path):
    """Six images, of which two are of a class that is not among the seven."""
    images = np.random.default_rng(0).integers(0, 256, (6, 32 * 32), dtype=np.uint8)
    arrays = {
        "view_0": images,
        "y": np.array([0, 1, 2, 0, 1, 2]),
        "class_names": np.array(["ant", "bee", "cat"]),
        "in_caltech101_7": np.array([1, 0, 1]),
        "image_shape": np.array([32, 32]),
    }
    archive = packed({caltech.FILE: arrays})
    monkeypatch.setattr(caltech, "CALTECH", archive)
    return tmp_path, images.reshape(6, 32, 32)


def test_features_are_those_of_the_images_of_the_seven_classes(small):
    place, images = small
    data = caltech.load_caltech101_7(place)
    assert data.target.tolist() == ["ant", "cat", "ant", "cat"]
    expected = image_features.extract_features(images[[0, 2, 3, 5]])
    assert list(data.views) == list(expected)
    for view, columns in data.views.items():
        np.testing.assert_array_equal(data.X[:, columns], expected[view])


def test_features_are_computed_once(small, monkeypatch):
    first = caltech.load_caltech101_7(small[0])
    monkeypatch.setattr(
        image_features, "extract_features", lambda images: pytest.fail("computed again")
    )
    second = caltech.load_caltech101_7(small[0])
    np.testing.assert_array_equal(first.X, second.X)
    first.X[:] = 0
    assert caltech.load_caltech101_7(small[0]).X.any()


def test_without_scikit_image_a_sentence_names_the_extra(small, monkeypatch):
    monkeypatch.setitem(sys.modules, "skimage.feature", None)
    with pytest.raises(MissingExtraError, match=r"\[images\]'"):
        caltech.load_caltech101_7(small[0])


def test_an_empty_directory_gives_a_sentence(tmp_path):
    with pytest.raises(MissingDataError, match="caltech101-7 was not found"):
        caltech.load_caltech101_7(tmp_path)


def test_caltech101_7_has_its_1474_photographs(data, monkeypatch):
    described = []

    def first_pixel(images):
        described.append(images)
        return {"pixel": images[:, :1, 0]}

    # All features take twenty seconds: here those of every hundredth photograph.
    monkeypatch.setattr(image_features, "extract_features", first_pixel)
    caltech._views_and_classes.cache_clear()
    loaded = caltech.load_caltech101_7(data)
    monkeypatch.undo()
    caltech._views_and_classes.cache_clear()
    assert Counter(loaded.target.tolist()) == COUNTS
    views = image_features.extract_features(described[0][::100])
    sizes = {view: X.shape for view, X in views.items()}
    assert sizes == {"hog": (15, 800), "lbp": (15, 944), "gabor": (15, 64), "gist": (15, 512)}
    assert all(np.all(np.isfinite(X)) and X.min() >= 0 for X in views.values())
