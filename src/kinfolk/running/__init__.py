"""Long runs: their progress on the screen, their deadlines, and signals that stop them."""

from kinfolk.running import deadlines, processes, progress

__all__ = ["deadlines", "processes", "progress"]
