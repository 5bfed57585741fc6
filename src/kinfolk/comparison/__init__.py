"""Clustering alone, pooled and together: the comparison behind `kf.compare` and `kinfolk run`."""

from kinfolk.comparison.comparison import Comparison, compare
from kinfolk.comparison.profiling import profile

__all__ = ["Comparison", "compare", "profile"]
