"""One fit of a method in a process of its own: seconds, peak memory, or why there are none.

Processes are forked from a server that has loaded the library, so that a fit of a millisecond does
not cost the seconds of an import.
"""

import multiprocessing
import resource
import signal
import time

from threadpoolctl import threadpool_limits

from benchmarks import ordinary
from kinfolk import catalogue
from kinfolk.errors import InputError
from kinfolk.papers import peak_memory

PATIENCE = 20
"""Wall seconds for each processor second of the limit, on a machine with other work."""


def measured(method, data, seconds, gigabytes):
    """Fit in a child process; seconds and megabytes, or the reason without result.

    Parameters
    ----------
    method : a name of the catalogue
    data : the rows, a table of `ordinary`
    seconds, gigabytes : limits of the fit: time of the processor, and address space
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["benchmarks.growing"])
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(sender, method, data, seconds, gigabytes))
    process.start()
    sender.close()
    process.join(PATIENCE * seconds)
    if process.is_alive():
        process.kill()
        process.join()
        return {"ended": "time"}
    if process.exitcode == 0:
        return receiver.recv()
    if process.exitcode == -signal.SIGXCPU:
        return {"ended": "time"}
    return {"ended": f"fault: exit code {process.exitcode}"}


def fit(method, data):
    """Fit a method once with its defaults and one start; return seconds and megabytes."""
    known = catalogue.method(method).cls().get_params(deep=False)
    one_start = {"n_init": 1} if "n_init" in known else {}
    before = peak_memory.start()
    begin = time.process_time()
    try:
        # Threads that wait for each other would count as work.
        with threadpool_limits(1):
            ordinary.fitted(method, data, 0, **one_start)
    except InputError as error:
        return {"ended": f"refused: {error}"}
    except MemoryError:
        return {"ended": "memory"}
    except Exception as error:  # noqa: BLE001 - shown in the table; the other runs go on
        return {"ended": f"fault: {type(error).__name__}: {error}"}
    seconds = time.process_time() - begin
    megabytes = (peak_memory.rise_since(before) or 0) / 2**20
    return {"seconds": seconds, "megabytes": megabytes, "ended": ""}


def _send(sender, method, data, seconds, gigabytes):
    """Fit within the limits, at which the system ends this process, and send what was found."""
    used = int(time.process_time())
    resource.setrlimit(resource.RLIMIT_CPU, (used + seconds, used + seconds + 5))
    resource.setrlimit(resource.RLIMIT_AS, (int(gigabytes * 2**30),) * 2)
    sender.send(fit(method, data))
