"""Methods that use another site's centers, or labels of related tasks; one paper per file."""
