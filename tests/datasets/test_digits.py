from collections import Counter
from importlib import resources

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier

from kinfolk.datasets import digits
from kinfolk.errors import InputError


def test_two_sources_of_three_hundred_balanced_rows():
    data = digits.load_digits_two_sources()
    assert data.X.shape == (600, 64)
    assert len(data.feature_names) == 64
    assert data.task_names == ["forms", "maps"]
    counts = Counter(zip(data.tasks.tolist(), data.target.tolist(), strict=True))
    assert counts == {(t, str(c)): 30 for t in ("forms", "maps") for c in range(10)}
    assert len(set(zip(data.tasks, data.row_ids, strict=True))) == 600


def test_values_are_whole_and_both_sources_use_the_same_scale():
    data = digits.load_digits_two_sources()
    for task in data.task_names:
        X = data.X[data.tasks == task]
        assert (X.min(), X.max()) == (0, 16)
        np.testing.assert_array_equal(X, np.rint(X))


def test_draw_depends_on_the_seed_alone():
    first, same, other = (digits.load_digits_two_sources((40, 50), seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.X, same.X)
    np.testing.assert_array_equal(first.row_ids, same.row_ids)
    assert first.row_ids.tolist() != other.row_ids.tolist()


def test_row_ids_are_positions_in_the_source():
    data = digits.load_digits_two_sources((20, 10))
    rows = data.row_ids[:20].astype(int)
    np.testing.assert_array_equal(data.X[:20], load_digits().data[rows])
    assert data.target[:20].tolist() == load_digits().target[rows].astype(str).tolist()


def test_classes_differ_by_one_row_at_most():
    data = digits.load_digits_two_sources((13, 28))
    for task in data.task_names:
        sizes = Counter(data.target[data.tasks == task].tolist()).values()
        assert len(sizes) == 10
        assert max(sizes) - min(sizes) == 1


def test_both_sources_stand_upright_alike():
    data = digits.load_digits_two_sources((1740, 2000))
    forms = data.tasks == "forms"
    judge = KNeighborsClassifier(3).fit(data.X[forms], data.target[forms])
    upright = judge.score(data.X[~forms], data.target[~forms])
    images = data.X[~forms].reshape(-1, 8, 8)
    turned = [
        judge.score(image.reshape(-1, 64), data.target[~forms])
        for image in (images.transpose(0, 2, 1), images[:, ::-1], images[:, :, ::-1])
    ]
    assert upright > 0.5
    assert upright > max(turned) + 0.2


@pytest.mark.parametrize(
    ("n_rows", "sentence"),
    [
        ((9, 10), "n_rows is 9; give at least 10"),
        ((10, 2001), "n_rows is 2001 for maps; give at most 2000"),
        ((50,), r"n_rows is \(50,\); give two numbers"),
        (300, "n_rows is 300; give two numbers"),
    ],
)
def test_more_or_fewer_rows_than_there_are_give_a_sentence(n_rows, sentence):
    with pytest.raises(InputError, match=sentence):
        digits.load_digits_two_sources(n_rows)


def test_embedded_file_is_small_and_has_nothing_else():
    file = resources.files("kinfolk.datasets").joinpath(digits.MAPS)
    assert len(file.read_bytes()) < 60_000
    with file.open("rb") as stream, np.load(stream, allow_pickle=False) as maps:
        assert set(maps.files) == {"images", "digits"}
        assert maps["images"].shape == (2000, 8, 8)
        assert maps["images"].dtype == maps["digits"].dtype == np.uint8
        assert np.bincount(maps["digits"]).tolist() == [200] * 10


def test_embedded_images_are_area_averages_of_the_source(data):
    with np.load(data / "digits" / "mfeat.npz", allow_pickle=False) as views:
        pixels, target = views["view_3"].reshape(-1, 16, 15), views["y"]
    # In sixths of a cell: 15 columns of two sixths, and nine sixths of margin on either side.
    fine = np.pad(np.repeat(pixels, 2, axis=2), ((0, 0), (0, 0), (9, 9)))
    fine = fine.reshape(2000, 8, 2, 8, 6)
    with resources.files("kinfolk.datasets").joinpath(digits.MAPS).open("rb") as stream:
        maps = np.load(stream, allow_pickle=False)
        np.testing.assert_array_equal(maps["digits"], target)
        np.testing.assert_allclose(maps["images"], fine.mean(axis=(2, 4)) * 16 / 6, atol=0.5001)
