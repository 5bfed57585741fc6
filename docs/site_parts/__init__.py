"""Parts of the site's build: docstrings as reStructuredText, and pages made from the code."""
