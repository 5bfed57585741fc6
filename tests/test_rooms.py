"""The first page of a large folder lists its files by subject."""

import ast
import re
from pathlib import Path

import pytest

import kinfolk as kf

SOURCE = Path(kf.__file__).parent
LISTED = ("choosing", "estimators", "numerics", "sources")


@pytest.mark.parametrize("folder", LISTED)
def test_a_large_folder_lists_each_of_its_files_once(folder):
    text = ast.get_docstring(ast.parse((SOURCE / folder / "__init__.py").read_text()))
    lines = re.findall(r"^    (?:\S.*?)?  +(\w.*)$", text, re.MULTILINE)
    named = re.findall(r"\w+", " ".join(lines))
    files = {path.stem for path in (SOURCE / folder).glob("*.py")} - {"__init__"}
    assert set(named) == files
    assert len(named) == len(files)


def test_every_folder_of_many_files_has_such_a_list():
    folders = [folder for folder in SOURCE.iterdir() if folder.is_dir()]
    many = [folder.name for folder in folders if len(list(folder.glob("*.py"))) > 35]
    assert sorted(many) == sorted(LISTED)
