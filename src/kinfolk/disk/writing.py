"""Atomic writing of files (draft, then rename); control characters made visible."""

import os
import re
import stat
from pathlib import Path

# ESC and other control characters can move the cursor, change a title or hide text; marks of
# writing direction can show a text in another order; halves of surrogate pairs cannot be written.
# Tabs and ends of lines stay.
_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def visible(text: str) -> str:
    r"""Escape the control characters of a text as Python's repr does.

    >>> print(visible("shop \x1b[2J \u202e"))
    shop \x1b[2J \u202e
    >>> visible("Zürich\n")
    'Zürich\n'
    """
    return _CONTROLS.sub(lambda found: ascii(found[0])[1:-1], text)


def write_atomically(path: str | os.PathLike[str], raw: bytes) -> None:
    """Write to a draft beside the file, then rename it, so that no reader sees half a file.

    A link stays one, and its file is replaced. An older file's permissions stay.
    """
    target = Path(os.path.realpath(path))
    # A name of its own, short because the system limits names; so that no two drafts meet.
    draft = target.parent / f".kinfolk-{os.urandom(8).hex()}"
    try:
        with draft.open("xb") as file:
            if target.exists():
                os.chmod(draft, stat.S_IMODE(target.stat().st_mode))
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, target)
    finally:
        draft.unlink(missing_ok=True)
