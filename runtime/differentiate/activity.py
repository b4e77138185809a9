"""Activity: which values depend on what a gradient is taken by, and which reach its target.

A value is varied if a path of floating-point values leads to it from a source. A varied value is
useful if such a path leads from it to a target. Only values that are both have cotangents.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from autograph.runtime.differentiate.refusals import refuse
from autograph.runtime.ir.graph import Atom, Equation, Graph, Value, equations_in, regions_of
from autograph.runtime.ir.regions import Loop, as_branch, as_loop
from autograph.runtime.ir.types import (
    EITHER_INT,
    ArrayType,
    DynamicType,
    PyType,
    StackType,
    Type,
    is_container,
)
from autograph.runtime.ops.adjoints import WITH_RULE
from autograph.runtime.ops.derivatives import Zero


def may_vary(t: Type) -> bool:
    """Returns True if a value of this type may have a tangent: a float, or what may hold one."""
    if isinstance(t, ArrayType):
        return t.dtype.kind in "fc" if t.dtype is not None else t != EITHER_INT
    if isinstance(t, PyType):
        return t.cls in (float, complex, tuple) or is_container(t)
    if isinstance(t, StackType):
        return t.item is not None and may_vary(t.item)
    if isinstance(t, DynamicType) and t.maybe_undefined:
        return t.bound is not None and may_vary(t.bound)
    return isinstance(t, DynamicType) and t.cls is None


def hides_numbers(t: Type) -> bool:
    """Returns True if a value of this type may tell a float, and has no tangent: text, bytes,
    records, and arrays of objects."""
    if isinstance(t, ArrayType):
        return t.dtype is not None and t.dtype.kind in "USVO"
    if isinstance(t, DynamicType):
        return t.cls is not None or (t.bound is not None and hides_numbers(t.bound))
    return isinstance(t, PyType) and t.cls in (str, bytes)


def may_depend(t: Type) -> bool:
    """Returns True if derivatives have to ask what becomes of a value of this type."""
    return may_vary(t) or hides_numbers(t)


def passes_on(e: Equation, v: Value) -> bool:
    """Returns True if an equation's result may tell the floats of its operands."""
    rule = e.op.derivative
    if isinstance(rule, Zero):
        items = rule.of_numbers and not isinstance(v.type, ArrayType) and may_vary(v.type)
        return items or hides_numbers(v.type)
    return may_depend(v.type) or (rule is not None and rule.reads_bits)


def refuse_hidden(equations: Sequence[Equation], active: set[Value],
                  taken_from: TakenFrom | None = None) -> None:
    """Refuses the equation that turns an active number into what has no tangent, or that may put
    it into an object which the graph does not know."""
    taken_from = all_taken(equations) if taken_from is None else taken_from
    for e in equations:
        for region in regions_of(e):
            refuse_hidden(region.equations, active, taken_from)
        if any(v in active for v in e.inputs) and any(
                v in active for v in changed_by(e, taken_from)) and not any(
                v in active for v in e.outputs):  # of which the op's own refusal tells more
            refuse(e, "it runs Python code that may put numbers into an object which is read "
                      "later, and the graph does not know where")
        if any(v in active and not may_vary(v.type) for v in e.outputs):
            refuse(e, "numbers become text, bytes, bits, records or objects here, which have no "
                      "derivatives, and what follows reads them again")
        if isinstance(e.op.derivative, Zero) and any(
                v in active and passes_on(e, v) for v in e.outputs):
            refuse(e, "of sets and dicts it has no derivative")


TakenFrom = dict[Value, tuple[Value, ...]]
"""For an object that the graph got from others, such as a bound method: those others."""


def varied_values(equations: Sequence[Equation], varied: set[Value],
                  taken_from: TakenFrom | None = None) -> set[Value]:
    """Adds to `varied` what depends on it, in program order; returns it."""
    taken_from = all_taken(equations) if taken_from is None else taken_from
    for e in equations:
        if (loop := as_loop(e)) is not None:
            _vary_loop(loop, varied, taken_from)
        elif (branch := as_branch(e)) is not None:
            for _, side in branch.sides():
                varied_values(side.equations, varied, taken_from)
                _pair(e.outputs, side.outputs, varied)
        elif e.op.effect == "write":
            varied.update(v for v in e.args[:1] if any(x in varied for x in e.inputs[1:]))
        elif any(v in varied for v in operands(e)):
            varied.update(v for v in e.outputs if passes_on(e, v))
            varied.update(changed_by(e, taken_from))
    return varied


def all_taken(equations: Sequence[Equation], found: TakenFrom | None = None) -> TakenFrom:
    """Returns the objects from which those that equations make were taken."""
    found = {} if found is None else found
    for e in equations:
        for region in regions_of(e):
            all_taken(region.equations, found)
        objects = reached_by(e, found)
        found.update((v, objects) for v in e.outputs if objects and may_be_changed(v.type))
    return found


