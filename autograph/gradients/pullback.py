"""The two halves of a derivative: `ag.vjp`, and the pair (forward, backward) of a trace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar, TypeVarTuple, Unpack, overload

import numpy as np

from autograph.gradients.engine import (
    Fn,
    find_trace,
    handler_of,
    refuse_other_memory,
    untransformed,
)
from autograph.runtime.codegen.emit import emit
from autograph.runtime.differentiate.activity import may_vary
from autograph.runtime.differentiate.cotangents import (
    as_tensor,
    cotangent_type,
    is_array_like,
    zeros_for,
)
from autograph.runtime.differentiate.recording import (
    SHARED,
    Recording,
    checked_argument,
    gradient_nest,
    has_cotangent,
    is_differentiable,
    leaf_type,
    own,
    result_of,
)
from autograph.runtime.differentiate.reverse import pulled_back
from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.functions.finished_program import finish_program
from autograph.runtime.heap.growing_lists import unstage
from autograph.runtime.ir.errors import NotDifferentiable
from autograph.runtime.ir.frame_state import Given
from autograph.runtime.ir.graph import Atom, Equation, Graph, Value, map_leaves
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.pytree import children, flatten, map_nest, parts_beside
from autograph.runtime.ir.stand_ins import put_back
from autograph.runtime.ir.types import (
    DYNAMIC,
    ArrayType,
    has_memory,
    in_words,
    is_container,
    may_have_memory,
)
from autograph.runtime.ir.visitor import rename_values
from autograph.runtime.ops.kept_values import number_part, zero_of
from autograph.runtime.ops.op import OPS
from autograph.runtime.ops.state import Storage
from autograph.runtime.references.programs import program_by_value
from autograph.runtime.references.targets import NotByValue
from autograph.runtime.signatures.binding import Bound
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import Tensor, apply, lower
from autograph.traceback_filter import hiding_frames

R = TypeVar("R")
S = TypeVar("S")
Ts = TypeVarTuple("Ts")

STANDS: dict[int, Any] = {}
"""Arrays under a tape that traces captured, by the ids of the plain arrays that stand for them."""


@dataclass(eq=False)
class Around:
    """An array under a tape that a function uses, and that is no argument of it."""

    array: Any


def captured(x: Any) -> Storage | Around | None:
    """Returns what a tape knows of something that a trace captured; None for a constant."""
    if isinstance(x, np.ndarray):
        return Around(STANDS[id(x)]) if id(x) in STANDS else None
    return x if isinstance(x, Storage) else None


class Pair:
    """The forward and the backward half of a trace.

    forward   runs on the leaves of a call; gives (result, kept).
    backward  runs on the values kept and the cotangents of the results; gives the cotangents.
    targets   the numbers of the result's leaves that have cotangents.
    sources   for each cotangent: the number of the leaf of the arguments, a captured storage, or
              what is `Around`.
    held      the numbers of the leaves that are containers, which the function may change.
    pullback  the graph of the backward half.
    along     what is made of it for directions.
    """

    def __init__(self, concrete: ConcreteFunction) -> None:
        concrete, before = _by_value(concrete)
        self.name, self.handled = concrete.name, before.handled
        self.containers = concrete.program.containers
        graph = before.graph.copy()
        self.result = _with_contents(before, concrete)
        leaves = _at_the_end(graph, before, self.result)
        self.targets = [k for k, x in enumerate(leaves)
                        if isinstance(x, Value) and may_vary(x.type)]
        values = [leaves[k] for k in self.targets]
        storages = {v: s for v, x in graph.captures.items() if (s := captured(x)) is not None}
        inputs = {v: k for k, v in enumerate(graph.inputs) if may_vary(v.type)}
        given = {v: k for v, k in inputs.items() if is_array_like(v.type) or is_container(
            v.type) or isinstance(concrete.bound.leaves[k].value, Storage)
            or v in _variables(graph)}
        self.sources: list[Any] = [*given.values(), *storages.values()]
        self.held = [k for v, k in given.items() if is_container(v.type)]
        backward = _backward(graph, concrete.name, values, [*given, *storages])
        made_by_views = _shared(graph, values)
        at_hand = {*backward.inputs, *backward.captures}
        kept = [v for v in backward.free_values() if v not in at_hand]
        result = before.result
        if any(may_have_memory(v.type) and not has_memory(v.type) for v in kept):
            result = _separated(graph, before.result)
        copies = [Value(v.type, v.hint) if has_memory(v.type) and v in made_by_views else v
                  for v in kept]
        graph.equations += [Equation(OPS["copy"], (v,), {}, (c,))
                            for v, c in zip(kept, copies, strict=True) if c is not v]
        backward.inputs = (*kept, *backward.inputs)
        forward = replace(before, graph=graph, result=(result, tuple(copies)))
        escaping = set(flatten((result, forward.refill, forward.locations)))
        forward.maybe_arguments = tuple(v for v in before.maybe_arguments if v in escaping)
        self.forward = runner(forward, concrete.name)
        self.pullback = backward.copy()
        self.along: Any = None
        self.backward = runner(Program(backward, tuple(backward.outputs)), "pullback")

    def run(self, bound: Bound, function: Fn | None = None) -> Any:
        """Runs the forward half of a function; returns (result, kept)."""
        containers = [bound.containers[number][1] for number in self.containers]
        try:
            return self.forward(*[leaf.value for leaf in bound.leaves], *containers)
        except Exception as error:
            if not self.handled or isinstance(error, NotDifferentiable):
                raise
            raise NotDifferentiable(
                f"{self.name} raised {type(error).__name__}, and has a `try` or `with` around it, "
                f"which cannot be entered while its derivative is computed{handler_of(function)}\n"
                "  hint: test for it with an `if`, or put the `try` around the call") from error


def _by_value(concrete: ConcreteFunction) -> tuple[ConcreteFunction, Program]:
    """Returns a program with every value that was there, and the function that it is of.

    Raises:
      NotDifferentiable: it has no such form.
    """
    program = concrete.program.before or concrete.program
    try:
        return concrete, program_by_value(program)
    except NotByValue:
        if concrete.in_full is not None:
            return _by_value(concrete.in_full())
        return concrete, program  # the walk that looks for derivatives tells which line is at fault


def _variables(graph: Graph) -> set[Value]:
    return {e.args[0] for e in graph.walk() if e.op.effect in ("read", "write") and isinstance(
        e.args[0], Value)}


def _backward(graph: Graph, name: str, targets: Sequence[Value], sources: Sequence[Value]) -> Graph:
    """Records the backward half behind a graph, and takes it out again."""
    run = trace.Trace(name)
    with trace.start(run) as region:
        region.graph = graph
        run.variable_types = {e.args[0]: ArrayType(e.args[-2], e.args[-1], e.args[-1] == ())
                              for e in graph.walk() if e.op.effect == "read"}
        stands = [Value(cotangent_type(v), f"d_{v.hint}" if v.hint else "") for v in targets]
        last = Equation(OPS["pack"], ((),), {}, (Value(DYNAMIC),))
        given: dict[Value, Tensor] = {}

        def begin() -> None:
            graph.equations.append(last)
            for v, g in zip(targets, stands, strict=True):
                given[v] = Tensor(g) if v not in given else apply("add", given[v], Tensor(g))

        found = pulled_back(graph, 0, given, sources, begin=begin)
        made = own([zeros_for(v) if g is None and not is_container(v.type) else g
                    for v, g in zip(sources, found, strict=True)])
        cut = graph.equations.index(last)
        equations = graph.equations[cut + 1:]
        del graph.equations[cut:]
        backward = Graph("pullback", tuple(stands), equations, tuple(map(lower, made)))
        backward.captures = {v: x for v, x in run.captures.values.values()
                             if v not in graph.captures}
        return backward


def _with_contents(program: Program, concrete: ConcreteFunction) -> Any:
    """Returns the result with what the caller's own containers in it hold at the end."""
    held = dict(program.refill)

    def leaf(x: Any) -> Any:
        if not isinstance(x, Given):
            return x
        if x.number not in held:  # it is as it was
            held[x.number] = concrete.bound.container(x.number, program.graph.inputs)
        return map_nest(leaf, held[x.number])

    return map_nest(leaf, program.result)


