"""3Sources: stories that three news agencies report, as three views or as three tasks.

Source  D. Greene, P. Cunningham, "A Matrix Factorization Approach for Integrating Multiple Data
        Views", ECML PKDD 2009.
"""

import gzip
import json
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from kinfolk import tables
from kinfolk.datasets import counts, home
from kinfolk.datasets.archives import Archive
from kinfolk.tables import RelatedData, alignment

HOME_PAGE = "http://mlg.ucd.ie/datasets/3sources.html"
TERMS = "Counts of terms only; for non-commercial and research purposes only."
ORIGIN = f"3Sources (D. Greene, P. Cunningham), February to April 2009, {HOME_PAGE}. {TERMS}"
AGENCIES = {
    "bbc": Archive(
        "text",
        "3sources_bbc.npz",
        "d557c28d1ff53a1632656636de5a879e9a09ac858f50b9b05183d6b02eb58d19",
    ),
    "guardian": Archive(
        "text",
        "3sources_guardian.npz",
        "27be16560479de2f9697896fe2e134051ac55e8ab423d2017dc5aef381c4ed36",
    ),
    "reuters": Archive(
        "text",
        "3sources_reuters.npz",
        "4869fc416913809a98d60832facbb5a11125a2fe6060507d0bb14b8c04aedcd2",
    ),
}
STORIES = Archive(
    "text",
    "3sources_meta.json.gz",
    "633fc847360297cc85033d2ce4e5cab22228271d97d5e66ad73924278150a67e",
)


class Articles(NamedTuple):
    """What one agency reported: counts (stories, terms), and what the rows and columns are."""

    counts: sp.csr_array
    stories: list[str]
    terms: list[str]


def load_3sources(data: home.Place = None) -> RelatedData:
    """Load 3Sources as views: 169 stories, 6 topics, each story as reported by three agencies.

    Classes (stories): business (56), entertainment (21), health (11), politics (18), sport (51),
    tech (12). The views have 3560, 3631 and 3068 terms, stemmed by the authors; some terms occur
    only in stories that not all three report.

    Parameters
    ----------
    data : the data directory, which holds `3sources_bbc.npz`, `3sources_guardian.npz`,
        `3sources_reuters.npz` and `3sources_meta.json.gz`, there or in `text/`

    Returns
    -------
    RelatedData : `X` (169, 10259) CSR of counts; `views` bbc, guardian and reuters;
        `feature_names` as "bbc:budget"; `row_ids` the story; one task "all"; `target` the topic

    Raises
    ------
    MissingDataError : the data directory does not hold them
    FileFormatError : they are damaged
    """
    agencies, known = _read("3sources", data)
    stories = known["stories_in_all_three"]
    X, views = tables.join(
        {
            name: articles.counts[[articles.stories.index(story) for story in stories]]
            for name, articles in agencies.items()
        }
    )
    return RelatedData(
        name="3sources",
        tasks=np.full(len(stories), "all"),
        row_ids=np.array(stories),
        X=X,
        feature_names=tuple(f"{name}:{term}" for name in agencies for term in agencies[name].terms),
        target=np.array([known["label_disjoint"][story] for story in stories]),
        views=views,
        origin=ORIGIN,
    )


def load_3sources_tasks(data: home.Place = None) -> RelatedData:
    """Load 3Sources as tasks: 948 articles, one task an agency, 6 topics in each.

    ========= ======== ============= ====== ======== ===== ====
    task      business entertainment health politics sport tech
    ========= ======== ============= ====== ======== ===== ====
    bbc       87       53            45     48       81    38
    guardian  78       41            24     40       76    43
    reuters   94       43            27     23       71    36
    ========= ======== ============= ====== ======== ===== ====

    Columns are the terms that any agency uses; what an agency does not use is zero. The topic is
    that of the disjoint labels, one for each story.

    Parameters
    ----------
    data : the data directory, with files as for `load_3sources`

    Returns
    -------
    RelatedData : `X` (948, 4750) CSR of counts; `feature_names` the terms; `row_ids` the story;
        `target` the topic

    Raises
    ------
    MissingDataError : the data directory does not hold them
    FileFormatError : they are damaged
    """
    agencies, known = _read("3sources-tasks", data)
    tasks, terms, _ = alignment.align(
        {name: articles.terms for name, articles in agencies.items()},
        {name: articles.counts for name, articles in agencies.items()},
        "union",
    )
    stories = [story for articles in agencies.values() for story in articles.stories]
    return RelatedData(
        name="3sources-tasks",
        tasks=np.repeat(list(agencies), [len(articles.stories) for articles in agencies.values()]),
        row_ids=np.array(stories),
        X=alignment.stacked(tasks),
        feature_names=terms,
        target=np.array([known["label_disjoint"][story] for story in stories]),
        origin=ORIGIN,
    )


def _read(name: str, data: home.Place) -> tuple[dict[str, Articles], dict[str, Any]]:
    """Return the articles of each agency, and what is known of the stories."""
    path = STORIES.find(name, data, HOME_PAGE)
    home.verify(path, STORIES.sha256)
    with gzip.open(path, "rt", encoding="utf-8") as file:
        known = json.load(file)
    agencies = {
        agency: Articles(
            counts.table(archive.read(name, data, HOME_PAGE)),
            known["docs"][agency],
            known["terms"][agency],
        )
        for agency, archive in AGENCIES.items()
    }
    return agencies, known
