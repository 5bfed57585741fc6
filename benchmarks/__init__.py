"""What the exact forms gain over the papers' formulas taken literally: `python -m benchmarks`."""
