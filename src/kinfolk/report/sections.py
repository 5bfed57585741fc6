"""Collects the optional sections of the page; each has a module and needs a result of the model."""

from typing import Any

from kinfolk.report import (
    cluster_relatedness,
    knowledge_effect,
    known_labels,
    runs,
    sharing_effect,
    view_evidence,
    view_weights,
)
from kinfolk.report.content import Page
from kinfolk.report.findings import ScoreTable


def sentences(page: Page) -> list[str]:
    """Return the sentences of optional sections for the terminal; [] if none.

    How an answer was chosen is on the page only.
    """
    effects = knowledge_effect.effects(page)
    return [
        *cluster_relatedness.sentences(page),
        *view_weights.sentences(page),
        *view_evidence.sentences(page),
        *(sentence for effect in effects for sentence in knowledge_effect.sentences(effect)),
        *known_labels.sentences(page),
    ]


def sections(page: Page, scores: list[ScoreTable]) -> dict[str, Any]:
    """Return the template values of optional sections; empty values hide a section."""
    return {
        "related": {
            "sentences": cluster_relatedness.sentences(page),
            "picture": cluster_relatedness.picture(page),
        },
        "views": {
            "sentences": view_weights.sentences(page),
            "table": view_weights.table(page, scores),
            "picture": view_weights.picture(page),
            "evidence": view_evidence.sentences(page),
            "names": view_evidence.views(page),
            "kinds": view_evidence.lines(page),
            "agreement": view_evidence.picture(page),
        },
        "knowledge": _knowledge(page),
        "labels": {
            "sentences": known_labels.sentences(page),
            "counts": known_labels.counts(page),
            "kinds": known_labels.kinds(page),
        },
        "sharing": _sharing(page),
        "runs": {
            "sentences": runs.sentences(page),
            "methods": runs.methods(page),
            "table": runs.table(page),
            "left_out": runs.left_out(page),
            "warnings": runs.warnings(page),
            "pictures": runs.pictures(page),
        },
    }


def _knowledge(page: Page) -> list[dict[str, Any]]:
    """Return the template values on the effect of another site's centers, one dict per task."""
    return [
        {
            "effect": effect,
            "sentences": knowledge_effect.sentences(effect),
            "picture": knowledge_effect.picture(page, effect, place),
        }
        for place, effect in enumerate(knowledge_effect.effects(page))
    ]


def _sharing(page: Page) -> dict[str, Any]:
    """Return the template values of the section on sharing."""
    effects = sharing_effect.effects(page)
    return {
        "effects": effects,
        "criteria": sharing_effect.criteria(effects),
        "compared": sharing_effect.compared(page),
        "title": sharing_effect.title(page),
        "sentences": sharing_effect.sentences(page, effects),
        "picture": sharing_effect.picture(page, effects),
    }
