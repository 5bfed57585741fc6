"""Text and HTML of a comparison: kinds, what sets them apart, mean scores and their meaning.

>>> from kinfolk.comparison import compare
>>> from kinfolk.datasets import makers
>>> found = compare(makers.make_related_blobs(random_state=0), n_clusters=3, method="mec")
>>> print(as_text(found.study))
The 200 rows of 2 data sets are of 4 kinds: kind 0 (68 rows, 34 %), kind 1
(66 rows, 33 %), kind 2 (33 rows, 16 %) and kind 3 (33 rows, 16 %).
  kind 0: x1 −4 (others 17), x0 −5 (others 8)
  kind 1: x1 30 (others 1), x0 17 (others −3)
  kind 2: x0 −28 (others 5), x1 19 (others 13)
  kind 3: x0 26 (others 6), x1 −9 (others 12)
mec on blobs: 200 rows in 2 tasks; mean scores of the tasks
               silhouette    accuracy         nmi
alone               0.949       1.000       1.000
pooled              0.795       0.835       0.880
together                –           –           –
k-means alone       0.949       1.000       1.000
Measured against the true classes (accuracy in %), clustering each data set by itself is
on average 16.5 points better than all rows pooled and as good as k-means alone.
"""

import html
import textwrap
from collections.abc import Mapping

import numpy as np

from kinfolk.report import content, findings, kind_profiles, sizes, wording
from kinfolk.report.study import Study

_WIDTH = 88
"""Most characters of a line of text; a terminal would break longer ones within words."""


def as_text(study: Study) -> str:
    """Format a comparison for a terminal."""
    kinds, traits, title, judged = _sentences(study)
    measures, lines = mean_scores(study)
    width = max(len(line[0]) for line in lines)
    head = " " * width + "".join(f"{name:>12}" for name in measures)
    body = (f"{name:{width}}" + "".join(f"{s:>12}" for s in means) for name, *means in lines)
    of_kinds = [_wrapped(line, "  ") for line in traits]
    return "\n".join([_wrapped(kinds), *of_kinds, title, head, *body, _wrapped(judged)])


def as_html(study: Study) -> str:
    """Format a comparison for a notebook; names are escaped."""
    kinds, traits, title, judged = _sentences(study)
    measures, lines = mean_scores(study)
    head = "".join(f"<th>{html.escape(name)}</th>" for name in ["", *measures])
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in line) + "</tr>"
        for line in lines
    )
    table = f"<table><caption>{html.escape(title)}</caption><tr>{head}</tr>{body}</table>"
    listed = "".join(f"<li>{html.escape(line)}</li>" for line in traits)
    of_kinds = f"<ul>{listed}</ul>" if listed else ""
    return f"<p>{html.escape(kinds)}</p>{of_kinds}{table}<p>{html.escape(judged)}</p>"


def mean_scores(study: Study) -> tuple[list[str], list[list[str]]]:
    """Return names of measures, and for each strategy its name and formatted mean scores."""
    # In the order of the results; a strategy that does not apply has no measures.
    measured = list(dict.fromkeys(m for result in study.results for m in result.scores))
    lines = []
    for result in study.results:
        means = [_mean(result.scores.get(measure, {})) for measure in measured]
        lines.append([result.name, *means])
    return measured, lines


def _sentences(study: Study) -> tuple[str, list[str], str, str]:
    """Return a sentence on all kinds, one on each, the table's title, and one on the scores."""
    page = content.read(study)
    tasks = wording.count(len(study.data.task_names), "task")
    title = (
        f"{study.method} on {study.data.name}: {len(study.data)} rows in {tasks}; "
        "mean scores of the tasks"
    )
    traits = kind_profiles.sentences(page) if sizes.are_divided(page) else []
    return findings.headline(page), traits, title, findings.comparison(page)


def _wrapped(sentence: str, indent: str = "") -> str:
    """Break a sentence into lines, never between a number and its unit."""
    lines = textwrap.fill(
        sentence,
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=2 * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return lines.replace(wording.NO_BREAK, " ")


def _mean(of_tasks: Mapping[str, float]) -> str:
    """Format the mean score of the tasks that have one, or a dash."""
    # The silhouette of a task with one cluster is not a number.
    values = [value for value in of_tasks.values() if np.isfinite(value)]
    return f"{np.mean(values):.3f}" if values else "–"
