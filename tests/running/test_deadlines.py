import math

import pytest

from kinfolk.estimators import descent
from kinfolk.running import deadlines


def test_the_earliest_of_nested_moments_counts():
    now = deadlines.clock()
    with deadlines.ending(now + 50):
        with deadlines.ending(now + 90):
            assert deadlines.moment() == now + 50
        with deadlines.ending(now - 1):
            assert deadlines.passed()
        assert not deadlines.passed()
    assert deadlines.left() == math.inf


def test_a_descent_ends_at_the_deadline_after_a_whole_sweep(monkeypatch):
    time = iter(range(100))
    monkeypatch.setattr(deadlines, "clock", lambda: next(time))
    with deadlines.ending(2.5):
        run = descent.alternate(8.0, sweep=lambda x: x - 1, objective=abs, max_iter=9, tol=None)
    assert run.trace == [8.0, 7.0, 6.0, 5.0, 4.0]
    assert not run.converged
    with deadlines.ending(-1):
        late = descent.alternate(8.0, sweep=lambda x: x - 1, objective=abs, max_iter=9, tol=0.0)
    assert late.n_iter == 1


def test_work_that_had_half_of_a_core_takes_twice_as_long(monkeypatch):
    monkeypatch.setattr(deadlines, "clock", lambda: 1020.0)
    monkeypatch.setattr(deadlines.time, "process_time", lambda: 9.75)
    with deadlines.counting(deadlines.Start(1000.0, 0.0)):
        assert deadlines.began() == 1000.0
        assert deadlines.slowness() == pytest.approx(2.0)
        with deadlines.ending(5000.0):
            assert deadlines.began() == 1000.0
    with deadlines.counting(deadlines.Start(0.0, 0.0)):
        assert deadlines.slowness() == deadlines.MOST_SLOWNESS
    assert deadlines.slowness() == 1.0


def test_waiting_for_workers_is_no_sign_of_a_slow_machine(monkeypatch):
    time = [0.0]
    monkeypatch.setattr(deadlines, "clock", lambda: time[0])
    monkeypatch.setattr(deadlines.time, "process_time", lambda: 0.0)
    with deadlines.counting(deadlines.Start(0.0, 0.0)):
        with deadlines.waiting():
            time[0] += 60.0
        assert deadlines.slowness() == 1.0
        assert deadlines.began() == 0.0
        time[0] += 1.0
        assert deadlines.slowness() == pytest.approx(3.0)
