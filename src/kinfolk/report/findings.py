"""Scores, kinds and convergence as tables and sentences of the report.

>>> import kinfolk as kf
>>> from kinfolk.report.content import read
>>> data = kf.datasets.make_related_blobs(20, n_features=4, random_state=0)
>>> study = kf.compare(data, n_clusters=3, method="mtcfir").study
>>> page = read(study)
>>> print(headline(page).replace(chr(160), " "))
The 40 rows of 2 data sets are of 3 kinds: kind 0 (14 rows, 35 %), kind 1 (13 rows, 32 %) and kind
2 (13 rows, 32 %).
>>> print(comparison(page))
Measured against the true classes (accuracy in %), clustering together is on average as good as
each data set alone, 15.0 points better than all rows pooled and as good as k-means alone.
>>> measures(study)
['accuracy', 'nmi', 'silhouette']
>>> for line in score_tables(page)[0].lines:
...     print(line.task, line.texts, line.gain)
task-0 ['100.0', '100.0', '100.0', '100.0'] +0.0
task-1 ['100.0', '70.0', '100.0', '100.0'] +0.0
mean ['100.0', '85.0', '100.0', '100.0'] +0.0
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kinfolk.arguments import spelled
from kinfolk.arrays import Labels
from kinfolk.estimators import facets
from kinfolk.numerics import matching
from kinfolk.profiles.names import called
from kinfolk.report import sharing_effect, sizes, wording
from kinfolk.report.content import Page
from kinfolk.report.study import Result, Study

_MOST_NAMED = 6
"""Kinds named in the first sentence; more would bury it."""
_UNKNOWN = """The true classes are not known, so no score can show which result is right: look at \
the kinds themselves."""

MEASURES = {"accuracy": "Accuracy", "nmi": "NMI", "silhouette": "Silhouette"}


@dataclass(frozen=True)
class ScoreLine:
    """Scores of one task by all strategies: one line of a table.

    Attributes
    ----------
    task : its name, or "mean" for the mean of all
    texts : the scores in the order of the table's `names`
    best : the names with the largest score
    gain : the gain as text
    """

    task: str
    texts: list[str]
    best: set[str]
    gain: str


@dataclass(frozen=True)
class ScoreTable:
    """Table of one measure's scores: tasks by strategies.

    Attributes
    ----------
    measure : "accuracy", "nmi" or "silhouette"
    title : the measure's name with its unit
    names : the results that could run
    lines : one for each task and, for several tasks, one for their mean
    gain : definition of the gain, such as "together − alone"; "" if there is none
    """

    measure: str
    title: str
    names: list[str]
    lines: list[ScoreLine]
    gain: str


def measures(study: Study) -> list[str]:
    """Return the measures to show, most important first; without true classes only silhouette."""
    # Scores may exist although the classes are not to be shown: the target decides.
    known = study.data.target is not None
    scored = {measure for result in ran(study) for measure in result.scores}
    return [m for m in MEASURES if m in scored and (known or m == "silhouette")]


def ran(study: Study) -> list[Result]:
    """Return the results of the strategies that ran without a refusal."""
    return [result for result in study.results if result.labels is not None]


def refused(study: Study) -> list[str]:
    """Sentences on the strategies that have no scores because they could not run.

    >>> from kinfolk import compare
    >>> from kinfolk.datasets import makers
    >>> blobs = makers.make_related_blobs(random_state=0)
    >>> made = compare(blobs, n_clusters={"task-0": 3, "task-1": 2}, method="mtcfir")
    >>> print(*refused(made.study))
    No scores of pooled: Pooled needs the same number of clusters in every task, given were [2, 3];
    give one number, or use a method that allows different ones.
    """
    return [
        f"No scores of {result.name}: {result.reason.rstrip('.')}."
        for result in study.results
        if result.labels is None
    ]


def score(result: Result, measure: str, task: str) -> float:
    """Return a score as shown: rounded, and in percent but for silhouettes; nan if undefined.

    >>> result = Result("alone", "", None, scores={"nmi": {"texas": 0.71234}})
    >>> score(result, "nmi", "texas"), score(result, "nmi", "cornell")
    (71.2, nan)
    """
    value = result.scores.get(measure, {}).get(task, np.nan)
    return round(float(value), 3) if measure == "silhouette" else round(100 * float(value), 1)


def score_tables(page: Page) -> list[ScoreTable]:
    """Return a table of scores (tasks by strategies) per measure."""
    return [_table(page, measure) for measure in measures(page.study)]


def _table(page: Page, measure: str) -> ScoreTable:
    """Build the table of one measure; for several tasks its last line has the means."""
    results = ran(page.study)
    tasks = page.tasks
    values = np.array([[score(result, measure, task) for result in results] for task in tasks])
    if len(tasks) > 1:
        # nan in one task makes the mean nan: a mean over fewer tasks could not be compared.
        # Tasks without any score, such as those of one cluster, are left out of all means.
        scored = ~np.isnan(values).all(axis=1)
        tasks = [*tasks, "mean"]
        values = np.vstack([values, values[scored if scored.any() else slice(None)].mean(axis=0)])
    digits = 3 if measure == "silhouette" else 1
    names = [result.name for result in results]
    starts = wording.baselines(page.study)
    lines = []
    # Gains are differences of the rounded scores, so that a reader can check them.
    for task, line in zip(tasks, values.round(digits), strict=True):
        shown = dict(zip(names, line.tolist(), strict=True))
        gain = shown.get("together", np.nan) - _top([shown.get(name, np.nan) for name in starts])
        best = _top(list(shown.values()))
        lines.append(
            ScoreLine(
                task,
                texts=[wording.decimal(value, digits) for value in line],
                best={name for name, value in shown.items() if value == best},
                gain=wording.decimal(gain, digits, "+"),
            )
        )
    dash = ", – for a single cluster" if np.isnan(values).any() else ""
    unit = f"−1 to 1{dash}" if measure == "silhouette" else "%"
    gain = wording.gain(page.study)
    return ScoreTable(measure, f"{MEASURES[measure]} ({unit})", names, lines, gain)


def _top(values: list[float]) -> float:
    return max((value for value in values if not np.isnan(value)), default=np.nan)


def headline(page: Page, names: Mapping[int, str] | None = None) -> str:
    """Sentence with the number of kinds (groups of matched clusters), sizes and doubts.

    `names` are those of kinds, None for those of the study.
    """
    own = page.study.names if names is None else names
    first = _kinds(page, own) if sizes.are_divided(page) else sizes.undivided(page)
    return " ".join([first, *_chance(page), *_samples(page)])


def _kinds(page: Page, names: Mapping[int, str]) -> str:
    """Sentence with the number of kinds (groups of matched clusters) and their sizes."""
    n = len(page.study.data)
    rows = {group: sum(c.size for c in found) for group, found in page.groups.items()}
    order = sorted(rows, key=lambda group: (-rows[group], group))
    named = order if len(order) <= _MOST_NAMED else [*order[: _MOST_NAMED - 1], order[-1]]
    shown = [_kind(g, names, rows[g], rows[g] / n) for g in named]
    if len(named) < len(order):
        shown[-1] = f"{len(order) - len(named) + 1} more, down to {shown[-1]}"
    source = f" of {len(page.tasks)} data sets" if len(page.tasks) > 1 else ""
    kinds = wording.count(len(order), "kind")
    verb = "is" if n == 1 else "are"
    return f"The {wording.count(n, 'row')}{source} {verb} of {kinds}: {wording.listing(shown)}."


def _kind(group: int, names: Mapping[int, str], rows: int, share: float) -> str:
    """Name and size of a kind (group of matched clusters), with spaces that do not break."""
    size = f"({wording.count(rows, 'row')}, {wording.percent(share)})"
    name = called(group, names)
    number = name if group in names else name.replace(" ", wording.NO_BREAK)
    return f"{number} {size.replace(' ', wording.NO_BREAK)}"


def _chance(page: Page) -> list[str]:
    """Sentence on tasks whose clusters are not clearer than chance; [] if none or unknown."""
    if page.evidence is None:
        return []
    unclear = [str(r["task"]) for r in page.evidence.guard_ if not r["has_clusters"]]
    if not unclear:
        return []
    where = f" in {wording.data_sets(unclear)}" if len(page.tasks) > 1 else ""
    why = "a table without any could be divided as well"
    if page.study.X.shape[1] == 1:  # random tables have the values of each column
        where = ""
        why = "one column alone cannot show any"
    said = f"No clusters clearer than chance were found{where}: {why}, so take these kinds as a "
    return [f"{said}suggestion."]


def _samples(page: Page) -> list[str]:
    """Sentence on rows assigned after a sample was clustered; [] if there was no sample."""
    fitted = page.evidence
    return [fitted.sampling_["meaning"]] if isinstance(fitted, facets.HasSamples) else []


def comparison(page: Page) -> str:
    """Sentence that compares the shown result with the other strategies.

    Only true classes make a result better or worse. Without them the sentence says what changed.
    """
    known = measures(page.study)
    if not known:
        return "There are no scores to compare."
    words = wording.words(page.study)
    measure = known[0]  # accuracy, else the silhouette: more would need a sentence each
    means = {result.name: mean(page, result, measure) for result in ran(page.study)}
    rivals = _rivals(means, words)
    if words.own not in means or not rivals:
        return "Only one strategy could run, so there is no result to compare it with."
    if measure == "silhouette":
        return _unmeasured(page)
    # Differences of the means as shown, so that the sentence agrees with the table.
    gaps = [_gap(means[words.own] - means[name], other) for name, other in rivals]
    scored = page.scored_tasks  # given labels would raise the score of their own tasks
    average = " on average" if len(scored) > 1 else ""
    where = f"in {wording.data_sets(scored)} " if len(scored) < len(page.tasks) else ""
    advice = ""
    best = max(means, key=lambda name: (means[name] > means[words.own], means[name]))
    if means[best] > means[words.own]:
        kmeans = spelled("`--method kmeans`", '`method="kmeans"`')
        again = f" ({kmeans} gives them)" * (best == "k-means alone")
        advice = f" The best scores are those of {best}: consider its clusters instead{again}."
    return (
        f"Measured against the true classes (accuracy in %), {where}{words.subject} is{average} "
        f"{wording.listing(gaps)}.{advice}"
    )


def _unmeasured(page: Page) -> str:
    """Sentence on what sharing changed, for rows without known classes."""
    said = sharing_effect.moves(page, sharing_effect.effects(page)) or _moved(page)
    return " ".join([*said, _UNKNOWN])


def _moved(page: Page) -> list[str]:
    """Sentence with the number of rows that sharing moved to another cluster; [] if unknown."""
    of_tasks = str(page.study.relation) in ("several tasks", "several methods")
    in_views = isinstance(page.study.model, facets.HasViewEvidence)
    if len(page.tasks) == 1 and of_tasks and not in_views:
        return []  # one data set has no others that could help
    words = wording.words(page.study)
    found = {result.name: result.labels for result in ran(page.study)}
    own = found.get(words.own)
    other = found.get(words.baseline)
    if own is None or other is None:
        return []
    moved = sum(_differing(own[rows], other[rows]) for rows in page.rows.values())
    rival = words.rivals.get(words.baseline, words.baseline)
    changed = f"{moved:,} of {wording.count(len(own), 'row')}"
    verb = "is" if moved == 1 else "are"
    if not moved:
        return [f"Compared with {rival}, {words.subject} changes nothing."]
    return [f"Compared with {rival}, {changed} {verb} in another cluster."]


def _differing(labels: Labels, others: Labels) -> int:
    """Number of rows on which two clusterings differ after matching their clusters.

    >>> _differing(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 1]))
    1
    """
    counts = np.zeros((int(labels.max()) + 1, int(others.max()) + 1))
    np.add.at(counts, (labels, others), 1.0)
    matched = matching.assignment(counts)
    return int((matched[labels] != others).sum())


def changes_by_task(page: Page) -> list[str]:
    """Sentences on the effect of sharing, tasks with the same one together; [] for one task."""
    if len(page.tasks) == 1 or page.evidence is None:
        return []
    return wording.told_together(page.evidence.guard_)


def _rivals(means: dict[str, float], words: wording.Words) -> list[tuple[str, str]]:
    """Pairs (result, words for it) to compare with; of single views only the best and worst."""
    views = [n for n in means if n.startswith(wording.VIEW) and not np.isnan(means[n])]
    views.sort(key=lambda name: -means[name])
    # One view is both the best and the worst; it is named once, as the best.
    ends = dict(zip(("best", "worst"), dict.fromkeys([*views[:1], *views[-1:]]), strict=False))
    single = [
        (name, f"the {end} view alone ({name.removeprefix(wording.VIEW)})")
        for end, name in ends.items()
    ]
    others = [name for name in means if name != words.own and not name.startswith(wording.VIEW)]
    return [*single, *((name, words.rivals.get(name, name)) for name in others)]


def mean(page: Page, result: Result, measure: str) -> float:
    """Mean displayed score over the scored tasks; nan if one is undefined."""
    return float(np.mean([score(result, measure, task) for task in page.scored_tasks]))


def with_unit(value: float, measure: str) -> str:
    """Format a score with its unit.

    >>> with_unit(71.23, "accuracy"), with_unit(0.5, "silhouette")
    ('71.2 %', '0.500')
    """
    if measure == "silhouette":
        return wording.decimal(value, 3)
    return f"{wording.decimal(value, 1)} %"


def _gap(gap: float, other: str) -> str:
    """Describe a difference of accuracies in words.

    >>> _gap(3.14, "each data set alone"), _gap(-0.04, "k-means alone")
    ('3.1 points better than each data set alone', 'as good as k-means alone')
    """
    gap = round(gap, 1)
    if np.isnan(gap):
        return f"not comparable with {other}"
    if gap == 0:
        return f"as good as {other}"
    return f"{abs(gap):.1f} points {'better' if gap > 0 else 'worse'} than {other}"


def convergence(page: Page) -> list[str]:
    """Return one sentence on convergence; [] for a method without an objective."""
    if page.traces is None:
        return []
    sweeps = wording.count(int(page.traces.n_iter_), "sweep")
    if page.traces.converged_:
        return [f"The calculation converged after {sweeps}."]
    return [
        f"The calculation stopped after {sweeps}, the maximum, before it converged: a few rows may "
        "still change their cluster. Allow more sweeps (max_iter) to be sure."
    ]
