"""Files on disk, whole or not at all: atomic writes, sealed files, sets of files, locks."""
