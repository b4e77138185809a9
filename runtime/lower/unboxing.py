"""Unboxing: loops over scalars that run on Python's own numbers, with exact results.

A NumPy scalar costs three to ten times a Python number. A loop that computes on int64 and float64
scalars alone runs on Python numbers first; whatever they do differently raises, and the loop runs
again on NumPy scalars from where it started, which is safe because it has no other effect:

* an int beyond 64 bits (NumPy wraps and warns): checked where it is compared, divided or carried;
* division by zero, an invalid operand (NumPy warns): Python's own exceptions;
* a float that overflows (NumPy warns): seen when a loop ends with infinity or NaN in its state.
  One that overflows on the way and is finite again at the end, or in no state, gets no warning;
  where all have to be given, every number that may come with one is checked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import KeysView

import numpy as np

from autograph.runtime.ir.expressions import Call, Expression, Global
from autograph.runtime.ir.graph import Equation, Graph, Value, atom_type, regions_of
from autograph.runtime.ir.regions import as_loop, is_loop
from autograph.runtime.ir.types import ArrayType, PyType, StackType, Type
from autograph.runtime.lower.break_recovery import break_of
from autograph.runtime.lower.forms import filled
from autograph.runtime.ops.elementwise import ABSOLUTE, DIVIDE, FLOOR_DIVIDE
from autograph.runtime.ops.kept_values import NEW_STACK
from autograph.runtime.ops.python import RANGE
from autograph.runtime.optimize.effects_and_exceptions import is_total

INT, FLOAT, BOOL = "int", "float", "bool"
BOXES = {np.dtype(cls): (kind, Global(f"np.{name}", cls)) for kind, name, cls in (
    (INT, "int64", np.int64), (FLOAT, "float64", np.float64), (BOOL, "bool_", np.bool_))}
FAILURES = tuple(Global(x.__name__, x) for x in (OverflowError, ZeroDivisionError, ValueError))


def is_boxed(t: Type, kind: str) -> bool:
    """Returns True if values of this type are NumPy scalars of the kind."""
    return isinstance(t, ArrayType) and t.scalar and t.dtype in BOXES and BOXES[t.dtype][0] == kind


def box_of(t: Type) -> Global | None:
    """Returns the class that boxes a Python number of this type; None if Python's own is meant."""
    return BOXES[t.dtype][1] if isinstance(t, ArrayType) and t.scalar and t.dtype in BOXES else None


def is_scalar(t: Type) -> bool:
    """Returns True for numbers that may be unboxed, or are Python's, and for stacks of them."""
    if isinstance(t, StackType):
        return t.item is None or is_scalar(t.item)
    if isinstance(t, PyType):
        return t.cls in (int, float, bool)
    return isinstance(t, ArrayType) and t.scalar and t.dtype in BOXES


def is_scalar_loop(e: Equation) -> bool:
    """Returns True if a loop computes on scalars alone, and some of them are NumPy's."""
    return is_allowed(e) and any(
        isinstance(v.type, ArrayType) for r in e.regions for v in (*r.inputs, *r.free_values()))


def units(equations: list[Equation]) -> list[list[Equation]]:
    """Returns the longest runs of equations on scalars that have a loop among them."""
    if not [e for e in equations if e.regions and is_loop(e)]:
        return []
    found: list[list[Equation]] = [[]]
    empty = made_empty(equations)
    for e in equations:
        if _is_straight(e) or (is_loop(e) and is_scalar_loop(e) and fills(e) <= empty):
            found[-1].append(e)
        elif found[-1] and e.op is not NEW_STACK:
            found.append([])
    return [unit for unit in found if any(e.regions for e in unit)]


def made_empty(equations: list[Equation]) -> set[Value]:
    """Returns the stacks that equations make."""
    return {v for e in equations if e.op is NEW_STACK for v in e.outputs}


def fills(e: Equation) -> KeysView[Value]:
    """Returns the stacks from outside that a loop fills: if it is run again, they are emptied."""
    loop = as_loop(e)
    return dict.fromkeys(x for x in (() if loop is None else loop.initial) if isinstance(
        x, Value) and isinstance(x.type, StackType)).keys()


def _is_straight(e: Equation) -> bool:
    """Returns True if it may stand before or after a loop: it cannot hide an overflow."""
    if not e.outputs or e.regions or not is_allowed(e):
        return False
    if isinstance(e.outputs[0].type, PyType):
        return not e.op.effect
    return (e.op.modular or e.op is ABSOLUTE) and isinstance(e.outputs[0].type, ArrayType)


