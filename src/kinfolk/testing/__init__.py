"""Tests that a clusterer of any package satisfies general laws of clustering.

>>> from sklearn.cluster import KMeans
>>> found = check_clusterer(KMeans(n_init=5, random_state=0))
>>> {record["status"] for record in found}
{'kept'}
"""

from kinfolk.testing.checking import check_clusterer, laws_of

__all__ = ["check_clusterer", "laws_of"]
