"""What a function changes in its arguments by constants is changed by every call.

Only a method's own object is left to the trace, as in tf.function's guide.
"""

from __future__ import annotations

import linecache
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import autograph as ag


class Plain:
    def __init__(self) -> None:
        self.count, self.items, self.table, self.done = 0, [1], {"a": 1}, False
        self.inner: Any = None
        self.array = np.zeros(2)

    def push(self, item: Any) -> None:
        self.items.append(item)


class Slotted:
    __slots__ = ("array", "count", "done", "inner", "items", "table")
    __init__ = Plain.__init__
    push = Plain.push


@dataclass
class Data:
    count: int = 0
    items: list[int] = field(default_factory=lambda: [1])
    table: dict[str, int] = field(default_factory=lambda: {"a": 1})
    done: bool = False
    inner: Any = None
    array: Any = field(default_factory=lambda: np.zeros(2))
    push = Plain.push


EFFECTS = [
    "o.count = 3", "o.count += 1", "o.items.append(2)", "o.items += [2, 3]", "o.items[0] = 5",
    "o.items.clear()", "o.items = [9]", "o.items.pop() if o.items else None", "o.table['b'] = 2",
    "o.table['a'] += 1", "del o.table['a']", "o.table.setdefault('c', []).append(1)",
    "o.done = True", "o.done = not o.done", "o.inner = [1]", "o.push(7)", "o.array[0] = 4.0",
    "o.array = o.array + 1.0", "o.items.sort()", "o.items.extend(o.items[:1])",
    "setattr(o, 'count', 8)", "vars_of(o)", "o.items, o.table = [0], {}",
]
HOMES = {"argument": "o", "in a list": "[o]", "in a dict": "{'k': o}", "in an object": "held(o)"}
REACHED = {"argument": "o = h", "in a list": "o = h[0]", "in a dict": "o = h['k']",
           "in an object": "o = h.inner"}


def held(o: Any) -> Plain:
    made = Plain()
    made.inner = o
    return made


def vars_of(o: Any) -> None:
    o.count, o.done = o.count + 2, True


def picture(x: Any) -> Any:
    """Everything that an argument leads to."""
    if isinstance(x, (Plain, Slotted, Data)):
        names = ("count", "items", "table", "done", "inner", "array")
        return type(x).__name__, [picture(getattr(x, name)) for name in names]
    if isinstance(x, (list, tuple)):
        return [picture(part) for part in x]
    if isinstance(x, dict):
        return {k: picture(v) for k, v in x.items()}
    return (str(x), np.asarray(x).dtype.kind)


def loaded(effect: str, home: str) -> Any:
    scope: dict[str, Any] = {"held": held, "vars_of": vars_of, "np": np}
    text = f"def f(h, x):\n    {REACHED[home]}\n    {effect}\n    return x + len(o.items)\n"
    name = f"<{effect} {home}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), scope)
    return scope["f"]


@pytest.mark.parametrize("cls", [Plain, Slotted, Data])
@pytest.mark.parametrize("home", HOMES)
@pytest.mark.parametrize("effect", EFFECTS)
def test_every_call_changes_them(effect: str, home: str, cls: type) -> None:
    f = loaded(effect, home)
    one, other = cls(), cls()
    arguments = [eval(HOMES[home], {"o": o, "held": held}) for o in (one, other)]
    function = ag.function(f)
    for x in (1.0, 2.0, 3.0):
        one.done = other.done = False  # a caller may change it back
        results = []
        for run, given in zip((f, function), arguments, strict=True):
            try:
                results.append(run(given, np.array(x)))
            except (KeyError, IndexError) as error:
                results.append(type(error))
        assert results[0] == results[1]
        assert picture(arguments[0]) == picture(arguments[1])


def test_a_new_object_is_changed_as_the_first_was() -> None:
    @ag.function
    def f(o: Any, x: Any) -> Any:
        o.items.append(2)
        return x

    first, second = Plain(), Plain()
    for o in (first, second, first):
        f(o, np.ones(2))
    assert (first.items, second.items) == ([1, 2, 2], [1, 2])


def test_the_object_of_a_method_is_changed_by_the_trace() -> None:
    class Model:
        def __init__(self) -> None:
            self.traced, self.total = 0, ag.Variable(0.0)

        @ag.function
        def step(self, o: Any, x: Any) -> Any:
            self.traced += 1
            o.count += 1
            return self.total.assign_add(x)

    model, o = Model(), Plain()
    for _ in range(3):
        model.step(o, np.float64(1.0))
    assert (o.count, float(model.total)) == (3, 3.0)
    assert model.traced == 2  # the second trace knows that the count is changed


def test_an_argument_is_set_up_with_variables() -> None:
    @ag.function
    def f(o: Any, x: Any) -> Any:
        if o.inner is None:
            o.inner = ag.Variable(1.0)
            o.done = True
        return o.inner.assign_add(x)

    o = Plain()
    assert [float(f(o, np.float64(2.0))) for _ in range(3)] == [3.0, 5.0, 7.0]
    assert o.done
