import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import laws
import oracles_mixtures as oracle
from kinfolk.errors import InputError
from kinfolk.methods.multitask.mtl_gmm import MTLGMM
from kinfolk.numerics import drawn_mixtures, gaussian_mixtures
from kinfolk.numerics.drawn_mixtures import Schedule, StandardizedTasks


def related(T=4, n=40, shift=0.0, seed=0):
    """Draw tasks with two overlapping clusters in three columns; with tasks and truth."""
    random = np.random.default_rng(seed)
    truth = np.arange(T * n) % 2
    tasks = np.repeat([f"t{t}" for t in range(T)], n)
    X = random.normal(size=(T * n, 3)) @ np.array([[1.0, 0.6, 0.0], [0.0, 1.0, 0.3], [0, 0, 1.0]])
    X[:, 0] += 6.0 * truth
    return X + shift * np.repeat(np.arange(T), n)[:, None], tasks, truth


def rows_of(X, tasks):
    tables = [X[tasks == t] for t in dict.fromkeys(tasks.tolist())]
    p = gaussian_mixtures.problem(tables, [2] * len(tables), 0.0)
    return p, StandardizedTasks(p.tables, [p.prior] * len(tables))


def first(p):
    labels = [np.arange(len(Z)) % 2 for Z in p.tables]
    s = gaussian_mixtures.start(p, labels, [2] * len(labels))
    covariances = np.array([s.mixture.covariance] * len(labels))
    return drawn_mixtures.start(
        np.array(s.mixture.weights), np.array(s.mixture.centers), covariances, 0.7
    )


def test_a_sweep_is_that_of_the_loops():
    X, tasks, _ = related(T=3, n=12)
    p, rows = rows_of(X, tasks)
    s = first(p)
    after = drawn_mixtures.sweep(rows, s, Schedule(0.7, 0.5, 0.1))
    assert after.penalty == pytest.approx(0.5 * 0.7 + 0.1)
    R = [
        np.array([oracle.posterior(x, w, M, b) for x in Z])
        for Z, w, M, b in zip(rows.tables, *s.tasks, strict=True)
    ]
    n = [len(Z) for Z in rows.tables]
    _, means, _ = zip(*(oracle.maximized([Z], [R_t], 0, 0) for Z, R_t in zip(
        rows.tables, R, strict=True)), strict=True)  # fmt: skip
    pull = 0.7 * np.sqrt(n)
    S = [
        oracle.maximized([Z], [R_t], 0, 0)[2] * len(Z)
        + sum(R_t[:, j].sum() * np.outer(M[0][j] - c[j], M[0][j] - c[j]) for j in range(2))
        for Z, R_t, M, c in zip(rows.tables, R, means, after.tasks.centers, strict=True)
    ]
    S = [
        (S_t + prior.rows * prior.covariance) / (n_t + prior.rows)
        for S_t, prior, n_t in zip(S, rows.priors, n, strict=True)
    ]
    ahead = after.tasks.centers[:, 1] - after.tasks.centers[:, 0]
    of_weights = [lambda x, t=t: n[t] / 2 * sum((x - R[t].mean(axis=0)) ** 2) for t in range(3)]
    of_centers = [
        lambda x, t=t: R[t][:, 1].sum() / 2 * sum((x - means[t][0][1]) ** 2) for t in range(3)
    ]
    of_coef = [lambda x, t=t: n[t] * (x @ S[t] @ x / 2 - x @ ahead[t]) for t in range(3)]
    mine, common = after.tasks, after.common
    parts = [
        (of_weights, 0.25 * pull, mine.weights, common.weights),
        (of_centers, pull, mine.centers[:, 1], common.centers[1]),
        (of_coef, pull, mine.coef[:, 1], common.coef[1]),
    ]
    random = np.random.default_rng(0)
    for losses, pulls, estimates, center in parts:
        least = oracle.drawn(losses, pulls, estimates, center)
        for size in (1e-4, 1e-2, 1.0):
            moved = oracle.drawn(
                losses, pulls, estimates + size * random.normal(size=estimates.shape),
                center + size * random.normal(size=center.shape),
            )  # fmt: skip
            assert moved >= least - 1e-6 * abs(least)


def test_without_a_penalty_sweeps_are_em_of_each_task_by_itself():
    X, tasks, _ = related(T=1)
    p, rows = rows_of(X, tasks)
    em = gaussian_mixtures.start(p, [np.arange(40) % 2], [2])
    s = drawn_mixtures.start(
        np.array(em.mixture.weights), np.array(em.mixture.centers),
        np.array([em.mixture.covariance]), 0.0,
    )  # fmt: skip
    for _ in range(5):
        em = gaussian_mixtures.sweep(p, em)
        s = drawn_mixtures.sweep(rows, s, Schedule(0.0, 0.0, 0.0))
    np.testing.assert_allclose(s.tasks.weights[0], em.mixture.weights[0], rtol=1e-6)
    np.testing.assert_allclose(s.tasks.centers[0], em.mixture.centers[0], rtol=1e-6, atol=1e-8)
    ends = drawn_mixtures.discriminants(s.tasks.centers, em.mixture.covariance[None])
    np.testing.assert_allclose(s.tasks.coef, ends, rtol=1e-5, atol=1e-8)


