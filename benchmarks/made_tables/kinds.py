"""Draws a made table of a kind, the same for the same seed."""

import zlib

import numpy as np

from benchmarks.made_tables import amounts, answers, measurements

KINDS = answers.KINDS | amounts.KINDS | measurements.KINDS
"""Name -> the function of a RandomState that draws the table."""


def draw(name, seed):
    """Draw a table of this kind."""
    kind = KINDS[name]
    # By the name of the function, so that kinds that are added or moved leave others as they are.
    first = zlib.crc32(kind.__name__.encode()) % 10000
    return kind(np.random.RandomState(first + seed))
