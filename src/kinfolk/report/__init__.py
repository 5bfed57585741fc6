"""Creates the report: one offline HTML page with text, tables and figures of a fitted model."""
