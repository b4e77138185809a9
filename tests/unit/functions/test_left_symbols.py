"""A trace leaves no symbolic value behind, wherever the program stores one."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.functions.paths_to_symbols import name_of
from tests.corpus.state.small_programs import MODES
from tests.corpus.state.verdict import load
from tests.support.work_done import calls_made

STORES = {
    # name: (what is there before, the line that stores, what shows it)
    "object.__setattr__": ("o = O()", "object.__setattr__(o, 'a', x + 1)", "o.a"),
    "type.__setattr__": ("", "type.__setattr__(O, 'a', x + 1)", "O.a"),
    "__dict__.update": ("o = types.SimpleNamespace()", "o.__dict__.update(a=x + 1)", "o.a"),
    "SimpleNamespace.__init__": ("o = types.SimpleNamespace()", "o.__init__(a=x + 1)", "o.a"),
    "a module's attribute": ("m = types.ModuleType('m')", "setattr(m, 'a', x + 1)", "m.a"),
    "partial.__setstate__": (
        "p = functools.partial(print)", "p.__setstate__((print, (x + 1,), {}, {}))", "p.args"),
    "operator.setitem": ("l = [1, 2]", "operator.setitem(l, 0, x + 1)", "l"),
    "operator.iconcat": ("l = [1, 2]", "operator.iconcat(l, [x + 1])", "l"),
    "OrderedDict.move_to_end": (
        "d = collections.OrderedDict(a=1, b=2)", "d['a'] = x; d.move_to_end('a')", "list(d)"),
    "WeakKeyDictionary": ("o = O(); w = weakref.WeakKeyDictionary()", "w[o] = x + 1", "w[o]"),
    "weakref.finalize": ("o = O(); l = []", "weakref.finalize(o, l.append, x)", "l"),
    "ContextVar.set": ("v = contextvars.ContextVar('v')", "v.set(x + 1)", "v.get()"),
    "Context.run": ("v = contextvars.ContextVar('v'); c = contextvars.copy_context()",
                    "c.run(v.set, x + 1)", "c.get(v)"),
    "SimpleQueue.put": ("q = queue.SimpleQueue()", "q.put(x + 1)", "q.get()"),
    "array.append": ("l = array.array('d')", "l.append(x + 1)", "l"),
    "threading.local": ("t = threading.local()", "t.a = x + 1", "t.a"),
    "LogRecord.args": ("r = logging.LogRecord('', 1, '', 1, '', (), None)", "r.args = (x,)",
                       "r.args"),
    "exception's arguments": ("e = ValueError(1)", "e.args = (x + 1,)", "e.args"),
    "BaseException.__setstate__": ("e = ValueError(1)", "e.__setstate__({'a': x + 1})", "e.a"),
    "function's defaults": ("def g(a=1): return a", "g.__defaults__ = (x + 1,)", "g()"),
    "globals of a frame": ("", "sys._getframe().f_globals['new'] = x + 1", "new"),
    "array of objects": ("l = np.array([None, 1], dtype=object)", "l[0] = x + 1", "l.tolist()"),
    "ndarray.fill": ("l = np.array([None, 1], dtype=object)", "l.fill(x + 1)", "l.tolist()"),
    "a remembered result": (
        "@functools.lru_cache\ndef g(v): return [v]", "g(3).append(x)", "g(3)"),
    "generator.send": ("def generator():\n  while True: got.append((yield))\n"
                       "got = []; g = generator(); next(g)", "g.send(x + 1)", "got"),
    "a class that is made": ("l = []", "C = type('C', (), {'a': x + 1}); l.append(C)", "l[-1].a"),
    "Future.set_result": ("l = []", "c = concurrent.futures.Future(); c.set_result(x + 1); "
                          "l.append(c.result())", "l"),
    "traceback of an exception": (
        "l = []", "y = x + 1\n  try: raise ValueError(3)\n  except ValueError as e: l.append(e)",
        "[e.args for e in l[-1:]]"),
}

TEXT = """
import array, collections, concurrent.futures, contextvars, functools, logging, operator, queue
import sys, threading, types, weakref
import numpy as np
class O: pass
{before}
def f(x):
  {store}
  return x * 2
def shown(): return {shown}
"""


def outcomes(name: str, **options: Any) -> tuple[list[Any], list[Any]]:
    """What three calls return and leave, of the plain function and of the decorated one."""
    before, store, shown = STORES[name]
    text = TEXT.format(before=before, store=store, shown=shown)
    found = []
    for decorate in (lambda f: f, lambda f: ag.function(f, **options)):
        scope = load(text, f"<{name}>")
        function = decorate(scope["f"])
        found.append([(function(np.float64(x)), repr(scope["shown"]())) for x in (2.0, 3.0, 2.0)])
    return found[0], found[1]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", STORES)
def test_a_value_of_the_run_is_stored_or_the_call_is_refused(name: str, mode: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ag.FallbackWarning)
        try:
            expected, found = outcomes(name, **MODES[mode])
        except ag.errors.TracingError as error:
            assert name in REFUSED, error
        else:
            assert expected == found


REFUSED = {"Context.run", "a remembered result", "generator.send"}


def test_the_refusal_names_the_place_and_the_line() -> None:
    scope = load(TEXT.format(
        before="@functools.lru_cache\ndef g(n): return collections.deque([1, {'got': []}])",
        store="y = x + 1; g(3)[1]['got'].append(y)", shown="g(3)"), "<names the place>")
    with pytest.raises(ag.errors.TracingError) as caught:
        ag.function(scope["f"])(np.float64(2.0))
    assert "['got'][0] holds a symbolic value when the trace" in str(caught.value)
    assert "y = x + 1; g(3)[1]['got'].append(y)\n" in str(caught.value)


def test_calls_that_leave_a_value_run_as_plain_python_with_a_warning() -> None:
    before, store, shown = STORES["globals of a frame"]
    scope = load(TEXT.format(before=before, store=store, shown=shown), "<warns>")
    f = ag.function(scope["f"])
    with pytest.warns(ag.FallbackWarning, match="new holds a symbolic value"):
        f(np.float64(2.0))
    assert scope["new"] == 3.0


class Holder:
    __slots__ = ("__dict__", "slot")


def test_places_are_named_as_a_program_reaches_them() -> None:
    o = Holder()
    o.items = [1, {"k": (o,)}]  # type: ignore[attr-defined]
    o.slot = [o]
    items = o.items  # type: ignore[attr-defined]
    named = [("o", o)]
    assert name_of([o, vars(o), items, items[1], items[1]["k"], o], named) == "o.items[1]['k'][0]"
    assert name_of([o, o.slot, o], named) == "o.slot[0]"
    assert name_of([vars(np), np.sin], []) == "sin"
    assert name_of([Holder, {}, 1], []).startswith("something of the class type")
    assert name_of([items, items[1]], []) == "something of the class list[1]"


def test_what_else_the_process_has_is_not_looked_at() -> None:
    """The first calls of a function whose class outlives its trace, in a small and large world."""
    def first_call(world: int) -> int:
        scope = load("def f(x):\n  class C:\n    def get(self): return x\n"
                     "  return C().get() + 1", "<a class>")
        scope["world"] = [[n] for n in range(world)]
        return calls_made(lambda: ag.function(scope["f"])(np.float64(2.0)))

    first_call(1)
    assert first_call(100_000) <= first_call(1) + 100
