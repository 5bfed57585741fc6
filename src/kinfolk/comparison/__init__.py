"""Clustering alone, pooled and together: the comparison behind `kinfolk run`."""
