"""Signals wait where files are exchanged, and SIGTERM is heard as Ctrl-C."""

import os
import signal
import threading

import pytest

from kinfolk.running import processes


def test_sigterm_is_an_interrupt_within_the_block_and_what_it_was_after_it():
    with processes.terminations_as_interrupts() as came:
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        assert came == [signal.SIGTERM]
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_program_that_ignores_sigterm_goes_on_ignoring_it():
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with processes.terminations_as_interrupts() as came:
            signal.raise_signal(signal.SIGTERM)
        assert came == []
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_thread_leaves_signals_to_the_main_one():
    done = []

    def work():
        with processes.deferred_signals(), processes.terminations_as_interrupts():
            done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [True]


def test_a_block_without_signals_leaves_the_handlers_as_they_were():
    before = [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)]
    with processes.deferred_signals():
        pass
    assert [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)] == before


def test_two_signals_of_a_block_are_both_raised_after_it():
    def block():
        with processes.deferred_signals():
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGTERM)

    with processes.terminations_as_interrupts() as came:
        with pytest.raises(KeyboardInterrupt):
            block()
        assert came == [signal.SIGTERM]


def test_an_error_of_the_block_is_raised_if_no_signal_came():
    with pytest.raises(OSError, match="full"), processes.deferred_signals():
        raise OSError("full")


@pytest.mark.parametrize(
    ("pid", "alive"),
    [(os.getpid(), True), (2**22 + 1, False), (2**70, False)],
    ids=["this one", "none", "too large"],
)
def test_a_process_is_alive_or_not(pid, alive):
    assert processes.is_alive(pid) is alive
