"""Chooses clusterings, parameters and numbers of clusters without labels, by scores of many runs.

Read `estimator` first, which lists the steps of `Kinfolk`, then `decision`: the whole rule by which
other tasks change an answer.

    the steps     estimator
    runs          candidates, candidate_runs, given_families, representations, fitting, leiden
    their time    turns, costs, chains
    large tables  sampling, sampled_blocks
    scores        scores, task_scorer, null_model, null_evidence, copula, partial_labels
    answers       consensus, own_answers, separated_clusters, mixtures, task_state
    other tasks   decision, cross_task, shared_metric, shape_scorers, shape_without_task,
                  moved_mixtures, common_mixtures, replicability
    in words      changes, records
    new rows      run_voters
    views         in_views, view_answer, view_support, view_coregularized, view_joined, view_fusion,
                  view_sharing, view_representations, view_records
    parameters    search, search_scores
    numbers       cluster_count, cluster_count_criteria, shared_numbers, suggestions
"""
