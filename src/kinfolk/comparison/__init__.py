"""Clustering alone, pooled and together: the comparison behind `kf.compare` and `kinfolk run`."""

from kinfolk.comparison.comparison import Comparison, compare

__all__ = ["Comparison", "compare"]
