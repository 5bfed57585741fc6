"""What is particular to a method: related clusters, weights, knowledge, labels, evidence."""

from typing import Any

from markupsafe import Markup

from kinfolk.report import (
    cluster_relatedness,
    evidence,
    guard,
    knowledge_effect,
    known_labels,
    view_weights,
)
from kinfolk.report.study import Study


def sentences(study: Study) -> list[str]:
    """Return all that is to say; nothing for a method without particulars."""
    return [
        *cluster_relatedness.sentences(study),
        *view_weights.sentences(study),
        *(said for each in knowledge_effect.of(study) for said in knowledge_effect.sentences(each)),
        *known_labels.sentences(study),
    ]


def sections(study: Study) -> dict[str, Any]:
    """Return what is shown by `sections.html.jinja` and, of evidence, by `guard.html.jinja`.

    A section without its value is left out.
    """
    return {
        "related": Markup(cluster_relatedness.picture(study)),
        "related_sentences": cluster_relatedness.sentences(study),
        "weights": Markup(view_weights.picture(study)),
        "weight_sentences": view_weights.sentences(study),
        "weight_table": view_weights.table(study),
        "influences": [
            (
                each,
                knowledge_effect.sentences(each),
                Markup(knowledge_effect.picture(study, each, place)),
            )
            for place, each in enumerate(knowledge_effect.of(study))
        ],
        "labels": known_labels.of(study),
        "label_kinds": known_labels.kinds(study),
        "label_sentences": known_labels.sentences(study),
        "cards": (cards := guard.of(study)),
        "signs": guard.signs(cards),
        "compared": guard.compared(study),
        "guard_sentences": guard.sentences(study),
        "guard_picture": Markup(guard.picture(study)),
        "evidence_sentences": evidence.sentences(study),
        "families": evidence.families(study),
        "evidence_pictures": {
            task: Markup(picture) for task, picture in evidence.pictures(study).items()
        },
        "evidence_table": evidence.table(study),
        "left_out": evidence.left_out(study),
    }
