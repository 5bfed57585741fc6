"""Atomic writing of files (draft, then rename)."""

import os
import tempfile
from pathlib import Path


def write_atomically(path: str | os.PathLike[str], raw: bytes) -> None:
    """Write to a draft beside the file, then rename it, so that no reader sees half a file."""
    target = Path(path)
    handle, draft = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
        os.chmod(draft, 0o644)  # mkstemp makes files that only their owner can read
        os.replace(draft, target)
    finally:
        Path(draft).unlink(missing_ok=True)
