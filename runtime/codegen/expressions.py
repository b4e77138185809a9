"""Expressions: names, constants, indices, and equations that stand where their value is used."""

from __future__ import annotations

import builtins
import keyword
import math
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from autograph.runtime.codegen.emitted import NOTE
from autograph.runtime.codegen.syntax import SYNTAX
from autograph.runtime.diagnostics.error_notes import Part, Spread
from autograph.runtime.ir.frame_state import Captured, Given, Selection, filled_in, has_choice
from autograph.runtime.ir.graph import Atom, Equation, Nest, PendingWrites, Value
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.pytree import children, map_nest
from autograph.runtime.ir.types import dtype_name
from autograph.runtime.kernels.roll import rolled
from autograph.runtime.kernels.stack import stacked
from autograph.runtime.lower.in_place import is_large
from autograph.runtime.lower.ufunc_selection import direct, number, roll_of
from autograph.runtime.ops.indexing import GETITEM
from autograph.runtime.ops.shape import ROLL, STACK, TRANSPOSE
from autograph.runtime.ops.views import PART, Item, Output, Step

INDENT = "    "
MAX_INLINE = 60
"""Expressions up to this length may stand where their value is used."""


@dataclass
class Pending:
    """An expression that waits for its only use; it is assigned to a name if another line comes
    first."""

    text: str
    compound: bool
    location: Location | None
    parts: list[Part]


BUILTINS = frozenset(vars(builtins))
"""Names that generated code may use for what they stand for."""


