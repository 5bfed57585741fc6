import numpy as np
import pytest
import scipy.sparse as sp

import kinfolk as kf
from kinfolk import measures
from kinfolk.errors import EmptyClusterWarning, InputError
from kinfolk.methods.multitask import joint_spectral
from kinfolk.methods.multitask.baselines import PerTask
from kinfolk.methods.multitask.joint_spectral import JointSpectral
from kinfolk.numerics import graphs, group_neighbors, memo, spectra

SIZES = {"a": 17, "b": 12, "c": 9}
TASKS = np.random.default_rng(3).permutation(np.repeat(list(SIZES), list(SIZES.values())))
X = np.random.default_rng(0).normal(size=(38, 4))
NEW = np.random.default_rng(1).normal(size=(15, 4))


def cosine(x, z):
    return x @ z / np.sqrt((x @ x) * (z @ z))


def count(share, n, k):
    return int(min(max(np.round(share * n / k), 3), 50))


def row_of_links(x, task, l, other_l, w, out=None):
    """Links of one row to its nearest rows in each task, without row `out`."""
    N = np.zeros(len(X))
    for s in SIZES:
        there = [(-cosine(x, X[j]), j) for j in range(len(X)) if TASKS[j] == s and j != out]
        for minus, j in sorted(there)[: l[s] if s == task else other_l[s]]:
            if minus < 0:
                N[j] = 1.0 if s == task else w
    return N


def oracle(k, share, other, w, m):
    """Joint graph, eigenvalues, unit-length embedding and counts by the printed formulas."""
    l, other_l = ({s: count(q, n, k) for s, n in SIZES.items()} for q in (share, other))
    N = np.array([row_of_links(X[i], TASKS[i], l, other_l, w, i) for i in range(len(X))])
    W = (N + N.T) / 2
    d = W.sum(axis=1)
    values, vectors = np.linalg.eigh(W / np.sqrt(np.outer(d, d)))
    values, vectors = values[::-1], vectors[:, ::-1][:, :m]
    return W, values, vectors, (l, other_l)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize(
    ("share", "other", "w", "n_components", "m"),
    [
        (0.5, None, 0.3, "largest", 3),
        (1.0, 0.25, 1.0, "all", 9),
        (2.0, 3.0, 0.7, 5, 5),
    ],
)
def test_the_embedding_is_that_of_the_loops(form, share, other, w, n_components, m):
    model = JointSpectral(3, share, other, w, n_components, random_state=0)
    model.fit(form(X), tasks=TASKS)
    W, values, vectors, _ = oracle(3, share, share if other is None else other, w, m)
    assert values[m - 1] - values[m] > 1e-3  # so that the leading vectors are unique
    np.testing.assert_allclose(model.eigenvalues_, values[:m], atol=1e-10)
    V = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    assert model.embedding_.shape == (38, m)
    np.testing.assert_allclose(model.embedding_ @ model.embedding_.T, V @ V.T, atol=1e-8)


def test_new_rows_lie_where_the_extension_puts_them(monkeypatch):
    seen = []
    squared = joint_spectral.distances.squared
    spied = lambda A, B: (seen.append(A), squared(A, B))[1]  # noqa: E731
    model = JointSpectral(3, 1.0, 0.5, 0.6, random_state=0).fit(X, tasks=TASKS)
    monkeypatch.setattr(joint_spectral.distances, "squared", spied)
    W, values, vectors, counts = oracle(3, 1.0, 0.5, 0.6, 3)
    for task in SIZES:
        found = model.predict(NEW, tasks=task)
        lies, centers = seen.pop(), model._centres[list(model.task_names_).index(task)]
        for i, x in enumerate(NEW):
            w = row_of_links(x, task, *counts, 0.6)
            v = [
                sum(w[j] * vectors[j, c] / np.sqrt(W[j].sum()) for j in range(len(X))) / values[c]
                for c in range(3)
            ]
            v /= np.linalg.norm(v)
            V = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
            np.testing.assert_allclose(model.embedding_ @ lies[i], V @ v, atol=1e-8)
            assert found[i] == np.sum((centers - lies[i]) ** 2, axis=1).argmin()


