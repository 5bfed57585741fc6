import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata
from sklearn.cluster import DBSCAN, KMeans

import kinfolk as kf
from kinfolk.choosing import scores, search
from kinfolk.choosing.scores import BaseClusterings
from kinfolk.datasets import makers
from kinfolk.errors import InputError, LeftOutWarning
from kinfolk.estimators.base import MultiTaskClusterer
from kinfolk.running import progress

DATA = makers.make_related_blobs(24, n_features=4, random_state=0)
NAMES = DATA.task_names
RANDOM = np.random.default_rng(0)
TRUTH = np.repeat([0, 1, 2], 12)
X = RANDOM.normal(size=(36, 5)) * 0.3 + np.eye(5)[TRUTH]


class Prescribed(MultiTaskClusterer):
    """Clusterer that gives the truth, halves, one cluster, noise or an error, as `what` says."""

    def __init__(self, what="truth", n_clusters=3, random_state=None):
        self.what = what
        self.n_clusters = n_clusters
        self.random_state = random_state

    def _sorts_rows(self):
        return False  # the answers are by position

    def fit(self, X, y=None, tasks=None):
        X, found = self._open(X, tasks)
        if isinstance(self.what, BaseException):
            raise self.what
        if self.what == "loud":
            warnings.warn("nothing to worry about", stacklevel=1)
        truth = np.unique(DATA.target, return_inverse=True)[1]
        labels = {
            "truth": truth,
            "loud": truth,
            "halves": truth > 1,
            "one": np.zeros(len(truth)),
            "noise": np.random.default_rng(self.random_state).integers(3, size=len(truth)),
        }[self.what].astype(int)
        for rows in found.rows():
            labels[rows] = np.unique(labels[rows], return_inverse=True)[1]
        return self._record(X, found, labels, [self.n_clusters] * len(found.names))

    def _assign(self, X, t):
        return np.zeros(X.shape[0], dtype=int)


class Refusing(KMeans):
    """A clusterer of another package that raises ValueError, as scikit-learn's do."""

    def fit(self, X, y=None, sample_weight=None):
        if self.n_clusters > 10:
            raise ValueError(f"{self.n_clusters} clusters are too many")
        return super().fit(X)


def searched(*what, **parameters):
    return kf.search(
        Prescribed(), {"what": list(what)}, DATA.X, DATA.tasks, random_state=0, **parameters
    )


def runs(labels, settings):
    R = len(labels)
    return BaseClusterings(np.array(labels), ["s"] * R, settings, np.zeros(R, dtype=bool))


def test_the_best_setting_is_found_fitted_and_recorded():
    found = searched("noise", "halves", "truth", n_starts=2)
    assert found.best_params_ == {"what": "truth"}
    assert found.best_index_ == 2
    assert (
        found.best_score_ == found.results_[2]["score"] == max(r["score"] for r in found.results_)
    )
    assert found.best_estimator_.what == "truth"
    np.testing.assert_array_equal(found.best_estimator_.task_names_, NAMES)
    table = pd.DataFrame(found.results_)
    assert table["param_what"].tolist() == ["noise", "halves", "truth"]
    assert table.loc[2, "rank"] == 1
    assert table["starts"].tolist() == [2, 2, 2]
    for sign in ("score", "agree", "modularity", "complete"):
        by_task = table[[f"{sign}_{name}" for name in NAMES]].mean(axis=1)
        np.testing.assert_allclose(table[sign], by_task)
    assert table["complete"].tolist() == pytest.approx([1, 0.5, 1])
    assert (table["seconds"] > 0).all()
    assert not table.drop(columns="params").isna().any(axis=None)


def test_of_the_starts_the_one_with_most_evidence_is_kept():
    found = kf.search(Prescribed("noise"), {}, DATA.X, DATA.tasks, n_starts=6, random_state=3)
    found_in = []
    seeds = [
        e.random_state for e in search._starts(Prescribed("noise"), {}, 6, np.random.RandomState(3))
    ]
    made = [
        Prescribed("noise", random_state=s).fit(DATA.X, tasks=DATA.tasks).labels_ for s in seeds
    ]
    for name in NAMES:
        rows = DATA.tasks == name
        some = runs(np.array([labels[rows] for labels in made]), settings=[0] * 6)
        representations = search.Representations.of(DATA.X, (DATA.tasks == NAMES[1]).astype(int))
        codes = np.full(rows.sum(), NAMES.index(name))
        graph = scores.neighbor_graph(representations.for_scoring(DATA.X[rows], codes), 3)
        found_in.append(scores.modularities(some.labels, graph))
    best = np.mean([rankdata(s) for s in found_in], axis=0).argmax()
    assert found.best_estimator_.random_state == seeds[best]


