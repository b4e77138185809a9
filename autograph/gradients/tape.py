"""`ag.GradientTape`: gradients of what a block of a program computed, as of TensorFlow's tape."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from operator import is_
from typing import Any

import numpy as np

from autograph.gradients.given_cotangents import filled, flat_beside
from autograph.gradients.listening import listen
from autograph.gradients.pullback import Around
from autograph.gradients.taped import (
    TapedArray,
    noted,
    plain,
    plain_nest,
    reason_of_change,
    refuse_untold,
    taped,
    token_of,
    watched,
)
from autograph.gradients.taped_memory import AFTERWARDS
from autograph.gradients.tapes import TAPES, Node
from autograph.runtime.differentiate.cotangents import as_tensor
from autograph.runtime.differentiate.recording import (
    NO_DERIVATIVE,
    Recording,
    is_complex,
    is_differentiable,
    leaf_type,
    one_like,
    own,
)
from autograph.runtime.heap.growing_lists import unstage
from autograph.runtime.ir.errors import NotDifferentiable
from autograph.runtime.ir.exception_tables import lets_exceptions_pass
from autograph.runtime.ir.graph import Value
from autograph.runtime.ir.pytree import children, flatten, map_nest
from autograph.runtime.ir.types import DYNAMIC
from autograph.runtime.ops.state import Storage
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import Tensor, apply
from autograph.runtime.symbolic.variables import Variable, read_all
from autograph.suggestions import of_class
from autograph.traceback_filter import hiding_methods

USED_UP = ("A non-persistent GradientTape can only be used to compute one set of gradients (or "
           "jacobians)\n  hint: GradientTape(persistent=True) computes several")


@hiding_methods
class GradientTape:
    """Records what the block computes, and gives gradients of it.

    Inside a decorated function it sees everything. Outside, it sees calls of decorated functions
    and of loaded ones, and what is computed from variables, from results of such calls, and from
    the arrays that `watch` returns: `x = tape.watch(x)`. NumPy computes with plain arrays and
    nobody hears of it: a gradient of a result that came about in another way is refused, and what
    the tape follows does not become a plain array or number in the block (`np.array([x[0]])`,
    `math.sin(x)`).

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
        self._tokens: dict[int, Any] = {}  # of what is watched, by its id
        self._nodes: list[Node] = []
        self._at_start = dict(TAPES.versions)
        self._at_end: dict[Storage, Any] | None = None  # while the block runs
        self._recording: Recording | None = None
        self._entered = False  # in a trace
        if trace.tracing():
            self._recording = Recording(())

    def __enter__(self) -> GradientTape:
        if trace.tracing():
            self._begin()
            lets_exceptions_pass(sys._getframe(1))
        else:
            self._at_start = dict(TAPES.versions)
            self._at_end = None
            TAPES.active.append(self)
            listen(1)
        return self

    def _begin(self) -> None:
        """Begins to record in a trace; goes on if a block of this tape was there before."""
        earlier, self._entered = self._recording if self._entered else None, True
        if earlier is None or not earlier.is_around():
            self._recording = Recording(())
        else:
            earlier.resume()

    def __exit__(self, *error: object) -> None:
        if self._recording is not None:
            self._recording.pause()
        if self in TAPES.active:
            TAPES.active.remove(self)
            self._at_end = dict(TAPES.versions)
            listen(-1)

    def watch(self, nest: Any) -> Any:
        """Notes that gradients by arrays, numbers or variables will be asked for.

        Args:
          nest: an array, a number, a variable, or a nest of them.

        Returns:
          The nest; outside of decorated functions with arrays, on the same memory, that tell the
          tape what is computed from them.

        >>> import numpy as np
        >>> with GradientTape() as tape:
        ...     x = tape.watch(np.array([1.0, 2.0]))
        ...     y = np.sum(x * x)
        >>> tape.gradient(y, x)
        array([2., 4.])
        """
        if isinstance(nest, Variable):
            return self._watch(nest)
        made = map_nest(self._watch, unstage(nest))
        return nest if all(map(is_, flatten(made), flatten(unstage(nest)))) else made

    def _watch(self, x: Any) -> Any:
        if not is_differentiable(x):
            raise NotDifferentiable(NO_DERIVATIVE.format("what is watched", _kind_of(x)))
        made = x
        if self._recording is not None and not isinstance(x, (Tensor, Variable)):
            made = apply("differentiable", x)  # a constant of the trace
        elif not isinstance(x, (Tensor, Variable, TapedArray)):
            made = taped(x, x if isinstance(x, np.ndarray) else None)  # a number is no object
        if isinstance(made, Tensor):
            self._values[id(made)] = made.read()
        if isinstance(made, TapedArray):
            watched(made)
            self._tokens[id(made)] = token_of(made)
        self._watched += [x] if made is x else [x, made]
        return made

    def stop_recording(self) -> _Pause:
        """Returns a context in which nothing is recorded."""
        return _Pause(self)

    def watched_variables(self) -> tuple[Variable, ...]:
        """Returns the variables that were watched or, outside of functions, read by calls."""
        found = {id(x): x for x in self._watched if isinstance(x, Variable)}
        for node in self._nodes:
            for x in node.sources:
                if isinstance(x, Storage) and self._watches(v := Variable.of_storage(x)):
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
        target, sources, output_gradients = map(unstage, (target, sources, output_gradients))
        how = getattr(unconnected_gradients, "value", unconnected_gradients)
        if how not in ("none", "zero"):
            raise ValueError(f"unconnected_gradients is 'none' or 'zero', not {how!r}")
        if self._used and not self._persistent:
            raise RuntimeError(USED_UP)
        self._used = True
        if self._recording is None and trace.tracing():
            raise NotDifferentiable("a tape that began outside is asked inside of a function\n"
                                    "  hint: ask it outside, or begin it inside")
        targets = [target] if isinstance(target, Variable) else list(flatten(target))
        given = [None] * len(targets) if output_gradients is None else flat_beside(
            output_gradients, target)
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
        shape, sources = np.shape(plain(target)), unstage(sources)
        rows = self._rows(target, sources, np.ndindex(*shape), unconnected_gradients)
        columns = list(zip(*(_leaves(r, sources) for r in rows), strict=True))
        made = iter([None if any(x is None for x in c) else np.reshape(
            np.stack(c), (*shape, *np.shape(c[0]))) for c in columns])
        if isinstance(sources, Variable):
            return next(made)
        return map_nest(lambda x: next(made), sources)

    def batch_jacobian(self, target: Any, source: Any, unconnected_gradients: str = "none") -> Any:
        """Returns, for each element of a batch, the derivatives of a target by a source.

        Element k of the target depends on element k of the source alone: the others are taken for
        constants.

        Args:
          target: an array of shape (n, …t).
          source: what was watched, of shape (n, …s).
          unconnected_gradients: "none" or "zero", as for `gradient`.

        Returns:
          An array of shape (n, …t, …s).

        Raises:
          ValueError: the first dimensions differ, or there is none.

        >>> import numpy as np
        >>> with GradientTape() as tape:
        ...     x = tape.watch(np.array([[1.0, 2.0], [3.0, 4.0]]))
        ...     y = x * x
        >>> tape.batch_jacobian(y, x)[1]
        array([[6., 0.],
               [0., 8.]])
        """
        shape, other = np.shape(plain(target)), np.shape(plain(source))
        if not shape or shape[:1] != other[:1]:
            raise ValueError(f"the target has shape {shape} and the source {other}: the first "
                             "dimension of both is that of the batch")
        rows = self._rows(target, source, ((slice(None), *index) for index in np.ndindex(
            *shape[1:])), unconnected_gradients)
        if any(row is None for row in rows):
            return None
        return np.reshape(np.stack(rows, 1), (*shape, *other[1:])) if rows else np.zeros(
            (*shape, *other[1:]))

    def _rows(self, target: Any, sources: Any, indices: Iterable[Any], how: str) -> list[Any]:
        """Returns the gradients of the elements of a target at some indices."""
        if self._used and not self._persistent:
            raise RuntimeError(USED_UP)
        rows = []
        for index in indices:
            seed = np.zeros(np.shape(plain(target)), np.result_type(plain(target)))
            seed[index] = 1
            self._used = False
            rows.append(self.gradient(target, sources, seed[()], how))
        return rows

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
            if not self._watches(x):
                return None
            if x._source is not None:
                return x._source.read()
            found = recording.region.trace
            captured = found.captures.known(x.storage)
            return captured if captured in found.variable_types else None  # else it was not read
        if not any(w is x for w in self._watched):
            if leaf_type(x) == DYNAMIC:
                raise NotDifferentiable("a source is a list, or an object, of which only the run "
                                        "knows what is in it")
            value = x.read() if isinstance(x, Tensor) else None
            known = value is not None and recording.depends(value, self._values.values())
            return value if known else None
        if not isinstance(x, Tensor):
            raise NotDifferentiable(
                f"the source is {of_class(x)} that the trace takes for a constant\n"
                "  hint: write x = tape.watch(x)")
        return self._values[id(x)]

    def _watches(self, variable: Variable) -> bool:
        """Returns True if gradients by a variable are given: it is trainable, or watched."""
        return (self._all_variables and variable.trainable) or any(
            w is variable for w in self._watched)

    # -- outside ----------------------------------------------------------------------------------

    def note(self, node: Node) -> None:
        """Notes a call of a decorated function."""
        self._nodes.append(node)

    def follows(self, token: Any) -> bool:
        """Returns True if a value is watched, or was computed in the block."""
        if isinstance(token, Storage):
            return self._watches(Variable.of_storage(token))
        return any(x is token for node in self._nodes for x in node.tokens) or any(
            x is token for x in (*self._watched, *self._tokens.values()))

    def _pulled_back(self, targets: list[Any], given: list[Any], sources: list[Any]) -> list[Any]:
        known = {id(x): x for node in self._nodes for x in (*node.tokens, *node.sources)}
        wanted = [self._token_of(x) for x in sources]
        refuse_untold(wanted)
        known.update((id(x), x) for x in wanted)
        gs: dict[int, Any] = {}
        for target, g in zip(targets, given, strict=True):
            token = self._token_of_target(target)
            refuse_untold([token])
            if id(token) in known:
                _add(gs, token, np.ones_like(plain(target))[()] if g is None else g)
            elif not isinstance(target, (TapedArray, Variable)):
                refuse_integers(sources)
                raise NotDifferentiable(
                    "the target was computed where the tape cannot look: it sees the calls of "
                    "decorated functions made in its block, and what is computed from variables "
                    "and from what `watch` returns\n  hint: write x = tape.watch(x), decorate the "
                    "function that computes it, or use ag.grad")
        final: dict[int, Any] = {}
        for node in reversed(self._nodes):
            final.update((id(x), gs[id(x)]) for x in node.tokens if id(x) in gs)
            for x, g in zip(node.sources, pulled_through(node, gs), strict=False):
                _add(gs, x, g)
        final.update(gs)
        refuse_untold(token for k in gs if (token := known[k]) is not AFTERWARDS)
        return [_released(final.get(id(token)), token) if self._wants(x) else None
                for x, token in zip(sources, wanted, strict=True)]

    def _token_of(self, x: Any) -> Any:
        if isinstance(x, Variable):  # by what it held when the tape began
            return self._at_start.get(x.storage, x.storage)
        if id(x) in self._tokens:  # by what it held when it was watched
            return self._tokens[id(x)]
        if not isinstance(x, np.ndarray) and any(w is x for w in self._watched):
            raise NotDifferentiable(f"the source is the number {x}, which may be anywhere in the "
                                    "program\n  hint: write x = tape.watch(x)")
        return token_of(x)

    def _token_of_target(self, x: Any) -> Any:
        if isinstance(x, Variable) and self._at_end is not None:  # by what it held in the end
            return self._at_end.get(x.storage, x.storage)
        return token_of(x)

    def _wants(self, x: Any) -> bool:
        return any(w is x for w in self._watched) or isinstance(x, TapedArray) or (
            isinstance(x, Variable) and self._watches(x))


