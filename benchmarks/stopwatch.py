"""Measures wall time and calls of functions inside other code."""

import time
from collections import Counter
from functools import wraps


class Stopwatch:
    """Context that times the functions of each step.

    Calls side by side or within each other count once: a step's seconds are those in which at
    least one of its functions ran.
    """

    def __init__(self, steps):
        self._steps = steps
        self._spans = {step: [] for step in steps}
        self.calls = Counter()

    def __enter__(self):
        self._originals = []
        for step, functions in self._steps.items():
            for module, name in functions:
                original = getattr(module, name)
                self._originals.append((module, name, original))
                setattr(module, name, self._watched(step, original))
        return self

    def __exit__(self, *_):
        for module, name, original in self._originals:
            setattr(module, name, original)

    @property
    def seconds(self):
        """Total seconds of each step."""
        return {step: _covered(spans) for step, spans in self._spans.items()}

    def laps(self, step):
        """Seconds between the ends of a step's first and last call, and calls between.

        What is called at the start and at the end of each round so times the rounds.
        """
        ends = [end for _, end in self._spans[step]]
        return ends[-1] - ends[0], len(ends) - 1

    def _watched(self, step, function):
        @wraps(function, updated=())
        def watched(*args, **kwargs):
            start = time.perf_counter()
            try:
                return function(*args, **kwargs)
            finally:
                self.calls[step] += 1
                self._spans[step].append((start, time.perf_counter()))

        return watched


def _covered(spans):
    total, reached = 0.0, 0.0
    for start, end in sorted(spans):
        total += max(end - max(start, reached), 0.0)
        reached = max(reached, end)
    return total
