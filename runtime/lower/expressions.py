"""Expressions: names, constants, indices, and equations that stand where their value is used."""

from __future__ import annotations

import builtins
import keyword
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from autograph.own_attributes import held
from autograph.runtime.ir import expressions as ir
from autograph.runtime.ir.expressions import Bound, Expression, Global, Literal, Name
from autograph.runtime.ir.frame_state import Captured, Given, Selection, filled_in, has_choice
from autograph.runtime.ir.graph import Atom, Equation, Nest, PendingWrites, Value
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.pytree import children, map_nest
from autograph.runtime.ir.statements import NOTE, Block, Let, Statement, Target
from autograph.runtime.ir.types import dtype_name
from autograph.runtime.kernels.buffer_pool import new_array
from autograph.runtime.kernels.means import mean
from autograph.runtime.kernels.roll import rolled
from autograph.runtime.kernels.stack import stacked
from autograph.runtime.lower import unboxing
from autograph.runtime.lower.forms import filled, holes, in_numpy
from autograph.runtime.lower.syntax import SYNTAX
from autograph.runtime.lower.ufunc_selection import (
    called_by_operator,
    direct,
    is_large,
    may_be_large,
    number,
    open_mean,
    roll_of,
)
from autograph.runtime.ops.creation import EMPTY
from autograph.runtime.ops.indexing import GETITEM
from autograph.runtime.ops.shape import ROLL, STACK, TRANSPOSE
from autograph.runtime.ops.views import PART, Item, Output, Step
from autograph.runtime.optimize.effects_and_exceptions import is_total

MAX_INLINE = 60
"""Expressions up to this length may stand where their value is used."""

BUILTINS = frozenset(vars(builtins))
"""Names that generated code may use for what they stand for."""