@pytest.mark.parametrize("k", [2, {"a": 3, "b": 2, "c": 4}])
def test_without_links_between_tasks_each_is_clustered_alone(k):
    shared = {"neighbors": 0.7, "other_weight": 0.0, "random_state": 0}
    model = JointSpectral(k, n_components="all", **shared).fit(X, tasks=TASKS)
    alone = PerTask(JointSpectral(**shared), n_clusters=k).fit(X, tasks=TASKS)
    np.testing.assert_array_equal(model.labels_, alone.labels_)
    for t, single in enumerate(alone.estimators_):
        name = model.task_names_[t]
        own, width = name == TASKS, single.embedding_.shape[1]
        np.testing.assert_allclose(model.embedding_[own][:, :width], single.embedding_, atol=1e-12)
        assert not model.embedding_[own][:, width:].any()
        np.testing.assert_array_equal(model.predict(NEW, tasks=name), single.predict(NEW))
    assert (np.diff(model.eigenvalues_) <= 0).all()


def test_with_one_task_the_weight_of_other_tasks_does_not_matter():
    fits = [JointSpectral(3, other_weight=w, random_state=0).fit(X) for w in (0.0, 0.3, 2.0)]
    for model in fits[1:]:
        np.testing.assert_array_equal(model.labels_, fits[0].labels_)
        np.testing.assert_allclose(model.embedding_, fits[0].embedding_, atol=1e-10)
    widths = {c: JointSpectral(3, n_components=c).fit(X).embedding_.shape[1] for c in ("all", 99)}
    assert widths == {"all": 3, 99: 38}


def rings(n, seed, noise=0.02):
    """Draw rows around the pole of the sphere and around a ring that encloses it."""
    random = np.random.default_rng(seed)
    truth = np.arange(n) % 2
    height = np.where(truth, 0.35, 0.8) + noise * random.normal(size=n)
    angle = random.uniform(0, 2 * np.pi, size=n)
    flat = np.sqrt(1 - height**2)
    rows = np.column_stack([flat * np.cos(angle), flat * np.sin(angle), height])
    return rows * random.uniform(0.5, 2.0, size=(n, 1)), truth


def ari(truth, labels):
    return measures.adjusted_rand_index(truth, labels)


def test_rings_are_found_which_k_means_cuts_across():
    rows, truth = rings(300, 0)
    tasks = np.repeat(["p", "q"], 150)
    model = JointSpectral(2, neighbors=0.15, random_state=0).fit(rows, tasks=tasks)
    for task in "pq":
        own = tasks == task
        assert ari(truth[own], model.labels_[own]) == 1
    means = PerTask(n_clusters=2).fit(rows / np.linalg.norm(rows, axis=1)[:, None], tasks=tasks)
    assert ari(truth[tasks == "p"], means.labels_[tasks == "p"]) < 0.2
    new, expected = rings(80, 1)
    assert ari(expected, model.predict(new, tasks="q")) == 1


def test_a_small_task_is_helped_by_a_large_one():
    large, small = rings(400, 0), rings(24, 5)
    rows = np.vstack([large[0], small[0]])
    tasks = np.repeat(["large", "small"], [400, 24])
    settings = {"neighbors": 0.1, "random_state": 0}
    together, alone = (
        JointSpectral(2, other_weight=w, **settings).fit(rows, tasks=tasks) for w in (0.3, 0.0)
    )
    assert ari(small[1], together.labels_[400:]) == 1
    assert ari(small[1], alone.labels_[400:]) < 0.5
    np.testing.assert_array_equal(together.matched_labels_[:400] == 0, together.labels_[:400] == 0)


