"""The command line: one file per subcommand, which parses options and prints results.

Exit codes: 0 done, also with the runs until a stop, 1 a fault of the program or failed runs, 2
wrong usage or unusable input, 3 a named data set is not in the data directory, 4 an optional
dependency is missing, 130 stopped by Ctrl-C, 143 stopped by SIGTERM.
"""

import io
import os
import sys
from contextlib import suppress

from kinfolk.arguments import from_command_line
from kinfolk.cli import screen
from kinfolk.errors import KinfolkError, MissingDataError, MissingExtraError, missing_extra
from kinfolk.running import deadlines, processes

USAGE, NO_DATA, NO_EXTRA, STOPPED, TERMINATED = 2, 3, 4, 130, 143


def main(arguments: list[str] | None = None, began: float | None = None) -> int:
    """Run `kinfolk` with these arguments (None: those of the process) and return the exit code.

    A time budget counts from `began`, the time of the monotonic clock at which the process began;
    None: from now.
    """
    _open_closed_streams()
    _show_all_characters()
    start = deadlines.Start() if began is None else deadlines.Start(began, 0.0)
    with (
        from_command_line(),
        deadlines.counting(start),
        processes.terminations_as_interrupts() as came,
    ):
        try:
            code = _run(arguments)
        except OSError:  # standard error, where faults are reported, is full or gone as well
            code = USAGE
    _close_failing_streams()
    return TERMINATED if code == STOPPED and came else code


def _open_closed_streams() -> None:
    """Open standard streams that the caller closed (`>&-`), so that writing to them is no fault.

    Their numbers would else go to the next files that are opened, and messages into those.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def _show_all_characters() -> None:
    """Let standard output show characters that its encoding lacks as escapes, not as a fault."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _close_failing_streams() -> None:
    """Close streams that take no more, so that Python does not fail on them at its end."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # ValueError: it is closed
            with suppress(OSError):
                stream.close()


def _run(arguments: list[str] | None) -> int:
    """Run `kinfolk` and return the exit code, 130 after Ctrl-C or SIGTERM."""
    try:
        return _call(arguments)
    except KeyboardInterrupt:
        screen.say("Stopped; files are written whole or not at all.")
        return STOPPED
    except BrokenPipeError:  # the reader, such as `head`, has had enough
        return 0
    except SystemExit as error:  # rich ends the process at a closed pipe
        if isinstance(error.__context__, BrokenPipeError):
            return 0
        raise
    except KinfolkError as error:
        screen.say(f"kinfolk: {error}")
        if isinstance(error, MissingDataError):
            return NO_DATA
        return NO_EXTRA if isinstance(error, MissingExtraError) else USAGE
    except OSError as error:
        # A full disk's error has no name: files of results are named before, others are not.
        place = error.filename or "standard output, standard error or a temporary file"
        screen.say(f"kinfolk: {place}: {error.strerror or error}.")
        return USAGE


def _call(arguments: list[str] | None) -> int:
    """Call the verb; return its exit code.

    Raises
    ------
    KeyboardInterrupt : Ctrl-C came, however libraries report it
    MissingExtraError : a library is missing
    """
    try:
        # The verbs need libraries that `import kinfolk` does not, and are imported when called.
        from kinfolk.cli import app

        code = app.run(arguments)
        sys.stdout.flush()  # here, where a full disk or a closed pipe can be reported
    except RuntimeError as error:
        # As Python 3.11 reports Ctrl-C while a class is made, which imports do.
        if isinstance(error.__cause__, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        raise
    except MissingExtraError:
        raise
    except ImportError as error:
        raise missing_extra(error.name, "app", "The command line needs") from error
    if code == STOPPED:  # typer turns Ctrl-C into this code
        raise KeyboardInterrupt
    return code
