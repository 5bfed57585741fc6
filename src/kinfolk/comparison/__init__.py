"""Compares clustering alone, pooled and together: behind `kf.compare` and `kinfolk run`."""

from kinfolk.comparison.comparison import Comparison, compare
from kinfolk.comparison.profiling import profile
from kinfolk.comparison.suggesting import suggest_clusters

__all__ = ["Comparison", "compare", "profile", "suggest_clusters"]
