import time
import warnings

import numpy as np
import pytest
from sklearn.cluster import KMeans

import kinfolk as kf
from kinfolk.choosing import fitting
from kinfolk.errors import InputError
from kinfolk.running import progress

X = np.arange(6.0)[:, None]
TASKS = np.repeat([0, 1], 3)


class Stub:
    """An estimator that warns, then gives labels or raises."""

    def __init__(self, error=None, messages=()):
        self.error = error
        self.messages = messages

    def fit(self, X, tasks):
        for message in self.messages:
            warnings.warn(message, RuntimeWarning, stacklevel=1)
        for _ in progress.track(range(2), "sweeps"):
            pass
        if self.error is not None:
            raise self.error
        self.labels_ = tasks
        return self


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (InputError("too few rows"), "too few rows"),
        (np.linalg.LinAlgError("singular"), "singular"),
        (MemoryError(), "MemoryError"),
    ],
)
def test_a_refusal_is_an_outcome_with_its_reason(error, reason):
    outcome = fitting.fit(Stub(error), X, TASKS)
    assert outcome.labels is None
    assert outcome.error is error
    assert outcome.reason == reason


@pytest.mark.parametrize("error", [ValueError, TypeError, IndexError, ZeroDivisionError])
def test_a_defect_is_raised(error):
    with pytest.raises(error, match="broken"):
        fitting.fit(Stub(error("broken")), X, TASKS)


def test_warnings_are_recorded_once_each_even_if_the_fit_is_refused():
    outcome = fitting.fit(Stub(InputError("no"), ["b", "a", "b"]), X, TASKS)
    assert outcome.warnings == ["RuntimeWarning: b", "RuntimeWarning: a"]


def test_a_fit_is_timed_and_silent(monkeypatch):
    ticks = iter([10.0, 12.5])
    monkeypatch.setattr(time, "perf_counter", lambda: next(ticks))
    reported = []
    with progress.listening(lambda *state: reported.append(state)):
        outcome = fitting.fit(Stub(), X, TASKS)
    assert reported == []
    assert outcome.seconds == 2.5
    assert outcome.reason == ""
    np.testing.assert_array_equal(outcome.labels, TASKS)


@pytest.mark.parametrize(
    ("estimator", "foreign"),
    [
        (KMeans(), True),
        (kf.PerTask(KMeans()), True),
        (kf.Pooled(KMeans()), True),
        (kf.PerTask(), True),
        (kf.PerTask(kf.MEC()), False),
        (kf.MTCFIR(), False),
        (kf.Kinfolk(), False),
    ],
)
def test_a_plain_value_error_is_a_refusal_of_other_packages_only(estimator, foreign):
    assert (ValueError in fitting.refusals_of(estimator)) == foreign
