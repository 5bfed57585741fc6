"""The papers' printed tables and figures: protocols, runs, and our figures beside theirs."""
