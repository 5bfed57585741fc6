"""The public check of laws: sound clusterers pass, and each fault breaks the law about it."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import AgglomerativeClustering, KMeans

import kinfolk as kf
from kinfolk.errors import InputError
from kinfolk.testing import check_clusterer, laws, laws_of

SOUND = [
    KMeans(n_init=3, random_state=0),
    AgglomerativeClustering(),
    kf.PerTask(KMeans(n_init=3, random_state=0)),
    kf.MEC(random_state=0, n_init=3),
]


def broken(clusterer, **parameters):
    found = check_clusterer(clusterer, on_fail="record", **parameters)
    return {record["law"] for record in found if record["status"] == "broken"}


@pytest.mark.parametrize("clusterer", SOUND, ids=lambda c: type(c).__name__)
@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
def test_sound_clusterers_keep_all_laws(clusterer):
    found = check_clusterer(clusterer)
    assert {record["status"] for record in found} == {"kept"}
    assert [record["law"] for record in found] == list(laws_of(clusterer))
    assert all(record["meaning"].endswith(".") for record in found)


class Sound(ClusterMixin, BaseEstimator):
    """Minimal correct k-means that starts from the most different rows."""

    def __init__(self, n_clusters=2):
        self.n_clusters = n_clusters

    def fit(self, X, y=None):
        self.centers_ = KMeans(self.n_clusters, n_init=5, random_state=0).fit(X).cluster_centers_
        self.labels_ = self.predict(X)
        return self

    def predict(self, X):
        return ((X[:, None] - self.centers_) ** 2).sum(axis=2).argmin(axis=1)


class Careless(Sound):
    def fit(self, X, y=None):
        X -= X.mean(axis=0)
        return super().fit(X)


class Global(Sound):
    def fit(self, X, y=None):
        np.random.rand(3)  # noqa: NPY002
        return super().fit(X)


class Random(Sound):
    def fit(self, X, y=None):
        super().fit(X)
        self.labels_ = np.random.default_rng().integers(self.n_clusters, size=len(X))
        return self


class Remembering(Sound):
    def fit(self, X, y=None):
        if hasattr(self, "labels_"):
            self.former_labels_ = self.labels_
        return super().fit(X)


class Crowd(Sound):
    def predict(self, X):
        return super().predict(X - X.mean(axis=0))


class Shifted(Sound):
    def predict(self, X):
        found = super().predict(X)
        return (found + 1) % self.n_clusters if hasattr(self, "labels_") else found


class FirstColumn(Sound):
    def fit(self, X, y=None):
        super().fit(X[:, :1])
        self.centers_ = np.hstack([self.centers_, np.zeros((len(self.centers_), X.shape[1] - 1))])
        self.labels_ = ((X[:, :1] - self.centers_[:, :1].T) ** 2).argmin(axis=1)
        return self


class TooMany(Sound):
    def fit(self, X, y=None):
        super().fit(X)
        self.labels_ = self.labels_ + 1
        return self


class Unpicklable(Sound):
    def fit(self, X, y=None):
        self.open_ = lambda: None
        return super().fit(X)


@pytest.mark.parametrize(
    ("clusterer", "law"),
    [
        (Careless(), laws.inputs_stay_as_they_are),
        (Careless(), laws.read_only_tables_are_taken),
        (Global(), laws.the_global_generator_is_untouched),
        (Random(), laws.the_same_seed_gives_the_same_result),
        (Random(), laws.clear_groups_are_found),
        (Remembering(), laws.a_second_fit_forgets_the_first),
        (Crowd(), laws.rows_are_assigned_independently_of_each_other),
        (Shifted(), laws.rows_of_the_fit_keep_their_labels),
        (FirstColumn(), laws.the_order_of_columns_does_not_matter),
        (TooMany(), laws.awkward_tables_give_usable_answers),
        (Unpicklable(), laws.a_fit_survives_pickling),
    ],
    ids=lambda given: getattr(given, "__name__", type(given).__name__),
)
@pytest.mark.filterwarnings("ignore")
def test_a_fault_breaks_the_law_about_it(clusterer, law):
    with pytest.raises(AssertionError, match=f"breaks the law '{law.__name__}'"):
        laws_of(clusterer)[law.__name__]()


class Several(Sound):
    """The minimal k-means for several tasks, with a fault that can be chosen."""

    def __init__(self, n_clusters=2, fault=None):
        self.n_clusters = n_clusters
        self.fault = fault

    def fit(self, X, y=None, tasks=None):
        super().fit(X)
        if self.fault == "names" and tasks.dtype.kind == "i":
            self.labels_ = np.arange(len(X)) % self.n_clusters
        return self

    def predict(self, X, tasks=None):
        return super().predict(X)


def test_tasks_have_laws_of_their_own():
    known = laws_of(Several())
    assert "unknown_tasks_are_refused" in known
    with pytest.raises(AssertionError, match="names the task that was not there"):
        known["unknown_tasks_are_refused"]()
    with pytest.raises(AssertionError, match="other names"):
        laws_of(Several(fault="names"))["the_order_and_the_names_of_tasks_do_not_matter"]()


def test_the_first_broken_law_is_raised_with_its_name():
    with pytest.raises(AssertionError, match="TooMany breaks the law 'awkward_tables_give_usable"):
        check_clusterer(TooMany(), except_for=["rows_of_the_fit_keep_their_labels"])


def test_laws_may_be_left_out():
    out = ["awkward_tables_give_usable_answers", "rows_of_the_fit_keep_their_labels"]
    found = check_clusterer(TooMany(), except_for=out)
    assert [r["law"] for r in found if r["status"] == "left out"] == out


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((KMeans,), "clusterer is .*KMeans.*; give a clusterer"),
        ((7,), "clusterer is 7; give a clusterer"),
        ((kf.GFHF(),), "GFHF has no parameter n_clusters"),
    ],
)
def test_other_objects_are_refused(given, words):
    with pytest.raises(InputError, match=words):
        check_clusterer(*given)


def test_a_law_that_is_not_there_is_refused():
    with pytest.raises(InputError, match="except_for is 'no_law'"):
        check_clusterer(KMeans(), except_for=["no_law"])
