"""Functions in a forked process, and in the handler of a signal, while a trace is being made."""

import functools
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph import locks
from tests.house.checkout import ROOT

FORKS = """
import os, signal, threading, warnings
import numpy as np
import autograph as ag

entered, goes_on = threading.Event(), threading.Event()

@ag.do_not_convert
def stops():
    entered.set()
    goes_on.wait(20)

def plain(x):
    stops()
    return np.sqrt(x * x + 1) * x

f = ag.function(plain, jit_compile=%s)
first = threading.Thread(target=f, args=(np.ones(3),))
first.start()
entered.wait(20)
warnings.simplefilter("ignore")  # Python 3.12 warns of a fork beside threads
child = os.fork()
goes_on.set()
if child == 0:
    signal.alarm(20)
    x = np.arange(5.0)
    os._exit(0 if (f(x) == np.sqrt(x * x + 1) * x).all() else 1)
first.join()
print(os.waitpid(child, 0)[1])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no process forks here")
@pytest.mark.parametrize("compiled", [False, None])
def test_a_fork_while_another_thread_makes_a_trace(compiled: bool | None, tmp_path: Path) -> None:
    """The thread is not in the new process, nor is what it held."""
    program = tmp_path / "forks.py"
    program.write_text(FORKS % compiled)
    done = subprocess.run([sys.executable, program], env={**os.environ, "PYTHONPATH": str(ROOT)},
                          capture_output=True, text=True, check=False)
    assert done.stdout == "0\n", done.stderr


def test_a_handler_calls_the_function_that_is_being_traced() -> None:
    found: list[Any] = []

    @ag.do_not_convert
    def interrupt() -> None:
        if not found:
            found.append(None)
            os.kill(os.getpid(), signal.SIGUSR1)

    def plain(x: Any) -> Any:
        interrupt()
        return x + 1

    f = ag.function(plain)
    before = signal.signal(signal.SIGUSR1, lambda *_: found.append(f(np.ones(2))))
    try:
        assert f(np.ones(3)).tolist() == [2, 2, 2]
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert found[1].tolist() == [2, 2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no process forks here")
def test_a_lock_that_the_forking_thread_holds_stays_its_own() -> None:
    held, other = locks.new_lock(), locks.new_lock()
    thread = threading.Thread(target=other.acquire)
    thread.start()
    thread.join()
    with held:
        locks._open_after_fork()
    assert other.acquire(blocking=False)
    other.release()


def test_no_lock_is_held_while_a_property_is_computed() -> None:
    class Slow:
        @locks.cached_property
        def value(self) -> int:
            return 1

    lock = getattr(vars(Slow)["value"], "lock", None)
    assert Slow().value == 1
    assert not isinstance(lock, type(threading.RLock()))
    assert issubclass(locks.cached_property, functools.cached_property)
