"""Scores, relatedness and convergence of a study, as tables and sentences.

>>> import kinfolk as kf
>>> from kinfolk.report.content import read
>>> data = kf.datasets.make_related_blobs(20, n_features=4, random_state=0)
>>> study = kf.compare(data, n_clusters=3, method="mtcfir").study
>>> page = read(study)
>>> print(headline(page))
40 rows from 2 related data sets fall into 6 clusters; 3 kinds of cluster are found in more than
one data set.
>>> print(comparison(page))
Measured against the true classes, clustering together is on average as good as each data set
alone, 15.0 points better than all rows pooled and as good as k-means alone.
>>> measures(study)
['accuracy', 'nmi', 'silhouette']
>>> for line in score_tables(page)[0].lines:
...     print(line.task, line.texts, line.gain)
task-0 ['100.0', '100.0', '100.0', '100.0'] +0.0
task-1 ['100.0', '70.0', '100.0', '100.0'] +0.0
mean ['100.0', '85.0', '100.0', '100.0'] +0.0
>>> print(strongest_help(page))
The largest contribution goes from task-0 to task-1 (0.52), the smallest from task-1 to task-0
(0.28).
"""

from dataclasses import dataclass

import numpy as np

from kinfolk.report import wording
from kinfolk.report.content import Page
from kinfolk.report.study import Result, Study

MEASURES = {"accuracy": "Accuracy", "nmi": "NMI", "silhouette": "Silhouette"}


@dataclass(frozen=True)
class ScoreLine:
    """The scores of one task, as a line of a table.

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
    """The scores of one measure, as shown.

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
    """Return the measures to show, the most telling first; without true classes the silhouette."""
    # Scores may exist although the classes are not to be shown: the target decides.
    known = study.data.target is not None
    scored = {measure for result in ran(study) for measure in result.scores}
    return [m for m in MEASURES if m in scored and (known or m == "silhouette")]


def ran(study: Study) -> list[Result]:
    """Return the results of the strategies that could run."""
    return [result for result in study.results if result.labels is not None]


def score(result: Result, measure: str, task: str) -> float:
    """Return a score as shown, in % except for the silhouette; nan if it is undefined.

    >>> result = Result("alone", "", None, scores={"nmi": {"texas": 0.71234}})
    >>> score(result, "nmi", "texas"), score(result, "nmi", "cornell")
    (71.2, nan)
    """
    value = result.scores.get(measure, {}).get(task, np.nan)
    return round(float(value), 3) if measure == "silhouette" else round(100 * float(value), 1)


def score_tables(page: Page) -> list[ScoreTable]:
    """Return a table of scores for each measure."""
    return [_table(page, measure) for measure in measures(page.study)]


def _table(page: Page, measure: str) -> ScoreTable:
    results = ran(page.study)
    tasks = page.tasks
    values = np.array([[score(result, measure, task) for result in results] for task in tasks])
    if len(tasks) > 1:
        # nan in one task makes the mean nan: a mean over fewer tasks could not be compared.
        tasks = [*tasks, "mean"]
        values = np.vstack([values, values.mean(axis=0)])
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
    unit = "−1 to 1" if measure == "silhouette" else "%"
    title = f"{MEASURES[measure]} ({unit})"
    return ScoreTable(measure, title, names, lines, wording.gain(page.study))


def _top(values: list[float]) -> float:
    return max((value for value in values if not np.isnan(value)), default=np.nan)


def headline(page: Page) -> str:
    """Return one sentence with the size of the study and of its result."""
    shared = sum(len({cluster.task for cluster in found}) > 1 for found in page.groups.values())
    many = len(page.tasks)
    source = f" from {wording.count(many, 'related data set')}" if many > 1 else ""
    rows = wording.count(len(page.study.data), "row")
    sentence = f"{rows}{source} fall into {wording.count(len(page.clusters), 'cluster')}"
    if many == 1:
        return sentence + "."
    verb = "is" if shared == 1 else "are"
    kinds = wording.count(shared, "kind")
    return f"{sentence}; {kinds} of cluster {verb} found in more than one data set."


