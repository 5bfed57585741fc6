"""Laws of all methods that take known labels, and the limits of each."""

import itertools
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone, is_clusterer
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import containers
import oracles_labels as oracles
from kinfolk import catalogue
from kinfolk.errors import InputError, SharingWarning, UnknownTaskError
from kinfolk.methods.transfer.harmonic_fields import GFHF
from kinfolk.methods.transfer.linear_svm import LinearSVM
from kinfolk.methods.transfer.local_global import LLGC
from kinfolk.methods.transfer.spectral_classes import CDSC, cosine_graph
from kinfolk.methods.transfer.transductive_svm import TSVM
from kinfolk.numerics import memo

RANDOM = np.random.default_rng(0)
TRUTH = np.arange(48) % 3
TASKS = np.where(np.arange(48) < 24, "a", "b")
X = 3.0 * np.eye(5)[TRUTH] + 0.4 * RANDOM.normal(size=(48, 5)) + 0.2 * (TASKS == "b")[:, None]
Y = np.where(TASKS == "a", TRUTH, -1)
ENTRIES = [
    entry
    for entry in catalogue.METHODS.values()
    if entry.relation == catalogue.KNOWN_LABELS and entry.name != "lssttc"
]
EACH = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
WITH_SHARED_SUBSPACE = pytest.mark.parametrize(
    "entry",
    [e for e in catalogue.METHODS.values() if e.relation == catalogue.KNOWN_LABELS],
    ids=lambda entry: entry.name,
)
GRAPHS = pytest.mark.parametrize("method", [GFHF, LLGC])


def fit(entry, rows=X, y=Y, tasks=TASKS, **parameters):
    return entry.seeded(0, **parameters).fit(rows, y, tasks=tasks)


@parametrize_with_checks([entry.make() for entry in ENTRIES])
def test_scikit_learn_takes_the_estimator(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SharingWarning)  # far groups of its tables are not linked
        check(estimator)


def told_of_other_classes(entry, rows):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit(entry, rows)
    return [w for w in caught if "rows of task 'b' lie farther from the nearest" in str(w.message)]


@EACH
@pytest.mark.parametrize("shift", [0.0, 0.5, 3.0])
def test_tasks_beyond_all_known_classes_are_told(entry, shift):
    # Away from class 0, towards and beyond class 1: along an axis on which the classes differ.
    rows = X + shift * np.outer(TASKS == "b", [-3.0, 3.0, 0.0, 0.0, 0.0])
    means = [X[(TASKS == "a") & (c == TRUTH)].mean(axis=0) for c in range(3)]
    U, lengths, axes = np.linalg.svd(np.array(means) - np.mean(means, axis=0))
    Z = rows[TASKS == "b"] @ axes[:2].T
    nearest = sum(min(((z - axes[:2] @ m) ** 2).sum() for m in means) for z in Z)
    far = nearest > ((Z - Z.mean(axis=0)) ** 2).sum()
    assert far == (shift == 3.0)
    assert len(told_of_other_classes(entry, rows)) == far


@EACH
def test_a_task_of_one_row_is_not_told(entry):
    first = np.flatnonzero((TASKS == "a") | (np.cumsum(TASKS == "b") == 1))
    found, y, tasks = X[first], Y[first], TASKS[first]
    with warnings.catch_warnings():
        warnings.simplefilter("error", SharingWarning)
        entry.make().fit(found, y, tasks=tasks)


@EACH
def test_a_shift_along_which_classes_do_not_differ_is_not_told(entry):
    rows = X - X.min()
    means = np.array([rows[(TASKS == "a") & (c == TRUTH)].mean(axis=0) for c in range(3)])
    across = np.linalg.svd(means - means.mean(axis=0))[2][-1]
    rows = rows - rows.mean(axis=0) + 20.0 * np.outer(TASKS == "b", across)
    assert not told_of_other_classes(entry, rows)


@EACH
def test_other_words_are_not_told(entry):
    # Half of the words of each class are new in the other task.
    words = RANDOM.poisson(np.where(np.arange(60) // 20 == TRUTH[:, None], 1.0, 0.05))
    words[TASKS == "a", ::2] = 0
    words[TASKS == "b", 1::4] = 0
    assert not told_of_other_classes(entry, words + 0.0)


@EACH
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csr_matrix, np.asfortranarray])
def test_clear_classes_are_found_and_known_labels_stay(entry, form):
    y = Y.copy()
    y[0] = 1  # wrong on purpose
    model = fit(entry, form(np.where(abs(X) > 0.2, X, 0.0)), y)
    np.testing.assert_array_equal(model.transduction_[1:], TRUTH[1:])
    assert model.transduction_[0] == 1
    np.testing.assert_array_equal(model.matched_labels_, model.labels_)


