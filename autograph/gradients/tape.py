"""`ag.GradientTape`: gradients of what a block of a program computed, as of TensorFlow's tape."""

from __future__ import annotations

import sys
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograph.function.dispatcher import Dispatcher, choose_path
from autograph.gradients.pullback import Pair, pair_of, parts_at
from autograph.runtime.differentiate.cotangents import as_tensor
from autograph.runtime.differentiate.recording import (
    Recording,
    is_complex,
    is_differentiable,
    leaf_type,
    one_like,
    own,
)
from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.ir.errors import NotDifferentiable
from autograph.runtime.ir.exception_tables import lets_exceptions_pass
from autograph.runtime.ir.graph import Value
from autograph.runtime.ir.pytree import flatten, map_nest
from autograph.runtime.ops.kept_values import zero_of
from autograph.runtime.ops.state import Storage
from autograph.runtime.signatures.binding import Bound
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import Tensor
from autograph.runtime.symbolic.variables import Variable, read_all

USED_UP = ("A non-persistent GradientTape can only be used to compute one set of gradients (or "
           "jacobians)")


@dataclass
class _Node:
    """A call that a tape saw: the objects it took and gave, and what pulls cotangents back."""

    pair: Pair
    kept: tuple[Any, ...]
    sources: list[Any]
    results: list[Any]


