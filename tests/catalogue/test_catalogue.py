import inspect

import numpy as np
import pytest
from sklearn.base import ClusterMixin

import kinfolk
import laws
from kinfolk import catalogue
from kinfolk.errors import InputError
from kinfolk.estimators.base import MultiTaskClusterer

X, TASKS = np.random.default_rng(0).normal(size=(12, 3)), np.repeat(["a", "b"], 6)
KNOWN = np.array(["p", "q"] * 3 + ["-1"] * 6)
ENTRIES = [pytest.param(entry, id=name) for name, entry in catalogue.METHODS.items()]


def few_steps(entry):
    """Parameters of a fit whose answer is not looked at, only its form."""
    return laws.accepted(entry, n_init=1, max_iter=5, families=["mec"])


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_entry_makes_its_method_with_every_value_of_its_grid(entry):
    assert catalogue.method(entry.name) is entry
    model = entry.make()
    assert type(model) is entry.cls
    for name, value in entry.preset.items():
        assert getattr(model, name) == value
    for name, values in entry.grid.items():
        assert len(set(values)) == len(values) > 0
        numbers = [value for value in values if not isinstance(value, str)]
        assert numbers == sorted(numbers)
        for value in values:
            assert getattr(entry.make(**{name: value}), name) == value


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_entry_says_what_it_is_and_when_to_take_it(entry):
    for text in (entry.summary, entry.paper, entry.equations, entry.when, entry.when_not):
        assert text.strip()
    assert entry.takes.endswith(".")
    tasks = entry.relation.name in ("several tasks", "several methods")
    assert tasks == issubclass(entry.cls, MultiTaskClusterer)


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_first_value_of_a_grid_can_be_fitted(entry):
    first = {name: values[0] for name, values in entry.grid.items()}
    model = entry.make(**{**few_steps(entry), **first})
    known = KNOWN if entry.relation.name == "tasks with labels" else None
    assert model.fit(X, known).labels_.shape == (12,)


@pytest.mark.parametrize("entry", ENTRIES)
def test_every_entry_clusters_several_tasks(entry):
    labelled = entry.relation.name == "tasks with labels"
    model = catalogue.tasks_estimator(entry, 2, 0, **few_steps(entry))
    model.fit(X, KNOWN if labelled else None, tasks=TASKS)
    assert isinstance(model, MultiTaskClusterer) or labelled
    assert entry.relation.of_tasks == (type(model) is entry.cls)
    assert model.n_clusters_.tolist() == [2, 2]
    matched, strength = model.match(model.labels_, TASKS)
    np.testing.assert_array_equal(matched, model.matched_labels_)
    assert strength.shape == (12,)
    assert len(model.clusters_) == len(model.cluster_links_) == len(model.match_strength_) == 4


@pytest.mark.parametrize(
    ("name", "parent", "preset", "grid"),
    [
        ("comvcf-n", "comvcf", {"graph_weight": 0.0}, {"factor_weight", "latent_share"}),
        ("snmf-lr", "mtcmrl", {"relation_weight": 0.0}, {"regression_weight"}),
        ("mtcfir-nf", "mtcfir", {"share_features": False}, {"neighbors"}),
    ],
)
def test_a_variant_is_its_parent_with_a_preset_that_leaves_the_grid(name, parent, preset, grid):
    variant, parent = catalogue.method(name), catalogue.method(parent)
    assert (variant.cls, variant.paper, variant.takes) == (parent.cls, parent.paper, parent.takes)
    assert dict(variant.preset) == preset
    assert grid <= set(variant.grid) < set(parent.grid)
    assert variant.summary != parent.summary


def test_the_grids_are_those_that_the_papers_print():
    grids = {name: entry.grid for name, entry in catalogue.METHODS.items()}
    assert grids["lssttc"]["n_components"] == tuple(range(100, 1001, 100))
    assert grids["lssmtc"] == {"n_components": (2, 4, 8, 16), "own_weight": (0.25, 0.5, 0.75)}
    assert len(grids["kt-mec"]["transfer_weight"]) == 20
    assert len(grids["kt-mec"]["temperature"]) == 28
    assert len(grids["mec"]["temperature"]) == 28


def test_parameters_reach_the_method_inside():
    model = catalogue.tasks_estimator(catalogue.method("mec"), {"a": 2}, 7, temperature=3.0)
    assert model.estimator.get_params()["temperature"] == 3.0
    assert model.estimator.random_state == 7
    assert model.n_clusters == {"a": 2}


def test_different_numbers_of_clusters_are_refused_where_the_entry_says_so():
    for entry in catalogue.METHODS.values():
        if entry.relation.name == "tasks with labels":
            continue  # its number of clusters is that of the labels
        few = {"families": ["kmeans", "mec"]} if entry.name == "kinfolk" else few_steps(entry)
        model = catalogue.tasks_estimator(entry, {"a": 3, "b": 2}, 0, **few)
        if entry.different_k:
            assert model.fit(X, tasks=TASKS).n_clusters_.tolist() == [3, 2]
        else:
            with pytest.raises(InputError, match="needs the same number of clusters"):
                model.fit(X, tasks=TASKS)


def test_an_unknown_name_is_answered_with_the_closest_and_with_what_lists_all():
    with pytest.raises(InputError, match=r"no method 'mtcifr'; did you mean 'mtcfir'"):
        catalogue.method("mtcifr")
    for name in ("", "nosuch"):  # no name is near these
        with pytest.raises(InputError, match=f"no method '{name}'; kf.catalogue.METHODS has all"):
            catalogue.method(name)


def test_an_unknown_parameter_is_answered_with_those_there_are():
    with pytest.raises(InputError, match=r"mec has no parameter 'heat'; it has .*temperature"):
        catalogue.method("mec").make(heat=3)


def test_every_public_method_is_in_the_catalogue():
    public = {
        value
        for name in kinfolk.__all__
        if inspect.isclass(value := getattr(kinfolk, name)) and issubclass(value, ClusterMixin)
    }
    assert public <= {entry.cls for entry in catalogue.METHODS.values()}
    assert len(public) >= 5
