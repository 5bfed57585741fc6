"""The clustering methods of the papers, one file per paper."""
