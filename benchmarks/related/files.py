"""Files of five lines that describe the sets: field, kind of table, split, maker, arguments.

    field = "words"
    kind = "counts"
    split = "judging"
    maker = "classes"
    arguments = { source = "newsgroups", tasks = { ... }, rows = 60, seed = 1 }

A sixth line, `seen = "..."`, says where a judging set was seen before, if it was. `split` is
"shaping" if any rule or constant was chosen with the set, and "judging" otherwise.
"""

import hashlib
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "sets"
KINDS = ("counts", "amounts", "measurements", "mixed")
SPLITS = ("shaping", "judging")
LINES = ("field", "kind", "split", "maker", "arguments")


class SetFileError(ValueError):
    """The file of a data set is invalid."""


@dataclass(frozen=True)
class SetFile:
    """One set as its file describes it.

    Attributes
    ----------
    name : of the file, without its ending
    field, kind, split : see `KINDS` and `SPLITS`
    maker, arguments : a function of `making.MAKERS`, and its keywords
    seen : where a judging set was seen before; "" for sets that nothing has seen
    text : of the file
    """

    name: str
    field: str
    kind: str
    split: str
    maker: str
    arguments: dict[str, Any]
    seen: str
    text: str

    @property
    def fingerprint(self):
        """Hash (12 digits) of the maker and its arguments."""
        made = repr((self.maker, sorted(self.arguments.items())))
        return hashlib.sha256(made.encode()).hexdigest()[:12]


def read(path):
    """Return the set that a file describes.

    Raises
    ------
    SetFileError : it lacks a line, has another one, or a kind or split that is not known
    """
    text = path.read_text(encoding="utf-8")
    found = tomllib.loads(text)
    missing = [line for line in LINES if line not in found]
    unknown = sorted(found.keys() - {*LINES, "seen"})
    if missing or unknown:
        raise SetFileError(
            f"{path.name} lacks {', '.join(missing) or 'nothing'} and has "
            f"{', '.join(unknown) or 'nothing'} that is not known; its lines are "
            f"{', '.join(LINES)} and, if need be, seen."
        )
    for line, allowed in (("kind", KINDS), ("split", SPLITS)):
        if found[line] not in allowed:
            raise SetFileError(
                f"{path.name}: {line} is {found[line]!r}; choose one of {', '.join(allowed)}."
            )
    return SetFile(name=path.stem, seen=found.pop("seen", ""), text=text, **found)


def read_all(folder=FOLDER):
    """Return all sets of a folder by name, in alphabetical order."""
    return {path.stem: read(path) for path in sorted(Path(folder).glob("*.toml"))}
