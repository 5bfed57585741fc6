"""Methods that cluster one data set described by several views at once."""
