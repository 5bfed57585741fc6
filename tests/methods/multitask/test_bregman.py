import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import pdist
from sklearn.cluster import KMeans

import laws
from kinfolk.errors import InputError
from kinfolk.methods.multitask import kernel_bregman
from kinfolk.methods.multitask.bregman import MBC
from kinfolk.methods.multitask.kernel_bregman import MKC
from kinfolk.numerics import matching, starts


def overlapping(sizes=(40, 12), seed=0, shift=0.0):
    """Draw three overlapping clusters at the same places in all tasks."""
    random = np.random.default_rng(seed)
    truth = np.concatenate([np.arange(n) % 3 for n in sizes])
    X = random.normal(size=(len(truth), 2)) + 2.2 * np.array([[0, 0], [1, 0], [0, 1]])[truth]
    tasks = np.repeat(np.arange(len(sizes)), sizes)
    return X + shift * tasks[:, None], tasks, truth


@pytest.mark.usefixtures("rows_as_given")
@pytest.mark.parametrize("local_loss", [None, "partition", "centroid"])
def test_without_relations_it_is_k_means_of_each_task(local_loss):
    X, tasks, _ = overlapping()
    settings = {"local_loss": local_loss, "n_init": 1, "random_state": 3}
    model = MBC(3, relation_weight=0.0, **settings).fit(X, tasks=tasks)
    inertia = 0.0
    for t in (0, 1):
        rows = X[tasks == t]
        seed = starts.seeds(np.random.RandomState(3), 1)[0]
        expected = KMeans(3, n_init=1, random_state=seed).fit(rows - X.mean(axis=0))
        assert laws.same_clusters(model.labels_[tasks == t], expected.labels_)
        inertia += expected.inertia_ / len(rows) / 2
    assert model.objective_trace_[-1] == pytest.approx(inertia)


def test_one_task_is_k_means():
    X, _, _ = overlapping()
    one = MBC(3, relation_weight=5.0, random_state=0).fit(X)
    none = MBC(3, relation_weight=0.0, random_state=0).fit(X)
    np.testing.assert_array_equal(one.labels_, none.labels_)
    assert one.cluster_relatedness_ == {}


def test_relations_help_a_small_task_and_harm_a_shifted_one():
    def right(weight, shift):
        scores = []
        for seed in range(8):
            X, tasks, truth = overlapping(seed=seed, shift=shift)
            model = MBC(3, weight, random_state=0).fit(X, tasks=tasks)
            small = tasks == 1
            counts = matching.contingency(model.labels_[small], truth[small]).counts
            scores.append(counts[np.arange(len(counts)), matching.assignment(counts)].sum())
        return np.mean(scores)

    related = right(1.0, 0.0)
    assert related > right(0.0, 0.0)
    assert related > right(1.0, 4.0)


def test_plans_have_the_shares_of_rows_as_marginals():
    X, tasks, _ = overlapping(sizes=(20, 15, 9))
    for marginals in ("size", "uniform"):
        model = MBC({0: 3, 1: 2, 2: 3}, marginals=marginals, random_state=0).fit(X, tasks=tasks)
        R = model.cluster_relatedness_
        assert len(R) == 6
        for (a, b), plan in R.items():
            assert plan.sum() == pytest.approx(1.0)
            np.testing.assert_array_equal(plan, R[b, a].T)
            k, l = plan.shape
            if marginals == "uniform":
                np.testing.assert_allclose(plan.sum(axis=1), np.full(k, 1 / k))


def test_the_literal_choice_is_k_means_and_ours_ends_no_higher():
    gains = 0
    for seed in range(12):
        X, tasks, _ = overlapping(seed=seed)
        settings = {"n_init": 1, "init": "random", "random_state": seed, "tol": 0.0}
        alone = MBC(3, 0.0, local_loss="partition", **settings).fit(X, tasks=tasks)
        ours = MBC(3, 1.0, local_loss="partition", **settings).fit(X, tasks=tasks)
        literal = MBC(3, 1.0, local_loss="centroid", **settings).fit(X, tasks=tasks)
        gains += ours.shared_sweeps_.sum() > 0
        if literal.shared_sweeps_.sum() == 0:
            np.testing.assert_array_equal(literal.labels_, alone.labels_)
    assert gains > 3


