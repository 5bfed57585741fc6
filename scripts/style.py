"""Checks the style that no linter checks, and prints figures about the code.

    python scripts/style.py [--figures] [--words] [PATH ...]

PATH is a file or a folder, src/kinfolk by default. Without options it refuses two statements on
one line, with exit code 1. `--figures` prints figures per 1000 lines instead.

`a, b = f(x), g(y)` is two statements: the reader must pair them. Swaps such as `a, b = b, a` and
tuples of constants are one. `--words` lists first lines of docstrings that a reader cannot
understand without the body, as far as a pattern can tell.
"""

import argparse
import ast
import io
import re
import statistics
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OPENINGS = {"What", "Whether", "How", "Those", "Which", "Whose", "Who", "Where", "All"}
RIDDLES = re.compile(
    r"\b(nobody|somebody|whoever|of which|to whom|in which|from which|heard|told|speaks?|witness"
    r"|verdicts?|echo(es|ed)?|crowds?|referees?|its own affair)\b",
    re.IGNORECASE,
)
EQUATIONS = re.compile(r"^(Return )?(Equations? |Step \d|J of |\(\d+\))")
"""First lines that only name an equation, which stands elsewhere."""
CONTAINERS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def packed(tree: ast.AST) -> Iterator[ast.Assign]:
    """Yield assignments of a tuple to a tuple in which a value is a call or an operation."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Tuple):
            continue
        if isinstance(node.targets[0], ast.Tuple) and any(
            isinstance(inner, ast.Call)
            for value in node.value.elts
            if not isinstance(value, ast.Constant | ast.Name)
            for inner in ast.walk(value)
        ):
            yield node


def first_lines(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line number and first line of every docstring."""
    for node in ast.walk(tree):
        if isinstance(node, CONTAINERS) and (text := ast.get_docstring(node)):
            yield getattr(node, "lineno", 1), text.split("\n")[0]


def lengths(tree: ast.AST) -> list[int]:
    """Return the lines of each function without its docstring."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, FUNCTIONS):
            first = node.body[0]
            documented = ast.get_docstring(node) is not None
            docstring = first.end_lineno - first.lineno + 1 if documented else 0
            found.append(node.end_lineno - node.lineno + 1 - docstring)
    return found


def comments(text: str) -> int:
    """Count the comments of a file."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return sum(token.type == tokenize.COMMENT for token in tokens)


def figures(paths: list[Path]) -> None:
    """Print what the code looks like in numbers."""
    texts = {path: path.read_text() for path in paths}
    trees = {path: ast.parse(text) for path, text in texts.items()}
    lines = {path: text.count("\n") for path, text in texts.items()}
    total = sum(lines.values())
    sizes = sorted(size for tree in trees.values() for size in lengths(tree))
    opened = [line for tree in trees.values() for _, line in first_lines(tree)]
    odd = [line for line in opened if line.split(" ")[0].rstrip(":,") in OPENINGS]
    doctests = sum(text.count(">>> ") + text.count("... ") for text in texts.values())
    largest = max(lines, key=lambda path: lines[path])
    per_1000 = 1000 / total
    print(f"files {len(paths)}, lines {total}")
    print(f"lines per file: median {statistics.median(lines.values()):g}, largest {lines[largest]}")
    print(f"largest file: {largest.relative_to(ROOT)}")
    if sizes:
        rank = sizes[min(len(sizes) - 1, int(0.99 * len(sizes)))]
        print(f"lines per function: 99 % up to {rank}, largest {sizes[-1]}")
    print(f"comments per 1000 lines: {sum(map(comments, texts.values())) * per_1000:.1f}")
    print(f"doctest lines per 1000 lines: {doctests * per_1000:.1f}")
    n_packed = sum(1 for tree in trees.values() for _ in packed(tree))
    print(f"packed assignments per 1000 lines: {n_packed * per_1000:.2f}")
    share = 100 * len(odd) / max(len(opened), 1)
    print(f"docstrings that open with What, How, ...: {len(odd)} of {len(opened)}, {share:.1f} %")


def main() -> int:
    """Check or print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("paths", nargs="*", type=Path, default=[ROOT / "src" / "kinfolk"])
    parser.add_argument("--figures", action="store_true", help="print figures")
    parser.add_argument("--words", action="store_true", help="list odd first lines of docstrings")
    given = parser.parse_args()
    found = [
        path.resolve()
        for place in given.paths
        for path in ([place] if place.suffix == ".py" else sorted(place.rglob("*.py")))
    ]
    if given.figures:
        figures(found)
    refused = 0
    for path in found:
        tree = ast.parse(path.read_text())
        name = path.relative_to(ROOT)
        for node in packed(tree) if not given.figures else ():
            refused += 1
            print(f"{name}:{node.lineno}: two statements on one line; give each a line of its own")
        for line, text in first_lines(tree) if given.words else ():
            opening = text.split(" ")[0].rstrip(":,")
            if opening in OPENINGS or RIDDLES.search(text) or EQUATIONS.search(text):
                print(f"{name}:{line}: {text}")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
