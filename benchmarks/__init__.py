"""Compares the library's exact forms with the papers' formulas taken literally."""
