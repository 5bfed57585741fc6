"""The report: one offline HTML page with text, tables and figures, made from a `Study`."""