def test_the_same_seed_gives_the_same_numbers():
    one, two = (JointSpectral(3, random_state=4).fit(X, tasks=TASKS) for _ in range(2))
    for name in ("labels_", "embedding_", "eigenvalues_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


SETTINGS = [
    {"random_state": 1},
    {"random_state": 2},
    {"n_components": "all"},
    {"n_components": 4},
    {"neighbors": 1.0, "other_neighbors": 0.2},
    {"other_weight": 1.0},
    {"other_weight": 0.0},
    {"n_clusters": {"a": 2, "b": 3, "c": 2}},
]


def test_remembered_steps_change_nothing_and_are_computed_once(monkeypatch):
    made = []
    steps = [(graphs, "nearest_by_cosine"), (group_neighbors, "nearest_cosines")]
    steps.append((spectra, "leading"))
    plain = {name: getattr(module, name) for module, name in steps}
    expected = [JointSpectral(**{"random_state": 0, **s}).fit(X, tasks=TASKS) for s in SETTINGS]
    predicted = [{task: each.predict(NEW, tasks=task) for task in SIZES} for each in expected]
    for module, name in steps:
        made_by = lambda *given, name=name: (made.append(name), plain[name](*given))[1]  # noqa: E731
        monkeypatch.setattr(module, name, made_by)
    with memo.remembering():
        for setting, other, labels in zip(SETTINGS, expected, predicted):
            model = JointSpectral(**{"random_state": 0, **setting}).fit(X, tasks=TASKS)
            np.testing.assert_array_equal(model.labels_, other.labels_)
            np.testing.assert_array_equal(model.embedding_, other.embedding_)
            for task in SIZES:
                again = model.predict(NEW, tasks=task)
                np.testing.assert_array_equal(again, labels[task])
    # 3 tasks in themselves, 3 tasks and the new rows in all tasks; 1 + 1 + 1 + 3 + 1 graphs, and
    # of each task's own links 4, by which the cost of sharing is told
    assert made.count("nearest_by_cosine") == 3
    assert made.count("nearest_cosines") == 4
    assert made.count("leading") == 7 + 12


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_rows_of_the_fit_and_their_multiples_keep_their_labels(form):
    rows = np.where(np.abs(X) > 0.4, X, 0.0)
    rows[5] = rows[20] = 0.0
    model = JointSpectral(4, random_state=0).fit(form(rows), tasks=TASKS)
    for scale in (1.0, 3.0, 1e-5):
        again = model.predict(form(scale * rows), tasks=TASKS)
        np.testing.assert_array_equal(again, model.labels_)
    other = np.asarray if form is sp.csr_array else sp.csr_array
    np.testing.assert_array_equal(model.predict(other(rows), tasks=TASKS), model.labels_)


def test_rows_of_zeros_are_linked_to_none():
    rows = X.copy()
    rows[[4, 9, 30]] = 0.0
    model = JointSpectral(2, random_state=0).fit(rows, tasks=TASKS)
    assert not model.embedding_[[4, 9, 30]].any()
    assert np.linalg.norm(model.embedding_, axis=1).sum() == pytest.approx(35)
    zeros = model.predict(np.zeros((1, 4)), tasks="a")
    assert zeros[0] in (0, 1)


@pytest.mark.usefixtures("rows_as_given")
def test_rows_without_anything_in_common_are_linked_to_none():
    rows = np.abs(X)
    rows = np.hstack([rows, np.zeros((38, 2))])
    rows[[4, 9]] = 0.0
    rows[4, 4] = 3.0
    rows[9, 5] = 2.0
    lonely = JointSpectral(2, random_state=0).fit(rows, tasks=TASKS)
    zeros = rows.copy()
    zeros[[4, 9]] = 0.0
    like_zeros = JointSpectral(2, random_state=0).fit(zeros, tasks=TASKS)
    assert not lonely.embedding_[[4, 9]].any()
    np.testing.assert_array_equal(lonely.labels_, like_zeros.labels_)
    np.testing.assert_allclose(lonely.eigenvalues_, like_zeros.eigenvalues_, atol=1e-12)
    np.testing.assert_array_equal(lonely.predict(rows, tasks=TASKS), lonely.labels_)


def test_many_equal_rows_have_one_label_in_the_fit_and_when_they_come_again():
    rows = np.repeat(X[:7], 12, axis=0)
    tasks = np.tile(["p", "q"], 42)
    model = JointSpectral(3, random_state=0).fit(rows, tasks=tasks)
    for task in ("p", "q"):
        own = tasks == task
        pairs = set(zip(rows[own, 0], model.labels_[own]))
        assert len(pairs) == 7
        order = np.random.default_rng(0).permutation(np.flatnonzero(own))
        np.testing.assert_array_equal(model.predict(rows[order], task), model.labels_[order])


def test_a_task_of_more_components_than_vectors_is_cut_into_the_largest():
    blocks = np.repeat(np.eye(4), [12, 9, 5, 4], axis=0)
    rows = blocks + 0.01 * np.random.default_rng(0).uniform(size=blocks.shape)
    with pytest.warns(EmptyClusterWarning, match="only 3 of 4 clusters have rows"):
        model = JointSpectral(4, neighbors=0.4, n_components=2, random_state=0).fit(rows)
    assert not model.embedding_[21:].any()
    assert (model.labels_[:12] == model.labels_[0]).all()
    assert (model.labels_[12:21] == model.labels_[12]).all()
    assert len(set(model.labels_)) == 3


@pytest.mark.parametrize("w", [0.3, 0.0])
def test_a_model_comes_back_from_its_folder(w, tmp_path):
    k = {"a": 3, "b": 2, "c": 2}
    model = JointSpectral(k, other_weight=w, random_state=0).fit(sp.csr_array(X), tasks=TASKS)
    kf.save(model, tmp_path / "model")
    loaded = kf.load(tmp_path / "model")
    assert loaded.method == "joint-spectral"
    for task in SIZES:
        expected = model.predict(NEW, tasks=task)
        np.testing.assert_array_equal(loaded.estimator.predict(NEW, tasks=task), expected)
    np.testing.assert_array_equal(loaded.estimator.embedding_, model.embedding_)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"neighbors": 0}, "neighbors is 0; give a number greater than 0"),
        ({"neighbors": np.inf}, "neighbors is inf; give a number greater than 0"),
        ({"other_neighbors": -1.0}, "other_neighbors is -1.0; give a number greater than 0"),
        ({"other_weight": -0.1}, "other_weight is -0.1; give a number of at least 0"),
        ({"other_weight": None}, "other_weight is None; give a number"),
        ({"n_components": 0}, "n_components is 0; give at least 1"),
        ({"n_components": "most"}, "n_components is 'most'; give 'largest' or 'all', or a whole"),
        ({"n_components": None}, "n_components is None; give 'largest' or 'all', or a whole"),
        ({"n_components": 2.0}, "n_components is 2.0; give 'largest' or 'all', or a whole"),
        ({"n_init": 0}, "n_init is 0; give at least 1"),
        ({"n_clusters": 10}, "n_clusters of task 'c' is 10 but task 'c' has only 9 rows"),
        ({"random_state": "x"}, "random_state is 'x'; give a whole number"),
    ],
)
def test_what_cannot_be_is_refused(parameters, sentence):
    with pytest.raises(InputError, match=sentence):
        JointSpectral(**parameters).fit(X, tasks=TASKS)


