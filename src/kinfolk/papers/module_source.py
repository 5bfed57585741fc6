"""Finds a Python module's source files and their checksum, without executing them."""

import ast
import hashlib
from collections.abc import Iterator
from pathlib import Path


def files(module: str, folder: Path) -> dict[str, bytes]:
    """Return {name: source} of a module and of modules of the folder that it imports.

    Modules that lie elsewhere, such as installed packages, are not followed.

    >>> folder = getfixture("tmp_path")
    >>> _ = (folder / "steps.py").write_text("import numpy")
    >>> _ = (folder / "mine.py").write_text("from steps import update")
    >>> sorted(files("mine", folder))
    ['mine', 'steps']
    """
    found: dict[str, bytes] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        parent = name.rpartition(".")[0]
        if parent:  # importing a.b executes a first
            waiting += [parent] * (parent not in found)
        path = _path(name, folder)
        if name not in found and path is not None:
            found[name] = path.read_bytes()
            is_package = path.name == "__init__.py"
            waiting += _imported(found[name], name if is_package else parent)
    return found


def checksum(module: str, folder: Path) -> str:
    """Return the SHA-256 of the files of a module; "" if the folder does not have it.

    >>> folder = getfixture("tmp_path")
    >>> _ = (folder / "mine.py").write_text("x = 1")
    >>> before = checksum("mine", folder)
    >>> _ = (folder / "mine.py").write_text("x = 2")
    >>> len(before), checksum("mine", folder) == before, checksum("other", folder)
    (64, False, '')
    """
    found = files(module, folder)
    digest = hashlib.sha256()
    for name, source in sorted(found.items()):
        # The lengths keep two modules apart from one with the text of both.
        digest.update(f"{name}:{len(source)}:".encode() + source)
    return digest.hexdigest() if found else ""


def _path(name: str, folder: Path) -> Path | None:
    """Find the file of a module or package in the folder, or None."""
    place = folder.joinpath(*name.split("."))
    candidates = place / "__init__.py", place.with_name(f"{place.name}.py")
    return next((path for path in candidates if path.is_file()), None)


def _imported(source: bytes, package: str) -> Iterator[str]:
    """Yield the absolute names that a source imports: modules, or names within modules."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):  # the import itself will say where
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".") if node.level else []
            # One dot is the package itself, each further dot one package up.
            above = parts[: len(parts) - node.level + 1]
            base = ".".join([*above, *filter(None, [node.module])])
            yield from filter(None, [base])
            yield from (f"{base}.{alias.name}" if base else alias.name for alias in node.names)