def _at_the_end(graph: Graph, program: Program, result: Any) -> list[Any]:
    """Returns the leaves of the result as they are after what the function writes to arguments."""
    now: dict[Value, Atom] = dict(program.write_back)
    for e in program.views:
        made = tuple(Value(v.type, v.hint) for v in e.outputs)
        args, kwargs = (map_leaves(lambda x: now.get(x, x) if isinstance(x, Value) else x, nest)
                        for nest in (e.args, dict(e.kwargs)))
        graph.equations.append(Equation(e.op, args, kwargs, made, (), e.location))
        now.update(zip(e.outputs, made, strict=True))
    return [now.get(x, x) if isinstance(x, Value) else x for x in flatten(result)]


def _shared(graph: Graph, results: Sequence[Value]) -> set[Value]:
    """Returns the values whose memory the caller may write: arguments, results, what regions give,
    and all that shares memory with one of those."""
    found = {*graph.inputs, *graph.captures, *results}
    for e in graph.equations:
        if e.regions:
            found.update((*e.inputs, *e.outputs))
    groups = [group for e in graph.equations if len(group := _sharing(e)) > 1]
    while True:
        left = [group for group in groups if found.isdisjoint(group)]
        if len(left) == len(groups):
            return found
        for group in groups:
            if not found.isdisjoint(group):
                found |= group
        groups = left