def _kind_of(x: Any) -> str:
    dtype = getattr(x, "dtype", None)
    return f"of class {type(x).__name__}" if dtype is None else f"an array of {dtype}"


def refuse_integers(sources: Sequence[Any]) -> None:
    """Refuses sources by which there is no derivative, whatever the target is."""
    for x in sources:
        if not is_differentiable(x):
            name = f"the variable {x.name!r}" if isinstance(x, Variable) else "a source"
            raise NotDifferentiable(NO_DERIVATIVE.format(name, _kind_of(x)))


def pulled_through(node: Node, gs: dict[int, Any]) -> Any:
    """Returns the cotangents of what a call was given; removes those of its results."""
    found = [[gs.pop(id(token), None) for token in tokens] for tokens in node.results]
    if all(g is None for part in found for g in part):
        return ()
    wanted = [filled(y, iter(part)) for y, part in zip(node.like, found, strict=True)]
    if not TAPES.active:
        return node.pair.backward(*node.kept, *map(plain_nest, wanted))
    refuse_assigned(node)
    refuse_untold(map(reason_of_change, node.leaves))
    leaves = [Variable.of_storage(x) if isinstance(x, Storage) else x for x in node.leaves]
    return noted(_backward_of(node), [*leaves, *wanted])  # for second derivatives


