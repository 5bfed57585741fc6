"""A plan is a product, and data are known by their content."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk import catalogue
from kinfolk.datasets import makers
from kinfolk.papers import plan
from kinfolk.tables import RelatedData
from kinfolk.tables.columns import Column

DATA = makers.make_related_blobs(n_samples=6, random_state=0)


def test_a_published_grid_is_all_its_settings():
    entry = catalogue.method("mtcfir")
    settings = plan.grid(entry.grid)
    values = [tuple(setting[name] for name in entry.grid) for setting in settings]
    assert sorted(values) == sorted(product(*entry.grid.values()))


def test_no_grid_is_one_setting():
    assert plan.grid({}) == [{}]


def test_a_plan_is_the_product_of_what_it_is_given():
    runs = plan.plan(
        ["a", "b"],
        ["kmeans", "mec"],
        strategies=("alone", "pooled"),
        seeds=range(3),
        parameters={"mec": [{"temperature": 1.0}, {"temperature": 2.0}]},
        data_options=[{"draw": 0}, {"draw": 1}],
        n_clusters=4,
        preparation={"scale": "unit"},
    )
    assert len({run.key("c") for run in runs}) == len(runs) == 2 * 2 * (1 + 2) * 2 * 3
    assert {run.n_clusters for run in runs} == {4}
    assert all(run.preparation == {"scale": "unit"} for run in runs)
    assert [run.data for run in runs] == ["a"] * 36 + ["b"] * 36
    assert all(run.parameters == {} for run in runs if run.method == "kmeans")


def changed(array):
    array = array.copy()
    array[0] = array[1] if array.dtype.kind in "US" and array[0] != array[1] else array[-1]
    return array


@pytest.mark.parametrize(
    "other",
    [
        replace(DATA, X=changed(DATA.X)),
        replace(DATA, X=sp.csr_array(DATA.X)),
        replace(DATA, X=None, texts=("a",) * 12),
        replace(DATA, tasks=changed(DATA.tasks)),
        replace(DATA, target=None),
        replace(DATA, target=DATA.target[::-1]),
        replace(DATA, feature_names=("x1", "x0")),
        replace(DATA, views={"all": slice(0, 2)}),
    ],
)
def test_data_that_differ_in_anything_a_method_sees_have_another_checksum(other):
    assert plan.checksum(other) != plan.checksum(DATA)


def mixed(*values, kind="number", levels=()):
    column = Column("size", kind, "", np.array(values), levels)
    return RelatedData("x", DATA.tasks[:2], DATA.row_ids[:2], columns=(column,))


def test_mixed_tables_that_differ_in_a_value_kind_or_level_have_other_checksums():
    tables = [
        mixed(1.0, 2.0),
        mixed(1.0, 3.0),
        mixed(1.0, np.nan),
        mixed(1.0, 2.0, kind="date"),
        mixed("a", "b", kind="category"),
        mixed("a", None, kind="category"),
        mixed("a", "b", kind="ordered category", levels=("a", "b")),
        mixed("a", "b", kind="ordered category", levels=("b", "a")),
    ]
    assert len({plan.checksum(table) for table in tables}) == len(tables)
    assert plan.checksum(mixed(1.0, np.nan)) == plan.checksum(mixed(1.0, np.nan))


def test_equal_data_have_one_checksum_however_they_are_held():
    same = replace(
        DATA, name="other", X=np.asfortranarray(DATA.X), origin="elsewhere", row_ids=DATA.tasks
    )
    assert plan.checksum(same) == plan.checksum(DATA)
    sparse = sp.random_array((12, 5), density=0.5, rng=0, format="csr")
    turned = sp.csr_array(sparse.tocoo().tocsc().tocsr())
    turned.indices = turned.indices.astype(np.int64)
    turned.indptr = turned.indptr.astype(np.int64)
    assert plan.checksum(replace(DATA, X=turned)) == plan.checksum(replace(DATA, X=sparse))


def test_the_checksum_leaves_the_data_as_they_are():
    X = sp.csr_array((np.ones(3), [1, 0, 0], [0, 3]), shape=(1, 2))
    data = replace(DATA, X=X, tasks=DATA.tasks[:1], target=None)
    plan.checksum(data)
    assert X.indices.tolist() == [1, 0, 0]