def finite(unit: list[Equation], uses: Counter[Value]) -> set[Value]:
    """Returns the floats that are checked where they are made: those that the other equations pass
    to loops, as a loop may hide that it is infinite, and those that a loop ends with, and that
    nothing reads."""
    given = {v for e in unit if e.regions for v in (
        *e.inputs, *(x for r in e.regions for x in r.free_values()))}
    found = {e.outputs[0] for e in unit if not e.regions and e.outputs[0] in given}
    inside = (x for e in unit for r in e.regions for x in r.walk())
    found.update(v for e in (*unit, *inside) if is_loop(e) for v in e.outputs if not uses[v])
    return {v for v in found if is_boxed(v.type, FLOAT)}


def count_inside(unit: list[Equation]) -> Counter[Value]:
    """Counts the uses of values in the equations and their regions."""
    uses: Counter[Value] = Counter()
    for e in unit:
        uses.update(e.inputs)
        for region in e.regions:
            uses.update(a for a in region.outputs if isinstance(a, Value))
            uses += count_inside(region.equations)
    return uses


def is_allowed(e: Equation) -> bool:
    """Returns True if an equation computes on Python's numbers what it does on NumPy's, or
    raises."""
    if not (e.op.on_python_numbers or regions_of(e)) or e.kwargs or e.settings:
        return False
    types = [x.type for x in (*e.inputs, *e.outputs)]
    loop = as_loop(e)
    if e.op is RANGE or (loop is not None and isinstance(loop.iterable, Value)):
        types = [t for t in types if t != PyType(range)]
    if e.op.arithmetic and any(is_boxed(t, BOOL) for t in types):
        return False  # True + True is True for NumPy
    constants = [a for a in e.args if not isinstance(a, (Value, range))]
    return (all(map(is_scalar, types)) and all(map(_is_number, constants))
            and all(map(_is_plain, _regions(e))))


def _is_number(c: object) -> bool:
    return type(c) in (int, float, bool) or (type(c) is np.float64 and bool(np.isfinite(c)))


def _regions(e: Equation) -> list[Graph]:
    """Returns the regions that are run: of a test, the rest when its flag becomes a `break`."""
    loop = as_loop(e)
    found = break_of(loop) if loop is not None else None
    if found is None:
        return list(e.regions)
    return [found.loop.body] if found.test is None else [found.loop.body, found.test]


def _is_plain(region: Graph) -> bool:
    atoms = [*region.inputs, *region.outputs]
    return all(is_scalar(atom_type(a)) for a in atoms) and all(map(is_allowed, region.equations))


def formula(e: Equation, operands: tuple[Expression, ...]) -> Expression:
    """Returns an equation on Python numbers that means the same as on NumPy's scalars."""
    types = [atom_type(a) for a in e.args]
    ints = [is_boxed(t, INT) for t in types]
    mixed = any(not i and t != PyType(int) for i, t in zip(ints, types, strict=True))
    as_floats = e.op.comparison and any(is_boxed(t, FLOAT) for t in types)  # Python is exact there
    if as_floats or (any(ints) and (e.op is DIVIDE or (e.op.comparison and mixed))):
        operands = tuple(x if is_float(a) else Call(Global("float", float), (x,))
                         for x, a in zip(operands, types, strict=True))
    return filled(e.op.emit, operands)


def is_float(t: Type) -> bool:
    """Returns True for floats, Python's or NumPy's."""
    return t == PyType(float) or is_boxed(t, FLOAT)


def guards(e: Equation) -> bool:
    """Returns True if the result may exceed 64 bits."""
    if not is_boxed(e.outputs[0].type, INT):
        return False
    by_constant = e.op is FLOOR_DIVIDE and type(e.args[1]) is int and e.args[1] > 0
    return (e.op.overflows or e.op.modular) and not by_constant


def may_hide(e: Equation) -> bool:
    """Returns True if NumPy may warn of a number that Python computes without a word."""
    return (is_float(e.outputs[0].type) or guards(e)) and not is_total(e)


def consumers(graphs: tuple[Graph, ...]) -> set[Value]:
    """Returns the int64 values that are used where their exact number matters: they are checked."""
    found: set[Value] = set()
    for graph in graphs:
        found.update(a for a in graph.outputs if isinstance(a, Value))
        for e in graph.equations:
            if not (e.op.modular and all(is_boxed(v.type, INT) for v in e.outputs)):
                found.update(e.inputs)  # beside a float, an int is not taken modulo 2 ** 64
            found |= consumers(e.regions)
    return found
