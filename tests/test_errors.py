import builtins
import re
from importlib import metadata

import pytest

from kinfolk import errors

TREE = {
    line.group(1): line.group(2)
    for line in re.finditer(r"(\w+(?:Error|Warning)) \((\w+)\)", errors.__doc__)
}
"""Errors and warnings with the Python class that the tree in the docstring names beside them."""

OWN = {
    name: value
    for name, value in vars(errors).items()
    if isinstance(value, type) and issubclass(value, Exception)
}


def test_the_tree_names_every_error_and_warning():
    assert [name for name in OWN if name not in errors.__doc__] == []


def test_a_refusal_lists_few_known_names_and_for_many_says_what_lists_them():
    few = [f"plan-{number}" for number in range(errors.FEW)]
    for known, advice in (
        (few, f"known are {', '.join(few)}."),
        ([*few, "last"], "`kinfolk plans` lists all."),
    ):
        told = str(errors.no_such("plan", "x", known, "`kinfolk plans` lists"))
        assert told == f"There is no plan 'x'; {advice}"


@pytest.mark.parametrize(("name", "base"), TREE.items())
def test_an_error_is_also_the_python_error_beside_it(name, base):
    assert issubclass(OWN[name], getattr(builtins, base))


@pytest.mark.parametrize("name", [name for name in OWN if name.endswith("Error")])
def test_one_except_catches_all_errors(name):
    assert issubclass(OWN[name], errors.KinfolkError)


@pytest.mark.parametrize("name", ["UnknownTaskError", "FileFormatError"])
def test_some_errors_are_input_errors(name):
    assert issubclass(OWN[name], errors.InputError)
    with pytest.raises(ValueError, match="a sentence"):
        raise OWN[name]("a sentence")


class Installed:
    """Stands for an installation that pip recorded so."""

    def __init__(self, origin):
        self.origin = origin

    def read_text(self, name):
        assert name == "direct_url.json"
        return self.origin


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        ('{"url": "file:///clone", "dir_info": {}}', "install '.[umap]'` in the clone of Kinfolk."),
        (None, "install 'kinfolk[umap]'`."),
    ],
)
def test_a_missing_extra_is_installed_from_where_kinfolk_came(origin, command, monkeypatch):
    monkeypatch.setattr(metadata, "distribution", lambda name: Installed(origin))
    with pytest.raises(errors.MissingExtraError) as raised:
        errors.import_extra("no_such_library.part", "umap", "Pictures need")
    assert str(raised.value).startswith("Pictures need no_such_library, which is not installed:")
    assert str(raised.value).endswith(command)


def test_a_missing_extra_of_code_that_is_not_installed_is_installed_from_its_clone(monkeypatch):
    def distribution(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", distribution)
    assert "'.[umap]'` in the clone" in str(errors.missing_extra("umap", "umap", "Pictures need"))
