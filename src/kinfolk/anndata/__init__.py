"""Clusters the cells of an `AnnData`, with batches (donors) as tasks.

`cluster` reads cells from `X`, a layer or `obsm`, tasks from a column of `obs`, and writes the
answer where other tools of single-cell analysis look for it: `obs`, `obsm` and `uns`.
"""

from kinfolk.anndata.clustering import cluster

__all__ = ["cluster"]
