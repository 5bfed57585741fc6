import pytest

from kinfolk.errors import InputError
from kinfolk.profiles import names


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"x": "a"}, "'x' is no number of a kind"),
        ({-1: "a"}, "'-1' is no number of a kind"),
        ({0: " "}, "kind 0 has an empty name"),
        ({0: "a", "0": "b"}, "kind 0 is named twice: 'a' and 'b'"),
        ({0: "a", 1: "a "}, "two kinds are named 'a'"),
    ],
)
def test_names_that_cannot_be_are_refused_in_one_sentence(given, sentence):
    with pytest.raises(InputError, match=sentence):
        names.checked(given)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("families", "give the number of a kind and its name"),
        ("families=0", "'families' is no number of a kind"),
        ("0=", "kind 0 has an empty name"),
        ("0=a,0=b", "kind 0 is named twice"),
        ("0=a,1=a", "two kinds are named 'a'"),
    ],
)
def test_names_on_the_command_line_are_refused_alike(given, sentence):
    with pytest.raises(InputError, match=sentence):
        names.parsed([given])


def test_names_may_have_commas_and_equals_signs():
    assert names.parsed(["0=a, b=c,12=d"]) == {0: "a, b=c", 12: "d"}


def test_kinds_that_do_not_exist_are_listed_with_those_that_do():
    assert names.unknown({0: "a"}, [0, 1]) == ""
    assert names.unknown({5: "a", 6: "b"}, [0]) == (
        "There is no kind 5 to name a and no kind 6 to name b: the kinds are 0."
    )


def test_a_place_is_filled_with_any_name_and_other_text_stays():
    places = names.Placeholders({0: "old name"})
    template = (
        f"{names.listed([2, 0], places, start=True)} match {names.called(3, places)}; a\ufdd0b."
    )
    assert names.filled(template, {}) == "Kinds 0 and 2 match kind 3; a\ufdd0b."
    assert names.filled(template, {0: "a\\1"}) == "a\\1 and kind 2 match kind 3; a\ufdd0b."
    assert names.filled(template, {2: "b"}) == "Kind 0 and b match kind 3; a\ufdd0b."
