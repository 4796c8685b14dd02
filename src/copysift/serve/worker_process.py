"""The process of a worker: leaves when the process that started it dies, even while it loads.

Loading takes seconds, on a busy machine half a minute, in which nobody reads standard input. The kernel sends
SIGHUP then, which ends a process that is loading; `worker` says what it means afterwards.
"""

from __future__ import annotations

import ctypes
import signal
from contextlib import suppress

PR_SET_PDEATHSIG = 1


def main() -> None:
    """Request the signal, then load and work."""
    with suppress(OSError, AttributeError):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup ignores it, and what it starts
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGHUP)
    from copysift.serve import worker  # only now: this is what takes so long

    worker.main()


if __name__ == "__main__":
    main()
