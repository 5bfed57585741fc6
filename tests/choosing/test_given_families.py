"""Families from outside: clusterers of any package, and names that packages register."""

import warnings
from importlib.metadata import EntryPoint

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.mixture import BayesianGaussianMixture, GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import kinfolk as kf
from kinfolk.choosing import given_families
from kinfolk.choosing.candidates import FAMILIES
from kinfolk.errors import InputError, LeftOutWarning
from kinfolk.methods.multitask.baselines import PerTask, Pooled

X = np.random.default_rng(0).normal(size=(48, 3)) * 0.4 + 4.0 * np.eye(3)[np.arange(48) % 3]
TASKS = np.repeat(["lab", "field"], 24)
TRUTH = np.arange(48) % 3


def fitted(*families, **parameters):
    return kf.Kinfolk(3, families=list(families), random_state=0, **parameters).fit(X, tasks=TASKS)


class Stripes(ClusterMixin, BaseEstimator):
    """A clusterer of another package: labels are the largest column of each row."""

    def __init__(self, n_clusters=3):
        self.n_clusters = n_clusters

    def fit(self, X, y=None):
        if X.shape[1] < self.n_clusters:
            raise ValueError("too few columns")
        self.labels_ = X[:, : self.n_clusters].argmax(axis=1)
        return self


@pytest.mark.parametrize(
    "clusterer",
    [
        *(KMeans(), AgglomerativeClustering(), Stripes(), kf.MEC()),
        *(GaussianMixture(), BayesianGaussianMixture()),
        make_pipeline(StandardScaler(), KMeans()),
        make_pipeline(StandardScaler(), GaussianMixture()),
        make_pipeline(StandardScaler(), AgglomerativeClustering()),
    ],
)
def test_any_clusterer_may_be_a_family(clusterer):
    model = fitted(clusterer)
    assert {r["family"] for r in model.evidence_} == {type(clusterer).__name__}
    assert len(set(zip(model.matched_labels_, TRUTH, strict=True))) == 3
    # Those without `predict` assign new rows as their nearest row.
    np.testing.assert_array_equal(model.predict(X, tasks=TASKS), model.labels_)


def test_a_number_is_set_on_the_clusterer_that_comes_with_it():
    before = KMeans(2)
    model = given_families.GivenClusterer(before).set_params(clusterer=KMeans(5), n_clusters=3)
    assert model.clusterer.n_clusters == 3
    assert before.n_clusters == 2


def test_clusterers_stand_beside_named_families():
    model = fitted("kmeans", "pooled", Stripes())
    assert [r["family"] for r in model.evidence_].count(
        "Stripes"
    ) == 6  # in 2 tasks, seen in 3 ways
    assert {r["family"] for r in model.evidence_} == {"kmeans", "pooled", "Stripes"}


def test_a_clusterer_with_starts_has_three_and_keeps_its_parameters():
    made = given_families.of([KMeans(n_init=4, max_iter=9)])["KMeans"]
    copies = [made.make({0: 3}, seed) for seed in (1, 2)]
    assert made.starts == 3
    assert [c.estimator.clusterer.random_state for c in copies] == [1, 2]
    inner = copies[0].estimator.clusterer
    assert (inner.n_init, inner.max_iter) == (4, 9)
    assert given_families.of([DBSCAN()])["DBSCAN"].starts == 1


def test_mixtures_and_pipelines_get_the_number_and_the_seed_by_their_own_names():
    made = [
        given_families.of_clusterer(given).make({0: 3}, 7).estimator
        for given in (BayesianGaussianMixture(), make_pipeline(StandardScaler(), KMeans(4)))
    ]
    assert [each.clusterer.get_params()[name] for each, name in zip(
        made, ["random_state", "kmeans__random_state"], strict=True)] == [7, 7]  # fmt: skip
    numbers = [each.set_params(n_clusters=5).get_params()["n_clusters"] for each in made]
    assert numbers == [5, 5]


def test_a_pipeline_without_a_clusterer_is_left_out_with_its_reason():
    with pytest.warns(LeftOutWarning, match="Pipeline has no labels_ of the rows after a fit"):
        fitted("kmeans", make_pipeline(StandardScaler(), PCA(2)))


@pytest.mark.parametrize("given", [LogisticRegression(), make_pipeline(LinearRegression())])
def test_what_learns_from_known_classes_or_values_is_refused(given):
    with pytest.raises(InputError, match="learns from known classes or values; give names, or"):
        fitted("kmeans", given)
    for wrapper in (Pooled, PerTask):
        with pytest.raises(InputError, match="learns from known classes or values; give a clust"):
            wrapper(given, 2).fit(X, tasks=TASKS)


def test_the_clusterer_that_is_given_is_not_changed():
    given = KMeans(5, random_state=3)
    before = given.get_params()
    model = fitted(given)
    assert given.get_params() == before
    assert not hasattr(given, "labels_")
    assert model.families[0] is given


def test_a_method_of_several_tasks_is_a_joint_family():
    model = fitted("kmeans", Pooled(KMeans(3, n_init=1, random_state=0)))
    assert {r["family"]: r["joint"] for r in model.evidence_} == {"kmeans": False, "Pooled": True}
    with pytest.raises(InputError, match="none of which clusters each task by itself"):
        fitted(Pooled(KMeans(3)))


def test_a_clusterer_that_finds_its_own_number_takes_part():
    model = fitted("kmeans", DBSCAN(eps=1.5, min_samples=2))
    assert "DBSCAN" in {r["family"] for r in model.evidence_}
    assert model.labels_.max() == 2
    # Far more clusters than are asked for, beside one run of k-means.
    model = fitted(KMeans(), DBSCAN(eps=0.3, min_samples=1))
    assert model.labels_.max() == 2
    assert set(model.predict(X, tasks=TASKS)) == {0, 1, 2}


