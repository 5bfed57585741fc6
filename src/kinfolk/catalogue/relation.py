"""Relations between data sets (tasks, views, knowledge, labels) that methods use."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Relation:
    """Kind of related data that a method uses: tasks, views, another site's centers, labels.

    Attributes
    ----------
    name : as users read it and stores keep it
    of_tasks : True if the estimator itself is fitted on the rows of several tasks
    options : the arguments of `kf.compare`, and options of `kinfolk run`, that only some methods
        take and methods of this relation do
    finds_n_clusters : True if the methods take n_clusters="auto"
    scale : the scaling of rows unless the user chooses another
    shown : the strategy whose clusters a report shows

    Examples
    --------
    >>> print(SEVERAL_VIEWS, SEVERAL_VIEWS.options, SEVERAL_VIEWS.scale)
    several views ('views',) unit
    """

    name: str
    of_tasks: bool = False
    options: tuple[str, ...] = ()
    finds_n_clusters: bool = False
    scale: str = "none"
    shown: str = "together"

    def __str__(self) -> str:
        return self.name


ONE_DATA_SET = Relation("one data set", shown="alone")
SEVERAL_TASKS = Relation("several tasks", of_tasks=True)
# Views come in different units; without unit rows the one with the largest numbers decides alone.
SEVERAL_VIEWS = Relation("several views", options=("views",), scale="unit")
OTHER_SITE = Relation("another site's centers", options=("knowledge",))
KNOWN_LABELS = Relation("tasks with labels", of_tasks=True, options=("labels",))
SEVERAL_METHODS = Relation(
    "several methods",
    of_tasks=True,
    options=("labels", "budget", "jobs", "views"),
    finds_n_clusters=True,
)

RELATIONS = {
    str(relation): relation
    for relation in (
        *(ONE_DATA_SET, SEVERAL_TASKS, SEVERAL_VIEWS),
        *(OTHER_SITE, KNOWN_LABELS, SEVERAL_METHODS),
    )
}
"""The relations by name."""
