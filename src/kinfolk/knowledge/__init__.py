"""Cluster centers that can be sent to another site, without any row.

At least `minimum_cluster_size` rows stand behind a center that leaves: no single row weighs more
than 1 / minimum in it.
"""

from kinfolk.knowledge.centers import LOADED, MINIMUM, Knowledge
from kinfolk.knowledge.checking import KnowledgeCheck, check_knowledge

__all__ = ["LOADED", "MINIMUM", "Knowledge", "KnowledgeCheck", "check_knowledge"]
