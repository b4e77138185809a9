"""Special methods that change something, of an object that the trace holds, or the graph does."""

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.small_programs import MODES, Small, verdict

ACTS = [
    "bool(n)", "n < n", "len(n)", "1 in n", "n[0]", "float(n)", "int(n)", "[5, 6][n]", "abs(n)",
    "-n", "n + 1", "n == 1", "n != 1", "hash(n)", "{n: 1}", "str(n)", "repr(n)", "f'{n}'",
    "'%s' % n", "format(n)", "list(n)", "n()", "round(n)", "list(reversed(n))", "n.foo",
    "max(n, n)", "min([n, n])", "sorted([n, n])", "sum(n)", "any([n])", "all([n])", "all([n, n])",
    "not n", "n and 1", "n or 1", "1 if n else 2", "x * 0 if n else 1", "[v for v in n]", "(*n,)",
    "dict([(n, 1)])", "np.array(n)", "range(n)", "getattr(n, 'zip')", "hasattr(n, 'zap')",
    "n in [1, n]", "[n].index(1)", "[1, n].count(1)", "next(iter(n))", "complex(n)", "set([n])",
    "zip(n, n)", "tuple(n)", "bytes([n])", "chr(n)"]
"""Code that calls a special method of `n`."""

FORMS = ["", "    r = max(n, n)\n", "    t = [n, n][int(x > 0)]\n", "    n.k = 5\n    r = [n]\n"]
"""What may make `n` an object of the graph, after that code."""


class Told:
    """Tells of each special method that is called."""

    def __init__(self, log):
        self.log = log

    def told(self, name, result):
        self.log.append(name)
        return result

    def __array__(self, *args, **kwargs):
        return self.told("array", np.ones(2))

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return self.told("getattr", 5)


RESULTS: dict[str, Callable[[], Any]] = {
    "bool": lambda: False, "lt": lambda: False, "len": lambda: 2, "contains": lambda: True,
    "getitem": lambda: 1, "float": lambda: 1.0, "int": lambda: 1, "index": lambda: 1,
    "abs": lambda: 1, "neg": lambda: 1, "add": lambda: 1, "eq": lambda: True, "hash": lambda: 1,
    "str": lambda: "s", "repr": lambda: "s", "format": lambda: "s", "call": lambda: 1,
    "round": lambda: 1, "iter": lambda: iter([1]), "reversed": lambda: iter([2])}


def _method(name: str) -> Callable[..., Any]:
    def method(self, *args):
        return self.told(name, RESULTS[name]())

    return method


for _name in RESULTS:
    setattr(Told, f"__{_name}__", _method(_name))


def function(act: str, form: str) -> Callable[..., Any]:
    text = f"def f(x, n):\n  if x > -99:\n    {act}\n{form}  return x\n"
    name = f"<special method {ACTS.index(act)} {FORMS.index(form)}>"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    scope: dict[str, Any] = {"np": np}
    exec(compile(text, name, "exec"), scope)
    return scope["f"]  # type: ignore[no-any-return]


def told(f: Callable[..., Any], x: Any) -> tuple[str, list[str]]:
    log: list[str] = []
    try:
        f(x, Told(log))
    except Exception as error:
        return type(error).__name__, log
    return "", log


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("effects", ["trace", "runtime"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("act", ACTS)
def test_each_is_called_as_often_as_python_calls_it(act: str, form: str, effects: str) -> None:
    f = function(act, form)
    traced = ag.function(f, effects=effects)
    for x in (np.float64(0), np.float64(-100)):
        assert told(traced, x) == told(f, x)


REFUSING = """
class Num:
    n = 0
    def __sub__(self, x):
        self.n += 1
        return NotImplemented if x is None else x
    def told(self):
        self.n += 1
        return NotImplemented
def make(): return (Num(),)
def f(x, n):
    if x > -99:
        try:
            return n - None
        except TypeError:
            return n.told() is NotImplemented, n.n
"""


@pytest.mark.parametrize("mode", MODES)
def test_a_method_that_returns_notimplemented_is_called_once(mode: str) -> None:
    assert verdict(Small("refusing", REFUSING), **MODES[mode]) == "right"
