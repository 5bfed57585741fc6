import importlib
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

import oracles_lssmtc as oracles
from benchmarks import literal_lssmtc
from kinfolk.catalogue import Entry
from kinfolk.errors import DescentWarning
from kinfolk.methods.multitask import shared_subspace
from kinfolk.methods.multitask.baselines import PerTask, Pooled
from kinfolk.methods.multitask.shared_subspace import LSSMTC, LSSTTC
from kinfolk.methods.single.soft_kmeans import SoftKMeans
from kinfolk.numerics.subspaces import SUBSPACES
from kinfolk.tables import Tasks

pytest.register_assert_rewrite("laws")
laws = importlib.import_module("laws")

TEXT = {"paper": "", "equations": "", "summary": "", "when": "", "when_not": ""}
GRID = {"own_weight": (0.25, 0.5, 0.75), "n_components": (2, 4, 8, 16)}
ENTRIES = [
    Entry("soft-kmeans", SoftKMeans, "one data set", **TEXT),
    Entry("lssmtc", LSSMTC, "several tasks", **TEXT, grid=GRID, different_k=False),
    Entry(
        "lssmtc-published",
        LSSMTC,
        "several tasks",
        **TEXT,
        preset={"subspace": "published", "start": "kmeans"},
        grid=GRID,
        different_k=False,
    ),
    Entry(
        "lssmtc-released",
        LSSMTC,
        "several tasks",
        **TEXT,
        preset={"subspace": "released", "start": "random"},
        grid=GRID,
        different_k=False,
    ),
]
CASES = [
    pytest.param(check, entry, id=f"{entry.name}-{check.__name__}")
    for entry in ENTRIES
    for check, applies in laws.LAWS
    if applies(entry)
]
TABLES = [
    pytest.param(check, entry, table, id=f"{entry.name}-{table}")
    for entry in ENTRIES
    for check, applies in laws.TABLE_LAWS
    if applies(entry)
    for table in laws.AWKWARD
]


@pytest.mark.parametrize(("law", "entry"), CASES)
def test_law_holds(law, entry):
    law(entry)


@pytest.mark.parametrize(("law", "entry", "table"), TABLES)
def test_law_holds_for_awkward_table(law, entry, table):
    law(entry, table)
