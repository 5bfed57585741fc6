"""Strategies are fitted once, timed and scored; refusals become reasons and faults are raised."""

import warnings

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score
from sklearn.preprocessing import StandardScaler

import interrupting
from kinfolk import measures
from kinfolk.catalogue.strategies import Strategy
from kinfolk.comparison import evaluation
from kinfolk.datasets import makers
from kinfolk.errors import InputError
from kinfolk.methods.multitask.baselines import PerTask
from kinfolk.running import interruptions
from kinfolk.tables import RelatedData

DATA = makers.make_related_blobs(12, random_state=0)
UNKNOWN = RelatedData(DATA.name, DATA.tasks, DATA.row_ids, DATA.X, DATA.feature_names)


class Labels(PerTask):
    """Clusterer that returns given labels, and counts its fits."""

    def __init__(self, found=None, n_clusters=3, error=None, warning=""):
        self.found = found
        self.n_clusters = n_clusters
        self.error = error
        self.warning = warning
        self.calls = []

    def fit(self, X, y=None, *, tasks=None):
        self.calls.append((X, y, tasks))
        for text in self.warning.splitlines() * 2:
            warnings.warn(text, stacklevel=1)
        if self.error is not None:
            raise self.error
        self.labels_ = self.found
        self.own_labels_ = self.found[::-1]
        self.task_names_ = DATA.task_names
        self.n_clusters_ = np.array([2, 3])
        return self


def estimator(**options):
    return Labels(np.arange(len(DATA)) % 3, **options)


def fit_all(*planned, shown=None, data=DATA):
    return evaluation.fit_all(planned, shown or planned[0], evaluation.ComparedRows(data, DATA.X))


def test_scores_are_those_of_each_task_by_itself():
    model = estimator()
    (result,), _ = fit_all(Strategy("one", "first", model))
    assert (result.name, result.description, result.reason) == ("one", "first", "")
    np.testing.assert_array_equal(result.labels, model.found)
    for task in DATA.task_names:
        mine = DATA.tasks == task
        truth, labels = DATA.target[mine], model.found[mine]
        assert result.scores["accuracy"][task] == measures.accuracy(truth, labels)
        assert result.scores["nmi"][task] == measures.nmi(truth, labels)
        Z = StandardScaler().fit_transform(DATA.X[mine])
        expected = silhouette_score(Z, labels)
        assert result.scores["silhouette"][task] == pytest.approx(expected)


def test_rows_without_classes_get_only_the_silhouette():
    (result,), _ = fit_all(Strategy("one", "", estimator()), data=UNKNOWN)
    assert list(result.scores) == ["silhouette"]


def test_a_strategy_gets_its_columns_labels_and_the_tasks():
    model = estimator()
    known = DATA.target
    fit_all(Strategy("view", "", model, columns=slice(1, 2), labels=known))
    ((X, y, tasks),) = model.calls
    np.testing.assert_array_equal(X, DATA.X[:, 1:2])
    assert y is known
    assert tasks is DATA.tasks


def test_rows_that_lack_the_columns_of_a_strategy_get_no_cluster():
    X = np.repeat([[0.0, 1.0, 5.0], [9.0, 1.0, -5.0]], 4, axis=0)
    X += 0.01 * np.arange(24.0).reshape(8, 3)
    X[2, :2] = np.nan
    data = RelatedData(
        "lacking", np.repeat("a", 8), np.arange(8).astype(str), np.nan_to_num(X), tuple("uvw")
    )
    spy = PerTask(KMeans(2, n_init=1, random_state=0))
    other = PerTask(KMeans(2, n_init=1, random_state=0))
    planned = [
        Strategy("view", "", spy, columns=slice(0, 2)),
        Strategy("pooled", "", other, space="filled"),
    ]
    view, pooled = evaluation.fit_all(planned, planned[0], evaluation.ComparedRows(data, X))[0]
    assert view.labels[2] == -1
    np.testing.assert_array_equal(np.delete(view.labels, 2), spy.labels_)
    assert len(spy.labels_) == 7
    first = spy.labels_[0]
    np.testing.assert_array_equal(spy.labels_, [first] * 3 + [1 - first] * 4)
    assert set(pooled.labels) == {0, 1}
    assert pooled.labels[2] == pooled.labels[0]  # by its other column


