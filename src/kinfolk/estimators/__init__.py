"""The base classes of all estimators, their argument checks and their optimization loop.

Read `base` and `descent` first.

    of all         base, parameterized, renamed, row_order, kept_rows, facets
    what they add  cluster_matches, added_task, profiled, scored, notebook
    of one kind    wrapped, embedded, views, voted_views, row_sums, known_labels, label_graph,
                   planes, coclustering, related_centers, shared_neighbors
    checks         checks, rows, observed, nonnegative_views, affinity, task_similarity
    descents       descent, factorization, task_blocks, task_graphs
    matches        correspondence, neighbor_votes
    warnings       warn, dear_sharing, cut_clusters, loose_concepts
"""
