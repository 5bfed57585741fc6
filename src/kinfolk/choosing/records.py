"""Dicts for `Kinfolk`'s fitted attributes that also accept the former names of their keys."""

from collections.abc import Iterable, Mapping
from typing import Any

from kinfolk.choosing import representations
from kinfolk.errors import warn_renamed

# Former key -> key.
RENAMED = {
    "agree": "mean_agreement",
    "agree_joint": "agreement_with_joint_runs",
    "agree_own": "agreement_with_own_runs",
    "chance": "null_modularity",
    "clusters": "has_clusters",
    "echo": "cross_task_agreement",
    "heard": "has_cross_task_support",
    "known": "known_rows",
    "own_echo": "own_cross_task_agreement",
    "own_stands": "own_runs_only",
    "own_way": "own_combiner",
    "rows": "changed_rows",
    "second": "has_second_answer",
    "space": "representation",
    "way": "combiner",
}
# Former names of combiners.
COMBINERS = {
    "linkage": "evidence accumulation",
    "stacking": "k-means on memberships",
    "vote": "voting",
}


# Supports of an answer that differs from the own one, see `changes.change_record`.
TASKS = "tasks"
LABELS = "labels"
SHAPE = "shape"
MIXTURE = "mixture"
FOUND_TWICE = "found twice"
COMMON = "common mixture"


class Record(dict[str, Any]):
    """A dict that can still be read by the former names of its keys, with a FutureWarning.

    >>> record = Record(combiner="voting")
    >>> import warnings
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     record["way"], str(caught[0].message)
    ('voting', "The key 'way' is now called 'combiner'; the old name goes in the next version.")
    """

    def __missing__(self, key: str) -> Any:
        if key not in RENAMED:
            raise KeyError(key)
        warn_renamed(f"The key {key!r}", repr(RENAMED[key]))
        return self[RENAMED[key]]

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of a key, given by its present or former name, else the default."""
        known = key in self or RENAMED.get(key) in self
        return self[key] if known else default


UNCOUNTED = {"cases": 0, "better_cases": 0}
"""Counts of changes for records of older versions, which have none."""


def current(stored: Iterable[Mapping[str, Any]]) -> list[Record]:
    """Convert records of older model files to the present keys and values.

    >>> current([{"task": "a", "way": "vote", "echo": 0.5}])
    [{'task': 'a', 'combiner': 'voting', 'cross_task_agreement': 0.5}]
    """
    return [_current(record) for record in stored]


def _current(record: Mapping[str, Any]) -> Record:
    """Convert one record of an older model file to the present keys and values."""
    found = Record((RENAMED.get(key, key), value) for key, value in record.items())
    if "changed_rows" in found:  # versions before the evidence refused no answer by it
        found = Record({"evidence": float("nan"), "refused_rows": [], **UNCOUNTED, **found})
        found.setdefault("support", _former_support(found))
    for key in {"combiner", "own_combiner"} & found.keys():
        found[key] = COMBINERS.get(found[key], found[key])
    if "representation" in found:
        found["representation"] = representations.current_name(found["representation"])
    return found


def _former_support(record: Mapping[str, Any]) -> str:
    """Return the support that explains the change in an older record, which names none.

    Other tasks supported a change by evidence above .03 then.
    """
    if record.get("source") == "views":
        return "views"
    if not len(record["changed_rows"]):
        return ""
    if record["evidence"] > 0.03:
        return TASKS
    return LABELS if record.get("known_rows") else SHAPE