def test_rows_without_a_cluster_count_in_no_score():
    found = np.arange(len(DATA)) % 3
    lacking = np.arange(len(DATA)) % 4 == 0
    first = DATA.tasks == DATA.task_names[0]
    model = Labels(np.where(lacking | first, -1, found))
    (result,), _ = fit_all(Strategy("view", "", model))
    for task in DATA.task_names[1:]:
        mine = (DATA.tasks == task) & ~lacking
        assert result.scores["accuracy"][task] == measures.accuracy(DATA.target[mine], found[mine])
        Z = StandardScaler().fit_transform(DATA.X[DATA.tasks == task])[~lacking[DATA.tasks == task]]
        assert result.scores["silhouette"][task] == pytest.approx(silhouette_score(Z, found[mine]))
    for scores in result.scores.values():  # a data set that lacks the view as a whole
        assert list(scores) == DATA.task_names
        assert np.isnan(scores[DATA.task_names[0]])


def test_a_strategy_on_some_columns_is_scored_on_all():
    everything, some = (
        fit_all(Strategy("view", "", estimator(), columns=columns))[0][0].scores["silhouette"]
        for columns in (slice(None), slice(0, 1))
    )
    assert some == everything


def test_units_and_zeros_of_columns_change_no_score():
    strategy = Strategy("one", "", estimator())
    (plain,), _ = fit_all(strategy)
    # Rows of each task in other units, far from 0: degrees of Fahrenheit, income in cents.
    moved = np.where(DATA.tasks[:, None] == "task-0", 1e5 + 100 * DATA.X, DATA.X * [1.8, 0.01] + 32)
    (again,), _ = evaluation.fit_all([strategy], strategy, evaluation.ComparedRows(DATA, moved))
    assert again.scores["silhouette"] == pytest.approx(plain.scores["silhouette"])


def test_a_baseline_runs_on_the_rows_as_they_are_scored():
    each = estimator()
    pooled = estimator()
    fit_all(
        Strategy("k-means alone", "", each, space="scored"),
        Strategy("pooled", "", pooled, space="as one"),
    )
    mine = DATA.tasks == "task-1"
    of_task = StandardScaler().fit_transform(DATA.X[mine])
    np.testing.assert_allclose(each.calls[0][0][mine], of_task)
    np.testing.assert_allclose(pooled.calls[0][0], StandardScaler().fit_transform(DATA.X))


def test_strategies_with_one_estimator_share_a_fit_and_have_their_own_answers():
    model = estimator()
    alone = Strategy("alone", "", model, answer="own_labels_")
    together = Strategy("together", "", model)
    (first, second), _ = fit_all(alone, together, shown=together)
    assert len(model.calls) == 1
    np.testing.assert_array_equal(first.labels, model.found[::-1])
    np.testing.assert_array_equal(second.labels, model.found)
    assert first.seconds == second.seconds > 0


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (InputError("too few rows."), "too few rows."),
        (np.linalg.LinAlgError("singular"), "singular"),
        (MemoryError(), "MemoryError"),
    ],
)
def test_a_refusal_is_the_reason_of_a_result_without_labels(error, reason):
    shown = Strategy("shown", "", estimator())
    refused = Strategy("refused", "never", estimator(error=error))
    (_, result), _ = fit_all(shown, refused)
    assert (result.name, result.description, result.reason) == ("refused", "never", reason)
    assert result.labels is None
    assert result.scores == {}
    assert result.seconds == 0


def test_a_refusal_of_the_shown_strategy_is_raised():
    with pytest.raises(InputError, match=r"^too few rows\.$"):
        fit_all(Strategy("shown", "", estimator(error=InputError("too few rows."))))


