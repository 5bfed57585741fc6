"""Methods that cluster several related data sets, each with the help of the others."""
