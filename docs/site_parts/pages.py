"""Pages of the site that are made from the code: names, methods, commands and changes.

They are written into `docs/generated`, which is not kept.
"""

import contextlib
import inspect
import io
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import kinfolk
from kinfolk import catalogue

TITLES = {
    "Cluster, and compare": ("Kinfolk", "compare", "Comparison", "PerTask", "Pooled"),
    "Read and prepare tables": (
        *("read", "describe", "Preparation", "RelatedData", "stack", "by_task", "join", "Blocks"),
    ),
    "Choose and judge without labels": ("suggest_clusters", "search", "replicability", "profile"),
    "Keep and share": ("save", "load", "Model", "Knowledge", "check_knowledge"),
}
"""Title of a section of the reference -> names of `kinfolk` in it."""

GROUPS = {
    "multitask": "Methods for several tasks",
    "multiview": "Methods for several views",
    "transfer": "Methods that learn from another site or from labels",
    "single": "Methods for one data set",
}
"""Package below `kinfolk.methods` -> title of its section of the reference."""

KINDS = {"added": "New", "changed": "Changed", "fixed": "Mended", "removed": "Removed"}
"""Kind of a file in `changes/` -> its heading."""


def write(docs: Path) -> None:
    """Write all pages into the folder `generated` of the documentation."""
    folder = docs / "generated"
    folder.mkdir(exist_ok=True)
    pages = {
        **api(),
        "catalogue.md": methods(),
        "commands.md": commands(),
        "changes.md": changes(docs.parent / "changes"),
        "attribution.md": (docs.parent / "src/kinfolk/datasets/ATTRIBUTION.md").read_text("utf-8"),
    }
    for name, text in pages.items():
        page = folder / name
        # A page that is as it was keeps its date, and is not built again.
        if not page.exists() or page.read_text("utf-8") != text:
            page.write_text(text, "utf-8")


def sections() -> dict[str, list[str]]:
    """Return the sections of the reference, each with its public names; every name stands once."""
    found: dict[str, list[str]] = {title: list(names) for title, names in TITLES.items()}
    found |= {title: [] for title in (*GROUPS.values(), "Pictures")}
    placed = {name for names in TITLES.values() for name in names}
    for name in sorted(set(kinfolk.__all__) - placed, key=str.lower):
        thing = getattr(kinfolk, name)
        if isinstance(thing, ModuleType):
            # A module may stand deeper than its public name: kinfolk.progress is in `running`.
            place = thing.__name__.removeprefix("kinfolk.")
            found[f"kinfolk.{name}"] = [f"{place}.{inner}" for inner in _public(thing)]
        else:
            found.setdefault(_group(thing), []).append(name)
    return {title: names for title, names in found.items() if names}


def _group(thing: Any) -> str:
    """Return the title of the section of a class or function."""
    parts = thing.__module__.split(".")
    if parts[:2] == ["kinfolk", "methods"]:
        return GROUPS[parts[2]]
    return "Pictures" if thing.__name__.endswith("Display") else "More"


def _public(module: ModuleType) -> list[str]:
    """Return the classes and functions that a public module offers; of errors the classes alone."""
    names = getattr(module, "__all__", None) or [n for n in vars(module) if not n.startswith("_")]
    return [
        name
        for name in names
        if inspect.isclass(thing := getattr(module, name))
        # Functions of `errors` raise them, which only the library does.
        or (inspect.isroutine(thing) and module is not kinfolk.errors)
        if thing.__module__.startswith("kinfolk")
    ]


def api() -> dict[str, str]:
    """Return the pages of the reference by file: one of all names, and one for each section."""
    pages = {"api.rst": _names()}
    for title, names in sections().items():
        lines = [*_title(title), ".. currentmodule:: kinfolk", ""]
        lines += [".. autosummary::", "   :toctree: api", "   :nosignatures:", ""]
        pages[f"{_page(title)}.rst"] = "\n".join([*lines, *(f"   {name}" for name in names), ""])
    return pages


def _names() -> str:
    """Return the page on which every public name leads to its own page, section by section."""
    text = [*_title("Reference of all names"), "Names of ``kinfolk``, which examples import as"]
    text += ["``kf``. The page of a section has a line for each of its names.", ""]
    for title, names in sections().items():
        public = [name.removeprefix("running.") for name in names]
        linked = (
            f":py:obj:`{short} <kinfolk.{name}>`" for short, name in zip(public, names, strict=True)
        )
        text += [f":doc:`{title} <{_page(title)}>`", f"   {', '.join(linked)}", ""]
    text += [".. toctree::", "   :hidden:", ""]
    return "\n".join([*text, *(f"   {_page(title)}" for title in sections()), ""])


def _page(title: str) -> str:
    """Return the name of the page of a section: `names_keep_and_share`."""
    return "names_" + re.sub(r"\W+", "_", title.lower())


def _title(text: str) -> list[str]:
    return [text, "=" * len(text), ""]


def methods() -> str:
    """Return the table of all methods: what each does, and when to use it and when not."""
    text = ["# All methods", "", "As `kinfolk methods` lists them."]
    text += ["Shorter: [which method when](../which.md)."]
    text += ["Longer: [formulas, advice, defaults](../methods.md).", ""]
    relations = dict.fromkeys(str(entry.relation) for entry in catalogue.METHODS.values())
    for relation in relations:
        # The default method, which runs the others.
        title = "In doubt" if relation == "several methods" else f"For {relation}"
        text += [f"## {title}", "", "| method | what it does | when | when not |"]
        text += ["|---|---|---|---|"]
        for entry in catalogue.METHODS.values():
            if str(entry.relation) == relation:
                cells = (entry.summary, entry.when, entry.when_not)
                text.append(f"| `{entry.name}` | {' | '.join(map(_cell, cells))} |")
        text.append("")
    return "\n".join(text)


def _cell(text: str) -> str:
    """Return a text for one cell of a Markdown table."""
    return " ".join(text.split()).replace("|", r"\|").replace("*", r"\*")


def commands() -> str:
    """Return the help of every command, and of the commands below it."""
    from typer.main import get_command

    from kinfolk.cli import app

    text = ["# Commands", "", "As `kinfolk --help` and `kinfolk COMMAND --help` print it.", ""]
    group: Any = get_command(app.app)
    asked: list[list[str]] = [[]]
    for verb in app.VERBS:
        below = getattr(group.get_command(None, verb), "commands", {})
        asked += [[verb], *([verb, name] for name in below)]
    for words in asked:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            app.run([*words, "--help"])
        text += [f"## {' '.join(['kinfolk', *words])}", ""]
        text += ["```text", printed.getvalue().strip(), "```", ""]
    return "\n".join(text)


def changes(folder: Path) -> str:
    """Return the change log of the version in hand, from the files of `changes/`."""
    text = ["# Changes", "", f"## {kinfolk.__version__}", ""]
    for kind, title in KINDS.items():
        notes = sorted(folder.glob(f"*.{kind}.md"))
        if notes:
            text += [f"### {title}", "", *(_item(note) for note in notes), ""]
    return "\n".join(text)


def _item(note: Path) -> str:
    """Return a note as an item of a list: its paragraphs indented."""
    content = re.sub(r"\]\((?:\.\./)?docs/", "](../", note.read_text("utf-8").strip())
    return "- " + content.replace("\n", "\n  ")
