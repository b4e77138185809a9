"""Methods of containers as values that only the run knows: kept, chosen, called later."""

import heapq
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.picture import Picture
from tests.corpus.state.small_programs import MODES


class World:
    def __init__(self):
        self.items, self.s, self.d, self.q = [3, 1], {1}, {"a": 1}, deque([1])


def method_of_a_list(x, a):
    out, found = [], []
    for v in x:
        if v > 1:
            found += [out.append]
    if found:
        found[-1](x[0])
    return out


def heap(x, a):
    h, out = [], [1]
    n = len(out)
    heapq.heappush(h, (a, 1, out.append, (x[0],)))
    heapq.heappush(h, (x[1], 2, out.extend, ([1,2],)))
    m = out[0] + len(out)
    while h:
        _, _, act, args = heapq.heappop(h)
        act(*args)
        m = m + len(out) + out[-1]
    return out, n, m, len(out)


def aliases(x, a):
    out = [1]
    o2, d = out, {}
    if a > 1:
        d[int(a)] = out.append
    for f in d.values():
        f(7)
    if o2[-1] == 7:
        out[0] = 3
    return out, o2 is out, sum(o2)


def twice(x, a):
    p, q = [], []
    acts = {}
    for v in x:
        acts[int(v)] = p.append if v > a else q.append
    for k in sorted(acts):
        acts[k](k)
    return p, q


def attr(x, a, w):
    acts = []
    for v in x:
        if v > a:
            acts.append(w.items.append)
        else:
            acts.append(w.s.add)
    n = len(w.items)
    for act in acts:
        act(int(a))
    k = w.items[-1] + len(w.s) + n
    w.items[0] = 9
    w.items = list(w.items) if a > 1 else w.items
    for act in acts[:1]:
        act(8)
    return k, len(w.items), w.items


def looped(x, a, w):
    act = w.items.append
    for v in x:
        if v > a:
            act = w.s.add
        act(int(v))
    return sum(w.items), w.s


def stacked(x, a, w):
    todo = []
    def later(f, *args): todo.append((f, args))
    if a > 1:
        later(w.items.append, 5)
    later(w.d.update, {'b': a})
    if a < 3:
        later(w.items.clear)
    later(w.items.insert, 0, a)
    while todo:
        f, args = todo.pop()
        f(*args)
    return len(w.items), w.d['b']


def made_inside(x, a):
    acts, outs = [], []
    for v in x:
        if v > a:
            out = [v]
            outs.append(out)
            acts.append(out.append)
    for k, act in enumerate(acts):
        act(k)
    return outs, len(acts)


def method_out(x, a):
    act = None
    if a > 1:
        out = [a]
        act = out.append
    if act is not None:
        act(3)
    return act is None


def method_out2(x, a):
    out = [1]
    if a > 1:
        act = out.append
    else:
        act = out.extend
    act([3])
    return out


def held(x, a, w):
    box = {"f": None}
    for v in x:
        if v > a:
            box["f"] = w.items.append
    if box["f"]:
        box["f"](a)
    return w.items


def returned(x, a):
    out = []
    def pick(v):
        if v > a:
            return out.append
        return out.insert
    for v in x:
        f = pick(v)
        if v > a:
            f(v)
        else:
            f(0, v)
    return out


def sorted_by(x, a, w):
    acts = [(v, k, w.items.append) for k, v in enumerate(x)]
    acts.sort()
    for _, k, act in acts:
        act(k)
    return w.items


def compare(x, a, w):
    acts = [w.items.append]
    if a > 1:
        acts.append(w.items.pop)
    return acts[-1] == w.items.append, acts[0] == w.items.append, acts[-1].__name__


def key(x, a, w):
    d = {}
    for v in x:
        d.setdefault(int(v), w.items.append)
    for k, f in sorted(d.items()):
        f(k)
    return w.items


def popped(x, a, w):
    acts = [w.q.append, w.q.appendleft, w.q.pop]
    todo = [acts[int(v) % 2] for v in x]
    r = 0
    for f in todo:
        f(r)
        r = r + len(w.q) + w.q[0]
    return r


def itercounts(x, a, w):
    f = w.items.append if a > 1 else w.items.remove
    g = [f]
    if x[0] > a:
        g = [w.items.extend]
    try:
        g[0](3)
    except TypeError:
        return 'type'
    return w.items, len(w.items)


PROGRAMS = [method_of_a_list,
            heap,
            aliases,
            twice,
            attr,
            looped,
            stacked,
            made_inside,
            method_out,
            method_out2,
            held,
            returned,
            sorted_by,
            compare,
            key,
            popped,
            itercounts]
CALLS = (([1.0, 2.0, 3.0], 0.0), ([4.0, 1.0, 1.0], 1.0), ([3.0, 5.0, 2.0], 2.0),
         ([1.0, 1.0, 7.0], 2.0))


def outcome(function: Callable[..., Any], x: list[float], a: float, world: World) -> str:
    given = [world] if world is not None else []
    try:
        result = function(np.array(x), np.float64(a), *given)
    except (ValueError, IndexError) as error:
        result = type(error).__name__
    return Picture().of((result, world))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_as_in_python(program: Callable[..., Any], mode: str) -> None:
    traced = ag.function(program, **MODES[mode])
    takes_world = program.__code__.co_argcount > 2
    for x, a in CALLS:
        one, other = (World() if takes_world else None for _ in range(2))
        assert outcome(traced, x, a, other) == outcome(program, x, a, one)
