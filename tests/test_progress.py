import contextvars

import pytest

from kinfolk import progress


def test_work_is_silent_and_complete_when_nobody_listens():
    assert list(progress.track("abc", "spelling")) == ["a", "b", "c"]


def test_the_listener_hears_the_start_and_each_step():
    heard = []
    with progress.listening(lambda *news: heard.append(news)):
        for letter in progress.track("ab", "spelling"):
            heard.append(letter)
    assert heard == [("spelling", 0, 2), "a", ("spelling", 1, 2), "b", ("spelling", 2, 2)]


def test_the_inner_of_two_listeners_hears():
    outer, inner = [], []
    with progress.listening(lambda *news: outer.append(news)):
        with progress.listening(lambda *news: inner.append(news)):
            list(progress.track([1], "inside"))
        list(progress.track([], "after"))
    assert inner == [("inside", 0, 1), ("inside", 1, 1)]
    assert outer == [("after", 0, 0)]


def test_listening_ends_when_work_is_stopped():
    heard = []

    def stopped():
        with progress.listening(lambda *news: heard.append(news)):
            for _ in progress.track(range(3), "long work"):
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    list(progress.track(range(3), "later work"))
    assert heard == [("long work", 0, 3)]


def test_another_context_does_not_hear():
    heard = []
    fresh = contextvars.copy_context()
    with progress.listening(lambda *news: heard.append(news)):
        fresh.run(lambda: list(progress.track([1], "elsewhere")))
    assert heard == []
