"""Plans of runs, and what they show."""
