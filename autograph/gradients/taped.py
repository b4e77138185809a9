"""Arrays under a tape, outside of decorated functions: NumPy's functions of them are recorded.

A plain array computes in C, and nobody hears of it. A `TapedArray` is an array that tells: each
function that it is given to runs as the forward half of a trace of that function alone, which is
cached, and a node remembers what pulls cotangents back through it.

Nodes refer to values by tokens, as an array that is written into is another value from then on.
"""

from __future__ import annotations

import operator
import weakref
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from autograph.gradients.engine import find_trace, untransformed
from autograph.gradients.pullback import STANDS, Around, pair_of, parts_at
from autograph.gradients.taped_memory import (
    AFTERWARDS,
    MEMORY,
    THROUGH_A_VIEW,
    memory_of,
    owner_of,
)
from autograph.gradients.tapes import TAPES, Node, Untold
from autograph.runtime.differentiate.recording import is_differentiable
from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.ir.errors import NotDifferentiable
from autograph.runtime.ir.pytree import all_leaves, children, flatten, is_leaf, map_nest, map_until
from autograph.runtime.ir.stand_ins import STAND_INS, UNDOERS
from autograph.runtime.ops.derivatives import setitem
from autograph.runtime.ops.state import Storage
from autograph.runtime.signatures.binding import Bound
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import LOWERED, Tensor
from autograph.runtime.symbolic.variables import Variable, read_all
from autograph.runtime.tensor_methods.ndarray import (
    AS_IT_IS,
    CHANGING,
    IN_PLACE,
    METHODS,
    WITH_EFFECT,
)


@is_leaf
class TapedArray(NDArrayOperatorsMixin):
    """An array whose functions the active tapes of this thread record; see `GradientTape.watch`.

    It is no array of NumPy's, as C reads those and nobody hears of it: `np.array` of a list, a
    store into a plain array and `math.sin` ask this class, which refuses them in a tape's block.
    """

    __slots__ = ("__weakref__", "array", "parent", "token", "writes")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, array: Any, token: Any) -> None:
        self.array = array
        self.token = token
        self.writes = memory_of(array).writes
        self.parent: tuple[TapedArray, Any] | None = None  # what it is a piece of, and which

    @property
    def __class__(self) -> Any:
        """The class that `isinstance` sees."""
        return np.ndarray

    @__class__.setter
    def __class__(self, new: Any) -> None:
        raise TypeError("the class of an array under a tape does not change")

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, out: Any = (), **kwargs: Any
                        ) -> Any:
        call = ufunc if method == "__call__" else getattr(ufunc, method)
        if method == "at":
            return written(args[0], recorded(_changed, (args[0], call, *args[1:]), {}))
        made = recorded(call, args, kwargs)
        if not out:
            return made
        results = made if isinstance(made, tuple) else (made,)
        for target, x in zip(out, results, strict=True):
            if target is not None:
                written(target, x)
        return out[0] if len(out) == 1 else out

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func in CHANGING or func is np.copyto:
            written(args[0], recorded(_changed, (args[0], func, *args[1:]), kwargs))
            return None
        target = kwargs.pop("out", None)
        made = recorded(func, args, kwargs)
        return made if target is None else written(target, made)

    @property
    def base(self) -> Any:
        if not trace.tracing():
            stay_on_tape(self)
        return self.array

    shape = property(operator.attrgetter("array.shape"))
    dtype = property(operator.attrgetter("array.dtype"))
    ndim = property(operator.attrgetter("array.ndim"))
    size = property(operator.attrgetter("array.size"))
    itemsize = property(operator.attrgetter("array.itemsize"))
    nbytes = property(operator.attrgetter("array.nbytes"))
    strides = property(operator.attrgetter("array.strides"))
    flags = property(operator.attrgetter("array.flags"))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        stay_on_tape(self)
        return np.array(self.array, dtype, copy=copy)

    def __float__(self) -> float:
        stay_on_tape(self)
        return float(self.array)

    def __complex__(self) -> complex:
        stay_on_tape(self)
        return complex(self.array)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        stay_on_tape(self)
        return getattr(plain(self), name)

    def __pow__(self, other: Any) -> Any:
        return recorded(operator.pow, (self, other), {})

    def __getitem__(self, index: Any) -> Any:
        made = recorded(operator.getitem, (self, index), {})
        if isinstance(made, TapedArray) and made.array.base is not None and np.may_share_memory(
                self.array, made.array):
            made.parent = self, index
        return made

    def __setitem__(self, index: Any, value: Any) -> None:
        written(self, recorded(setitem, (self, index, value), {}))

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return repr(self.array).replace("array", "TapedArray", 1)

    def __reduce__(self) -> Any:
        stay_on_tape(self)
        return self.array.__reduce__()


