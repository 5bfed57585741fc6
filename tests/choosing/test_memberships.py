"""Memberships of `Kinfolk`: shares of the runs that vote for each kind."""

import numpy as np
import pandas as pd
import pytest

import kinfolk as kf
from kinfolk.errors import UnknownTaskError

X = np.random.default_rng(0).normal(size=(40, 3)) + 4.0 * np.eye(3)[np.arange(40) % 3]
TASKS = np.repeat(["lab", "field"], 20)


@pytest.fixture(scope="module")
def model():
    return kf.Kinfolk(3, families=["kmeans", "mec", "soft-kmeans"], random_state=0).fit(
        X, tasks=TASKS
    )


def votes_by_loops(model, x, t):
    """Votes of the kept runs for the clusters of the task at position t, run by run."""
    votes = np.zeros(model.n_clusters_[t])
    for (name, run), maps in zip(model._kept_runs, model._cluster_maps, strict=True):
        if maps[t].max() < 0:
            continue
        seen = model._representations.transform(name, x[None], np.array([t]))
        cluster = maps[t][run.predict(seen, tasks=np.array([t]))[0]]
        if cluster >= 0:
            votes[cluster] += 1
    return votes


def test_memberships_are_the_votes_of_each_run(model):
    shares = model.transform(X[18:22], tasks=TASKS[18:22])
    for x, task, found in zip(X[18:22], TASKS[18:22], shares, strict=True):
        t = list(model.task_names_).index(task)
        votes = votes_by_loops(model, x, t)
        expected = np.zeros(3)
        for cluster, number in enumerate(votes):
            expected[model.matched_clusters_[3 * t + cluster]] += number
        np.testing.assert_allclose(found, expected / expected.sum())


def test_the_largest_membership_is_the_kind_that_is_predicted(model):
    shares = model.transform(X, tasks=TASKS)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    kinds, _ = model.match(model.predict(X, tasks=TASKS), TASKS)
    np.testing.assert_allclose(shares[np.arange(40), kinds], shares.max(axis=1))


def test_rows_are_judged_independently_of_each_other(model):
    together = model.transform(X, tasks=TASKS)
    alone = [model.transform(X[i : i + 1], tasks=TASKS[i])[0] for i in range(0, 40, 7)]
    np.testing.assert_array_equal(together[::7], alone)


def test_memberships_may_be_a_data_frame(model):
    frame = pd.DataFrame(X, columns=list("abc"), index=np.arange(100, 140)).assign(site=TASKS)
    named = kf.Kinfolk(3, families=["kmeans", "mec"], random_state=0)
    found = named.set_output(transform="pandas").fit_transform(frame, tasks="site")
    assert found.columns.tolist() == ["kinfolk0", "kinfolk1", "kinfolk2"]
    assert found.columns.tolist() == named.get_feature_names_out().tolist()
    assert found.index.tolist() == frame.index.tolist()


def test_rows_of_a_task_that_came_later_have_memberships():
    model = kf.Kinfolk(3, families=["kmeans", "mec"], random_state=0).fit(X, tasks=TASKS)
    model.add_task(X[:20] + 0.1, "sea")
    shares = model.transform(X[:5] + 0.1, tasks="sea")
    kinds, _ = model.match(model.predict(X[:5] + 0.1, tasks="sea"), ["sea"] * 5)
    np.testing.assert_array_equal(shares.argmax(axis=1), kinds)


def test_a_task_that_is_not_known_is_refused(model):
    with pytest.raises(UnknownTaskError, match="'moon'"):
        model.transform(X, tasks="moon")
