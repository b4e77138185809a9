"""An exception after so many seconds: some programs run for ever on values that nobody chose."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager


class Endless(BaseException):
    """Not an Exception: no program's own handler may catch it."""


@contextmanager
def alarm(seconds: float, of_processor: bool = False) -> Iterator[None]:
    """Raise `Endless` in the block after so many seconds, or seconds of the processor's time, and
    each second after that: Python ignores what is raised while it calls back for a weak reference.
    """
    def ring(*_: object) -> None:
        raise Endless

    clock, kind = (signal.ITIMER_PROF, signal.SIGPROF) if of_processor else (
        signal.ITIMER_REAL, signal.SIGALRM)
    before = signal.signal(kind, ring)
    signal.setitimer(clock, seconds, 1)
    try:
        yield
    finally:
        signal.setitimer(clock, 0)
        signal.signal(kind, before)
