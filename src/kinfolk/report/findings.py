"""What a study found, in sentences and numbers that a layman understands."""

from dataclasses import dataclass

import numpy as np

from kinfolk.report import groups, wording
from kinfolk.report.study import Result, Study

MEASURES = {"accuracy": "Accuracy", "nmi": "NMI", "silhouette": "Silhouette"}


@dataclass(frozen=True)
class Scores:
    """One measure for every task and contender, as shown.

    Attributes
    ----------
    measure : "accuracy", "nmi" or "silhouette"
    title : the measure's name with its unit
    names : the contenders that ran
    rows : for each task (and the mean of all) its name, the scores in the order of `names`
        as text, the contenders that are best, and the gain as text
    gain : what the gain is, such as "together − alone"; "" where there is none
    """

    measure: str
    title: str
    names: list[str]
    rows: list[tuple[str, list[str], set[str], str]]
    gain: str


def measures(study: Study) -> list[str]:
    """Return what is measured: what needs true classes is left out where there are none."""
    known = study.data.target is not None
    scored = {measure for contender in ran(study) for measure in contender.scores}
    return [m for m in MEASURES if m in scored and (known or m == "silhouette")]


def ran(study: Study) -> list[Result]:
    """Return the contenders that could run."""
    return [contender for contender in study.contenders if contender.labels is not None]


def score(contender: Result, measure: str, task: str) -> float:
    """Return a score as shown, in % except for the silhouette; nan if it is undefined."""
    value = contender.scores.get(measure, {}).get(task, np.nan)
    return round(float(value), 3) if measure == "silhouette" else round(100 * float(value), 1)


def _largest(values: dict[str, float]) -> set[str]:
    top = max((v for v in values.values() if not np.isnan(v)), default=np.nan)
    return {name for name, value in values.items() if value == top}


def tables(study: Study) -> list[Scores]:
    """Return one table of scores for each measure."""
    return [_table(study, measure) for measure in measures(study)]


def _table(study: Study, measure: str) -> Scores:
    names = [contender.name for contender in ran(study)]
    tasks = groups.tasks(study)
    values = np.array([[score(c, measure, task) for c in ran(study)] for task in tasks])
    if len(tasks) > 1:
        tasks = [*tasks, "mean"]
        values = np.vstack([values, values.mean(axis=0)])
    digits = 3 if measure == "silhouette" else 1
    rows = []
    for task, line in zip(tasks, values.round(digits), strict=True):
        shown = dict(zip(names, line.tolist(), strict=True))
        starts = [shown.get(name, np.nan) for name in wording.baseline(study)]
        start = max((value for value in starts if not np.isnan(value)), default=np.nan)
        gain = shown.get("together", np.nan) - start
        texts = [_number(value, digits) for value in line]
        rows.append((task, texts, _largest(shown), _number(gain, digits, "+")))
    unit = "−1 to 1" if measure == "silhouette" else "%"
    title = f"{MEASURES[measure]} ({unit})"
    return Scores(measure, title, names, rows, wording.gain(study))


def _number(value: float, digits: int, sign: str = "") -> str:
    if np.isnan(value):
        return "–"
    return f"{value + 0.0:{sign}.{digits}f}".replace("-", "−")


def headline(study: Study) -> str:
    """Return one sentence with the size of the study and of its result."""
    found = groups.by_group(study)
    shared = sum(len({cluster.task for cluster in members}) > 1 for members in found.values())
    many = len(groups.tasks(study))
    source = f" from {count(many, 'related data set')}" if many > 1 else ""
    sentence = (
        f"{count(len(study.data), 'row')}{source} fall into "
        f"{count(len(groups.clusters(study)), 'cluster')}"
    )
    if many == 1:
        return sentence + "."
    verb = "is" if shared == 1 else "are"
    return f"{sentence}; {count(shared, 'kind')} of cluster {verb} found in more than one data set."


def verdict(study: Study) -> str:
    """Return whether the help helped, as carefully as is known."""
    known = measures(study)
    if not known:
        return "There are no scores to compare."
    measure, words = known[0], wording.words(study)
    means = {c.name: mean(study, c, measure) for c in ran(study)}
    rivals = _rivals(means, words)
    if words.own not in means or not rivals:
        return "Only one way of clustering could run, so there is nothing to compare it with."
    gaps = [_gap(means[words.own] - means[name], other, measure) for name, other in rivals]
    judged = groups.judged(study)
    average = " on average" if len(judged) > 1 else ""
    where = f"in {listing(judged)} " if len(judged) < len(groups.tasks(study)) else ""
    if measure == "silhouette":
        return (
            "The true classes are not known, so nobody can say for certain which way is right. "
            f"By how clearly the clusters stand apart, a hint and not a proof, {where}"
            f"{words.subject} is{average} {listing(gaps)}."
        )
    return f"Measured against the true classes, {where}{words.subject} is{average} {listing(gaps)}."


