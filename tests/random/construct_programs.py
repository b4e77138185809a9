"""Makes random programs of constructs that few programs have: fields with factories, descriptors,
blocks that keep state, generators that delegate, chains over lists that change, patterns with
guards that have effects, stars in assignments, `nonlocal` through several levels, decorators with
state, classes whose bodies do something, exceptions that carry state, `return` in `finally`, loops
with `else`, defaults that recursion changes, and the less common containers of the library."""

from __future__ import annotations

from tests.random.construct_prelude import PRELUDE
from tests.random.linked_programs import LinkedProgram

STEPS = (
    "p = Part(N)\nif T: p.tags.append('x')\nr.append(p)", "S.part.tags += [N, I]",
    "S.part = replace(S.part, size=N)", "r.append(Part() == S.part)", "S.point = S.point.moved(N)",
    "r.append(max(S.point, Point(N, 1)))",
    "S.part.seen[S.point.moved(I)] = N\nr.append(len(S.part.seen))", "S.slim.add(N).add(I)",
    "k = S.slim.kids[-1] if S.slim.kids else S.slim\nk.v += N", "S.thing.low = N",
    "S.thing.high += N\nr.append(S.thing.reads)", "r.append(S.thing.sum)\nif T: del S.thing.sum",
    "S.thing.sum = N\nr.append(S.thing.sum)", "S.thing.raised(N).twice(I)",
    "S.other.raised(I).twice(N)", "t2 = S.thing if T else S.other\nt2.raised(N)",
    "r.append(bool(S.thing) or S.thing.note(S.log, N))", "if S.thing and T: S.log.append('yes')",
    "r.append(len(S.thing(N)(I)))", "r.append(N in S.thing)",
    "S.thing @= N\nr.append(S.thing @ I)", "S.log.append(f'{S.thing:a}')",
    "o = S.thing\nwhile not o: o.raised(2)",
    "f = S.thing.raised\nif T: f = S.other.raised\nf(N, by=I)", "g = Thing.raised\ng(S.thing, N)",
    "r.append(list(map(S.thing, [N, I]))[-1] is S.thing)", "r.append(S.thing.count(I))",
    "Thing.count(N)", "type(S.thing).total += I\nr.append(Other.total)",
    "S.thing.total += N\nr.append(Thing.total)",
    "Thing.made.append(I)\nr.append(S.other.made[-1])",
    "with S.gate as g:\n    if T: raise Fault(N)\n    r.append(g.inside)",
    "with S.gate, Gate(S.log, 'hide') as h:\n    S.log.append(N)\n    if T: raise Fault(I)\n"
    "r.append(h.inside)",
    "try:\n    with Gate(S.log, 'turn'):\n        if T: raise Fault(N)\nexcept Small as e:\n"
    "    r.append((e.held, type(e.__cause__).__name__))",
    "with pushed(S.items, N) as size:\n    if T: raise Small(I)\n    r.append(size)",
    "with pushed(S.items, I), pushed(S.log, 'p'):\n    S.items.append(N)",
    "with (S.gate if T else nullcontext(N)) as g:\n    r.append(type(g).__name__)",
    "for k in range(I):\n    with Gate(S.log, 'hide'):\n        if T: break\n"
    "        S.log.append(k)",
    "with ExitStack() as es:\n    for k in range(I):\n"
    "        es.enter_context(pushed(S.items, k))\n    S.log.append(len(S.items))",
    "with ExitStack() as es:\n    es.callback(S.log.append, N)\n    if T: es.pop_all()",
    "S.log.append(S.gen.send(N))", "g = running(N)\nnext(g)\nr.append([g.send(I), g.send(N)])",
    "g = running()\nnext(g)\ng.send(N)\ntry:\n    g.send(None)\nexcept StopIteration as e:\n"
    "    r.append(e.value)",
    "r.append(list(outer(S.log, I)))",
    "for v in outer(S.log, 3):\n    if v >= N: break\n    S.log.append(v)",
    "g = outer(S.log, 2)\nr.append(next(g))\nif T: g.close()\nr.append(next(g, 'no'))",
    "g = (v * 2 for v in S.items if either(S.log, v))\nif T: next(g, None)\nS.items.append(N)\n"
    "r.append(list(g))",
    "r.append(next(S.it, N))", "r.append([v for v in S.it if v > N])",
    "with closing(outer(S.log, 3)) as g:\n    r.append(next(g))\n    if T: r.append(next(g))",
    "o = S.items\nfor v in itertools.chain(o, S.log[:1]):\n    if v == N and len(o) < 6:\n"
    "        o.append(I)",
    "r.append(list(itertools.islice(itertools.cycle(S.items), I)))",
    "r.append(list(itertools.takewhile(lambda v: either(S.log, v), S.items)))",
    "for k, g in itertools.groupby(S.items, lambda v: v > N):\n    r.append((k, list(g)))",
    "r.append(list(itertools.accumulate(S.items, lambda p, q: p + q if T else q)))",
    "for v, w in zip(S.items, itertools.count(I)):\n    if v > N: S.items[0] = w",
    "for u, v in itertools.pairwise(S.items):\n    if u > v:\n        S.log.append((u, v))",
    "r.append(list(itertools.compress(S.items, [T, T, not T])))",
    "r.append(list(itertools.filterfalse(lambda v: either(S.log, v), S.items)))",
    "r.append(list(map(max, S.items, itertools.repeat(N))))",
    "for v in reversed(S.items):\n    if v > N: S.items.pop()",
    "i = iter(S.items)\nfor v in i:\n    if T: r.append((v, next(i, None)))",
    "match S.items:\n    case [v, *_] if either(S.log, v) and T:\n        r.append(v)\n"
    "    case [*_, v] if S.log.append('g') is None and v > N:\n        r.append(('last', v))\n"
    "    case _:\n        r.append('other')",
    "match (T, I):\n    case (True, 0 | 1 as k):\n        S.log.append(k)\n"
    "    case (flag, k) if k > N:\n        r.append((flag, k))\n    case [q, _]:\n"
    "        r.append(q)",
    "match {'a': N, 'b': [I]}:\n    case {'a': v, **rest} if v > 1:\n"
    "        rest['b'].append(v)\n        r.append(rest)\n    case {'b': [v]}:\n"
    "        S.log.append(v)",
    "match S.point:\n    case Point(x=v, y=2.0) if v > N:\n        S.log.append(v)\n"
    "    case Point(v, _):\n        r.append(v)",
    "match N:\n    case int() | float() as v if v > 2:\n        r.append(v)\n    case v:\n"
    "        S.log.append(v)",
    "r.append([k for v in S.items if (k := v + I) > N])",
    "if (n := len(S.items)) > N: S.items.append(n)",
    "o = S.ring\nwhile (n := o[0]) > N:\n    o.rotate(1)\n    o[0] = 0",
    "r.append(any((hit := v) > N for v in S.items))\nr.append(hit)",
    "first, *rest = S.items\nrest.append(N)\nr.append((first, rest))",
    "*S.items, last = [N, *S.items[:3], I]\nr.append(last)",
    "(p, q), *S.log[:1] = [(N, I), 7]\nr.append(p + q)",
    "S.items[0], S.items[-1] = S.items[-1], N", "r.append((*S.items[:2], *(N,), *range(I)))",
    "r.append({**S.order, 'k': N, **dict(a=I)})", "S.items[1:2] = [N] * I",
    "r.append(max(*S.items, N, key=lambda v: -v))", "r.append(S.one(N)(I))\nr.append(S.both())",
    "two = S.one(I)\nif T: two(N)\ntwo(1)\nr.append(S.both())",
    "one, both = levels(S.log)\nfor k in range(I): one(k)(N)\nr.append(both())",
    "r.append(halved(N))\nr.append(halved.count)", "r.append((limited(N), limited(I)))",
    "@counted\ndef h(v): return v + I\nif T: h(N)\nh(2)\nr.append((h.count, h.last))",
    "@every(1)\ndef h(v):\n    S.log.append(v)\n    return v\nr.append([h(N), h(I), h(3)])",
    "r.append(shown(I, S.log) + shown(S.items, S.log))", "r.append(shown([I] if T else I, S.log))",
    "f = reduce(lambda g, k: lambda v: g(v) + k, range(I), lambda v: v)\nr.append(f(N))",
    "fs = [partial(operator.add, k) for k in range(3)]\nr.append(fs[I % 3](N))",
    "def h(v, at=[0]):\n    at[0] += v\n    return at[0]\nif T: h(N)\n"
    "r.append((h(I), h.__defaults__))",
    "class Q(Hooked, tag='q'):\n    size = N\n    S.log.append('body')\n"
    "    def get(self): return self.size\nr.append((Q().get(), Q.tag))",
    "class Q(metaclass=Registry):\n    names = [k for k in range(I)]\n"
    "r.append(Registry.kinds['Q'] + len(Q.names))",
    "r.append(Hooked[N])",
    "q = type('Dyn', (), {'v': N, 'w': lambda self: self.v + I})()\nr.append(q.w())",
    "try:\n    if T: raise Fault(N).noted(I)\n    r.append('calm')\nexcept Fault as e:\n"
    "    e.noted(2)\n    r.append((e.held, e.trail))",
    "try:\n    try:\n        if T: raise Fault(N)\n    except Fault as e:\n"
    "        raise Small(I) from e\nexcept Small as e:\n"
    "    r.append((e.held, e.__cause__.held))",
    "kept = None\ntry:\n    if T: raise Fault(N, I)\nexcept Fault as e:\n    kept = e\n"
    "r.append(kept and kept.args)",
    "Fault.count += 1\ntry:\n    raise (Small if T else Fault)(N)\nexcept Small:\n"
    "    S.log.append('s')\nexcept Fault as e:\n    S.log.append(e.held)\nelse:\n"
    "    S.log.append('never')",
    "r.append(early(S.log, I))", "r.append(early(S.log, I - 1))", "r.append(finals(S.log, N))",
    "for v in S.items:\n    if v == N: break\nelse:\n    S.log.append('none')",
    "for v in S.items:\n    try:\n        if v > N: continue\n        S.log.append(v)\n"
    "    finally:\n        S.log.append('.')\nelse:\n    r.append('all')",
    "n = I\nwhile n:\n    n -= 1\n    if n == N: break\n    S.log.append(n)\nelse:\n"
    "    S.log.append('end')",
    "try:\n    S.items.index(N)\nexcept ValueError:\n    S.items.append(N)\nelse:\n"
    "    S.items.remove(N)",
    "try:\n    assert T, S.log.append('made') or N\nexcept AssertionError as e:\n"
    "    r.append(e.args)",
    "r.append(deep(I))",
    "def walk(v, path=()):\n    S.log.append(path)\n    if v <= 0 or len(path) > 3: return "
    "path\n"
    "    return walk(v - 1, (*path, v))\nr.append(walk(N))",
    "def down(n, acc):\n    acc.append(n)\n    if n > 0: down(n - 1, acc)\n    return acc\n"
    "r.append(down(I, [N]))",
    "S.ring.rotate(I - 1)\nS.ring.append(N)", "S.ring.extendleft([N, I])\nr.append(S.ring.maxlen)",
    "S.ring.insert(0, N) if len(S.ring) < 4 else S.ring.popleft()",
    "r.append(S.ring.index(2) if 2 in S.ring else N)",
    "S.order.move_to_end('a', last=T)\nr.append(list(S.order))",
    "S.order['b'] = N\nr.append(S.order.popitem(last=bool(I)))",
    "S.tally += Counter({'a': I, 'z': 2})\nr.append(S.tally.most())", "S.tally.update('abc'[:I])",
    "S.tally['a'] -= I\nr.append((+S.tally).total())",
    "r.append((S.tally & Counter(a=1, b=I)).most_common(1))",
    "S.tally.subtract({'b': N})\nr.append(sorted(S.tally.elements()) if T else S.tally['b'])",
    "bisect.insort(S.sorted, N)", "r.append(bisect.bisect(S.sorted, N))",
    "bisect.insort(S.sorted, I, key=lambda v: v)",
    "r.append(list(heapq.merge(S.sorted, [N, N + 1])))",
    "r.append(heapq.nlargest(2, S.items, key=lambda v: abs(v - N)))",
    "heapq.heapify(S.items)\nr.append(heapq.heappushpop(S.items, N))",
    "r.append(reduce(lambda p, v: S.log.append(v) or p + v, S.items, N))", "S.groups[I].append(N)",
    "for v in S.items: S.groups[v > N].append(v)", "S.chain['a'] = N\nr.append(S.chain['b'])",
    "c = S.chain.new_child({'b': N})\nc['a'] = I\nr.append(dict(c))",
    "S.stack.append(N)\nr.append(S.stack.top)", "S.low[I].append(N)\nr.append(len(S.low))",
    "S.stack += [I]\nr.append(S.stack[-1] + N)", "q = Pair(N)\nr.append(q._replace(right=I))",
    "left, right = Pair(N, I)\nr.append(left + right)",
    "S.path = S.path / N\nr.append(S.path == Path('p', N))",
    "d = {S.path: 1, S.path / I: N}\nr.append(d[Path('p')] if Path('p') in d else 0)",
    "r.append(sorted([S.path / I, S.path])[0].parts)", "S.items.sort(key=lambda v: (v > N, v))",
    "r.append(sorted(S.items, key=lambda v: S.log.append(v) or -v))",
    "S.items[:] = [v for v in S.items if v != N]", "del S.items[I % 2::2]",
    "b = bytearray(3)\nb[I % 3] = 7\nr.append(b)", "S.items *= I",
    "S.log.append(f'{N:.2f}|{I!r:>3}')", "r.append(', '.join(f'{v}' for v in S.items))",
    "S.log.append('-'.join(['a', str(I), f'{N}']))", "r.append('%s %d' % (N, I))",
    "r.append('{:>6}'.format(N))", "r.append(str(S.items)[:4])", "S.log.append(repr(S.point))",
    "r.append(f'{N=}, {S.ring}')", "r.append({f'k{I}': N}.get('k1', 'none'))",
    "r.append('abc'[I % 3] * I)",
    "for v in S.items:\n    if S.best is None or v > S.best: S.best = v",
    "S.best = max((v for v in S.items if v < N), default=None)",
    "S.best, old = N, S.best\nr.append(old is None)",
    "S.best = S.best or [N]\nif type(S.best) is list: S.best.append(I)",
    "setattr(S, 'best' if T else 'extra', N)\nr.append(getattr(S, 'extra', None))",
    "r.append(hasattr(S, 'extra'))",
    "r.append(sorted(k for k in vars(S.slim.__class__) if k in ('v', 'kids', 'add')))",
    "for name in ('best', 'items')[:I]: setattr(S, name + '2', N)",
    "def total(*xs, scale=1, **more): return sum(xs) * scale + len(more)\n"
    "r.append(total(*S.items, scale=N, **{'k': I}))",
    "r.append((lambda *v: v)(*S.items[:I], N))",
)


class ConstructProgram(LinkedProgram):
    """One random program."""

    PRELUDE = PRELUDE
    STEPS = STEPS
    OUTSIDE = r"Thing\.|\.count\(|\.total|halved|limited|deep\(|Fault\.count|Registry|\.made"
    ALIASES = ("pass", "pass", "t = s", "t.items = s.items", "t.thing = s.thing", "t.log = s.log",
               "t.part = s.part", "t.other = s.thing", "t.log = s.items[:]",
               "t.slim.kids = s.slim.kids",
               "s.thing.kept = s.items", "t.ring = s.ring", "t.groups = s.groups", "t.best = s")
    KEPT = ("G, Thing.total, Other.total, Thing.made, halved.count, Fault.count, "
            "deep.__defaults__, sorted(Registry.kinds)")
    BLOCKS = ("try:\nINSIDEexcept Exception as e:\n    r.append(type(e).__name__)\n",
              "with s.gate:\nINSIDE",
              "for w{k} in S.ring:\nINSIDE    if T: break\nelse:\n    r.append('else')\n")
