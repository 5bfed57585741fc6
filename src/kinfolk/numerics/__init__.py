"""Functions of arrays: one idea per file, no options objects, no hidden randomness."""
