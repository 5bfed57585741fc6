"""Methods that use another site's centres, or labels of related tasks; one paper per file."""
