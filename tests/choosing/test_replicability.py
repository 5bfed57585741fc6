"""Replicability of clusters: the formulas as loops, and known shared clusters."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.stats import false_discovery_control
from sklearn.metrics.pairwise import cosine_similarity

import kinfolk as kf
from kinfolk.choosing import replicability
from kinfolk.choosing.replicability import FOUND, NOT_FOUND, Divided
from kinfolk.datasets import makers
from kinfolk.errors import InputError
from kinfolk.numerics import group_neighbors, profile_links

RANDOM = np.random.default_rng(0)


def nearest_cluster(row, others, labels):
    near = np.argsort(-cosine_similarity(row[None], others)[0])[:15]
    kinds = np.unique(labels)
    votes = [sum(labels[j] == c for j in near) / np.sqrt(sum(labels == c)) for c in kinds]
    return kinds[int(np.argmax(votes))]


def jaccard(a, b):
    a, b = set(np.flatnonzero(a)), set(np.flatnonzero(b))
    return len(a & b) / len(a | b)


def divided(name, seed, labels):
    random = np.random.default_rng(seed)
    X = random.normal(size=(len(labels), 6)) + 5 * np.eye(6)[labels] + 3
    return Divided.of(name, X, labels, labels)


def link(task, other, c, e):
    ours = task.X[task.labels == c].mean(axis=0) - task.X.mean(axis=0)
    theirs = other.X[other.own == e].mean(axis=0) - other.X.mean(axis=0)
    return float(ours @ theirs / np.linalg.norm(ours) / np.linalg.norm(theirs)), ours, theirs


def dimensions(X, labels, profile):
    S = sum(np.outer(x - X[labels == c].mean(0), x - X[labels == c].mean(0)) for x, c in
            zip(X, labels, strict=True))  # fmt: skip
    p = profile / np.linalg.norm(profile)
    return max(np.trace(S) / (p @ S @ p), 1.0)


def test_records_are_the_formulas():
    a = divided("a", 0, np.repeat([0, 1, 2], [30, 25, 20]))
    b = divided("b", 1, np.repeat([0, 1, 3, 4], [20, 20, 20, 10]))
    found = {(r["task"], r["cluster"]): r for r in replicability.records([a, b])}
    for task, other in ((a, b), (b, a)):
        forth = np.array([nearest_cluster(x, task.X, task.labels) for x in other.X])
        back = np.array([nearest_cluster(x, other.X, other.own) for x in task.X])
        k, l = len(task.names), len(other.own_names)
        L = np.array([[link(task, other, c, e)[0] for e in range(l)] for c in range(k)])
        beta = (min(k, l) - 1) / np.sqrt(k * (k - 1) * l * (l - 1))
        shared = beta * max(L.max(), 0)
        for c in range(k):
            pairs = [(jaccard(forth == c, other.own == e), jaccard(task.labels == c, back == e))
                     for e in range(l)]  # fmt: skip
            strengths = [sum(pair) / 2 for pair in pairs]
            e = int(np.argmax(strengths))
            r = found[task.name, task.names[c]]
            assert r["other_cluster"] == other.own_names[e]
            assert r["strength"] == pytest.approx(strengths[e])
            _, ours, theirs = link(task, other, c, e)
            D = min(dimensions(task.X, task.labels, theirs), dimensions(other.X, other.own, ours))
            cosine = (L[c, e] - shared) / (1 - shared)
            assert r["p_value"] == pytest.approx(min(l * share_above(cosine, D), 1), abs=1e-4)
            assert r["alone"] == 1
    p = [r["p_value"] for r in found.values()]
    adjusted = [r["adjusted_p_value"] for r in found.values()]
    np.testing.assert_allclose(adjusted, false_discovery_control(p))


def share_above(cosine, D):
    """Probability that a random cosine in D dimensions exceeds this one, by integration."""
    angles = np.linspace(0, np.pi, 20_001)
    density = np.sin(angles) ** (D - 2)
    return np.trapezoid(np.where(np.cos(angles) >= cosine, density, 0), angles) / np.trapezoid(
        density, angles
    )


def test_strengths_of_two_tasks_do_not_depend_on_a_third():
    a = divided("a", 0, np.repeat([0, 1, 2], [30, 25, 20]))
    a = a._replace(own=np.roll(a.own, 7))
    b = divided("b", 1, np.repeat([0, 1, 3, 4], [20, 20, 20, 10]))
    b = b._replace(labels=np.roll(b.labels, 5))
    c = divided("c", 2, np.repeat([0, 2], [12, 40]))
    kept = "task", "cluster", "other_task", "other_cluster", "strength", "chance"
    pair = replicability.records([a, b])
    every = replicability.records([a, c, b])
    assert len(every) == 2 * (3 + 2 + 4)
    same = [r for r in every if "c" not in r.values()]
    assert [[r[name] for name in kept] for r in pair] == [[r[name] for name in kept] for r in same]
    # Products of all profiles at once round otherwise than those of two tasks.
    p = [r["p_value"] for r in same]
    assert p == pytest.approx([r["p_value"] for r in pair], rel=1e-12, abs=1e-15)


def test_many_tasks_make_no_calls_for_pairs_of_profiles(monkeypatch):
    calls = []
    measure = profile_links.directions
    monkeypatch.setattr(
        profile_links, "directions", lambda *given: calls.append(1) or measure(*given)
    )
    tasks = [divided(str(t), t, np.arange(24) % 3) for t in range(6)]
    assert len(replicability.records(tasks)) == 6 * 5 * 3
    assert len(calls) == 2 * 6


def test_pairs_of_tasks_are_searched_once_in_a_fit(monkeypatch):
    searches = []
    search = group_neighbors.rows_nearest_by_cosine

    def counted(X, V, groups, l):
        searches.append(X.shape)
        return search(X, V, groups, l)

    monkeypatch.setattr(group_neighbors, "rows_nearest_by_cosine", counted)
    data = makers.make_related_blobs(20, n_features=4, n_tasks=4, random_state=0)
    model = kf.Kinfolk(3, families=["kmeans", "pooled"], random_state=0)
    model.fit(np.exp(data.X), tasks=data.tasks)
    assert model.replicability_
    assert len(searches) == 4  # one for each task, by transfers and by replicability together


def test_chance_is_the_largest_index_of_independent_divisions():
    a = divided("a", 0, np.repeat([0, 1], [30, 10]))
    b = divided("b", 1, np.repeat([0, 1], [20, 40]))
    forth = np.array([nearest_cluster(x, a.X, a.labels) for x in b.X])
    back = np.array([nearest_cluster(x, b.X, b.own) for x in a.X])

    def expected(these, c, those, e):
        n, m = sum(these == c), sum(those == e)
        return (n * m / len(these)) / (n + m - n * m / len(these))

    for r in replicability.records([a, b])[:2]:
        c = r["cluster"]
        each = [(expected(forth, c, b.own, e) + expected(a.labels, c, back, e)) / 2
                for e in (0, 1)]  # fmt: skip
        assert r["chance"] == pytest.approx(max(each))


@pytest.mark.parametrize("kind", ["blobs", "documents"])
@pytest.mark.parametrize("shared", [0, 2, 4])
def test_shared_clusters_are_found_again_and_others_are_not(kind, shared):
    make = {"blobs": makers.make_related_blobs, "documents": makers.make_related_documents}[kind]
    sizes = {"blobs": (240, 30, 4, 2), "documents": (240, 200, 4, 2)}[kind]
    data = make(*sizes, shared=shared, random_state=1)
    for r in kf.replicability(data.X, data.target, data.tasks):
        common = set(data.target[data.tasks == r["other_task"]])
        assert (r["result"] == FOUND) == (r["cluster"] in common), r
        if r["result"] == FOUND:
            assert r["other_cluster"] == r["cluster"]


def test_random_divisions_are_not_found_again():
    said = []
    for seed in range(5):
        random = np.random.default_rng(seed)
        X = random.normal(size=(200, 10))
        found = kf.replicability(X, random.integers(3, size=200), np.repeat(["a", "b"], 100))
        said += [r["result"] for r in found]
    assert set(said) == {NOT_FOUND}


def test_a_cluster_that_only_help_made_is_named_by_alone():
    data = makers.make_related_blobs(120, 20, 3, 2, shared=3, random_state=0)
    own = np.where(data.tasks == "task-0", "all", data.target)
    found = kf.replicability(data.X, data.target, data.tasks, own)
    by_task = {t: [r for r in found if r["task"] == t] for t in ("task-0", "task-1")}
    assert all(r["alone"] < 0.5 for r in by_task["task-0"])
    assert {r["result"] for r in by_task["task-0"]} == {FOUND}
    assert all(r["alone"] == 1 for r in by_task["task-1"])
    assert {r["other_cluster"] for r in by_task["task-1"]} == {"all"}
    assert {r["result"] for r in by_task["task-1"]} == {NOT_FOUND}


def test_units_names_and_order_of_rows_do_not_matter():
    data = makers.make_related_blobs(80, 6, 3, 2, shared=2, random_state=0)
    before = kf.replicability(data.X, data.target, data.tasks)
    numbers = np.unique(data.target, return_inverse=True)[1]
    order = RANDOM.permutation(len(numbers))
    X = (data.X * np.array([1, 1e3, 1, 1, 1e-3, 1]) + 7)[order]
    after = kf.replicability(X, 10 + numbers[order], data.tasks[order])
    for key in ("strength", "chance", "p_value", "alone"):
        value = {(r["task"], f"c{r['cluster'] - 10}"): r[key] for r in after}
        for r in before:
            assert value[r["task"], r["cluster"]] == pytest.approx(r[key], abs=1e-6)


def test_sparse_rows_give_the_same_records():
    data = makers.make_related_documents(60, random_state=0)
    sparse, dense = (
        kf.replicability(X, data.target, data.tasks)
        for X in (sp.csr_array(data.X), sp.csr_array(data.X).toarray())
    )
    assert sparse == [r | {"p_value": pytest.approx(r["p_value"]),
                           "adjusted_p_value": pytest.approx(r["adjusted_p_value"])}
                      for r in dense]  # fmt: skip


def test_a_single_task_and_tasks_of_one_cluster_have_nothing_to_find():
    X = RANDOM.normal(size=(30, 3))
    assert kf.replicability(X, np.arange(30) % 2, None) == []
    found = kf.replicability(X, np.zeros(30), np.repeat(["a", "b"], 15))
    assert [r["result"] for r in found] == [NOT_FOUND, NOT_FOUND]


def test_large_tasks_are_sampled(monkeypatch):
    monkeypatch.setattr(replicability, "MAX_ROWS", 40)
    seen = []
    monkeypatch.setattr(replicability, "records", lambda tasks: seen.extend(tasks) or [])
    kf.replicability(RANDOM.normal(size=(130, 3)), np.arange(130) % 2, np.repeat([0, 1], [30, 100]))
    assert [task.X.shape[0] for task in seen] == [30, 40]


@pytest.mark.parametrize("given", [{"labels": [0, 1]}, {"own_labels": np.zeros((4, 1))}])
def test_one_label_per_row_is_asked_for(given):
    arguments = {"labels": [0, 1, 0, 1]} | given
    with pytest.raises(InputError, match=r"has shape .* but X has 4 rows; give one label per row"):
        kf.replicability(np.eye(4), tasks=[0, 0, 1, 1], **arguments)


def test_a_fitted_model_has_the_records_of_its_answer():
    data = makers.make_related_blobs(60, 12, 3, 2, shared=3, random_state=0)
    model = kf.Kinfolk(3, families=["kmeans", "pooled"], random_state=0)
    model.fit(data.X, tasks=data.tasks)
    expected = kf.replicability(data.X, model.labels_, data.tasks, model.own_labels_)
    assert model.replicability_ == expected
    assert {r["result"] for r in expected} == {FOUND}


def test_labels_may_be_objects_such_as_texts():
    data = makers.make_related_blobs(30, 12, 3, 2, shared=3, random_state=0)
    expected = kf.replicability(data.X, data.target, data.tasks)
    assert kf.replicability(data.X, data.target.astype(object), data.tasks) == expected


def test_labels_of_pandas_go_by_the_index_of_the_table():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(12, 3)), [f"row {i}" for i in range(12)])
    labels = pd.Series(np.arange(12) % 2, X.index)
    tasks = ["a"] * 6 + ["b"] * 6
    found = replicability.replicability
    assert found(X, labels[::-1], tasks, labels[::-1]) == found(X, labels, tasks)


@pytest.mark.parametrize(
    ("labels", "said"),
    [([None, "b", "a", "b"], "missing values"), ([1, "b", 1, "b"], "mixes kinds of labels")],
)
def test_missing_and_mixed_labels_are_refused(labels, said):
    with pytest.raises(InputError, match=f"labels (has )?{said}"):
        replicability.replicability(np.eye(4), labels, ["a", "a", "b", "b"])
