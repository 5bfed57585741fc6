"""WebKB4: home pages of four universities in four classes, one task a university.

Source  M. Craven, D. DiPasquo, D. Freitag, A. McCallum, T. Mitchell, K. Nigam, S. Slattery,
        "Learning to extract symbolic knowledge from the World Wide Web", AAAI 1998.
"""

import html
import re
from collections.abc import Iterator
from pathlib import Path

from kinfolk.datasets import documents, home, jsonlines
from kinfolk.datasets.documents import Document
from kinfolk.tables import RelatedData

HOME_PAGE = "http://www.cs.cmu.edu/afs/cs.cmu.edu/project/theo-20/www/data/"
TERMS = "No licence is stated; the pages, of 1996 and 1997, belong to their authors: research use."
SHA256 = "54889eafa8119ea7efd3273d7be511850b94c5005a29cd842895a1a809ec2032"
COUNTS = {
    "cornell": {"course": 44, "faculty": 34, "project": 20, "student": 128},
    "texas": {"course": 38, "faculty": 46, "project": 20, "student": 148},
    "washington": {"course": 77, "faculty": 31, "project": 21, "student": 126},
    "wisconsin": {"course": 85, "faculty": 42, "project": 25, "student": 156},
}

_LAYOUTS = ("webkb_raw.jsonl.gz", "text/webkb_raw.jsonl.gz", "webkb/course", "course")
_FIELDS = {"university": str, "label": str, "url": str, "text": str}

# Every repetition stops at the next opening, so that reading stays linear in tag soup and
# an opening without its end costs nothing but itself.
_HEADER = re.compile(r"[\w -]+:[^\n]*\n(?:(?!\s*\n)[^\n]*\n)*\s*?\n")
_UNSEEN = re.compile(
    r"<!--(?:(?!<!--).)*?--!?>|<(script|style)\b[^<>]*>(?:(?!<\1\b).)*?</\1\s*>", re.I | re.S
)
_TAG = re.compile(r"<(?!!--)[!/?a-z][^<>]*>", re.I)


def load_webkb4(data: home.Place = None) -> RelatedData:
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
    path = home.find("webkb4", _LAYOUTS, data, HOME_PAGE)
    if path.is_dir():
        path = path.parent
        pages = _archived(path)
    else:
        home.verify(path, SHA256)
        pages = _listed(path)
    origin = (
        f"The 4 Universities Data Set (WebKB), Carnegie Mellon University, {HOME_PAGE}. {TERMS}"
    )
    return documents.related("webkb4", pages, COUNTS, path, origin)


def clean(page: str) -> str:
    r"""Return the words a reader of the page would see, in one line.

    Removed are the header of the server's answer, comments, scripts, styles and tags; entities
    become characters. Text after a tag or comment that never ends is kept.

    >>> clean("Server: NCSA\nContent-type: text/html\n\n<h1>Logic &amp; <!-- old --> Sets</h1>")
    'Logic & Sets'
    """
    body = page[header.end() :] if (header := _HEADER.match(page)) else page
    seen = _TAG.sub(" ", _UNSEEN.sub(" ", body)).replace("<", " ")
    return " ".join(html.unescape(seen).split())


def _listed(path: Path) -> Iterator[Document]:
    """Yield the pages of the JSON Lines file."""
    for page in jsonlines.records(path, _FIELDS):
        if page["label"] in COUNTS.get(page["university"], ()):
            yield Document(page["university"], page["label"], page["url"], clean(page["text"]))


def _archived(folder: Path) -> Iterator[Document]:
    """Yield the pages of the unpacked archive, whose file names are addresses with ^ for /."""
    for university, classes in COUNTS.items():
        for label in classes:
            for file in (folder / label / university).glob("*"):
                if file.is_file():
                    # Unpacking on Windows stores the colon as U+F03A.
                    url = file.name.replace("^", "/").replace("\uf03a", ":")
                    yield Document(university, label, url, clean(home.text(file)))
