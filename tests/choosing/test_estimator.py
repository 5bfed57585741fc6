import pickle
import time
import warnings
from unittest import mock

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import config_context
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

import interrupting
from kinfolk import Kinfolk, PerTask
from kinfolk.choosing import (
    cluster_count,
    cluster_count_criteria,
    common_mixtures,
    consensus,
    decision,
    fitting,
    mixtures,
    null_model,
    own_answers,
    run_voters,
    shared_metric,
)
from kinfolk.choosing.candidates import FAMILIES
from kinfolk.datasets import makers
from kinfolk.errors import (
    ClusterNumberWarning,
    DescentWarning,
    InputError,
    LeftOutWarning,
    UnknownTaskError,
)
from kinfolk.estimators import facets
from kinfolk.methods.multitask.feature_instance import MTCFIR
from kinfolk.methods.single.entropy import MEC
from kinfolk.running import deadlines
from kinfolk.testing.laws import global_state
from laws import related, same_clusters

SMALL = ["soft-kmeans", "mec", "pooled"]
DATA = makers.make_related_documents(40, shared=3, purity=0.5, length=30.0, random_state=0)


@pytest.fixture(autouse=True, scope="module")
def few_draws():
    """Fixture: fewer null tables and halves, as no test here depends on the null level."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cluster_count_criteria, "SPLITS", 4)
        patch.setattr(cluster_count_criteria, "PERMUTED_TABLES", 4)
        yield


@pytest.fixture(scope="module")
def model():
    return Kinfolk(3, random_state=0).fit(DATA.X, tasks=DATA.tasks)


@pytest.fixture(scope="module")
def single():
    families = [*SMALL, "graph", "mtcfir"]
    return Kinfolk(3, families, consensus=False, random_state=0).fit(DATA.X, tasks=DATA.tasks)


@parametrize_with_checks([Kinfolk(families=["kmeans"]), Kinfolk(families=["mec"], consensus=False)])
def test_scikit_learn_takes_the_estimator(estimator, check):
    check(estimator)


def records(model, task):
    return [record for record in model.evidence_ if record["task"] == task]


def test_the_answer_is_better_than_k_means_of_each_task(model):
    plain = PerTask(KMeans(n_init=10, random_state=0), 3).fit(DATA.X, tasks=DATA.tasks)
    for task in model.task_names_:
        rows = DATA.tasks == task
        found = adjusted_rand_score(DATA.target[rows], model.labels_[rows])
        assert found > 0.6
        assert found > adjusted_rand_score(DATA.target[rows], plain.labels_[rows])


def test_evidence_has_one_record_for_each_task_and_run(model):
    assert model.left_out_ == []
    n_runs = sum(
        FAMILIES[family].starts * len(settings)
        for family in FAMILIES
        if (settings := {(r["setting"], r["representation"]) for r in model.evidence_
                         if r["family"] == family})
    )  # fmt: skip
    for task in model.task_names_:
        seen = records(model, task)
        assert len(seen) == n_runs
        assert {record["family"] for record in seen} == set(FAMILIES)
        (guarded,) = [record for record in model.guard_ if record["task"] == task]
        parts = {"own": [False], "joint": [True], "all": [False, True]}
        source = "own" if guarded["own_runs_only"] else guarded["source"]
        asked = [r for r in seen if r["joint"] in parts[source]]
        assert sum(r["kept"] for r in seen) == round(consensus.QUARTER * len(asked))
        assert not any(r["kept"] for r in seen if r not in asked)
        for record in seen:
            assert record["joint"] == FAMILIES[record["family"]].joint


def test_the_guard_tells_where_the_own_answer_differs(model):
    for record in model.guard_:
        rows = DATA.tasks == record["task"]
        both = model.labels_[rows], model.own_labels_[rows]
        assert record["agreement"] == pytest.approx(adjusted_rand_score(*both))
        assert rows[record["changed_rows"]].all()
        assert record["n_rows"] == rows.sum()
        kept = [r["joint"] for r in records(model, record["task"]) if r["kept"]]
        assert record["joint_share"] == pytest.approx(np.mean(kept))


def test_own_labels_know_nothing_of_other_tasks():
    X, tasks, _ = related(noise=0.8)
    lab = tasks == "lab"
    families = ["kmeans", "soft-kmeans", "mec", "pooled"]
    together = Kinfolk(3, families, random_state=0).fit(X, tasks=tasks)
    moved = np.where(lab[:, None], X, X[::-1] * 3 + 1)
    other = Kinfolk(3, families, random_state=0).fit(moved, tasks=tasks)
    np.testing.assert_array_equal(together.own_labels_[lab], other.own_labels_[lab])


def test_one_task_is_clustered_by_itself():
    X, tasks, truth = related(sizes=(24,))
    model = Kinfolk(3, random_state=0).fit(X)
    assert same_clusters(model.labels_, truth)
    np.testing.assert_array_equal(model.labels_, model.own_labels_)
    assert not any(record["joint"] for record in model.evidence_)
    assert not hasattr(model, "task_relatedness_")


def test_relatedness_is_the_mean_of_mtcfir(model):
    assert model.task_relatedness_.shape == (2, 2)
    np.testing.assert_allclose(model.task_relatedness_.diagonal(), 1)
    X, tasks, _ = related()
    again = clone(model).set_params(families=SMALL).fit(X, tasks=tasks)
    assert not hasattr(again, "task_relatedness_")


def test_relatedness_stands_in_the_order_of_the_tasks():
    blobs = makers.make_related_blobs(24, n_features=5, random_state=0)
    X = np.abs(blobs.X)
    turned = np.argsort(blobs.tasks == "task-0", kind="stable")
    words = np.where(blobs.tasks == "task-0", "one", "two")  # names in the order of appearance
    found = {}
    for order in (np.arange(len(X)), turned):
        model = Kinfolk(3, families=["kmeans", "mtcfir"], random_state=0)
        model.fit(X[order], tasks=words[order])
        found[model.task_names_[0]] = model.task_relatedness_
    assert abs(found["one"][0, 1] - found["one"][1, 0]) > 0.01
    np.testing.assert_allclose(found["two"], found["one"][::-1, ::-1], rtol=1e-6)


def test_rows_of_the_fit_mostly_keep_their_labels(model):
    again = model.predict(DATA.X, tasks=DATA.tasks)
    assert (again == model.labels_).mean() > 0.95


def test_rows_of_the_fit_keep_the_labels_of_a_real_run(single):
    np.testing.assert_array_equal(single.predict(DATA.X, tasks=DATA.tasks), single.labels_)


def test_one_real_run_is_at_hand(single, model):
    for t, task in enumerate(single.task_names_):
        ((_, estimator),) = single.voters_[task]
        rows = DATA.tasks == task
        codes = np.searchsorted(single.task_names_, DATA.tasks)
        assert adjusted_rand_score(estimator.labels_[codes == t], single.labels_[rows]) == 1
        kept = [record for record in records(model, task) if record["kept"]]
        assert len(model.voters_[task]) == run_voters.MOST_VOTERS < len(kept)


def test_one_real_run_has_the_best_score(single):
    for task in single.task_names_:
        seen = records(single, task)
        assert [record["kept"] for record in seen].count(True) == 1
        (kept,) = [record for record in seen if record["kept"]]
        mine = [r for r in seen if r["joint"] == kept["joint"]]
        assert kept["score"] > np.median([r["score"] for r in mine])
    assert {record["combiner"] for record in single.guard_} == {"single run"}


def test_new_rows_join_their_clusters():
    X, tasks, truth = related(sizes=(30, 24), noise=0.2)
    known = np.arange(len(X)) % 2 == 0
    families = ["kmeans", "spectral", "pooled", "mtcfir", "joint-spectral"]
    model = Kinfolk(3, families, random_state=0).fit(X[known], tasks=tasks[known])
    found = model.predict(X[~known], tasks=tasks[~known])
    for task in ("lab", "field"):
        labels = np.r_[model.labels_[tasks[known] == task], found[tasks[~known] == task]]
        classes = np.r_[truth[known & (tasks == task)], truth[~known & (tasks == task)]]
        assert same_clusters(labels, classes)
    reverse = model.predict(X[~known][::-1], tasks=tasks[~known][::-1])
    np.testing.assert_array_equal(reverse, found[::-1])
    with pytest.raises(UnknownTaskError, match="'sky'"):
        model.predict(X[:1], tasks="sky")


def test_tasks_may_have_different_numbers_of_clusters():
    X, tasks, truth = related(sizes=(18, 16))
    truth = np.where((tasks == "field") & (truth == 2), 1, truth)
    families = [*SMALL, "lssmtc", "mtcmrl"]
    with pytest.warns(LeftOutWarning) as caught:
        model = Kinfolk({"lab": 3, "field": 2}, families, random_state=0).fit(X, tasks=tasks)
    # Others, such as a ResourceWarning about what an earlier test left open, may come in between.
    told = [str(w.message)[:30] for w in caught if w.category is LeftOutWarning]
    assert told == ["No run of 'pooled' took part: ", "No run of 'lssmtc' took part: "]
    assert dict(zip(model.task_names_, model.n_clusters_)) == {"lab": 3, "field": 2}
    assert model.predict(X, tasks=tasks)[tasks == "field"].max() == 1
    assert {record["family"] for record in model.left_out_} == {"pooled", "lssmtc"}


def test_a_family_that_fails_is_recorded_and_warned_of_once(monkeypatch):
    def singular(*_, **__):
        raise np.linalg.LinAlgError("the matrix is singular")

    X, tasks, _ = related()
    monkeypatch.setattr(MTCFIR, "fit", singular)
    few = {name: FAMILIES[name] for name in ("kmeans", "mtcfir")}
    with (
        mock.patch.dict(FAMILIES, few, clear=True),
        pytest.warns(LeftOutWarning, match="No run of 'mtcfir' took part") as caught,
    ):
        model = Kinfolk(3, random_state=0).fit(X, tasks=tasks)
    assert len(caught) == 1
    assert {r["reason"] for r in model.left_out_} == {"the matrix is singular"}
    assert {r["family"] for r in model.evidence_} == {"kmeans"}


def test_a_defect_of_a_family_ends_the_fit(monkeypatch):
    def broken(*_, **__):
        raise ValueError("operands could not be broadcast together with shapes (3,4) (5,)")

    X, tasks, _ = related()
    monkeypatch.setattr(MTCFIR, "fit", broken)
    with pytest.raises(ValueError, match="could not be broadcast"):
        Kinfolk(3, ["kmeans", "mtcfir"], random_state=0).fit(X, tasks=tasks)


def test_warnings_of_runs_are_kept(monkeypatch):
    def loud(self, *args, **more):
        warnings.warn("the objective rose", DescentWarning, stacklevel=1)
        return quiet(self, *args, **more)

    X, tasks, _ = related()
    quiet = MEC.fit
    monkeypatch.setattr(MEC, "fit", loud)
    model = Kinfolk(3, ["kmeans", "mec"], random_state=0).fit(X, tasks=tasks)
    assert isinstance(model, facets.HasRunWarnings)
    assert {r["message"] for r in model.run_warnings_} == {"DescentWarning: the objective rose"}
    places = [(r["family"], r["representation"], r["start"]) for r in model.run_warnings_]
    assert places == [("mec", "raw", 0), ("mec", "raw", 1),
                      ("mec", "z-scores", 0), ("mec", "z-scores", 1)]  # fmt: skip


def test_records_are_read_by_their_former_keys_with_a_warning():
    X, tasks, _ = related()
    model = Kinfolk(3, ["kmeans"], random_state=0).fit(X, tasks=tasks)
    with pytest.warns(FutureWarning, match="The key 'way' is now called 'combiner'"):
        assert model.guard_[0]["way"] == model.guard_[0]["combiner"]
    with pytest.warns(FutureWarning, match="'space' is now called 'representation'"):
        assert model.evidence_[0].get("space") == "raw"


@pytest.mark.parametrize("combined", [True, False])
def test_the_same_seed_gives_the_same_answer(combined):
    X, tasks, _ = related(noise=1.0)
    before = X.copy()
    state = global_state()
    a, b = (Kinfolk(3, SMALL, consensus=combined, random_state=7).fit(X, tasks=tasks) for _ in "ab")
    np.testing.assert_array_equal(a.labels_, b.labels_)
    np.testing.assert_array_equal(a.own_labels_, b.own_labels_)
    np.testing.assert_array_equal(X, before)
    assert global_state() == state


def test_the_order_of_rows_and_tasks_does_not_matter():
    X, tasks, _ = related()
    order = np.argsort(tasks, kind="stable")
    families = ["kmeans", "mtcfir"]
    a = Kinfolk(3, families, random_state=0).fit(X, tasks=tasks)
    b = Kinfolk(3, families, random_state=0).fit(X[order], tasks=tasks[order])
    assert same_clusters(a.matched_labels_[order], b.matched_labels_)


def test_a_pickled_model_assigns_the_same(model):
    copied = pickle.loads(pickle.dumps(model))  # noqa: S301
    np.testing.assert_array_equal(
        copied.predict(DATA.X[:9], tasks=DATA.tasks[:9]),
        model.predict(DATA.X[:9], tasks=DATA.tasks[:9]),
    )


def test_sparse_and_dense_counts_give_one_answer():
    dense = Kinfolk(3, SMALL, random_state=0).fit(DATA.X.toarray(), tasks=DATA.tasks)
    sparse = Kinfolk(3, SMALL, random_state=0).fit(sp.csr_matrix(DATA.X), tasks=DATA.tasks)
    for task in ("task-0", "task-1"):
        rows = DATA.tasks == task
        assert adjusted_rand_score(dense.labels_[rows], sparse.labels_[rows]) > 0.9


def test_sparse_and_dense_measurements_give_one_answer():
    X, tasks, _ = related(noise=1.5)
    dense = Kinfolk(3, SMALL, random_state=0).fit(X, tasks=tasks)
    sparse = Kinfolk(3, SMALL, random_state=0).fit(sp.csr_array(X), tasks=tasks)
    np.testing.assert_array_equal(sparse.labels_, dense.labels_)
    new = X + 0.5
    expected = dense.predict(new, tasks=tasks)
    np.testing.assert_array_equal(sparse.predict(sp.csr_array(new), tasks=tasks), expected)


@pytest.mark.usefixtures("all_null_tables")
def test_a_task_of_noise_has_no_clusters():
    random = np.random.default_rng(0)
    field = np.flatnonzero(DATA.tasks == "task-1")
    counts = DATA.X.toarray()
    words = counts.sum(axis=0) / counts.sum()
    counts[field] = random.multinomial(30, words, size=len(field))
    model = Kinfolk(3, [*SMALL, "graph"], random_state=0).fit(counts, tasks=DATA.tasks)
    assert model.unclustered_tasks_ == ["task-1"]
    assert model.guard_[1]["modularity"] > 0
    assert model.guard_[1]["meaning"].startswith("No clusters found")


@pytest.mark.usefixtures("all_null_tables")
def test_a_task_of_noise_is_left_out_of_sharing_unless_it_is_small():
    random = np.random.default_rng(0)
    three = makers.make_related_documents(
        40, n_tasks=3, shared=3, purity=0.5, length=30.0, random_state=0
    )
    counts = three.X.toarray()
    noise = np.flatnonzero(three.tasks == "task-1")
    words = counts.sum(axis=0) / counts.sum()
    counts[noise] = random.multinomial(30, words, size=len(noise))
    model = Kinfolk(3, [*SMALL, "mtcfir"], random_state=0).fit(counts, tasks=three.tasks)
    assert not any(record["joint"] for record in records(model, "task-1"))
    assert any(record["joint"] for record in records(model, "task-2"))
    (record,) = [record for record in model.guard_ if record["task"] == "task-1"]
    assert record["own_runs_only"]
    assert np.isnan(record["agreement_with_joint_runs"])
    np.testing.assert_array_equal(model.task_relatedness_[1], [0, 1, 0])
    assert model.task_relatedness_[0, 2] > 0
    assert model.predict(counts, tasks=three.tasks).shape == (120,)
    few = np.setdiff1d(np.arange(120), noise[20:])
    small = Kinfolk(3, SMALL, random_state=0).fit(counts[few], tasks=three.tasks[few])
    assert any(record["joint"] for record in records(small, "task-1"))


def test_known_labels_take_part_unless_all_are_given():
    X, tasks, truth = related(noise=1.5)
    y = np.where(np.arange(len(X)) % 2 == 0, truth, -1)
    model = Kinfolk(3, SMALL, random_state=0)
    counts = [(np.arange(len(X)) % 2 == 0)[tasks == name].sum() for name in ("lab", "field")]
    known = {record["task"]: record["known_rows"] for record in model.fit(X, y, tasks=tasks).guard_}
    assert known == dict(zip(("lab", "field"), counts, strict=True))
    ignored = clone(model).fit(X, truth, tasks=tasks)
    assert {record["known_rows"] for record in ignored.guard_} == {0}
    np.testing.assert_array_equal(ignored.labels_, clone(model).fit(X, tasks=tasks).labels_)


@pytest.mark.parametrize("turn", [1, -1])
def test_each_task_gets_the_number_that_was_suggested_for_it(turn):
    random = np.random.default_rng(0)
    centers = np.array([[0.0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 9]])
    few = np.repeat(centers[:2], 40, axis=0) + random.normal(size=(80, 3))
    many = np.repeat(centers, 20, axis=0) + random.normal(size=(80, 3))
    X = np.vstack([few, many][::turn])
    tasks = np.repeat(["few", "many"][::turn], 80)
    model = Kinfolk("auto", ["kmeans"], random_state=0)
    with pytest.warns(ClusterNumberWarning):
        model.fit(X, tasks=tasks)
    assert [suggestion.task for suggestion in model.suggestions_] == list(model.task_names_)
    number = {task: len(np.unique(model.labels_[tasks == task])) for task in ("few", "many")}
    assert number == model.suggestions_.numbers
    assert number["few"] < number["many"] == 4


def test_numbers_of_clusters_can_be_found():
    data = makers.make_related_blobs(60, n_features=4, random_state=0)
    model = Kinfolk("auto", SMALL, random_state=0)
    with pytest.warns(ClusterNumberWarning, match="3 for task-0"):
        model.fit(data.X, tasks=data.tasks)
    assert model.n_clusters_.tolist() == [s.number for s in model.suggestions_] == [3, 3]
    assert not hasattr(model.set_params(n_clusters=3).fit(data.X, tasks=data.tasks), "suggestions_")


def test_numbers_of_clusters_are_those_of_columns_that_are_scaled_already():
    X, tasks, _ = related(sizes=(60, 60))
    X = np.column_stack([X, np.random.default_rng(0).random(len(X)) < 0.1])
    told = {"columns_are_scaled": True, "random_state": 0}
    with pytest.warns(ClusterNumberWarning, match="lab"):
        model = Kinfolk("auto", SMALL, **told).fit(X, tasks=tasks)
    assert set(np.unique(model._representations.spreads)) <= {0.0, 1.0}
    again = cluster_count.suggest_clusters(X, tasks, **told)
    assert model.suggestions_.numbers == again.numbers


@pytest.mark.parametrize("seed", range(3))
def test_numbers_of_clusters_are_those_that_are_suggested_with_the_same_seed(seed):
    X = np.random.default_rng(seed).normal(size=(90, 3))
    tasks = np.repeat(["b", "a", "c"], 30)
    with pytest.warns(ClusterNumberWarning):
        model = Kinfolk("auto", ["kmeans"], random_state=seed).fit(X, tasks=tasks)
    again = cluster_count.suggest_clusters(X, tasks, random_state=seed)
    assert [vars(s) for s in model.suggestions_] == [vars(s) for s in again]


def test_two_divisions_of_the_same_rows_are_both_shown():
    random = np.random.default_rng(0)
    first, other = np.arange(240) % 2, np.arange(240) // 2 % 2
    signs = np.stack([first, first, first, other, other, other], axis=1) * 2.0 - 1
    # With less noise all runs of one division are equal, and rounding tells which half is better.
    X = signs * 3 + 2 * random.normal(size=(240, 6))
    model = Kinfolk(2, random_state=1).fit(X)
    answers = [model.labels_, model.second_labels_["all"]]
    found = {(truth is other, abs(adjusted_rand_score(truth, labels)) > 0.9)
             for truth in (first, other) for labels in answers}  # fmt: skip
    assert found == {(False, True), (False, False), (True, True), (True, False)}
    assert model.guard_[0]["has_second_answer"]


def test_a_large_task_is_judged_by_a_sample(monkeypatch):
    X, tasks, truth = related(sizes=(60, 30))
    monkeypatch.setattr(consensus, "MAX_PAIRWISE_ROWS", 50)
    monkeypatch.setattr(consensus, "SCORED_ROWS", 25)
    model = Kinfolk(3, SMALL, random_state=0).fit(X, tasks=tasks)
    assert same_clusters(model.labels_[tasks == "lab"], truth[tasks == "lab"])
    assert "evidence accumulation" not in {
        r["combiner"] for r in model.guard_ if r["task"] == "lab"
    }


def test_tasks_pass_through_a_pipeline():
    X, tasks, _ = related()
    alone = Kinfolk(3, SMALL, random_state=0).fit(X, tasks=tasks)
    with config_context(enable_metadata_routing=True):
        pipeline = Pipeline([("same", FunctionTransformer()), ("cluster", clone(alone))])
        np.testing.assert_array_equal(pipeline.fit_predict(X, tasks=tasks), alone.labels_)


def test_a_budget_gives_the_answer_of_what_has_run():
    X, tasks, _ = related()
    with pytest.warns(UserWarning, match="no time for tables without clusters"):
        model = Kinfolk(3, budget=1e-6, random_state=0).fit(X, tasks=tasks)
    # Each task by itself, and together with the other.
    assert [record["joint"] for record in model.evidence_] == [False, True] * 2
    assert {record["reason"] for record in model.left_out_} == {"the budget of 1e-06 s was spent"}
    assert model.predict(X, tasks=tasks).shape == (27,)


def test_a_budget_that_suffices_changes_nothing():
    X, tasks, _ = related()
    without, within = (
        Kinfolk(3, ["kmeans", "mec", "pooled"], budget=b, random_state=0).fit(X, tasks=tasks)
        for b in (None, 600.0)
    )
    assert [r | {"seconds": 0} for r in within.evidence_] == [
        r | {"seconds": 0} for r in without.evidence_
    ]
    np.testing.assert_array_equal(within.labels_, without.labels_)
    assert within.left_out_ == []


@pytest.mark.filterwarnings("ignore:the budget leaves")
def test_a_short_budget_holds_and_asks_methods_of_several_tasks(monkeypatch):
    # The clock of the processor, as other work on the machine must not decide.
    monkeypatch.setattr(deadlines, "clock", time.process_time)
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 30)) + np.repeat(random.normal(size=(3, 30)), 1000, axis=0)
    tasks = np.arange(3000) % 2
    begin = time.process_time()
    model = Kinfolk(3, budget=1.0, random_state=0).fit(X, tasks=tasks)
    assert time.process_time() - begin < 1.2 * 1.0 + 2
    families = {record["family"] for record in model.evidence_}
    assert {FAMILIES[name].joint for name in families} == {False, True}
    assert len(model.labels_) == 3000
    assert len(model.sampling_["rows"]) < 3000


def test_an_interruption_gives_the_answer_of_what_has_run(monkeypatch):
    X, tasks, _ = related()
    interrupting.at_calls(monkeypatch, fitting, "fit", 8)
    with pytest.warns(UserWarning, match="interrupted after 7 runs"):
        model = Kinfolk(3, random_state=0).fit(X, tasks=tasks)
    assert len(model.evidence_) == 14


@pytest.mark.parametrize(
    ("module", "name"),
    [
        (mixtures, "improve"),
        (shared_metric, "learned"),
        (shared_metric, "decide"),
        (common_mixtures, "_of_similar_tasks"),
    ],
)
def test_an_interruption_after_the_runs_keeps_their_answer(module, name, monkeypatch):
    data = makers.make_related_blobs(20, n_features=4, n_tasks=3, random_state=0)

    def stopped(*given, **more):
        raise KeyboardInterrupt

    monkeypatch.setattr(module, name, stopped)
    with pytest.warns(UserWarning, match="interrupted after 80 runs"):
        model = Kinfolk(3, random_state=0).fit(data.X, tasks=data.tasks)
    assert len(model.evidence_) == 3 * 80
    np.testing.assert_array_equal(model.predict(data.X, tasks=data.tasks), model.labels_)


@pytest.mark.parametrize(
    ("module", "name", "families", "sentence"),
    [
        (null_model, "null_scores", None, "every data set is taken to have clusters, which"),
        (own_answers, "own_result", None, "each data set keeps the best of them"),
        (decision, "options", ["kmeans", "mec", "mtcfir"], "keeps the clusters that it has by"),
    ],
)
def test_an_interruption_while_runs_are_compared_keeps_an_answer(
    module, name, families, sentence, monkeypatch
):
    data = makers.make_related_blobs(20, n_features=4, random_state=0)
    interrupting.at_calls(monkeypatch, module, name, 1)
    with pytest.warns(UserWarning, match=f"interrupted after .*{sentence}"):
        model = Kinfolk(3, families, random_state=0).fit(data.X, tasks=data.tasks)
    assert [record["joint"] for record in model.evidence_] == [False] * len(model.evidence_)
    np.testing.assert_array_equal(model.labels_, model.own_labels_)
    assert adjusted_rand_score(data.target[:20], model.labels_[:20]) > 0.9
    model.predict(data.X, tasks=data.tasks)


def test_a_second_interruption_ends_the_fit(monkeypatch):
    def stopped(*given, **more):
        raise KeyboardInterrupt

    data = makers.make_related_blobs(20, n_features=4, random_state=0)
    monkeypatch.setattr(null_model, "null_scores", stopped)
    monkeypatch.setattr(own_answers, "own_result", stopped)
    model = Kinfolk(3, ["kmeans", "pooled"], random_state=0)
    with pytest.raises(KeyboardInterrupt), pytest.warns(UserWarning, match="interrupted after"):
        model.fit(data.X, tasks=data.tasks)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_clusters": "many"}, "n_clusters of task 'lab' is 'many'"),
        ({"n_clusters": 0}, "n_clusters of task 'lab' is 0"),
        ({"families": ["kmean"]}, "families is 'kmean'; choose one of 'kmeans'"),
        ({"families": "kmeans"}, "families is 'kmeans'; give a list"),
        ({"families": ["mtcfir"]}, "none of which clusters each task by itself"),
        ({"budget": 0}, "budget is 0"),
        ({"guard": "maybe"}, "guard is 'maybe'; choose one of 'report', 'both'"),
        ({"random_state": "x"}, "random_state is 'x'"),
    ],
)
def test_what_is_not_understood_is_said(parameters, sentence):
    X, tasks, _ = related()
    order = np.argsort(tasks != "lab", kind="stable")
    with pytest.raises(InputError, match=sentence):
        Kinfolk(**{"n_clusters": 3, **parameters}).fit(X[order], tasks=tasks[order])


def test_a_list_of_families_is_not_a_text():
    with pytest.raises(InputError, match="families is 'kmeans'; give a list of names"):
        Kinfolk(2, "kmeans").fit(np.eye(6))


@pytest.mark.parametrize("n_tasks", [2, 3])
@pytest.mark.parametrize("flat", ["one", "all"])
def test_tasks_whose_rows_are_all_equal_are_one_cluster_each(n_tasks, flat):
    codes = np.repeat(np.arange(n_tasks), 20)
    column = np.random.default_rng(0).normal(size=len(codes))
    column[(codes == 0) | (flat == "all")] = 2.5
    model = Kinfolk(3, random_state=0).fit(np.c_[column, np.full(len(codes), 1.5)], tasks=codes)
    sizes = [len(set(model.labels_[codes == t])) for t in range(n_tasks)]
    assert sizes[0] == 1
    assert set(sizes[1:]) == {1 if flat == "all" else 3}