def reached_by(e: Equation, taken_from: TakenFrom) -> tuple[Value, ...]:
    """Returns the objects that an equation is given, and those that these were taken from."""
    return tuple(dict.fromkeys(
        x for v in e.inputs if may_be_changed(v.type) for x in (v, *taken_from.get(v, ()))))


def changed_by(e: Equation, taken_from: TakenFrom) -> tuple[Value, ...]:
    """Returns the objects into which Python code may put the numbers that it is given."""
    runs_code = e.op.effect == "call" and not isinstance(e.op.derivative, Zero)
    return reached_by(e, taken_from) if runs_code else ()


def operands(e: Equation) -> tuple[Value, ...]:
    """Returns the inputs of an equation; for a call, also what the callee uses of graphs around. Of
    the results of a function with a rule, its operands, not what the results were computed from."""
    if e.op is WITH_RULE:
        return tuple(v for part in (e.args[2], *e.args[4:]) for v in part)
    return e.inputs if e.callee is None else (*e.inputs, *e.callee.free_values())


IMMUTABLE = (int, float, complex, bool, str, bytes, range, slice, type, type(None))


def may_be_changed(t: Type) -> bool:
    """Returns True for what Python code that the graph calls may put a value into."""
    return isinstance(t, DynamicType) or (isinstance(t, PyType) and t.cls not in IMMUTABLE)


def _vary_loop(loop: Loop, varied: set[Value], taken_from: TakenFrom) -> None:
    if loop.item is not None and loop.iterable in varied and may_depend(loop.item.type):
        varied.add(loop.item)
    _pair(loop.carried, loop.initial, varied)
    _pair(loop.results, loop.initial, varied)
    while True:
        before = len(varied)
        varied_values(loop.body.equations, varied, taken_from)
        _pair(loop.carried, loop.body.outputs, varied)
        _pair(loop.results, loop.body.outputs, varied)
        if len(varied) == before:
            return


def _pair(to: Sequence[Value], atoms: Sequence[Atom], varied: set[Value]) -> None:
    varied.update(v for v, a in zip(to, atoms, strict=True)
                  if isinstance(a, Value) and a in varied and (
                      may_depend(v.type) or not may_depend(a.type)))


def useful_values(equations: Sequence[Equation], varied: set[Value], useful: set[Value],
                  taken_from: TakenFrom | None = None) -> set[Value]:
    """Adds to `useful` the varied values that reach it, from the last equation to the first;
    returns it."""
    taken_from = all_taken(equations) if taken_from is None else taken_from
    for e in reversed(equations):
        if any(v in useful for v in changed_by(e, taken_from)):
            useful.update(v for v in e.inputs if v in varied)
        if e.op.effect == "write":
            if e.args[0] in useful:
                useful.update(v for v in e.inputs if v in varied)
            continue
        if not any(v in useful for v in e.outputs) and not any(
                x.op.effect == "write" and x.args[0] in useful
                for r in regions_of(e) for x in equations_in(r)):
            continue
        if (loop := as_loop(e)) is not None:
            _use_loop(loop, varied, useful, taken_from)
        elif (branch := as_branch(e)) is not None:
            for _, side in branch.sides():
                _need(side.outputs, e.outputs, varied, useful)
                useful_values(side.equations, varied, useful, taken_from)
        elif any(v in useful and passes_on(e, v) for v in e.outputs):
            useful.update(v for v in operands(e) if v in varied)
    return useful


def _use_loop(loop: Loop, varied: set[Value], useful: set[Value], taken_from: TakenFrom) -> None:
    _need(loop.body.outputs, loop.results, varied, useful)
    while True:
        before = len(useful)
        useful_values(loop.body.equations, varied, useful, taken_from)
        _need(loop.body.outputs, loop.carried, varied, useful)
        _need(loop.initial, loop.carried, varied, useful)
        _need(loop.initial, loop.results, varied, useful)
        if loop.item in useful and loop.iterable in varied:
            useful.add(loop.iterable)
        if len(useful) == before:
            return


def _need(atoms: Iterable[Atom], of: Iterable[Value], varied: set[Value], useful: set[Value]
          ) -> None:
    useful.update(a for a, v in zip(atoms, of, strict=True)
                  if v in useful and isinstance(a, Value) and a in varied)


def active_free_values(body: Graph, varied: set[Value], useful: set[Value]) -> list[Value]:
    """Returns the values from outside a region that are varied and useful in it."""
    return [v for v in body.free_values() if v in varied and v in useful and may_vary(v.type)]
