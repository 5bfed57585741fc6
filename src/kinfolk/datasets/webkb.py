"""WebKB4: web pages of four universities (tasks) in four classes.

Source  M. Craven, D. DiPasquo, D. Freitag, A. McCallum, T. Mitchell, K. Nigam, S. Slattery,
        "Learning to extract symbolic knowledge from the World Wide Web", AAAI 1998.
"""

import html
import re
from collections.abc import Iterator
from pathlib import Path

from kinfolk.datasets import assembly, data_home, jsonlines
from kinfolk.datasets.assembly import Document
from kinfolk.datasets.data_home import DataHome
from kinfolk.datasets.registry import COLLECTIONS
from kinfolk.tables import RelatedData

WEBKB = COLLECTIONS["webkb"]
FILE = "text/webkb_raw.jsonl.gz"
COUNTS = {
    "cornell": {"course": 44, "faculty": 34, "project": 20, "student": 128},
    "texas": {"course": 38, "faculty": 46, "project": 20, "student": 148},
    "washington": {"course": 77, "faculty": 31, "project": 21, "student": 126},
    "wisconsin": {"course": 85, "faculty": 42, "project": 25, "student": 156},
}

_FIELDS = {"university": str, "label": str, "url": str, "text": str}

# Every repetition stops at the next opening, so that reading stays linear in malformed HTML and
# an opening without its end costs nothing but itself.
_HEADER = re.compile(r"[\w -]+:[^\n]*\n(?:(?!\s*\n)[^\n]*\n)*\s*?\n")
_INVISIBLE = re.compile(
    r"<!--(?:(?!<!--).)*?--!?>|<(script|style)\b[^<>]*>(?:(?!<\1\b).)*?</\1\s*>", re.I | re.S
)
_TAG = re.compile(r"<(?!!--)[!/?a-z][^<>]*>", re.I)


def load_webkb4(data: DataHome = None) -> RelatedData:
    """Load WebKB4: 1041 pages, 4 tasks (universities), 4 classes in each.

    The data directory holds either `webkb_raw.jsonl.gz`, there or in `text/`, or the unpacked
    archive of the home page, `webkb/<class>/<university>/<file>`. Both give the same rows. The
    counts are those usually printed for WebKB4; table 1 of the MTCFIR paper (2019) has 1036
    pages: 1, 2 and 2 students fewer at Cornell, Texas and Wisconsin.

    Returns
    -------
    RelatedData : `texts` (1041,) cleaned pages; `row_ids` their addresses; `target` course,
        faculty, project or student

    Raises
    ------
    MissingDataError : the data directory does not hold it
    FileFormatError : it is damaged or incomplete
    """
    path = WEBKB.locate(FILE, "webkb4", data, unpacked=("webkb/course", "course"))
    pages = _unpacked(path) if path.is_dir() else _packed(path)
    origin = WEBKB.origin("The 4 Universities Data Set (WebKB), Carnegie Mellon University")
    return assembly.from_documents("webkb4", pages, COUNTS, path, origin)


def visible_text(page: str) -> str:
    r"""Extract the visible text of an HTML page, on one line.

    Removed are the header of the server's answer, comments, scripts, styles and tags; entities
    become characters. Text after a tag or comment that never ends is kept.

    >>> page = "Server: NCSA\nContent-type: text/html\n\n<h1>Logic &amp; <!-- old --> Sets</h1>"
    >>> visible_text(page)
    'Logic & Sets'
    """
    header = _HEADER.match(page)
    body = page[header.end() :] if header else page
    # Comments and scripts first: what looks like a tag within them is none.
    visible = _TAG.sub(" ", _INVISIBLE.sub(" ", body)).replace("<", " ")
    # Entities last, so that "&lt;b&gt;" in the text is not taken for a tag.
    return " ".join(html.unescape(visible).split())


def _packed(path: Path) -> Iterator[Document]:
    """Yield the pages of a JSON Lines file."""
    for page in jsonlines.records(path, _FIELDS):
        if page["label"] in COUNTS.get(page["university"], ()):
            text = visible_text(page["text"])
            yield Document(page["university"], page["label"], page["url"], text)


def _unpacked(folder: Path) -> Iterator[Document]:
    """Yield the pages of the unpacked archive, whose file names encode addresses."""
    for university, classes in COUNTS.items():
        for label in classes:
            for file in (folder / label / university).glob("*"):
                if file.is_file():
                    # Unpacking on Windows stores the colon as U+F03A.
                    url = file.name.replace("^", "/").replace("\uf03a", ":")
                    yield Document(university, label, url, visible_text(data_home.read_text(file)))
