"""Variables that a function puts into containers and objects: they are themselves there."""

from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.small_programs import MODES
from tests.support.functions_of_text import function_of


class Holder:
    def __init__(self) -> None:
        self.xs: list[Any] = [1]
        self.d: dict[str, Any] = {}
        self.s: list[Any] = []
        self.a: Any = None


V, W = ag.Variable(np.ones(2)), ag.Variable(np.zeros(2))

PROGRAMS = [
    "if np.sum(x) > 0: o.xs.append(v)", "if np.sum(x) > 0: o.xs.insert(0, v)",
    "if np.sum(x) > 0: o.s.extend([v, w])", "if np.sum(x) > 0: o.xs += [v]",
    "if np.sum(x) > 0: o.d.setdefault('q', v)",
    "for _ in range(int(np.sum(x))): o.xs.append(v)", "o.t = (v, x)", "o.t = [v, {'w': w}]",
    "if np.sum(x) > 0: o.p = Holder(); o.p.a = v", "o.p = Holder(); o.p.a = v", "o.c = {'a': w}",
    "if np.sum(x) > 0: o.a = v\n    else: o.a = w", "o.c = [v, w] if np.sum(x) > 0 else [w, v]",
    "l = []\n    for _ in range(int(np.sum(x))): l.append(v)\n    o.l = l", "o.same = [v, v]",
    "if np.sum(x) > 0: o.d['k'] = o.d.get('k', 0) + v", "o.y = [q * 2 for q in (v, x)]",
    "l = [x]\n    while len(l) < np.sum(x) + 2: l.append(l[-1] * v)\n    o.l = [q + w for q in l]",
]
REFUSED = [
    "if np.sum(x) > 0: o.a = v", "if np.sum(x) > 0: o.t = (v, w)", "if np.sum(x) > 0: o.d['k'] = v",
    "if np.sum(x) > 0: o.d['k'] = (v, 1)",
]
"""Where the run decides if what was there stays: that is the variable of another call."""


def pictured(x: Any) -> Any:
    """Returns what is held, with names for the variables."""
    if isinstance(x, Holder):
        return pictured(vars(x))
    if isinstance(x, (list, tuple)):
        return type(x)(map(pictured, x))
    if isinstance(x, dict):
        return {key: pictured(value) for key, value in x.items()}
    return "v" if x is V else "w" if x is W else repr(x)


def left_by(f: Any) -> Any:
    o = Holder()
    for sign in (1.0, -1.0, 1.0):
        f(o, np.array([sign, sign]))
    return pictured(o)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("text", PROGRAMS + REFUSED)
def test_a_variable_is_itself(text: str, mode: str) -> None:
    f = function_of(f"def f(o, x):\n    {text}\n", f"<variables {text}>",
                    {"np": np, "v": V, "w": W, "Holder": Holder})
    wanted, traced = left_by(f), ag.function(f, **MODES[mode])
    try:
        found = left_by(traced)
    except ag.errors.TracingError as error:
        assert text in REFUSED, error
        assert "hint: put its value there" in str(error)
        return
    assert found == wanted
