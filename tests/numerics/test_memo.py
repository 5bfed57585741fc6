from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk import MEC
from kinfolk.numerics import memo

TABLE = np.arange(6.0).reshape(2, 3)


class Counted:
    """Function that sums its first argument, and records the arguments of its calls."""

    def __init__(self):
        self.calls = []
        self.function = memo.remembered(self._sum)

    def _sum(self, x, *options, **named):
        self.calls.append(x)
        return np.asarray([np.sum(x)])

    def __call__(self, *args, **options):
        return self.function(*args, **options)


@pytest.fixture
def counted():
    return Counted()


def test_outside_of_a_block_each_call_computes_and_its_result_is_writeable(counted):
    found = [counted(TABLE) for _ in range(2)]
    assert len(counted.calls) == 2
    assert found[0] is not found[1]
    assert found[0].flags.writeable
    assert not memo.active()


def test_inside_a_block_the_same_arguments_compute_once(counted):
    with memo.remembering():
        assert memo.active()
        one, other = counted(TABLE), counted(TABLE.copy())
    assert one is other
    assert len(counted.calls) == 1


def test_results_are_read_only_and_arguments_stay_as_they_are():
    class Pair(NamedTuple):
        dense: np.ndarray
        sparse: sp.csr_array
        given: np.ndarray

    given = TABLE.copy()
    make = memo.remembered(lambda x: [Pair(x + 1, sp.csr_array(x), x)])
    memory = memo.Memory()
    for _ in range(2):  # forgetting names at the end of a block must not take x for a result
        with memo.remembering(memory):
            pair = make(given)[0]
    for array in (pair.dense, pair.sparse.data, pair.sparse.indices, pair.sparse.indptr):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7
    assert pair.given is given
    given[0, 0] = 5.0


def test_a_memory_forgets_what_its_last_block_did_not_use(counted):
    memory = memo.Memory()
    for steps in ("ab", "a", "ab"):
        with memo.remembering(memory):
            for step in steps:
                counted(TABLE, step)
    assert len(counted.calls) == 3
    assert len(memory) == 2
    memory.clear()
    assert len(memory) == 0


def test_results_without_arrays_are_forgotten_too():
    memory = memo.Memory()
    largest = memo.remembered(max)
    for pair in ((1, 2), (3, 4)):
        with memo.remembering(memory):
            largest(*pair)
    assert len(memory) == 1


def test_a_memory_with_spare_bytes_keeps_the_unused_results_that_were_used_last(counted):
    memory = memo.Memory(spare=2 * np.array([0.0]).nbytes)
    for step in "abcda":
        with memo.remembering(memory):
            counted(TABLE, step)
    # c and d are spare beside a, which was forgotten and computed again.
    assert len(counted.calls) == 5
    assert len(memory) == 3
    for step in "dcb":
        with memo.remembering(memory):
            counted(TABLE, step)
    assert len(counted.calls) == 6


def test_an_argument_that_changes_between_blocks_is_read_anew(counted):
    memory, table = memo.Memory(), TABLE.copy()
    sums = []
    for _ in range(2):
        with memo.remembering(memory):
            sums.append(float(counted(table)[0]))
        table[0, 0] = 100.0
    assert sums == [15.0, 115.0]


def test_a_failure_leaves_what_was_computed_before_it(counted):
    memory = memo.Memory()
    fails = memo.remembered(lambda x: 1 / 0)

    def run():
        with memo.remembering(memory):
            counted(TABLE)
            fails(TABLE)

    with pytest.raises(ZeroDivisionError):
        run()
    assert len(memory) == 1
    assert not memo.active()


def test_a_block_inside_another_shares_its_memory_unless_it_has_one(counted):
    own = memo.Memory()
    with memo.remembering():
        counted(TABLE)
        with memo.remembering():
            counted(TABLE)
        with memo.remembering(own):
            counted(TABLE)
        counted(TABLE)
    assert len(counted.calls) == 2
    assert len(own) == 1


@dataclass(frozen=True)
class Setting:
    width: float


class Point(NamedTuple):
    width: float


