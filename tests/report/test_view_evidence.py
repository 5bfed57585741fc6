import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

import kinfolk as kf
from kinfolk.choosing.view_records import shares_inside
from kinfolk.report import content, sections, sharing_effect, view_evidence, view_weights, wording
from kinfolk.report.page import render

LABELS = np.repeat([0, 1, 2], 14)


@pytest.fixture(scope="module")
def found():
    random = np.random.RandomState(0)
    clear = [5 * random.randn(3, 4)[LABELS] + random.randn(42, 4) for _ in range(2)]
    X, views = kf.join({"a": clear[0], "b": clear[1], "noise": random.randn(42, 3)})
    parameters = {"families": ["kmeans", "spectral"]}
    return kf.compare(X, n_clusters=3, views=views, target=LABELS, parameters=parameters)


@pytest.fixture(scope="module")
def page(found):
    return content.read(found.study)


def test_each_view_and_the_best_supported_one_stand_beside_the_answer(found):
    names = [result.name for result in found.results]
    single = ["view a", "view b", "view noise"]
    assert names == ["alone", *single, "pooled", "together", "k-means alone"]
    labels = {result.name: result.labels for result in found.results}
    own = found.study.model.own_view_labels_
    assert (labels["view noise"] == own[:, 2]).all()
    assert (labels["alone"] == found.study.model.own_labels_).all()


def test_the_report_says_what_each_view_says_and_which_agree(page):
    said = view_evidence.sentences(page)
    assert said[0].startswith("2 of 3 views were joined (not noise")
    assert [sentence.split()[1] for sentence in said[1:4]] == ["a", "b", "noise"]
    assert said[-1].startswith("By themselves views a and b agree most")
    assert "0 is chance" in said[-1]


def test_two_views_are_said_to_agree_in_one_sentence():
    class Model:
        view_names_ = np.array(["left", "right"])
        view_agreement_ = np.array([[1.0, 0.25], [0.25, 1.0]])

    assert "agree by 0.25" in view_evidence._most_alike(Model)


def test_weights_of_the_answer_are_shown(page, found):
    weights = view_weights.weights(page)
    np.testing.assert_allclose(weights.W[0], found.study.model.view_weights_)
    assert weights.columns == [4, 4, 3]
    assert weights.W[0, 2] == 0


def test_clusters_are_clear_in_the_views_that_have_them_and_not_in_noise(page):
    lines = view_evidence.lines(page)
    assert sum(line.size for line in lines) == 42
    for line in lines:
        shares = [int(text.rstrip("%").replace(wording.NO_BREAK, "")) for text in line.shares]
        assert min(shares[:2]) > 80 > 60 > shares[2]
        assert line.clearest in (0, 1)


def test_shares_inside_are_counts_of_links():
    random = np.random.RandomState(1)
    W = np.triu(random.uniform(size=(9, 9)) < 0.5, 1).astype(float)
    W = W + W.T
    labels = random.randint(3, size=9)
    for c, share in enumerate(shares_inside(W, labels, 3)):
        links = [(i, j) for i in range(9) for j in range(9) if W[i, j] and labels[i] == c]
        assert share == pytest.approx(np.mean([labels[j] == c for _, j in links]))
    assert np.isnan(shares_inside(W, labels, 4)[3])


def test_no_section_speaks_of_help_by_other_data_sets(page):
    assert sharing_effect.effects(page) == []
    assert not sections.sections(page, [])["sharing"]["effects"]


def test_the_page_has_pictures_of_weights_and_agreement(found):
    html = render(found.study)
    assert 'id="view-weights"' in html
    assert "What each view says" in html
    assert "How alike the clusters of the views are" in html
    assert "adding it would harm" in html
    assert "one view at a time" in html


def test_a_model_without_views_has_nothing_of_this():
    X = 5 * np.eye(3)[LABELS] + 0.1 * np.random.RandomState(0).randn(42, 3)
    page = content.read(kf.compare(X, n_clusters=3, method="kmeans").study)
    assert view_evidence.sentences(page) == []
    assert view_evidence.lines(page) == []
    assert view_evidence.views(page) == []
    assert view_evidence.picture(page) == ""


def test_new_rows_of_a_comparison_in_views_are_assigned(found):
    model = found.study.model
    assert adjusted_rand_score(model.predict(found.study.X), LABELS) == 1
