"""Reads `methods.toml`, the entries of all methods."""

import tomllib
from collections.abc import Mapping
from typing import Any

from kinfolk.catalogue import relation
from kinfolk.catalogue.entry import FIDELITIES, Entry
from kinfolk.errors import FileFormatError

_CLASSES_OF = {
    "kinfolk.choosing.estimator": ("Kinfolk",),
    "kinfolk.methods.multitask.baselines": ("PerTask", "Pooled"),
    "kinfolk.methods.multitask.bregman": ("MBC",),
    "kinfolk.methods.multitask.discriminative": ("DMTFCLS", "DMTRCLS"),
    "kinfolk.methods.multitask.feature_instance": ("MTCFIR",),
    "kinfolk.methods.multitask.instances_transfer": ("MTCTKI",),
    "kinfolk.methods.multitask.joint_spectral": ("JointSpectral",),
    "kinfolk.methods.multitask.kernel_bregman": ("MKC",),
    "kinfolk.methods.multitask.model_relation": ("MTCMRL",),
    "kinfolk.methods.multitask.mtl_gmm": ("MTLGMM",),
    "kinfolk.methods.multitask.multitask_spectral": ("MTSC",),
    "kinfolk.methods.multitask.self_adapted": ("SAMTC",),
    "kinfolk.methods.multitask.self_taught": ("STC",),
    "kinfolk.methods.multitask.shared_covariance": ("SharedCovarianceMixture",),
    "kinfolk.methods.multitask.shared_subspace": ("LSSMTC",),
    "kinfolk.methods.multitask.transfer_spectral": ("TSC",),
    "kinfolk.methods.multiview.collaborative_fuzzy": ("CoFKM",),
    "kinfolk.methods.multiview.concept_collaboration": ("CoMVCF",),
    "kinfolk.methods.multiview.consensus_subspace": ("CoMSC",),
    "kinfolk.methods.multiview.coregularized_spectral": ("CoregularizedSpectral",),
    "kinfolk.methods.multiview.cotrained_spectral": ("CotrainedSpectral",),
    "kinfolk.methods.multiview.hidden_view": ("MVCoVH",),
    "kinfolk.methods.multiview.joined_kmeans": ("JoinedKMeans",),
    "kinfolk.methods.multiview.joint_nonnegative": ("MultiNMF",),
    "kinfolk.methods.multiview.neighborhood_average": ("NEMO",),
    "kinfolk.methods.multiview.pseudo_labels": ("PLCMF",),
    "kinfolk.methods.multiview.similarity_fusion": ("SNF",),
    "kinfolk.methods.multiview.structured_concepts": ("MVCF",),
    "kinfolk.methods.multiview.unified_subspace": ("COMVSC",),
    "kinfolk.methods.single.concept": ("ConceptFactorization",),
    "kinfolk.methods.single.entropy": ("MEC",),
    "kinfolk.methods.single.laplacian_rank": ("CLR",),
    "kinfolk.methods.single.normalized_cut": ("NCut",),
    "kinfolk.methods.single.principal": ("PCAKMeans",),
    "kinfolk.methods.single.soft_kmeans": ("SoftKMeans",),
    "kinfolk.methods.single.subspace_iteration": ("ASI",),
    "kinfolk.methods.single.symmetric": ("SymNMF",),
    "kinfolk.methods.single.tied_mixture": ("TiedGaussianMixture",),
    "kinfolk.methods.transfer.coclustering": ("CoCC",),
    "kinfolk.methods.transfer.entropy_transfer": ("KTMEC",),
    "kinfolk.methods.transfer.harmonic_fields": ("GFHF",),
    "kinfolk.methods.transfer.linear_svm": ("LinearSVM",),
    "kinfolk.methods.transfer.local_global": ("LLGC",),
    "kinfolk.methods.transfer.shared_subspace": ("LSSTTC",),
    "kinfolk.methods.transfer.spectral_classes": ("CDSC",),
    "kinfolk.methods.transfer.transductive_svm": ("TSVM",),
    "sklearn.cluster": ("KMeans",),
}
# Only these can be named: the file holds data, and nothing else is imported for it.
MODULES = {name: module for module, names in _CLASSES_OF.items() for name in names}
"""Class of `methods.toml` -> the module that defines it, imported when the class is first used."""

