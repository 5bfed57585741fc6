"""Related tables as one table: rows belong to tasks, columns to views."""

from kinfolk.tables.intake import object_array
from kinfolk.tables.table import RelatedData, by_task, join, related_data, stack
from kinfolk.tables.tasks import Tasks, TaskSizes

__all__ = [
    "RelatedData",
    "TaskSizes",
    "Tasks",
    "by_task",
    "join",
    "object_array",
    "related_data",
    "stack",
]
