"""Containers that an operator changes in place, before their name, attribute or item is bound anew:
whatever has the first object sees the change, in all loops and before all branches."""

from itertools import product
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.random.test_numeric_programs import load
from tests.support.amount import sample
from tests.support.outcome import describe

UPDATES = {
    "list += [x]": ("list", "{t} += [x]", "{t} = [2]", "{t}.append(3)"),
    "list += list of another loop": (
        "list", "{t} += [x + q for q in range(2) if q > 0]", "{t} = {t} + [2]", "{t}.append(3)"),
    "list *= 2": ("list", "{t} *= 2", "{t} = [2] + {t}", "{t}.append(3)"),
    "list *= n": ("list", "{t} *= n", "{t} = {t}[1:]", "{t}.append(n)"),
    "set |= {n}": ("set", "{t} |= {n}", "{t} = {2}", "{t}.add(3)"),
    "set -= {n}": ("set", "{t} -= {n, 7}", "{t} = {t} | {n}", "{t}.discard(2)"),
    "deque += [x]": ("deque", "{t} += [x]", "{t} = deque([2])", "{t}.append(3)"),
}
"""A container, an operator that changes it, what binds it anew, and a change of what that is."""

TARGETS = {"name": "c", "attribute": "o.c", "item": "o.d['k']"}
LOOPS = ("if True:", "for _ in range(2):", "for _ in a:", "for _ in range(n):", "if x > 1:")
ENDS = ("{t}.__len__()", "if x > 2: {change}", "{change}", "for _ in range(n): {change}")

SOURCE = """
import numpy as np
from collections import deque

def f(c, o, x, n, a):
    first = {t}
    {loop}
        {update}
        {anew}
    {end}
    return first, {t}
"""


class Holder:
    """An object with a container."""

    def __init__(self, container: Any) -> None:
        self.c = container
        self.d = {"k": container}


def arguments(kind: str, x: float) -> tuple[Any, ...]:
    from collections import deque

    made = {"list": list, "set": set, "deque": deque}[kind]([3, 1, 7])
    return made, Holder(made), np.float64(x), 2, np.array([1.0, 2.0])


def told(f: Any, given: tuple[Any, ...]) -> str:
    """Returns the result, or the exception, and the state after it."""
    c, o, *_ = given
    try:
        first, last = f(*given)
        result = describe((first, last, first is c, last is o.c, last is o.d["k"]))
    except Exception as error:
        result = repr(error)
    return f"{result}; {describe((c, o.c, o.d))}"


@pytest.mark.parametrize("mode", [{}, {"effects": "runtime", "captures": "guard"}], ids=str)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("update", UPDATES)
def test_first_objects_see_the_change(update: str, target: str, mode: dict[str, Any]) -> None:
    kind, *parts = UPDATES[update]
    t = TARGETS[target]
    change, anew = (part.replace("{t}", t) for part in (parts[2], parts[1]))
    for loop, end in sample(product(LOOPS, ENDS), 3, f"{update} {target}"):
        source = SOURCE.replace("{loop}", loop).replace(
            "{update}", parts[0].replace("{t}", t)).replace("{anew}", anew).replace(
            "{end}", end.replace("{change}", change)).replace("{t}", t)
        plain: Any = load(source, f"<{update}, {target}, {loop}, {end}>")
        traced = ag.function(plain, **mode)
        for x in (0.5, 3.0):
            assert told(traced, arguments(kind, x)) == told(plain, arguments(kind, x)), source
