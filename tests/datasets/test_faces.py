import hashlib
import sys
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from kinfolk.datasets import faces
from kinfolk.errors import FileFormatError, InputError, MissingDataError, MissingExtraError


@pytest.fixture(scope="module")
def orl(tmp_path_factory):
    """Fixture: a data directory with noise instead of the 400 faces."""
    place = tmp_path_factory.mktemp("data")
    noise = np.random.default_rng(0).integers(0, 256, (400, 10304), dtype=np.uint8)
    np.savez(place / "orl_112x92.npz", view_0=noise, y=np.repeat(np.arange(40), 10))
    return place


@pytest.fixture(scope="module")
def drawn(orl):
    """Fixture: the data set of the first draw of the noise; do not modify."""
    checksum = hashlib.sha256((orl / "orl_112x92.npz").read_bytes()).hexdigest()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(faces, "ORL", replace(faces.ORL, files={faces.ORL_FILE: checksum}))
        return faces.load_orl_faces_rotated(orl)


@pytest.fixture
def jaffe(tmp_path, monkeypatch):
    """Fixture: small noise instead of JAFFE: nine people with 17 images and one with 16."""
    monkeypatch.setattr(faces, "JAFFE_SIDE", 24)
    (tmp_path / "jaffe").mkdir()
    random = np.random.default_rng(0)
    for p in range(10):
        for i in range(16 if p == 9 else 17):
            pixels = random.integers(0, 256, (24, 24), dtype=np.uint8)
            Image.fromarray(pixels).save(tmp_path / "jaffe" / f"P{p}.AN1.{i:02d}.tiff")
    return tmp_path


def images(data, task):
    return {row.rpartition(" turned ")[0] for row in data.row_ids[data.tasks == task]}


def test_orl_has_the_rows_and_columns_of_the_paper(drawn):
    assert drawn.X.shape == (240, 239)
    counts = Counter(zip(drawn.tasks.tolist(), drawn.target.tolist(), strict=True))
    people = set(drawn.target.tolist())
    assert len(people) == 8
    assert counts == {("source", p): 24 for p in people} | {("target", p): 6 for p in people}


def test_no_image_is_in_both_tasks(drawn):
    source = images(drawn, "source")
    target = images(drawn, "target")
    assert (len(source), len(target)) == (64, 16)
    assert not source & target
    for row, person in zip(drawn.row_ids, drawn.target, strict=True):
        assert row.startswith(f"{person}-")


def test_components_keep_all_distances_between_images(orl, drawn):
    with np.load(orl / "orl_112x92.npz") as arrays:
        frames = arrays["view_0"].reshape(40, 10, 112, 92) / 255
    picked = [row.partition(" turned 0")[0][1:].split("-") for row in drawn.row_ids[[0, 3]]]
    a, b = (frames[int(person) - 1, int(i) - 1] for person, i in picked)
    assert np.sum((drawn.X[0] - drawn.X[3]) ** 2) == pytest.approx(np.sum((a - b) ** 2))


def test_the_draw_decides_people_and_images(jaffe):
    first, same, other = (faces.load_jaffe_faces_rotated(jaffe, draw=d) for d in (0, 0, 1))
    np.testing.assert_array_equal(first.X, same.X)
    assert first.row_ids.tolist() != other.row_ids.tolist()
    assert [set(faces.load_jaffe_faces_rotated(jaffe, draw=d).target) for d in range(3)] != [
        set(first.target)
    ] * 3


@pytest.mark.parametrize("draw", [-1, 0.5, "first", None])
def test_a_draw_that_is_no_whole_number_from_zero_gives_a_sentence(draw, jaffe):
    with pytest.raises(InputError, match="draw is "):
        faces.load_jaffe_faces_rotated(jaffe, draw=draw)


def test_images_turn_counterclockwise_and_corners_come_in_black():
    ray = np.zeros((1, 41, 41))
    ray[0, 20, 20:] = 1
    upright, ten, twenty = faces.rotated(ray)[0]
    np.testing.assert_array_equal(upright, ray[0])
    for copy, angle in ((ten, 10), (twenty, 20)):
        row = round(20 - 15 * np.tan(np.radians(angle)))
        assert copy[:, 35].argmax() == row < 20
    white = faces.rotated(np.ones((1, 41, 41)))[0]
    assert (white[2, 0, 0], white[2, 20, 20]) == (0, 1)


def test_jaffe_has_the_rows_and_columns_of_the_paper(jaffe):
    data = faces.load_jaffe_faces_rotated(jaffe)
    assert data.X.shape == (408, 407)
    counts = Counter(zip(data.tasks.tolist(), data.target.tolist(), strict=True))
    people = set(data.target.tolist())
    assert len(people) == 8
    assert "P9" not in people
    assert counts == {("source", p): 45 for p in people} | {("target", p): 6 for p in people}
    assert not images(data, "source") & images(data, "target")


def test_without_jaffe_a_sentence_says_where_it_is_to_be_had(tmp_path):
    with pytest.raises(MissingDataError, match="jaffe-faces-rotated was not found.*zenodo"):
        faces.load_jaffe_faces_rotated(tmp_path)


def test_a_part_of_jaffe_is_refused(tmp_path):
    (tmp_path / "jaffe").mkdir()
    with pytest.raises(FileFormatError, match="has 0 people with 17 images .* and 8 are needed"):
        faces.load_jaffe_faces_rotated(tmp_path)


def test_without_pillow_a_sentence_names_the_extra(jaffe, monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(MissingExtraError, match=r"needs PIL, .*\[images\]'"):
        faces.load_jaffe_faces_rotated(jaffe)


def test_nearest_row_is_mostly_of_the_same_person(real):
    loaded = real("orl-faces-rotated")
    D = np.sum((loaded.X[:, None] - loaded.X[None]) ** 2, axis=2)
    np.fill_diagonal(D, np.inf)
    assert np.mean(loaded.target[D.argmin(axis=1)] == loaded.target) > 0.9
