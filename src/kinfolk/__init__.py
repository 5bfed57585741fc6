"""Kinfolk clusters related data sets together."""
