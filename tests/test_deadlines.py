import math

from kinfolk import deadlines
from kinfolk.estimators import descent


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
