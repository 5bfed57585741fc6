"""Related data sets to try methods on: found by name, embedded, or made with known truth."""

import difflib
from typing import Any

from kinfolk.datasets import (
    digits,
    entries,
    home,
    newsgroup_counts,
    newsgroups,
    reuters,
    threesources,
    webkb,
)
from kinfolk.datasets.adversarial import make_hostile_digits
from kinfolk.datasets.alterations import (
    NOISE,
    cut,
    disjoint_groups,
    shuffled_features,
    take,
    unequal,
    unrelated,
    with_noise,
)
from kinfolk.datasets.digits import load_digits_two_sources
from kinfolk.datasets.entries import Entry
from kinfolk.datasets.faces import load_jaffe_faces_rotated, load_orl_faces_rotated
from kinfolk.datasets.feature_sets import (
    load_handwritten_rnsp,
    load_hw2sources,
    load_mfeat,
    load_msrc_v1,
    load_orl_views,
)
from kinfolk.datasets.handwriting import load_handdigits, load_mnist_10k
from kinfolk.datasets.makers import make_related_blobs, make_related_documents
from kinfolk.datasets.newsgroup_counts import load_20newsgroups_500, load_compvssci, load_recvstalk
from kinfolk.datasets.newsgroups import (
    load_20newsgroups,
    load_newsgroups_compvssci_500,
    load_newsgroups_recvstalk_500,
)
from kinfolk.datasets.objects import load_caltech101_7
from kinfolk.datasets.reuters import load_reuters
from kinfolk.datasets.simulated import (
    distance_to_truth,
    make_syn500,
    make_toydata,
    make_transfer_scene,
)
from kinfolk.datasets.threesources import load_3sources, load_3sources_tasks
from kinfolk.datasets.webkb import load_webkb4
from kinfolk.errors import InputError
from kinfolk.tables import RelatedData

__all__ = [
    "ADVERSARIAL",
    "AVAILABLE",
    "NOISE",
    "Entry",
    "cut",
    "disjoint_groups",
    "distance_to_truth",
    "load",
    "load_20newsgroups",
    "load_20newsgroups_500",
    "load_3sources",
    "load_3sources_tasks",
    "load_caltech101_7",
    "load_compvssci",
    "load_digits_two_sources",
    "load_handdigits",
    "load_handwritten_rnsp",
    "load_hw2sources",
    "load_jaffe_faces_rotated",
    "load_mfeat",
    "load_mnist_10k",
    "load_msrc_v1",
    "load_newsgroups_compvssci_500",
    "load_newsgroups_recvstalk_500",
    "load_orl_faces_rotated",
    "load_orl_views",
    "load_recvstalk",
    "load_reuters",
    "load_webkb4",
    "make_hostile_digits",
    "make_related_blobs",
    "make_related_documents",
    "make_syn500",
    "make_toydata",
    "make_transfer_scene",
    "shuffled_features",
    "take",
    "unequal",
    "unrelated",
    "with_noise",
]

