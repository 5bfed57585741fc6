"""Compares clustering alone, pooled and together: behind `kf.compare` and `kinfolk run`."""

from kinfolk.comparison.comparison import Comparison, compare
from kinfolk.comparison.profiling import profile

__all__ = ["Comparison", "compare", "profile"]
