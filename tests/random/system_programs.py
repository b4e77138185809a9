"""Makes random programs that use small systems: parsers, caches, queues, accounts, undo stacks,
graphs, generators and context managers, whose conditions, indices and values come from NumPy's
scalars and arrays.

A program has two to five of the stages of `system_stages`, each in a frame of its own: a branch, a
loop, a handler, a function that is called once or twice, a generator. What a program does outside
its arguments is under a condition that the graph decides, unless `free`.
"""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from collections.abc import Callable
from random import Random
from textwrap import indent
from typing import Any

import numpy as np

import autograph as ag
from tests.corpus.state.picture import ADDRESS, Picture
from tests.corpus.state.small_programs import MODES
from tests.corpus.state.verdict import REFUSALS, TooSlow, fallbacks, load, outcome_of, seconds
from tests.random.more_system_stages import MORE_STAGES
from tests.random.system_prelude import ATTRIBUTES, PRELUDE, WORLD
from tests.random.system_stages import STAGES

BEGIN = """
def f(a, b, x, ks, w, u, q, out):
    r = []
"""

END = """
def make():
    w, u = World(), World()
    ALIAS
    return np.arange(4.0), np.array([4, 1, 7, 2, 9]), w, u, deque([1, 2], maxlen=4), io.StringIO()

def kept():
    return G, V.get()
"""

ALIASES = ("pass", "u = w", "u.items = w.items", "u.account = w.account", "u.arr = w.arr[1:]",
           "w.last = u", "u.table = w.table")


