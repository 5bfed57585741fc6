"""Measures the peak memory of a block of work, where Linux reports it.

Linux keeps the highest resident memory of a process and can reset it. Memory that earlier work
left to the process and this block uses again does not count.
"""

from pathlib import Path

_RESET_PEAK = Path("/proc/self/clear_refs")
_STATUS = Path("/proc/self/status")


def start() -> int | None:
    """Reset the process's peak memory; return the bytes in use now, None where unknown."""
    try:
        _RESET_PEAK.write_text("5")  # 5 resets VmHWM and nothing else
        return _resident("VmRSS")
    except (OSError, KeyError):
        return None


def rise_since(before: int | None) -> int | None:
    """Return how many bytes the peak memory is above `before`, as returned by `start`.

    >>> before = start()
    >>> content = b"x" * 100_000_000
    >>> rise = rise_since(before)
    >>> before is None or 90 < rise / 2**20 < 110
    True
    """
    return None if before is None else max(0, _resident("VmHWM") - before)


def _resident(name: str) -> int:
    """Parse the bytes of a line such as "VmRSS:  1024 kB" in the process status file."""
    lines = dict(line.split(":", 1) for line in _STATUS.read_text().splitlines())
    return int(lines[name].split()[0]) * 1024
