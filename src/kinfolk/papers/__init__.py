"""Reproduces the papers' printed tables and figures: plans runs, stores them, and compares."""