class SystemProgram:
    """One random program; every choice comes from `random`.

    free  True if effects outside the arguments may be anywhere.
    """

    def __init__(self, random: Random, free: bool = False) -> None:
        self.random, self.free = random, free
        self.count = 0

    def source(self) -> str:
        """A module with `f(a, b, …)`, `make()` for its other arguments, and `kept()`."""
        count = self.random.choice((1, 1, 1, 2, 2, 3))
        body = "".join(self.framed(self.stage(), 0) for _ in range(count))
        text = body + self.pick(*ALIASES)
        begin = "".join(f"        self.{name} = {value}\n" for name, value in ATTRIBUTES.items()
                        if f".{name}" in text)
        end = END.replace("ALIAS", text[len(body):])
        return "".join((PRELUDE, WORLD.replace("ATTRIBUTES\n", begin), BEGIN,
                        indent(body, "    "), "    return r, w.last\n", end))

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def fresh_name(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    # -- what a stage is made of -------------------------------------------------------------------

    def stage(self) -> str:
        """The text of a stage, with everything drawn."""
        text = self.random.choice((*STAGES, *MORE_STAGES)).lstrip("\n")
        text = re.sub(r"\bNEW\b", self.fresh_name("v"), text)
        draws: dict[str, Callable[[], str]] = {
            "NUM": self.number, "INT": self.small, "TEST": self.test, "LIST": self.items,
            "ARR": lambda: self.pick("x", "x[1:]", "w.arr"), "WRLD": self.world}
        if "WRLD.seen -=" in text or "WRLD.table |=" in text:
            draws["WRLD"] = lambda: "w"
        while found := re.search(r"\b(NUM|INT|TEST|LIST|ARR|WRLD)\b", text):
            text = text[:found.start()] + draws[found[0]]() + text[found.end():]
        return text

    def world(self) -> str:
        return self.pick("w", "w", "w", "u", *(["G"] if self.free else []))

    def number(self) -> str:
        return self.pick("a", "a", "b", "x[1]", "ks[0]", "(a + b)", "x.sum()", "len(r)", "2",
                         "float(a)", "int(b)", "x[INT]", "(a if TEST else b)", "abs(b - 2)")

    def small(self) -> str:
        return self.pick("int(b)", "int(a) % 3", "int(ks[1]) % 3", "int(ks[int(b) % 5]) % 4",
                         "int(b) % 2", "1", "2", "len(w.items) % 3", "int(x[2])", "int(a > 1)")

    def test(self) -> str:
        return self.pick("(a > 1)", "(b > 1)", "(a > b)", "(x.sum() > a)", "(ks[0] > a)",
                         "bool(w.items)", "(len(r) > b)", "(a > 1 and b < 3)", "(not a < b)",
                         "(int(b) in w.seen)", "(a == 2 or b == 1)", "(1 < a <= 5)",
                         "any(k > a for k in ks)", "(x[INT] > a)", "(w.last is None)")

    def items(self) -> str:
        return self.pick("w.items", "u.items", "[NUM, 1, INT]", "x.tolist()", "list(range(INT))",
                         "[v for v in w.items if v > INT]", "w.items[:]", "sorted(ks.tolist())",
                         "[a, b, a]")

    # -- frames ------------------------------------------------------------------------------------

    def framed(self, text: str, depth: int) -> str:
        """The text in a frame; or one after another, in one frame."""
        if depth > 2 or self.random.random() < 0.35:
            return text
        if self.random.random() < 0.25:
            text += self.stage()
        frame = self.random.choice((self.branch, self.branch, self.loop, self.attempt,
                                    self.function, self.generator, self.scope, self.either))
        return self.framed(frame(text), depth + 1)

    def drawn(self, text: str) -> str:
        """A line with what is to be drawn in it."""
        draws = {"NUM": self.number, "INT": self.small, "TEST": self.test, "LIST": self.items}
        while found := re.search(r"\b(NUM|INT|TEST|LIST)\b", text):
            text = text[:found.start()] + draws[found[0]]() + text[found.end():]
        return text

    def branch(self, text: str) -> str:
        made = self.drawn("if TEST:\n") + indent(text, "    ")
        if self.random.random() < 0.4:
            made += "else:\n" + indent(self.stage(), "    ")
        return made

    def loop(self, text: str) -> str:
        name = self.fresh_name("i")
        head = self.pick(f"for {name} in range(INT):\n", f"for {name} in ks[:INT]:\n",
                         f"for {name} in LIST[:3]:\n",
                         f"{name} = 0\nwhile {name} < INT:\n    {name} += 1\n")
        made = self.drawn(head) + indent(text, "    ")
        if self.random.random() < 0.3:
            made += indent(self.drawn("if TEST:\n    " + self.pick("break", "continue") + "\n"),
                           "    ")
        return made

    def attempt(self, text: str) -> str:
        made = "try:\n" + indent(text, "    ")
        if self.random.random() < 0.5:
            made += indent(self.drawn("if TEST:\n    raise Fault(NUM)\n"), "    ")
        made += self.pick("except Fault as e:\n    r.append(e.code)\n",
                          "except (Fault, IndexError, KeyError):\n    r.append('caught')\n",
                          "except Exception as e:\n    r.append(type(e).__name__)\n")
        if self.random.random() < 0.4:
            made += "finally:\n    w.log.append(len(r))\n    del w.log[:-8]\n"
        return made

    def function(self, text: str) -> str:
        name = self.fresh_name("do")
        calls = self.drawn(self.pick(
            f"r.append({name}())\n", f"{name}()\n{name}()\n",
            f"if TEST:\n    {name}()\n", f"[{name}, list][INT % 2]()\n",
            f"r.append([{name}() for _ in range(INT)])\n"))
        return f"def {name}():\n{indent(text, '    ')}    return len(r)\n{calls}"

    def generator(self, text: str) -> str:
        name = self.fresh_name("gen")
        reads = self.pick(f"r.append(list({name}()))\n",
                          f"for v in {name}():\n    r.append(v)\n",
                          f"r.append(next({name}(), None))\n",
                          f"r.append(sum({name}()))\n")
        return self.drawn(f"def {name}():\n    yield NUM\n{indent(text, '    ')}    if TEST:\n"
                          f"        yield INT\n{reads}")

    def scope(self, text: str) -> str:
        return f"with Scope(w.log, (Fault,)):\n{indent(text, '    ')}"

    def either(self, text: str) -> str:
        return self.drawn("match INT:\n    case 0:\n        r.append('zero')\n"
                          f"    case 1 | 2 if TEST:\n{indent(text, ' ' * 8)}"
                          "    case other:\n        r.append(other)\n")


def outcomes(scope: dict[str, Any], function: Any, prints: bool) -> list[str]:
    """The outcome of each call, what it leaves of its arguments, outside, and of the result of the
    call before; and what it prints.

    Raises:
      TracingError, ConversionError: the function is refused.
    """
    found = []
    result: Any = None
    made = scope["make"]()
    for number, (a, b) in enumerate(scope["CALLS"]):
        before, result = result, None
        said = io.StringIO()
        try:
            with contextlib.redirect_stdout(said):
                result = function(np.float64(a), np.int64(b), *made)
        except (*REFUSALS, TooSlow):
            raise
        except (TypeError, AttributeError) as error:
            result = type(error).__name__  # its words name classes and signs
        except Exception as error:
            result = error.with_traceback(None)  # it holds what the function had
        text = getattr(made[-1], "getvalue", str)()  # of a stream
        seen = Picture().of((made, scope["kept"](), result, before, text,
                             said.getvalue() if prints else ""))
        found.append(ADDRESS.sub("", seen))
        if number % 2:
            made = scope["make"]()
    return found


def verdict(text: str, name: str, mode: str, limit: int = 60) -> str:
    """"right", "plain: …" (right, as it ran as plain Python, with a warning), "refused: …",
    "wrong: …", "no end", or "invalid: …" if plain Python does not load or end."""
    try:
        with warnings.catch_warnings(), seconds(5):
            warnings.simplefilter("ignore")
            expected_in, found_in = load(text, name), load(text, name)
            expected = outcomes(expected_in, expected_in["f"], mode == "runtime")
    except (Exception, TooSlow) as error:
        return f"invalid: {error!r}"
    try:
        with warnings.catch_warnings(), seconds(limit):
            warnings.simplefilter("ignore")
            with fallbacks() as told:
                found = outcomes(found_in, ag.function(found_in["f"], **MODES[mode]),
                                 mode == "runtime")
    except REFUSALS as error:
        return f"refused: {str(error).splitlines()[0]}"
    except TooSlow:
        return "no end"
    for number, (one, other) in enumerate(zip(expected, found, strict=True)):
        if one != other:
            return f"wrong: call {number}: {one} expected, {other} found"
    return outcome_of(told)
