"""Lets Ctrl-C come at chosen calls of a function."""


def at_calls(monkeypatch, owner, name, *numbers):
    """Let Ctrl-C end a function or method of `owner` at its calls of these numbers, from 1."""
    real, calls = getattr(owner, name), []

    def stopped(*given, **more):
        calls.append(name)
        if len(calls) in numbers:
            raise KeyboardInterrupt
        return real(*given, **more)

    monkeypatch.setattr(owner, name, stopped)