def accuracy(found, truth):
    right = (found == truth).mean()
    return max(right, 1 - right)


def test_a_task_of_noise_does_not_harm_the_others():
    for seed in (30, 31):
        X, tasks, truth = related(seed=seed)
        noise = np.random.default_rng(seed + 9).uniform(-12, 12, size=(40, 3))
        alone = MTLGMM(random_state=0, max_iter=40, n_init=3).fit(X, tasks=tasks)
        beside = MTLGMM(random_state=0, max_iter=40, n_init=3).fit(
            np.vstack([X, noise]), tasks=np.append(tasks, ["noise"] * 40)
        )
        related_to = beside.task_distances_[:4]
        assert beside.task_distances_[4] > 3 * related_to.max() + 0.1
        before, after = (
            np.mean([accuracy(m.labels_[:160][tasks == t], truth[tasks == t]) for t in set(tasks)])
            for m in (alone, beside)
        )
        assert after >= before - 0.02


def test_sharing_helps_tasks_of_few_rows():
    gain = []
    for seed in (40, 41):
        X, tasks, truth = related(T=6, n=20, seed=seed)
        found = [
            MTLGMM(penalty=c, random_state=0, max_iter=40, n_init=3).fit(X, tasks=tasks).labels_
            for c in (0.0, 0.1)
        ]
        gain.append([
            np.mean([accuracy(labels[tasks == t], truth[tasks == t]) for t in np.unique(tasks)])
            for labels in found
        ])  # fmt: skip
    alone, together = np.mean(gain, axis=0)
    assert together >= alone + 0.03


def test_shifted_tasks_are_as_good_as_others_if_they_are_centered():
    X, tasks, truth = related()
    model = MTLGMM(random_state=0, max_iter=40, n_init=3).fit(X, tasks=tasks)
    moved = MTLGMM(random_state=0, max_iter=40, n_init=3).fit(related(shift=9.0)[0], tasks=tasks)
    assert (model.labels_ == moved.labels_).mean() in (0.0, 1.0)
    assert accuracy(model.labels_, truth) > 0.85
    plain = MTLGMM(random_state=0, centered=False).fit(related(shift=9.0)[0], tasks=tasks)
    assert plain.task_distances_.max() > 5 * moved.task_distances_.max()


def test_numbers_mean_the_same_in_all_tasks():
    X, tasks, truth = laws.related(sizes=(15, 12, 9))
    model = MTLGMM(3, random_state=0).fit(X, tasks=tasks)
    assert laws.same_clusters(model.labels_, truth)
    np.testing.assert_allclose([R.sum() for R in model.memberships_], [15, 12, 9])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"kappa": 1.0}, "kappa is"),
        ({"penalty": -1.0}, "penalty is"),
        ({"alignment": "best"}, "alignment is"),
        ({"n_clusters": {"t0": 2, "t1": 3}}, "same number of clusters"),
    ],
)
def test_parameters_out_of_range_are_refused(wrong, message):
    X, tasks, _ = related(T=2, n=10)
    with pytest.raises(InputError, match=message):
        MTLGMM(**wrong).fit(X, tasks=tasks)


def test_own_mixtures_in_the_span_of_the_rows_are_those_of_all_columns(monkeypatch):
    X, tasks, _ = related(T=2, n=20)
    wide = np.hstack([X, np.random.default_rng(1).normal(size=(len(X), 40))])
    model = MTLGMM(n_init=2, random_state=0)
    in_span = model.fit(wide, tasks=tasks).cluster_centers_
    monkeypatch.setattr(gaussian_mixtures, "in_span", lambda problem: problem)
    whole = model.fit(wide, tasks=tasks).cluster_centers_
    np.testing.assert_allclose(in_span, whole, atol=1e-4)


def test_tables_whose_fit_can_take_hours_are_refused():
    X = np.random.default_rng(0).normal(size=(8, 2001))
    with pytest.raises(InputError, match="X has 2,001 columns, and MTL-GMM decomposes"):
        MTLGMM().fit(X, tasks=np.repeat(["a", "b"], 4))


def test_a_fit_whose_penalty_still_moves_has_not_converged(monkeypatch):
    monkeypatch.setattr(
        drawn_mixtures, "sweep", lambda rows, s, schedule: s._replace(penalty=s.penalty + 1)
    )
    X, tasks, _ = related()
    with pytest.warns(ConvergenceWarning):
        model = MTLGMM(2, max_iter=3, random_state=0).fit(X, tasks=tasks)
    assert not model.converged_
