"""The derivative of one call of a function as a linear map: the transpose of its pullback.

The function has run once, and so the map knows its draws, and what it read of variables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, TypeVar, TypeVarTuple, Unpack

import numpy as np

from autograph.gradients.engine import Fn, find_trace, refuse_other_memory, untransformed
from autograph.gradients.forward import jvp
from autograph.gradients.pullback import Pair, each_its_own, pair_of, positions_of, runner
from autograph.gradients.tapes import TAPES
from autograph.runtime.differentiate.cotangents import cotangent_type, has_known_zero, zeros_for
from autograph.runtime.differentiate.recording import is_differentiable, leaf_type
from autograph.runtime.differentiate.reverse import pulled_back
from autograph.runtime.ir.errors import NotDifferentiable
from autograph.runtime.ir.graph import Graph, Value, atom_type
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.pytree import children, map_nest, parts_beside
from autograph.runtime.ir.types import ArrayType, has_memory, in_words
from autograph.runtime.ir.visitor import copied
from autograph.runtime.ops.kept_values import zero_of
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import Tensor, apply, lower
from autograph.traceback_filter import hiding_frames

R = TypeVar("R")
Ts = TypeVarTuple("Ts")


@hiding_frames
def linearize(f: Callable[[Unpack[Ts]], R], *args: *Ts) -> tuple[R, Callable[..., R]]:
    """Returns the value of f, and the function that maps directions to derivatives along them.

    The derivatives are those at the arguments as they are now, whatever becomes of them. f runs
    once, and its draws are those of its value. In a graph or under a tape, and if f writes to its
    arguments or has forward mode alone, it is computed again for each direction.

    Args:
      f: a function, decorated or not.
      args: the arguments.

    Returns:
      `(y, f_jvp)`: `f_jvp(*tangents)` gives the derivative of the result along the tangents.

    >>> y, f_jvp = linearize(lambda x: x * x, 3.0)
    >>> y, f_jvp(1.0), f_jvp(2.0)
    (9.0, 6.0, 12.0)
    """
    held = map_nest(_copy_of, args)
    if not (trace.tracing() or TAPES.active):
        found = linear_map(f, args)
        if found is not None:
            return found

    @hiding_frames
    def f_jvp(*tangents: Any) -> R:
        return jvp(f, map_nest(_copy_of, held), tangents)[1]

    return f(*args), f_jvp


def _copy_of(x: Any) -> Any:
    """Returns an array as another one, which f may write; anything else as it is."""
    return np.copy(x) if isinstance(x, np.ndarray) or (
        isinstance(x, Tensor) and has_memory(x.type)) else x


def linear_map(f: Fn, args: tuple[Any, ...]) -> tuple[Any, Callable[..., Any]] | None:
    """Runs a function; returns its value, and the derivative as a function of directions. None for
    a function that writes to what is outside of it, or whose pullback has no transpose: nothing has
    run then.
    """
    try:
        found, bound = find_trace(untransformed(f), each_its_own(f, args))
    except NotDifferentiable:
        return None
    refuse_other_memory(found, bound)
    program = found.program
    if program.write_back or program.refill or program.locations or program.by_reference:
        return None
    try:
        pair = pair_of(found)
        along = _transposed_of(pair)
    except NotDifferentiable:
        return None
    if along is None or pair.held or bound.stands:
        return None
    y, kept = pair.run(bound, f)
    positions = positions_of(bound, len(args))

    @hiding_frames
    def f_jvp(*tangents: Any) -> Any:
        given: dict[Any, Any] = {}
        for numbers, x, t in zip(positions, args, _one_each(tangents, args), strict=True):
            given.update(_tangents(numbers, x, t))
        made = along(*kept, *(given[k] if k in given else zero_of(
            bound.leaves[k].value if isinstance(k, int) else k.read()) for k in pair.sources))
        leaves = dict(zip(pair.targets, made, strict=True))
        numbers = count()
        return map_nest(lambda leaf: leaves.get(next(numbers)), pair.result)

    return y, f_jvp


def _one_each(tangents: tuple[Any, ...], args: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(tangents) != len(args):
        raise NotDifferentiable(
            f"the function has {len(args)} argument{'s' * (len(args) != 1)}, and there are "
            f"{len(tangents)} directions\n  hint: give one for each, np.zeros_like(x) for one that "
            "stays as it is")
    return tangents


def _tangents(numbers: Any, x: Any, t: Any) -> Iterator[tuple[int, Any]]:
    """Yields the number of each leaf of an argument that moves, and its tangent."""
    found = children(x)
    if t is None:
        return
    if found is None:
        if is_differentiable(x):
            yield numbers.number, _fitting(x, t)
        return
    parts, leaves = parts_beside(t, x), parts_beside(numbers, x)
    if parts is None or leaves is None:
        raise NotDifferentiable("the tangents have another structure than the arguments")
    for number, a, b in zip(leaves, found[1], parts, strict=True):
        yield from _tangents(number, a, b)


def _fitting(x: Any, t: Any) -> Any:
    like, given = leaf_type(x), leaf_type(t)
    if given is None or np.shape(t) != np.shape(x):
        named = f"a {type(t).__name__}" if given is None else in_words(given)
        raise NotDifferentiable(
            f"a tangent is {named}, and its argument {in_words(like)}\n"
            "  hint: a tangent has the shape of its argument, as np.ones_like(x) has")
    if not isinstance(like, ArrayType) or np.iscomplexobj(t):
        return t
    made = np.asarray(t, like.dtype)
    return made if isinstance(x, np.ndarray) else made[()]


def _transposed_of(pair: Pair) -> Callable[..., Any] | None:
    """Returns the transpose of a backward half, which is linear: it runs on the values kept and the
    tangents of the sources, and gives those of the results. None if it needs what only the run
    knows."""
    if pair.along is None:
        pair.along = _transpose(pair.pullback, len(pair.targets)) or False
    return pair.along or None


def _transpose(backward: Graph, results: int) -> Callable[..., Any] | None:
    first = len(backward.inputs) - results
    kept, stands = backward.inputs[:first], backward.inputs[first:]
    outputs = [x for x in backward.outputs if isinstance(x, Value)]
    if not all(has_known_zero(v.type) for v in (*stands, *outputs)):
        return None
    run = trace.Trace("f_jvp")
    with trace.start(run) as region:
        zeros = [apply("differentiable", zeros_for(v)) for v in stands]
        inside = {v: Value(v.type, v.hint) for v in kept}
        tangents = [Value(cotangent_type(v) if isinstance(v, Value) else atom_type(v), "t")
                    for v in backward.outputs]
        start = len(region.graph.equations)
        equations, made = copied(backward, {
            **inside, **{v: z.read() for v, z in zip(stands, zeros, strict=True)}})
        region.graph.equations += equations
        targets: dict[Value, Any] = {}
        for x, t in zip(made, tangents, strict=True):
            if isinstance(x, Value):
                targets[x] = Tensor(t) if x not in targets else targets[x] + Tensor(t)
        found = pulled_back(region.graph, start, targets, [z.read() for z in zeros])
        given = [zeros_for(v) if g is None else g for v, g in zip(stands, found, strict=True)]
        graph = Graph("f_jvp", (*inside.values(), *tangents), region.graph.equations,
                      tuple(map(lower, given)))
    graph.captures = {**backward.captures, **dict(run.captures.values.values())}
    return runner(Program(graph, tuple(graph.outputs)), "f_jvp")
