"""NumPy's protocols: ufuncs, `out=`, and functions that change an argument, called on tensors."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from autograph.own_attributes import held
from autograph.runtime.ir.call_frames import is_operator
from autograph.runtime.ir.errors import SymbolicValueError, at
from autograph.runtime.ir.types import PY_NUMBERS, ArrayType, PyType, Type, fits, type_of
from autograph.runtime.ops import OPS, by_function, opaque, ufunc_method
from autograph.runtime.ops.indexing import INTO
from autograph.runtime.ops.op import Op
from autograph.runtime.ops.type_rules import by_position, parameters
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.source_locations import location_outside_library, user_location
from autograph.runtime.symbolic.tensor import Tensor, apply

DISPATCHED: dict[Callable[..., Any], Callable[..., Any]] = {}
"""NumPy functions that do not just record their op, and what they do to a tensor instead."""

OPERATORS = {op.ufunc: op for op in OPS.values() if op.dunder and op.ufunc is not None}
"""For a ufunc, the op of Python's operator: a NumPy scalar on its left calls the ufunc."""


def _array_ufunc(self: Tensor, ufunc: Any, method: str, *args: Any, out: Any = (),
                 **kwargs: Any) -> Any:
    if method == "at":
        return store_by(ufunc.at, *args)
    if not (ufunc.nout or trace.by_reference()):
        trace.need_references("a ufunc without results is called for what it does to its arguments")
    function = ufunc if method == "__call__" else getattr(ufunc, method)
    if any(o is not None for o in out):
        return store_into(function, out, args, kwargs)
    if method != "__call__":
        return _ufunc_method(ufunc, method, args, kwargs)
    if isinstance(args[0], np.generic) and is_operator(sys._getframe(1)):
        op = OPERATORS.get(ufunc) or _ufunc_op(ufunc, args, kwargs)
    else:
        op = _ufunc_op(ufunc, args, kwargs)
    return apply(op, *args, **kwargs)