class Expressions:
    """Writes lines and expressions; keeps the names of values and the objects behind global
    names."""

    def __init__(self, name: str) -> None:
        usable = name.isidentifier() and not keyword.iskeyword(name) and name not in BUILTINS
        self.name = name if usable else "run"
        self.lines: list[str] = []
        self.depth = 2
        self.fallbacks = 0
        self.names: dict[Value, str] = {}
        self.taken: set[str] = {"np", self.name, NOTE, "error", *BUILTINS}
        self.numbers: Counter[str] = Counter()
        self.namespace: dict[str, Any] = {"np": np}
        self.constants: dict[int, str] = {}
        self.locations: dict[int, Location] = {}
        self.uses: Counter[Value] = Counter()
        self.pending: dict[Value, Pending] = {}
        self.outer: list[dict[Value, Pending]] = []
        self.parts: list[Part] = []  # the expressions in the line that is being written
        self.checked: set[Value] | None = None
        self.variables: dict[str, str] = {}  # local names that are the user's, or like them
        self.reused: set[str] = set()  # local names that get a second value in the first's memory
        self.containers: dict[int, str] = {}
        self.pending_writes: dict[Equation, PendingWrites] = {}
        self.frame_state: PendingWrites = ()
        self.frame_states: dict[int, PendingWrites] = {}
        self.numbers_made: dict[tuple[str, np.dtype[Any]], str] = {}

    # -- lines ----------------------------------------------------------------------------

    def line(self, text: str, location: Location | None = None) -> None:
        parts, self.parts = self.parts, []
        self.flush()
        self.lines.append(INDENT * self.depth + text)
        location = location or (parts[-1][1] if parts else None)
        if location is not None:
            if any(other is not location and other != location for _, other in parts):
                location = Spread(location, parts, self.lines[-1])
            self.locations[len(self.lines) + 2] = location  # after `def` and `try:`
        if self.frame_state:
            self.frame_states[len(self.lines) + 2] = self.frame_state

    def wait(self, value: Value, text: str, compound: bool, location: Location | None) -> None:
        """Keeps an expression until its only use."""
        self.pending[value] = Pending(text, compound, location, self.parts)
        self.parts = []

    def flush(self) -> None:
        """Assigns the expressions that still wait for their use, those of outer regions first."""
        waiting = [pair for pending in (*self.outer, self.pending) for pair in pending.items()]
        for pending in (*self.outer, self.pending):
            pending.clear()
        for value, expression in waiting:
            self.parts = expression.parts
            self.line(f"{self.name_of(value)} = {expression.text}", expression.location)

    @contextmanager
    def before_pending(self) -> Iterator[None]:
        """Lets lines come before the expressions that wait: these read nothing that they write."""
        waiting = self.pending, self.outer, self.parts
        self.pending, self.outer, self.parts = {}, [], []
        yield
        self.pending, self.outer, self.parts = waiting

    # -- names and leaves -----------------------------------------------------------------

    def fresh(self, hint: str, told: bool = True) -> str:
        """A name that is not taken: the hint itself, or with the next free number.

        `told`: the hint is the user's name, under which errors tell of it.
        """
        known = hint.isidentifier() and not keyword.iskeyword(hint)
        name = base = hint if known else "v"
        while name in self.taken:
            self.numbers[base] += 1
            name = f"{base}_{self.numbers[base]}"
        self.taken.add(name)
        if known and told and self.checked is None:  # on numbers, it is tried and given up
            self.variables[name] = hint
        return name

    def name_of(self, value: Value) -> str:
        name = self.names.get(value)
        if name is None:
            name = self.names[value] = self.fresh(value.hint)
        return name

    def constant(self, thing: Any, hint: str = "const") -> str:
        """Returns a global name of the generated function for an object that has no literal."""
        if id(thing) not in self.constants:
            name = self.constants[id(thing)] = self.fresh(hint, False)
            self.namespace[name] = thing
        return self.constants[id(thing)]

    def leaf(self, x: Atom) -> str:
        if isinstance(x, Value):
            waiting = self.pending.pop(x, None)
            if waiting is None:
                return self.name_of(x)
            self.parts += waiting.parts
            if waiting.location is not None:
                self.parts.append((waiting.text, waiting.location))
            return waiting.text
        if isinstance(x, Given):
            return self.containers[x.number]
        if isinstance(x, Captured):
            return self.constant(x.value)
        if x is None or x is Ellipsis or type(x) in (bool, int, str, bytes):
            return repr(x)
        if type(x) is float and math.isfinite(x):
            return repr(x)
        if isinstance(x, np.dtype):
            return self.constant(x, dtype_name(x).strip("'"))
        name = getattr(x, "__name__", "")
        if vars(np).get(name) is x:
            return f"np.{name}"
        if vars(builtins).get(name) is x:
            return str(name)
        return self.constant(x, name or "const")

    def nest(self, x: Nest) -> str:
        """A nest as a Python expression."""
        cls = type(x)
        if cls is tuple:
            inside = ", ".join(map(self.nest, x))
            return f"({inside},)" if len(x) == 1 else f"({inside})"
        if cls is list:
            return f"[{', '.join(map(self.nest, x))}]"
        if cls is dict:
            return "{" + ", ".join(f"{self.leaf(k)}: {self.nest(v)}" for k, v in x.items()) + "}"
        if cls is slice:
            return f"slice({self.nest(x.start)}, {self.nest(x.stop)}, {self.nest(x.step)})"
        return self.leaf(x)

    def index(self, x: Nest) -> str:
        """An index as it stands between brackets."""
        if type(x) is tuple and x:
            return ", ".join(map(self.index_part, x)) + ("," if len(x) == 1 else "")
        return self.index_part(x)

    def index_part(self, x: Nest) -> str:
        """One item of an index: a slice in its short form; a tuple, which picks several, in
        parentheses."""
        if type(x) is slice:
            parts = ["" if p is None else self.nest(p) for p in (x.start, x.stop)]
            return ":".join(parts) + ("" if x.step is None else f":{self.nest(x.step)}")
        return self.nest(x)

    def result(self, nest: Nest) -> str:
        """The result expression; containers that have no literal are rebuilt by their class: each
        call gives its own."""
        if has_choice(nest):
            self.flush()  # a value is computed whatever is chosen
        return self._result(nest)

    def _result(self, nest: Nest) -> str:
        if type(nest) in (tuple, list, dict):
            return self._literal(nest)
        if isinstance(nest, Selection):
            condition, *sides = map(self._result, nest.parts)
            return f"({sides[0]} if {condition} else {sides[1]})"
        if children(nest) is not None:
            found: list[Any] = []
            map_nest(found.append, nest)
            if not isinstance(nest, tuple) or any(isinstance(x, Value) for x in found):
                build = self.constant(_Rebuild(nest), "build")
                given = [x for x in found if not isinstance(x, Captured)]  # `filled_in` knows them
                return f"{build}({', '.join(map(self.leaf, given))})"
        return self.leaf(nest)

    def _literal(self, nest: Nest) -> str:
        if type(nest) is dict:
            items = (f"{self.leaf(k)}: {self._result(v)}" for k, v in nest.items())
            return "{" + ", ".join(items) + "}"
        inside = ", ".join(map(self._result, nest))
        if type(nest) is list:
            return f"[{inside}]"
        return f"({inside},)" if len(nest) == 1 else f"({inside})"

    # -- equations ------------------------------------------------------------------------

    def expression(self, e: Equation) -> str:
        form = e.op.emit
        if e.op in SYNTAX and (text := SYNTAX[e.op](self, e)):
            return text
        if e.op is GETITEM:
            return f"{self.operand(e.args[0])}[{self.index(e.args[1])}]"
        if e.op is PART:
            x, *rest = e.args
            return self.step(self.operand(x), Output(*rest))
        if is_formula(e):
            return self.formula(e, [self.argument(e, a) for a in e.args])
        compound = bool(e.args) and self.is_compound(e.args[0])
        args = [self.argument(e, a) if e.op.ufunc else self.nest(a) for a in e.args]
        if e.op is STACK and len(args) == 1 and not e.kwargs:
            return f"{self.constant(stacked, 'stacked')}({args[0]})"
        if e.op is ROLL and (steps := roll_of(e)):
            return f"{self.constant(rolled, 'rolled')}({args[0]}, {steps[0]}, {steps[1]})"
        named = [f"{k}={self.nest(v)}" for k, v in e.kwargs.items()]
        first = f"({args[0]})" if compound else "".join(args[:1])
        if args and (text := direct(e, first, args[1:], named)):
            return text
        return f"{self.callee(e, form)}({', '.join([*args, *named])})"

    def step(self, text: str, step: Step) -> str:
        """Returns the source of a view of the array that `text` is."""
        if isinstance(step, Item):
            return f"{text}[{self.index(step.index)}]"
        if isinstance(step, Output):
            return f"{self.step(text, step.several)}[{step.number}]"
        op, args, kwargs = step
        if op is TRANSPOSE and not args and not kwargs:
            return f"{text}.T"
        fn = op.emit if op.emit.startswith("np.") else self.constant(op.kernel, op.name)
        given = [*map(self.nest, args), *(f"{k}={self.nest(v)}" for k, v in kwargs.items())]
        return f"{fn}({', '.join([text, *given])})"

    def formula(self, e: Equation, texts: list[str]) -> str:
        """The equation with operators, given its operands' texts."""
        text: str = e.op.emit.format(*texts)
        return text

    def operand(self, x: Nest) -> str:
        """An argument as it stands beside an operator."""
        compound = self.is_compound(x)
        text = self.nest(x)
        return f"({text})" if compound or text.startswith("-") else text

    def is_compound(self, x: Nest) -> bool:
        return isinstance(x, Value) and x in self.pending and self.pending[x].compound

    def argument(self, e: Equation, x: Nest) -> str:
        """An operand of an elementwise equation; a number beside an array is an array itself."""
        made = number(e, x)
        if made is None:
            return self.operand(x) if is_formula(e) else self.nest(x)
        key = (repr(x), made.dtype)
        if key not in self.numbers_made:
            digits = repr(x).replace(".", "_").replace("-", "minus_").replace("+", "")
            self.numbers_made[key] = self.constant(made, f"c{digits}")
        return self.numbers_made[key]

    def alone(self, e: Equation, x: Nest) -> str:
        """An operand as it stands after `+=`."""
        return self.argument(e, x) if number(e, x) is not None else self.nest(x)

    def callee(self, e: Equation, form: str) -> str:
        if form.startswith("np.") or vars(builtins).get(form) is e.op.kernel:
            return form
        return self.constant(e.op.kernel, form if form.isidentifier() else e.op.name.split(".")[-1])

    def lends(self, out: Value) -> bool:
        """Returns True if an array may lend its memory to later results: then it has a name."""
        return is_large(out)

    def may_wait(self, e: Equation) -> bool:
        """Returns True for a formula without a name, used once: it may stand where it is used."""
        (out, *more) = e.outputs
        inline = e.op is GETITEM or (is_formula(e) and not self.lends(out))
        return inline and not more and not out.hint and self.uses[out] == 1 and not (
            e.has_effect or e.settings or e in self.pending_writes)


def is_formula(e: Equation) -> bool:
    """Returns True if it is written with operators (`a + b`), not as a call."""
    return _holes(e.op.emit) == len(e.args) > 0 and not e.kwargs


@cache
def _holes(form: str) -> int:
    """Returns the number of operands in a form of source."""
    return form.count("{")


class _Rebuild:
    """Builds a namedtuple or dataclass result from its leaves."""

    def __init__(self, nest: Nest) -> None:
        self.nest = nest

    def __call__(self, *leaves: Any) -> Nest:
        remaining = iter(leaves)
        return filled_in(lambda _: next(remaining), self.nest)
