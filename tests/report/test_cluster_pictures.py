import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.report import cluster_pictures
from kinfolk.report.content import read


def test_pixels_make_pictures_and_other_names_do_not(make_study):
    page = read(make_study("pixels"))
    assert cluster_pictures.kind(page.study) == "pixels"
    found = cluster_pictures.of_kind(page, 0)
    assert [(task, rows) for task, rows, _ in found] == [(c.task, c.size) for c in page.groups[0]]
    assert all(picture.startswith("data:image/png;base64,") for _, _, picture in found)
    assert cluster_pictures.of_kind(read(make_study("numbers")), 0) == []


def test_pixel_names_with_gaps_are_not_a_picture():
    names = ("pixel_0_0", "pixel_0_1", "pixel_1_0", "pixel_9999_9999")
    assert cluster_pictures.pixel_places(names) is None
    assert cluster_pictures.pixel_places(("pixel1", "pixel2", "pixel3")) is None
    assert cluster_pictures.pixel_places(("pixel1", "pixel2", "pixel3", "pixel4")).tolist()[3] == [
        1,
        1,
    ]


def test_columns_without_names_are_called_by_their_position(make_study):
    study = make_study("numbers", names=())
    assert cluster_pictures.names(study)[:2] == ("column 0", "column 1")


@pytest.mark.parametrize("width", [2, 3])
def test_names_of_pixels_give_their_places_in_any_order(width):
    places = [(r, c) for c in range(width) for r in range(width)]
    found = cluster_pictures.pixel_places(tuple(f"pixel_{r}_{c}" for r, c in places))
    assert [tuple(place) for place in found.tolist()] == places


def test_spreads_of_sparse_and_dense_tables_agree():
    X = np.random.default_rng(0).poisson(0.35, (30, 6)).astype(float)
    rows = np.arange(3, 20)
    np.testing.assert_allclose(cluster_pictures.spreads(X, rows), X[rows].std(axis=0))
    sparse = cluster_pictures.spreads(sp.csr_array(X), rows)
    np.testing.assert_allclose(sparse, X[rows].std(axis=0))


def test_spreads_are_those_of_the_column_whatever_its_unit_or_offset():
    x = np.random.default_rng(0).normal(size=(500, 1))
    rows = np.arange(500)
    small, far, constant = 1e-12 * x, 1e9 + 10 * x, np.full((500, 1), 1e6 + 0.1)
    found = cluster_pictures.spreads(np.hstack([small, far, constant]), rows)
    np.testing.assert_allclose(found, [small.std(), far.std(), 0.0])
    sparse = sp.csr_array(np.hstack([small, constant]))
    np.testing.assert_allclose(cluster_pictures.spreads(sparse, rows), [small.std(), 0.0])
