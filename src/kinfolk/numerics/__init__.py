"""Functions of arrays: one idea per file, no options objects, no hidden randomness.

Letters are those of `docs/notation.md`. The subjects, and the files of each:

    tables          operators, sparse_format, backend, features, weighted_rows, equal_rows,
                    content_order, rounding, signs, doubling, gene_counts, kinds, dominance, peaks
    affinities      distances, affinities, similarities, geometry, associations, reference
    samples         discrepancy, discrepancy_subspace, mean_matching, boxed_programme, transport
    graphs          graphs, local_graphs, group_neighbors, small_search, large_search,
                    shared_neighbors, degrees, bipartite, consistent, graph_smoothing, label_graphs,
                    labelled_cuts
    eigenvectors    spectra, raised_spectra, lanczos, extreme_eigenvectors, subspaces,
                    centered_kernels
    memberships     memberships, matching, starts, small_kmeans, sized_assignment, cluster_sizes,
                    simplex, row_combinations, entropic, density_gaps
    matches         cluster_alignment, cluster_groups, cluster_divergence, common_position,
                    profile_links, relabeling
    factorizations  nonnegative, seminonnegative, symmetric_factorization, shared_factorization,
                    concepts, smooth_concepts, linked_memberships, coclusters
    mixtures        gaussian_mixtures, mixed_mixtures, column_mixtures, shifted_mixtures,
                    drawn_mixtures, task_normals, common_centers
    regressions     ridge, centered_regressions, joint_row_sparsity, discriminative, model_relations
    classifiers     margins, naive_bayes
    several tasks   common_features, denoising, related_centers
    several views   view_centers, view_graphs, view_patterns, agreeing_factors, agreeing_descent,
                    concept_descent, visible_latent
    how it runs     bounded_descent, memo, threads, float_errors
"""
