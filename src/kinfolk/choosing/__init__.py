"""Choosing without labels: many runs scored, one answer, parameters, numbers of clusters.

Read `estimator` first, which lists the steps of `Kinfolk`, then `decision`: the whole rule by which
other tasks change an answer.

    runs          candidates, candidate_runs, given_families, representations, fitting, leiden
    their time    turns, costs, chains
    large tables  sampling, sampled_blocks
    scores        scores, task_scorer, null_model, copula, partial_labels
    answers       consensus, own_answers, mixtures, task_state
    other tasks   decision, cross_task, shared_metric, moved_mixtures, replicability
    in words      changes, records
    new rows      run_voters
    views         in_views, view_answer and all other files named view_
    parameters    search, search_scores
    numbers       cluster_count, cluster_count_criteria, suggestions
"""
