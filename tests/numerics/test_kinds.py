import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.numerics import affinities, kinds

RANDOM = np.random.default_rng(0)
COUNTS = RANDOM.poisson(0.7, size=(30, 6)).astype(float)
BRIGHTNESS = np.maximum(RANDOM.integers(-8, 17, size=(30, 6)), 0).astype(float)
LENGTHS = RANDOM.uniform(1, 9, size=(30, 6))
TABLES = [
    (sp.csr_array(LENGTHS), "counts", "gaussian"),
    (COUNTS, "counts", "cosine"),
    ((COUNTS > 0).astype(float), "counts", "cosine"),
    (BRIGHTNESS, "amounts", "gaussian"),
    (np.where(LENGTHS > 8.5, LENGTHS, 0.0), "amounts", "cosine"),
    (LENGTHS, "measurements", "gaussian"),
    (LENGTHS - 5, "measurements", "gaussian"),
    (COUNTS - 1, "measurements", "gaussian"),
    (np.zeros((30, 2)), "amounts", "cosine"),
]


@pytest.mark.parametrize(("table", "kind", "affinity"), TABLES)
def test_zeros_and_ones_of_a_table_say_its_kind_and_its_affinity(table, kind, affinity):
    assert kinds.kind(table) == kind
    assert kinds.affinity("auto", table) == affinity


@pytest.mark.parametrize(("table", "kind", "affinity"), TABLES[1:])
def test_the_affinity_does_not_depend_on_how_a_table_is_held(table, kind, affinity):
    assert kinds.affinity("auto", sp.csr_array(table)) == affinity


@pytest.mark.parametrize("name", affinities.NAMES[1:])
def test_an_affinity_that_is_named_is_taken(name):
    for table, _, _ in TABLES:
        assert kinds.affinity(name, table) == name


@pytest.mark.parametrize("scale", [1e-3, 1.0, 255.0])
def test_the_unit_of_measurements_and_brightness_does_not_matter(scale):
    for table in (BRIGHTNESS / 16, LENGTHS, LENGTHS - 5):
        assert kinds.affinity("auto", scale * table) == "gaussian"


def test_the_kernel_of_the_method_is_taken_but_for_columns_of_two_values():
    assert kinds.affinity("auto", LENGTHS, "local-gaussian") == "local-gaussian"
    answers = np.column_stack([LENGTHS, np.where(LENGTHS[:, 0] > 5, 1.0, -1.0)])
    for table in (answers, sp.csr_array(answers)):
        assert kinds.has_two_values(table)
        assert kinds.affinity("auto", table, "local-gaussian") == "gaussian"
    constant = np.column_stack([LENGTHS, np.ones(30)])
    assert not kinds.has_two_values(constant)
    assert not kinds.has_two_values(LENGTHS[:2])
