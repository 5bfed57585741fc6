"""`kf.Kinfolk` in the place of the clusterer of a topic model, as BERTopic calls it."""

import copy

import numpy as np
import pytest

import kinfolk as kf

WORDS = (("goal", "match", "league"), ("vote", "party", "law"), ("disk", "chip", "network"))
TRUTH = np.arange(60) % 3
OUTLET = np.repeat(["post", "times"], 30)


def embedded():
    random = np.random.default_rng(0)
    documents = [" ".join(random.choice(WORDS[topic], 9)) for topic in TRUTH]
    E = np.eye(3)[TRUTH] @ random.normal(size=(3, 8)) * 3 + random.normal(size=(60, 8)) * 0.4
    return documents, E


def quick():
    return kf.Kinfolk(3, families=["kmeans", "mec"], random_state=0)


class TopicModel:
    """Makes the same calls of its `hdbscan_model` as BERTopic, in the same order."""

    def __init__(self, hdbscan_model):
        self.hdbscan_model = hdbscan_model

    def fit_transform(self, documents, embeddings, y=None):
        self.hdbscan_model.fit(embeddings, y=y)
        self.topics_ = self.hdbscan_model.labels_
        self.copied = copy.deepcopy(self.hdbscan_model)  # as when topics are merged
        return self.topics_

    def transform(self, documents, embeddings):
        return self.hdbscan_model.predict(embeddings)


def test_it_makes_the_calls_that_a_topic_model_makes():
    documents, E = embedded()
    model = TopicModel(quick())
    topics = model.fit_transform(documents, E)
    assert len(set(zip(topics, TRUTH, strict=True))) == 3
    np.testing.assert_array_equal(model.transform(documents[:9], E[:9]), topics[:9])
    np.testing.assert_array_equal(model.copied.labels_, topics)


def test_known_topics_of_some_documents_are_taken_as_y():
    documents, E = embedded()
    known = np.where(np.arange(60) < 12, TRUTH, -1)
    topics = TopicModel(quick()).fit_transform(documents, E, y=known)
    assert len(set(zip(topics, TRUTH, strict=True))) == 3


@pytest.fixture
def bertopic():
    pytest.importorskip("hdbscan")
    return pytest.importorskip("bertopic")


def test_bertopic_takes_it_as_its_clusterer(bertopic):
    documents, E = embedded()
    nothing = bertopic.dimensionality.BaseDimensionalityReduction()
    model = bertopic.BERTopic(hdbscan_model=quick(), umap_model=nothing)
    topics, _ = model.fit_transform(documents, embeddings=E)
    assert len(set(zip(topics, TRUTH, strict=True))) == 3
    assert model.transform(documents[:6], embeddings=E[:6])[0] == topics[:6]


def test_bertopic_describes_kinds_that_outlets_share(bertopic):
    documents, E = embedded()
    found = quick().fit(E, tasks=OUTLET)
    model = bertopic.BERTopic(
        hdbscan_model=bertopic.cluster.BaseCluster(),
        umap_model=bertopic.dimensionality.BaseDimensionalityReduction(),
    )
    model.fit_transform(documents, embeddings=E, y=found.matched_labels_)
    assert model.get_topic_info()["Count"].tolist() == [20, 20, 20]
    assert set(model.topics_per_class(documents, classes=OUTLET.tolist())["Class"]) == set(OUTLET)