def test_a_kernel_of_inner_products_is_mbc():
    X, tasks, _ = overlapping()
    X = X - X.mean(axis=0)
    settings = {"n_init": 2, "random_state": 0, "local_loss": "partition"}
    points = MBC(3, **settings).fit(X, tasks=tasks)
    kernel = MKC(3, kernel=lambda A, B: A @ B.T, **settings).fit(X, tasks=tasks)
    np.testing.assert_array_equal(points.labels_, kernel.labels_)
    np.testing.assert_allclose(points.objective_trace_, kernel.objective_trace_)
    new = X + 0.3
    np.testing.assert_array_equal(points.predict(new, tasks), kernel.predict(new, tasks))
    assert kernel.bandwidth_ is None


def test_a_shift_of_all_tasks_changes_nothing():
    X, tasks, _ = overlapping()
    for cls in (MBC, MKC):
        a, b = (cls(3, random_state=0).fit(X + move, tasks=tasks) for move in (0.0, 1e6))
        np.testing.assert_array_equal(a.labels_, b.labels_)
        np.testing.assert_allclose(a.objective_trace_, b.objective_trace_, rtol=1e-6)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_the_default_bandwidth_is_that_of_different_rows_where_most_pairs_are_equal(form):
    random = np.random.default_rng(0)
    X = np.full((200, 6), 0.1)
    X[150:] = 0.3 * random.normal(size=(50, 6)) + np.repeat([3.0, -3.0], 25)[:, None]
    X = np.vstack([X, X])
    tasks = np.repeat(["a", "b"], 200)
    apart = pdist(X)
    for unit in (1e-3, 1.0, 1e3):
        model = MKC(3, random_state=0).fit(form(unit * X), tasks=tasks)
        assert model.bandwidth_ == pytest.approx(unit * np.median(apart[apart > 0]))
        assert len(np.unique(model.labels_[150:200])) == 2
    assert MKC(1).fit(form(X[:20]), tasks=tasks[:20]).bandwidth_ == 1.0


def test_sparse_new_rows_get_the_labels_of_the_same_dense_ones():
    X, tasks, _ = overlapping()
    model = MKC(3, random_state=0).fit(X + 100, tasks=tasks)
    np.testing.assert_array_equal(model.predict(sp.csr_array(X + 100), tasks), model.labels_)


def test_too_many_rows_for_a_kernel_are_refused(monkeypatch):
    monkeypatch.setattr(kernel_bregman, "MOST_ROWS", 50)
    X, tasks, _ = overlapping()
    with pytest.raises(InputError, match=r"X has 52 rows.*give at most 50 rows, or use MBC"):
        MKC(3).fit(X, tasks=tasks)


@pytest.mark.parametrize(
    ("cls", "wrong", "message"),
    [
        (MBC, {"relation_weight": -1}, "relation_weight is -1"),
        (MBC, {"marginals": "equal"}, "marginals is 'equal'; choose one of 'size', 'uniform'"),
        (MBC, {"local_loss": "both"}, "local_loss is 'both'; choose one of 'partition'"),
        (MBC, {"init": "far"}, "init is 'far'; choose one of 'kmeans', 'random'"),
        (MKC, {"kernel": "cubic"}, "kernel is 'cubic'; choose one of 'gaussian'"),
        (MKC, {"bandwidth": 0.0}, "bandwidth is 0"),
        (MKC, {"kernel": lambda A, B: A[:, :1] - B[:, 0]}, "the kernel of the rows has shape"),
    ],
)
def test_wrong_parameters_are_named(cls, wrong, message):
    X, tasks, _ = overlapping()
    with pytest.raises(InputError, match=message):
        cls(3, **wrong).fit(X, tasks=tasks)
