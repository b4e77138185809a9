"""What goes through an iterator moves it on, although nobody wants the result; and an iterator sees
what changes after a loop that ended early."""

import linecache
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import autograph as ag

CHANGES = "if x > 0: p[0] = 3"

MOVED = """
it = enumerate(p); {0}; a = list(it); b = list(it); return a, b
it = zip(p, p); {0}; list(it); return list(it)
it = reversed(p); {0}; sum(it); return max(it, default=0)
it = reversed(p); {0}; return sum(it), sum(it)
it = reversed(p); {0}; return 2 in it, 2 in it, list(it)
it = enumerate(p); {0}; a, *b = it; return a, b, tuple(it)
it = enumerate(p); {0}; {1}; return list(it)
it = enumerate(p); {0}; {1}; {1}; return list(it)
it = enumerate(p); {1}; p[2] = 9; return list(it)
it = reversed(p); {1}; p[0] = 9; return list(it)
it = zip(p, p); {1}; p.append(8); return list(it)
it = iter(p); {1}; p.append(9); return list(it)
it = iter(p); {1}; p.clear(); return list(it)
it = iter(p); {1}; p[-1] = 7; return next(it, 0), list(it)
""".strip().splitlines()

REFUSED = """
d = dict.fromkeys(p, 1); it = iter(d); {1}; d[7] = 1; return list(it)
""".strip().splitlines()

READ = """
it = (v * 3 for v in p); {2}; return list(it)
it = (v * 3 for v in p); next(it); {2}; a = next(it, 0); return a, list(it), sum(it)
it = (v * 3 for v in p); {2}; return tuple(it), list(it)
""".strip().splitlines()

CHANGED = """
n = 3; it = (v * n for v in p); {2}; n = 7; return next(it)
it = map(lambda v: v * q.k, p); {2}; q.k = 9; return next(it)
""".strip().splitlines()

BRANCH = "if x > 0: next(it)"

LOOP = "for v in it:\n        if np.sum(v) * x > 1: break"


def function(body: str) -> Callable[[Any, Any], Any]:
    lines = body.format(CHANGES, LOOP, BRANCH).split("; ")
    text = "def f(x, p):\n" + "".join(f"    {line}\n" for line in lines)
    filename = f"<moved {body}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    scope: dict[str, Any] = {"np": np, "q": SimpleNamespace(k=2)}
    exec(compile(text, filename, "exec"), scope)  # our own text
    made: Callable[[Any, Any], Any] = scope["f"]
    return made


@pytest.mark.parametrize("body", MOVED + READ)
def test_iterators_move_on(body: str) -> None:
    plain = function(body)
    f = ag.function(plain)
    for x in (np.float64(n) for n in (1.0, -1.0, 0.5)):
        assert repr(f(x, [1, 2, 3])) == repr(plain(x, [1, 2, 3]))


@pytest.mark.parametrize("body", REFUSED)
def test_changed_after_an_early_end(body: str) -> None:
    with pytest.raises(ag.errors.TracingError, match="is read again"):
        ag.function(function(body))(np.float64(1.0), [1, 2, 3])


@pytest.mark.parametrize("body", CHANGED)
def test_changed_after_a_branch_may_have_read(body: str) -> None:
    with pytest.raises(ag.errors.TracingError, match="how far the iterator was read"):
        ag.function(function(body))(np.float64(-1.0), [1, 2, 3])