def _method(name: str) -> Callable[..., Any]:
    def call(x: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(x, name)(*args, **kwargs)

    return lambda self, *args, **kwargs: recorded(call, (self, *args), kwargs)


def _changing(name: str) -> Callable[..., Any]:
    def call(x: Any, *args: Any, **kwargs: Any) -> Any:
        getattr(x, name)(*args, **kwargs)

    def method(self: TapedArray, *args: Any, **kwargs: Any) -> None:
        written(self, recorded(_changed, (self, call, *args), kwargs))

    return method


for _name in METHODS:
    if not _name.startswith("_") and _name not in (*AS_IT_IS, *WITH_EFFECT) and callable(
            getattr(np.ndarray, _name, None)):
        setattr(TapedArray, _name, _changing(_name) if _name in IN_PLACE else _method(_name))


def _attribute(name: str) -> property:
    get = operator.attrgetter(name)
    return property(lambda self: recorded(get, (self,), {}))


TapedArray.T, TapedArray.mT = _attribute("T"), _attribute("mT")  # type: ignore[attr-defined]
TapedArray.real = _attribute("real")  # type: ignore[attr-defined]
TapedArray.imag = _attribute("imag")  # type: ignore[attr-defined]


def _as_array(name: str) -> Callable[..., Any]:
    return lambda self, *args: getattr(self.array, name)(*args)


for _name in ("__bool__", "__int__", "__index__", "__len__", "__str__", "__format__"):
    setattr(TapedArray, _name, _as_array(_name))
for _name in ("__copy__", "__deepcopy__"):
    setattr(TapedArray, _name, _method(_name))


def _changed(x: Any, change: Any, *args: Any, **kwargs: Any) -> Any:
    """Returns a copy of an array that a function has changed."""
    made = x.copy()
    change(made, *args, **kwargs)
    return made


# -- values and their tokens ----------------------------------------------------------------------


def plain(x: Any) -> Any:
    """Returns an array as NumPy's own, on the same memory; anything else as it is."""
    return x.array.view() if isinstance(x, TapedArray) else x


def plain_nest(nest: Any) -> Any:
    """Returns a nest with plain arrays, a number as a NumPy scalar."""
    def leaf(x: Any) -> Any:
        return plain(x) if isinstance(x, TapedArray) else x

    return map_until(leaf, nest, lambda x: isinstance(x, TapedArray))


def written_elsewhere(x: Any, reason: Untold) -> None:
    """Notes that the memory of an array was written, and no tape followed what."""
    found = MEMORY.get(id(owner_of(x)))
    if found is not None:
        found.write(reason if TAPES.any_open() else AFTERWARDS)


def taped(x: Any, token: Any = None) -> TapedArray:
    """Returns an array or number as an array that tells tapes; the token is a new one if there is
    none."""
    return TapedArray(np.asarray(plain(x)), object() if token is None else token)


def stay_on_tape(x: TapedArray) -> None:
    """Refuses to give a value that an active tape follows to what the tape does not hear of."""
    token = token_of(x)
    if TAPES.active and token is not AFTERWARDS:
        refuse_untold([token])
    if any(tape.follows(token) for tape in TAPES.active):
        raise NotDifferentiable(
            "a value that a tape follows becomes a plain array or number, which it cannot follow\n"
            "  hint: np.stack(…) in place of np.array(…), x.item() of float(x), np.sin of math.sin;"
            " store into y = tape.watch(np.zeros(3)); decorate the function; or, where no gradient "
            "needs the value, write it in `with tape.stop_recording():` or after the block")


def token_of(x: Any) -> Any:
    """Returns the token of a value: itself, if it is not taped."""
    if isinstance(x, Variable):
        x = x.storage
    if isinstance(x, Storage):
        return TAPES.versions.get(x, x)
    if not isinstance(x, TapedArray):
        return x
    memory = memory_of(x.array)
    return x.token if memory.writes == x.writes else memory.reason


def reason_of_change(x: Any) -> Any:
    """Returns the token of an array that was written since it was noted; None for others."""
    changed = isinstance(x, TapedArray) and memory_of(x.array).writes != x.writes
    return token_of(x) if changed else None


def written(target: Any, made: Any) -> Any:
    """Stores a result in an array, which is another value from then on; returns the array."""
    if isinstance(made, TapedArray) and not isinstance(target, TapedArray):
        stay_on_tape(made)
    memory_of(plain(target)).leave()
    np.copyto(plain(target), plain(made), casting="same_kind")
    if not isinstance(target, TapedArray) or not TAPES.any_open():
        written_elsewhere(plain(target), THROUGH_A_VIEW)
        return target
    target.token = _token_after(target, made)
    changed = [target, *_stored_in_parents(target)]
    now = memory_of(target.array).write(THROUGH_A_VIEW)
    for x in changed:
        x.writes = now
    return target


def _token_after(target: TapedArray, made: Any) -> Any:
    """Returns the token of an array in which a result was stored."""
    if not TAPES.active and any(tape.follows(target.token) for tape in TAPES.paused):
        return Untold("an array that a tape follows was changed while it did not record\n"
                      "  hint: change a copy")
    same = isinstance(made, TapedArray) and made.dtype == target.dtype and (
        made.shape == target.shape)
    return made.token if same else Untold(
        "a result of another dtype or shape was stored in an array\n  hint: convert it with "
        "astype, or decorate the function")


def watched(x: TapedArray) -> None:
    """Begins with an array that was changed after the block of its tape as with a new one."""
    if token_of(x) is AFTERWARDS:
        x.token, x.writes, x.parent = object(), memory_of(x.array).writes, None


def _stored_in_parents(x: TapedArray) -> list[TapedArray]:
    """Notes that an array was written through a piece of it; returns the arrays."""
    if x.parent is None:
        return []
    parent, index = x.parent
    made = recorded(setitem, (parent, index, x), {})
    parent.token = _token_after(parent, made)
    return [parent, *_stored_in_parents(parent)]


# -- recording ------------------------------------------------------------------------------------

IN_A_TRACE = ("a function that is traced computes with an array under a tape that it takes from "
              "around it\n  hint: pass the array as an argument")
_calls: dict[Any, tuple[Callable[..., Any], Any]] = {}
MAX_CALLS = 1024


def recorded(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Runs a function of NumPy; the active tapes record it."""
    if trace.tracing() and any(isinstance(x, Tensor) for x in all_leaves((args, kwargs))):
        return func(*_captured_nest(args), **_captured_nest(kwargs))
    if not TAPES.active or trace.tracing():
        made = func(*plain_nest(read_all(args)), **plain_nest(read_all(kwargs)))
        return tapes_of(made, Untold(IN_A_TRACE) if TAPES.active else None) if (
            TAPES.active or TAPES.paused) else made
    args, kwargs = read_all(args), read_all(kwargs)
    leaves: list[Any] = []

    def leaf(x: Any) -> Any:
        if not isinstance(x, (np.ndarray, float, complex, np.inexact)) or isinstance(x, bool):
            return x
        if not any(x is y for y in leaves):
            leaves.append(x)
        return _Position(next(k for k, y in enumerate(leaves) if x is y))

    skeleton = map_until(leaf, (args, kwargs), lambda x: isinstance(x, np.ndarray))
    key = func, repr(skeleton)
    found = _calls.get(key)
    if found is None:
        if len(_calls) >= MAX_CALLS:
            _calls.clear()
        found = _calls[key] = _function_of(func, skeleton), skeleton
    try:
        return noted(found[0], leaves)
    except Exception as error:  # it cannot be traced, or has no derivative; or raises, as here:
        made = func(*plain_nest(args), **plain_nest(kwargs))
        return tapes_of(made, Untold(str(error)))


def in_trace(x: TapedArray) -> Tensor:
    """Returns the symbolic array of the current trace for an array under a tape: a capture."""
    here = trace.current_region()
    assert here is not None
    captures = here.trace.captures
    if id(x) in captures.values:
        return Tensor(captures.values[id(x)][0])
    stand = plain(x)
    STANDS[id(stand)] = x
    weakref.finalize(stand, STANDS.pop, id(stand), None)
    value = captures.value_of(stand)
    captures.values[id(x)] = value, stand
    return Tensor(value)


LOWERED[TapedArray] = in_trace
STAND_INS[TapedArray] = plain


def _undoer(x: TapedArray) -> Callable[[], None]:
    memory = memory_of(x.array)
    held = x.token, x.writes, x.parent
    then = memory.writes, memory.reason

    def undo() -> None:
        x.token, x.writes, x.parent = held
        memory.writes, memory.reason = then

    return undo


UNDOERS[TapedArray] = _undoer


def _captured_nest(nest: Any) -> Any:
    return map_until(lambda x: in_trace(x) if isinstance(x, TapedArray) else x, nest,
                     lambda x: isinstance(x, TapedArray))


def tapes_of(nest: Any, token: Any) -> Any:
    """Returns a nest of results with taped arrays in place of its floats."""
    return map_nest(lambda x: taped(x, token) if _is_value(x) else x, nest)


class _Position:
    """Where a leaf stands among the arguments of a call."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __repr__(self) -> str:
        return f"<{self.number}>"


def _function_of(func: Callable[..., Any], skeleton: Any) -> Callable[..., Any]:
    def call(*leaves: Any) -> Any:
        args, kwargs = map_nest(lambda x: leaves[x.number] if isinstance(x, _Position) else x,
                                skeleton)
        return func(*args, **kwargs)

    call.__name__ = getattr(func, "__name__", "call")
    return call


def noted(call: Callable[..., Any], leaves: list[Any]) -> Any:
    """Calls a function of arrays and numbers, which the active tapes record."""
    concrete, bound = find_trace(untransformed(call, True), tuple(leaves))
    return run_pair(concrete, bound, call, leaves)


def run_pair(concrete: ConcreteFunction, bound: Bound, call: Callable[..., Any],
             leaves: list[Any]) -> Any:
    """Runs the forward half of a trace, and notes it; returns the result as taped arrays."""
    pair = pair_of(concrete)
    result, kept = pair.run(bound, call)
    if not pair.targets:
        return result
    given = given_to(bound)
    sources = [token_of(given[x] if type(x) is int else x.array if isinstance(x, Around) else x)
               for x in pair.sources]
    made = tapes_of(result, None)
    parts = parts_at(pair.result, made)
    targets = [parts[k] for k in pair.targets]
    TAPES.note(Node(pair, kept, call, list(map(as_given, leaves)), sources,
                    [list(map(token_of, flatten(part))) for part in targets],
                    [plain_nest(part) for part in targets]))
    for storage in written_variables(concrete):
        TAPES.versions[storage] = Untold(
            "a variable was written by a decorated function, and read again outside\n  hint: "
            "return the value, or put both into one function")
    return made


def as_given(x: Any) -> Any:
    """Returns what a call was given so that it stays what it is, though the user's array may be
    written: one under a tape has memory of its own from then on, another one is copied."""
    if isinstance(x, TapedArray):
        made = TapedArray(x.array, token_of(x))
        memory_of(x.array).note(made)
        return made
    if type(x) is not np.ndarray or not x.flags.writeable:
        return x
    return TapedArray(x.copy(), x) if _is_value(x) else x.copy()


def given_to(bound: Bound) -> list[Any]:
    """Returns the leaves of a call, taped arrays as such."""
    known = {id(array): x for array, x in bound.stands}
    return [known.get(id(leaf.value), leaf.value) for leaf in bound.leaves]


def _is_value(x: Any) -> bool:
    return children(x) is None and is_differentiable(x)


def written_variables(concrete: ConcreteFunction) -> Iterable[Storage]:
    """Returns the variables that a trace writes to."""
    graph = concrete.program.graph
    return {s for e in graph.walk() if e.op.effect == "write"
            and isinstance(s := graph.captures.get(e.args[0]), Storage)}


def refuse_untold(tokens: Iterable[Any]) -> None:
    """Refuses cotangents that belong to values of which no tape knows where they come from."""
    for token in tokens:
        if isinstance(token, Untold):
            raise NotDifferentiable(token.reason)

