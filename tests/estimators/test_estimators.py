import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from kinfolk import MEC, MTCFIR, PerTask, Pooled, SymNMF
from kinfolk.measures import accuracy

RANDOM = np.random.default_rng(0)
TRUTH = np.arange(40) % 3
X = RANDOM.normal(size=(40, 4)) * 0.2 + 3 * np.eye(4)[TRUTH]
TASKS = np.where(np.arange(40) < 22, "a", "b")


EQUIVALENT = [f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")]


def of_weights(estimator):
    """Checks of weights that fail: those of `KMeans`, and of a graph that takes none."""
    if isinstance(estimator, MTCFIR) and estimator.share_instances:
        reason = "weights are for share_instances=False: a graph of nearest rows has none"
        more = ("check_sample_weights_list", "check_sample_weights_not_overwritten")
        return dict.fromkeys([*EQUIVALENT, *more], reason)
    if not isinstance(estimator, PerTask | Pooled) or estimator.estimator is not None:
        return {}
    reason = "k-means++ draws other rows where rows have weights than where they are repeated"
    return dict.fromkeys(EQUIVALENT, reason)


@parametrize_with_checks(
    [
        MEC(n_init=1),
        SymNMF(n_init=1),
        SymNMF(affinity="gaussian", n_init=1),
        MTCFIR(n_init=1),
        MTCFIR(affinity="gaussian", n_init=1),
        MTCFIR(affinity="cosine", share_instances=False, divide_by_degrees=False, n_init=1),
        PerTask(),
        PerTask(MEC(n_init=1, random_state=0)),
        Pooled(),
    ],
    expected_failed_checks=of_weights,
)
def test_scikit_learn_takes_the_estimator(estimator, check):
    check(estimator)


MODELS = {
    "mtcfir": MTCFIR(3, n_init=2, random_state=0),
    "per task": PerTask(KMeans(3, n_init=1, random_state=0)),
    "pooled": Pooled(KMeans(3, n_init=1, random_state=0)),
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_tasks_pass_through_a_pipeline(model):
    scaled = StandardScaler().fit_transform(X)
    alone = clone(model).fit(scaled, tasks=TASKS)
    with config_context(enable_metadata_routing=True):
        pipeline = Pipeline([("scale", StandardScaler()), ("cluster", clone(model))])
        pipeline.fit(X, tasks=TASKS)
        np.testing.assert_array_equal(pipeline["cluster"].labels_, alone.labels_)
        assert list(pipeline["cluster"].task_names_) == ["a", "b"]
        again = pipeline.predict(X, tasks=TASKS)
        np.testing.assert_array_equal(again, alone.predict(scaled, tasks=TASKS))
        np.testing.assert_array_equal(pipeline.fit_predict(X, tasks=TASKS), alone.labels_)


def test_a_grid_search_divides_the_tasks_with_the_rows():
    def score(model, rows, truth):
        return accuracy(truth, model.labels_)

    with config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            PerTask(KMeans(2, n_init=2, random_state=0)),
            {"estimator__n_clusters": [2, 3]},
            scoring=score,
            cv=[(np.arange(40), np.arange(40))],
        )
        search.fit(X, TRUTH, tasks=TASKS)
    assert search.best_params_ == {"estimator__n_clusters": 3}
    assert set(search.best_estimator_.task_names_) == {"a", "b"}


def test_parameters_of_a_wrapped_clusterer_can_be_set():
    model = PerTask(MEC(n_clusters=2)).set_params(estimator__temperature=3.0)
    assert model.estimator.temperature == 3.0
    assert clone(model).estimator.temperature == 3.0
