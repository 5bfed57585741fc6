"""Related tables as one table: rows belong to tasks, columns to views."""

from kinfolk.tables.table import RelatedData, Tasks, by_task, join, object_array, stack

__all__ = ["RelatedData", "Tasks", "by_task", "join", "object_array", "stack"]
