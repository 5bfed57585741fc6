"""Renders the report as one HTML file without scripts or network access."""

import functools
import os
from collections.abc import Mapping
from typing import Any

import jinja2
from markupsafe import Markup, escape

from kinfolk.disk import writing
from kinfolk.estimators import kept_rows
from kinfolk.profiles import names as kind_names
from kinfolk.report import (
    alluvial,
    canvas,
    cluster_pictures,
    content,
    counterparts,
    figures,
    findings,
    kind_profiles,
    projection,
    replicated,
    sections,
    sizes,
    task_pairs,
    wording,
)
from kinfolk.report.study import Study

_HELP = {
    "knowledge": "What the other site's centers changed",
    "labels": "Labels that were given and found",
    "agreement": "How alike the data sets are",
    "relatedness": "How much the data sets help one another",
    "view-weights": "The weight of each view",
}
"""Id of a section on help from other data -> its title in the list of contents."""


def render(study: Study, run: str = "", holds: str = "") -> str:
    """Return the whole report as HTML; equal studies give equal pages.

    `run` identifies the run whose labels and model are written with the page, if there are any;
    `holds` says what this model holds of single rows, "" for the model of the study.

    Every name from the data is escaped, and the page forbids itself scripts and requests. Ctrl-C
    while pictures are drawn leaves them out.
    """
    with canvas.left_out_after_interrupt():
        return _rendered(study, run, holds)


def _rendered(study: Study, run: str, holds: str) -> str:
    """Return the HTML; pictures that are left out have a sentence in their place."""
    page = content.read(study)  # once: all sections and figures read these facts
    scores = findings.score_tables(page)
    more = sections.sections(page, scores)
    found_again = replicated.lines(page)
    unknown = replicated.too_few_columns(page, found_again)
    places = kind_names.Placeholders(study.names)
    text = _template().render(
        page=page,
        study=study,
        run=run,
        words=wording.words(study),
        explanations=wording.explanations(study),
        gain=wording.gain(study),
        headline=findings.headline(page, places),
        comparison=findings.comparison(page),
        scores=scores,
        score_pictures={table.measure: figures.scores(page, table.measure) for table in scores},
        strongest_help=task_pairs.strongest_help(page),
        relatedness=figures.relatedness(page),
        most_alike=task_pairs.most_alike(page),
        agreement=figures.agreement(page),
        alluvial=alluvial.picture(page),
        counterparts=counterparts.sentences(page, places),
        doubtful=counterparts.DOUBTFUL,
        replicated=[] if unknown else found_again,
        not_replicated=unknown,
        cautions=[study.caution_templates.get(c, c) for c in study.profiles.cautions],
        profiles=kind_profiles.table(page),
        without_averages=wording.listing(kind_profiles.without_averages(page)),
        cards=kind_profiles.cards(page),
        shown_lines=kind_profiles.SHOWN,
        profile_kind=cluster_pictures.kind(study),
        scatter=figures.scatter(page),
        most_points=projection.MOST_POINTS,
        sampled=projection.sampled(page),
        convergence=findings.convergence(page),
        traces=figures.traces(page),
        names=wording.names(study),
        n_columns=_columns(study),
        sizes=sizes.lines(page),
        holds=holds or kept_rows.sentence(study.model),
        help=_help(more, page),
        **more,
    )
    return writing.visible(text)  # marks of direction in a name would turn the text after it


def _columns(study: Study) -> int:
    """Number of columns in the table as read; number of terms for texts."""
    data = study.data
    return study.X.shape[1] if data.columns is None else len(data.columns)


def _help(more: dict[str, Any], page: content.Page) -> tuple[str, str] | None:
    """Id and title of the first section that the page has of sharing and `_HELP`; or None."""
    shown = {
        "sharing": more["sharing"]["effects"],
        "knowledge": more["knowledge"],
        "labels": more["labels"]["counts"],
        "agreement": page.agreement is not None and len(page.agreement) > 1,
        "relatedness": page.relatedness is not None and len(page.relatedness) > 1,
        "view-weights": more["views"]["picture"],
    }
    found = (name for name, present in shown.items() if present)
    titles = {"sharing": more["sharing"]["title"], **_HELP}
    return next(((name, titles[name]) for name in found), None)


@functools.cache
def _template() -> jinja2.Template:
    """Compile the HTML template, once per process."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("kinfolk.report", "."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,  # a misspelt name is an error, not a gap in the page
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(color=canvas.color, ink=canvas.ink, count=wording.count)
    environment.filters["soft"] = soft
    environment.filters["named"] = named
    environment.filters["percent"] = wording.percent
    return environment.get_template("page.html.jinja")


def soft(name: str) -> Markup:
    """Escape a name for HTML, with line breaks allowed after underscores.

    >>> soft("spend_a<b")
    Markup('spend_<wbr>a&lt;b')
    """
    return escape(name).replace("_", Markup("_<wbr>"))


def named(template: str, names: Mapping[int, str]) -> Markup:
    """Escape a sentence for HTML, with names of clusters in spans that can be renamed.

    >>> named(f"{kind_names.called(3, kind_names.Placeholders())} is <small>", {3: "a&b"})
    Markup('<span data-kinds="3">a&amp;b</span> is &lt;small&gt;')
    """

    def span(kinds: list[int], start: bool) -> str:
        text = kind_names.listed(kinds, names, start)
        # The number of a kind stays on the line of the word.
        text = text if len(kinds) > 1 or kinds[0] in names else text.replace(" ", wording.NO_BREAK)
        mark = kind_names.START if start else ""
        return f'<span data-kinds="{mark}{",".join(map(str, kinds))}">{escape(text)}</span>'

    return Markup(kind_names.exchanged(str(escape(template)), span))


def write(study: Study, path: str | os.PathLike[str]) -> None:
    """Render the page and write it to a file atomically.

    Raises OSError if the folder does not exist or cannot be written to.
    """
    writing.write_atomically(path, render(study).encode("utf-8"))
