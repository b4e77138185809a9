"""Settings of the process with `captures="guard"`: each call sees them as they are."""

import calendar
import math
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from decimal import Decimal, getcontext
from typing import Any

import numpy as np
import pytest

import autograph as ag

CONSTANT = np.array([1.23456789, 2.0])
THREE = Decimal(3)


def _zone(name: str) -> None:
    os.environ["TZ"] = name
    time.tzset()


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    limit, interval = sys.getrecursionlimit(), sys.getswitchinterval()
    digits, precision = sys.get_int_max_str_digits(), getcontext().prec
    zone, handler = os.environ.get("TZ"), signal.getsignal(signal.SIGUSR1)
    with np.printoptions(precision=8):
        yield
    sys.setrecursionlimit(limit)
    sys.setswitchinterval(interval)
    sys.set_int_max_str_digits(digits)
    getcontext().prec = precision
    signal.signal(signal.SIGUSR1, handler)
    if zone is None:
        os.environ.pop("TZ", None)
    time.tzset()


SETTINGS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], object], Any, Any]] = {
    "limit of calls": (lambda x: x + sys.getrecursionlimit(), sys.setrecursionlimit, 5000, 6000),
    "interval": (lambda x: x + sys.getswitchinterval(), sys.setswitchinterval, 0.005, 0.25),
    "digits": (
        lambda x: x + sys.get_int_max_str_digits(), sys.set_int_max_str_digits, 4300, 5000),
    "text of an array": (
        lambda x: (x, str(CONSTANT)), lambda n: np.set_printoptions(precision=n), 8, 3),
    "formatted": (
        lambda x: (x, f"{CONSTANT}"), lambda n: np.set_printoptions(precision=n), 8, 3),
    "percent": (
        lambda x: (x, "%s" % CONSTANT),  # noqa: UP031
        lambda n: np.set_printoptions(precision=n), 8, 3),
    "array2string": (
        lambda x: (x, np.array2string(CONSTANT)),
        lambda n: np.set_printoptions(precision=n), 8, 3),
    "decimal": (
        lambda x: (x, 1 / THREE), lambda n: setattr(getcontext(), "prec", n), 28, 5),
    "root of a decimal": (
        lambda x: (x, THREE.sqrt()), lambda n: setattr(getcontext(), "prec", n), 28, 5),
    "context": (lambda x: x + getcontext().prec, lambda n: setattr(
        getcontext(), "prec", n), 28, 5),
    "signal": (lambda x: x + (signal.getsignal(signal.SIGUSR1) is signal.SIG_IGN),
               lambda how: signal.signal(signal.SIGUSR1, how), signal.SIG_DFL, signal.SIG_IGN),
    "zone": (lambda x: (x + time.timezone, time.tzname), _zone, "UTC", "EST5"),
    "weeks": (lambda x: (x, calendar.monthcalendar(2024, 1)), calendar.setfirstweekday, 0, 3),
    "first day": (lambda x: x + calendar.firstweekday(), calendar.setfirstweekday, 0, 3),
    "buffers": (lambda x: x + np.getbufsize(), np.setbufsize, 8192, 16384),
    "a library's function": (
        lambda x: x + math.sqrt(4.0), lambda f: setattr(math, "sqrt", f), math.sqrt,
        lambda v: v if v > 0 else -v),
}


@pytest.mark.parametrize("effects", ["trace", "runtime"])
@pytest.mark.parametrize("name", SETTINGS)
def test_each_call_sees_a_setting_of_the_process(name: str, effects: Any) -> None:
    f, change, one, other = SETTINGS[name]
    graph = ag.function(f, captures="guard", effects=effects)
    x = np.arange(2.0)
    try:
        for value in (one, one, other, other, one, other):
            change(value)
            assert repr(graph(x)) == repr(f(x)), value
    finally:
        change(one)


def test_traces_are_found_again() -> None:
    graph = ag.function(lambda x: (x, str(CONSTANT), 1 / THREE), captures="guard")
    for precision in (8, 3, 8, 3, 8, 3):
        with np.printoptions(precision=precision):
            graph(np.arange(2.0))
    assert graph.experimental_get_tracing_count() == 2
