"""The record of an op, which holds all that is known about it, and the table of all ops."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from autograph.runtime.ir.types import Type
from autograph.runtime.ops.alternatives import of_alternatives
from autograph.runtime.ops.derivative_rules import RULES
from autograph.runtime.ops.derivatives import Derivative

TypeRule = Callable[..., "Type | tuple[Type, ...]"]
"""Called with the equation's args and kwargs, values replaced by types; gives the output's type."""

Sample = tuple[tuple[Any, ...], dict[str, Any]]
"""Arguments (args, kwargs) that the kernel takes; tests are generated from them."""

Traits = dict[str, Any]
"""Some of the fields of an op, by name."""

Effect = Literal["", "print", "raise", "random", "call", "read", "write", "store"]

EFFECTS: dict[Effect, str] = {
    "print": "shows something to the user",
    "raise": "raises, or does nothing",
    "random": "draws from a random generator",
    "call": "runs Python code that may do anything",
    "read": "reads a variable",
    "write": "writes a variable",
    "store": "writes an array or an object in place, or reads one that other stores write",
}
"""The effects of ops. An op with an effect runs, in order, though nothing uses its result."""

ANY_RANK, NUMBERS, ARRAYS = range(65), range(1), range(1, 65)
"""Ranks of an operand, as `Op.total` gives them; NumPy's arrays have at most 64 axes."""


@dataclass(frozen=True, eq=False, slots=True)
class Reduction:
    """How a reduction computes.

    ufunc    the ufunc whose `reduce` gives the same.
    mean     the sum that `ufunc` gives is divided by the number of elements.
    boolean  `ufunc` gives the same on bools only.
    by_rows  it may stand in a fusion group if it reduces within the rows.
    in_parts its result follows, to the bit, from those of the parts that NumPy sums by.
    selects  the result is one of the elements, so that the order does not matter.
    """

    ufunc: Any
    mean: bool = False
    boolean: bool = False
    by_rows: bool = False
    in_parts: bool = False
    selects: bool = False


class Method(NamedTuple):
    """The method of arrays, named as the function, that takes the same arguments after the array.

    positions  how many of them it takes by position, in the function's order.
    names      those that it takes by name.
    least      how many the function needs by position, where the method needs fewer.
    """

    positions: int
    names: frozenset[str]
    least: int

    def takes(self, args: int, names: Collection[str]) -> bool:
        """Returns True for so many arguments after the array, and these by name.

        >>> method(1, "axis").takes(0, ["axis"])
        True
        """
        return self.least <= args <= self.positions and self.names.issuperset(names)


