"""Runs the command line as `python -m kinfolk`."""

import sys

from kinfolk_command import main

if __name__ == "__main__":
    sys.exit(main())
