"""Notes for readers of a comparison: on the help a method was given, and on runs left out."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kinfolk import catalogue
from kinfolk.arguments import spelled
from kinfolk.catalogue.strategies import Setup
from kinfolk.estimators import facets


def notes_on_help(setup: Setup) -> list[str]:
    """Return notes on the tasks, views or labels that the method was given, or lacks.

    Examples
    --------
    >>> from kinfolk.datasets import makers
    >>> blobs = makers.make_related_blobs(random_state=0)
    >>> print(*notes_on_help(Setup(catalogue.method("comvcf"), blobs, 3, 0, {}, None)))
    comvcf weighs several views of the same rows; here all columns are one view, so there is \
nothing to weigh: name the views by views=.
    """
    relation = setup.entry.relation
    names = setup.data.task_names
    in_views = relation == catalogue.SEVERAL_METHODS and len(setup.data.views) > 1
    of_tasks = relation in (catalogue.SEVERAL_TASKS, catalogue.SEVERAL_METHODS)
    if of_tasks and len(names) == 1 and not in_views:
        return [one_data_set(names[0])]
    if relation == catalogue.SEVERAL_VIEWS and len(setup.data.views) < 2:
        return [
            f"{setup.entry.name} weighs several views of the same rows; here all columns are one "
            "view, so there is nothing to weigh: name the views by "
            f"{spelled('--views', 'views=')}."
        ]
    if relation == catalogue.SEVERAL_METHODS and _all_known(setup.labels):
        return [
            "The class of every row is given as known, so that none is to be found and the classes "
            "were not used: leave cells of that column empty where the class is unknown, or give "
            f"it as the true classes ({spelled('--target', 'target=')}) for scores."
        ]
    if relation == catalogue.KNOWN_LABELS and setup.data.target is not None:
        return [
            "Rows whose class was given keep it, which raises the scores of together: look at the "
            "data sets without labels."
        ]
    return []


def _all_known(labels: Any) -> bool:
    """True if known classes (n,) are given and none is -1, the mark of unknown ones."""
    return labels is not None and not any(str(label) in ("-1", "-1.0") for label in labels)


def one_data_set(name: str) -> str:
    """Sentence that all rows are one data set, and how to cluster several together.

    >>> one_data_set("shops")
    "All rows belong to one data set, 'shops': name the column that says which data set a row is
    from (tasks=), or give a file for each, to cluster several together."
    """
    return (
        f"All rows belong to one data set, {name!r}: name the column that says which data set a "
        f"row is from ({spelled('--tasks', 'tasks=')}), or give a file for each, to cluster "
        "several together."
    )


def notes_on_runs(model: Any, warned: Iterable[str] = ()) -> list[str]:
    """Return sentences on runs that were skipped or failed.

    Runs with one reason share a sentence. Reasons that a warning in `warned` names already are
    left out.
    """
    if not isinstance(model, facets.HasEvidence):
        return []
    families: dict[str, list[str]] = {}
    for record in model.left_out_:
        families.setdefault(record["reason"], []).append(record["family"])
    # A task that takes no part in sharing has fewer runs, so the task with most has all.
    by_task: dict[Any, list[Mapping[str, Any]]] = {}
    for record in model.evidence_:
        by_task.setdefault(record["task"], []).append(record)
    made = max(by_task.values(), key=len)
    n_runs = len(model.left_out_) + len(made)
    sentences = [
        f"{len(names)} of {n_runs} runs were not made ({', '.join(dict.fromkeys(names))}): "
        f"{reason.rstrip('.')}."
        for reason, names in families.items()
        if not any(reason.lower() in sentence.lower() for sentence in warned)
    ]
    few = len(model.left_out_) > len(made)
    return [*sentences, *([_made(made)] if few and sentences else [])]


def _made(runs: Sequence[Mapping[str, Any]]) -> str:
    """Name the methods of the runs that were made, those that use several data sets apart.

    >>> _made([{"family": "mec", "joint": False}, {"family": "lssmtc", "joint": True}])
    'The 2 runs made: each data set by itself 1 of mec; several together 1 of lssmtc.'
    """
    parts = []
    for joint, words in ((False, "each data set by itself"), (True, "several together")):
        counts = Counter(run["family"] for run in runs if run["joint"] == joint)
        told = ", ".join(f"{n} of {family}" for family, n in counts.items())
        parts.append(f"{words} {told or 'none'}")
    return f"The {len(runs)} runs made: {'; '.join(parts)}."
