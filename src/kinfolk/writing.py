"""Files that are written whole or not at all."""

import os
import tempfile
from pathlib import Path


def write_atomically(path: str | os.PathLike[str], raw: bytes) -> None:
    """Write a file through a draft beside it; an older file is replaced at the end."""
    target = Path(path)
    handle, draft = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
        os.chmod(draft, 0o644)
        os.replace(draft, target)
    finally:
        Path(draft).unlink(missing_ok=True)
