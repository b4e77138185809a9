"""Objects from outside whose state C code keeps: each run makes their calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.small_programs import MODES
from tests.corpus.state.verdict import load

OBJECTS = {
    # name: (what makes `o`, a call with the value v, what shows its state)
    "SimpleQueue": ("o = queue.SimpleQueue()", "o.put({v})", "[o.get() for _ in range(o.qsize())]"),
    "a queue that is read": ("o = queue.SimpleQueue()\nfor i in range(99): o.put(i)",
                             "t = o.get() + {v}", "o.qsize()"),
    "ContextVar": ("o = contextvars.ContextVar('o', default=0.0)", "o.set(o.get() + {v})",
                   "o.get()"),
    "hash": ("o = hashlib.sha256()", "o.update(np.float64({v}).tobytes())", "o.hexdigest()"),
    "compressor": ("o = zlib.compressobj()", "o.compress(np.float64({v}).tobytes() * 99)",
                   "o.copy().flush()"),
    "lock": ("o = threading.RLock()", "t = o.acquire() + {v}", "o._is_owned()"),
    "generator": ("def made():\n  total = n = 0.0\n  while True:\n    got = yield n\n"
                  "    total += got; n = total * 2\no = made(); next(o)", "t = o.send({v})",
                  "o.gi_frame.f_locals['total']"),
    "a generator that catches": (
        "def made():\n  n = 0.0\n  while True:\n    try: yield n\n    except KeyError: n += 7\n"
        "o = made(); next(o)", "t = o.throw(KeyError) + {v}", "o.gi_frame.f_locals['n']"),
    "a generator that is closed": ("def made():\n  while True: yield 1.0\no = made(); next(o)",
                                   "o.close()", "o.gi_frame is None"),
}
HOMES = {"a global": ("f(x)", ""), "an argument": ("f(x, o)", ", o")}
FORMS = {
    "once": "  {call:x}\n",
    "a constant": "  {call:1.5}\n",
    "twice": "  {call:x}\n  {call:x + 1}\n",
    "a constant, then a value": "  {call:1.5}\n  {call:x}\n",
    "in a branch": "  if x > 1:\n    {call:x}\n  else:\n    t = x * 3\n",
    "a constant in a branch": "  if x > 1:\n    {call:1.5}\n",
    "before and in a branch": "  {call:1.5}\n  if x > 1:\n    {call:x}\n",
    "in a range": "  for i in range(3):\n    {call:x + i}\n",
    "in a loop": "  i = 0.0\n  while i < x:\n    {call:i}\n    i += 1\n",
    "in a function": "  def g(v):\n    {call:v}\n  g(x)\n  g(x + 1)\n",
}

TEXT = """
import contextvars, hashlib, queue, threading, zlib
import numpy as np
{made}
def {signature}:
  t = x
{body}  return t
def shown(): return {shown}
"""


class Call:
    """Formats as a call: `{call:x + 1}` is that with the value `x + 1`."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __format__(self, value: str) -> str:
        return self.text.format(v=f"({value})")


def outcomes(name: str, home: str, form: str, **options: Any) -> list[list[Any]]:
    """What some calls return and leave, of the plain function and of the decorated one."""
    made, call, shown = OBJECTS[name]
    signature, more = HOMES[home]
    text = TEXT.format(made=made, signature=signature, shown=shown,
                       body=FORMS[form].format(call=Call(call)))
    found = []
    for decorate in (lambda f: f, lambda f: ag.function(f, **options)):
        scope = load(text, f"<{name} {form} {home}>")
        f, given = decorate(scope["f"]), (scope["o"],) if more else ()
        seen: list[Any] = []
        for x in (1.0, 3.0, 2.0, 3.0):
            try:
                seen.append(float(f(np.float64(x), *given)))
            except (StopIteration, TypeError, AttributeError) as error:
                seen.append(type(error))
            seen.append(repr(scope["shown"]()))
        found.append(seen)
    return found


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("home", HOMES)
@pytest.mark.parametrize("name", OBJECTS)
@pytest.mark.filterwarnings("ignore::autograph.errors.FallbackWarning")
def test_each_run_makes_the_calls(name: str, home: str, mode: str) -> None:
    for form in FORMS:
        expected, found = outcomes(name, home, form, **MODES[mode])
        assert expected == found, form