def method(positions: int, *names: str, least: int = 0) -> Method:
    return Method(positions, frozenset(names), least)


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class Op:
    """One operation: what it computes, and its traits, which passes ask for.

    name      in the graph's text; NumPy's own name where NumPy has the function.
    kernel    what runs: called with the equation's args and kwargs. Never changes its arguments.
    infer     the type rule. It may raise what the kernel would raise (same class), if certain.
    emit      Python source of a call: a format string over the printed arguments ("{0} + {1}"), a
              dotted name that is called with them ("np.sum"), or "": the kernel itself is called.
    samples   argument sets for the generated tests (values, types, emitted source, errors).
    derivative  the rule by which it is differentiated (`derivatives.py` has the kinds); `define`
              takes it from `derivative_rules/`. None: it has no rule, and gradients refuse it.
    onnx      ONNX form, or None.
    effect    one of `EFFECTS`, or "" for a pure op, which may be left out, merged and moved.
    ufunc     the NumPy ufunc of an elementwise op (for out=, tiling), or None.
    doc       what it computes, for docs/ops.md.
    inplace   for an op that gives its first argument as it is after a store: the kernel that stores
              into that very argument, for when its old value is of no use any more.
    result    what the function returns its several outputs in: a namedtuple class, a list.
    regions   the roles of the regions that a control-flow op holds, in order.

    Memory:
    view             the result may share memory with the first argument.
    views_each       of several results, each may share memory with the argument of its number.
    copied_ranks     the ranks of the first argument of which it is a copy, for a view.
    always_view      the result is a view of an array, whatever the further arguments.
    may_copy         a view that is a copy where memory order or dtype leave no choice.
    holds_operands   the result is, or holds, one of the operands.
    reads_only       the result holds no memory of the operands, which are only read.
    lasts            what a call does cannot be undone: its function is not run twice.
    unwritable       the result may be read-only, or hold one number at several places.
    fresh            the result is memory that nothing else has, unless `copy=` says otherwise.
    cheap            costs no more than a copy of the result.
    c_order          the result is an array in C order, unless `order=` says otherwise.
    joins_along      the axis along which it concatenates arrays that have it and two axes.
    keeps_c_order    the result is in C order if the operands are, unless `order=` says otherwise.
    ignores_layout   gives the same bits however the operands lie in memory.

    Raising and warning:
    total            the ranks of the operand on which it certainly neither raises nor warns.
    rule_is_exact    on arrays of known shapes it raises only if the type rule does.
    raises_on_python_numbers  raises on some Python numbers (`1 / 0`).
    raises_on_integers  raises on some arrays of integers (`2 ** -1`).
    silent_on_floats  never warns on floats.
    never_returns    always raises.
    takes_items      goes through an operand: if that is an iterator of the run, this is an effect.

    Arithmetic:
    elementwise      each output element depends on the matching input elements only.
    elementwise_arity  for an op without a ufunc: with so many arguments it is elementwise.
    broadcasts       broadcasts its operands against each other, as ufuncs do.
    arithmetic       computes on numbers, where NumPy computes differently on bools.
    comparison       compares two operands: a bool, and never a warning on numbers.
    logical          works on bits or truth: never warns on bools, or on integers of one type.
    modular          on integers, the result modulo 2**64 follows from the operands modulo 2**64.
    overflows        on integers that fit in 64 bits, the result may not.
    unbounded        on Python's ints, the result may be of any length.
    commutative      the operands may change places.
    augmented        the sign before `=` that stores the result in the first operand ("+").
    product          a product of matrices or vectors, `x @ y`.
    reduction        how it reduces, if a ufunc does the same.
    zeros            the result is zeros.
    keeps_zeros      the result is zero where the first argument is.
    stores_at        the result is the first argument with the third stored at, or added to, the
                     place that the second names.

    Use:
    foldable         computed when the graph is optimised, if all operands are constants.
    expensive        worth a copy of a loop's test if it then moves out of the loop.
    method           the method of arrays that NumPy's function only calls, after some Python.
    dunder           the special method of a Python operator, bare of underscores ("add").
    on_python_numbers  computes on Python's numbers what it does on int64, float64 and bool
                     scalars, or raises where NumPy warns.
    on_elements      a loop over small arrays may be rewritten to compute it on their elements.
    unordered        what it tells of a set does not depend on the order of the items.
    hides_infinity   on numbers, the result may be finite though an operand is not.
    out_by_keyword   NumPy warns of an `out` given by position.
    roles            the arguments, by position or name, of which a file may have some constants
                     only: "function" (it is called), "attribute" (the name of one that is read),
                     "field" (of one that is written), "method", "stream" (None: another could be a
                     file), "draw" (of a generator), "template" (of `str.format`), "signature" (a
                     function whose parameters are asked for), "shape" and "count" (of a size that
                     an array and a file have).
    in_math          the function of `math` that computes the same on Python's floats, and raises
                     where NumPy warns.

    The kernel's result is what the equation's one output holds. If the type rule gives several
    types, the equation has as many outputs and the kernel gives a sequence of as many.
    """

    name: str
    kernel: Callable[..., Any]
    infer: TypeRule
    emit: str
    samples: tuple[Sample, ...]
    onnx: str | None
    derivative: Derivative | None = None
    effect: Effect = ""
    ufunc: Any = None
    doc: str = ""
    inplace: Callable[..., Any] | None = None
    result: Callable[[Any], Any] = tuple
    regions: tuple[str, ...] = ()

    view: bool = False
    views_each: bool = False
    copied_ranks: range = range(0)
    always_view: bool = False
    may_copy: bool = False
    holds_operands: bool = False
    unwritable: bool = False
    reads_only: bool = False
    lasts: bool = False
    fresh: bool = False
    cheap: bool = False
    c_order: bool = False
    joins_along: int | None = None
    keeps_c_order: bool = False
    ignores_layout: bool = False

    total: range = range(0)
    rule_is_exact: bool = False
    raises_on_python_numbers: bool = False
    raises_on_integers: bool = False
    silent_on_floats: bool = False
    never_returns: bool = False
    takes_items: bool = False

    elementwise: bool = False
    elementwise_arity: int = 0
    broadcasts: bool = False
    arithmetic: bool = False
    comparison: bool = False
    logical: bool = False
    modular: bool = False
    overflows: bool = False
    unbounded: bool = False
    commutative: bool = False
    augmented: str = ""
    product: bool = False
    reduction: Reduction | None = None
    zeros: bool = False
    keeps_zeros: bool = False
    stores_at: bool = False

    foldable: bool = False
    expensive: bool = False
    method: Method | None = None
    dunder: str = ""
    on_python_numbers: bool = False
    on_elements: bool = False
    unordered: bool = False
    hides_infinity: bool = False
    out_by_keyword: bool = False
    in_math: Callable[..., Any] | None = None
    roles: tuple[tuple[int | str, str], ...] = ()

    def __repr__(self) -> str:
        return f"<Op {self.name}>"


OPS: dict[str, Op] = {}
"""Every op by name, in order of definition."""


def define(op: Op) -> Op:
    """Enters an op into the table; a name is defined once."""
    if op.name in OPS:
        raise ValueError(f"the op {op.name!r} is defined twice")
    put = object.__setattr__  # what nobody has seen yet may change
    put(op, "derivative", RULES.get(op.name, op.derivative))
    put(op, "infer", of_alternatives(op.infer))
    OPS[op.name] = op
    return op
