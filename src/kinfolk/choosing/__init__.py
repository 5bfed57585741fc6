"""Choosing without labels: what speaks for a clustering, and one answer from many."""
