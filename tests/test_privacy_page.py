"""The page on privacy: its examples run, and its table of methods is that of the catalogue."""

import re
import warnings
from pathlib import Path

import kinfolk as kf
from kinfolk import catalogue
from kinfolk.estimators import kept_rows

PAGE = Path(__file__).parent.parent / "docs" / "privacy.md"


def test_the_examples_run_and_show_what_they_print(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text("utf-8")
    names = {}
    for example in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(compile(example, str(PAGE), "exec"), names)
    assert f"# {names['changed']} of 333 rows" in text
    assert kept_rows.of(names["few"]) == kept_rows.NONE
    printed = capsys.readouterr().out
    shown = " ".join(text.split())
    for sentence in printed.splitlines():
        assert " ".join(sentence.split()) in shown


def test_the_table_of_levels_lists_every_method_at_its_level():
    lines = PAGE.read_text("utf-8").splitlines()
    listed = {}
    for level in (kept_rows.ROWS, kept_rows.MEMBERSHIPS, kept_rows.LABELS):
        (line,) = [line for line in lines if line.startswith(f"| {level} |")]
        listed |= dict.fromkeys(line.split("|")[3].strip().split(", "), level)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        declared = {name: kept_rows.of(e.make()) for name, e in catalogue.METHODS.items()}
    assert listed == declared


def test_readme_and_the_page_on_files_link_to_it():
    for page in (PAGE.parent.parent / "README.md", PAGE.parent / "files.md"):
        assert "privacy.md" in page.read_text("utf-8")


def test_the_public_names_of_the_page_exist():
    for name in set(re.findall(r"\bkf\.(\w+)", PAGE.read_text("utf-8"))):
        assert hasattr(kf, name), name