_TEXTS = ("summary", "paper", "equations", "fidelity", "takes", "when", "when_not")
_REQUIRED = ("name", "class", "relation", *_TEXTS)
_TYPES: dict[str, type] = {
    **dict.fromkeys((*_REQUIRED, "parent"), str),
    "preset": dict,
    "grid": dict,
    "different_k": bool,
}


def read(text: str) -> dict[str, Entry]:
    """Parse entries by name from a text in the format of `methods.toml`.

    Raises
    ------
    FileFormatError : the text is no TOML, or a method in it is incomplete or has an unknown
        key, class, relation or parent

    Examples
    --------
    >>> found = read('''
    ... [[methods]]
    ... name = "mec"
    ... class = "MEC"
    ... relation = "one data set"
    ... summary = "soft k-means"
    ... paper = "Karayiannis (1994)"
    ... equations = "(1)"
    ... fidelity = "exact"
    ... takes = "Any numbers."
    ... when = "Clusters overlap."
    ... when_not = "There are many columns."
    ... grid = { temperature = [0.5, 1, 2] }
    ... [[methods]]
    ... name = "hot-mec"
    ... parent = "mec"
    ... preset = { temperature = 9.0 }
    ... ''')
    >>> found["mec"].make(), dict(found["mec"].grid)
    (MEC(), {'temperature': (0.5, 1, 2)})
    >>> found["hot-mec"].make(), dict(found["hot-mec"].grid), found["hot-mec"].paper
    (MEC(temperature=9.0), {}, 'Karayiannis (1994)')
    """
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FileFormatError(f"The methods are not written in TOML: {error}.") from error
    tables = content.pop("methods", None)
    lists = isinstance(tables, list) and all(isinstance(table, dict) for table in tables)
    if content or not lists:
        raise FileFormatError("The methods need tables [[methods]] and nothing beside them.")
    entries: dict[str, Entry] = {}
    # From top to bottom, so that a parent is read before its variants, and no circle can arise.
    for table in tables:
        entry = _entry(table, entries)
        if entry.name in entries:
            raise FileFormatError(f"Two methods have the name {entry.name!r}.")
        entries[entry.name] = entry
    return entries


def _entry(table: Mapping[str, Any], above: Mapping[str, Entry]) -> Entry:
    """Build the entry of one TOML table; `above` holds possible parents of a variant."""
    facts = dict(table)
    _check(facts)
    if "class" in facts:
        name = facts["class"]
        facts["class_path"] = (_named("class", facts, MODULES), name)
    if "relation" in facts:
        facts["relation"] = _named("relation", facts, relation.RELATIONS)
    if "grid" in facts:  # entries are shared, so nothing in them may change
        facts["grid"] = {key: tuple(values) for key, values in facts["grid"].items()}
    if "parent" not in facts:
        return Entry(**facts)
    parent = _named("parent", facts, above)
    return parent.variant(facts.pop("name"), facts.pop("preset"), **facts)


def _check(facts: Mapping[str, Any]) -> None:
    """Raise FileFormatError for a key that is unknown, missing or of the wrong type."""
    method = f"Method {facts.get('name', '')!r}"  # the name itself may be missing
    # A variant takes all else from its parent.
    required = ("name", "preset") if "parent" in facts else _REQUIRED
    if unknown := sorted(facts.keys() - _TYPES):
        raise FileFormatError(f"{method} has unknown keys: {', '.join(unknown)}.")
    if missing := [key for key in required if key not in facts]:
        raise FileFormatError(f"{method} lacks {', '.join(missing)}.")
    for key, value in facts.items():
        if not isinstance(value, _TYPES[key]):
            raise FileFormatError(f"{method}: {key} must be a {_TYPES[key].__name__}.")
    if facts.get("fidelity", "own") not in FIDELITIES:
        raise FileFormatError(f"{method}: fidelity must be one of {', '.join(FIDELITIES)}.")
    for parameter, values in facts.get("grid", {}).items():
        if not isinstance(values, list):
            raise FileFormatError(f"{method}: the grid of {parameter} must be a list of values.")


def _named(key: str, facts: dict[str, Any], known: Mapping[str, Any]) -> Any:
    """Remove a key from the facts, and look its value up in a table."""
    value = facts.pop(key)
    if value not in known:
        raise FileFormatError(
            f"Method {facts['name']!r} has the unknown {key} {value!r}; known are "
            f"{', '.join(known)}."
        )
    return known[value]
