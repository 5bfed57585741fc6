"""Benchmark of related data sets: stores runs with all scores, evaluates rules later.

    python -m benchmarks.related run --data DIR --runs FOLDER [--sets NAME ...] [--seeds 3]
    python -m benchmarks.related judge --runs FOLDER [--rule MODULE:FUNCTION]
    python -m benchmarks.related page docs/related.md --runs FOLDER

A set is a file of five lines in `sets`. The split into sets that may shape rules and sets that
only judge is frozen; `docs/related-measured.md` says how to add a set.
"""
