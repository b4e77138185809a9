"""Makes random programs on linked structures whose operations are decided by data: chains, rings,
trees, tries, caches, histories, listeners, machines, tables with live views, functions that share
variables, defaults that are changed, blocks within blocks, and views of one array in containers."""

from __future__ import annotations

import re
from random import Random
from textwrap import indent

from tests.random.linked_prelude import PRELUDE

STEPS = (
    # chains
    "S.chain.push(N)", "r.append(S.chain.pop())", "S.chain.turn()", "r.append(list(S.chain))",
    "c = S.chain.head\nwhile c is not None and c.after is not None:\n    if c.v > c.after.v:\n"
    "        c.v, c.after.v = c.after.v, c.v\n    c = c.after",
    "c = S.chain.head\nwhile c is not None:\n    if c.v > N:\n        c.after = Cell(N, c.after)\n"
    "        break\n    c = c.after",
    "s.chain.head, t.chain.head = t.chain.head, s.chain.head",
    "c = S.chain.head\nif T: c = c.after or c\nc.v = N\nr.append(c is S.chain.head)",
    "for v in S.chain:\n    if v > N: break\n    S.log.append(v)",
    # rings
    "S.ring.put(Ring(I))", "r.append(S.ring.keys())", "S.ring.right.cut()",
    "n = S.ring.put(Ring('n'))\nif T: n.cut()\nr.append((n.left is n, S.ring.left is n))",
    "at = S.ring\nfor _ in range(I): at = at.right\nr.append((at.key, at is S.ring))",
    # trees and tries
    "S.tree.put(N)", "r.append(list(S.tree.walk()))", "S.tree.put(I).put(N)",
    "r.append(max(S.tree.walk()) > N)", "at = S.tree.root\nif T: at = at[1] or at\nat[0] = N",
    "S.tree.root = [N, S.tree.root, None]",
    "S.trie.put('ab'[:I % 3])", "r.append(S.trie.find('a'))",
    "r.append(S.trie.put('abc' if T else 'ax').count)",
    # caches, histories
    "r.append(S.recent.get(I, lambda k: [k, N]))", "S.recent.get(I % 2, list.__class__)",
    "S.recent.get(I, str)\nr.append((S.recent.hits, list(S.recent.kept)))",
    "v = S.recent.get(1, lambda k: [k])\nv.append(N)",
    "S.history.apply('put', N)", "S.history.apply('cut')", "r.append(S.history.back())",
    "S.history.apply('swap', I % 2)", "while S.history.back():\n    if T: break",
    # listeners
    "S.subject.on(lambda old, new: S.log.append((old, new)))", "S.subject.set(N)",
    "def hear(old, new):\n    if new > old: S.subject.listeners.remove(hear)\n"
    "    S.log.append(new)\nS.subject.on(hear)\nS.subject.set(N)\nS.subject.set(2)",
    "S.subject.on(partial(operator.setitem, S.table))\nS.subject.set(I)",
    "count = 0\ndef heard(*_):\n    nonlocal count\n    count += 1\nf = S.subject.on(heard)\n"
    "if T: S.subject.set(N)\nS.subject.set(1)\nS.subject.listeners.remove(f)\nr.append(count)",
    # machines
    "r.append(S.machine.step(T).state)", "for v in (T, T): S.machine.step(v)",
    "try:\n    S.machine.step(1).step(0).step(T)\nexcept KeyError as e:\n    r.append(e.args)\n"
    "    S.machine.state = 'idle'",
    "r.append({'idle': lambda: N, 'busy': lambda: I}.get(S.machine.state, lambda: 0)())",
    # classes
    "S.base.width = N", "S.base.area = N", "S.wide.area = N",
    "r.append((S.base.area, S.wide.area))",
    "if T: S.wide.level = I\nr.append((S.wide.level, Wide.level))",
    "S.base.level += 1\nr.append(type(S.base).level)", "S.base.tags += (I,)\nr.append(Base.tags)",
    "try:\n    S.base.width = N * 30\nexcept ValueError as e:\n    r.append((e.args, S.base.sets))",
    "S.proxy.width = N", "r.append((S.proxy.area, len(S.proxy.asked)))", "S.proxy.level -= N",
    "b = Wide(N) if T else Base(I)\nb.area = 6\nr.append((b.area, b.cls_name, b.sets))",
    "b = S.base if T else S.wide\nb.width = I\nr.append((b is S.base, b.area))",
    # tables and their views
    "v = S.table.keys()\nS.table[I] = N\nr.append(list(v))",
    "v = S.table.items()\nif T: S.table.pop('a', None)\nr.append((len(v), list(v)))",
    "for k, v in list(S.table.items()):\n    if v == N or T: S.table[k] = I",
    "S.table.setdefault('b', [])\nif type(S.table['b']) is list: S.table['b'].append(N)",
    "try:\n    for k in S.table:\n        if T: S.table[k, 1] = 2\n"
    "except RuntimeError as e:\n    r.append(str(e))",
    "S.table.update({k: N for k in ('a', 'z')[:I]})", "r.append(S.table.keys() & {'a', I})",
    # queues
    "S.last.append(N)", "S.last.extend([I, N, 2, 1][:I])", "S.last.rotate(I)",
    "S.last.appendleft(N)\nr.append(S.last.maxlen)", "d = deque(S.last, I + 1)\nr.append(d)",
    "heapq.heappush(S.heap, (I, 'n'))", "r.append(heapq.heappop(S.heap))",
    "while S.heap and S.heap[0][0] < N:\n    r.append(heapq.heappop(S.heap)[1])",
    "r.append(heapq.heapreplace(S.heap, (N, 'r')))", "r.append(heapq.nsmallest(I, S.heap))",
    # shared variables, defaults
    "r.append(memo(N))", "r.append(kept_in(N))", "r.append(S.add(N))", "r.append(S.get())",
    "add, get = pair_of_functions(I)\nif T: add(N)\nr.append((add(1), get()))",
    "fs = [lambda v=v: v + I for v in range(3)]\nr.append(fs[I % 3]())",
    "fs = []\nfor v in (1, 2):\n    def g(): return v\n    fs.append(g)\n    if T: break\n"
    "r.append([g() for g in fs])",
    # generators that change what they read
    "r.append(list(fading(S.items)))", "for v in fading(S.items):\n    if v > N: break",
    "del S.items[4:]", "for v in S.items:\n    if T and len(S.items) > 1: S.items.remove(v)",
    "g = fading(S.items)\nr.append((next(g), next(g, None)))\nif T: S.items.insert(0, N)\n"
    "r.append(list(g))",
    # effects up to an exception
    "r.append([shaky(v, S.log) for v in (1, N, 2)])",
    "S.items += (shaky(v, S.log) for v in (N, I))",
    "S.table |= {k: shaky(k, S.log) for k in (I, N)}", "S.items.extend(map(memo, (N, I)))",
    "S.items[0], S.table['a'], S.chain.head.v = N, shaky(N, S.log), I",
    "r.append(any(shaky(v, S.log) > 3 for v in (I, N, 9)))",
    "r.append(sorted(S.items, key=lambda v: shaky(v % 5, S.log)))",
    # blocks
    "with Block(S.log, 'o', LookupError), Block(S.log, 'i'):\n    r.append(shaky(N, S.log))",
    "with saved(S.items) as b:\n    S.items.append(N)\n    if T: raise IndexError(I)\n"
    "    b.append(1)",
    "with ExitStack() as es:\n    es.enter_context(Block(S.log, 'e'))\n"
    "    if T: es.callback(S.log.append, N)\n    S.log.append('body')",
    "with suppress(LookupError):\n    S.log.append(shaky(N, S.log))\n    S.log.append('after')",
    "try:\n    with Block(S.log, 'f'):\n        if T: raise LookupError(N)\n"
    "finally:\n    S.log.append('finally')",
    # views
    "S.views['low'][I % 3] = N", "S.views['odd'] += N", "S.arr[S.arr > N] = 0",
    "v = S.views['odd' if T else 'low']\nv *= 2\nr.append(v)",
    "S.views['new'] = S.views['odd'][::-1]\nS.views['new'][0] = N",
    "a, b = S.views['low'], S.arr\nif T: a, b = b, a\na[0] += 1\nr.append(b[:2].sum())",
    "for v in S.views.values(): v += I", "S.arr = S.arr + N", "S.views['all'][1:3] = [N, I]",
    "r.append(S.views['low'].base is S.arr)", "parts = [S.arr[:2], S.arr[2:]]\n"
    "for p in parts:\n    if p[0] > N: p[:] = p[::-1]\nr.append(parts)",
)