def _sharing(e: Equation) -> set[Value]:
    """Returns the values of an equation that may share memory: an update may run in that of its
    first operand, which may be an argument."""
    first = e.inputs if e.op.view or e.op.holds_operands else [
        x for x in e.args[:1] if e.op.inplace is not None and isinstance(x, Value)]
    return {v for v in (*first, *e.outputs) if first and may_have_memory(v.type)}


def _separated(graph: Graph, result: Any) -> Any:
    """Copies what the caller may write, arguments and results, as what an iteration, a branch or a
    call kept may share their memory."""
    first, now = [], {}
    for v in graph.inputs:
        if has_memory(v.type):
            now[v] = Value(v.type, v.hint)
            first.append(Equation(OPS["copy"], (v,), {}, (now[v],)))
    rename_values(graph, now)
    graph.equations[:0] = first
    shared = {v for e in graph.equations if e.regions or e.callee or e.op.view or _sharing(e)
              for v in e.outputs}
    copies: dict[Value, Value] = {}

    def leaf(x: Any) -> Any:
        if not (isinstance(x, Value) and x in shared and has_memory(x.type)):
            return x
        if x not in copies:
            copies[x] = Value(x.type, x.hint)
            graph.equations.append(Equation(OPS["copy"], (x,), {}, (copies[x],)))
        return copies[x]

    return map_nest(leaf, result)


def runner(program: Program, name: str) -> Callable[..., Any]:
    finish_program(program, False, False)
    run = emit(program, name).load()

    def checked_run(*given: Any) -> Any:
        checked = ConcreteFunction.checked
        return run(*given) if checked is None else checked(program, given)

    return checked_run


def pair_of(concrete: ConcreteFunction) -> Pair:
    """Returns the two halves of a trace, made when they are first asked for."""
    found = concrete.__dict__.get("_pair")
    if found is None:
        found = concrete.__dict__["_pair"] = Pair(concrete)
    return found


@overload
def vjp(f: Callable[[Unpack[Ts]], R], *args: *Ts, has_aux: Literal[False] = False
        ) -> tuple[R, Callable[[Any], tuple[*Ts]]]: ...
@overload
def vjp(f: Callable[[Unpack[Ts]], tuple[R, S]], *args: *Ts, has_aux: Literal[True]
        ) -> tuple[R, Callable[[Any], tuple[*Ts]], S]: ...
