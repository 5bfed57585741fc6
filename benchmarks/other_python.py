"""Runs jobs in another Python environment, each in its own process.

The module that has the job is run as `python -m MODULE NAME`. It reads the job as JSON from its
input and writes its answer as JSON to its output: `serve` does that.
"""

import json
import os
import subprocess
import sys
import warnings


class AbsentError(Exception):
    """A job could not be done; the message says why."""


def ask(module, name, job, python, patience, environment=None):
    """Run a module's job by name in the other Python, and return the answer.

    Raises
    ------
    AbsentError : a package is not installed there, it fails, or takes more than `patience` seconds
    """
    try:
        done = subprocess.run(
            [python, "-m", module, name],
            input=json.dumps(job),
            env=environment,
            capture_output=True,
            text=True,
            timeout=patience,
        )
    except subprocess.TimeoutExpired:
        raise AbsentError(f"{name} was stopped after {patience} s") from None
    if done.returncode:
        reason = [f"exit code {done.returncode}", *done.stderr.strip().splitlines()][-1]
        raise AbsentError(f"{name} left out: {reason}")
    return json.loads(done.stdout.splitlines()[-1])


def serve(do):
    """Answer the job of this process by `do(name, job)`; what packages print is dropped."""
    warnings.simplefilter("ignore")
    answer = sys.stdout
    with open(os.devnull, "w") as sys.stdout:
        found = do(sys.argv[1], json.load(sys.stdin))
    answer.write(json.dumps(found) + "\n")
