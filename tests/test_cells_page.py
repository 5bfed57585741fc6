"""The page on cells makes the donors that its figures were measured on."""

import inspect
from pathlib import Path

from benchmarks import donors

PAGE = Path(__file__).parent.parent / "docs" / "cells.md"


def test_the_page_makes_its_donors_as_the_benchmark_does():
    shown = PAGE.read_text("utf-8")
    source = inspect.getsource(donors.three_donors).partition("seed):")[2]
    lines = [line.strip() for line in source.splitlines() if " = " in line]
    assert len(lines) > 8
    assert [line for line in lines if f"\n{line}\n" not in shown] == []


def test_the_page_names_the_command_that_measures():
    assert "python -m benchmarks.donors" in PAGE.read_text("utf-8")
