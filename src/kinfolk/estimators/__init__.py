"""The base classes of all estimators, their argument checks and their optimisation loop."""
