"""Replacements of functions that NumPy's protocols cannot intercept: what converted code calls."""

from __future__ import annotations

import builtins
import gc
import math
import operator
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial, wraps
from typing import Any

import numpy as np

from autograph.libraries import is_closed_class
from autograph.own_attributes import held
from autograph.runtime.heap.callbacks import need_contents, with_callbacks
from autograph.runtime.heap.escaping_objects import is_new_iterator, is_symbolic_object, rest
from autograph.runtime.heap.growing_lists import StagedList
from autograph.runtime.heap.selected_objects import SelectedObject
from autograph.runtime.ir.buffers_of_numbers import BUFFERS
from autograph.runtime.ir.errors import SymbolicValueError, at
from autograph.runtime.ir.pytree import all_leaves
from autograph.runtime.ir.types import DYNAMIC, ArrayType, PyType, Type, is_number
from autograph.runtime.ops import by_function, opaque, pure
from autograph.runtime.ops.op import Op
from autograph.runtime.ops.opaque import FUNCTION_MODULES as FUNCTION_MODULES
from autograph.runtime.ops.opaque import PURE_MODULES as PURE_MODULES
from autograph.runtime.ops.opaque import VALUE_MODULES as VALUE_MODULES
from autograph.runtime.ops.python import product_type
from autograph.runtime.ops.type_rules import by_position
from autograph.runtime.replacements import clocks, random_generators
from autograph.runtime.replacements.process_state import VALUES, takes_nothing
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.numpy_protocols import call_numpy, dispatched
from autograph.runtime.symbolic.numpy_settings import errstate, getter, printoptions, setter
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import LOWERED, Tensor, apply
from autograph.runtime.symbolic.text_values import text_method as symbolic_text_method
from autograph.runtime.symbolic.variables import Variable
from autograph.traceback_filter import hide

Fn = Callable[..., Any]

CONSTRUCTORS: tuple[Fn, ...] = (
    np.array, np.zeros, np.ones, np.empty, np.full, np.arange, np.eye, np.identity, np.linspace,
    np.logspace, np.geomspace,
    np.frombuffer, np.require, np.ascontiguousarray, np.asfortranarray,
)
"""Functions that make an array which the program may then write: always recorded, even if no
argument is symbolic."""

AS_ARRAY: tuple[Fn, ...] = (np.asarray, np.asanyarray)
"""Functions that return their argument if it is an array already."""



SCALARS: tuple[type, ...] = tuple(
    dict.fromkeys(np.dtype(c).type for c in "?bhilqBHILQefdgFDG"))