AVAILABLE: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry(
            name="webkb4",
            loader=load_webkb4,
            tasks="4 universities",
            rows="1041 web pages",
            classes="the same 4 in each: course, faculty, project, student",
            kind="text",
            embedded=False,
            home_page=webkb.HOME_PAGE,
            terms=webkb.TERMS,
        ),
        Entry(
            name="reuters",
            loader=load_reuters,
            tasks="3 groups of topics",
            rows="526 news stories",
            classes="3 in each, related but not the same",
            kind="text",
            embedded=False,
            home_page=reuters.HOME_PAGE,
            terms=reuters.TERMS,
        ),
        Entry(
            name="20newsgroups",
            loader=load_20newsgroups,
            tasks="4 mixtures of newsgroups",
            rows="5338 messages",
            classes="3 or 4 in each, of comp, rec, sci and talk, related but not the same",
            kind="text",
            embedded=False,
            home_page=newsgroups.HOME_PAGE,
            terms=newsgroups.TERMS,
        ),
        Entry(
            name="newsgroups-recvstalk-500",
            loader=load_newsgroups_recvstalk_500,
            tasks="2: source and target",
            rows="2000 messages, 1500 of the source and 500 of the target",
            classes="the same 2 in each: rec, talk",
            kind="text",
            embedded=False,
            home_page=newsgroups.HOME_PAGE,
            terms=newsgroups.TERMS,
        ),
        Entry(
            name="newsgroups-compvssci-500",
            loader=load_newsgroups_compvssci_500,
            tasks="2: source and target",
            rows="2000 messages, 1500 of the source and 500 of the target",
            classes="the same 2 in each: comp, sci",
            kind="text",
            embedded=False,
            home_page=newsgroups.HOME_PAGE,
            terms=newsgroups.TERMS,
        ),
        Entry(
            name="recvstalk",
            loader=load_recvstalk,
            tasks="2 pairs of newsgroups",
            rows="3389 messages as counts of 2000 terms",
            classes="the same 2 in each: rec, talk",
            kind="numbers",
            embedded=False,
            home_page=newsgroup_counts.MALSAR_PAGE,
            terms=newsgroup_counts.MALSAR_TERMS,
        ),
        Entry(
            name="compvssci",
            loader=load_compvssci,
            tasks="2 pairs of newsgroups",
            rows="3702 messages as counts of 2000 terms",
            classes="the same 2 in each: comp, sci",
            kind="numbers",
            embedded=False,
            home_page=newsgroup_counts.MALSAR_PAGE,
            terms=newsgroup_counts.MALSAR_TERMS,
        ),
        Entry(
            name="20newsgroups-500",
            loader=load_20newsgroups_500,
            tasks="1, in 3 views",
            rows="500 messages as counts of terms",
            classes="5 newsgroups",
            kind="numbers",
            embedded=False,
            home_page=newsgroup_counts.VIEWS_PAGE,
            terms=newsgroup_counts.VIEWS_TERMS,
        ),
        Entry(
            name="3sources",
            loader=load_3sources,
            tasks="1, in 3 views: bbc, guardian, reuters",
            rows="169 news stories as counts of terms",
            classes="6 topics",
            kind="numbers",
            embedded=False,
            home_page=threesources.HOME_PAGE,
            terms=threesources.TERMS,
        ),
        Entry(
            name="3sources-tasks",
            loader=load_3sources_tasks,
            tasks="3 agencies: bbc, guardian, reuters",
            rows="948 news articles as counts of terms",
            classes="the same 6 in each: topics",
            kind="numbers",
            embedded=False,
            home_page=threesources.HOME_PAGE,
            terms=threesources.TERMS,
        ),
        Entry(
            name="digits-two-sources",
            loader=load_digits_two_sources,
            tasks="2 sources",
            rows="600 images of 8 x 8, 300 of each source",
            classes="the same 10 in each: the digits",
            kind="numbers",
            embedded=True,
            home_page=digits.HOME_PAGE,
            terms=digits.TERMS,
        ),
        *entries.IMAGES,
        *entries.SIMULATED,
        *entries.ADVERSARIAL,
    )
}
"""The data sets by name."""

ADVERSARIAL = {entry.name: entry.loader for entry in entries.ADVERSARIAL}
"""The cases on which sharing does harm: name -> maker, which takes `random_state`."""


def load(name: str, data: home.Place = None, **options: Any) -> RelatedData:
    """Load a data set of `AVAILABLE` by its name.

    Parameters
    ----------
    name : for example "webkb4"
    data : the data directory; None for KINFOLK_DATA, else `~/.local/share/kinfolk`
    options : keyword arguments of its loader, for example which draw of several

    Raises
    ------
    InputError : there is no data set of that name, or it has no such option
    MissingDataError : the data directory does not hold it
    FileFormatError : its files are damaged or incomplete

    >>> len(load("digits-two-sources", n_rows=(50, 30)))
    80
    """
    if name not in AVAILABLE:
        close = difflib.get_close_matches(name.lower(), AVAILABLE, n=1, cutoff=0)[0]
        raise InputError(
            f"There is no data set {name!r}, the closest name is {close!r}; known are "
            f"{', '.join(AVAILABLE)}."
        )
    entry = AVAILABLE[name]
    if unknown := sorted(options.keys() - set(entry.options)):
        raise InputError(
            f"The data set {name!r} has no option {unknown[0]!r}; its options are: "
            f"{', '.join(entry.options) or 'none'}."
        )
    return entry.loader(**options) if entry.embedded else entry.loader(data, **options)
