import sys
from fractions import Fraction

import numpy as np
import pytest
from PIL import Image

from kinfolk.datasets import image_features
from kinfolk.errors import FileFormatError, MissingExtraError


def stripes(period, angle):
    i, j = np.mgrid[:96, :96]
    phase = 2 * np.pi * (j * np.cos(angle) + i * np.sin(angle)) / period
    return (127.5 * (1 + np.sin(phase))).astype(np.uint8)


def test_views_have_their_sizes_and_no_negative_values():
    images = np.random.default_rng(0).integers(0, 256, (3, 96, 96), dtype=np.uint8)
    views = image_features.extract_features(images)
    sizes = {view: X.shape for view, X in views.items()}
    assert sizes == {"hog": (3, 800), "lbp": (3, 944), "gabor": (3, 64), "gist": (3, 512)}
    assert all(X.min() >= 0 for X in views.values())


def test_histograms_of_patterns_are_shares_of_each_cell():
    images = np.random.default_rng(0).integers(0, 256, (2, 96, 96), dtype=np.uint8)
    shares = image_features.extract_features(images)["lbp"].reshape(2, 59, 16).sum(axis=1)
    np.testing.assert_allclose(shares, 1)


def test_flat_grey_answers_to_no_filter():
    views = image_features.extract_features(np.full((1, 96, 96), 200, dtype=np.uint8))
    for view in ("gabor", "gist"):
        np.testing.assert_allclose(views[view], 0, atol=1e-9)


@pytest.mark.parametrize("orientation", range(image_features.ORIENTATIONS))
@pytest.mark.parametrize("frequency", range(len(image_features.FREQUENCIES)))
def test_stripes_answer_most_to_the_filter_of_their_period_and_angle(frequency, orientation):
    angle = np.pi * orientation / image_features.ORIENTATIONS
    image = stripes(1 / image_features.FREQUENCIES[frequency], angle)
    means = image_features.extract_features(image[None])["gabor"][0, :32]
    assert means.argmax() == frequency * image_features.ORIENTATIONS + orientation


def test_gabor_means_are_those_of_the_gist():
    images = np.random.default_rng(0).integers(0, 256, (2, 96, 96), dtype=np.uint8)
    views = image_features.extract_features(images)
    np.testing.assert_allclose(
        views["gist"].reshape(2, 32, 16).mean(axis=2), views["gabor"][:, :32]
    )


def test_without_scikit_image_a_sentence_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "skimage.feature", None)
    with pytest.raises(MissingExtraError, match=r"needs skimage, .*\[images\]'"):
        image_features.extract_features(np.zeros((1, 96, 96), dtype=np.uint8))


def test_grey_values_are_read_from_0_to_1(tmp_path):
    pixels = np.arange(16, dtype=np.uint8).reshape(4, 4) * 17
    Image.fromarray(pixels).save(tmp_path / "a.tiff")
    np.testing.assert_allclose(image_features.read_tiff(tmp_path / "a.tiff", 4), pixels / 255)


def test_an_image_of_another_size_is_refused(tmp_path):
    Image.new("L", (5, 4)).save(tmp_path / "a.tiff")
    with pytest.raises(FileFormatError, match="has 5 x 4 pixels where 4 x 4 are expected"):
        image_features.read_tiff(tmp_path / "a.tiff", 4)


@pytest.mark.parametrize("content", [b"", b"something else", b"II*\0\x08\0\0\0", b"II*\0\xff"])
def test_a_file_that_is_no_tiff_image_is_refused(content, tmp_path):
    (tmp_path / "a.tiff").write_bytes(content)
    with pytest.raises(FileFormatError, match="cannot be read as a TIFF image"):
        image_features.read_tiff(tmp_path / "a.tiff", 4)


def test_an_image_cut_short_is_refused(tmp_path):
    Image.fromarray(np.zeros((64, 64), dtype=np.uint8)).save(tmp_path / "whole.tiff")
    whole = (tmp_path / "whole.tiff").read_bytes()
    for length in range(8, len(whole), 512):
        (tmp_path / "a.tiff").write_bytes(whole[:length])
        with pytest.raises(FileFormatError, match="cannot be read as a TIFF image"):
            image_features.read_tiff(tmp_path / "a.tiff", 64)


def test_an_image_of_another_format_is_refused(tmp_path):
    Image.new("L", (4, 4)).save(tmp_path / "a.tiff", format="PNG")
    with pytest.raises(FileFormatError, match="cannot be read as a TIFF image"):
        image_features.read_tiff(tmp_path / "a.tiff", 4)


def test_scaled_pixels_are_means_over_their_area():
    image = np.random.default_rng(0).random((28, 28))
    found = image_features.area_averages(image[None], 16)[0]
    for i in range(16):
        for j in range(16):
            # In quarters of a pixel, of which a new pixel has seven.
            total = sum(
                image[a // 4, b // 4]
                for a in range(7 * i, 7 * i + 7)
                for b in range(7 * j, 7 * j + 7)
            )
            assert found[i, j] == pytest.approx(total / 49)


def test_averages_of_whole_and_half_numbers_are_the_nearest_numbers_to_them():
    image = np.random.default_rng(0).integers(0, 511, (28, 28)) / 2
    found = image_features.area_averages(image[None], 16)[0]
    for i in range(16):
        for j in range(16):
            quarters = [
                (a // 4, b // 4) for a in range(7 * i, 7 * i + 7) for b in range(7 * j, 7 * j + 7)
            ]
            assert found[i, j] == float(sum(Fraction(image[at]) for at in quarters) / 49)