@hiding_frames  # type: ignore[misc]  # mypy compares *args with the unpacked types above
def vjp(f: Fn, *args: Any, has_aux: bool = False) -> Any:
    """Returns the value of f, and the function that pulls cotangents of it back to the arguments.

    The function runs once, with its effects; the pullback may be called often.

    Args:
      f: a function, decorated or not, of nests of arrays and numbers; it may return a nest.
      args: the arguments.
      has_aux: if True, f returns a pair, of which only the first is differentiated.

    Returns:
      `(y, pullback)`, or `(y, pullback, aux)`: `pullback(y_bar)`, where y_bar has the structure and
      shapes of y, gives a tuple with one cotangent for each argument.

    Raises:
      NotDifferentiable: something on the way has no derivative, or y_bar does not fit.

    >>> y, pullback = vjp(lambda x, y: x * y, 2.0, 3.0)
    >>> y, pullback(1.0), pullback(2.0)
    (6.0, (3.0, 2.0), (6.0, 4.0))
    """
    if trace.tracing():
        return _traced_vjp(f, args, has_aux)
    found, bound = find_trace(untransformed(f), each_its_own(f, args))
    refuse_other_memory(found, bound)
    return vjp_of_trace(found, bound, len(args), has_aux, f)


def each_its_own(f: Fn, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Returns arguments with a copy for an array that is there a second time: each place has a
    cotangent of its own.

    Raises:
      NotDifferentiable: the function may write to an argument.
    """
    arrays = [id(x) for x in flatten(args) if isinstance(x, np.ndarray)]
    if len(set(arrays)) == len(arrays):
        return args
    found, _ = find_trace(untransformed(f), args)
    program = found.program
    if program.write_back or program.refill or program.locations or program.by_reference:
        raise NotDifferentiable(SHARED.format(found.name, ""))
    seen: set[int] = set()

    def leaf(x: Any) -> Any:
        again = isinstance(x, np.ndarray) and id(x) in seen
        seen.add(id(x))
        return x.copy("K") if again else x

    return tuple(map_nest(leaf, x) for x in args)


def vjp_of_trace(concrete: ConcreteFunction, bound: Bound, count: int, has_aux: bool = False,
                 function: Fn | None = None) -> Any:
    """Runs one trace for a call of so many positional arguments; returns what `vjp` does."""
    pair = pair_of(concrete)
    if ConcreteFunction.run_instead is not None and (
            bound.stands or any(isinstance(x, Around) for x in pair.sources)):
        raise NotDifferentiable(
            "the vjp of an array under a tape: its pullback runs where the tape cannot look\n"
            "  hint: ag.grad, or a second tape, in place of ag.vjp")
    before = {k: map_nest(lambda x: x, bound.leaves[k].value) for k in pair.held}
    try:
        made, kept = pair.run(bound, function)
        made = put_back(made, bound.stands)
    finally:
        put_back([container for _, container in bound.containers], bound.stands)
    y, aux = made if has_aux else (made, None)
    nest = children(pair.result)[1][0] if has_aux else pair.result  # type: ignore[index]
    aux_leaves = parts_at(pair.result, made)[len(list(flatten(nest))):]

    @hiding_frames
    def pullback(y_bar: Any) -> Any:
        given = [*_by_leaf(nest, y, y_bar), *map(zero_of, aux_leaves)]
        wanted = [given[k] for k in pair.targets]
        found = dict(zip(pair.sources, pair.backward(*kept, *wanted), strict=True))
        found.update((k, number_part(found[k], x)) for k, x in before.items())
        return tuple(map_nest(lambda x: found.get(x.number) if isinstance(x, _Leaf) else None, nest)
                     for nest in positions_of(bound, count))

    return (y, pullback, aux) if has_aux else (y, pullback)


class _Leaf:
    def __init__(self, number: int) -> None:
        self.number = number


def positions_of(bound: Bound, count: int) -> list[Any]:
    """Returns the positional arguments of a call, with the number of each leaf in its place."""
    refs = bound.filled([_Leaf(k) for k in range(len(bound.leaves))])
    found: list[Any] = []
    for name, nest in refs.items():
        if len(found) < count:
            found += list(nest) if isinstance(nest, tuple) and name == "args" else [nest]
    return found[:count]


def parts_at(nest: Any, y: Any) -> list[Any]:
    """Returns what a result holds at each leaf of the nest that the trace knows of it."""
    found = children(nest)
    if found is None:
        return [y]
    parts = parts_beside(y, nest)
    assert parts is not None
    return [x for a, b in zip(found[1], parts, strict=True) for x in parts_at(a, b)]


def _by_leaf(nest: Any, y: Any, y_bar: Any) -> list[Any]:
    """Returns the cotangent at each leaf of the nest that the trace knows of a result."""
    found = children(nest)
    if found is None:
        return [_of_unknown(y, y_bar)]
    parts = parts_beside(y, nest)
    assert parts is not None
    return [g for a, b, c in zip(found[1], parts, _given(y_bar, nest), strict=True)
            for g in _by_leaf(a, b, c)]


def _of_unknown(y: Any, y_bar: Any) -> Any:
    """Returns the cotangent of a leaf, which may be a container that only the run knows."""
    found = children(y)
    if found is None:
        return _cotangents(y, y_bar)[0] if is_differentiable(y) else zero_of(
            y) if isinstance(y, (int, np.generic, np.ndarray)) else None
    if not isinstance(y, (list, tuple, dict)):
        raise NotDifferentiable(f"a gradient goes through an object of class "
                                f"{type(y).__name__!r} that only the run knows\n  hint: return the "
                                "arrays themselves, or lists and dicts of them")
    made = [_of_unknown(a, b) for a, b in zip(found[1], _given(y_bar, y), strict=True)]
    return dict(zip(y, made, strict=True)) if isinstance(y, dict) else made


def _named(x: Any) -> str:
    t = leaf_type(x)
    return f"a {type(x).__name__}" if t is None else in_words(t)


def _cotangents(y: Any, y_bar: Any) -> list[Any]:
    """Returns the cotangent of each leaf of a result."""
    found = children(y)
    if found is None:
        t, given = leaf_type(y), leaf_type(y_bar)
        if is_differentiable(y) and (given is None or _shape(t) != _shape(given)):
            raise NotDifferentiable(
                f"a cotangent is {_named(y_bar)}, and the result {in_words(t)}\n"
                "  hint: a cotangent has the shape of the result, as np.ones_like(y) has")
        number = isinstance(y, (float, complex)) and not isinstance(y, np.generic)
        symbolic = isinstance(y, Tensor) or isinstance(y_bar, Tensor)
        as_it_is = number or not is_differentiable(y) or symbolic
        return [y_bar if as_it_is else _cast(y, y_bar)]
    return [g for a, b in zip(found[1], _given(y_bar, y), strict=True)
            for g in _cotangents(a, b)]


def _given(y_bar: Any, y: Any) -> list[Any]:
    """Returns the cotangents that are given of the parts of a result."""
    found = parts_beside(y_bar, y)
    if found is None:
        raise NotDifferentiable("the cotangent has another structure than the result")
    return found


def _cast(y: Any, y_bar: Any) -> Any:
    made = np.asarray(y_bar, y.dtype)
    return made if isinstance(y, np.ndarray) else made[()]


def _shape(t: Any) -> Any:
    return t.shape if isinstance(t, ArrayType) else ()


def _traced_vjp(f: Fn, args: tuple[Any, ...], has_aux: bool) -> Any:
    from autograph.gradients.forward import read_converted
    args = tuple(checked_argument(f"argument {k}", x) for k, x in enumerate(args))
    recording = Recording(args)
    made = read_converted(f)(*recording.mark(args))
    y, aux = made if has_aux else (made, None)
    y = result_of(y)
    recording.finish()

    def pullback(y_bar: Any) -> Any:
        given: dict[Value, Any] = {}
        for leaf, g in zip(flatten(y), _cotangents(y, unstage(y_bar)), strict=True):
            if has_cotangent(leaf):
                value = as_tensor(leaf).read()
                given[value] = g if value not in given else given[value] + g
        found = iter(own([zeros_for(v) if g is None else g for v, g in zip(
            recording.sources, recording.pull_back(given, recording.sources), strict=True)]))
        return tuple(gradient_nest(x, lambda leaf: next(found)) for x in args)

    return (y, pullback, aux) if has_aux else (y, pullback)