def refuse_assigned(node: Node) -> None:
    """Refuses to compute a call again after a variable that it read was assigned."""
    for x, token in zip(node.pair.sources, node.sources, strict=True):
        storage = node.leaves[x] if type(x) is int else x
        if isinstance(storage, Storage) and token_of(storage) is not token:
            raise NotDifferentiable(
                f"a gradient is asked in the block of a tape, after {storage} was assigned, which "
                "the target was computed from\n  hint: assign it afterwards, ask for the gradient "
                "behind the block, or decorate a function around the block")


def _backward_of(node: Node) -> Any:
    """Returns a function of what a call was given and of cotangents, which tapes can record."""
    made = node.pair.__dict__.get("_backward_function")
    if made is not None:
        return made
    count, call, pair = len(node.leaves), node.call, node.pair
    if any(children(x) is not None for x in node.like):
        raise NotDifferentiable(
            f"a gradient is asked in the block of a tape, and {pair.name} returned a list or dict "
            "that only the run knows\n  hint: ask for it behind the block, return np.stack of the "
            "list, or decorate a function around the block")
    if any(isinstance(x, Around) for x in pair.sources):
        raise NotDifferentiable(
            f"a second derivative of {pair.name} by an array under a tape that it takes from "
            "around it\n  hint: pass the array as an argument")

    def backward(*values: Any) -> Any:
        xs = values[:count]
        with GradientTape() as tape:
            for x in xs:
                if is_differentiable(x):
                    tape.watch(x)
            y = list(flatten(call(*xs)))
            return tuple(tape.gradient(
                [y[k] for k in pair.targets],
                [Variable.of_storage(x) if isinstance(x, Storage) else xs[x]
                 for x in pair.sources], list(values[count:]), "zero"))

    node.pair.__dict__["_backward_function"] = backward
    return backward


def _released(g: Any, token: Any) -> Any:
    """Returns a gradient for the user: a plain array or number, unless another tape records."""
    if TAPES.active or g is None:
        return g
    return plain(g) if isinstance(token, np.ndarray) else np.asarray(plain(g))[()]


def is_complex_leaf(x: Any) -> bool:
    t = leaf_type(read_all(x))
    return t is not None and is_complex(t)


def _leaves(nest: Any, sources: Any) -> list[Any]:
    return [nest] if isinstance(sources, Variable) else list(flatten(nest))


def _add(gs: dict[int, Any], x: Any, g: Any) -> None:
    gs[id(x)] = g if id(x) not in gs else gs[id(x)] + g


class _Pause:
    def __init__(self, tape: GradientTape) -> None:
        self.tape, self.recording = tape, tape._recording

    def __enter__(self) -> None:
        if self.recording is not None:
            self.recording.pause()
        else:
            TAPES.active.remove(self.tape)
            TAPES.paused.append(self.tape)

    def __exit__(self, *error: object) -> None:
        if self.recording is not None:
            self.recording.resume()
        else:
            TAPES.active.append(self.tape)
            TAPES.paused.remove(self.tape)