def _ufunc_method(ufunc: Any, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    try:
        return apply(ufunc_method(ufunc, method), *args, **kwargs)
    except Exception:
        if (region := trace.current_region()) is not None:
            region.trace.failed_methods = True
        raise


def _array_function(self: Tensor, func: Callable[..., Any], types: Any, args: tuple[Any, ...],
                    kwargs: dict[str, Any]) -> Any:
    return dispatched(func, args, kwargs)


def dispatched(function: Callable[..., Any], args: tuple[Any, ...],
               kwargs: dict[str, Any]) -> Any:
    """Dispatches a call of a NumPy function, as NumPy does."""
    args, kwargs = _given(args, kwargs)
    if function in DISPATCHED:
        return DISPATCHED[function](*args, **kwargs)
    return call_numpy(function, args, kwargs)


def _given(args: tuple[Any, ...], kwargs: dict[str, Any]
           ) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Returns the arguments that are given: `np._NoValue` stands for one that is not."""
    while args and args[-1] is np._NoValue:
        args = args[:-1]
    return args, {k: v for k, v in kwargs.items() if v is not np._NoValue}


def given_by_object(made: Any) -> Any:
    """Returns what `__array__` of an object of the user's gives NumPy, which has to be an array.

    Raises:
      SymbolicValueError: it is a symbolic value.
    """
    if isinstance(made, Tensor):
        error = SymbolicValueError(
            "NumPy asks an object for its array, which is symbolic"
            f"{at(location_outside_library())}\n  hint: give NumPy the array itself, by the "
            "attribute in which the object holds it", about_state=True)
        trace.note_refusal(error)
        raise error
    return made


def _ufunc_op(ufunc: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Op:
    """Returns the operator's op (`a + b`) if it means the same as the ufunc, else the ufunc's
    own."""
    op = by_function.get(ufunc)
    if op is None:
        return opaque(ufunc)
    plain = OPS.get(ufunc.__name__)  # `**` takes short cuts that np.power does not
    if plain is None or plain is op or plain.ufunc is not ufunc or kwargs or ufunc is np.power:
        return op
    types = [a.type if isinstance(a, Tensor) else type_of(a) for a in args]
    known = [t for t in types if isinstance(t, ArrayType) and t.dtype is not None]
    if plain.comparison and not (known and all(map(_is_numeric, types))):
        return op  # Python's comparison has an answer where there is no loop
    if plain.comparison and not any(map(_is_complex, types)):  # never warns
        return plain
    return plain if any(t.shape for t in known) else op  # the two warn of scalars in other words


def _is_numeric(t: Type) -> bool:
    if isinstance(t, PyType):
        return t.cls in PY_NUMBERS
    return isinstance(t, ArrayType) and t.dtype is not None and t.dtype.kind in "biufc"


def _is_complex(t: Type) -> bool:
    dtype = t.dtype if isinstance(t, ArrayType) else None
    return t == PyType(complex) or (dtype is not None and dtype.kind == "c")


def call_numpy(function: Callable[..., Any], args: tuple[Any, ...],
               kwargs: dict[str, Any]) -> Any:
    """Records a call of a NumPy function, and stores into `out`, by name or by position."""
    args, kwargs, out = _split_out(function, *by_position(function, args, kwargs))
    if isinstance(function, np.ufunc) and len(out) == 1 and out[0] is ...:
        return _always_arrays(apply(op_of(function), *args, **kwargs))
    if any(o is not None for o in out):
        return store_into(function, out, args, kwargs)
    return apply(op_of(function), *args, **kwargs)


def _always_arrays(made: Any) -> Any:
    """Returns results as `out=...` asks for: arrays without axes in place of NumPy's scalars."""
    if isinstance(made, tuple):
        return tuple(map(_always_arrays, made))
    return apply(by_function[np.asarray], made)


def op_of(function: Callable[..., Any]) -> Op:
    """Returns the op of a NumPy function, ufunc or ufunc's method."""
    owner = held(function, "__self__")
    if isinstance(owner, np.ufunc):
        return ufunc_method(owner, function.__name__)
    return by_function.get(function) or opaque(function)


def _split_out(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
               ) -> tuple[tuple[Any, ...], dict[str, Any], tuple[Any, ...]]:
    """Returns the arguments of a call without `out`, and `out` as a tuple."""
    out = kwargs.get("out")
    names = parameters(function)
    if "out" in names[:len(args)]:
        at_ = names.index("out")
        rest = zip(names[at_ + 1:], args[at_ + 1:], strict=False)
        args, kwargs, out = args[:at_], {**kwargs, **dict(rest)}, args[at_]
    kwargs = {k: v for k, v in kwargs.items() if k != "out"}
    return args, kwargs, out if isinstance(out, tuple) else (out,)


def store_into(function: Callable[..., Any], out: tuple[Any, ...], args: tuple[Any, ...],
               kwargs: dict[str, Any]) -> Any:
    """Records `function(…, out=out)`: stores the results into the given arrays, and returns
    them."""
    for o in out:
        if o is not None and not isinstance(o, Tensor):
            concrete_target("out=")
    if len(out) > 1 and trace.by_reference():
        return tuple(new if o is None else o for o, new in zip(
            out, apply("store_results", out, function, *args, **kwargs), strict=True))
    if len(out) > 1:
        made = apply("stored_into_several", out, function, *args, **kwargs)
        for o, new in zip(out, made, strict=True):
            if o is not None:
                o.write(new.read())
        return tuple(new if o is None else o for o, new in zip(out, made, strict=True))
    (target,) = out
    if isinstance(function, np.ufunc) and not kwargs:
        made = assign_inplace(target, lambda: apply(_ufunc_op(function, args, kwargs), *args))
        if made is not None:
            return made
    if trace.by_reference():
        apply("store_result", target, function, *args, **kwargs)
    else:
        target.write(apply("stored_into", target, function, *args, **kwargs).read())
    return target


def assign_inplace(target: Tensor, record: Callable[[], Tensor]) -> Tensor | None:
    """Stores a result in an array, and returns the array; None if only `out=` can tell the
    error."""
    if not _is_numeric(target.type):  # there are other ways with and without `out=`
        return None
    try:
        made = record()
    except ValueError:  # `out=` has other words for it
        return None
    old = target.type
    if not fits(made.type, old):
        return None
    if target._handle.base is None and old == made.type and getattr(old, "is_static", False):
        trace.note_stored(made.read(), target.read())
        target.write(made.read())
    else:
        target._handle.update(INTO, made.read())
    return target


def store_by(function: Callable[..., Any], target: Any, /, *args: Any, **kwargs: Any) -> None:
    """Records a function that changes its first argument, as an update of the tensor's value."""
    if not isinstance(target, Tensor):
        concrete_target(function.__name__)
    if trace.by_reference():
        apply("change", target, function, *args, **kwargs)
    else:
        target.write(apply("stored_by", target, function, *args, **kwargs).read())


def concrete_target(what: str) -> NoReturn:
    """Refuses to write symbolic values into an array that is not part of the trace."""
    trace.look_into_lists()  # NumPy's own code may be what writes
    trace.want_arrays()
    raise SymbolicValueError(
        f"{what} writes symbolic values into a concrete array{at(user_location())}\n"
        "  hint: make the array in the function (np.empty_like …), or pass it as an argument")


METHODS = {"__array_ufunc__": _array_ufunc, "__array_function__": _array_function}
"""The methods of Tensor that NumPy's protocols call."""