def test_a_single_run_of_more_clusters_than_asked_for_may_be_the_answer():
    found = kf.Kinfolk(2, [DBSCAN(eps=1.0)], consensus=False, random_state=0).fit(X, tasks=TASKS)
    made = [len(set(found.labels_[t == TASKS])) for t in found.task_names_]
    assert found.n_clusters_.tolist() == made
    assert found.n_clusters_.min() > 2
    assert np.array_equal(found.predict(X, tasks=TASKS), found.labels_)


def test_all_and_one_more_follow_the_whole_rule():
    made = given_families.of(["all", Stripes()])
    assert list(made) == [*FAMILIES, "Stripes"]
    assert list(given_families.of(None)) == list(FAMILIES)


def test_a_clusterer_that_refuses_is_left_out_with_its_reason():
    with pytest.warns(LeftOutWarning, match="No run of 'Stripes' took part: too few columns"):
        model = kf.Kinfolk(3, families=["kmeans", Stripes()], random_state=0).fit(
            X[:, :1], tasks=TASKS
        )
    assert {r["family"] for r in model.left_out_} == {"Stripes"}


def test_a_defect_of_a_clusterer_is_no_refusal():
    class Broken(Stripes):
        def fit(self, X, y=None):
            raise IndexError("broken")

    with pytest.raises(IndexError, match="broken"):
        fitted("kmeans", Broken())


def test_two_settings_of_one_class_are_two_families():
    made = given_families.of([KMeans(), KMeans(init="random"), KMeans(max_iter=1)])
    assert list(made) == ["KMeans", "KMeans 2", "KMeans 3"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([KMeans], "families has .*KMeans.*; give names, or clusterers"),
        ([3], "families has 3; give names, or clusterers"),
        (["k-means"], "families is 'k-means'.*kmeans"),
        ("kmeans", "families is 'kmeans'; give a list of names"),
        ({"kmeans": 1}, "give a list of names"),
    ],
)
def test_what_is_no_family_is_refused(given, words):
    with pytest.raises(InputError, match=words):
        kf.Kinfolk(2, families=given).fit(X, tasks=TASKS)


@pytest.fixture
def offered(monkeypatch):
    """Fixture: entry points of an installed package: a class, an instance and a `Family`."""
    points = [
        EntryPoint("stripes", f"{__name__}:Stripes", given_families.GROUP),
        EntryPoint("two-means", f"{__name__}:TWO_MEANS", given_families.GROUP),
        EntryPoint("ready", f"{__name__}:READY", given_families.GROUP),
        EntryPoint("broken", "no.such.module:X", given_families.GROUP),
    ]
    monkeypatch.setattr(given_families, "entry_points", lambda group: points)


TWO_MEANS = KMeans(2)
READY = FAMILIES["mec"]


def test_a_package_may_offer_families_by_name(offered, monkeypatch):
    monkeypatch.setattr(EntryPoint, "load", lambda point: globals()[point.value.split(":")[1]])
    made = given_families.of(["stripes", "two-means", "ready"])
    assert made["ready"] is READY
    assert isinstance(made["stripes"].make({0: 2}, 1).estimator.clusterer, Stripes)
    assert {r["family"] for r in fitted("stripes").evidence_} == {"stripes"}


def test_what_is_installed_changes_no_answer_unless_it_is_named(offered):
    assert list(given_families.of(None)) == list(FAMILIES)
    with pytest.raises(InputError, match="two-means"):
        given_families.of(["nothing"])


def test_a_model_with_such_families_is_cloned_and_shown():
    from sklearn.base import clone

    model = kf.Kinfolk(3, families=["kmeans", Stripes()])
    copy = clone(model)
    assert copy.families[1] is not model.families[1]
    assert "Stripes()" in repr(copy)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert copy.fit(X, tasks=TASKS).labels_.shape == (48,)


def test_a_clusterer_without_labels_is_refused_by_its_name():
    class Mute(Stripes):
        def fit(self, X, y=None):
            return self

    with pytest.raises(InputError, match="Mute has no labels_ of the rows after a fit"):
        fitted(Mute())


class Named(Stripes):
    """Labels that are no whole numbers."""

    def __init__(self, n_clusters=3, labels=None):
        self.n_clusters = n_clusters
        self.labels = labels

    def fit(self, X, y=None):
        self.labels_ = None if self.labels is None else np.resize(self.labels, len(X))
        return self


class NamedTogether(Named):
    """The same, of a clusterer of several tasks."""

    def fit(self, X, y=None, tasks=None):
        return super().fit(X)


@pytest.mark.parametrize("clusterer", [Named, NamedTogether])
@pytest.mark.parametrize("labels", [["a", "b"], [0.5, 1.0], [0.0, np.nan], [0, None], None])
def test_labels_that_are_no_whole_numbers_leave_a_family_out(clusterer, labels):
    name = clusterer.__name__
    task = "task 'lab': " if clusterer is Named else ""
    with pytest.warns(LeftOutWarning, match=f"No run of '{name}' took part: {task}{name} has "):
        fitted("kmeans", clusterer(labels=labels))


def test_messages_of_runs_name_the_tasks():
    class Mute(Stripes):
        def fit(self, X, y=None):
            return self

    with pytest.warns(LeftOutWarning):
        model = fitted("kmeans", Mute(), Stripes())
    assert model.left_out_[0]["reason"].startswith("task 'lab': Mute has no labels_")
