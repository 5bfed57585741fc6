"""Data sets held out from all tuning, with classes and features of their own.

Documents of other newsgroups and topics, or split by date; rows of one table in two halves, which
are related as closely as can be. Each has a seed of its own for the draw of its rows.
"""

import numpy as np

import kinfolk as kf
from kinfolk.datasets import alterations, data_home, jsonlines
from kinfolk.tables import RelatedData

COLUMNS = {
    "t1": ("comp.graphics", "rec.sport.hockey", "sci.space", "talk.politics.guns"),
    "t2": ("comp.windows.x", "rec.sport.baseball", "sci.med", "talk.politics.mideast"),
    "t3": ("comp.sys.mac.hardware", "rec.autos", "sci.electronics", "talk.religion.misc"),
}
BELIEFS = {
    "t1": ("alt.atheism", "soc.religion.christian", "misc.forsale"),
    "t2": ("talk.religion.misc", "comp.sys.ibm.pc.hardware", "rec.motorcycles"),
}
SAME = ("rec.autos", "sci.crypt", "soc.religion.christian", "comp.graphics", "misc.forsale")
TOPICS = {
    "t1": ("crude", "trade", "sugar"),
    "t2": ("ship", "money-fx", "coffee"),
    "t3": ("nat-gas", "interest", "grain"),
}
MONTHS = {"february": "FEB", "march": "MAR", "april": "APR", "later": "JUN"}
BUSINESS = ("acq", "crude", "trade", "interest", "earn")


def drawn(data, n, seed):
    """Draw at most n rows per class and task, kept in order."""
    random = np.random.RandomState(seed)
    kinds = np.char.add(np.char.add(data.tasks.astype(str), "|"), data.target.astype(str))
    rows = [random.permutation(np.flatnonzero(kinds == kind))[:n] for kind in np.unique(kinds)]
    return alterations.take(data, np.sort(np.concatenate(rows)))


def messages(data):
    """Class, part and body of each message of 20 Newsgroups."""
    path = data_home.find("20newsgroups", ("text/20newsgroups_bydate_raw.jsonl.gz",), data, "")
    fields = {"split": str, "label": str, "text": str}
    return [(r["label"], r["split"], r["text"].split("\n\n", 1)[-1])
            for r in jsonlines.records(path, fields)]  # fmt: skip


def stories(data):
    """Topic, date and text of each story of Reuters with one topic."""
    path = data_home.find("reuters", ("text/reuters21578_all.jsonl.gz",), data, "")
    fields = {"topics": list, "date": str, "has_body": bool, "text": str}
    return [(r["topics"][0], r["date"], r["text"]) for r in jsonlines.records(path, fields)
            if len(r["topics"]) == 1 and r["has_body"]]  # fmt: skip


def _texts(name, documents, cells, seed):
    """Draw n documents of each cell (task, class, part, n)."""
    random, rows = np.random.RandomState(seed), []
    for task, kind, part, n in cells:
        pool = [text for label, where, text in documents if label == kind and part in where]
        rows += [(task, kind, pool[i]) for i in random.permutation(len(pool))[:n]]
    tasks, target, texts = zip(*rows, strict=True)
    return RelatedData(name, np.array(tasks), np.arange(len(rows)).astype(str),
                       texts=texts, target=np.array(target))  # fmt: skip


def _cells(tasks, n):
    return [(task, kind, "", n) for task, kinds in tasks.items() for kind in kinds]


def _split(data):
    parts = {"train": 100, "test": 25}
    cells = [(part, kind, part, n) for part, n in parts.items() for kind in SAME]
    return _texts("newsgroups-split", messages(data), cells, 3)


def _by_date(data):
    cells = [(task, kind, word, 90) for task, word in MONTHS.items() for kind in BUSINESS]
    return _texts("topics-by-date", stories(data), cells, 3)


def _without_projects(data):
    pages = kf.datasets.load("webkb4", data)
    return alterations.take(pages, np.flatnonzero(pages.target != "project"))


def _five_digits(data):
    digits = kf.datasets.load("handdigits", data)
    kept = np.isin(digits.target.astype(str), ["0", "3", "5", "8", "9"])
    return drawn(alterations.take(digits, np.flatnonzero(kept)), 50, 11)


def _halves(name, view, n, seed):
    """Make a function that draws two tasks of one view, each at most n random rows per class."""

    def made(data):
        whole, random = kf.datasets.load(name, data), np.random.RandomState(seed)
        rows, tasks = [], []
        for kind in np.unique(whole.target):
            drawn = random.permutation(np.flatnonzero(whole.target == kind))[: 2 * n]
            rows.extend(drawn)
            tasks.extend(np.where(np.arange(len(drawn)) < len(drawn) // 2, "a", "b"))
        columns = whole.views[view]
        return RelatedData(f"{name}-{view}", np.array(tasks), np.arange(len(rows)).astype(str),
                           X=np.asarray(whole.X[rows][:, columns], dtype=float),
                           feature_names=whole.feature_names[columns],
                           target=whole.target[rows])  # fmt: skip

    return made


SETS = {
    "newsgroups-4x3": lambda data: _texts("4x3", messages(data), _cells(COLUMNS, 80), 1),
    "newsgroups-3x2": lambda data: _texts("3x2", messages(data), _cells(BELIEFS, 90), 2),
    "newsgroups-split": _split,
    "topics-3x3": lambda data: _texts("topics", stories(data), _cells(TOPICS, 80), 4),
    "topics-by-date": _by_date,
    "webkb-without-projects": _without_projects,
    "five-digits": _five_digits,
    "mfeat-kar": _halves("mfeat", "kar", 25, 5),
    "mfeat-fac": _halves("mfeat", "fac", 25, 5),
    "mfeat-zer": _halves("mfeat", "zer", 25, 5),
    "msrc-hog": _halves("msrc-v1", "hog", 15, 6),
    "msrc-gist": _halves("msrc-v1", "gist", 15, 6),
    "caltech-hog": _halves("caltech101-7", "hog", 30, 7),
}
"""How each is made, given the data directory."""
