"""The two pages of the benchmark: failures and aims; and all tables."""

import re
from collections import defaultdict

import numpy as np

from benchmarks import text_tables
from benchmarks.related import figures, files

EQUAL = 0.005
"""Differences of accuracy up to this are neither better nor worse, which the page says."""
LEAST_SHARE = 0.96
"""Share of the best setting that the answer is to reach on each set."""
SHORT = 3
"""Number of tables on the short page."""
RATES = (f"better by {EQUAL}", f"worse by {EQUAL}", "worse by .02", "better, of those that differ",
         "mean gain")  # fmt: skip
"""Titles of what `_rates` returns after the number of changes."""


def failures(found, sets):
    """Lines on each harmed task, the worst first."""
    cases = defaultdict(list)
    for outcome in found:
        cases[outcome.set, outcome.task].append(outcome)
    lines = []
    for (name, task), mine in cases.items():
        harmed = [outcome for outcome in mine if figures.lost(outcome.gain)]
        if harmed:
            worst = min(harmed, key=lambda outcome: outcome.gain)
            about = sets[name]
            lines.append(
                [
                    f"{name}: {task}", about.split, about.kind, f"{len(harmed)} of {len(mine)}",
                    f"{np.mean([outcome.gain for outcome in mine]):+.3f}", f"{worst.gain:+.3f}",
                    _evidence(harmed),
                ]
            )  # fmt: skip
    lines.sort(key=lambda line: float(line[5]))
    titles = ["task", "split", "kind", "seeds harmed", "mean gain", "worst", "evidence"]
    return [titles, *lines]


def _evidence(cases):
    E = [outcome.evidence for outcome in cases]
    if np.isnan(E).any():
        return "none asked"
    return f"{min(E):.3f}" if len(E) == 1 else f"{min(E):.3f} to {max(E):.3f}"


def _plain(meaning):
    """Reduce the meaning of a guard record to its sentence on the change, without numbers.

    >>> _plain("No clusters found: as tables. A changed 3 of 9 rows. In 2 of 4 such cases it was.")
    'A changed n of m rows.'
    """
    beside = r"(No clusters found:|In \d+ of \d+ such cases|A second, different answer)[^.]*\. ?"
    return re.sub(r"[\d,]+ of [\d,]+ rows", "n of m rows", re.sub(beside, "", meaning)).strip()


def groups(made, sets):
    """Data set names by kind and split: {title: names}."""
    found = {}
    for split in files.SPLITS:
        of_split = [name for name in made if sets[name].split == split]
        found[f"{split}, all"] = of_split
        for kind in files.KINDS:
            found[f"{split}, {kind}"] = [n for n in of_split if sets[n].kind == kind]
        if split == "judging":
            found["judging, never seen"] = [n for n in of_split if not sets[n].seen]
    return {title: names for title, names in found.items() if names}


def summary(made, sets):
    """Table of gain, harm and share of the best setting by split and kind."""
    titles = ["sets", "number", "tasks x seeds", "own", "answer", "answer - own", "95 %",
              "worst task", "in one seed", "harmed", "95 %", "answer / best setting", "95 %",
              "least"]  # fmt: skip
    rows = [titles]
    for title, names in groups(made, sets).items():
        mine = [made[name] for name in names]
        gains = [f.gain for f in mine]
        rates = [f.harmed / f.cases for f in mine]
        cases = [f.cases for f in mine]
        shares = [f.share for f in mine]
        rows.append(
            [
                title, str(len(mine)), str(sum(cases)),
                _mean([f.own for f in mine]), _mean([f.answer for f in mine]),
                f"{np.mean(gains):+.3f}", _between(figures.interval(gains), "{:+.3f}"),
                f"{min(f.worst for f in mine):+.3f}", f"{min(f.worst_once for f in mine):+.3f}",
                f"{np.average(rates, weights=cases):.1%}",
                _between(figures.interval(rates, cases), "{:.1%}"),
                _mean(shares), _between(figures.interval(shares), "{:.3f}"), f"{min(shares):.3f}",
            ]
        )  # fmt: skip
    return rows


