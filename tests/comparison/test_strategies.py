"""Alone, pooled, together: each strategy is fitted as by hand, scored, or says why not."""

import dataclasses
import warnings

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.preprocessing import StandardScaler

import kinfolk as kf
from kinfolk import catalogue, measures, sources
from kinfolk.comparison import compare
from kinfolk.datasets import makers
from kinfolk.errors import InputError
from kinfolk.preparation import Preparation

DATA = makers.make_related_blobs(24, random_state=0)
FAST = {"n_init": 1}


def study(data=DATA, method="mtcfir", n_clusters=3, **options):
    options = {"preparation": Preparation(), "parameters": FAST} | options
    if "labels" in options and options["labels"] is None:
        del options["labels"]
    found = compare(data, method=method, n_clusters=n_clusters, **options)
    return found.study


def unlabelled(data=DATA):
    return kf.RelatedData(data.name, data.tasks, data.row_ids, data.X, data.feature_names)


def test_strategies_come_in_a_fixed_order():
    names = [result.name for result in study().results]
    assert names == ["alone", "pooled", "together", "k-means alone"]


def test_the_labels_are_those_of_the_estimators_fitted_by_hand():
    by_hand = {
        "alone": kf.PerTask(kf.MTCFIR(n_init=1, random_state=4), 3),
        "pooled": kf.Pooled(kf.MTCFIR(n_init=1, random_state=4), 3),
        "together": kf.MTCFIR(3, n_init=1, random_state=4),
        "k-means alone": kf.PerTask(KMeans(n_init=10, random_state=4), 3),
    }
    found = study(random_state=4)
    for result in found.results:
        expected = by_hand[result.name].fit(DATA.X, tasks=DATA.tasks).labels_
        np.testing.assert_array_equal(result.labels, expected)
    np.testing.assert_array_equal(found.model.labels_, found.results[2].labels)


def test_scores_are_those_of_the_measures_on_each_task():
    for result in study().results:
        assert set(result.scores) == {"accuracy", "nmi", "silhouette"}
        for task in DATA.task_names:
            mine = DATA.tasks == task
            truth, labels = DATA.target[mine], result.labels[mine]
            assert result.scores["accuracy"][task] == measures.accuracy(truth, labels)
            assert result.scores["nmi"][task] == pytest.approx(measures.nmi(truth, labels))
        assert result.seconds > 0
        assert result.reason == ""


def test_without_the_truth_nothing_is_scored_against_it():
    found = study(unlabelled())
    assert all(set(c.scores) == {"silhouette"} for c in found.results)
    for result, other in zip(found.results, study().results, strict=True):
        np.testing.assert_array_equal(result.labels, other.labels)


def test_pooled_says_why_it_cannot_have_different_numbers_of_clusters():
    found = study(n_clusters=dict(zip(DATA.task_names, (2, 3), strict=True)))
    alone, pooled, together, plain = found.results
    assert pooled.labels is None
    assert pooled.scores == {}
    assert "same number of clusters in every task" in pooled.reason
    assert together.labels is not None
    assert found.model.n_clusters_.tolist() == [2, 3]
    assert alone.labels is not None
    assert plain.labels is not None


FIRST = np.where(DATA.tasks == DATA.task_names[0], DATA.target, "-1")
VIEWS = {"first": slice(0, 1), "rest": slice(1, 2)}


def test_each_view_alone_all_as_one_and_all_together_are_compared():
    data = dataclasses.replace(DATA, views=VIEWS)
    found = study(data, "comvcf", random_state=3)
    assert [c.name for c in found.results] == [
        *("view first", "view rest", "pooled", "together", "k-means alone")
    ]
    one = kf.CoMVCF(n_init=1, random_state=3)
    by_hand = {
        "view first": (kf.PerTask(one, 3), DATA.X[:, :1]),
        "view rest": (kf.PerTask(one, 3), DATA.X[:, 1:]),
        "pooled": (kf.PerTask(one, 3), DATA.X),
        "together": (kf.PerTask(kf.CoMVCF(views=VIEWS, n_init=1, random_state=3), 3), DATA.X),
    }
    for result in found.results[:-1]:
        model, X = by_hand[result.name]
        np.testing.assert_array_equal(result.labels, model.fit(X, tasks=DATA.tasks).labels_)
        for task in DATA.task_names:
            mine = DATA.tasks == task
            Z = StandardScaler().fit_transform(DATA.X[mine])
            expected = measures.silhouette(Z, result.labels[mine], "euclidean")
            assert result.scores["silhouette"][task] == pytest.approx(expected)
    assert found.relation == "several views"
    assert found.model.estimators_[0].view_names_.tolist() == ["first", "rest"]


