"""Reservation of runs, so that of several processes only one executes each run.

A claim lapses when its process has ended, if that was on this host, or after `CLAIM_LIFETIME`.
A host whose clock is further ahead than that has no claims.
"""

import os
import socket
import uuid
from datetime import datetime, timedelta

from kinfolk.running import processes

# A process id is not enough: the system gives the number of an ended process to a new one.
PROCESS_TOKEN = uuid.uuid4().hex
CLAIM_LIFETIME = timedelta(hours=24)


def is_claimable(
    status: str, started: str, host: str, pid: int, claimant: str, *, now: datetime
) -> bool:
    """True if a stored run may be executed: it failed, or its reservation has lapsed.

    >>> here = socket.gethostname(), os.getpid(), PROCESS_TOKEN
    >>> now = datetime(2024, 5, 2, 12)
    >>> is_claimable("done", "2024-05-02T11:00", *here, now=now)
    False
    >>> is_claimable("running", "2024-05-02T11:00", *here, now=now)
    False
    >>> is_claimable("running", "2024-05-01T11:00", *here, now=now)
    True
    >>> is_claimable("running", "2025-05-02T11:00", "host with a wrong clock", *here[1:], now=now)
    True
    """
    if status != "running":
        return status == "failed"
    # A time far ahead is of a host with a wrong clock, and would hold the run for years.
    if abs(now - datetime.fromisoformat(started)) > CLAIM_LIFETIME:
        return True
    if host != socket.gethostname():
        return False  # its processes cannot be seen from here
    if pid == os.getpid():  # a restarted container gives the same number again
        return not claimant.startswith(PROCESS_TOKEN)
    return not processes.is_alive(pid)