@WITH_SHARED_SUBSPACE
def test_known_labels_stay_and_classes_keep_their_names(entry):
    rows = np.kron(np.eye(2), np.ones((6, 3)))
    np.fill_diagonal(rows, 0)  # columns that some rows of their class lack
    truth = np.repeat(["rec", "talk"], 6).astype(object)
    tasks = np.array(list("aabc" * 3))
    for form in (np.asarray, sp.csr_array):
        y = np.where(tasks == "a", truth, -1)
        y[2] = "talk"  # wrong on purpose, in task b
        model = fit(entry, form(rows), y, tasks)
        assert model.classes_.tolist() == ["rec", "talk"]
        assert model.transduction_[2] == "talk"
        others = np.arange(12) != 2
        np.testing.assert_array_equal(model.transduction_[others], truth[others])
        np.testing.assert_array_equal(model.predict(form(rows), tasks)[others], truth[others])
        if hasattr(model, "memberships_"):
            np.testing.assert_allclose(model.memberships_[tasks == "a"].sum(axis=1), 1)


@WITH_SHARED_SUBSPACE
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_container_gives_the_same_classes(entry):
    def fitted(X, y, tasks):
        model = fit(entry, X, y, tasks, **few)
        return model.transduction_.tolist(), model.predict(X, tasks).tolist()

    few = {"max_iter": 3} if "max_iter" in entry.cls().get_params(deep=False) else {}
    expected = fitted(containers.ROWS, containers.CLASSES, containers.TASKS)
    forms = itertools.cycle(containers.forms_of(containers.TASKS))
    labels = itertools.cycle(containers.forms_of(containers.CLASSES))
    for name, form in {**containers.FRAMES, **containers.OTHERS}.items():
        assert fitted(form(containers.ROWS), next(labels), next(forms)) == expected, name


@EACH
def test_steps_that_are_remembered_give_the_same_classes(entry):
    plain = fit(entry).transduction_
    with memo.remembering(memo.Memory()):  # runs of a plan share steps, whose arrays are read-only
        for _ in range(2):
            np.testing.assert_array_equal(fit(entry).transduction_, plain)


@EACH
def test_rows_of_unknown_label_keep_their_class_when_they_come_again(entry):
    for noise in (0.0, 2.0):
        rows = X + noise * RANDOM.normal(size=X.shape)
        rows[40:44] = rows[30]
        rows[45] = rows[3]
        model = fit(entry, rows)
        order = RANDOM.permutation(24) + 24
        again = model.predict(rows[order], tasks=TASKS[order])
        np.testing.assert_array_equal(again, model.transduction_[order])
        alone = [model.predict(rows[[i]] + 0.1, tasks="b")[0] for i in order]
        np.testing.assert_array_equal(model.predict(rows[order] + 0.1, tasks="b"), alone)


@EACH
def test_the_order_of_rows_and_columns_and_the_names_of_tasks_do_not_matter(entry):
    order = RANDOM.permutation(48)
    expected = fit(entry).transduction_
    columns = RANDOM.permutation(5)
    renamed = np.where(TASKS == "a", 7, 3)[order]
    found = fit(entry, X[order][:, columns], Y[order], renamed).transduction_
    np.testing.assert_array_equal(found, expected[order])


@EACH
def test_the_unit_of_the_rows_does_not_matter(entry):
    rows = X + RANDOM.normal(size=X.shape)
    expected = fit(entry, rows).transduction_
    for unit in (2.0**-20, 2.0**20):
        np.testing.assert_array_equal(fit(entry, unit * rows).transduction_, expected)


@EACH
def test_classes_may_be_words_and_tasks_may_be_known_in_part(entry):
    words = np.array(["red", "green", "blue"], dtype=object)[TRUTH]
    part = np.where(np.arange(48) % 4 < 2, words, -1)
    model = fit(entry, y=part)
    np.testing.assert_array_equal(model.transduction_, words)
    assert model.classes_.tolist() == ["blue", "green", "red"]
    assert model.predict(X[:1], tasks="a").tolist() == ["red"]


@EACH
def test_classes_may_be_numbers_in_a_column_of_objects(entry):
    for y in (Y, np.where(Y < 0, -1, Y > 0), Y.astype(float)):
        found = fit(entry, y=y.astype(object))
        np.testing.assert_array_equal(found.transduction_, fit(entry, y=y).transduction_)


