"""Fitted models in folders that cannot execute code."""
