"""A checksum covers a module and what it imports from its folder, and nothing is executed."""

import pytest

from kinfolk.papers import module_source

FILES = {
    "mine.py": "import numpy\nimport steps\nfrom kit import cut\nraise SystemExit",
    "steps.py": "def step():\n    import deep\n",
    "deep.py": "",
    "stranger.py": "",
    "kit/__init__.py": "from . import tools\nfrom .other import one",
    "kit/cut.py": "from ..kit.blade import edge",
    "kit/blade.py": "edge = 1",
    "kit/tools.py": "import mine",
    "kit/other.py": "one = 1",
    "kit/unused.py": "",
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "kit").mkdir()
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_modules_of_the_folder_are_followed_and_others_are_not(folder):
    found = module_source.files("mine", folder)
    packaged = {"kit", "kit.cut", "kit.blade", "kit.tools", "kit.other"}
    assert found.keys() == {"mine", "steps", "deep"} | packaged
    assert found["steps"] == FILES["steps.py"].encode()


def test_a_module_in_a_package_brings_its_package(folder):
    assert {"kit", "kit.cut", "kit.blade"} < module_source.files("kit.cut", folder).keys()


@pytest.mark.parametrize("name", ["mine.py", "deep.py", "kit/blade.py"])
def test_a_change_of_any_of_them_changes_the_checksum(folder, name):
    before = module_source.checksum("mine", folder)
    (folder / "stranger.py").write_text("changed = True")
    assert module_source.checksum("mine", folder) == before
    (folder / name).write_text(FILES[name] + "\n# changed")
    assert module_source.checksum("mine", folder) != before


def test_text_moved_from_one_module_to_another_is_a_change(tmp_path):
    (tmp_path / "a.py").write_text("import b\n")
    (tmp_path / "b.py").write_text("x = 1\n")
    before = module_source.checksum("a", tmp_path)
    (tmp_path / "a.py").write_text("import b\nx = 1\n")
    (tmp_path / "b.py").write_text("")
    assert module_source.checksum("a", tmp_path) != before


def test_a_file_that_is_no_python_has_a_checksum_too(tmp_path):
    (tmp_path / "a.py").write_text("def def")
    assert module_source.files("a", tmp_path).keys() == {"a"}
