"""Names that stand for something else once a function was converted: globals hide builtins."""

import builtins
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.errors import CaptureError
from tests.support.program_files import program

MODES: list[dict[str, str]] = [{"captures": "guard"}, {"captures": "guard", "effects": "runtime"}]

FUNCTIONS = {
    "abs": "return abs(x)",
    "len": "return x * len(x)",
    "isinstance": "return x * (2 if isinstance(x, list) else 3)",
    "range": "s = 0\n    for i in range(3):\n        s = s + x[i] * i\n    return s",
    "enumerate": "s = 0\n    for i, v in enumerate(x):\n        s = s + v * i\n    return s",
    "float": "return float(x[0]) * int(x[2])",
    "sum": "return sum(v for v in x)",
    "max": "if x[0] > 0:\n        return max(x)\n    return max(x) + 1",
    "str": "return str(x.shape[0])",
    "zip": "return [a * b for a, b in zip(x, x)]",
    "sorted": "return sorted(x.tolist())",
    "sin": "return sin(x)",
    "stack": "return stack(x)",
}
NEW = {"isinstance": "lambda *a: True", "range": "lambda n: [2, 2]", "sin": "halved",
       "enumerate": "lambda x: [(5, x[1])]", "zip": "lambda *a: [(5, 6)]", "stack": "halved"}

TEXT = """
import numpy as np
from numpy import sin, stack

def halved(x):
    if x[0] > 0:
        return x / 2
    return -x / 2

def inner(x):
    BODY

class C:
    def m(self, x):
        return inner(x)

    @property
    def p(self):
        return inner(self.x)

    @staticmethod
    def made(x):
        yield inner(x)

def called(x):
    return inner(x)

def method(x):
    return C().m(x)

def attribute(x):
    c = C()
    c.x = x
    return c.p

def item(x):
    for found in C.made(x):
        return found

def defaults(x, k=3):
    return inner(x)
"""


def _module(folder: Path, name: str) -> ModuleType:
    return program(folder, TEXT.replace("BODY", FUNCTIONS[name]))


def _hide(module: Any, name: str) -> None:
    """Binds the name in the module, as a test would that replaces it."""
    module.__dict__[name] = eval(NEW.get(name, "lambda x: 7"), vars(module))


@pytest.mark.parametrize("caller", ["inner", "called", "method", "attribute", "item", "defaults"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_next_trace_calls_what_the_name_stands_for_now(
        name: str, caller: str, tmp_path: Path) -> None:
    calls = [np.array([1.0, -2.0, 3.0]), np.array([-1.0, 2.0, 4.0])]
    plain = _module(tmp_path, name)
    before = [getattr(plain, caller)(x) for x in calls]
    _hide(plain, name)
    after = [getattr(plain, caller)(x) for x in calls]
    assert repr(before) != repr(after)
    for options in MODES:
        module = _module(tmp_path, name)
        f = ag.function(getattr(module, caller), **options)
        assert repr([f(x) for x in calls]) == repr(before), options
        _hide(module, name)
        assert repr([f(x) for x in calls]) == repr(after), options
        if name in vars(builtins):
            del module.__dict__[name]
            assert repr([f(x) for x in calls]) == repr(before), options


def test_a_new_signature_sees_it_where_captured_values_are_those_of_the_trace(
        tmp_path: Path) -> None:
    module = _module(tmp_path, "abs")
    f = ag.function(module.called)
    outer = ag.function(lambda x: f(x) + 1)
    assert f(np.array([-1.0])).item() == 1.0
    _hide(module, "abs")
    assert f(np.array([-1.0])).item() == 1.0
    assert (f(np.array([-1.0, 2.0])), outer(np.array([2.0]))) == (7, 8)


def test_one_that_must_not_change_is_an_error(tmp_path: Path) -> None:
    module = _module(tmp_path, "abs")
    f = ag.function(module.called, captures="error")
    f(np.array([-1.0]))
    _hide(module, "abs")
    with pytest.raises(CaptureError, match=r"abs was <built-in function abs> .*\n? *it is the "
                                           "function <lambda> now"):
        f(np.array([-1.0]))


def test_a_derivative_is_of_what_the_name_stands_for_now(tmp_path: Path) -> None:
    module = program(tmp_path, "def f(x):\n    return abs(x) * x\n")
    slope = ag.grad(module.f)
    assert slope(3.0) == 6.0
    module.__dict__["abs"] = lambda x: 5.0
    assert slope(np.float32(3.0)) == 5.0


def test_a_builtin_that_the_program_replaces(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = program(tmp_path, "def f(x):\n    return divmod(x, 2.0)[0]\n")
    f = ag.function(module.f, captures="guard")
    assert f(np.float64(5.0)) == 2.0

    def replaced(x: Any, y: Any) -> Any:
        return (x * 10, 0) if x > 0 else (x, 0)

    replaced.__name__ = "divmod"
    monkeypatch.setattr(builtins, "divmod", replaced)
    assert (f(np.float64(5.0)), f(np.float64(-5.0))) == (50.0, -5.0)
    monkeypatch.undo()
    assert f(np.float64(5.0)) == 2.0