@EACH
def test_inputs_stay_and_a_second_fit_forgets_the_first(entry):
    rows = X.copy()
    rows.flags.writeable = False
    y = Y.copy()
    model = entry.seeded(0).fit(rows[:30] + 1.0, y[:30], tasks=TASKS[:30])
    model.fit(rows, y, tasks=TASKS)
    fresh = fit(entry)
    np.testing.assert_array_equal(model.transduction_, fresh.transduction_)
    np.testing.assert_array_equal(y, Y)
    assert set(vars(model)) == set(vars(fresh))
    assert not hasattr(clone(model), "labels_")


@EACH
def test_single_precision_finds_the_same_classes(entry):
    model = fit(entry, X.astype(np.float32))
    np.testing.assert_array_equal(model.transduction_, TRUTH)
    np.testing.assert_array_equal(model.predict(X.astype(np.float32), tasks=TASKS), TRUTH)


AWKWARD = {
    "one class": (X, np.where(TASKS == "a", 4, -1)),
    "all known": (X, TRUTH),
    "one known row a class": (X, np.where(np.arange(48) < 3, TRUTH, -1)),
    "equal rows": (np.ones((48, 5)), Y),
    "rows of zeros": (np.zeros((48, 5)), Y),
    "two rows": (X[:2], np.array([5, -1])),
    "one row": (X[:1], np.array([5])),
    "one unknown": (X[:4], np.array([0, 1, 2, -1])),
    "a far row": (np.vstack([X[:47], [[1e6, 1e6, 0, 0, 0]]]), Y),
    "large numbers": (1e8 * X, Y),
    "tiny numbers": (1e-8 * X, Y),
    "one column": (X[:, :1], Y),
    "a class of one row": (X, np.where(np.arange(48) == 5, 9, Y)),
}


@EACH
@pytest.mark.parametrize("table", AWKWARD)
@pytest.mark.filterwarnings("ignore::kinfolk.errors.ScaleWarning")
@pytest.mark.filterwarnings("ignore::kinfolk.errors.SharingWarning")
def test_awkward_tables_give_usable_answers(entry, table):
    rows, y = AWKWARD[table]
    tasks = TASKS[: len(rows)]
    model = fit(entry, rows, y, tasks)
    assert set(model.transduction_) <= set(y[y != -1])
    np.testing.assert_array_equal(model.transduction_[y != -1], y[y != -1])
    assert set(model.predict(rows, tasks=tasks)) <= set(model.classes_)
    for name, value in vars(model).items():
        if isinstance(value, np.ndarray) and value.dtype.kind == "f" and name != "match_strength_":
            assert np.isfinite(value).all(), name


@EACH
@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        (None, "requires y to be passed"),
        (np.full(48, -1), "y has no known label"),
        (np.where(Y < 0, -1, Y + 0.5), "Unknown label type: y has labels .* give whole numbers"),
    ],
)
def test_missing_labels_are_refused(entry, y, sentence):
    with pytest.raises(InputError, match=sentence):
        fit(entry, y=y)


@EACH
def test_new_rows_of_unknown_tasks_are_refused(entry):
    with pytest.raises(UnknownTaskError, match="task 'c' was not there"):
        fit(entry).predict(X, tasks="c")
    assert not is_clusterer(entry.make())


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (GFHF(n_neighbors=0), "n_neighbors is 0; give at least 1"),
        (GFHF(n_neighbors="any"), "n_neighbors is 'any'; give a whole number .* or 'all'"),
        (GFHF(width=0.0), "width is 0.0; give a number greater than 0"),
        (GFHF(class_masses="even"), "class_masses is 'even'; choose one of 'free', 'known'"),
        (LLGC(label_weight=0), "label_weight is 0; give a number greater than 0"),
        (LLGC(width=-1.0), "width is -1.0"),
        (LLGC(n_neighbors=2.5), "n_neighbors is 2.5; give a whole number"),
        (CDSC(label_weight=-1.0), "label_weight is -1.0; give a number of at least 0"),
        (CDSC(unlabeled_weight=-1.0), "unlabeled_weight is -1.0"),
        (LinearSVM(C=0), "C is 0; give a number greater than 0"),
        (TSVM(C=-1.0), "C is -1.0"),
        (TSVM(class_shares={0: 1.0}), "give a mapping of each of the classes 0, 1, 2"),
        (TSVM(class_shares={0: 0.5, 1: 0.5, 2: 0.5}), "class_shares sum to 1.5; give shares"),
        (TSVM(class_shares={0: 1.5, 1: 0.5, 2: 0.5}), "class_shares of 0 is 1.5; give a number"),
        (TSVM(random_state="x"), "random_state is 'x'"),
    ],
    ids=str,
)
def test_unusable_parameters_are_refused(model, sentence):
    with pytest.raises(InputError, match=sentence):
        model.fit(X, Y, tasks=TASKS)