def test_a_failed_setting_is_last_and_says_why():
    with pytest.warns(LeftOutWarning, match="1 of 4 settings worked, the first because: too few"):
        found = searched("truth", InputError("too few"), "one", "noise")
    failed = found.results_[1]
    assert failed["error"] == "too few"
    assert failed["failed"] == failed["starts"] == 3
    assert failed["score"] == failed["complete"] == 0
    assert failed["rank"] == max(record["rank"] for record in found.results_)
    assert found.results_[2]["score"] == 0
    assert found.results_[0]["error"] == ""
    assert found.best_params_ == {"what": "truth"}


def test_warnings_of_runs_are_recorded_and_not_passed_on():
    found = searched("loud", "truth", n_starts=2)
    record = {"params": {"what": "loud"}, "message": "UserWarning: nothing to worry about"}
    assert found.run_warnings_ == [record] * 2


def test_of_worthless_settings_one_that_ran_is_kept():
    with pytest.warns(LeftOutWarning, match="too few. See 'error' in results_."):
        found = searched(InputError("too few"), "one", n_starts=1)
    assert found.best_params_ == {"what": "one"}
    assert found.best_estimator_.labels_.max() == 0


def test_all_failed_is_an_error_and_a_defect_is_one():
    with pytest.raises(InputError, match="every run of Prescribed failed: too few"):
        searched(InputError("too few"))
    with pytest.raises(TypeError, match="broken"):
        searched("truth", TypeError("broken"))


def test_a_plain_value_error_is_a_defect_of_our_methods_and_a_refusal_of_others():
    grid = {"n_clusters": [3, 12]}
    with pytest.warns(LeftOutWarning, match="1 of 2 settings"):
        found = kf.search(Refusing(), grid, DATA.X, DATA.tasks, n_starts=1, random_state=0)
    assert found.best_params_ == {"n_clusters": 3}
    assert found.results_[1]["error"] == "12 clusters are too many"


def test_a_shape_bug_in_one_of_our_methods_ends_the_search(monkeypatch):
    def broken(*_, **__):
        raise ValueError("operands could not be broadcast together")

    monkeypatch.setattr(kf.MEC, "fit", broken)
    with pytest.raises(ValueError, match="could not be broadcast"):
        kf.search(kf.MEC(3), {}, DATA.X, DATA.tasks, n_starts=1, random_state=0)


def test_the_former_name_of_references_is_accepted():
    with pytest.warns(FutureWarning, match="'witnesses' of search is now called 'references'"):
        found = searched("truth", "noise", n_starts=1, witnesses=False)
    assert found.best_params_ == {"what": "truth"}


@pytest.mark.parametrize(
    ("estimator", "grid", "message"),
    [
        (
            Prescribed(),
            {"who": [1]},
            "is no setting of estimator Prescribed.*Invalid parameter 'who'",
        ),
        (Prescribed, {"what": ["truth"]}, "is no setting of estimator"),
        (kf.PerTask(), {"estimator__n_init": [1]}, "is no setting of estimator PerTask"),
        (Prescribed(), {"what": 3}, "grid cannot be read"),
        (Prescribed(), 3, "grid cannot be read"),
        (Prescribed(), [], "grid holds no setting"),
    ],
)
def test_a_wrong_grid_is_refused_before_anything_runs(estimator, grid, message):
    with pytest.raises(InputError, match=message):
        kf.search(estimator, grid, DATA.X, DATA.tasks)


def test_who_interrupts_gets_the_best_so_far():
    with pytest.warns(UserWarning, match="interrupted after 6 of 12 runs and 0 references"):
        found = searched("noise", "truth", KeyboardInterrupt(), "halves", references=True)
    assert found.best_params_ == {"what": "truth"}
    assert len(found.results_) == 2
    with pytest.raises(KeyboardInterrupt):
        searched(KeyboardInterrupt(), "truth")


def test_an_interruption_among_references_keeps_those_that_ran(monkeypatch):
    def late(what, done, total):
        if what == "running references" and done == 2:
            raise KeyboardInterrupt

    with pytest.warns(UserWarning, match="6 of 6 runs and 2 references"), progress.listening(late):
        assert searched("truth", "noise", references=True).best_index_ == 0


def test_references_are_run_for_every_number_of_clusters():
    reported = []
    with progress.listening(lambda *state: reported.append(state)):
        kf.search(
            kf.MEC(),
            {"n_clusters": [2, 3]},
            DATA.X,
            DATA.tasks,
            n_starts=1,
            references=True,
            random_state=0,
        )
    totals = {what: total for what, _, total in reported}
    # 6 starts of k-means in 3 representations and of SymNMF in 2, for 2 and for 3 clusters
    assert totals["running references"] == 60
    assert totals["trying settings"] == 2


