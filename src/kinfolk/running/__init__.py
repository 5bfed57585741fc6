"""Long runs: their progress on the screen, deadlines, and what is left of them after Ctrl-C."""

from kinfolk.running import deadlines, interruptions, processes, progress

__all__ = ["deadlines", "interruptions", "processes", "progress"]