@pytest.mark.parametrize("l", [4, "all"])
def test_harmonic_memberships_are_those_of_the_paper(l):
    model = GFHF(n_neighbors=l, width=0.5).fit(X, Y, tasks=TASKS)
    sigma2 = 0.5 * oracles.mean_distance(X) ** 2
    assert model.bandwidth_**2 == pytest.approx(sigma2)
    W = oracles.weights(X, 47 if l == "all" else l, sigma2)
    F = oracles.harmonic(W, Y >= 0, np.eye(3)[Y[Y >= 0]])
    np.testing.assert_allclose(model.memberships_, F, atol=1e-9)
    masses = GFHF(n_neighbors=l, width=0.5, class_masses="known").fit(X, Y, tasks=TASKS)
    shares = np.bincount(Y[Y >= 0]) / 24
    balanced = (F * shares / F[Y < 0].sum(axis=0))[Y < 0]
    balanced /= balanced.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(masses.memberships_[Y < 0], balanced, atol=1e-9)


@pytest.mark.parametrize("l", [4, "all"])
def test_consistent_memberships_are_those_of_the_paper(l):
    model = LLGC(n_neighbors=l, width=2.0, label_weight=0.5).fit(X, Y, tasks=TASKS)
    W = oracles.weights(X, 47 if l == "all" else l, 4.0 * oracles.mean_distance(X) ** 2)
    start = np.zeros((48, 3))
    start[Y >= 0] = np.eye(3)[Y[Y >= 0]]
    F = oracles.spread(W, start, 1 / 1.5)
    F /= F.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.memberships_[Y < 0], F[Y < 0], atol=1e-9)


@GRAPHS
def test_a_new_row_gets_the_value_that_a_row_of_the_fit_would_have(method):
    # The new row is far enough to be nobody's neighbor, so that it changes no other value.
    model = method(n_neighbors=5).fit(X, Y, tasks=TASKS)
    new = X[[30]] + 2.0
    model_with = method(n_neighbors=5)
    rows = np.vstack([X, new])
    y = np.append(Y, -1)
    model_with.width = (model.bandwidth_ / oracles.mean_distance(rows)) ** 2
    F = model_with.fit(rows, y, tasks=np.append(TASKS, "b")).memberships_[-1]
    scores = model._scores(new)[0]
    if method is GFHF:  # a leaf hardly moves harmonic values of others
        np.testing.assert_allclose(scores / scores.sum(), F, atol=0.02)
    assert scores.argmax() == F.argmax()


@GRAPHS
def test_rows_that_no_path_links_to_a_known_row_get_the_most_frequent_class(method):
    rows = np.vstack([X, X[:6] + 500.0])
    y = np.append(np.where(Y == 0, 1, Y), np.full(6, -1))
    with pytest.warns(SharingWarning, match="6 rows of unknown label are linked to no row of kno"):
        model = method(n_neighbors=3).fit(rows, y, tasks=np.append(TASKS, ["b"] * 6))
    assert model.unreached_ == 6
    np.testing.assert_array_equal(model.transduction_[-6:], 1)
    np.testing.assert_allclose(model.memberships_[-1], [2 / 3, 1 / 3])


def test_one_neighbor_of_known_label_each_is_the_nearest_neighbor():
    model = GFHF(n_neighbors=1, width=1e-3).fit(X, np.where(np.arange(48) == 30, -1, TRUTH))
    lengths = np.linalg.norm(X - X[30], axis=1)
    assert model.transduction_[30] == TRUTH[np.argsort(lengths)[1]]


@pytest.mark.filterwarnings("ignore:k-means finds the known classes")
@pytest.mark.usefixtures("rows_as_given")
def test_the_machine_of_known_rows_is_that_of_scikit_learn():
    noisy = X + RANDOM.normal(size=X.shape)
    model = LinearSVM(C=0.3).fit(noisy, Y, tasks=TASKS)
    for c in range(3):
        plane = SVC(kernel="linear", C=0.3).fit(noisy[:24], np.where(Y[:24] == c, 1, -1))
        np.testing.assert_allclose(model.coef_[c], plane.coef_[0])
    changed = noisy.copy()
    changed[24:] += 5.0
    again = LinearSVM(C=0.3).fit(changed, Y, tasks=TASKS)
    np.testing.assert_array_equal(model.coef_, again.coef_)