def test_known_labels_decide_where_all_else_is_equal_and_the_note_says_so():
    y = np.full(len(DATA.target), -1, dtype=object)
    first = np.flatnonzero(DATA.tasks == NAMES[0])[:14]
    y[first] = DATA.target[first]
    found = searched("noise", "truth", y=y)
    assert found.known_rows_ == {NAMES[0]: 14}
    assert found.results_[1]["known"] == found.results_[1][f"known_{NAMES[0]}"] == 1
    assert f"known_{NAMES[1]}" not in found.results_[1]
    assert "the fit to known labels: 14 of task 'task-0'" in found.note_
    without = searched("noise", "truth")
    assert "no label was used" in without.note_
    assert "known" not in without.results_[0]
    with pytest.raises(InputError, match="y has shape"):
        searched("truth", y=[1, -1])


def test_labels_never_reach_the_runs():
    y = np.where(np.arange(48) % 2, "-1", DATA.target)
    with_y, without = (
        kf.search(kf.MEC(3), {}, DATA.X, DATA.tasks, y=given, n_starts=1, random_state=0)
        for given in (y, None)
    )
    np.testing.assert_array_equal(with_y.best_estimator_.labels_, without.best_estimator_.labels_)


def test_a_clusterer_of_one_table_is_applied_to_each_task():
    found = kf.search(KMeans(), {"n_clusters": [1, 3], "n_init": [1, 2]}, DATA.X, DATA.tasks,
                      n_starts=2, random_state=0)  # fmt: skip
    assert isinstance(found.best_estimator_, kf.PerTask)
    assert found.best_params_["n_clusters"] == 3
    assert len({e.random_state for e in found.best_estimator_.estimators_}) == 1
    assert found.best_estimator_.predict(DATA.X[:3], tasks=DATA.tasks[:3]).shape == (3,)
    alone = kf.search(KMeans(3), {"n_init": [1, 2]}, X, n_starts=1, random_state=0)
    assert alone.best_estimator_.task_names_.tolist() == ["all"]


def test_a_clusterer_inside_another_has_starts_too():
    found = kf.search(kf.Pooled(KMeans(3)), {"estimator__n_init": [1, 2]}, DATA.X, DATA.tasks,
                      n_starts=2, random_state=0)  # fmt: skip
    assert [record["starts"] for record in found.results_] == [2, 2]
    assert found.best_estimator_.estimator_.random_state is not None
    assert "param_estimator__n_init" in found.results_[0]


def test_who_finds_the_number_of_clusters_is_asked_for_what_was_found():
    grid = {"eps": [1e-3, 3.0, 1e3]}
    found = kf.search(DBSCAN(min_samples=3), grid, DATA.X, DATA.tasks, random_state=0)
    assert [record["starts"] for record in found.results_] == [1, 1, 1]
    assert [record["complete"] for record in found.results_] == [1, 1, 1]
    assert found.best_params_ == {"eps": 3.0}


def test_starts_differ_and_the_same_seed_gives_the_same():
    first, again = (searched("noise", "truth", n_starts=4).results_ for _ in range(2))
    seconds = {"seconds": 0}
    assert [r | seconds for r in first] == [r | seconds for r in again]
    random = np.random.RandomState(0)
    seeds = [
        made.random_state
        for setting in ({"what": "noise"}, {"what": "truth"})
        for made in search._starts(Prescribed(), setting, 4, random)
    ]
    assert len(set(seeds)) == 8
    fixed = list(search._starts(Prescribed(), {"random_state": 5}, 4, np.random.RandomState(0)))
    assert [made.random_state for made in fixed] == [5]


def test_a_frame_may_name_its_task_column():
    frame = pd.DataFrame(DATA.X, columns=list("abcd")).assign(place=DATA.tasks)
    found = kf.search(kf.MEC(3), {"temperature": [0.1, 1.0]}, frame, "place", n_starts=1)
    assert found.best_estimator_.feature_names_in_.tolist() == list("abcd")
    assert found.best_estimator_.predict(frame, tasks="place").shape == (48,)


def test_columns_that_are_scaled_already_are_scored_at_their_scale():
    truth = np.arange(40) % 2
    X = np.column_stack([10.0 * truth, np.random.default_rng(0).normal(size=(40, 3))])
    grid = {"random_state": [0]}
    told, again = (
        kf.search(KMeans(2, n_init=1), grid, X, n_starts=1, columns_are_scaled=scaled)
        for scaled in (True, False)
    )
    assert told.results_[0]["modularity"] > again.results_[0]["modularity"] + 0.05
