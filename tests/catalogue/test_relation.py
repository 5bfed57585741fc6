"""Relations are values that options, checks and strategies hang on."""

import copy
import pickle
from contextlib import nullcontext

import numpy as np
import pytest

from kinfolk import catalogue
from kinfolk.arguments import from_command_line
from kinfolk.catalogue import (
    KNOWN_LABELS,
    ONE_DATA_SET,
    OTHER_SITE,
    SEVERAL_METHODS,
    SEVERAL_TASKS,
    SEVERAL_VIEWS,
    strategies,
)
from kinfolk.comparison.notes import notes_on_help
from kinfolk.datasets import makers
from kinfolk.errors import InputError

ALL = (ONE_DATA_SET, SEVERAL_TASKS, SEVERAL_VIEWS, OTHER_SITE, KNOWN_LABELS, SEVERAL_METHODS)
BLOBS = makers.make_related_blobs(12, random_state=0)


def test_names_are_those_that_stores_of_earlier_versions_hold():
    assert [str(relation) for relation in ALL] == [
        "one data set",
        "several tasks",
        "several views",
        "another site's centers",
        "tasks with labels",
        "several methods",
    ]


@pytest.mark.parametrize("relation", ALL, ids=str)
def test_a_copy_in_another_process_is_the_same_relation(relation):
    for copied in (copy.deepcopy(relation), pickle.loads(pickle.dumps(relation))):  # noqa: S301
        assert copied == relation
        assert {relation: "found"}[copied] == "found"
    assert relation != str(relation)


@pytest.mark.parametrize("relation", ALL, ids=str)
def test_every_relation_has_methods_and_strategies_with_the_shown_one(relation):
    entries = [entry for entry in catalogue.METHODS.values() if entry.relation == relation]
    assert entries
    parameters = {"knowledge": "some"} if relation == OTHER_SITE else {}
    known = np.where(BLOBS.tasks == "task-0", BLOBS.target, "-1")
    labels = known if relation == KNOWN_LABELS else None
    setup = strategies.Setup(entries[0], BLOBS, 3, 0, parameters, labels)
    planned = {strategy.name: strategy for strategy in strategies.of(setup)}
    shown = planned[relation.shown]
    assert shown.estimator is not None
    assert shown.reason == ""
    assert hasattr(type(shown.estimator), "fit")


def test_estimators_of_several_tasks_are_those_whose_fit_takes_tasks():
    for entry in catalogue.METHODS.values():
        inside = catalogue.tasks_estimator(entry, 2, 0)
        assert (type(inside) is entry.cls) == entry.relation.of_tasks


@pytest.mark.parametrize(
    ("method", "option"),
    [
        ("mtcfir", "labels"),
        ("mtcfir", "views"),
        ("kmeans", "knowledge"),
        ("lssttc", "budget"),
        ("comvcf", "labels"),
    ],
)
@pytest.mark.parametrize(("door", "dashes"), [(nullcontext, ""), (from_command_line, "--")])
def test_an_option_of_other_relations_is_refused_with_the_methods_that_take_it(
    method, option, door, dashes
):
    entry = catalogue.method(method)
    with door(), pytest.raises(InputError) as caught:
        strategies.check_options(entry, {option: 0}, 2)
    sentence = str(caught.value)
    assert sentence.startswith(f"{method} takes no {dashes}{option}: leave it out, or choose")
    able = sentence.rpartition(f"{dashes}method ")[2].removesuffix(".").split(" or ")
    takers = [n for n, e in catalogue.METHODS.items() if option in e.relation.options]
    assert able == takers
    strategies.check_options(entry, {option: None}, 2)


@pytest.mark.parametrize("name", catalogue.METHODS)
def test_only_the_relation_of_several_methods_finds_numbers_of_clusters(name):
    entry = catalogue.method(name)
    if entry.relation.finds_n_clusters:
        strategies.check_options(entry, {}, "auto")
    else:
        with pytest.raises(InputError, match=f"{name} cannot find the number of clusters itself"):
            strategies.check_options(entry, {}, "auto")


def test_known_labels_have_their_own_number_of_clusters():
    model = catalogue.tasks_estimator(catalogue.method("lssttc"), 99, 0)
    known = np.where(BLOBS.tasks == "task-0", BLOBS.target, "-1")
    assert model.fit(BLOBS.X, known, tasks=BLOBS.tasks).n_clusters_.tolist() == [3, 3]


def test_a_seventh_relation_is_a_value_and_a_function(monkeypatch):
    twins = catalogue.Relation("twins", options=("views",), shown="alone")
    entry = catalogue.method("mec").variant("mec-twins", {}, relation=twins)

    def of_twins(setup):
        return [strategies.Strategy("alone", "each twin", setup.per_task())]

    monkeypatch.setitem(strategies._STRATEGIES, twins, of_twins)
    setup = strategies.Setup(entry, BLOBS, 3, 0, {}, None)
    assert [s.name for s in strategies.of(setup)] == ["alone", "k-means alone"]
    assert notes_on_help(setup) == []
    strategies.check_options(entry, {"views": "files"}, 3)


@pytest.mark.parametrize("dtype", [int, float, str])
def test_minus_one_is_no_class_whatever_the_type_of_the_labels(dtype):
    known = np.where(np.arange(len(BLOBS)) < 9, np.arange(len(BLOBS)) % 3, -1).astype(dtype)
    setup = strategies.Setup(catalogue.method("lssttc"), BLOBS, 3, 0, {}, known)
    assert [strategy.name for strategy in strategies.of(setup)][:2] == ["alone", "together"]
