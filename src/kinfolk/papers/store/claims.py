"""Whose a run is: of any number of processes with the same plan one runs it.

The claim of a process that is gone, on this host, or that is too old falls to the next that asks.
"""

import os
import socket
import uuid
from datetime import datetime, timedelta

PROCESS = uuid.uuid4().hex
"""Tells this process from any other, before or after it, of the same number."""
STALE = timedelta(hours=24)
"""The age at which a claim is void, whoever made it."""


def is_free(
    status: str, started: str, host: str, pid: int, claimant: str, *, now: datetime
) -> bool:
    """Whether a run that is in the store may be claimed: it failed, or its process is gone."""
    if status != "running":
        return status == "failed"
    if now - datetime.fromisoformat(started) > STALE:
        return True
    if host != socket.gethostname():
        return False
    if pid == os.getpid():  # a restarted container gives the same number again
        return not claimant.startswith(PROCESS)
    return not _is_alive(pid)


def _is_alive(pid: int) -> bool:
    if os.name != "posix":  # where asking would stop the process
        return True
    try:
        os.kill(pid, 0)
    except OSError as error:
        return not isinstance(error, ProcessLookupError)
    return True
