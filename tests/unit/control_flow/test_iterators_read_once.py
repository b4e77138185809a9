"""Iterators over lists whose length only the run knows: what was read once is gone."""

import collections
import itertools
import linecache
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.errors import TracingError

HEAD = """
def f(a):
    p, i = [1, 2, 3, 4], 0
    while a[i] < 3:
        i += 1
    p.append(a[0])
    p, q = p[i:], []
"""
X = np.array([1, 2, 3, 4])

BODIES = """
return next(reversed(p)), next(enumerate(p)), next(zip(p, p))
it = reversed(p); first = next(it); return first, list(it), list(it)
it = zip(p, p); return list(it), next(it, None)
it = enumerate(p); return dict(it), dict(it)
it = enumerate(p); total = sum(x for i, x in it); return total, list(it)
it = reversed(p); return list(zip(it, it))
it = enumerate(reversed(p)); return next(it), list(it)
it = reversed(p); q = [*it]; return q, [*it]
it = reversed(p); return max(it), list(it)
it = np.ndenumerate(a); return next(it), [x for _, x in it]
it = itertools.zip_longest(p, p[1:]); return next(it), list(it)
it = itertools.repeat(2, p[1]); return next(it), list(it)
it = zip(a[a > 1], p); return next(it), sum(x for x, _ in it), list(it)
it = reversed(p); return [next(it, -1) for _ in range(5)]
it = reversed(p); q = list(it) if a[0] > 0 else []; return q, list(it)
it = reversed(p); q = list(it) if a[0] > 9 else []; return q, list(it)
it = reversed(p); q = [next(it) for _ in range(a[1])]; return q, list(it)
it = reversed(p); q = [list(it) for _ in range(a[1])]; return q
it = enumerate(p); q = any(x > 3 for i, x in it); return q, next(it, 0), list(it)
it = reversed(p); q = 4 in it; return q, list(it)
p[i:] = reversed(p[i:]); return p
p[i:] = (x + 1 for x in p[:i]); return p
p[:i] = map(lambda x: x + 1, p); return p
return [*reversed(p)], max(*reversed(p), 0)
d = collections.deque(a, 3); return max(d), min(d), sum(d), sorted(d)
""".strip().splitlines()


def function(body: str) -> Callable[[Any], Any]:
    text = HEAD + "".join(f"    {line.strip()}\n" for line in body.split(";"))
    filename = f"<{body}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    scope: dict[str, Any] = {"np": np, "itertools": itertools, "collections": collections}
    exec(compile(text, filename, "exec"), scope)  # our own text
    made: Callable[[Any], Any] = scope["f"]
    return made


@pytest.mark.parametrize("body", BODIES)
def test_gives_what_python_gives(body: str) -> None:
    plain = function(body)
    assert repr(ag.function(plain)(X)) == repr(plain(X))


@pytest.mark.parametrize(("body", "why"), [
    ("it = enumerate(p); q = list(zip(it, a)); return list(it)", "may have stopped before its end"),
    ("it = reversed(p); return [x for x in it if x not in it]", "may have stopped before its end"),
    ("it = enumerate(p); p.append(9); return list(it)", "is changed after an iterator"),
    ("it = zip(p, p); p[0] = a[1]; return list(it)", "is changed after an iterator"),
])
def test_refuses_what_only_the_run_knows(body: str, why: str) -> None:
    with pytest.raises(TracingError, match=why):
        ag.function(function(body))(X)


def leaves_after_a_change(x):
    found, n = {"a": x[0], "b": 2}, 0
    for key in found:
        found.pop(key)
        for v in x:
            if v > 3:
                n += 1
        if n > 0:
            break
    return found, n


def test_a_changed_dict_raises_only_if_the_loop_goes_on() -> None:
    f = ag.function(leaves_after_a_change)
    x = np.array([3.0, 5.0])
    assert repr(f(x)) == repr(leaves_after_a_change(x))
    with pytest.raises(RuntimeError, match="changed size"):
        f(np.array([3.0, 1.0]))


def endless(x):
    def values():
        while x.sum() > 0:
            yield x

    return values()


def test_what_the_run_collects_has_an_end() -> None:
    f = ag.function(endless)
    assert list(f(np.zeros(2))) == []
    with pytest.raises(ValueError, match="without an end, escapes from the function"):
        f(np.ones(2))


@pytest.mark.parametrize("made", [
    "map(abs, v)", "filter(None, v)", "iter(v)", "(y for y in v)", "itertools.takewhile(abs, v)",
    "itertools.chain.from_iterable(v)", "itertools.starmap(max, v)", "itertools.pairwise(v)"])
def test_what_cannot_be_iterated_over_is_refused_at_once(made: str) -> None:
    read = function(f"v, i = a[0], int(a[1]); it = {made}; return i")
    plain = function(f"v = 5; it = {made}; return p")
    for f in (read, plain):
        with pytest.raises(TypeError) as expected:
            f(X)
        with pytest.raises(TypeError, match=re.escape(str(expected.value))):
            ag.function(f)(X)
