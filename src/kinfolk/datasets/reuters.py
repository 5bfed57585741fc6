"""Reuters news stories: nine topics in three tasks with related classes.

Source  Reuters-21578, Distribution 1.0, D. D. Lewis; the tasks are those of table 1 of the
        MTCFIR paper (2019).
"""

import html
import re
from collections.abc import Iterator
from pathlib import Path

from kinfolk.datasets import assembly, data_home, jsonlines
from kinfolk.datasets.assembly import Document
from kinfolk.datasets.data_home import DataHome
from kinfolk.datasets.registry import COLLECTIONS
from kinfolk.errors import FileFormatError
from kinfolk.tables import RelatedData

REUTERS = COLLECTIONS["reuters"]
FILE = "text/reuters21578_all.jsonl.gz"
COUNTS = {
    "gnp-gold-cocoa": {"gnp": 63, "gold": 90, "cocoa": 53},
    "cpi-gas-steel": {"cpi": 60, "nat-gas": 33, "iron-steel": 37},
    "ipi-copper-coffee": {"ipi": 36, "copper": 44, "coffee": 110},
}

_TASK = {topic: task for task, topics in COUNTS.items() for topic in topics}
_FOLDERS = ("", "reuters21578/", "reuters/", "text/", "text/reuters21578/")
_FIELDS = {"id": int, "label": str | None, "modapte": str | None, "has_body": bool, "text": str}
_ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')


def load_reuters(data: DataHome = None) -> RelatedData:
    """Load Reuters: 526 stories, 3 tasks, 3 classes in each.

    =================== ========================================
    task                classes (stories)
    =================== ========================================
    gnp-gold-cocoa      gnp (63), gold (90), cocoa (53)
    cpi-gas-steel       cpi (60), nat-gas (33), iron-steel (37)
    ipi-copper-coffee   ipi (36), copper (44), coffee (110)
    =================== ========================================

    They come from four fields: economic indices (gnp, cpi, ipi), metals (gold, iron-steel,
    copper), food (cocoa, coffee) and energy (nat-gas). Included are the stories that have exactly
    one topic, a body, and a place in the ModApte split, whether training or test.

    The data directory holds either `reuters21578_all.jsonl.gz`, there or in `text/`, or the
    22 files `reut2-000.sgm` to `reut2-021.sgm` of the home page, there or in `reuters21578/`.

    Returns
    -------
    RelatedData : `texts` (526,) title and body in one line; `row_ids` the NEWID; `target` the
        topic

    Raises
    ------
    MissingDataError : the data directory does not hold it
    FileFormatError : it is damaged or incomplete
    """
    first_files = [f"{folder}reut2-000.sgm" for folder in _FOLDERS]
    path = REUTERS.locate(FILE, "reuters", data, unpacked=first_files)
    stories = _unpacked(path) if path.is_dir() else _packed(path)
    origin = REUTERS.origin("Reuters-21578, Distribution 1.0")
    return assembly.from_documents("reuters", stories, COUNTS, path, origin)


def _document(topic: str, number: str, text: str) -> Document:
    return Document(_TASK[topic], topic, number, " ".join(text.split()))


def _packed(path: Path) -> Iterator[Document]:
    """Yield the stories of a JSON Lines file."""
    for story in jsonlines.records(path, _FIELDS):
        if story["label"] in _TASK and story["modapte"] and story["has_body"]:
            yield _document(story["label"], str(story["id"]), story["text"])


def _unpacked(folder: Path) -> Iterator[Document]:
    """Yield the stories of the distribution's SGML files."""
    for path in sorted(folder.glob("reut2-0[0-9][0-9].sgm")):
        *stories, rest = data_home.read_text(path).split("</REUTERS>")
        # A story that opens after the last end tag was cut off.
        if "<REUTERS" in rest:
            raise FileFormatError(f"{path} ends within story {len(stories) + 1}; fetch it again.")
        for place, story in enumerate(stories, start=1):
            # Cut by hand: the files are SGML with control characters, which XML parsers refuse.
            head, _, content = story.partition("<REUTERS")[2].partition(">")
            attributes = dict(_ATTRIBUTE.findall(head))
            topics = _element(content, "TOPICS").replace("<D>", "").split("</D>")[:-1]
            if "NEWID" not in attributes:
                raise FileFormatError(f"{path}: story {place} has no NEWID; fetch the file again.")
            if (
                len(topics) == 1
                and topics[0] in _TASK
                # The two attributes that define the ModApte split.
                and attributes.get("LEWISSPLIT") in ("TRAIN", "TEST")
                and attributes.get("TOPICS") == "YES"
                and "<BODY>" in content
            ):
                text = f"{_element(content, 'TITLE')}\n{_element(content, 'BODY')}"
                yield _document(topics[0], attributes["NEWID"], html.unescape(text))


def _element(content: str, name: str) -> str:
    """Return the text between the tags of the first element of this name.

    >>> _element("<TITLE>GOLD RISES</TITLE><BODY>In Paris.</BODY>", "TITLE")
    'GOLD RISES'
    """
    return content.partition(f"<{name}>")[2].partition(f"</{name}>")[0]
