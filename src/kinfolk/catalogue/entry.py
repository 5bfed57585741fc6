"""What is known of a method before it runs."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

from sklearn.base import BaseEstimator

from kinfolk.errors import InputError

Relation = Literal[
    "one data set",
    "several tasks",
    "several views",
    "another site's centres",
    "tasks with labels",
    "several methods",
]
Grid = Mapping[str, tuple[Any, ...]]


@dataclass(frozen=True)
class Entry:
    """What is known of a method before it runs.

    Attributes
    ----------
    name : what the command line and `method` take
    cls : the estimator
    relation : what it clusters: one data set, several tasks, several views of the same rows, one
        data set with another site's centres, or tasks of which some have labels; "several methods"
        asks many of the others about several tasks and gives one answer, without labels
    summary : what it does, in one line
    paper, equations : where it is published, or described
    takes : the data it takes and what it refuses, in one line
    when, when_not : advice, one line each
    preset : parameters that make it this variant
    grid : the parameters its paper tries, with their values
    different_k : whether tasks may have different numbers of clusters
    """

    name: str
    cls: type[BaseEstimator]
    relation: Relation
    summary: str
    paper: str
    equations: str
    takes: str
    when: str
    when_not: str
    preset: Mapping[str, Any] = field(default_factory=dict)
    grid: Grid = field(default_factory=dict)
    different_k: bool = True

    @property
    def of_tasks(self) -> bool:
        """Whether the estimator itself takes several tasks."""
        return self.relation in ("several tasks", "tasks with labels", "several methods")

    def variant(self, name: str, preset: Mapping[str, Any], **changes: Any) -> Self:
        """Return a method that differs by a preset; what it fixes is no longer in the grid."""
        grid = {key: values for key, values in self.grid.items() if key not in preset}
        return replace(self, **{"name": name, "preset": preset, "grid": grid, **changes})

    def make(self, **parameters: Any) -> Any:
        """Return an estimator of this variant; InputError names a parameter it does not have."""
        known = self.cls().get_params(deep=False)
        for name in parameters:
            if name not in known:
                raise InputError(
                    f"{self.name} has no parameter {name!r}; it has {', '.join(known)}."
                )
        return self.cls(**{**self.preset, **parameters})

    def seeded(self, random_state: Any, **parameters: Any) -> Any:
        """`make`, with the seed where the method draws random numbers."""
        drawn = "random_state" in self.cls().get_params(deep=False)
        return self.make(**({"random_state": random_state} if drawn else {}), **parameters)
