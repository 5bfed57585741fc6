"""Choosing without labels: many runs scored, one answer, parameters, numbers of clusters."""