ALIASES = ("pass", "pass", "t = s", "t.chain = s.chain", "t.items = s.items", "t.arr = s.arr[1:]",
           "t.table = s.table", "t.ring = s.ring.right", "t.log = s.log", "t.base = s.wide",
           "t.history.items = s.items", "t.tree.root = s.tree.root", "t.views = dict(s.views)",
           "t.subject = s.subject", "t.last = s.last")


class LinkedProgram:
    """One random program; every choice comes from `random`.

    free  True if it may have effects outside the arguments.
    """

    def __init__(self, random: Random, free: bool = False) -> None:
        self.random, self.free = random, free
        self.count = 0

    PRELUDE: str = PRELUDE
    STEPS: tuple[str, ...] = STEPS
    OUTSIDE: str = "memo|kept_in"
    ALIASES: tuple[str, ...] = ALIASES
    KEPT: str = "G, memo.__defaults__, kept_in.__defaults__, Base.kinds"
    BLOCKS: tuple[str, ...] = ("with Block(s.log, 'b', (LookupError, ValueError)):\nINSIDE",)

    def source(self) -> str:
        """A module with `f(a, b, …)`, `make()` for its other arguments, and `kept()`."""
        body = "".join(self.framed(self.steps(), 0) for _ in range(self.random.choice((1, 2, 2))))
        return "".join((
            self.PRELUDE, "\nG = Space()\n\ndef f(a, b, x, s, t):\n    r = []\n",
            indent(body, "    "),
            "    return r\n\ndef make():\n    s, t = Space(), Space()\n    ",
            self.random.choice(self.ALIASES), "\n    return np.arange(4.0), s, t\n\n",
            f"def kept():\n    return {self.KEPT}\n\n",
            "CALLS = ((0.0, 3), (5.0, 1), (2.0, 2), (7.0, 0))\n"))

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def steps(self) -> str:
        known = self.STEPS if self.free else [
            x for x in self.STEPS if not re.search(self.OUTSIDE, x)]
        return "".join(self.drawn(self.pick(*known)) + "\n" for _ in range(
            self.random.choice((1, 1, 2, 3))))

    def drawn(self, text: str) -> str:
        """A text with what is to be drawn in it."""
        draws = {"N": self.number, "I": self.small, "T": self.test, "S": self.space}
        while found := re.search(r"\b[NITS]\b(?!['\"])", text):
            text = text[:found.start()] + draws[found[0]]() + text[found.end():]
        return text

    def space(self) -> str:
        return self.pick("s", "s", "s", "t", *(["G"] if self.free else []))

    def number(self) -> str:
        return self.pick("a", "a", "b", "x[1]", "(a + b)", "x.sum()", "2", "x[b]", "float(a)",
                         "(a if b > 1 else 1)", "len(r)")

    def small(self) -> str:
        return self.pick("int(b)", "(int(a) % 3)", "1", "2", "(len(s.items) % 3)",
                         "int(x[2])")

    def test(self) -> str:
        return self.pick("(a > 1)", "(b > 1)", "(a > b)", "(x.sum() > a)", "(a > 1 and b < 3)",
                         "(len(r) > b)", "bool(s.items)", "(x[b] > 1)", "(s.arr[1] > a)")

    def framed(self, text: str, depth: int) -> str:
        """The text in a frame; or one after another, in one frame."""
        if depth > 2 or self.random.random() < 0.3:
            return text
        self.count += 1
        k, inside = self.count, indent(text, "    ")
        frame = self.pick(
            "if T:\nINSIDE", "if T:\nINSIDEelse:\nOTHER", "if T:\nINSIDE",
            f"for i{k} in range(I):\nINSIDE", f"for v{k} in x[:I]:\nINSIDE    if T: break\n",
            f"n{k} = 0\nwhile n{k} < N and n{k} < 4:\n    n{k} += 1\nINSIDE",
            "try:\nINSIDEexcept LookupError as e:\n    r.append(type(e).__name__)\n",
            "try:\nINSIDE    if T: raise ValueError(1)\nexcept (LookupError, ValueError):\n"
            "    r.append('caught')\nfinally:\n    s.log.append(len(r))\n",
            *(block.replace("{k}", str(k)) for block in self.BLOCKS),
            f"def do{k}():\nINSIDE    return len(r)\nif T: do{k}()\nr.append(do{k}())\n",
            f"def do{k}(n):\n    if n > 0:\n        do{k}(n - 1)\nINNERdo{k}(I)\n")
        frame = self.drawn(frame.replace("INSIDE", "\0").replace("OTHER", "\1").replace(
            "INNER", "\2"))
        made = frame.replace("\0", inside).replace("\2", indent(text, "        ")).replace(
            "\1", indent(self.steps(), "    ") if "\1" in frame else "")
        return self.framed(made, depth + 1)
