import contextvars
import io
import sys
from types import SimpleNamespace

import pytest

from kinfolk.running import progress


def test_work_without_a_listener_is_silent_and_complete():
    assert list(progress.track("abc", "spelling")) == ["a", "b", "c"]


def test_the_listener_is_called_at_the_start_and_after_each_item():
    calls = []
    with progress.listening(lambda *call: calls.append(call)):
        for letter in progress.track("ab", "spelling"):
            calls.append(letter)
    assert calls == [("spelling", 0, 2), "a", ("spelling", 1, 2), "b", ("spelling", 2, 2)]


def test_the_inner_of_two_listeners_is_called():
    outer, inner = [], []
    with progress.listening(lambda *call: outer.append(call)):
        with progress.listening(lambda *call: inner.append(call)):
            list(progress.track([1], "inside"))
        list(progress.track([], "after"))
    assert inner == [("inside", 0, 1), ("inside", 1, 1)]
    assert outer == [("after", 0, 0)]


def test_listening_ends_when_work_is_stopped():
    calls = []

    def stopped():
        with progress.listening(lambda *call: calls.append(call)):
            for _ in progress.track(range(3), "long work"):
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    list(progress.track(range(3), "later work"))
    assert calls == [("long work", 0, 3)]


def test_a_listener_is_not_called_from_another_context():
    calls = []
    fresh = contextvars.copy_context()
    with progress.listening(lambda *call: calls.append(call)):
        fresh.run(lambda: list(progress.track([1], "elsewhere")))
    assert calls == []


class Terminal(io.StringIO):
    def isatty(self):
        return True


def open_terminal(monkeypatch):
    """Fixture: replace standard error by a terminal that shows every update.

    No fixture, since pytest sets its own standard error after fixtures.
    """
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "INTERVAL", 0.0)
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    return stream


class Notebook:
    """Stand-in for IPython with a kernel; keeps displays and updates."""

    def __init__(self):
        self.shown = []
        self.displays = 0

    def get_ipython(self):
        return SimpleNamespace(kernel="a kernel")

    def display(self, text, raw, display_id):
        assert raw
        assert display_id
        self.displays += 1
        self.update(text, raw)
        return self

    def update(self, text, raw):
        assert raw
        self.shown.append(text["text/plain"])


@pytest.fixture
def notebook(monkeypatch):
    found = Notebook()
    monkeypatch.setattr(progress, "INTERVAL", 0.0)
    monkeypatch.setitem(sys.modules, "IPython", found)
    monkeypatch.setitem(sys.modules, "IPython.display", found)
    return found


def work():
    for _ in progress.track(range(2), "clustering tasks"):
        list(progress.track([1], "starts"))


LINES = [
    "clustering tasks: 0 of 2",
    "clustering tasks: 0 of 2, starts: 0 of 1",
    "clustering tasks: 0 of 2",
    "clustering tasks: 1 of 2",
    "clustering tasks: 1 of 2, starts: 0 of 1",
    "clustering tasks: 1 of 2",
    "",
    "",
]
"""All updates of `work`; the last is that of the end of the block."""


def test_a_bar_rewrites_one_line_of_the_terminal(monkeypatch):
    terminal = open_terminal(monkeypatch)
    with progress.bar():
        work()
    assert terminal.getvalue().split("\r\x1b[2K") == ["", *LINES]


def test_a_bar_updates_one_display_of_a_notebook(notebook):
    with progress.bar():
        work()
    assert notebook.shown == LINES
    assert notebook.displays == 1


def test_a_notebook_without_long_work_shows_nothing(notebook):
    with progress.bar():
        pass
    assert notebook.displays == 0


def test_the_line_is_removed_when_work_fails(monkeypatch):
    terminal = open_terminal(monkeypatch)

    def failing():
        with progress.bar():
            for _ in progress.track(range(3), "long work"):
                raise ValueError("wrong")

    with pytest.raises(ValueError, match="wrong"):
        failing()
    assert terminal.getvalue().endswith("long work: 0 of 3\r\x1b[2K")
    list(progress.track([1], "later work"))
    assert "later" not in terminal.getvalue()


def test_quick_work_is_shown_once_in_an_interval(monkeypatch):
    terminal = open_terminal(monkeypatch)
    monkeypatch.setattr(progress, "INTERVAL", 3600.0)
    with progress.bar():
        list(progress.track(range(1000), "quick work"))
    assert terminal.getvalue().split("\r\x1b[2K") == ["", "quick work: 0 of 1000", ""]


def test_a_bar_is_silent_where_errors_go_to_a_file(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    with progress.bar():
        assert list(progress.track("ab", "spelling")) == ["a", "b"]
    assert stream.getvalue() == ""


def test_ipython_in_a_terminal_is_a_terminal(monkeypatch):
    terminal = open_terminal(monkeypatch)
    shell = SimpleNamespace(get_ipython=lambda: SimpleNamespace())
    monkeypatch.setitem(sys.modules, "IPython", shell)
    with progress.bar():
        list(progress.track([1], "work"))
    assert "work: 0 of 1" in terminal.getvalue()


def test_importing_kinfolk_imports_no_ipython(monkeypatch):
    open_terminal(monkeypatch)
    with progress.bar():
        pass
    assert "IPython" not in sys.modules
