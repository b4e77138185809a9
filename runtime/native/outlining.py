"""Outlining: which equations of a block run as machine code, each run of them as one kernel.

A kernel takes loops, and what stands before, between and after them as far as it is on numbers and
elements: so an array that one loop fills and the next one reads is made once, in memory of the
kernel's own, and Python is asked once. So do operations on small arrays, where calls take the time;
those on larger ones are left to the groups.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Container, Sequence
from typing import Any

from autograph.runtime.ir.graph import Equation, Graph, Value
from autograph.runtime.ir.regions import as_branch, is_loop
from autograph.runtime.ir.types import ArrayType
from autograph.runtime.lower.plan import Plan
from autograph.runtime.lower.scalar_replacement import scalar_loop
from autograph.runtime.lower.unboxing import count_inside
from autograph.runtime.native.array_orders import DOT, FLIP, MATMUL, TRANSPOSE
from autograph.runtime.native.array_rules import COPY, NEW
from autograph.runtime.native.inference import Inference, NativeLoop, native_loop
from autograph.runtime.native.kinds import NotNative
from autograph.runtime.native.names import ON_NAMES
from autograph.runtime.native.sizes import check_size
from autograph.runtime.native.work import pays
from autograph.runtime.ops.indexing import GETITEM, SETITEM
from autograph.runtime.ops.kept_values import NEW_STACK
from autograph.runtime.ops.views import UPDATE_VIEW

Decide = Callable[[Equation, NotNative | None], None]
"""Is told of each loop that has a native form, or why it has none."""


def outlined(graph: Graph, plan: Plan, uses: Counter[Value], others: Container[Equation],
             decide: Decide) -> list[NativeLoop]:
    """Returns the runs of a block that are worth a kernel, without the `others`; `uses` counts the
    uses of all values in the program."""
    found: list[NativeLoop] = []
    for run in _runs(graph, others, uses):
        found += _natives(run, graph, plan, uses, decide)
    return found


def before_runs(equations: Sequence[Equation]) -> list[Equation]:
    """Returns the equations of a block with what a run may leave out before it: a kernel is called
    where its last equation stands, and what is left out must not come between its equations, where
    it would get the names of values that look dead there, and that the kernel still reads."""
    ordered: list[Equation] = []
    run: list[Equation] = []
    for e in equations:
        joined = joins(e)
        if _waits(e, joined, run):
            ordered.append(_moved(e) if run else e)
        elif joined:
            run.append(e)
        else:
            ordered += [*run, e]
            run = []
    return ordered + run


def _moved(e: Equation) -> Equation:
    """Returns what comes before other equations now: it raises nothing, and what was pending where
    it stood may not have a value yet."""
    moved = e.copy()
    moved.pending_writes, moved.uses = None, moved.inputs
    return moved


def _waits(e: Equation, joined: bool, run: list[Equation]) -> bool:
    """Returns True for what is made where it is used first: an array of one number, a stack, or a
    view in another order of what the run has not made."""
    return (joined and (e.op in NEW or e.op is NEW_STACK) and not e.inputs) or (
        _is_turned(e) and e.args[0] not in (v for x in run for v in x.outputs))


def _runs(graph: Graph, others: Container[Equation], uses: Counter[Value]
          ) -> list[list[Equation]]:
    """Returns the runs of equations that may be in one kernel, by their forms. Arrays
    of one number and stacks are made where they are used first, and views that only one loop
    uses."""
    runs: list[list[Equation]] = [[]]
    waiting: dict[Value, Equation] = {}
    for e in graph.equations:
        joined = e not in others and joins(e)
        if _waits(e, joined, runs[-1]):
            waiting[e.outputs[0]] = e
            continue
        made = [waiting.pop(v) for v in _used_by(e) if v in waiting and not (
            _is_turned(waiting[v]) and not (is_loop(e) and uses[v] == count_inside([e])[v]))]
        if joined:
            runs[-1] += [*made, e]
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if any(map(is_loop, run)) or _is_several_groups(run)]


def _is_several_groups(run: list[Equation]) -> bool:
    """Returns True for operations on arrays that would be several groups, as stores or products are
    between them. Stores are into small arrays, as a kernel keeps what an array that it writes held
    before."""
    between = [e for e in run if e.op in (SETITEM, UPDATE_VIEW, *MATMUL, DOT)]
    return len(between) > 1 and all(map(_is_on_small_arrays, between))


def _used_by(e: Equation) -> list[Value]:
    return list(dict.fromkeys([*e.inputs, *(v for r in e.regions for v in r.free_values())]))


def joins(e: Equation) -> bool:
    """Returns True for a loop, for equations on numbers and elements, for new arrays and operations
    on small ones, and for branches of these."""
    if is_loop(e):
        return True
    if (branch := as_branch(e)) is not None:
        return all(joins(x) for _, side in branch.sides() for x in side.equations)
    if e.op in ON_NAMES:
        return True
    if e.regions or e.op.effect or len(e.outputs) != 1:
        return False
    if e.op in NEW or e.op is COPY or _is_on_small_arrays(e):
        return True
    return (e.op in (GETITEM, SETITEM) and not (
        e.op is GETITEM and _is_array(e.outputs[0]))) or not any(
            isinstance(a, Value) and _is_array(a) for a in (*e.args, *e.outputs))


SMALL = 2048
"""Elements up to which an operation on arrays takes no longer in a loop's kernel than in a group's:
it is the calls that take the time."""


def _is_on_small_arrays(e: Equation) -> bool:
    """Returns True for an operation on arrays of a few elements each, or that takes a few."""
    touched = e.outputs if e.op is GETITEM else (*e.inputs, *e.outputs)
    types: list[Any] = [v.type for v in touched if _is_array(v)]
    return bool(types) and all(t.is_static and math.prod(t.shape) <= SMALL for t in types)


def _is_turned(e: Equation) -> bool:
    """Returns True for a view in another order, which a kernel takes only from its own equations.
    """
    return e.op in (FLIP, TRANSPOSE)


def _is_array(v: Value) -> bool:
    return isinstance(v.type, ArrayType) and not v.type.scalar


def _natives(run: list[Equation], graph: Graph, plan: Plan, uses: Counter[Value], decide: Decide
             ) -> list[NativeLoop]:
    """Returns the native forms of a run: of all of it, of parts, or of single loops."""
    on_elements = {e: made for e in run if pays(e) and (
        made := _on_elements(e, graph, plan, uses)) is not None}
    found: list[NativeLoop] = []
    rest = run
    while rest:
        inference = Inference(plan)
        for e in rest:
            if e in on_elements:
                break
            try:
                inference.take(e)
            except NotNative:
                break
        taken = rest[:len(inference.run)]
        found += _together(inference, graph, plan, uses, decide)
        if len(taken) < len(rest) and rest[len(taken)] in on_elements:
            found.append(on_elements[rest[len(taken)]])
            decide(rest[len(taken)], None)
        elif len(taken) < len(rest) and is_loop(rest[len(taken)]):
            found += _alone([rest[len(taken)]], graph, plan, decide)
        rest = rest[len(taken) + 1:]
    return found


def _on_elements(e: Equation, graph: Graph, plan: Plan, uses: Counter[Value]
                 ) -> NativeLoop | None:
    """Returns the native form of a loop over arrays of a few numbers each, which stay in registers;
    None if there is none, or if two results may be one array."""
    made = scalar_loop(e, uses, tagged=True)
    if made is None or any(x in made.results for known in made.aliases.values() for x in known):
        return None
    try:
        native = native_loop(made.loop, plan, graph)
    except NotNative:
        return None
    return NativeLoop((e,), tuple(v for v in e.outputs if uses[v]), {}, (),
                      elements=(made, native))


def _together(inference: Inference, graph: Graph, plan: Plan, uses: Counter[Value], decide: Decide
              ) -> list[NativeLoop]:
    """Returns the native form of what an inference took, if it is worth a kernel."""
    taken = inference.run
    loops = list(filter(is_loop, taken))
    if not (loops or _is_several_groups(taken)) or not pays(*taken):
        return []
    if len(taken) > 1:
        inside = count_inside(taken)
        outputs = tuple(v for e in taken for v in e.outputs if uses[v] > inside[v])
        try:
            check_size(taken)
            made = inference.found(outputs, graph)
        except NotNative:
            if not loops or taken[-1] is loops[-1]:
                return _alone(loops, graph, plan, decide)
            shorter = Inference(plan)  # without what comes after the last loop
            for e in taken[:taken.index(loops[-1]) + 1]:
                shorter.take(e)
            return _together(shorter, graph, plan, uses, decide)
        for e in loops:
            decide(e, None)
        return [made]
    return _alone(loops, graph, plan, decide)


def _alone(loops: list[Equation], graph: Graph, plan: Plan, decide: Decide) -> list[NativeLoop]:
    """Returns the native forms of loops, each of its own."""
    found = []
    for e in filter(pays, loops):
        try:
            check_size([e])
            found.append(native_loop(e, plan, graph))
            decide(e, None)
        except NotNative as error:
            decide(e, error)
    return found