@pytest.mark.parametrize("error", [ValueError("a fault"), KeyError("x"), TypeError("a fault")])
def test_a_fault_of_the_program_is_not_hidden(error):
    shown = Strategy("shown", "", estimator())
    with pytest.raises(type(error)):
        fit_all(shown, Strategy("broken", "", estimator(error=error)))


def test_a_parameter_that_scikit_learn_refuses_is_a_reason():
    negative = Strategy("negative", "", PerTask(KMeans(n_init=-1), 3))
    (_, result), _ = fit_all(Strategy("shown", "", estimator()), negative)
    assert "n_init" in result.reason


def test_a_strategy_that_does_not_apply_has_its_reason():
    absent = Strategy("together", "", reason="one data set at a time.")
    (_, result), _ = fit_all(Strategy("alone", "", estimator()), absent)
    assert result.reason == "one data set at a time."


def test_numbers_that_the_shown_strategy_finds_are_given_to_the_others():
    shown = Strategy("shown", "", estimator(n_clusters="auto"))
    other = Strategy("other", "", estimator(n_clusters="auto"))
    fit_all(shown, other)
    expected = dict(zip(DATA.task_names, [2, 3], strict=True))
    assert other.estimator.n_clusters == expected
    assert shown.estimator.n_clusters == "auto"


def test_numbers_that_were_given_stay_as_they_are():
    shown = Strategy("shown", "", estimator(n_clusters=3))
    other = Strategy("other", "", estimator(n_clusters=5))
    fit_all(shown, other)
    assert other.estimator.n_clusters == 5


def test_each_warning_is_returned_once_and_of_other_strategies_with_their_names():
    shown = Strategy("shown", "", estimator(warning="only two rows\nfew columns"))
    other = Strategy("other", "each by itself", estimator(warning="few columns\nnoise"))
    _, warned = fit_all(shown, other)
    assert warned == ["Only two rows", "Few columns", "each by itself: noise"]


def test_equal_labels_are_scored_once(monkeypatch):
    scored = []
    score = evaluation._scores

    def counted(rows, labels):
        scored.append(labels)
        return score(rows, labels)

    monkeypatch.setattr(evaluation, "_scores", counted)
    model = estimator()
    names = {"a": "labels_", "b": "own_labels_", "c": "labels_"}
    planned = [Strategy(name, name, model, answer=answer) for name, answer in names.items()]
    results, _ = fit_all(*planned)
    assert len(scored) == 2
    assert results[2].scores == results[0].scores


class Stopping(PerTask):
    """k-means of each task whose fit Ctrl-C ends."""

    def fit(self, X, y=None, tasks=None):
        raise KeyboardInterrupt


def test_ctrl_c_after_the_answer_leaves_out_the_other_strategies():
    answer = Strategy("together", "", estimator())
    ended = Strategy("pooled", "", Stopping(KMeans(), 2))
    none = Strategy("alone", "", reason="It does not apply.")
    results, _ = fit_all(ended, none, Strategy("view a", "", estimator()), answer, shown=answer)
    assert [result.reason for result in results] == [
        evaluation.STOPPED, "It does not apply.", evaluation.STOPPED, ""]  # fmt: skip
    assert results[3].scores["silhouette"].keys() == set(DATA.task_names)


def test_ctrl_c_while_the_answer_is_scored_keeps_its_scores(monkeypatch):
    interrupting.at_calls(monkeypatch, evaluation, "_scores", 1)
    answer = Strategy("together", "", estimator())
    results, _ = fit_all(answer, Strategy("pooled", "", estimator()), shown=answer)
    assert results[0].scores
    assert results[1].reason == evaluation.STOPPED


def test_ctrl_c_before_the_answer_and_a_second_one_end_the_comparison():
    answer = Strategy("together", "", estimator())
    ended = Strategy("pooled", "", Stopping(KMeans(), 2))
    with pytest.raises(KeyboardInterrupt):
        fit_all(ended, shown=ended)
    with interruptions.keeping():
        interruptions.is_first()  # the runs of the answer, say
        with pytest.raises(KeyboardInterrupt):
            fit_all(answer, ended, shown=answer)