def test_a_method_of_tasks_on_one_data_set_says_so_and_others_do_not():
    one = dataclasses.replace(DATA, tasks=np.full(len(DATA), "alone"))
    assert "one data set, 'alone'" in study(one).notes[-1]
    assert study(one, "kmeans").notes == []


def test_a_method_of_views_without_views_runs_on_one_and_says_so():
    found = study(method="comvcf")
    assert [c.name for c in found.results] == ["together", "k-means alone"]
    assert found.model.estimators_[0].view_names_.tolist() == ["all"]
    assert "here all columns are one view" in found.notes[-1]


def test_views_are_only_columns_to_other_methods():
    found = study(dataclasses.replace(DATA, views=VIEWS), "kmeans")
    np.testing.assert_array_equal(found.model.labels_, study(method="kmeans").model.labels_)


def test_another_sites_centers_are_compared_with_none():
    known = kf.Knowledge(DATA.X[:3], [10.0, 10, 10])
    parameters = {**FAST, "knowledge": known, "transfer_weight": 3.0}
    found = study(method="kt-mec", parameters=parameters)
    assert [c.name for c in found.results] == ["alone", "together", "k-means alone"]
    mec = kf.PerTask(kf.MEC(n_init=1, random_state=0), 3).fit(DATA.X, tasks=DATA.tasks)
    np.testing.assert_array_equal(found.results[0].labels, mec.labels_)
    by_hand = kf.PerTask(kf.KTMEC(random_state=0, **parameters), 3)
    expected = by_hand.fit(DATA.X, tasks=DATA.tasks)
    np.testing.assert_array_equal(found.results[1].labels, expected.labels_)
    np.testing.assert_array_equal(
        found.model.estimators_[0].cluster_centers_, expected.estimators_[0].cluster_centers_
    )
    with pytest.raises(InputError, match="kt-mec needs the centers of another site: give"):
        study(method="kt-mec")


def test_a_fitted_preparation_is_used_as_it_is():
    preparation = Preparation(scale="standard")
    half = dataclasses.replace(DATA, X=DATA.X / 2)
    preparation.fit_transform(half)
    found = study(method="kmeans", preparation=preparation)
    np.testing.assert_allclose(found.X, (DATA.X - half.X.mean(axis=0)) / half.X.std(axis=0))


@pytest.mark.filterwarnings("ignore:k-means finds the known classes")  # LSSTTC loses one
def test_known_classes_of_one_task_are_carried_to_the_other():
    found = study(method="lssttc", labels=FIRST)
    assert [c.name for c in found.results] == ["alone", "together", "k-means alone"]
    by_hand = kf.LSSTTC(n_init=1, random_state=0).fit(DATA.X, FIRST, tasks=DATA.tasks)
    np.testing.assert_array_equal(found.model.transduction_, by_hand.transduction_)
    np.testing.assert_array_equal(found.results[1].labels, by_hand.labels_)
    assert found.results[1].scores["accuracy"][DATA.task_names[0]] == 1
    soft = kf.PerTask(kf.SoftKMeans(random_state=0), 3).fit(DATA.X, tasks=DATA.tasks)
    np.testing.assert_array_equal(found.results[0].labels, soft.labels_)
    assert "look at the data sets without labels" in found.notes[-1]


@pytest.mark.parametrize(
    ("labels", "n_clusters", "told"),
    [
        (None, 3, "lssttc needs rows of known class"),
        (FIRST, 4, r"finds the 3 classes that have labels, and n_clusters is 4; give 3"),
        (FIRST, dict(zip(DATA.task_names, (2, 3), strict=True)), "give 3"),
        (np.full(len(DATA), "-1"), 3, "no known label"),
    ],
)
def test_labels_that_cannot_be_carried_over_are_refused(labels, n_clusters, told):
    with pytest.raises(InputError, match=told):
        study(method="lssttc", labels=labels, n_clusters=n_clusters)


@pytest.mark.parametrize("method", ["symnmf", "mec", "kmeans"])
def test_a_method_of_one_data_set_says_why_it_cannot_cluster_together(method):
    found = study(method=method)
    together = found.results[2]
    assert together.name == "together"
    assert together.labels is None
    assert method in together.reason
    assert "several tasks" in together.reason
    np.testing.assert_array_equal(found.model.labels_, found.results[0].labels)
    assert ("k-means alone" in [c.name for c in found.results]) == (method != "kmeans")


FAMILIES = {"families": ["mec", "pooled"]}