def symbolic(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Returns True if a tensor is among the arguments or in their containers."""
    return any(isinstance(x, Tensor) or (
        type(x) in LOWERED and symbolic((LOWERED[type(x)](x),), {})) or (
        isinstance(x, BaseException) and symbolic((x.args, vars(x)), {}))
        for x in all_leaves((args, kwargs)))


def is_text_of_run(nest: Any) -> bool:
    """Returns True if only the run knows the text of a nest: a symbolic value is in it, or in an
    object in it, whose class may make the text."""
    return symbolic((nest,), {}) or any(map(is_symbolic_object, all_leaves(nest)))


def _array(*args: Any, copy: Any = True, **kwargs: Any) -> Any:
    """`np.array`, recorded; with `copy=None` or `copy=False` it does what `np.asarray` does."""
    if copy in (None, False):
        rank, subok = kwargs.pop("ndmin", 0), kwargs.pop("subok", False)
        made = REPLACEMENTS[np.asanyarray if subok else np.asarray](*args, copy=copy, **kwargs)
        if isinstance(known := np.ndim(made) if rank else 0, Tensor):
            return _constructor(np.array)(made, copy=copy, ndmin=rank)
        return made if known >= rank else made[(None,) * (rank - known)]
    return _constructor(np.array)(*args, **({} if copy is True else {"copy": copy}), **kwargs)


def _constructor(function: Fn) -> Fn:
    op = by_function.get(function) or opaque(function)

    @wraps(function)
    def replacement(*args: Any, **kwargs: Any) -> Any:
        if not trace.tracing():
            return function(*args, **kwargs)
        args = _with_lists(args)
        if type(dtype := kwargs.get("dtype")) is SelectedObject:
            return dtype.each(lambda one: replacement(*args, **{**kwargs, "dtype": one}))
        return apply(op, *args, **kwargs)

    return replacement


def _ndarray(*args: Any, **kwargs: Any) -> Any:
    """`np.ndarray`, recorded; of a shape and a dtype alone, it is `np.empty`: memory of its own."""
    if 0 < len(args) <= 2 and kwargs.keys() <= {"dtype"}:
        return REPLACEMENTS[np.empty](*args, **kwargs)
    return _constructor(np.ndarray)(*args, **kwargs)


def _as_array(function: Fn) -> Fn:
    record = _constructor(function)

    @wraps(function)
    def replacement(a: Any, dtype: Any = None, *args: Any, **kwargs: Any) -> Any:
        if type(dtype) is SelectedObject:
            return dtype.each(lambda one: replacement(a, one, *args, **kwargs))
        if isinstance(a, Variable):
            a = a.read()
        if args and "order" not in kwargs:  # by name, as `memory_order` asks for it
            kwargs, args = {"order": args[0], **kwargs}, args[1:]
        if isinstance(a, Tensor):
            t, order = a.type, kwargs.get("order")
            if kwargs.get("copy"):
                return _constructor(np.array)(a, dtype, order=order or "K")
            if isinstance(t, ArrayType) and t.shape is not None and not t.scalar and (
                    dtype is None or np.dtype(dtype) == t.dtype) and order in (None, "K"):
                return a
        elif not symbolic((a, dtype), kwargs) and not clocks.has_clock_text(a):
            return function(a, dtype, *args, **kwargs)
        return record(a, dtype, *args, **kwargs)

    return replacement


def _as_fortran_array(a: Any, *args: Any, **kwargs: Any) -> Any:
    """`np.asfortranarray`; of an array with axes, `np.asarray` with that order."""
    known = isinstance(a, Tensor) and isinstance(a.type, ArrayType) and a.type.shape
    return REPLACEMENTS[np.asarray](a, *args, order="F", **kwargs) if known else (
        _constructor(np.asfortranarray)(a, *args, **kwargs))


def _scalar(cls: type[np.generic]) -> Fn:
    result = ArrayType(np.dtype(cls), (), scalar=True)

    def infer(x: Any = 0) -> Type:
        return result if not isinstance(x, (ArrayType, PyType)) or is_number(x) else DYNAMIC

    return _when_symbolic(cls, pure(cls, infer))


def _when_symbolic(function: Fn, op: Op) -> Fn:
    """Returns a replacement that calls the function itself on concrete arguments, and records an
    equation if one is symbolic."""
    @wraps(function, updated=())
    def replacement(*args: Any, **kwargs: Any) -> Any:
        args = _with_items(args)
        return apply(op, *args, **kwargs) if symbolic(args, kwargs) else function(*args, **kwargs)

    return replacement


def _with_items(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Returns arguments with lists in place of iterators that the trace reads."""
    return tuple(_items_left(x) if is_new_iterator(x) else x for x in args)


def _items_left(iterator: Any) -> Any:
    """Returns the items of an iterator: a list, or one symbolic value if only the run knows them.
    No code knows that list, so the graph need not hold it as an object."""
    made = rest(iterator)
    return made.tensor() if type(made) is StagedList and symbolic((made,), {}) else made


def _with_lists(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Returns arguments of NumPy's with lists in place of deques: NumPy reads both as sequences."""
    if not any(type(x) is deque for x in args):
        return args
    return tuple(list(x) if type(x) is deque else x for x in args)


MATH_RESULTS: dict[str, type] = {
    **dict.fromkeys(("floor", "ceil", "trunc", "gcd", "lcm", "factorial", "isqrt", "comb", "perm"),
                    builtins.int),
    **dict.fromkeys(("isnan", "isinf", "isfinite", "isclose"), builtins.bool),
    "modf": object, "frexp": object, "sumprod": object,
}
"""Function of `math` -> the class of its result, if that is not float."""


def _math(name: str, function: Fn) -> Fn:
    if name == "prod":
        return _when_symbolic(function, pure(function, product_type))
    cls = MATH_RESULTS.get(name, builtins.float)
    result = DYNAMIC if cls is object else PyType(cls)
    return _when_symbolic(function, pure(function, lambda *a, **k: result))


def _predicate(function: Fn) -> Fn:
    @wraps(function)
    def replacement(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = by_position(function, args, kwargs)
        x = args[0] if args else None
        if not isinstance(x, Tensor):
            return function(*args, **kwargs)
        known = _PREDICATE_RULES[function](x)
        return apply(opaque(function), *args, **kwargs) if known is None else known

    return replacement


def _is_scalar(x: Tensor) -> bool | None:
    t = x.type
    if isinstance(t, ArrayType) and t.shape is not None:
        return t.scalar
    return True if isinstance(t, PyType) and is_number(t) else None


def _is_iterable(x: Tensor) -> bool | None:
    t = x.type
    return bool(t.shape) if isinstance(t, ArrayType) and t.shape is not None else None


def _of_settings(function: Any, traced: Any) -> Fn:
    """Returns the replacement of a function that sets NumPy's settings."""
    @wraps(function, updated=())
    def replacement(*args: Any, **settings: Any) -> Any:
        return (traced if trace.tracing() else function)(*args, **settings)

    return replacement


def called_as_it_is(function: Fn) -> Fn:
    """Returns the replacement of an opaque library function or class: the call runs with the graph
    if an argument is symbolic, or if it draws random numbers or makes an object, else at once.

    Its ops are made at the first call in a trace: a bound method is a new object at each call.
    """
    recorder = cache(partial(_in_a_trace, function))

    @wraps(function, updated=())
    def replacement(*args: Any, **kwargs: Any) -> Any:
        return (recorder() if trace.tracing() else function)(*args, **kwargs)

    return replacement


def _in_a_trace(function: Fn) -> Fn:
    """Returns what a trace calls in place of an opaque library function or class."""
    op = opaque(function)
    if op.effect == "random":
        return partial(apply, op)
    drawing = cache(partial(replace, op, effect="random"))
    writing = cache(partial(replace, op, effect="store", lasts=True))

    def recorded(*args: Any, **kwargs: Any) -> Any:
        args = _with_items(args)
        made = with_callbacks(function, args, kwargs)
        if made is not NotImplemented:
            return made
        if symbolic(args, kwargs):
            if need_written(function, args, kwargs):
                return apply(writing(), *args, **kwargs)
            draws = random_generators.may_draw(function)
            return apply(drawing() if draws else op, *args, **kwargs)
        made = random_generators.unless_drawn(function, args, kwargs)
        if made is NotImplemented or is_closed_class(type(made)):
            return apply(drawing(), *args, **kwargs)  # an object is another one in each run
        if takes_nothing(function) and not (args or kwargs) and type(made) in VALUES:
            return apply(drawing())  # it tells of the process
        return made

    return recorded


def need_written(function: Fn, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Returns True if a library function may write to its arguments: to what it is given as `out`
    or `output`, and to Python's buffers. The graph has to hold those as objects, or by reference.
    """
    written: list[Any] = [x for name, x in kwargs.items() if name in ("out", "output")
               and isinstance(x, (np.ndarray, Tensor))]
    written += [x for x in (*args, *kwargs.values()) if isinstance(x, BUFFERS) or (
        isinstance(x, Tensor) and isinstance(x.type, PyType) and x.type.cls in BUFFERS)]
    need_contents(written)
    if any(isinstance(x, np.ndarray) for x in written):
        raise SymbolicValueError(
            f"{function.__name__} writes to an array that is known while tracing"
            f"{at(user_location())}\n  hint: use the result that it returns without `out`")
    return bool(written)


def _of_function(function: Fn, ufunc: Fn, args: tuple[Any, ...], **kwargs: Any) -> Any:
    """Calls a ufunc that `np.frompyfunc` made, or its method, as if made of another function."""
    owner: Any = getattr(ufunc, "__self__", ufunc)
    known = {} if owner.identity is None else {"identity": owner.identity}
    made = np.frompyfunc(function, owner.nin, owner.nout, **known)
    return (made if owner is ufunc else getattr(made, ufunc.__name__))(*args, **kwargs)


def dispatching(ufunc: Fn) -> Fn:
    """Returns the replacement of a ufunc, or of its method, which finds tensors in lists too."""
    owner = ufunc if isinstance(ufunc, np.ufunc) else ufunc.__self__  # type: ignore[attr-defined]
    called = next((x for x in gc.get_referents(owner) if callable(x)), None)

    @wraps(ufunc)
    def replacement(*args: Any, **kwargs: Any) -> Any:
        try:
            args = _with_lists(args)
            if called is not None and trace.tracing():
                made = with_callbacks(_of_function, (called, ufunc, args), kwargs)
                if made is not NotImplemented:
                    return made
            if not symbolic(args, kwargs) or (
                    kwargs.get("out") is not ... and any(isinstance(x, Tensor) for x in args)):
                return ufunc(*args, **kwargs)
            return call_numpy(ufunc, args, kwargs)
        except BaseException:
            hide()
            raise

    return replacement


def not_dispatching(function: Fn) -> Fn:
    """Returns the replacement of a NumPy function that dispatches on some of its arguments only,
    and on none of the items of lists."""
    @wraps(function)
    def replacement(*args: Any, **kwargs: Any) -> Any:
        args = _with_lists(args)
        made = dispatched if symbolic(args, kwargs) else _called
        return made(function, args, kwargs)

    return replacement


def _called(function: Fn, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return function(*args, **kwargs)


@wraps(np.gradient)
def _gradient(f: Any, *spacing: Any, axis: Any = None, edge_order: Any = 1) -> Any:
    """`np.gradient`, recorded once for each axis: each gives one array of a known shape."""
    t = f.type if isinstance(f, Tensor) else None
    axes = axis if axis is not None else range(len(t.shape)) if isinstance(
        t, ArrayType) and t.shape is not None else ()
    of_each = spacing or (1.0,)
    if not isinstance(axes, (tuple, range)) or len(axes) < 2 or len(of_each) not in (
            1, len(axes)) or (len(of_each) == 1 and np.ndim(of_each[0])):
        return np.gradient(f, *spacing, axis=axis, edge_order=edge_order)
    of_each = of_each * len(axes) if len(of_each) == 1 else of_each
    return tuple(np.gradient(f, h, axis=a, edge_order=edge_order)
                 for h, a in zip(of_each, axes, strict=True))


_PREDICATE_RULES: dict[Fn, Callable[[Tensor], Any]] = {
    np.isscalar: _is_scalar, np.iterable: _is_iterable,
}

REPLACEMENTS: dict[Any, Fn] = {
    **{f: _constructor(f) for f in CONSTRUCTORS},
    np.array: wraps(np.array)(_array),
    np.ndarray: _ndarray,
    np.gradient: _gradient,
    **{f: _as_array(f) for f in AS_ARRAY},
    np.asfortranarray: wraps(np.asfortranarray)(_as_fortran_array),
    **{cls: _scalar(cls) for cls in SCALARS},
    np.errstate: _of_settings(np.errstate, errstate),
    np.printoptions: _of_settings(np.printoptions, printoptions),
    **{f: _of_settings(f, setter(f)) for f in (np.seterr, np.set_printoptions)},
    **random_generators.REPLACEMENTS,
    **clocks.REPLACEMENTS,
    **{f: _of_settings(f, getter(f, partial(apply, opaque(f))))
       for f in (np.geterr, np.get_printoptions)},
    **{f: _predicate(f) for f in _PREDICATE_RULES},
    **{f: _when_symbolic(f, pure(f, lambda x: PyType(builtins.int)))
       for f in (builtins.hash, operator.index)},
    **{f: _math(name, f) for name, f in vars(math).items()
       if builtins.callable(f) and not name.startswith("_")},
}
"""Original -> replacement."""


def text_method(function: Fn) -> Fn:
    """Returns the replacement of a method of text, such as `"{}".format` or `b", ".join`."""
    text: Any = held(function, "__self__")
    record = symbolic_text_method(text.__class__, function.__name__)

    @wraps(function)
    def replacement(*args: Any, **kwargs: Any) -> Any:
        return record(text, *args, **kwargs) if is_text_of_run((args, kwargs)) else (
            function(*args, **kwargs))

    return replacement


FAMILY_REPLACEMENTS: dict[type, Fn] = {
    str: text_method,
    bytes: text_method,
    np.ufunc: dispatching,
    type(np.concatenate): not_dispatching,
    **random_generators.FAMILY_REPLACEMENTS,
}
"""Type of a callable, or of the object that it is a method of -> what makes its replacement."""
