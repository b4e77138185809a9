"""Exceptions that no line of the program raised: they end whatever runs, and are in no graph."""

from __future__ import annotations

import dis
import signal
from collections.abc import Iterator
from types import TracebackType

from autograph.runtime.ir.trace_signals import ResultUnknown, TraceSignal


def interrupts(error: BaseException) -> bool:
    """Returns True for an exception that no line of the program raised: the end of a trace or of a
    generator, Ctrl-C, or what the handler of a signal raises."""
    if isinstance(error, (TraceSignal, GeneratorExit)):
        return not isinstance(error, ResultUnknown)
    steps = [*_steps(error.__traceback__)]
    if isinstance(error, KeyboardInterrupt) and not (steps and _is_statement(steps[-1])):
        return True
    handlers = {getattr(signal.getsignal(s), "__code__", None) for s in signal.valid_signals()}
    return any(step.tb_frame.f_code in handlers for step in steps)


def _steps(step: TracebackType | None) -> Iterator[TracebackType]:
    while step is not None:
        yield step
        step = step.tb_next


def _is_statement(step: TracebackType) -> bool:
    """Returns True if a `raise` statement raised, and no call."""
    return step.tb_frame.f_code.co_code[step.tb_lasti] == dis.opmap["RAISE_VARARGS"]