BIG = np.zeros(2000)
OTHERS = {
    "an entry": TABLE + np.eye(2, 3),
    "the shape": TABLE.reshape(3, 2),
    "the precision": TABLE.astype(np.float32),
    "zeros": np.zeros(4),
    "zeros of another type, with the same bytes": np.zeros(4, dtype=int),
    "the order": TABLE[:, ::-1],
    "sparse": sp.csr_array(TABLE),
    "sparse of another shape": sp.csr_array(TABLE.reshape(3, 2)),
    "sparse by columns": sp.csc_array(TABLE),
    "a list": TABLE.tolist(),
    "a list of large arrays": [BIG, BIG],
    "a list of large arrays that differ in the middle": [
        BIG,
        np.where(np.arange(2000) == 999, 1, BIG),
    ],
    "a tuple of large arrays": (BIG, BIG),
    "large arrays in one": [np.concatenate([BIG, BIG])],
    "one": 1,
    "one as a float": 1.0,
    "one as a truth": True,
    "one as a text": "1",
    "one in single precision": np.float32(1.0),
    "a type": np.float32,
    "another type": np.float64,
    "a setting": Setting(1.0),
    "another setting": Setting(2.0),
    "a named tuple": Point(1.0),
    "a pair": ("ab", "c"),
    "a pair cut elsewhere": ("a", "bc"),
    "a nested pair": ("ab", ("c",)),
    "a mapping": {"a": 1, "b": 2},
    "a mapping of other keys": {"a": 2, "b": 1},
    "nothing": None,
}


def test_arguments_of_other_content_or_type_are_never_taken_for_each_other():
    seen = []
    make = memo.remembered(lambda value: seen.append(1))
    with memo.remembering():
        for _ in range(2):
            for value in [TABLE, *OTHERS.values()]:
                make(value)
    assert len(seen) == len(OTHERS) + 1


def test_two_functions_of_one_name_are_never_taken_for_each_other():
    def adding(n):
        def shifted(x):
            return x + n

        return memo.remembered(shifted)

    one, two = adding(1), adding(2)
    with memo.remembering():
        np.testing.assert_array_equal(one(TABLE) + 1, two(TABLE))


def test_the_layout_of_a_table_does_not_matter(counted):
    with memo.remembering():
        counted(TABLE)
        counted(np.asfortranarray(TABLE))
        counted(np.vstack([TABLE, TABLE])[:2])
    assert len(counted.calls) == 1


@pytest.mark.parametrize(
    "value",
    [
        lambda x: x,
        partial(max, 3),
        object(),
        np.random.RandomState(0),
        np.array([None, "a"]),
        np.ma.masked_array([1.0, 2.0], [True, False]),
        sp.dia_array(np.eye(2)),
        {1, 2},
        [TABLE, object()],
        Setting(object()),
        MEC(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_argument_without_a_name_by_content_is_refused(counted, value):
    assert counted(1, value) == 1
    with memo.remembering(), pytest.raises(TypeError, match="cannot be remembered"):
        counted(1, value)


@pytest.fixture
def read(monkeypatch):
    """Fixture: sizes of the arrays whose content was digested."""
    sizes = []
    plain = np.ascontiguousarray
    monkeypatch.setattr(memo.np, "ascontiguousarray", lambda a: sizes.append(a.size) or plain(a))
    return sizes


def test_an_argument_is_read_once_per_block_and_a_result_never(read):
    table = np.ones((3, 4))
    double = memo.remembered(lambda x: (2 * x, sp.csr_array(x)))
    total = memo.remembered(lambda parts, k: float(sum(part.sum() for part in parts) * k))
    memory = memo.Memory()
    for block in range(1, 4):
        with memo.remembering(memory):
            for k in range(3):
                assert total(double(table), k) == 36 * k
            assert read == block * [12]


def test_an_array_that_takes_the_place_of_a_dead_one_is_read():
    total = memo.remembered(lambda x: float(x.sum()))
    seen = set()
    with memo.remembering():
        for k in range(50):
            x = np.full(3, float(k))
            seen.add(id(x))
            assert total(x) == 3 * k
            del x
    assert len(seen) < 50  # some had the identity of one before


def test_results_that_hold_results_are_kept_alive_and_keep_their_names(read):
    inner = memo.remembered(lambda n: np.ones(n))
    outer = memo.remembered(lambda n: [inner(n), np.zeros(2)])
    size = memo.remembered(lambda x: len(x))
    memory = memo.Memory()
    with memo.remembering(memory):
        held = outer(5)
    with memo.remembering(memory):
        assert outer(5) is held
        assert size(held[1]) == 2
    assert read == []
