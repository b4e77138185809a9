"""An int that is Python's on some ways and NumPy's on others behaves as in plain Python: its class,
its overflow, its errors and warnings, in every operation."""

import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag

Operation = Callable[[Any, Any], Any]

OPERATIONS: dict[str, Operation] = {
    **{f.__name__: f for f in (
        operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.truediv,
        operator.and_, operator.or_, operator.xor, operator.lt, operator.eq, min, max)},
    "power": lambda j, k: j ** (k & 3), "shift": lambda j, k: (j << (k & 7)) >> 1,
    "signs": lambda j, _: -j + abs(j) + ~j, "classes": lambda j, _: int(j) + float(j),
    "both": lambda j, k: j * j - k, "item": lambda j, _: ITEMS[j % 5], "call": lambda j, k:
        np.add(j, k), "range": lambda j, _: sum(range(j % 4)), "test": lambda j, k: j and k}
ITEMS = np.arange(5) * 3

NUMBERS = ([3, -2, 0, 7, -5, 4], [2 ** 62, -2 ** 62, 5, 2 ** 62, 1, 3],
           [-2 ** 63, -1, 4, 2 ** 63 - 1, 2, 9])


def program(operate: Operation, first: int) -> Callable[[Any], Any]:
    def run(x: Any) -> Any:
        j = first
        found = operate(j, 3)
        for k in range(len(x)):
            found = operate(j, k + 1)
            if x[k] % 3 == 0:
                j = x[k]
            elif x[k] % 3 == 1:
                j = k * k
        return found, j
    return run


def outcome(f: Callable[[Any], Any], x: Any) -> Any:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            found = [(type(y), y) for y in f(x)]
        except Exception as error:
            return type(error), str(error).splitlines()[0]
    return repr(found), sorted({str(w.message) for w in told})


@pytest.mark.parametrize("name", OPERATIONS)
def test_as_in_plain_python(name: str) -> None:
    plain = program(OPERATIONS[name], 1)
    ways = [ag.function(plain, jit_compile=True), ag.function(plain, executor="interpreter")]
    for numbers in NUMBERS:
        expected = outcome(plain, np.array(numbers))
        assert [outcome(f, np.array(numbers)) for f in ways] == [expected] * 2, numbers


def test_such_loops_are_machine_code() -> None:
    def borders(p: Any) -> Any:
        fail, j = np.zeros(len(p), np.int64), 0
        for i in range(1, len(p)):
            while j > 0 and p[i] != p[j]:
                j = fail[j - 1]
            if p[i] == p[j]:
                j += 1
            fail[i] = j
        return fail, j

    pytest.importorskip("llvmlite", reason="native code needs llvmlite")
    p = np.array([0, 1, 0, 0, 1, 0, 1, 0, 0, 1] * 3)
    f = ag.function(borders, jit_compile=True)
    found, expected = f(p), borders(p)
    assert np.array_equal(found[0], expected[0]) and type(found[1]) is type(expected[1])
    assert [reason for _, reason in f.get_concrete_function(p).native_loops] == [""]