def test_one_fit_of_many_methods_gives_both_the_answer_and_the_own_ones(monkeypatch):
    fit, fits = kf.Kinfolk.fit, []

    def counted(self, X, y=None, tasks=None):
        fits.append(fit(self, X, tasks=tasks))
        self.own_labels_ = (self.labels_ + 1) % 3  # not the answer, on these easy rows too
        return self

    monkeypatch.setattr(kf.Kinfolk, "fit", counted)
    found = study(method="kinfolk", parameters=FAMILIES, random_state=4)
    alone, pooled, together, plain = found.results
    assert [c.name for c in found.results] == ["alone", "pooled", "together", "k-means alone"]
    assert fits == [found.model]
    assert alone.seconds == together.seconds > 0
    np.testing.assert_array_equal(alone.labels, found.model.own_labels_)
    np.testing.assert_array_equal(together.labels, found.model.labels_)
    inner = KMeans(n_init=10, random_state=4)
    # Baselines run on z-scores, as the results are scored.
    Z = StandardScaler().fit_transform(DATA.X)
    expected = kf.Pooled(inner, 3).fit(Z, tasks=DATA.tasks).labels_
    np.testing.assert_array_equal(pooled.labels, expected)
    for task in DATA.task_names:
        Z[DATA.tasks == task] = StandardScaler().fit_transform(DATA.X[DATA.tasks == task])
    expected = kf.PerTask(inner, 3).fit(Z, tasks=DATA.tasks).labels_
    np.testing.assert_array_equal(plain.labels, expected)
    assert found.relation == "several methods"


@pytest.mark.filterwarnings("ignore:No run of 'pooled'")
def test_numbers_that_are_found_are_taken_by_the_others(monkeypatch):
    fit, numbers = kf.Kinfolk.fit, dict(zip(DATA.task_names, (2, 3), strict=True))

    def finding(self, X, y=None, tasks=None):
        assert self.n_clusters == "auto"
        return fit(self.set_params(n_clusters=numbers), X, tasks=tasks)

    monkeypatch.setattr(kf.Kinfolk, "fit", finding)
    found = study(method="kinfolk", n_clusters="auto", parameters=FAMILIES)
    _, pooled, _, plain = found.results
    assert "same number of clusters in every task" in pooled.reason
    assert [len(np.unique(plain.labels[DATA.tasks == t])) for t in DATA.task_names] == [2, 3]


def test_what_a_fit_warns_of_and_the_runs_left_out_are_noted_once(monkeypatch):
    fit = kf.Kinfolk.fit

    def warning(self, X, y=None, tasks=None):
        warnings.warn("beware of the dog", stacklevel=1)
        fit(self, X, tasks=tasks)
        reasons = ("pooled", "Pooled cannot."), ("mec", "the dog"), ("lssmtc", "Pooled cannot.")
        self.left_out_ = [{"family": family, "reason": reason} for family, reason in reasons]
        return self

    monkeypatch.setattr(kf.Kinfolk, "fit", warning)
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        found = study(method="kinfolk", parameters=FAMILIES)
    runs = len(found.model.evidence_) // 2 + 3
    assert found.notes == [
        "Beware of the dog",
        f"2 of {runs} runs were not made (pooled, lssmtc): Pooled cannot.",
    ]


@pytest.mark.parametrize(
    "method", [name for name, e in catalogue.METHODS.items() if e.relation.name == "several tasks"]
)
def test_every_method_of_several_tasks_is_compared(method):
    known = catalogue.method(method).cls().get_params(deep=False)
    parameters = FAST if "n_init" in known else {}
    # As many columns as clusters, which TSC asks for.
    data = makers.make_related_blobs(24, n_features=3, random_state=0)
    found = study(data, method, parameters=parameters)
    assert all(result.labels is not None for result in found.results)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"method": "telepathy"}, "telepathy"),
        ({"parameters": {"noize": 1}}, "noize"),
        ({"parameters": {"noise": 2}}, "noise is 2"),
        ({"n_clusters": 10**6}, "rows"),
        ({"n_clusters": {"nobody": 2}}, "n_clusters"),
    ],
)
def test_what_cannot_run_at_all_is_refused(options, told):
    with pytest.raises(InputError, match=told):
        study(**options)


def test_rows_are_prepared_before_all_strategies():
    preparation = Preparation(scale="standard")
    found = study(preparation=preparation)
    np.testing.assert_allclose(found.X.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(found.X.std(axis=0), 1)
    expected = kf.MTCFIR(3, n_init=1, random_state=0).fit(found.X, tasks=DATA.tasks).labels_
    np.testing.assert_array_equal(found.model.labels_, expected)
    assert found.feature_names == preparation.feature_names == DATA.feature_names


def test_notes_of_reader_and_preparation_are_kept():
    X = DATA.X.copy()
    X[3] = 0
    data = kf.RelatedData(DATA.name, DATA.tasks, DATA.row_ids, X, DATA.feature_names)
    found = study(sources.Reading(data, ["read with care"]), method="kmeans", command="c")
    assert found.notes[0] == "read with care"
    assert "zero throughout" in found.notes[1]
    assert found.command == "c"
    assert found.settings["preparation: scale"] == "none"
