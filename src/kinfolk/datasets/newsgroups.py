"""20 Newsgroups texts: four tasks, and two pairs of source and target.

Source  K. Lang, "NewsWeeder: Learning to Filter Netnews", ICML 1995, in the by-date version of
        J. Rennie; the four tasks are those of table 1 of the MTCMRL (2018) and MTCFIR (2019)
        papers, the pairs those of tables 3 and 4 of the KT-MEC paper (2015).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from kinfolk.datasets import assembly, data_home, jsonlines
from kinfolk.datasets.assembly import Document
from kinfolk.datasets.data_home import DataHome
from kinfolk.datasets.registry import COLLECTIONS
from kinfolk.estimators import checks
from kinfolk.tables import RelatedData

NEWSGROUPS = COLLECTIONS["20newsgroups"]
ORIGIN = NEWSGROUPS.origin("20 Newsgroups (K. Lang), by-date version (J. Rennie)")
FILE = "text/20newsgroups_bydate_raw.jsonl.gz"
COUNTS = {
    "graphics-autos-crypt": {"comp.graphics": 387, "rec.autos": 395, "sci.crypt": 395},
    "windows-motorcycles-electronics-mideast": {
        "comp.os.ms-windows.misc": 391,
        "rec.motorcycles": 397,
        "sci.electronics": 393,
        "talk.politics.mideast": 376,
    },
    "ibm-baseball-med": {
        "comp.sys.ibm.pc.hardware": 392,
        "rec.sport.baseball": 396,
        "sci.med": 392,
    },
    "mac-hockey-space-religion": {
        "comp.sys.mac.hardware": 383,
        "rec.sport.hockey": 399,
        "sci.space": 392,
        "talk.religion.misc": 250,
    },
}
RECVSTALK = {
    "source": ("rec.autos", "talk.politics.guns"),
    "target": ("rec.sport.baseball", "talk.politics.mideast"),
}
COMPVSSCI = {
    "source": ("comp.sys.mac.hardware", "sci.med"),
    "target": ("comp.sys.ibm.pc.hardware", "sci.electronics"),
}
PER_GROUP = {"source": 750, "target": 250}
"""Messages drawn from each group of a task of RECVSTALK and COMPVSSCI."""

SIZES = {
    "comp.graphics": {"train": 584, "test": 389},
    "comp.os.ms-windows.misc": {"train": 591, "test": 394},
    "comp.sys.ibm.pc.hardware": {"train": 590, "test": 392},
    "comp.sys.mac.hardware": {"train": 578, "test": 385},
    "rec.autos": {"train": 594, "test": 396},
    "rec.motorcycles": {"train": 598, "test": 398},
    "rec.sport.baseball": {"train": 597, "test": 397},
    "rec.sport.hockey": {"train": 600, "test": 399},
    "sci.crypt": {"train": 595, "test": 396},
    "sci.electronics": {"train": 591, "test": 393},
    "sci.med": {"train": 594, "test": 396},
    "sci.space": {"train": 593, "test": 394},
    "talk.politics.guns": {"train": 546, "test": 364},
    "talk.politics.mideast": {"train": 564, "test": 376},
    "talk.religion.misc": {"train": 377, "test": 251},
}
"""Messages of each group in the by-date version, before any is left out."""

_FOLDER = "20news-bydate-test"
_FOLDERS = (_FOLDER, f"20news-bydate/{_FOLDER}", f"text/{_FOLDER}")
_FIELDS = {"id": str, "split": str, "label": str, "text": str}


class Message(NamedTuple):
    """One newsgroup message as distributed; its id is group and number."""

    id: str
    split: str
    label: str
    text: str


def load_20newsgroups(data: DataHome = None) -> RelatedData:
    """Load 20 Newsgroups: 5338 messages, 4 tasks of 3 or 4 groups.

    ======================================= ==================================================
    task                                    classes (messages)
    ======================================= ==================================================
    graphics-autos-crypt                    comp.graphics (387), rec.autos (395),
                                            sci.crypt (395)
    windows-motorcycles-electronics-mideast comp.os.ms-windows.misc (391),
                                            rec.motorcycles (397), sci.electronics (393),
                                            talk.politics.mideast (376)
    ibm-baseball-med                        comp.sys.ibm.pc.hardware (392),
                                            rec.sport.baseball (396), sci.med (392)
    mac-hockey-space-religion               comp.sys.mac.hardware (383),
                                            rec.sport.hockey (399), sci.space (392),
                                            talk.religion.misc (250)
    ======================================= ==================================================

    The messages are those of the by-date TEST split. It has 18 more than both papers count, 0 to
    4 per group, and the papers do not name them; here the messages with the fewest words that are
    no function words are left out, the first being empty. Headers are removed: some name the
    group.

    The data directory holds either `20newsgroups_bydate_raw.jsonl.gz`, there or in `text/`, or
    the unpacked by-date archive of the home page, `20news-bydate-test/<group>/<number>`.

    Returns
    -------
    RelatedData : `texts` (5338,) bodies in one line; `row_ids` group and number; `target` the
        group; its first part (comp, rec, sci, talk) is what tasks share

    Raises
    ------
    MissingDataError : the data directory does not hold it
    FileFormatError : it is damaged or incomplete
    """
    path = _locate("20newsgroups", data)
    messages = _all_messages("20newsgroups", COUNTS, ("test",), path)
    words = CountVectorizer(stop_words="english").build_analyzer()
    # A stable sort: of messages with as many words, the first in the order of ids is kept.
    messages.sort(key=lambda message: -len(words(message.text)))
    longest: list[Document] = []
    for groups in COUNTS.values():
        for group, count in groups.items():
            longest += [message for message in messages if message.target == group][:count]
    return assembly.from_documents("20newsgroups", longest, COUNTS, path, ORIGIN)


def load_newsgroups_recvstalk_500(data: DataHome = None, draw: int = 0) -> RelatedData:
    """Load "rec VS talk" of KT-MEC: 1500 source and 500 target messages.

    =========== ======================== ===========================
    task        class rec                class talk
    =========== ======================== ===========================
    source      rec.autos (750)          talk.politics.guns (750)
    target      rec.sport.baseball (250) talk.politics.mideast (250)
    =========== ======================== ===========================

    The paper states the groups, 1500 and 500 messages and 350 terms, but neither which messages
    nor how the terms were chosen. Here as many of each group are drawn from the by-date version,
    training and test, without replacement; `Preparation(n_terms=350)` takes the 350 terms that
    are in most messages. Headers are removed.

    Parameters
    ----------
    data : the data directory, with files as for `load_20newsgroups`; of the archive both
        `20news-bydate-train` and `20news-bydate-test`
    draw : number of the random draw, from 0

    Returns
    -------
    RelatedData : `texts` (2000,) bodies in one line; `row_ids` group and number; `target` the
        class

    Raises
    ------
    InputError : draw is no whole number from 0
    MissingDataError : the data directory does not hold it
    FileFormatError : it is damaged or incomplete
    """
    return _source_and_target("newsgroups-recvstalk-500", RECVSTALK, draw, data)


def load_newsgroups_compvssci_500(data: DataHome = None, draw: int = 0) -> RelatedData:
    """Load "comp VS sci" of KT-MEC: 1500 source and 500 target messages.

    =========== ============================== =====================
    task        class comp                     class sci
    =========== ============================== =====================
    source      comp.sys.mac.hardware (750)    sci.med (750)
    target      comp.sys.ibm.pc.hardware (250) sci.electronics (250)
    =========== ============================== =====================

    Parameters, result and errors are those of `load_newsgroups_recvstalk_500`.
    """
    return _source_and_target("newsgroups-compvssci-500", COMPVSSCI, draw, data)


def _source_and_target(
    name: str, groups: Mapping[str, Sequence[str]], draw: int, data: DataHome
) -> RelatedData:
    """Draw PER_GROUP messages of each group; the class is the group's top level."""
    # Checked before anything is read: a wrong option needs no data to be refused.
    random = np.random.default_rng(checks.at_least("draw", draw, 0))
    path = _locate(name, data)
    messages = _all_messages(name, groups, ("train", "test"), path)
    drawn = []
    for task in groups:
        for group in groups[task]:
            pool = [message for message in messages if message.target == group]
            rows = random.choice(len(pool), PER_GROUP[task], replace=False)
            drawn += [pool[row]._replace(target=_field_of(group)) for row in rows]
    counts = {task: dict.fromkeys(map(_field_of, groups[task]), PER_GROUP[task]) for task in groups}
    return assembly.from_documents(name, drawn, counts, path, ORIGIN)


