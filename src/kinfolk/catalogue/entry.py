"""Catalogue entry of one method: its class, its paper, and advice on when to use it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from typing import Any, Self

from kinfolk.catalogue.relation import Relation
from kinfolk.errors import InputError

Grid = Mapping[str, tuple[Any, ...]]

FIDELITIES = {
    "exact": "objective and steps are those of the publication or of its authors' code",
    "derived": "the objective is published; steps of ours minimize it",
    "reconstruction": "the structure is published; formulas of ours fill what could not be read",
    "own": "the method is of no publication",
}
"""Fidelity of a method, in the form in which the papers' tables are run -> its meaning."""


@dataclass(frozen=True)
class Entry:
    """Description of a method: class, paper, parameters, requirements, advice.

    Attributes
    ----------
    name : as the command line and `catalogue.method` take it
    class_path : module and name of the estimator's class
    relation : the help that the method takes beside the rows of one data set
    summary : description in one line
    paper, equations : the publication, and the numbers of its equations in the code
    fidelity : a key of `FIDELITIES`
    takes : the tables that the method accepts and those that it refuses
    when, when_not : advice on when to use the method
    preset : parameters that distinguish a variant from the method it varies
    grid : parameter -> values tried in the paper
    different_k : True if tasks may have different numbers of clusters
    """

    name: str
    class_path: tuple[str, str]
    relation: Relation
    summary: str
    paper: str
    equations: str
    fidelity: str
    takes: str
    when: str
    when_not: str
    preset: Mapping[str, Any] = field(default_factory=dict)
    grid: Grid = field(default_factory=dict)
    different_k: bool = True

    @cached_property
    def cls(self) -> Any:
        """The class of the estimator, imported when it is first asked for.

        >>> from kinfolk import catalogue
        >>> catalogue.method("mtcfir").cls.__name__
        'MTCFIR'
        """
        module, name = self.class_path
        return getattr(import_module(module), name)

    @property
    def described_fidelity(self) -> str:
        """Fidelity of the method to its paper ("exact", ...), with an explanation.

        >>> from kinfolk import catalogue
        >>> catalogue.method("kinfolk").described_fidelity
        'own: the method is of no publication'
        """
        return f"{self.fidelity}: {FIDELITIES[self.fidelity]}"

    def variant(self, name: str, preset: Mapping[str, Any], **changes: Any) -> Self:
        """Return the entry of a variant: the same method with `preset` on top of its own preset.

        Examples
        --------
        >>> from kinfolk import catalogue
        >>> fixed = catalogue.method("lssttc").variant("lssttc-20", {"n_components": 20})
        >>> fixed.make(), dict(fixed.grid)
        (LSSTTC(n_components=20), {'own_weight': (0.25, 0.5, 0.75)})
        """
        # A preset parameter is not free any more, so the grid must not try values of it.
        grid = {key: values for key, values in self.grid.items() if key not in preset}
        merged = {**self.preset, **preset}
        return replace(self, **{"name": name, "preset": merged, "grid": grid, **changes})

    def make(self, **parameters: Any) -> Any:
        """Return an unfitted estimator; InputError for a parameter that the method lacks.

        Examples
        --------
        >>> from kinfolk import catalogue
        >>> catalogue.method("mtcfir-nr").make(n_layers=2)
        MTCFIR(n_layers=2, weigh_tasks=False)
        """
        known = self.cls().get_params(deep=False)
        for name in parameters:
            if name not in known:
                raise InputError(
                    f"{self.name} has no parameter {name!r}; it has {', '.join(known)}."
                )
        # A parameter of the caller wins: a preset is only the default of the variant.
        return self.cls(**{**self.preset, **parameters})

    def seeded(self, random_state: Any, **parameters: Any) -> Any:
        """Return `make(**parameters)` with `random_state` set if the method has it.

        Examples
        --------
        >>> from kinfolk import catalogue
        >>> catalogue.method("kmeans").seeded(7, n_init=1), catalogue.method("ncut").seeded(7)
        (KMeans(n_init=1, random_state=7), NCut(random_state=7))
        """
        if "random_state" in self.cls().get_params(deep=False):
            parameters = {"random_state": random_state, **parameters}
        return self.make(**parameters)
