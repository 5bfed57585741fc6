from collections import Counter

import numpy as np
import pytest

from kinfolk.datasets import handwriting
from kinfolk.errors import InputError, MissingDataError
from kinfolk.papers.plan import checksum


@pytest.fixture
def small(packed, monkeypatch, tmp_path):
    """Fixture: thirty images of each source, three per digit, with pixels that identify them."""
    images = np.arange(30, dtype=np.uint8)[:, None]
    target = np.tile(np.arange(10), 3)
    mnist = {"view_0": np.repeat(images, 784, axis=1), "y": target}
    ink = np.repeat(images / 15 - 1, 256, axis=1).astype(np.float32)
    usps = {"view_0": ink, "y": target}
    collection = packed({handwriting.MNIST_FILE: mnist, handwriting.USPS_FILE: usps})
    monkeypatch.setattr(handwriting, "MNIST_USPS", collection)
    counts = {"mnist": (2,) * 10, "usps": (1,) * 9 + (3,)}
    monkeypatch.setattr(handwriting, "COUNTS", counts)
    return tmp_path


def test_rows_are_drawn_class_by_class(small):
    data = handwriting.load_handdigits(small)
    counts = Counter(zip(data.tasks.tolist(), data.target.tolist(), strict=True))
    assert counts == {
        (task, str(c)): n for task, own in handwriting.COUNTS.items() for c, n in enumerate(own)
    }
    assert len(set(zip(data.tasks, data.row_ids, strict=True))) == len(data) == 32


def test_ink_of_both_sources_is_from_0_to_1(small):
    data = handwriting.load_handdigits(small)
    rows = data.row_ids.astype(int)
    mnist = data.tasks == "mnist"
    np.testing.assert_allclose(data.X[mnist], np.repeat(rows[mnist, None] / 255, 256, axis=1))
    np.testing.assert_allclose(
        data.X[~mnist], np.repeat(rows[~mnist, None] / 30, 256, axis=1), atol=1e-7
    )
    np.testing.assert_array_equal(data.target.astype(int), rows % 10)


def test_ink_is_the_value_of_a_black_pixel(small):
    one, sixteen = (handwriting.load_handdigits(small, ink=ink).X for ink in (1.0, 16.0))
    np.testing.assert_array_equal(sixteen, 16.0 * one)
    with pytest.raises(InputError, match="ink is 0"):
        handwriting.load_handdigits(small, ink=0)


def test_draw_decides_the_rows(small):
    first, same, other = (handwriting.load_handdigits(small, draw=d) for d in (0, 0, 1))
    np.testing.assert_array_equal(first.X, same.X)
    assert first.row_ids.tolist() != other.row_ids.tolist()


@pytest.mark.parametrize("draw", [-1, 0.5, None])
def test_a_draw_that_is_no_number_of_a_draw_gives_a_sentence(draw, tmp_path):
    with pytest.raises(InputError, match="draw is "):
        handwriting.load_handdigits(tmp_path, draw=draw)


def test_without_its_margin_an_image_is_averaged_from_its_middle(packed, monkeypatch, tmp_path):
    framed = np.zeros((10, 28, 28), dtype=np.uint8)
    framed[:, 4:24, 4:24] = 255
    mnist = {"view_0": framed.reshape(10, 784), "y": np.arange(10)}
    usps = {"view_0": np.zeros((10, 256), dtype=np.float32), "y": np.arange(10)}
    collection = packed({handwriting.MNIST_FILE: mnist, handwriting.USPS_FILE: usps})
    monkeypatch.setattr(handwriting, "MNIST_USPS", collection)
    monkeypatch.setattr(handwriting, "COUNTS", {"mnist": (1,) * 10, "usps": (1,) * 10})
    cut = handwriting.load_handdigits(tmp_path).X[:10]
    whole = handwriting.load_handdigits(tmp_path, margin=0).X[:10]
    np.testing.assert_allclose(cut, 1)
    np.testing.assert_allclose(whole.mean(axis=1), (20 / 28) ** 2)


@pytest.mark.parametrize("margin", [-1, 7, 2.5])
def test_a_margin_that_leaves_no_16_pixels_gives_a_sentence(margin, tmp_path):
    with pytest.raises(InputError, match="margin is "):
        handwriting.load_handdigits(tmp_path, margin=margin)


def test_both_files_are_needed(small):
    (small / "usps.npz").unlink()
    with pytest.raises(MissingDataError, match="handdigits was not found.*usps.npz"):
        handwriting.load_handdigits(small)


def test_handdigits_has_the_counts_of_the_paper(real):
    loaded = real("handdigits")
    counts = Counter(zip(loaded.tasks.tolist(), loaded.target.tolist(), strict=True))
    assert (counts["mnist", "0"], counts["usps", "9"]) == (509, 455)
    assert [sum(loaded.tasks == task) for task in ("mnist", "usps")] == [5000, 5000]
    assert loaded.X.shape == (10000, 256)
    assert (loaded.X.min(), loaded.X.max()) == (0, 1)


def test_views_of_mnist_10k_have_negative_values_and_know_no_labels(real):
    loaded = real("mnist-10k")
    assert loaded.X.shape == (10000, 192)
    assert {v: s.stop - s.start for v, s in loaded.views.items()} == {
        "principal": 30,
        "cosine": 64,
        "slope": 98,
    }
    for columns in loaded.views.values():
        assert loaded.X[:, columns].min() < 0
    principal = loaded.X[:, loaded.views["principal"]]
    # Scores are rounded to five digits.
    np.testing.assert_allclose(principal.mean(axis=0), 0, atol=1e-6)
    assert np.all(np.diff(principal.var(axis=0)) < 0)


@pytest.mark.parametrize(
    ("name", "start"),
    [("mnist-10k", "ac4b3d56"), ("handdigits", "0ce48ecc"), ("orl-faces-rotated", "8bf23589")],
)
def test_features_of_images_are_the_same_on_every_processor(real, name, start):
    # These are the checksums of four kernels for processors, which `OPENBLAS_CORETYPE` chooses.
    assert checksum(real(name)).startswith(start)
