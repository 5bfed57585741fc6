"""Writes docs/checklists.md: what reviewers of Python packages ask, and whether it is so here.

    python scripts/checklists.py [--check]

A machine answers the lines that it can from the files of the repository; the others name what a
person must look at. `--check` writes nothing, and exits with 1 if the page is out of date.
"""

import re
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "checklists.md"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

Check = Callable[[], bool] | str
"""A test that answers yes or no, or words for what only a person can say."""


def exists(*paths: str) -> Check:
    """Return a test that all these files are there."""
    return lambda: all((ROOT / p).is_file() for p in paths)


def says(path: str, pattern: str) -> Check:
    """Return a test that a file holds a pattern."""
    return lambda: re.search(pattern, (ROOT / path).read_text("utf-8")) is not None


def declares(*keys: str) -> Check:
    """Return a test that the project's metadata have these keys."""
    return lambda: all(PROJECT.get(key) for key in keys)


def estimators_are_checked() -> bool:
    """Return True if tests of each group of methods run scikit-learn's checks of estimators."""
    groups = [path.name for path in (ROOT / "src/kinfolk/methods").iterdir() if path.is_dir()]
    tested = {
        path.parent.name
        for path in (ROOT / "tests/methods").rglob("*.py")
        if "parametrize_with_checks" in path.read_text("utf-8")
    }
    return {name for name in groups if not name.startswith("_")} <= tested


def every_public_name_is_described() -> bool:
    """Return True if everything that the package offers has a docstring."""
    import kinfolk

    return all(getattr(kinfolk, name).__doc__ for name in kinfolk.__all__)


def examples() -> bool:
    """Return True if the gallery has at least sixteen pages."""
    return len(list((ROOT / "examples").rglob("plot_*.py"))) >= 16


LISTS: dict[str, list[tuple[str, Check]]] = {
    "pyOpenSci": [
        ("Licence approved by OSI", says("LICENSE", "BSD 3-Clause")),
        ("README says what it is for, how to install and a first use", says("README.md", "Try it")),
        ("README compares with other packages", says("README.md", "other-software.md")),
        ("Contributing, code of conduct", exists("CONTRIBUTING.md", "CODE_OF_CONDUCT.md")),
        ("Help and reports of security faults", exists("SUPPORT.md", "SECURITY.md")),
        ("To cite", exists("CITATION.cff")),
        ("Tutorial and gallery that run", examples),
        ("Reference of all public names", every_public_name_is_described),
        ("Tests run on every push, on several versions of Python", says(
            ".github/workflows/tests.yml", r'"3\.11", "3\.12", "3\.13", "3\.14"')),
        ("Style is checked by a machine", exists("scripts/check", ".pre-commit-config.yaml")),
        ("Change log", exists("changes/README.md")),
        ("Public repository with issues", "needs a forge: its address is not in the metadata yet"),
    ],
    "scverse": [
        ("AnnData in and out", exists("src/kinfolk/anndata/__init__.py")),
        ("Versions follow the semantic scheme", lambda: bool(
            re.fullmatch(r"\d+\.\d+\.\d+", PROJECT["version"]))),
        ("Automatic tests and a site", exists(
            ".github/workflows/tests.yml", ".github/workflows/docs.yml")),
        ("Tests against the oldest dependencies", says(
            ".github/workflows/tests.yml", "lowest-direct")),
        ("Installed by pip from a registry", "not released yet"),
    ],
    "scikit-learn-contrib": [
        ("Estimators pass check_estimator", estimators_are_checked),
        ("Documentation with API and examples", exists("docs/conf.py", "docs/which.md")),
        ("Types are shipped", exists("src/kinfolk/py.typed")),
        ("Coverage of the tests", "not measured"),
        ("Maintained: two people answer issues", "a person must say"),
    ],
    "JOSS": [
        ("Paper with summary, statement of need, state of the field", says(
            "paper/paper.md", r"(?s)# Summary.*# Statement of need.*# State of the field")),
        ("References", exists("paper/paper.bib")),
        ("Claims of performance can be repeated", exists(
            "docs/related.md", "docs/table-yardsticks.md", "docs/reproduction.md")),
        ("Authors, affiliations, ORCIDs", "missing: the paper is a draft"),
        ("Six months of public history", "a person must say"),
    ],
    "Packaging": [
        ("Name, version, licence, keywords, classifiers, Python versions", declares(
            "name", "version", "license", "keywords", "classifiers", "requires-python")),
        ("Authors", declares("authors")),
        ("Addresses of home page and source", declares("urls")),
        ("Wheel and sdist pass twine and check-wheel-contents", says(
            ".github/workflows/wheel.yml", "check-wheel-contents")),
        ("pyroma 10 of 10", "8 of 10: it asks for an address of the authors and of the project"),
    ],
}  # fmt: skip
"""List of reviewers -> what it asks, and how it is answered."""


def page() -> str:
    """Return the page with an answer to every line."""
    text = ["# What reviewers ask", "", "Made by `python scripts/checklists.py`.", ""]
    for name, lines in LISTS.items():
        text += [f"## {name}", "", "| asked | here |", "|---|---|"]
        for asked, check in lines:
            answer = check if isinstance(check, str) else ("yes" if check() else "**no**")
            text.append(f"| {asked} | {answer} |")
        text.append("")
    return "\n".join(text)


def main() -> int:
    """Write or compare; return the exit code."""
    found = page()
    if "--check" in sys.argv[1:]:
        return int(not PAGE.exists() or PAGE.read_text("utf-8") != found)
    PAGE.write_text(found, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
