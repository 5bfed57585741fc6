"""Saves and loads fitted models as folders that cannot execute code."""
