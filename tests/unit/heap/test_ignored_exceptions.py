"""The hook for exceptions that Python ignores is as it was when no trace is being made."""

import sys
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from autograph.runtime.heap.suspended_generators import generators_end
from autograph.runtime.ir.errors import TracingError

ATTEMPT: Any = SimpleNamespace(generators=[])


class Refusing:
    def __del__(self) -> None:
        raise TracingError("refused in a finaliser")


def test_threads_leave_the_hook_as_it_was() -> None:
    before, first_is_in, second_is_in = sys.unraisablehook, threading.Event(), threading.Event()

    def first() -> None:
        with generators_end(ATTEMPT):
            first_is_in.set()
            assert second_is_in.wait(60)

    thread = threading.Thread(target=first)
    thread.start()
    assert first_is_in.wait(60)
    with generators_end(ATTEMPT):
        second_is_in.set()
        thread.join()
        assert sys.unraisablehook != before
    assert sys.unraisablehook is before


def test_what_a_finaliser_refuses_is_raised_by_its_own_attempt() -> None:
    with pytest.raises(TracingError, match="finaliser"), generators_end(ATTEMPT):
        with generators_end(ATTEMPT):
            pass
        Refusing()
