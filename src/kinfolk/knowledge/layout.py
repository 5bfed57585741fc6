"""File layout of shared centers, and checks on reading.

One file in the open format safetensors, which cannot hold code. It has the arrays

    cluster_centers (k, d), cluster_weights (k,); center (d,) and spread (d,) if columns are scaled

and one entry of metadata, "knowledge", a JSON object with exactly

    format, schema, feature_names, scaling, minimum_cluster_size, sha256 (of all the rest)

and, in schema 2, "rounding": how the numbers were rounded. A file with one byte more is refused.
"""

import json
from pathlib import Path
from typing import Any

from kinfolk.arguments import spelled
from kinfolk.disk import sealed
from kinfolk.errors import FileFormatError

LARGEST_FILE = 2**27
"""Most bytes of a file: 128 MB."""
METADATA = "knowledge"
MARK = b'{"__metadata__":{"knowledge"'
"""Start of the JSON header, by which `save` knows a file of knowledge that it may replace."""
_FIELDS: sealed.Fields = {
    "feature_names": (list,),
    "scaling": (str,),
    "minimum_cluster_size": (int,),
    "sha256": (str,),
}
LAYOUT = sealed.Layout(
    kind="knowledge",
    format="kinfolk-knowledge",
    # Schema 1 did not tell how numbers were rounded, and is written where it is not known.
    versions={1: _FIELDS, 2: {**_FIELDS, "rounding": (str,)}},
    advice="ask for a file that this version wrote",
)


def read_bytes(place: Path) -> bytes:
    """Return the content of a file; FileFormatError if it is missing or too large."""
    try:
        return sealed.read_bytes(place, LARGEST_FILE)
    except OSError as error:
        raise FileFormatError(
            f"{place} cannot be read ({error.strerror}): name a file that "
            f"{spelled('`kinfolk knowledge export`', 'kf.Knowledge.save')} wrote."
        ) from error


def read_header(raw: bytes, name: str) -> dict[str, Any]:
    """Parse the JSON header; FileFormatError unless laid out as by `to_bytes`."""
    try:
        text, exact = sealed.metadata(raw, METADATA)
        found = json.loads(text)
        exact = exact and text == sealed.canonical(found)
    except sealed.MALFORMED:
        found, exact = None, True  # no header, which `check` refuses
    header = LAYOUT.check(found, name)
    if not exact:
        raise FileFormatError(
            f"{name} holds more or less than knowledge does: it was not written by Kinfolk."
        )
    return header
