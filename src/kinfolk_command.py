"""Entry point of the command `kinfolk`: handles Ctrl-C before it imports anything else.

It stands beside the package because an import of any module of a package imports the package first.
"""

import os
import signal
import time

_STOPPED = 130
"""Exit code after Ctrl-C, as in `kinfolk.cli`, which is not imported yet."""


def main() -> int:
    """Run `kinfolk` with the arguments of the process and return the exit code."""
    began = time.perf_counter()  # a time budget counts the imports, too
    # A process in the background ignores Ctrl-C, and shall go on to do so.
    heeded = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if heeded:
        signal.signal(signal.SIGINT, _end)
    from kinfolk import cli

    if heeded:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return cli.main(began=began)


def _end(number: int, frame: object) -> None:
    """End the process at once, as nothing has been begun yet."""
    # An exception would be changed or shown by the import that it interrupts.
    try:
        os.write(2, b"Stopped before anything was begun.\n")
    finally:  # standard error may be closed
        os._exit(_STOPPED)
