"""One row per run, kept in SQLite: written at once, never twice, read by every report."""
