"""One self-contained page about one study: no script, no network, one file to send around."""

import os

import jinja2
from markupsafe import Markup

from kinfolk import writing
from kinfolk.report import (
    alluvial,
    canvas,
    cluster_profiles,
    counterparts,
    figures,
    findings,
    groups,
    projection,
    sections,
    wording,
)
from kinfolk.report.study import Study


def render(study: Study) -> str:
    """Return the whole page as HTML; the same study gives the same page.

    Every name from the data is escaped, and the page forbids itself scripts and requests.
    """
    house = jinja2.Environment(
        loader=jinja2.PackageLoader("kinfolk.report", "."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    house.globals.update(colour=canvas.colour, ink=canvas.ink, plain=canvas.plain)
    house.globals.update(findings=findings)
    scores = findings.tables(study)
    gathered = cluster_profiles.of(study)
    return house.get_template("page.html.jinja").render(
        study=study,
        tasks=groups.tasks(study),
        groups=groups.by_group(study),
        words=wording.words(study),
        meanings=wording.meanings(study),
        gain=wording.gain(study),
        scores=scores,
        truth=study.data.target is not None,
        contests={table.measure: Markup(figures.contest(study, table.measure)) for table in scores},
        relatedness=Markup(figures.relatedness(study)),
        ribbons=Markup(alluvial.picture(study)),
        counterparts=counterparts.sentences(study),
        portraits=gathered,
        kind=cluster_profiles.kind(study),
        shared=cluster_profiles.shared(gathered),
        clouds={task: Markup(svg) for task, svg in figures.scatter(study).items()},
        most_points=projection.MOST_POINTS,
        sampled=any(
            len(groups.rows(study, task)) > projection.MOST_POINTS for task in groups.tasks(study)
        ),
        traces=Markup(figures.traces(study)),
        **sections.sections(study),
    )


def write(study: Study, path: str | os.PathLike[str]) -> None:
    """Write the page to a file, whole or not at all; an older file is replaced at the end.

    Raises OSError if the folder does not exist or cannot be written to.
    """
    writing.write_atomically(path, render(study).encode("utf-8"))
