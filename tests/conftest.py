import gc
import os
import shutil
import tempfile
from pathlib import Path
from unittest import mock

gc.disable()  # a third of the time in which tests are collected: they make no garbage

# Small products are slower with several threads, and threads of two test processes get in each
# other's way. Set before NumPy is imported; a number that is set already stays.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

MEMORY = Path("/dev/shm")
"""Folder of files in memory, where Linux has one."""
ENOUGH = 2**31
"""Bytes that must be free there: many times what tests hold at once."""

# The tests make 25,000 files, and a disk may take 2 ms to delete one.
if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ENOUGH:
    os.environ.setdefault("TMPDIR", str(MEMORY))
    tempfile.tempdir = None  # pytest may have asked for the usual folder already

import numpy as np
import pytest

from kinfolk.choosing import candidates, null_evidence, null_model
from kinfolk.datasets import data_home
from kinfolk.numerics import agreeing_descent, concept_descent, content_order, smooth_concepts
from kinfolk.papers.store import database

pytest.register_assert_rewrite("laws", "shared_neighbor_fits")

NULL_TABLES = null_model.NULL_TABLES
KMEANS_STARTS = null_model.KMEANS_STARTS
NULL_MIXTURES = null_evidence.NULL_TABLES


def pytest_collection_finish():
    """Look for garbage again, but no more among what was imported and collected."""
    gc.freeze()
    # Fits make few cycles and many arrays; looking every 700 objects takes 4 % of the tests.
    gc.set_threshold(20_000)
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def no_waits_for_the_disk():
    """Fixture: files need not survive a loss of power; tests end processes at most."""
    prepare = database._prepare

    def prepare_without_waits(db, read_only):
        db.execute("PRAGMA synchronous = OFF")
        prepare(db, read_only)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "_prepare", prepare_without_waits)
        patch.setattr(os, "fsync", lambda number: None)
        yield


@pytest.fixture(scope="module", autouse=True)
def few_null_tables():
    """Fixture: 2 null tables with 2 starts, 3 of mixtures: on few rows they take most of the time.

    Of a module, so that it ends before the examples of docstrings, which show the usual numbers.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(null_model, "NULL_TABLES", 2)
        patch.setattr(null_model, "KMEANS_STARTS", 2)
        patch.setattr(null_evidence, "NULL_TABLES", 3)
        yield


def _with_three_families():
    """Fixture: the default answer has three families, for tests of what follows its candidates."""
    few = {name: candidates.FAMILIES[name] for name in ("kmeans", "mec", "joint-spectral")}
    # It also restores their order, which decides the random numbers of each run.
    with mock.patch.dict(candidates.FAMILIES, few, clear=True):
        yield


three_families = pytest.fixture(_with_three_families, scope="module")
three_families_in_one_test = pytest.fixture(_with_three_families)


def _with_short_sweeps():
    """Fixture: 5 steps of L-BFGS-B in a sweep, for tests that speak of sweeps and not of steps.

    Methods make 20 or 60 of the same steps. What a sweep breaks it breaks with 5 of them, and the
    steps take most of the time of the factorizations that use them.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(agreeing_descent, "STEPS", 5)
        patch.setattr(smooth_concepts, "STEPS", 5)
        patch.setattr(concept_descent.descend, "__defaults__", (5, concept_descent.PRECISE))
        yield


short_sweeps = pytest.fixture(_with_short_sweeps, scope="module")
short_sweeps_in_one_test = pytest.fixture(_with_short_sweeps)


@pytest.fixture
def all_null_tables(monkeypatch):
    """Fixture: the usual number of null tables, for tests that depend on the level of chance."""
    monkeypatch.setattr(null_model, "NULL_TABLES", NULL_TABLES)
    monkeypatch.setattr(null_model, "KMEANS_STARTS", KMEANS_STARTS)
    monkeypatch.setattr(null_evidence, "NULL_TABLES", NULL_MIXTURES)


@pytest.fixture
def rows_as_given(monkeypatch):
    """Fixture: fits keep the given order of rows and columns, to equal loops that do."""

    def given(X, codes=None):
        T = 1 if codes is None else codes.max() + 1
        return content_order.ContentOrder(np.arange(X.shape[0]), np.arange(T))

    monkeypatch.setattr(content_order, "order", given)


@pytest.fixture(scope="session")
def data():
    """Fixture: directory of the real data: KINFOLK_DATA, or shared/data beside the checkout."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    place = Path(os.environ.get(data_home.VARIABLE) or beside)
    if not (place / "text").is_dir():
        pytest.skip(
            f"no real data in {place}; set {data_home.VARIABLE} to the directory that has them"
        )
    return place
