"""Writes docs/checklists.md: what reviewers of Python packages ask, and whether it is so here.

    python -m pip install build twine check-wheel-contents pyroma ruff
    python scripts/checklists.py [--check]

Each line says what is tested: a file that is there, words in a file, or a tool that is run. A tool
that is not installed gives "not tested here"; lines of words alone are for a person. `--check`
writes nothing, and exits with 1 if the page differs in a line that is tested here.
"""

import functools
import importlib.util
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "checklists.md"
COVERAGE = ROOT / "coverage.json"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
NOT_TESTED = "not tested here"

Check = Callable[[], bool | str] | str
"""A test that answers yes, no or in words; or words for what only a person can say."""


def exists(*paths: str) -> Check:
    """Return a test that all these files are there."""
    return lambda: all((ROOT / p).is_file() for p in paths)


def says(path: str, pattern: str) -> Check:
    """Return a test that a file holds a pattern."""
    return lambda: re.search(pattern, (ROOT / path).read_text("utf-8")) is not None


def declares(*keys: str) -> Check:
    """Return a test that the project's metadata have these keys."""
    return lambda: all(PROJECT.get(key) for key in keys)


def passes(*commands: tuple[str, ...]) -> Check:
    """Return a test that all these modules end without an error, each with its arguments."""
    return lambda: (
        all(_run(*command).returncode == 0 for command in commands)
        if _installed(*(command[0] for command in commands))
        else NOT_TESTED
    )


def _installed(*modules: str) -> bool:
    """Return True if Python finds these modules."""
    return all(importlib.util.find_spec(module) is not None for module in modules)


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a module with arguments in the repository."""
    line = [sys.executable, "-m", *command]
    return subprocess.run(line, cwd=ROOT, capture_output=True, text=True)


def built_files_pass(tool: str, *arguments: str, files: str) -> Check:
    """Return a test that a tool accepts the wheel or the source archive, which are built first."""
    return lambda: (
        _run(tool, *arguments, *map(str, _built().glob(files))).returncode == 0
        if _installed("build", tool)
        else NOT_TESTED
    )


@functools.cache
def _built() -> Path:
    """Return a folder with the wheel and the source archive."""
    folder = Path(tempfile.mkdtemp())
    _run("build", "--outdir", str(folder), ".")
    return folder


def pyroma() -> bool | str:
    """Return pyroma's rating, and what it misses."""
    if not _installed("pyroma"):
        return NOT_TESTED
    printed = _run("pyroma", ".").stdout
    rating = re.search(r"rating: (\d+)/10", printed)
    if rating is None:
        return False
    missed = re.findall(r"^(?:Your|You) .*", printed, re.MULTILINE)
    return f"{rating[1]} of 10. {' '.join(missed)}".strip()


def coverage() -> str:
    """Return the share of lines and branches that the tests run, if they were run for it."""
    if not COVERAGE.is_file():
        return NOT_TESTED
    totals = json.loads(COVERAGE.read_text("utf-8"))["totals"]
    return f"{totals['percent_covered']:.1f} % of lines and branches"


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


def examples() -> str:
    """Return the number of pages of the gallery."""
    return str(len(list((ROOT / "examples").rglob("plot_*.py"))))


def pages_name_commands() -> bool:
    """Return True if each page of measurements names a command that makes its figures."""
    pages = {"related": "benchmarks", "table-yardsticks": "benchmarks", "reproduction": "kinfolk"}
    return all(
        re.search(
            rf"^ {{4}}(python -m )?{command}", (ROOT / f"docs/{page}.md").read_text("utf-8"), re.M
        )
        for page, command in pages.items()
    )


