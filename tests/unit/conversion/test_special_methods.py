"""The special methods of a class are converted for the time of a trace, and its own afterwards."""

import threading
from functools import cached_property

import numpy as np
import pytest

import autograph as ag


class Sized:
    def __init__(self, x):
        self.x = x

    def __add__(self, other):
        if other > 0:
            return self.x + other
        return self.x

    @property
    def size(self):
        return self.x if self.x > 0 else -self.x

    @cached_property
    def sign(self):
        if self.x > 0:
            return 1
        return -1


class Smaller(Sized):
    @property
    def size(self):
        return super().size / 2 if self.x > 1 else super().size


def own(cls):
    return {name: value for name, value in vars(cls).items() if not name.startswith("__w")}


@pytest.mark.parametrize("cls", [Sized, Smaller])
@pytest.mark.parametrize("x", [3.0, 0.5, -2.0])
def test_same_as_plain_and_put_back(cls, x):
    before = own(cls)

    def use(x):
        made = cls(x)
        return made + x, made.size, made.sign

    assert ag.function(use)(np.float64(x)) == use(x)
    assert own(cls) == before


def test_an_argument_and_what_it_holds():
    held = Sized(Smaller(2.0))

    @ag.function
    def use(held, x):
        return held.x + x

    assert use(held, np.float64(1.0)) == 3.0
    assert use(held, np.float64(-1.0)) == 2.0


def test_put_back_after_an_exception():
    before = own(Sized)

    @ag.function
    def fail(x):
        Sized(x)
        raise KeyError("while tracing")

    with pytest.raises(KeyError):
        fail(np.float64(1.0))
    assert own(Sized) == before


def test_other_threads_see_the_same_meaning():
    made, wrong = Sized(2), []
    stop = threading.Event()

    def ask():
        while not stop.is_set():
            if (made + 1, made + -1, made.size) != (3, 2, 2):
                wrong.append(1)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        for n in range(20):
            ag.function(lambda x, n=n: Sized(x) + n)(np.float64(n))
    finally:
        stop.set()
        thread.join()
    assert not wrong


class Closed:
    """Properties that cannot be set, deleted or read; one has two names."""

    @property
    def first(self):
        return 1

    second = first
    unread = property(None, lambda self, v: None)
    _seen = 0

    @first.deleter
    def other(self):
        self._seen += 1


@pytest.mark.parametrize("change", (
    lambda o, x: setattr(o, "first", x), lambda o, x: setattr(o, "other", x),
    lambda o, x: delattr(o, "second"), lambda o, x: o.unread + x))
@pytest.mark.parametrize("options", ({}, {"effects": "runtime", "captures": "guard"}))
def test_a_property_is_named_where_it_refuses(change, options):
    def f(o, x):
        if x > 1:
            change(o, x)
        return x

    traced = ag.function(f, **options)
    for x in map(np.float64, (1.0, 2.0, 3.0)):
        expected, found = outcome(f, Closed(), x), outcome(traced, Closed(), x)
        assert expected == found


def outcome(f, *args):
    try:
        return f(*args)
    except AttributeError as e:
        return str(e)