def test_progress_is_told():
    heard = []
    with kf.progress.listening(lambda *told: heard.append(told)):
        JointSpectral(2).fit(X, tasks=TASKS)
    assert ("linking rows", 3, 3) in heard
    assert ("clustering tasks", 3, 3) in heard


CODES = np.array([list(SIZES).index(task) for task in TASKS])


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize(("t", "s"), [(0, 0), (0, 2), (2, 1)])
def test_nearest_rows_are_those_of_the_loops(form, t, s):
    found = joint_spectral.nearest_of(form(X), CODES, t)(s)
    there = np.flatnonzero(s == CODES)
    for i, near in zip(np.flatnonzero(t == CODES), found.rows, strict=True):
        expected = sorted((-cosine(X[i], X[j]), j) for j in there if j != i)
        assert near.tolist() == [j for _, j in expected]


def test_nearest_rows_of_new_rows_leave_no_row_out():
    found = joint_spectral.nearest_fitted(X[[3]], X, CODES)[CODES[3]]
    assert found.rows.shape == (1, list(SIZES.values())[CODES[3]])
    assert found.rows[0, 0] == 3
    np.testing.assert_allclose(found.cosines[0], [cosine(X[3], X[j]) for j in found.rows[0]])


def test_links_of_a_task_count_own_and_other_rows():
    rule = joint_spectral.LinkRule([4, 3, 3], [2, 5, 1], 0.3)
    near = joint_spectral.nearest_of(X, CODES, 0)
    N = joint_spectral.links_of(near, 0, rule, len(X)).toarray()
    assert N.shape == (17, 38)
    for s, (l, weight) in enumerate([(4, 1.0), (5, 0.3), (1, 0.3)]):
        own = N[:, s == CODES]
        there = X[s == CODES]
        # Itself is related to a row, but not its own neighbor.
        related = [np.sum(there @ x > 0) - (s == 0) for x in X[CODES == 0]]
        np.testing.assert_array_equal(np.count_nonzero(own, axis=1), np.minimum(l, related))
        assert set(own[own > 0]) == {weight}


def test_a_weight_of_0_links_a_task_to_itself_alone():
    asked = []

    def near(s):
        asked.append(s)
        return joint_spectral.nearest_of(X, CODES, 1)(s)

    rule = joint_spectral.LinkRule([4, 3, 3], [2, 5, 1], 0.0)
    N = joint_spectral.links_of(near, 1, rule, len(X)).toarray()
    assert asked == [1]
    assert not N[:, CODES != 1].any()