LISTS: dict[str, list[tuple[str, Check]]] = {
    "pyOpenSci": [
        ("Licence BSD 3-Clause, which OSI has approved", says("LICENSE", "BSD 3-Clause")),
        ("README has a command that installs and shows a first use; `.ci/run` runs it", says(
            "README.md", r"pip install '\.\[app\]' && kinfolk demo")),
        ("README links to a comparison with other packages", says(
            "README.md", "other-software.md")),
        ("Pages for contributors, and a code of conduct", exists(
            "CONTRIBUTING.md", "CODE_OF_CONDUCT.md")),
        ("Pages on help and on reports of security faults", exists("SUPPORT.md", "SECURITY.md")),
        ("A file that says how to cite", exists("CITATION.cff")),
        ("Examples in the gallery; the build of the site runs them", examples),
        ("Every public name has a docstring", every_public_name_is_described),
        ("A workflow for tests on every push, Python 3.11 to 3.14", says(
            ".github/workflows/tests.yml", r'"3\.11", "3\.12", "3\.13", "3\.14"')),
        ("That workflow has run", "not yet: there is no forge"),
        ("ruff finds no fault of style or form", passes(
            ("ruff", "check", "."), ("ruff", "format", "--check", "."))),
        ("Notes from which the change log is made", exists("changes/README.md")),
        ("Public repository with issues", "needs a forge: its address is not in the metadata yet"),
    ],
    "scverse": [
        ("A module that reads and writes AnnData, with tests", exists(
            "src/kinfolk/anndata/__init__.py", "tests/cells/test_cluster.py")),
        ("The version has the form of semantic versions", lambda: bool(
            re.fullmatch(r"\d+\.\d+\.\d+", PROJECT["version"]))),
        ("Workflows for tests and for the site", exists(
            ".github/workflows/tests.yml", ".github/workflows/docs.yml")),
        ("A workflow for tests with the oldest dependencies", says(
            ".github/workflows/tests.yml", "lowest-direct")),
        ("Installed by pip from a registry", "not released yet"),
    ],
    "scikit-learn-contrib": [
        ("Tests run scikit-learn's check_estimator on methods of each group",
         estimators_are_checked),
        ("Settings of a site with reference and examples", exists(
            "docs/conf.py", "docs/which.md")),
        ("Types are shipped", exists("src/kinfolk/py.typed")),
        ("Coverage of the tests", coverage),
        ("Maintained: two people answer issues", "a person must say"),
    ],
    "JOSS": [
        ("Paper with summary, statement of need, state of the field", says(
            "paper/paper.md", r"(?s)# Summary.*# Statement of need.*# State of the field")),
        ("A file of references", exists("paper/paper.bib")),
        ("Pages with claims of performance name the command that makes their figures",
         pages_name_commands),
        ("Authors, affiliations, ORCIDs", "missing: the paper is a draft"),
        ("Six months of public history", "a person must say"),
    ],
    "Packaging": [
        ("Name, version, licence, keywords, classifiers, Python versions", declares(
            "name", "version", "license", "keywords", "classifiers", "requires-python")),
        ("Authors", declares("authors")),
        ("Addresses of home page and source", declares("urls")),
        ("twine accepts wheel and source archive", built_files_pass(
            "twine", "check", "--strict", files="*")),
        ("check-wheel-contents accepts the wheel", built_files_pass(
            "check_wheel_contents", files="*.whl")),
        ("pyroma's rating", pyroma),
    ],
}  # fmt: skip
"""List of reviewers -> what it asks, and how it is answered."""


def page() -> str:
    """Return the page with an answer to every line."""
    text = ["# What reviewers ask", "", "Made by `python scripts/checklists.py`, which says what"]
    text += [
        'it runs: "yes" means that files, their words or a tool were tested as the line says.',
        "",
    ]
    for name, lines in LISTS.items():
        text += [f"## {name}", "", "| asked | here |", "|---|---|"]
        for asked, check in lines:
            text.append(f"| {asked} | {_answer(check)} |")
        text.append("")
    return "\n".join(text)


def _answer(check: Check) -> str:
    """Return the answer to a line, in words."""
    found = check if isinstance(check, str) else check()
    return {True: "yes", False: "**no**"}.get(found, str(found))


def agrees(kept: str, made: str) -> bool:
    """Return True if two pages have the same lines, but for answers that are not tested here."""
    pairs = zip(kept.splitlines(), made.splitlines(), strict=False)
    untested = f" | {NOT_TESTED} |"
    same = all(
        old == new or (new.endswith(untested) and old.startswith(new.removesuffix(untested)))
        for old, new in pairs
    )
    return same and len(kept.splitlines()) == len(made.splitlines())


def main() -> int:
    """Write or compare; return the exit code."""
    found = page()
    if "--check" in sys.argv[1:]:
        return int(not PAGE.exists() or not agrees(PAGE.read_text("utf-8"), found))
    PAGE.write_text(found, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
