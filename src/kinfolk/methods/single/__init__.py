"""Methods that cluster one data set."""