def comparison(page: Page) -> str:
    """Return how much better or worse the result shown is than the others, in words."""
    known = measures(page.study)
    if not known:
        return "There are no scores to compare."
    measure = known[0]  # accuracy, else the silhouette: more would need a sentence each
    words = wording.words(page.study)
    means = {result.name: mean(page, result, measure) for result in ran(page.study)}
    rivals = _rivals(means, words)
    if words.own not in means or not rivals:
        return "Only one strategy could run, so there is no result to compare it with."
    # Differences of the means as shown, so that the sentence agrees with the table.
    gaps = [_gap(means[words.own] - means[name], other, measure) for name, other in rivals]
    scored = page.scored_tasks  # given labels would raise the score of their own tasks
    average = " on average" if len(scored) > 1 else ""
    where = f"in {wording.listing(scored)} " if len(scored) < len(page.tasks) else ""
    if measure == "silhouette":
        return (
            "The true classes are not known, so these results cannot be checked for certain. The "
            "silhouette, which measures how well clusters are separated, is a hint and not a "
            f"proof: by it, {where}{words.subject} is{average} {wording.listing(gaps)}."
        )
    advice = ""
    best = max(means, key=lambda name: (means[name] > means[words.own], means[name]))
    if means[best] > means[words.own]:
        advice = f" The best scores are those of {best}: consider its clusters instead."
    return (
        f"Measured against the true classes, {where}{words.subject} is{average} "
        f"{wording.listing(gaps)}.{advice}"
    )


def changes_by_task(page: Page) -> list[str]:
    """Return what the other data sets changed in each; [] for one data set or if not known."""
    if len(page.tasks) == 1 or page.evidence is None:
        return []
    return [f"{record['task']}: {record['meaning']}" for record in page.evidence.guard_]


def _rivals(means: dict[str, float], words: wording.Words) -> list[tuple[str, str]]:
    """List the results to compare with and their names; of single views the best and the worst."""
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
    """Return the mean score, as shown, of the scored tasks; nan if one is undefined."""
    return float(np.mean([score(result, measure, task) for task in page.scored_tasks]))


def with_unit(value: float, measure: str) -> str:
    """Return a score with its unit.

    >>> with_unit(71.23, "accuracy"), with_unit(0.5, "silhouette")
    ('71.2 %', '0.500')
    """
    if measure == "silhouette":
        return wording.decimal(value, 3)
    return f"{wording.decimal(value, 1)} %"


def _gap(gap: float, other: str, measure: str) -> str:
    """Put a difference of scores in words.

    >>> _gap(3.14, "each data set alone", "nmi"), _gap(-0.01, "k-means", "silhouette")
    ('3.1 points better than each data set alone', '0.010 worse than k-means')
    """
    digits, unit = (3, "") if measure == "silhouette" else (1, " points")
    gap = round(gap, digits)
    if np.isnan(gap):
        return f"not comparable with {other}"
    if gap == 0:
        return f"as good as {other}"
    return f"{abs(gap):.{digits}f}{unit} {'better' if gap > 0 else 'worse'} than {other}"


def strongest_help(page: Page) -> str:
    """Return the largest and the smallest contribution between tasks; "" if not learned."""
    R = page.relatedness
    if R is None or len(R) < 2:
        return ""
    # A task with zeros in its whole row and column took no part in sharing: leave it out.
    alone = np.asarray(~(R - np.diag(np.diag(R))).any(axis=1))
    hidden = np.eye(len(R), dtype=bool) | alone[None, :] | alone[:, None]
    others = np.where(hidden, np.nan, R)
    if np.isnan(others).all():
        return ""
    most = np.unravel_index(np.nanargmax(others), R.shape)
    least = np.unravel_index(np.nanargmin(others), R.shape)
    if others[most] == others[least]:
        return "All data sets contribute to one another equally."
    tasks = page.tasks
    return (
        f"The largest contribution goes from {tasks[most[1]]} to {tasks[most[0]]} "
        f"({wording.decimal(others[most], 2)}), the smallest from {tasks[least[1]]} to "
        f"{tasks[least[0]]} ({wording.decimal(others[least], 2)})."
    )


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
