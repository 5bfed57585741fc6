"""Methods that cluster one data set which is described by several views at once."""