class Expressions:
    """Makes statements and expressions; keeps the names of values and the objects behind global
    names.

    body     the block that the next statement is added to.
    depth    the number of blocks around it.
    pending  expressions that wait for their only use; each is assigned to a name if a statement
             comes first.
    outer    those of the regions around an expression that is being made.
    taken_up  those that have come to their use, in the statement that is being made.
    """

    def __init__(self, name: str) -> None:
        usable = name.isidentifier() and not keyword.iskeyword(name) and name not in BUILTINS
        self.name = name if usable else "run"
        self.body: Block = []
        self.depth = 2
        self.fallbacks = 0
        self.names: dict[Value, str] = {}
        self.taken: set[str] = {"np", self.name, NOTE, "error", *BUILTINS}
        self.numbers: Counter[str] = Counter()
        self.namespace: dict[str, Any] = {"np": np}
        self.constants: dict[int, Global] = {}
        self.uses: Counter[Value] = Counter()
        self.pending: dict[Value, ir.Inlined] = {}
        self.outer: list[dict[Value, ir.Inlined]] = []
        self.taken_up: list[tuple[Value, ir.Inlined]] = []
        self.waited = 0
        self.checked: set[Value] | None = None
        self.variables: dict[str, str] = {}  # local names that are the user's, or like them
        self.reused: set[str] = set()  # local names that get a second value in the first's memory
        self.containers: dict[int, str] = {}
        self.pending_writes: dict[Equation, PendingWrites] = {}
        self.frame_state: PendingWrites = ()
        self.numbers_made: dict[tuple[str, np.dtype[Any]], Global] = {}

    # -- statements -----------------------------------------------------------------------

    def add(self, statement: Statement, location: Location | None = None) -> None:
        self.flush()
        self.taken_up = []
        statement.location, statement.frame = location, self.frame_state
        self.body.append(statement)

    @contextmanager
    def inside(self, block: Block) -> Iterator[None]:
        """Has statements added to a block that is in the present one."""
        outer, self.body = (self.body, self.taken_up), block
        self.depth, self.taken_up = self.depth + 1, []
        yield
        self.body, self.taken_up = outer
        self.depth -= 1

    def let(self, target: Target | str, value: Expression, location: Location | None = None
            ) -> None:
        self.add(Let((Name(target) if isinstance(target, str) else target,), value), location)

    def wait(self, e: Equation, expression: Expression, longest: float = math.inf) -> bool:
        """Keeps the expression of an equation until its only use; returns False if its text is
        longer."""
        if self.taken_up:
            self.keep_order()
        self.waited += 1
        waiting = ir.Inlined(expression, e.location, self.waited, self.bound_of(e),
                             ir.printed(expression))
        if len(waiting.printed[0]) > longest:
            return False
        self.pending[e.outputs[0]] = waiting
        self.taken_up = []
        return True

    def bound_of(self, e: Equation) -> Bound:
        """Returns how the expression of an equation may move, with what it took up. A run on
        Python's numbers that raises is done again."""
        if self.checked is not None:
            return Bound.FREE
        found = Bound.FREE if is_total(e) else Bound.FIXED if e.has_effect else Bound.IN_ORDER
        for _, x in self.taken_up:
            if x.bound > found:
                found = x.bound
        return found

    def keep_order(self) -> None:
        """Assigns what was taken up to names if it would be evaluated after an expression that
        comes later, and neither may pass the other."""
        if len(self.taken_up) == 1 and not self.pending:
            return
        least = Bound.IN_ORDER
        for _, x in (*self.pending.items(), *self.taken_up):
            if x.bound is Bound.FIXED:
                least = Bound.FREE
        taken = [(v, x) for v, x in self.taken_up if x.bound >= least]
        if not taken:
            return
        orders = [x.order for _, x in (*self.pending.items(), *taken) if x.bound >= least]
        if orders != sorted(orders):
            self.taken_up = []
            self.pending = dict(sorted((*self.pending.items(), *taken), key=lambda p: p[1].order))
            self.flush()
            for value, expression in taken:
                expression.become(self.target(value))

    def flush(self) -> None:
        """Assigns the expressions that still wait for their use, those of outer regions first."""
        if self.taken_up:
            self.keep_order()
        if not self.pending and not self.outer:
            return
        waiting = [pair for pending in (*self.outer, self.pending) for pair in pending.items()]
        for pending in (*self.outer, self.pending):
            pending.clear()
        for value, expression in waiting:
            self.let(self.target(value), expression.value, expression.location)

    @contextmanager
    def before_pending(self) -> Iterator[None]:
        """Lets statements come before the expressions that wait: these read nothing that they
        write."""
        waiting = self.pending, self.outer, self.taken_up
        self.pending, self.outer, self.taken_up = {}, [], []
        yield
        self.pending, self.outer, self.taken_up = waiting

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

    def target(self, value: Value) -> Name:
        """Returns the variable of a value, which gets its name now if it has none."""
        return Name(self.name_of(value), value.type, self.checked is not None)

    def nothing(self) -> Name:
        """Returns a variable for what nobody reads: `_`, if it is not the user's."""
        return Name(self.fresh("unread", False) if "_" in self.taken else "_")

    def constant(self, thing: Any, hint: str = "const") -> Global:
        """Returns a global name of the generated function for an object that has no literal."""
        if id(thing) not in self.constants:
            name = self.fresh(hint, False)
            self.constants[id(thing)] = Global(name, thing)
            self.namespace[name] = thing
        return self.constants[id(thing)]

    def variable(self, name: str, value: Value) -> Name | Global:
        """Returns a value's variable; that of a captured array is global."""
        return Global(name, self.namespace[name]) if name in self.namespace else Name(
            name, value.type)

    def leaf(self, x: Atom) -> Expression:
        if isinstance(x, Value):
            waiting = self.pending.pop(x, None)
            if waiting is None:
                name = self.names.get(x) or self.name_of(x)
                return self.variable(name, x) if name in self.namespace else Name(name, x.type)
            self.taken_up.append((x, waiting))
            return waiting
        if self.checked is not None and type(x) is np.float64:
            return Literal(float(x))
        if isinstance(x, Given):
            return Name(self.containers[x.number])
        if isinstance(x, Captured):
            return self.constant(x.value)
        if x is None or x is Ellipsis or type(x) in (bool, int, str, bytes):
            return Literal(x)
        if type(x) is float and math.isfinite(x):
            return Literal(x)
        if isinstance(x, np.dtype):
            return self.constant(x, dtype_name(x).strip("'"))
        return public(x) or self.constant(x, held(x, "__name__") or "const")

    def nest(self, x: Nest) -> Expression:
        """A nest as an expression."""
        cls = type(x)
        if cls is tuple:
            return ir.Tuple(tuple(map(self.nest, x)))
        if cls is list:
            return ir.List(tuple(map(self.nest, x)))
        if cls is dict:
            return ir.Dict(tuple((self.leaf(k), self.nest(v)) for k, v in x.items()))
        if cls is slice and children(x) is None:
            return self.constant(x, "slice_")  # it has an identity
        if cls is slice:
            return ir.Call(SLICE, tuple(map(self.nest, (x.start, x.stop, x.step))))
        return self.leaf(x)

    def index(self, x: Nest) -> Expression:
        """An index as it stands between brackets."""
        if type(x) is tuple:
            return ir.Tuple(tuple(map(self.index_part, x)))
        return self.index_part(x)

    def index_part(self, x: Nest) -> Expression:
        """One item of an index."""
        if type(x) is slice:
            return ir.Slice(*(None if p is None else self.nest(p)
                              for p in (x.start, x.stop, x.step)))
        return self.nest(x)

    def result(self, nest: Nest) -> Expression:
        """The result expression; containers that have no literal are rebuilt by their class: each
        call gives its own."""
        if has_choice(nest):
            self.flush()  # a value is computed whatever is chosen
        return self._result(nest)

    def _result(self, nest: Nest) -> Expression:
        if type(nest) in (tuple, list):
            inside = tuple(map(self._result, nest))
            return ir.List(inside) if type(nest) is list else ir.Tuple(inside)
        if type(nest) is dict:
            return ir.Dict(tuple((self.leaf(k), self._result(v)) for k, v in nest.items()))
        if isinstance(nest, Selection):
            condition, yes, no = map(self._result, nest.parts)
            return ir.Choice(yes, condition, no)
        if children(nest) is None or _is_same_in_all_calls(nest):
            return self.leaf(nest)
        found: list[Any] = []
        map_nest(found.append, nest)
        given = [x for x in found if not isinstance(x, Captured)]  # `filled_in` knows them
        return ir.Call(self.constant(_Rebuild(nest), "build"), tuple(map(self.leaf, given)))

    # -- equations ------------------------------------------------------------------------

    def expression(self, e: Equation) -> Expression:
        form = e.op.emit
        if e.op in SYNTAX and (made := SYNTAX[e.op](self, e)):
            return made
        if e.op is GETITEM:
            return ir.Subscript(self.nest(e.args[0]), self.index(e.args[1]))
        if e.op is PART:
            x, *rest = e.args
            return self.step(self.nest(x), Output(*rest))
        if is_formula(e):
            order = holes(form)
            operands = [self.argument(e, e.args[k]) for k in order]
            if order[0]:  # it is not the first operand that comes first
                operands = [operands[order.index(k)] for k in range(len(order))]
            return self.formula(e, tuple(operands))
        args = tuple([self.argument(e, a) if e.op.ufunc else self.nest(a) for a in e.args])
        if e.op is STACK and len(args) == 1 and not e.kwargs:
            return ir.Call(self.constant(stacked, "stacked"), args)
        if e.op is EMPTY and is_large(e):
            return ir.Call(self.constant(new_array, "new_array"), args)
        if e.op is ROLL and (steps := roll_of(e)):
            return ir.Call(self.constant(rolled, "rolled"), (args[0], *map(Literal, steps)))
        if args and (along := open_mean(e)):
            return ir.Call(self.constant(mean, "mean"), args[:1], along)
        named = self.named_arguments(e)
        if args and (shorter := direct(e, args, named)):
            return shorter
        return ir.Call(self.callee(e, form), args, named)

    def named_arguments(self, e: Equation) -> tuple[tuple[str, Expression], ...]:
        return tuple([(k, self.nest(v)) for k, v in e.kwargs.items()])

    def step(self, x: Expression, step: Step) -> Expression:
        """Returns a view of an array."""
        if isinstance(step, Item):
            return ir.Subscript(x, self.index(step.index))
        if isinstance(step, Output):
            return ir.Subscript(self.step(x, step.several), Literal(step.number))
        op, args, kwargs = step
        if op is TRANSPOSE and not args and not kwargs:
            return ir.Attribute(x, "T")
        fn = in_numpy(op.emit) if op.emit.startswith("np.") else self.constant(op.kernel, op.name)
        return ir.Call(fn, (x, *map(self.nest, args)), tuple(
            (k, self.nest(v)) for k, v in kwargs.items()))

    def formula(self, e: Equation, operands: tuple[Expression, ...]) -> Expression:
        """The equation with operators, given its operands."""
        if self.checked is not None:
            return unboxing.formula(e, operands)
        ufunc = called_by_operator(e)
        if ufunc is not None and may_be_large(e.outputs[0].type) and any(map(is_made, operands)):
            ufunc = None  # the operator writes into an operand that nothing else refers to
        return filled(e.op.emit, operands, ufunc)

    def argument(self, e: Equation, x: Nest) -> Expression:
        """An operand of an elementwise equation; a number beside an array is an array itself."""
        if x.__class__ is Value:
            return self.leaf(x)
        made = number(e, x)
        if made is None:
            return self.nest(x)
        key = (repr(x), made.dtype)
        if key not in self.numbers_made:
            digits = repr(x).replace(".", "_").replace("-", "minus_").replace("+", "")
            self.numbers_made[key] = self.constant(made, f"c{digits}")
        return self.numbers_made[key]

    def callee(self, e: Equation, form: str) -> Expression:
        if form.startswith("np."):
            return in_numpy(form)
        if vars(builtins).get(form) is e.op.kernel:
            return Global(form, e.op.kernel)
        return self.constant(e.op.kernel, form if form.isidentifier() else e.op.name.split(".")[-1])


