"""3Sources: news stories by three agencies, as three views or three tasks.

Source  D. Greene, P. Cunningham, "A Matrix Factorization Approach for Integrating Multiple Data
        Views", ECML PKDD 2009.
"""

import gzip
import json
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from kinfolk import tables
from kinfolk.datasets import assembly
from kinfolk.datasets.data_home import DataHome
from kinfolk.datasets.registry import COLLECTIONS
from kinfolk.tables import RelatedData, alignment

THREESOURCES = COLLECTIONS["3sources"]
ORIGIN = THREESOURCES.origin("3Sources (D. Greene, P. Cunningham), February to April 2009")
AGENCIES = ("bbc", "guardian", "reuters")
STORIES_FILE = "text/3sources_meta.json.gz"


class Articles(NamedTuple):
    """One agency's articles: counts (stories, terms) and names of rows and columns."""

    counts: sp.csr_array
    stories: list[str]
    terms: list[str]


def load_3sources(data: DataHome = None) -> RelatedData:
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
    agencies, facts = _read("3sources", data)
    stories = facts["stories_in_all_three"]
    # Each agency lists its stories in another order; the views need one.
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
        target=np.array([facts["label_disjoint"][story] for story in stories]),
        views=views,
        origin=ORIGIN,
    )


def load_3sources_tasks(data: DataHome = None) -> RelatedData:
    """Load 3Sources as tasks: 948 articles, one task per agency, 6 topics in each.

    ========= ======== ============= ====== ======== ===== ====
    task      business entertainment health politics sport tech
    ========= ======== ============= ====== ======== ===== ====
    bbc       87       53            45     48       81    38
    guardian  78       41            24     40       76    43
    reuters   94       43            27     23       71    36
    ========= ======== ============= ====== ======== ===== ====

    Columns are the terms that any agency uses; a term that an agency does not use is zero. The
    topic is that of the disjoint labels, one for each story.

    Parameters
    ----------
    data : the data directory, with files as for `load_3sources`; errors are the same

    Returns
    -------
    RelatedData : `X` (948, 4750) CSR of counts; `feature_names` the terms; `row_ids` the story;
        `target` the topic
    """
    agencies, facts = _read("3sources-tasks", data)
    # The third result says how far the terms agree, which is known here.
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
        target=np.array([facts["label_disjoint"][story] for story in stories]),
        origin=ORIGIN,
    )


def _read(name: str, data: DataHome) -> tuple[dict[str, Articles], dict[str, Any]]:
    """Return the articles by agency, and the content of the JSON file of stories and topics."""
    path = THREESOURCES.locate(STORIES_FILE, name, data)
    with gzip.open(path, "rt", encoding="utf-8") as file:
        facts = json.load(file)
    agencies = {}
    for agency in AGENCIES:
        arrays = THREESOURCES.arrays(f"text/3sources_{agency}.npz", name, data)
        counts = assembly.counts_from_arrays(arrays)
        agencies[agency] = Articles(counts, facts["docs"][agency], facts["terms"][agency])
    return agencies, facts