def _mean(values):
    return f"{np.mean(values):.3f}"


def _between(bounds, form):
    low, high = bounds
    return f"{form.format(low)} to {form.format(high)}"


def aims(made, found, sets):
    """The aims of sharing on judging sets, beside what was reached."""
    judging = {name: f for name, f in made.items() if sets[name].split == "judging"}
    if not judging:
        return []
    mine = list(judging.values())
    changed = [o.gain for o in found if o.set in judging and abs(o.gain) > EQUAL]
    least = min(judging, key=lambda name: judging[name].share)
    below = sum(f.share < LEAST_SHARE for f in mine)
    rows = [["aim, on judging sets", "reached"]]
    rows.append(["answer - own at least +.020", f"{np.mean([f.gain for f in mine]):+.3f}"])
    for kind in files.KINDS:
        gains = [f.gain for name, f in judging.items() if sets[name].kind == kind]
        if gains:
            rows.append([f"{kind}: answer at least own", f"{np.mean(gains):+.3f}"])
    harmed = sum(f.harmed for f in mine) / sum(f.cases for f in mine)
    rows.append(["harmed at most 2 %", f"{harmed:.1%}"])
    rows.append(["no task below -.050", f"{min(f.worst_once for f in mine):+.3f}"])
    rows.append(["answer / best setting at least 1.00", f"{np.mean([f.share for f in mine]):.3f}"])
    share = f"{judging[least].share:.3f} ({least})"
    rows.append(["at least .96 on each set", f"{below} of {len(mine)} miss it, least {share}"])
    if changed:
        better = sum(gain > 0 for gain in changed)
        share = f"{better / len(changed):.0%} ({better} of {len(changed)})"
        rows.append([f"an answer changed by more than {EQUAL} is better in 95 %", share])
    if "webkb4" in made:
        rows.append(["webkb4 (shaping) at least .770", f"{made['webkb4'].answer:.3f}"])
    return rows


def beside(made, sets):
    """Table of mean accuracy of yardsticks and answer, by split and kind."""
    names = list(next(iter(made.values())).yardsticks)
    rows = [["sets", "answer", "own", "best setting", *names, "answer - best of these"]]
    for title, members in groups(made, sets).items():
        mine = [made[name] for name in members]
        means = {name: [f.yardsticks[name] for f in mine] for name in names}
        shown = [_yardstick(values) for values in means.values()]
        complete = [np.mean(values) for values in means.values() if not np.isnan(values).any()]
        lead = np.mean([f.answer for f in mine]) - max(complete)
        rows.append([title, _mean([f.answer for f in mine]), _mean([f.own for f in mine]),
                     _mean([f.best for f in mine]), *shown, f"{lead:+.3f}"])  # fmt: skip
    return rows


def _yardstick(values):
    """Format a mean over sets, with the number of sets if absent on some."""
    kept = [value for value in values if not np.isnan(value)]
    if not kept:
        return "absent"
    return _mean(kept) if len(kept) == len(values) else f"{_mean(kept)} ({len(kept)})"


def grades(found, sets):
    """Table of proposals by grade of evidence: how many were better than the own answer."""
    rows = [["evidence of a proposal", "split", "proposals", *RATES]]
    for split in files.SPLITS:
        for grade in (*reversed(figures.GRADES), "none asked"):
            gains = [
                outcome.proposed
                for outcome in found
                if sets[outcome.set].split == split and figures.grade(outcome.evidence) == grade
                and not np.isnan(outcome.proposed)
            ]  # fmt: skip
            if gains:
                rows.append([grade, split, *_rates(gains)])
    return rows