def is_made(x: Expression) -> bool:
    """Returns True for an operand that is computed where it is used."""
    return isinstance(x, ir.Inlined) and isinstance(x.value, ir.Operator | ir.Call)


def is_formula(e: Equation) -> bool:
    """Returns True if it is written with operators (`a + b`), not as a call."""
    return len(holes(e.op.emit)) == len(e.args) > 0 and not e.kwargs


def evaluated(e: Equation) -> Sequence[Nest]:
    """Returns what an equation computes on, in the order in which its expression evaluates it."""
    return [e.args[k] for k in holes(e.op.emit)] if is_formula(e) else e.inputs


SLICE = Global("slice", slice)


def public(x: Any) -> Global | None:
    """Returns the public name of an object of NumPy or Python, `np.exp` or `len`."""
    name = held(x, "__name__", "")
    if vars(np).get(name) is x:
        return Global(f"np.{name}", x)
    return Global(str(name), x) if vars(builtins).get(name) is x else None


def _is_same_in_all_calls(nest: Nest) -> bool:
    """Returns True for a constant, and for a named tuple of constants alone."""
    if children(nest) is None:
        return not isinstance(nest, (Value, Given, Captured))
    return isinstance(nest, tuple) and all(map(_is_same_in_all_calls, nest))


class _Rebuild:
    """Builds a namedtuple or dataclass result from its leaves."""

    def __init__(self, nest: Nest) -> None:
        self.nest = nest

    def __call__(self, *leaves: Any) -> Nest:
        remaining = iter(leaves)
        return filled_in(lambda _: next(remaining), self.nest)
