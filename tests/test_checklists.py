"""The page of what reviewers ask is the one that its script writes, and its script can say no."""

import sys
from pathlib import Path

import pytest
from scripts import checklists

ROOT = Path(__file__).parent.parent


@pytest.fixture
def without_tools(monkeypatch):
    """Tools count as not installed: they take a minute."""
    monkeypatch.setattr(checklists, "_installed", lambda *modules: False)


def test_the_page_is_up_to_date(monkeypatch, without_tools):
    monkeypatch.setattr(sys, "argv", ["checklists.py", "--check"])
    assert checklists.main() == 0, "run python scripts/checklists.py"


def test_an_old_page_is_noticed_and_written_anew(monkeypatch, tmp_path, without_tools):
    monkeypatch.setattr(checklists, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(sys, "argv", ["checklists.py", "--check"])
    assert checklists.main() == 1
    monkeypatch.setattr(sys, "argv", ["checklists.py"])
    checklists.main()
    assert (tmp_path / "page.md").read_text("utf-8") == checklists.page()


@pytest.mark.parametrize(
    "check",
    [
        checklists.exists("README.md", "no such file"),
        checklists.says("README.md", "a sentence that is not there"),
        checklists.declares("name", "no-such-key"),
    ],
)
def test_what_is_missing_is_a_no(check):
    assert not check()


def test_workflows_name_only_extras_that_there_are():
    import re

    extras = checklists.PROJECT["optional-dependencies"]
    for workflow in (ROOT / ".github" / "workflows").glob("*.yml"):
        for named in re.findall(r"\[([\w,]+)\]'", workflow.read_text("utf-8")):
            assert set(named.split(",")) <= set(extras)


def test_a_tool_that_is_not_installed_is_said_to_be_not_tested(without_tools):
    assert checklists.passes(("ruff", "check", "."))() == "not tested here"
    assert checklists.built_files_pass("twine", "check", files="*")() == "not tested here"
    assert checklists.pyroma() == "not tested here"


def test_a_tool_that_finds_a_fault_is_a_no():
    assert checklists.passes(("ast", "pyproject.toml"))() is False
    assert checklists.passes(("ast", "scripts/checklists.py"))() is True


def test_answers_are_compared_only_where_they_are_tested():
    kept = "| ruff | yes |\n| licence | yes |"
    assert checklists.agrees(kept, "| ruff | not tested here |\n| licence | yes |")
    assert not checklists.agrees(kept, "| ruff | not tested here |\n| licence | **no** |")
    assert not checklists.agrees(kept, "| ruff | yes |")


def test_the_coverage_is_that_of_the_file_of_its_run(monkeypatch, tmp_path):
    monkeypatch.setattr(checklists, "COVERAGE", tmp_path / "coverage.json")
    assert checklists.coverage() == "not tested here"
    (tmp_path / "coverage.json").write_text('{"totals": {"percent_covered": 91.26}}', "utf-8")
    assert checklists.coverage() == "91.3 % of lines and branches"
