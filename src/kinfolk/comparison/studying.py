"""Fits the strategies of a comparison to prepared rows, and collects the input of a report."""

from dataclasses import replace
from typing import Any

from kinfolk.arrays import Table
from kinfolk.catalogue import Entry, strategies
from kinfolk.catalogue.strategies import Setup
from kinfolk.comparison import evaluation, other_site
from kinfolk.comparison.notes import notes_on_help, notes_on_runs
from kinfolk.comparison.settings import settings
from kinfolk.knowledge import Knowledge
from kinfolk.numerics import kinds, threads
from kinfolk.preparation import Preparation
from kinfolk.report.study import Study
from kinfolk.running import interruptions


def study(
    setup: Setup,
    knowledge: Any,
    preparation: Preparation,
    notes: list[str],
    command: str,
) -> tuple[Study, Preparation]:
    """Return the results of all strategies on prepared rows, and the fitted preparation.

    Parameters
    ----------
    setup : with the rows as they were read
    knowledge : centers of another site, or the file that holds them, or None
    preparation : of the rows, fitted or not; with knowledge that of the other site is taken
    notes : on how the rows were read
    command : to show in the report
    """
    setup, preparation, units = _with_knowledge(setup, knowledge, preparation)
    setup, X = _prepared(setup, preparation)
    entry = setup.entry
    planned = strategies.of(setup)
    shown = next(strategy for strategy in planned if strategy.name == entry.relation.shown)
    scales = preparation.scales(setup.data.task_names)
    seen = evaluation.ComparedRows(
        setup.data, X, preparation.columns_are_scaled, scales, preparation.feature_names
    )
    with threads.suited(X), interruptions.keeping():
        results, warned = evaluation.fit_all(planned, shown, seen)
    said = [*warned, *notes_on_help(setup), *notes_on_runs(shown.estimator, warned)]
    parameters = shown.estimator.get_params()
    found = Study(
        data=setup.data,
        X=seen.filled,
        feature_names=preparation.feature_names,
        model=shown.estimator,
        method=entry.name,
        relation=str(entry.relation),
        results=results,
        settings=settings(entry.name, parameters, preparation, setup.random_state),
        command=command,
        notes=[*notes, *units, *preparation.notes, *said],
        scored_by=seen.scored.description,
        terms=preparation.terms_of(setup.data),
    )
    return found, preparation


def _with_knowledge(
    setup: Setup, knowledge: Any, preparation: Preparation
) -> tuple[Setup, Preparation, list[str]]:
    """Add another site's centers to the parameters; also its preparation, and notes on units."""
    if knowledge is None:
        return setup, preparation, []
    known = knowledge if isinstance(knowledge, Knowledge) else Knowledge.load(knowledge)
    known, preparation, units = other_site.adapted(known, preparation, setup.data)
    parameters = {**setup.parameters, "knowledge": known}
    return setup._replace(parameters=parameters), preparation, units


def _prepared(setup: Setup, preparation: Preparation) -> tuple[Setup, Table]:
    """Return a setup for prepared rows X (n, d), and X; the preparation is fitted if need be."""
    fitted = bool(preparation.feature_names)
    X = preparation.transform(setup.data) if fitted else preparation.fit_transform(setup.data)
    # A category has several columns as prepared, so that views end elsewhere than in the table.
    data = replace(setup.data, views=preparation.views(setup.data))
    parameters = {**_scaled_already(setup.entry, preparation), **setup.parameters}
    return setup._replace(data=data, parameters=parameters), X


def _scaled_already(entry: Entry, preparation: Preparation) -> dict[str, Any]:
    """Return the parameters that make a method keep the scale of prepared columns."""
    if not preparation.columns_are_scaled:
        return {}
    known = entry.cls().get_params(deep=False)
    told: dict[str, Any] = {}
    if "columns_are_scaled" in known:  # a method that would scale columns otherwise
        told["columns_are_scaled"] = True
    # A category has as many 0/1 columns as values, which would decide by their number.
    if known.get("affinity") == kinds.AUTO:
        told["affinity"] = kinds.MEASUREMENTS
    return told