def _locate(name: str, data: DataHome) -> Path:
    """Return the path of the JSON Lines file, or the folder of the unpacked archive."""
    return NEWSGROUPS.locate(FILE, name, data, unpacked=_FOLDERS)


def _all_messages(
    name: str, tasks: Mapping[str, Iterable[str]], splits: Sequence[str], path: Path
) -> list[Document]:
    """Return the messages of tasks and splits, without headers; FileFormatError if any is missing.

    `tasks` maps a task to its groups.
    """
    # Only the groups of these tasks are read; the archive has twenty.
    task_of = {group: task for task, groups in tasks.items() for group in groups}
    messages = _unpacked(path, task_of, splits) if path.is_dir() else _packed(path)
    chosen = (
        Document(task_of[message.label], message.label, message.id, _body(message.text))
        for message in messages
        if message.label in task_of and message.split in splits
    )
    counts = {
        task: {group: sum(SIZES[group][split] for split in splits) for group in groups}
        for task, groups in tasks.items()
    }
    return assembly.in_order(name, chosen, counts, path)


def _field_of(group: str) -> str:
    """Return the top level of a group's name, such as "rec".

    >>> _field_of("rec.sport.baseball")
    'rec'
    """
    return group.partition(".")[0]


def _body(text: str) -> str:
    r"""Return a message's text after the header, on one line.

    >>> _body("From: Ann\nSubject: cars\n\nTwo  doors,\nfour wheels.")
    'Two doors, four wheels.'
    """
    return " ".join(text.partition("\n\n")[2].split())


def _packed(path: Path) -> Iterator[Message]:
    """Yield the messages of a JSON Lines file."""
    for record in jsonlines.records(path, _FIELDS):
        yield Message(*(record[field] for field in _FIELDS))


def _unpacked(folder: Path, groups: Iterable[str], splits: Sequence[str]) -> Iterator[Message]:
    """Yield the messages of groups and splits from the unpacked archive."""
    for split in splits:
        for group in groups:
            for file in (folder / f"20news-bydate-{split}" / group).glob("*"):
                if file.is_file():
                    text = data_home.read_text(file)
                    yield Message(f"{group}/{file.name}", split, group, text)
