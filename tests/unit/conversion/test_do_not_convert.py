"""`ag.do_not_convert`: on functions, and on what holds them or cannot be referred to weakly."""

import numpy as np
import pytest

import autograph as ag

X = np.array(3.0)


class Marked:
    @ag.do_not_convert
    @staticmethod
    def static(x):
        return _seen(x)

    @ag.do_not_convert
    @classmethod
    def of_class(cls, x):
        return _seen(x)

    @ag.do_not_convert
    @property
    def value(self):
        return _seen(1)


def _seen(x):
    return -x if x > 0 else x


@pytest.mark.parametrize("call", [Marked.static, Marked.of_class, Marked().of_class])
def test_methods_without_an_instance_stay_as_they_are(call):
    with pytest.raises(ag.errors.SymbolicValueError, match="a Python bool of a symbolic value"):
        ag.function(lambda x: call(x) + 1)(X)
    assert call(X) == -3


def test_a_property_stays_as_it_is():
    assert ag.function(lambda x: x + Marked().value)(X) == 2


def test_what_takes_no_weak_reference_is_returned():
    class Slotted:
        __slots__ = ()

        def __call__(self, x):
            return x + 1

    for f in (np.sin, Slotted()):
        assert ag.do_not_convert(f) is f
        assert ag.function(lambda x, f=f: f(x))(X) == f(X)


@pytest.mark.parametrize("x", [3, "f", [], np.ones(2)])
def test_what_is_no_function_is_refused(x):
    with pytest.raises(TypeError, match=r"ag\.do_not_convert takes a function, not"):
        ag.do_not_convert(x)