@pytest.mark.parametrize(
    ("share", "sizes", "k", "expected"),
    [
        (0.5, [40, 5, 999], [4, 2, 2], [5, 3, 50]),
        (1.0, [10], [1], [10]),
        (1e-9, [10**6], [2], [3]),
        (1e300, [10, 60], [2, 2], [50, 50]),
    ],
)
def test_numbers_of_links_stay_between_their_bounds(share, sizes, k, expected):
    assert joint_spectral.counts(share, sizes, k) == expected


def test_fewer_eigenvectors_are_the_first_of_more():
    rule = joint_spectral.LinkRule([4, 3, 3], [2, 2, 2], 0.5)
    everything = [np.arange(len(X))]
    [many] = joint_spectral.linked_spectra(X, CODES, rule, everything, [6]).spectra
    [few] = joint_spectral.linked_spectra(X, CODES, rule, everything, [2]).spectra
    np.testing.assert_allclose(many.leading(2).values, few.values, atol=1e-12)
    np.testing.assert_allclose(many.leading(2).vectors, few.vectors, atol=1e-9)
    np.testing.assert_array_equal(many.degrees, few.degrees)
    np.testing.assert_allclose(np.linalg.norm(many.embedding(), axis=1), 1.0)


def test_an_eigenvalue_of_0_extends_to_no_new_row():
    vectors = np.eye(3)[:, :2]
    one = joint_spectral.Spectrum(np.array([4.0, 1.0, 0.0]), np.array([0.5, 1e-12]), vectors)
    np.testing.assert_allclose(one.extension(), [[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]])


def test_the_order_and_lengths_of_rows_do_not_matter():
    order = np.random.default_rng(6).permutation(len(X))
    scale = np.random.default_rng(7).uniform(0.1, 9, size=(len(X), 1))
    # With the order of tasks kept, seeds fall on the same tasks.
    order = np.array(sorted(order, key=lambda i: list(dict.fromkeys(TASKS)).index(TASKS[i])))
    one = JointSpectral(3, random_state=0).fit(X, tasks=TASKS)
    other = JointSpectral(3, random_state=0).fit((X * scale)[order], tasks=TASKS[order])
    np.testing.assert_allclose(other.eigenvalues_, one.eigenvalues_, atol=1e-10)
    V, W = one.embedding_[order], other.embedding_
    np.testing.assert_allclose(W @ W.T, V @ V.T, atol=1e-8)


def test_models_fitted_in_one_memory_share_no_writeable_array():
    with memo.remembering():
        models = [JointSpectral(3, random_state=s).fit(X, tasks=TASKS) for s in (0, 1)]
    one, other = (list(memo.arrays_of(model)) for model in models)
    shared = [a for a in one if any(a is b for b in other) and a is not X]
    assert not any(a.flags.writeable for a in shared)
    models[0].embedding_[0] = 7.0
    assert not (models[1].embedding_ == 7.0).any()


@pytest.mark.parametrize(("w", "searches"), [(0.3, 5), (0.0, 0)])
def test_each_task_searches_all_others_at_once(w, searches, monkeypatch):
    calls = []
    search = group_neighbors.nearest_cosines

    def counted(*given):
        calls.append(1)
        return search(*given)

    monkeypatch.setattr(group_neighbors, "nearest_cosines", counted)
    rows = np.random.default_rng(0).normal(size=(60, 4)) + 5 * np.eye(4)[np.arange(60) // 5 % 2]
    JointSpectral(2, other_weight=w, random_state=0).fit(rows, tasks=np.arange(60) % 5)
    assert len(calls) == searches


@pytest.mark.parametrize(("most", "asked"), [(128, 6), (5, 2)])
def test_few_clusters_in_all_share_their_eigenvectors_and_many_do_not(most, asked, monkeypatch):
    monkeypatch.setattr(joint_spectral, "MOST_SHARED", most)
    seen = []
    leading = spectra.leading
    monkeypatch.setattr(spectra, "leading", lambda W, m: seen.append(m) or leading(W, m))
    rows = np.random.default_rng(0).normal(size=(60, 4)) + np.repeat(5 * np.eye(4)[:2], 30, axis=0)
    JointSpectral(2, random_state=0).fit(rows, tasks=np.arange(60) % 3)
    assert seen == [asked]
