"""Made tables of the kinds that users have, with known groups, and Kinfolk's answers on them."""