def words(found, sets):
    """Table of the report's sentences, and how often the change was better.

    A refused proposal counts by what it would have changed.
    """
    cases = defaultdict(list)
    for outcome in found:
        cases[_plain(outcome.meaning), sets[outcome.set].split].append(
            np.nan_to_num(outcome.proposed)
        )
    rows = [["sentence", "split", "tasks", *RATES]]
    for (meaning, split), gains in sorted(cases.items()):
        rows.append([meaning, split, *_rates(gains)])
    return rows


def _rates(gains):
    gains = np.array(gains)
    better = int((gains > EQUAL).sum())
    worse = int((gains < -EQUAL).sum())
    share = f"{better / (better + worse):.0%}" if better + worse else ""
    return [str(len(gains)), str(better), str(worse), str(sum(map(figures.lost, gains))),
            share, f"{gains.mean():+.3f}"]  # fmt: skip


def refusals(runs, sets):
    """Table of tasks without clusters by the fit: with true classes, and of noise."""
    rows = [["sets", "tasks with classes x seeds", "of these no clusters found", "share",
             "tasks of noise x seeds", "of these no clusters found"]]  # fmt: skip
    for title, names in groups({run.set: run for run in runs}, sets).items():
        tasks = [task for run in runs if run.set in names for task in run.tasks]
        real = [not task["has_clusters"] for task in tasks if task["judged"]]
        noise = [not task["has_clusters"] for task in tasks if not task["judged"]]
        rows.append([title, str(len(real)), str(sum(real)), f"{np.mean(real):.1%}",
                     str(len(noise)), str(sum(noise))])  # fmt: skip
    return rows


def each(made, sets):
    """Table with one line per data set."""
    rows = [["set", "field", "kind", "split", "own", "answer", "answer - own", "worst task",
             "harmed", "answer / best setting", "seconds"]]  # fmt: skip
    order = sorted(made, key=lambda name: (sets[name].split, sets[name].kind, name))
    for name in order:
        f = made[name]
        about = sets[name]
        split = f"{about.split} ({about.seen})" if about.seen else about.split
        rows.append(
            [
                f"{name} ({f.seeds})", about.field, about.kind, split,
                f"{f.own:.3f}", f"{f.answer:.3f}", f"{f.gain:+.3f}", f"{f.worst:+.3f}",
                f"{f.harmed} of {f.cases}", f"{f.share:.3f}", f"{f.seconds:.1f}",
            ]
        )  # fmt: skip
    return rows


def parts(runs, rule, sets):
    """Return {title: table} of a rule in page order; the first `SHORT` are the short page."""
    found = figures.outcomes(runs, rule)
    made = figures.of_sets(runs, found)
    return {
        "Harmed tasks": failures(found, sets),
        "Aims": aims(made, found, sets),
        "By kind of table": summary(made, sets),
        "Beside what a user would try instead": beside(made, sets),
        "How often a supported proposal was better": grades(found, sets),
        "What the report says, and how often it was better": words(found, sets),
        "No clusters found": refusals(runs, sets),
        "Each set": each(made, sets),
    }


def markdown(runs, rule, sets):
    """The measured parts of the short page and of the page with all other tables."""
    seeds = sorted({run.seed for run in runs})
    key = runs[0].path.parent.name
    measured = {run.set for run in runs}
    judging = [name for name in measured if sets[name].split == "judging"]
    unseen = sum(not sets[name].seen for name in judging)
    opening = (
        f"{len(measured)} of {len(sets)} sets: {len(measured) - len(judging)} shaping, "
        f"{len(judging)} judging ({unseen} of these never seen); seeds {min(seeds)} to "
        f"{max(seeds)}, {len(runs)} runs, code {key}."
    )
    made = [
        f"## {title}\n\n{text_tables.markdown(rows) if len(rows) > 1 else 'None.'}"
        for title, rows in parts(runs, rule, sets).items()
    ]
    return tuple("\n\n".join([opening, *some]) + "\n" for some in (made[:SHORT], made[SHORT:]))