def by_task(study: Study) -> list[str]:
    """Return what the others changed in each data set; nothing if that is not known."""
    if len(groups.tasks(study)) == 1:
        return []
    return [f"{r['task']}: {r['meaning']}" for r in getattr(study.model, "guard_", [])]


def _rivals(means: dict[str, float], words: wording.Words) -> list[tuple[str, str]]:
    """The ways to compare with and what to call them; of single views the best and the worst."""
    ordered = sorted(
        (name for name in means if name.startswith(wording.VIEW) and not np.isnan(means[name])),
        key=lambda name: -means[name],
    )
    ends = dict(zip(("best", "worst"), dict.fromkeys([*ordered[:1], *ordered[-1:]]), strict=False))
    views = [
        (name, f"the {end} view alone ({name.removeprefix(wording.VIEW)})")
        for end, name in ends.items()
    ]
    others = [
        (name, words.rivals.get(name, name))
        for name in means
        if name != words.own and not name.startswith(wording.VIEW)
    ]
    return [*views, *others]


def mean(study: Study, contender: Result, measure: str) -> float:
    """Return the mean score, as shown, of the tasks that can be judged; nan if one is undefined."""
    return float(np.mean([score(contender, measure, task) for task in groups.judged(study)]))


def with_unit(value: float, measure: str) -> str:
    """Return a score with its unit.

    >>> with_unit(71.23, "accuracy"), with_unit(0.5, "silhouette")
    ('71.2 %', '0.500')
    """
    return _number(value, 3) if measure == "silhouette" else f"{_number(value, 1)} %"


def _gap(gap: float, other: str, measure: str) -> str:
    """How the way shown stands to another: "3.1 points better than each data set alone"."""
    digits, unit = (3, "") if measure == "silhouette" else (1, " points")
    gap = round(gap, digits)
    if np.isnan(gap):
        return f"not comparable with {other}"
    if gap == 0:
        return f"level with {other}"
    return f"{abs(gap):.{digits}f}{unit} {'better' if gap > 0 else 'worse'} than {other}"


def kinship(study: Study) -> str:
    """Return which task helps which the most and the least; "" if that was not learned."""
    R = relatedness(study)
    if R is None or len(R) < 2:
        return ""
    tasks = groups.tasks(study)
    alone = ~(R - np.diag(np.diag(R))).any(axis=1)  # left out of sharing, by whoever
    others = np.where(np.eye(len(R), dtype=bool) | alone | alone[:, None], np.nan, R)
    if np.isnan(others).all():
        return ""
    most = np.unravel_index(np.nanargmax(others), R.shape)
    least = np.unravel_index(np.nanargmin(others), R.shape)
    if others[most] == others[least]:
        return "All data sets contribute to one another equally."
    return (
        f"The strongest help is what {tasks[most[1]]} gives to {tasks[most[0]]} "
        f"({_number(others[most], 2)}), the weakest what {tasks[least[1]]} gives to "
        f"{tasks[least[0]]} ({_number(others[least], 2)})."
    )


def relatedness(study: Study) -> np.ndarray | None:
    """Return how much task s contributes to task t at [t, s], or None if not learned."""
    learned = getattr(study.model, "task_relatedness_", None)
    return None if learned is None else np.asarray(learned, dtype=float)


def convergence(study: Study) -> list[str]:
    """Return whether the descent settled, in a sentence; none for a method without a trace."""
    if not hasattr(study.model, "objective_traces_"):
        return []
    return [_settling("The descent", int(study.model.n_iter_), bool(study.model.converged_))]


def _settling(name: str, steps: int, settled: bool) -> str:
    if settled:
        return f"{name} settled after {count(steps, 'sweep')}."
    return (
        f"{name} had not settled after {count(steps, 'sweep')}, the most allowed; "
        "more sweeps may still change a few rows."
    )


def count(number: int, noun: str, nouns: str = "") -> str:
    """Return a number with its noun, whose plural `nouns` is said where it takes more than an s.

    >>> count(1, "row"), count(2000, "row"), count(2, "class", "classes")
    ('1 row', '2,000 rows', '2 classes')
    """
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def listing(names: list[str]) -> str:
    """Return names as a list in words.

    >>> listing(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