def test_with_all_labels_known_the_transductive_machine_is_the_linear_one():
    a = TSVM(C=0.3, random_state=0).fit(X, TRUTH, tasks=TASKS)
    b = LinearSVM(C=0.3).fit(X, TRUTH, tasks=TASKS)
    np.testing.assert_array_equal(a.coef_, b.coef_)


def test_two_classes_have_one_plane():
    model = TSVM(random_state=0).fit(X, np.where(Y == 2, 1, Y), tasks=TASKS)
    np.testing.assert_array_equal(model.coef_[0], -model.coef_[1])


def test_the_transductive_machine_follows_rows_that_the_linear_one_misses():
    # Classes differ along the second column where labels are known, and along both elsewhere.
    random = np.random.default_rng(1)
    side = np.where(np.arange(120) % 2 > 0, 1.0, -1.0)
    rows = np.column_stack([4.0 * side, 0.5 * side]) + random.normal(size=(120, 2)) * [1.0, 0.5]
    known = np.arange(120) < 20
    rows[known, 0] = random.normal(size=20)
    y = np.where(known, side, -1).astype(object)
    y[known] = np.where(side[known] > 0, "up", "down")
    right = {}
    for model in (LinearSVM(C=1.0), TSVM(C=1.0, random_state=0)):
        found = model.fit(rows, y).transduction_[~known]
        right[type(model)] = np.mean((found == "up") == (side[~known] > 0))
    assert right[TSVM] > right[LinearSVM] + 0.05
    assert right[TSVM] > 0.95


def test_the_share_of_a_class_is_kept_where_it_is_given():
    rows = np.linspace(0.0, 1.0, 42)[:, None]
    y = np.full(42, -1)
    y[[0, -1]] = 0, 1
    for share in (0.25, 0.75):
        model = TSVM(class_shares={0: 1 - share, 1: share}, random_state=0).fit(rows, y)
        assert abs(np.mean(model.transduction_ == 1) - share) < 0.15


def test_a_cut_without_weights_is_the_normalized_cut():
    rows = abs(X + RANDOM.normal(size=X.shape))
    model = CDSC(n_neighbors=20, label_weight=0.0, unlabeled_weight=0.0)
    model.fit(rows, np.where(Y == 2, 1, Y), tasks=TASKS)
    W = cosine_graph(rows / np.linalg.norm(rows, axis=1, keepdims=True), 20).toarray()
    d = W.sum(axis=1)
    values, vectors = np.linalg.eigh(np.eye(48) - W / np.sqrt(np.outer(d, d)))
    assert model.cuts_[0] == pytest.approx(values[1])
    x = vectors[:, 1] / np.sqrt(d)
    np.testing.assert_allclose(abs(model.places_[:, 1]), abs(x), atol=1e-7)


def test_a_new_row_is_placed_as_a_row_of_the_fit_without_a_label():
    rows = abs(X + RANDOM.normal(size=X.shape))
    model = CDSC(n_neighbors="all", unlabeled_weight=0.5).fit(rows, Y, tasks=TASKS)
    # All rows are linked to all: the rule gives a row of the fit its own place, but for the link
    # of the row to itself, which a row of the fit has not.
    Z = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    W = Z @ Z.T - np.eye(48)
    unknown = Y < 0
    for i in np.flatnonzero(unknown):
        w = W[i]
        d = w.sum()
        for c in range(3):
            above = w @ model.places_[:, c] + 0.5 * (w * unknown) @ model.places_[:, c]
            below = d + 0.5 * (w * unknown).sum() - model.cuts_[c] * d
            assert model.places_[i, c] == pytest.approx(above / below, abs=1e-7)
    new = rows[[30]] + 0.3
    w = (Z @ (new / np.linalg.norm(new)).T)[:, 0]
    above = (w * (1 + 0.5 * unknown)) @ model.places_
    below = w.sum() + 0.5 * (w * unknown).sum() - model.cuts_ * w.sum()
    np.testing.assert_allclose(model._scores(new / np.linalg.norm(new))[0], above / below)


def test_the_old_name_of_unlabeled_weight_is_accepted():
    with pytest.warns(FutureWarning, match="'unlabelled_weight' of CDSC is now called"):
        assert CDSC(unlabelled_weight=0.5).unlabeled_weight == 0.5
