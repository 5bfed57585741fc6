"""The facts of a study are read once, and are those of the model and the table."""

import copy
import dataclasses
from collections import Counter

import numpy as np
import pytest
from tests.report import studies

from kinfolk import compare
from kinfolk.datasets import makers
from kinfolk.estimators import facets
from kinfolk.report import content, page
from kinfolk.report.content import read


class Counting:
    """A fitted model that counts how often each attribute is read."""

    def __init__(self, model):
        self.__dict__.update(vars(model))
        self.__dict__["counts"] = Counter()

    def __getattribute__(self, name):
        if not name.startswith("__") and name != "counts":
            object.__getattribute__(self, "counts")[name] += 1
        return object.__getattribute__(self, name)


def test_tasks_clusters_and_matches_are_read_from_the_model_once_for_a_page(
    make_study, no_pictures
):
    study = make_study()
    study = dataclasses.replace(study, model=Counting(study.model))
    page.render(study)
    counts = study.model.counts
    for name in ("task_names_", "clusters_", "matched_clusters_", "match_strength_"):
        assert counts[name] == 1, name
    assert counts["labels_"] == 2  # for the clusters, and for the profiles of kinds


@pytest.mark.parametrize("name", ["read", "_rows", "_clusters", "_groups", "_given"])
@pytest.mark.parametrize("relation", list(studies.FITS))
def test_each_fact_is_computed_once_for_a_page(monkeypatch, no_pictures, relation, name):
    calls = []
    compute = getattr(content, name)
    monkeypatch.setattr(content, name, lambda *given: calls.append(name) or compute(*given))
    page.render(studies.fitted(relation))
    assert calls == [name]


def test_rows_of_tasks_are_where_the_table_says(make_study):
    study = make_study()
    found = read(study)
    assert found.tasks == list(studies.TASKS)
    for task, rows in found.rows.items():
        assert rows.tolist() == [i for i, owner in enumerate(study.data.tasks) if owner == task]


def test_clusters_have_their_rows_group_and_strength_in_the_models_order(make_study):
    study = make_study()
    found = read(study)
    assert [(c.task, c.number) for c in found.clusters] == study.model.clusters_
    for place, cluster in enumerate(found.clusters):
        expected = [
            i
            for i, (task, label) in enumerate(
                zip(study.data.tasks, study.model.labels_, strict=True)
            )
            if (task, label) == (cluster.task, cluster.number)
        ]
        assert cluster.rows.tolist() == expected
        assert cluster.size == len(expected)
        assert cluster.group == study.model.matched_clusters_[place]
        np.testing.assert_equal(cluster.strength, study.model.match_strength_[place])
    assert sum(cluster.size for cluster in found.clusters) == len(study.data)


def test_groups_ascend_and_hold_every_cluster_once(make_study):
    found = read(make_study())
    assert list(found.groups) == [0, 1, 2, 3, 4]
    gathered = [cluster for members in found.groups.values() for cluster in members]
    assert sorted(map(id, gathered)) == sorted(map(id, found.clusters))
    assert all(c.group == group for group, members in found.groups.items() for c in members)


def test_clusters_of_a_task_keep_the_models_order(make_study):
    found = read(make_study())
    assert [c.number for c in found.clusters_of("wisconsin")] == [0, 1, 2, 3]
    assert found.clusters_of("nowhere") == []


def test_an_empty_cluster_has_no_rows(make_study):
    study = make_study()
    study.model.labels_ = np.where(study.model.labels_ == 2, 0, study.model.labels_)
    sizes = {(c.task, c.number): c.size for c in read(study).clusters}
    assert sizes["cornell", 2] == 0
    assert sizes["cornell", 0] > 0


def test_a_kind_without_rows_is_no_group(make_study):
    study = make_study()
    study.model.labels_ = np.zeros_like(study.model.labels_)
    found = read(study)
    full = {cluster.group for cluster in found.clusters if cluster.number == 0}
    assert set(found.groups) == full < {cluster.group for cluster in found.clusters}


def test_facets_a_model_lacks_are_empty(make_study):
    found = read(make_study(relatedness=False))
    assert found.relatedness is None
    assert found.cluster_relatedness == {}
    assert found.counterparts is None
    assert found.copies == []
    assert found.labels is None
    assert found.evidence is None
    assert not found.given.any()


def test_relatedness_of_runs_is_not_shown_beside_an_answer_chosen_among_them():
    study = studies.fitted("several methods")
    model = copy.copy(study.model)
    model.task_relatedness_ = np.array([[1.0, 0.9], [0.9, 1.0]])
    assert isinstance(model, facets.HasRelatedness)
    assert read(dataclasses.replace(study, model=model)).relatedness is None


@pytest.mark.parametrize(
    ("relation", "facet"),
    [
        ("several tasks", "cluster_relatedness"),
        ("several views", "copies"),
        ("another site's centers", "copies"),
        ("tasks with labels", "labels"),
        ("several methods", "evidence"),
        ("several tasks", "traces"),
    ],
)
def test_facets_of_fitted_models_are_found(relation, facet):
    assert getattr(read(studies.fitted(relation)), facet)


def test_rows_of_given_class_are_those_with_a_label(fit_study):
    study = fit_study("tasks with labels")
    found = read(study)
    assert found.given.tolist() == [True] * 50 + [False] * 30
    assert found.scored_tasks == ["task-1"]


def test_where_every_class_was_given_all_tasks_are_scored(fit_study):
    study = fit_study("tasks with labels")
    study.model.known_[:] = True
    assert read(study).scored_tasks == ["task-0", "task-1"]


def test_a_task_that_was_added_to_the_model_is_not_on_the_page():
    data = makers.make_related_blobs(20, n_features=4, random_state=0)
    found = compare(data, n_clusters=3, method="kinfolk", parameters={"families": ["kmeans"]})
    before = read(found.study)
    found.model.estimator.add_task(data.X[:20], "late", 2)
    after = read(found.study)
    assert after.tasks == before.tasks
    assert [(c.task, c.number) for c in after.clusters] == found.study.model.clusters_[:6]
    assert len(after.counterparts) == len(before.counterparts)
    page.render(found.study)
