"""What a table with tasks and true classes says of each task."""

import numpy as np


class ByTask:
    """Base of tables with the task `tasks` (n,) and the true class `target` (n,) of each row."""

    @property
    def names(self):
        """Names of the tasks in the order of first appearance."""
        return list(dict.fromkeys(self.tasks.tolist()))

    def rows(self, task):
        """Positions of the rows of a task."""
        return np.flatnonzero(self.tasks == task)

    @property
    def n_clusters(self):
        """The number of classes of each task."""
        return {task: len(np.unique(self.target[self.rows(task)])) for task in self.names}
