"""Methods that learn from what another site knows, without its rows; one paper, one file."""
