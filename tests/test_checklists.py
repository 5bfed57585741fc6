"""The page of what reviewers ask is the one that its script writes, and its script can say no."""

import sys
from pathlib import Path

import pytest
from scripts import checklists

ROOT = Path(__file__).parent.parent


def test_the_page_is_up_to_date(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["checklists.py", "--check"])
    assert checklists.main() == 0, "run python scripts/checklists.py"


def test_an_old_page_is_noticed_and_written_anew(monkeypatch, tmp_path):
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
