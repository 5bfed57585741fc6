import builtins
import re

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