class GradientTape:
    """Records what the block computes, and gives gradients of it.

    Inside a decorated function it sees everything. Outside, it sees the calls of decorated
    functions, as NumPy computes with plain arrays and nobody hears of it: a gradient of a result
    that came about in another way is refused.

    Args:
      persistent: if True, `gradient` may be called more than once.
      watch_accessed_variables: if True, variables are watched without being asked for; if False,
        only those given to `watch`.

    >>> import autograph as ag
    >>> v = ag.Variable(3.0)
    >>> @ag.function
    ... def f(x):
    ...     return v * x * x
    >>> with ag.GradientTape() as tape:
    ...     y = f(2.0)
    >>> tape.gradient(y, v)
    np.float64(4.0)
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._all_variables = watch_accessed_variables
        self._used = False
        self.reset()

    def reset(self) -> None:
        """Forgets what was recorded and watched."""
        self._watched: list[Any] = []
        self._values: dict[int, Value] = {}
        self._nodes: list[_Node] = []
        self._recording: Recording | None = None
        if trace.tracing():
            self._recording = Recording()

    def __enter__(self) -> GradientTape:
        if trace.tracing():
            self._recording = Recording()
            lets_exceptions_pass(sys._getframe(1))
        else:
            _active.tapes.append(self)
            _listen()
        return self

    def __exit__(self, *error: object) -> None:
        if self in _active.tapes:
            _active.tapes.remove(self)
            _listen()

    def watch(self, nest: Any) -> Any:
        """Notes that gradients by arrays, numbers or variables will be asked for.

        Args:
          nest: an array, a number, a variable, or a nest of them.

        Returns:
          The nest.
        """
        for x in [nest] if isinstance(nest, Variable) else flatten(nest):
            if not isinstance(x, Variable) and not is_differentiable(x):
                raise NotDifferentiable(f"a {type(x).__name__} is watched, which is no float")
            self._watched.append(x)
            if isinstance(x, Tensor):
                self._values[id(x)] = x.read()
        return nest

    def stop_recording(self) -> _Pause:
        """Returns a context in which nothing is recorded."""
        return _Pause(self)

    def watched_variables(self) -> tuple[Variable, ...]:
        """Returns the variables that were watched or, outside of functions, read by calls."""
        found = {id(x): x for x in self._watched if isinstance(x, Variable)}
        for node in self._nodes:
            for x in node.sources:
                if isinstance(x, Storage) and self._all_variables:
                    v = Variable.of_storage(x)
                    found.setdefault(id(v), v)
        return tuple(found.values())

    def gradient(self, target: Any, sources: Any, output_gradients: Any = None,
                 unconnected_gradients: str = "none") -> Any:
        """Returns the gradient of a target by the sources.

        Args:
          target: a result, or a nest of them, which are summed.
          sources: what was watched, or variables; or a nest of them.
          output_gradients: the cotangent of each target; ones if left out.
          unconnected_gradients: "none" for None where no target depends on a source, or "zero".

        Returns:
          A nest like that of the sources. For complex numbers, the conjugate of `ag.grad`'s.

        Raises:
          RuntimeError: the tape is not persistent, and was asked before.
          NotDifferentiable: the tape did not see how the target came about.
        """
        how = getattr(unconnected_gradients, "value", unconnected_gradients)
        if how not in ("none", "zero"):
            raise ValueError(f"unconnected_gradients is 'none' or 'zero', not {how!r}")
        if self._used and not self._persistent:
            raise RuntimeError(USED_UP)
        self._used = True
        targets = [target] if isinstance(target, Variable) else list(flatten(target))
        given = [None] * len(targets) if output_gradients is None else list(
            flatten(output_gradients))
        find = self._traced if self._recording is not None else self._pulled_back
        leaves = [sources] if isinstance(sources, Variable) else list(flatten(sources))
        found = iter(find(targets, given, leaves))

        def leaf(x: Any) -> Any:
            g = next(found)
            if g is None and how == "zero":
                return np.zeros_like(read_all(x))[()]
            return g if g is None or not is_complex_leaf(x) else np.conj(g)

        return leaf(sources) if isinstance(sources, Variable) else map_nest(leaf, sources)

    def jacobian(self, target: Any, sources: Any, unconnected_gradients: str = "none") -> Any:
        """Returns the derivatives of every element of a target by the sources.

        Args:
          target: an array or number.
          sources: what was watched, or variables; or a nest of them.
          unconnected_gradients: "none" or "zero", as for `gradient`.

        Returns:
          For a source of shape s and a target of shape t an array of shape t + s.
        """
        if self._used and not self._persistent:
            raise RuntimeError(USED_UP)
        shape = np.shape(target)
        rows = []
        for index in np.ndindex(*shape):
            seed = np.zeros(shape, np.result_type(target))
            seed[index] = 1
            self._used = False
            rows.append(self.gradient(target, sources, seed[()], unconnected_gradients))
        columns = list(zip(*(_leaves(r, sources) for r in rows), strict=True))
        made = iter([None if any(x is None for x in c) else np.reshape(
            np.stack([np.asarray(x) for x in c]), (*shape, *np.shape(c[0]))) for c in columns])
        if isinstance(sources, Variable):
            return next(made)
        return map_nest(lambda x: next(made), sources)

    # -- inside a trace ---------------------------------------------------------------------------

    def _traced(self, targets: list[Any], given: list[Any], sources: list[Any]) -> list[Any]:
        recording = self._recording
        assert recording is not None
        cotangents: dict[Value, Any] = {}
        for target, g in zip(targets, given, strict=True):
            y = as_tensor(read_all(target))
            value = y.read()
            made = one_like(y) if g is None else g
            cotangents[value] = made if value not in cotangents else cotangents[value] + made
        values = [self._value_of(x, recording) for x in sources]
        known = [v for v in dict.fromkeys(values) if v is not None]
        found = dict(zip(known, own(recording.pull_back(cotangents, known)), strict=True))
        return [None if v is None else found[v] for v in values]

    def _value_of(self, x: Any, recording: Recording) -> Value | None:
        if isinstance(x, Variable):
            if not (self._all_variables or any(w is x for w in self._watched)):
                return None
            if x._source is not None:
                return x._source.read()
            captured: Value = recording.region.trace.captures.value_of(x.storage, x.name)
            return captured
        return self._values.get(id(x)) if any(w is x for w in self._watched) else None

    # -- outside ----------------------------------------------------------------------------------

    def note(self, node: _Node) -> None:
        """Notes a call of a decorated function."""
        self._nodes.append(node)

    def _pulled_back(self, targets: list[Any], given: list[Any], sources: list[Any]) -> list[Any]:
        gs: dict[int, Any] = {}
        for target, g in zip(targets, given, strict=True):
            if not any(target is r for node in self._nodes for r in node.results) and not any(
                    target is s for s in sources):
                raise NotDifferentiable(
                    "the target was computed where the tape cannot look: it sees the calls of "
                    "decorated functions made in its block\n  hint: decorate the function that "
                    "computes it, or use ag.grad")
            _add(gs, target, np.ones_like(target)[()] if g is None else np.asarray(
                g, np.result_type(target))[()])
        for node in reversed(self._nodes):
            numbers = node.pair.targets
            found = [gs.pop(id(node.results[k]), None) for k in numbers]
            if all(g is None for g in found):
                continue
            wanted = [zero_of(y) if g is None else _boxed(y, g) for y, g in zip(
                (node.results[k] for k in numbers), found, strict=True)]
            made = node.pair.backward(*node.kept, *wanted)
            for x, g in zip(node.sources, made, strict=True):
                _add(gs, x, g)
        return [gs.get(id(x.storage if isinstance(x, Variable) else x))
                if self._wants(x) else None for x in sources]

    def _wants(self, x: Any) -> bool:
        return any(w is x for w in self._watched) or (
            isinstance(x, Variable) and self._all_variables)


def _boxed(like: Any, g: Any) -> Any:
    """Returns a cotangent as the array, NumPy scalar or Python number that the result is."""
    if isinstance(like, np.ndarray):
        return np.asarray(g, like.dtype)
    return type(like)(g)


def is_complex_leaf(x: Any) -> bool:
    t = leaf_type(read_all(x))
    return t is not None and is_complex(t)


def _leaves(nest: Any, sources: Any) -> list[Any]:
    return [nest] if isinstance(sources, Variable) else list(flatten(nest))


def _add(gs: dict[int, Any], x: Any, g: Any) -> None:
    gs[id(x)] = g if id(x) not in gs else gs[id(x)] + g


class _Pause:
    def __init__(self, tape: GradientTape) -> None:
        self.tape = tape

    def __enter__(self) -> None:
        if self.tape._recording is not None:
            raise NotDifferentiable("stop_recording is for tapes outside of functions\n"
                                    "  hint: ag.stop_gradient inside")
        _active.tapes.remove(self.tape)

    def __exit__(self, *error: object) -> None:
        _active.tapes.append(self.tape)


class _Active(threading.local):
    def __init__(self) -> None:
        self.tapes: list[GradientTape] = []


_active = _Active()
_lock = threading.Lock()


def _listen() -> None:
    """Has decorated functions tell the tapes of their calls, as long as there is a tape."""
    with _lock:
        if _active.tapes and Dispatcher.run_instead is None:
            Dispatcher.run_instead = staticmethod(_run)
        elif not _active.tapes and Dispatcher.run_instead is _run:
            Dispatcher.run_instead = None
        choose_path()


def _run(concrete: ConcreteFunction, bound: Bound) -> Any:
    """Runs a call, and tells the tapes of this thread."""
    if not _active.tapes:
        return concrete.call(bound)
    pair = pair_of(concrete)
    result, kept = pair.run(bound)
    sources = [x if isinstance(x, Storage) else bound.leaves[x].value for x in pair.sources]
    for tape in _active.tapes:
        tape.note(_Node(pair, kept, sources, parts_at(pair.result, result)))
    return result
