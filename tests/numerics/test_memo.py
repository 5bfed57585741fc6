import numpy as np
import pytest
import scipy.sparse as sp

from kinfolk.numerics import memo

TABLE = np.arange(6.0).reshape(2, 3)


def asked(step, made):
    """Ask for a step, and note whether it was made."""
    return memo.of(step, lambda: made.append(step) or step)


def test_a_memory_forgets_what_its_last_block_did_not_ask_for():
    memory, made = {}, []
    for steps in ("ab", "a", "ab"):
        with memo.kept(memory):
            for step in steps:
                asked(step, made)
    assert made == ["a", "b", "b"]
    assert set(memory) == {"a", "b"}


def test_a_failure_leaves_what_was_made_before_it():
    memory = {}

    def run():
        with memo.kept(memory):
            asked("a", [])
            memo.of("b", lambda: 1 / 0)

    with pytest.raises(ZeroDivisionError):
        run()
    assert set(memory) == {"a"}
    assert not memo.wanted()


def test_a_block_inside_another_shares_its_memory_unless_it_has_one():
    made, own = [], {}
    with memo.kept():
        asked("a", made)
        with memo.kept():
            asked("a", made)
        with memo.kept(own):
            asked("a", made)
        asked("a", made)
    assert made == ["a", "a"]
    assert set(own) == {"a"}


def test_outside_of_a_block_nothing_is_named_or_kept():
    made = []
    assert memo.name("step", TABLE) == ""
    for _ in range(2):
        asked(memo.name("step", TABLE), made)
    assert len(made) == 2


OTHERS = {
    "an entry": (TABLE + np.eye(2, 3)),
    "the shape": TABLE.reshape(3, 2),
    "the precision": TABLE.astype(np.float32),
    "the order": TABLE[:, ::-1],
    "sparse": sp.csr_array(TABLE),
    "sparse of another shape": sp.csr_array(TABLE.reshape(3, 2)),
    "a list": TABLE.tolist(),
}


def test_names_tell_tables_apart_and_not_their_layout():
    with memo.kept():
        names = [memo.name("step", other) for other in OTHERS.values()]
        assert len({memo.name("step", TABLE), *names}) == len(OTHERS) + 1
        assert memo.name("step", np.asfortranarray(TABLE)) == memo.name("step", TABLE)
        assert memo.name("step", sp.csc_array(TABLE)) == memo.name("step", OTHERS["sparse"])
        assert memo.name("st", "ep") != memo.name("s", "tep")
