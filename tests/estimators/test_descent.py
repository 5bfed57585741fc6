import warnings

import numpy as np
import pytest

from kinfolk.errors import DescentWarning, InputError
from kinfolk.estimators import descent
from kinfolk.estimators.descent import Settings, alternate
from kinfolk.running import progress


def down(values, **settings):
    """Run a descent whose objective takes these values in turn."""
    return descent.alternate(
        0, sweep=lambda i: i + 1, objective=lambda i: values[i], **{"tol": 0.0, **settings}
    )


def test_the_trace_holds_the_start_and_every_sweep():
    run = down([8.0, 4.0, 2.0, 1.0], max_iter=3)
    assert run.trace == [8.0, 4.0, 2.0, 1.0]
    assert (run.state, run.n_iter, run.converged) == (3, 3, False)


def test_a_descent_that_stands_still_has_converged_without_tolerance():
    run = down([8.0, 4.0, 4.0, 1.0], max_iter=3)
    assert (run.n_iter, run.converged) == (2, True)


def test_a_rise_is_told_with_its_sweep_and_both_values():
    with pytest.warns(DescentWarning, match="rose from 4 to 4.5 in sweep 2"):
        down([8.0, 4.0, 4.5, 1.0], max_iter=3)


def test_a_rise_of_a_negative_objective_is_told_too():
    with pytest.warns(DescentWarning, match="rose from -9 to -8 in sweep 1"):
        down([-9.0, -8.0], max_iter=1)


def test_rounding_is_no_rise():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = down([8.0, 4.0, 4.0 + 1e-9, 1.0], max_iter=3)
    assert run.converged


def test_a_rise_within_the_rounding_of_the_scale_is_no_rise():
    with warnings.catch_warnings():
        warnings.simplefilter("error", DescentWarning)
        down([5e-12, 5.0001e-12], max_iter=1, scale=1.0)
    with pytest.warns(DescentWarning, match="in sweep 1"):
        down([5e-12, 5.0e-11], max_iter=1, scale=1.0)


def test_the_rounding_of_a_lower_precision_is_no_rise():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = down([8.0, 4.0, 4.1, 1.0], max_iter=3, rounding=0.2)
    assert (run.rounding, run.converged) == (0.2, True)
    with pytest.warns(DescentWarning, match="rose from 4 to 4.5 in sweep 2"):
        down([8.0, 4.0, 4.5, 1.0], max_iter=3, rounding=0.2)


def test_runs_that_end_level_up_to_their_rounding_keep_the_first():
    runs = [descent.Run(i, [9.0, end], True, 0.2) for i, end in enumerate([1.3, 1.1, 1.0])]
    assert descent.restarts(lambda i: runs[i], [0, 1, 2], "trying").state == 1


@pytest.mark.parametrize(("ends", "first"), [([3.0, 1.0, 2.0], 1), ([2.0, 1.0, 1.0], 1)])
def test_restarts_keep_the_first_of_the_lowest(ends, first):
    heard = []

    def descend(i):
        return descent.Run(i, [9.0, ends[i]], True)

    with progress.listening(lambda *news: heard.append(news)):
        assert descent.restarts(descend, [0, 1, 2], "trying").state == first
    assert heard == [("trying", done, 3) for done in range(4)]


class Estimator:
    """A class with the four parameters of a descent."""

    def __init__(self, n_init=3, max_iter=5, tol=0.0, random_state=0):
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state


def test_settings_draw_one_seed_per_start_from_the_random_state():
    expected = np.random.RandomState(0).randint(np.iinfo(np.int32).max, size=3).tolist()
    settings = Settings.of(Estimator())
    assert settings.seeds == expected
    assert (settings.max_iter, settings.tol) == (5, 0.0)


def test_settings_go_on_with_a_generator_that_was_used_before():
    random, same = np.random.RandomState(7), np.random.RandomState(7)
    random.rand()
    same.rand()
    settings = Settings.of(Estimator(random_state="not used"), random)
    assert settings.seeds == same.randint(np.iinfo(np.int32).max, size=3).tolist()


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"n_init": 0}, "n_init is 0; give at least 1."),
        ({"max_iter": 2.5}, "max_iter is 2.5; give a whole number of at least 1."),
        ({"tol": -1.0}, "tol is -1.0; give a number of at least 0."),
        ({"random_state": "x"}, "random_state is 'x'; give a whole number"),
    ],
)
def test_settings_refuse_what_no_descent_can_use(wrong, sentence):
    with pytest.raises(InputError, match=sentence):
        Settings.of(Estimator(**wrong))


def test_the_best_run_is_that_of_a_loop_over_the_seeds():
    settings = Settings(seeds=[9, 2, 5], max_iter=4, tol=0.1)

    def halve(x):
        return x / 2

    runs = [
        alternate(float(seed), sweep=halve, objective=abs, max_iter=4, tol=0.1, scale=3.0)
        for seed in settings.seeds
    ]
    lowest = min(runs, key=lambda run: run.trace[-1])
    best = settings.best(start=float, sweep=halve, objective=abs, scale=3.0, what="halving")
    assert best == lowest


def test_a_descent_stops_by_the_fall_that_is_still_to_come():
    # Falls of 4, 2, 1, ... leave 8 / 2^i after sweep i, to compare with a hundredth of all falls.
    run = down([100 + 8.0 / 2**i for i in range(30)], max_iter=29, tol=0.01)
    still = [8.0 / 2**i for i in range(run.n_iter + 1)]
    assert run.converged
    assert still[-1] <= 0.01 * (8.0 - still[-1])
    assert still[-2] > 0.01 * (8.0 - still[-2])


def test_a_level_stretch_after_the_start_is_not_the_end():
    trace = [5303.6, 2286.0, 2283.46, 1791.0, 1660.0, 1654.7, 1654.6, 1654.6]
    run = down(trace, max_iter=7, tol=1e-3)
    assert run.trace == trace


def test_slow_falls_do_not_pass_for_the_end():
    # Each sweep falls by 1 % of what is left: single falls are small, their sum is not.
    run = down([0.99**i for i in range(200)], max_iter=199, tol=0.02)
    assert not run.converged


@pytest.mark.parametrize("values", [[9.0, 8.0, 6.0, 3.0, 1.0], [9.0, 8.9, 8.8, 8.7, 8.6]])
def test_falls_that_do_not_shrink_have_no_end(values):
    assert descent.expected_fall(values) == np.inf
    assert not down(values, max_iter=4, tol=0.5).converged


def test_without_a_tolerance_all_sweeps_are_made():
    assert down([8.0, 4.0, 4.0, 4.0], max_iter=3, tol=None).n_iter == 3


def test_a_fall_within_the_rounding_of_the_scale_ends_a_descent():
    settings = Settings(seeds=[0], max_iter=99, tol=0.0)
    run = settings.descend(8.0, sweep=lambda x: x / 2, objective=abs, scale=1e14)
    assert run.trace[-2] - run.trace[-1] <= 1.0 < run.trace[-3] - run.trace[-2]
