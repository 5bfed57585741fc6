import numpy as np
import pytest
import scipy.sparse as sp
from threadpoolctl import threadpool_info, threadpool_limits

from kinfolk import Kinfolk
from kinfolk.choosing import null_model, replicability
from kinfolk.numerics import threads

SMALL = np.ones((3, 4))


@pytest.fixture(autouse=True)
def two_cores(monkeypatch):
    """Fixture: no variables set, and libraries with the two threads of two cores."""
    for name in threads.VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(threads.os, "cpu_count", lambda: 2)
    with threadpool_limits(2):
        yield


def numbers():
    return {library["num_threads"] for library in threadpool_info()}


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_small_tables_have_one_thread_and_then_all_as_before(form):
    with threads.suited(form(SMALL)):
        assert numbers() == {1}
        with threads.suited(form(SMALL)):
            assert numbers() == {1}
        assert numbers() == {1}
    assert numbers() == {2}


@pytest.mark.parametrize(("form", "size"), [(np.asarray, 12), (sp.csr_array, 4)])
def test_large_tables_keep_the_threads(form, size, monkeypatch):
    X = form(np.diag(np.ones(4))[[0, 1, 2]] if size == 12 else np.eye(4))
    monkeypatch.setattr(threads, "LARGE", size)
    with threads.suited(X):
        assert numbers() == {2}
    monkeypatch.setattr(threads, "LARGE", size + 1)
    with threads.suited(X):
        assert numbers() == {1}


@pytest.mark.parametrize("name", threads.VARIABLES)
def test_a_number_that_the_user_has_set_stays(name, monkeypatch):
    monkeypatch.setenv(name, "2")
    with threads.suited(SMALL):
        assert numbers() == {2}


def test_limits_around_the_call_stay(monkeypatch):
    monkeypatch.setattr(threads.os, "cpu_count", lambda: 8)
    monkeypatch.setattr(threads, "_usable_cores", lambda cores: cores)
    with threads.suited(SMALL):
        assert numbers() == {2}


def test_threads_come_back_after_an_error():
    with pytest.raises(ValueError, match="no"), threads.suited(SMALL):
        raise ValueError("no")
    assert numbers() == {2}


def test_a_fit_of_kinfolk_uses_one_thread_for_all_its_steps(monkeypatch):
    seen = []
    for module, name in ((null_model, "null_scores"), (replicability, "records")):
        step = getattr(module, name)
        monkeypatch.setattr(
            module, name, lambda *a, step=step, **o: seen.append(numbers()) or step(*a, **o)
        )
    X = np.random.default_rng(0).normal(size=(24, 3)) + 8 * np.eye(3)[np.arange(24) % 3]
    Kinfolk(3, families=["kmeans"], random_state=0).fit(X, tasks=np.arange(24) // 12)
    assert seen == [{1}] * 3
    assert numbers() == {2}


@pytest.mark.parametrize(("most", "expected"), [(1, 1), (2, 2), (8, 2)])
def test_no_library_gets_more_threads_than_it_has(most, expected):
    with threads.at_most(most):
        assert numbers() == {expected}
    assert numbers() == {2}
