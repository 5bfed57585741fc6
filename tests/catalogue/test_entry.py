"""Entries make estimators with their preset, the given parameters and a seed."""

import pytest

from kinfolk import catalogue

MTCFIR = catalogue.method("mtcfir")
WITHOUT_ROWS = catalogue.method("mtcfir-ni")


def test_a_parameter_of_the_caller_replaces_the_preset():
    assert WITHOUT_ROWS.make().share_instances is False
    assert WITHOUT_ROWS.make(share_instances=True).share_instances is True
    assert WITHOUT_ROWS.preset == {"share_instances": False}


def test_two_estimators_of_an_entry_share_nothing():
    first, second = MTCFIR.make(), MTCFIR.make()
    first.set_params(n_layers=7)
    assert second.n_layers != 7


@pytest.mark.parametrize("name", catalogue.METHODS)
def test_a_seed_reaches_each_method_that_draws_random_numbers(name):
    entry = catalogue.method(name)
    parameters = entry.seeded(11).get_params(deep=False)
    assert parameters.get("random_state", 11) == 11
    assert ("random_state" in parameters) == ("random_state" in entry.cls().get_params(deep=False))


def test_a_variant_changes_only_what_it_is_told():
    variant = MTCFIR.variant("quiet", {"noise": 0.5}, when="Rows are clean.")
    assert (variant.name, variant.when) == ("quiet", "Rows are clean.")
    assert (variant.cls, variant.paper, variant.when_not) == (
        MTCFIR.cls,
        MTCFIR.paper,
        MTCFIR.when_not,
    )
    assert set(variant.grid) == {"neighbors"}
    assert set(MTCFIR.grid) == {"neighbors", "noise"}
    assert variant.make().noise == 0.5


def test_a_variant_of_a_variant_keeps_the_preset_of_the_first():
    variant = WITHOUT_ROWS.variant("quiet", {"noise": 0.5})
    assert variant.preset == {"share_instances": False, "noise": 0.5}
    assert WITHOUT_ROWS.variant("with-rows", {"share_instances": True}).make().share_instances
