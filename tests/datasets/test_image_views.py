from collections import Counter

import numpy as np
import pytest

from kinfolk.datasets import image_views
from kinfolk.errors import InputError, MissingDataError

LOADERS = {
    "mfeat": image_views.load_mfeat,
    "handwritten-rnsp": image_views.load_handwritten_rnsp,
    "hw2sources": image_views.load_hw2sources,
    "orl-views": image_views.load_orl_views,
    "msrc-v1": image_views.load_msrc_v1,
}
SIZES = {
    "mfeat": {"fou": 76, "fac": 216, "kar": 64, "pix": 240, "zer": 47, "mor": 6},
    "handwritten-rnsp": {"pix": 240, "fou": 76},
    "hw2sources": {"mnist_pixels": 784, "usps_pixels": 256},
    "orl-views": {"gist": 512, "lbp": 59, "hog": 864, "centrist": 254},
    "msrc-v1": {"colour_moment": 24, "hog": 576, "gist": 512, "lbp": 256, "centrist": 254},
}
CLASSES = {
    "mfeat": (10, 200),
    "handwritten-rnsp": (10, 200),
    "hw2sources": (10, 200),
    "orl-views": (40, 10),
    "msrc-v1": (7, 30),
}


@pytest.fixture
def small(packed, monkeypatch, tmp_path):
    """Fixture: six views of three rows instead of mfeat."""
    views = {f"view_{v}": np.full((3, v + 1), v) for v in range(6)}
    names = np.array(image_views.MFEAT_VIEWS)
    arrays = {**views, "view_names": names, "y": np.array([3, 3, 9])}
    archive = packed({image_views.MFEAT_FILE: arrays})
    monkeypatch.setattr(image_views, "MFEAT", archive)
    return tmp_path


def test_views_keep_their_values_and_names(small):
    data = image_views.load_mfeat(small)
    assert list(data.views) == ["fou", "fac", "kar", "pix", "zer", "mor"]
    for v, columns in enumerate(data.views.values()):
        np.testing.assert_array_equal(data.X[:, columns], np.full((3, v + 1), v))
    assert data.X.dtype == float
    assert data.target.tolist() == ["3", "3", "9"]


def test_chosen_views_come_in_the_chosen_order(small):
    data = image_views.load_mfeat(small, views=["pix", "fac"])
    assert data.views == {"pix": slice(0, 4), "fac": slice(4, 6)}
    np.testing.assert_array_equal(data.X[0], [3, 3, 3, 3, 1, 1])


def test_rnsp_has_two_of_the_six_views(small):
    data = image_views.load_handwritten_rnsp(small)
    assert data.name == "handwritten-rnsp"
    np.testing.assert_array_equal(data.X[0], [3, 3, 3, 3, 0])


@pytest.mark.parametrize("views", ["pix", [], ["pix", "pix"]])
def test_views_that_are_no_list_of_different_ones_give_a_sentence(small, views):
    with pytest.raises(InputError, match="give a list of different views of mfeat"):
        image_views.load_mfeat(small, views=views)


def test_an_unknown_view_gives_those_that_are_known(small):
    with pytest.raises(InputError, match="views is 'pixels'; choose one of 'fou', 'fac'"):
        image_views.load_mfeat(small, views=["pixels"])


@pytest.mark.parametrize("name", LOADERS)
def test_an_empty_directory_gives_a_sentence(name, tmp_path):
    with pytest.raises(MissingDataError, match=f"{name} was not found"):
        LOADERS[name](tmp_path)


@pytest.mark.parametrize("name", LOADERS)
def test_published_sizes_are_met(name, real):
    loaded = real(name)
    assert {v: s.stop - s.start for v, s in loaded.views.items()} == SIZES[name]
    assert loaded.X.shape[1] == len(loaded.feature_names) == sum(SIZES[name].values())
    classes, each = CLASSES[name]
    assert Counter(loaded.target.tolist()) == {str(c): each for c in range(classes)}
    assert np.all(np.isfinite(loaded.X))


def test_only_kar_has_negative_values(real):
    loaded = real("mfeat")
    negative = [view for view, columns in loaded.views.items() if loaded.X[:, columns].min() < 0]
    assert negative == ["kar"]
