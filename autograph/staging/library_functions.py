"""Functions of `functools`, `heapq` and `operator`, and `bytes`, while a function is traced."""

from __future__ import annotations

import functools
import heapq
import itertools
import operator
from collections import OrderedDict
from collections.abc import Callable, Mapping
from types import ClassMethodDescriptorType
from typing import Any

from autograph.extension_points import POINTS
from autograph.operators import builtins as operators
from autograph.operators.checks import getitem
from autograph.operators.control_flow import cond, for_loop
from autograph.operators.logical import in_, not_
from autograph.own_attributes import held
from autograph.runtime.heap.growing_lists import StagedList
from autograph.runtime.heap.list_values import Splice
from autograph.runtime.heap.run_time_containers import has_tensor
from autograph.runtime.heap.selected_objects import SelectedObject
from autograph.runtime.ir.types import PyType
from autograph.runtime.ops import pure
from autograph.runtime.replacements.closed_libraries import closed
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import Tensor, apply
from autograph.runtime.symbolic.user_attributes import read_attribute
from autograph.staging.attributes import ATTRIBUTES, CHANGING
from autograph.staging.generators import Generated, Items, Iter, all_of, is_symbolic
from autograph.staging.iteration import can_unroll, comprehension
from autograph.staging.itertools_ import from_iterable
from autograph.staging.reductions import as_values

Fn = Callable[..., Any]


@functools.wraps(functools.reduce, updated=())
def _reduce(function: Fn, iterable: Any, *initial: Any) -> Any:
    """Stage `functools.reduce` as a loop; it starts with the initial value or first item."""
    if type(iterable) is SelectedObject:
        return iterable.each(lambda one: _reduce(function, one, *initial))
    function = POINTS.convert_callback(function)
    if not trace.tracing() or (can_unroll(iterable) and not isinstance(iterable, (
            Tensor, Generated, Items))):
        return functools.reduce(function, iterable, *initial)
    if initial:
        return for_loop(iterable, lambda x, made: (function(made, x),), initial)[0]

    def step(x: Any, found: Any, made: Any) -> Any:
        return cond(found, lambda: (True, function(made, x)), lambda: (True, x))

    found, made = for_loop(iterable, step, (False, None))
    cond(found, all_of, lambda: functools.reduce(function, []))  # raises, in Python's words
    return made


def _merged(iterables: tuple[Any, ...], key: Fn | None, reverse: bool) -> list[Any]:
    return list(heapq.merge(*iterables, key=key, reverse=reverse))


@functools.wraps(heapq.merge, updated=())
def _merge(*iterables: Any, key: Fn | None = None, reverse: bool = False) -> Any:
    values = tuple(map(as_values, iterables))
    if not trace.tracing() or not (any(map(is_symbolic, values)) or has_tensor(values)):
        return heapq.merge(*values, key=key, reverse=reverse)
    return Iter(StagedList([Splice(apply(pure(_merged), values, key, reverse))]))


BYTES = pure(bytes, lambda *args: PyType(bytes))


def bytes_(items: Any = b"", *encoding: Any) -> Any:
    """Stage `bytes(items)`."""
    items = as_values(items)
    of_run = is_symbolic(items) or has_tensor((items, encoding))
    return apply(BYTES, items, *encoding) if of_run else bytes(items, *encoding)


def _from_keys(method: Fn) -> Fn:
    """Returns the replacement of `dict.fromkeys`, or of that of a class derived from it."""
    cls = POINTS.convert_callback(method.__self__)  # type: ignore[attr-defined]

    def replacement(iterable: Any, value: Any = None) -> Any:
        if not trace.tracing():
            return method(iterable, value)
        made = comprehension(dict, lambda key: (key, value), iterable, None, False)
        return made if method.__self__ is dict else cls(made)  # type: ignore[attr-defined]

    return replacement


def dispatch_on(function: Any, cls: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Stage a call of a function of `functools.singledispatch`: one branch for each of the
    functions that it may call."""
    functions = list(dict.fromkeys(function.registry.values()))
    found = apply(pure(lambda cls: functions.index(function.dispatch(cls)),
                       lambda cls: PyType(int)), cls)

    def call(i: int) -> Any:
        here = POINTS.convert_callback(functions[i])
        if i == len(functions) - 1:
            return here(*args, **kwargs)
        return cond(found == i, lambda: here(*args, **kwargs), lambda: call(i + 1))

    return call(0)


def item_getter(getter: Any) -> Fn:
    """Returns the replacement of an `operator.itemgetter`, whose keys may be symbolic."""
    keys = getter.__reduce__()[1]

    def replacement(*args: Any) -> Any:
        if not trace.tracing() or len(args) != 1:
            return getter(*args)
        found = tuple(getitem(args[0], key) for key in keys)
        return found if len(keys) > 1 else found[0]

    return replacement


def attribute_getter(getter: Any) -> Fn:
    """Returns the replacement of an `operator.attrgetter`, whose objects may lack attributes."""
    paths = [path.split(".") for path in getter.__reduce__()[1]]
    get = ATTRIBUTES[getattr]

    def replacement(*args: Any) -> Any:
        if not trace.tracing() or len(args) != 1:
            return getter(*args)
        found = tuple(functools.reduce(get, path, args[0]) for path in paths)
        return found if len(paths) > 1 else found[0]

    return replacement


def method_caller(caller: Any) -> Fn:
    """Returns the replacement of an `operator.methodcaller`, whose arguments may be symbolic."""
    maker, args = caller.__reduce__()
    given: tuple[Any, ...] = (*getattr(maker, "args", ()), *args)
    options = getattr(maker, "keywords", {})  # with such, it is made by a partial

    def replacement(*objects: Any) -> Any:
        if not trace.tracing() or len(objects) != 1:
            return caller(*objects)
        method = POINTS.convert_callback(read_attribute(objects[0], given[0]))
        return method(*given[1:], **options)

    return replacement


def _of_value(method: Fn) -> Fn:
    """Returns the replacement of a class method that makes a value of values."""
    cls = method.__self__  # type: ignore[attr-defined]
    op = pure(method, lambda *args, **kwargs: PyType(cls))

    @functools.wraps(method)
    def replacement(*args: Any, **kwargs: Any) -> Any:
        args = tuple(map(as_values, args)) if trace.tracing() else args
        symbolic = has_tensor((args, kwargs)) or any(map(is_symbolic, args))
        return apply(op, *args, **kwargs) if symbolic else method(*args, **kwargs)

    return replacement


def _of_object(method: Fn) -> Fn:
    """Returns the replacement of a class method that makes an object which may be changed."""
    make = closed(method)

    @functools.wraps(method)
    def replacement(*args: Any, **kwargs: Any) -> Any:
        args = tuple(map(as_values, args)) if trace.tracing() else args
        symbolic = has_tensor((args, kwargs)) or any(map(is_symbolic, args))
        return make(*args, **kwargs) if symbolic else method(*args, **kwargs)

    return replacement


VALUES = (int, float, complex, str, bytes)
"""Classes of values that cannot be changed."""

CLASS_METHODS: dict[tuple[type, str], Callable[[Any], Any]] = {
    **{(cls, name): _of_value if cls in VALUES else _of_object for cls in (*VALUES, bytearray)
       for name, x in vars(cls).items() if type(x) is ClassMethodDescriptorType},
    (dict, "fromkeys"): _from_keys,
    (OrderedDict, "fromkeys"): _from_keys,
    (itertools.chain, "from_iterable"): from_iterable,
}
"""A class of Python's and the name of a class method -> what makes the method's replacement."""


def value_method(method: Fn) -> Fn:
    """Returns the replacement of a method of a tuple, range, slice or number, such as `t.index`,
    which the run calls if an item or argument is symbolic."""
    value: Any = held(method, "__self__")
    own = getattr(type(value), method.__name__)
    op = pure(own, lambda *types: PyType(int)) if method.__name__ in COUNTING else pure(own)

    @functools.wraps(method)
    def replacement(*args: Any, **kwargs: Any) -> Any:
        if not trace.tracing() or not has_tensor((value, args, kwargs)):
            return method(*args, **kwargs)
        return apply(op, value, *args, **kwargs)

    return replacement


ISSUBCLASS = pure(issubclass, lambda *types: PyType(bool))


def _is_subclass(cls: Any, classes: Any) -> Any:
    """Stage `issubclass` of a class that only the run knows."""
    of_run = has_tensor((cls, classes))
    return apply(ISSUBCLASS, cls, classes) if of_run else issubclass(cls, classes)


COUNTING = frozenset({"index", "count", "__len__"})
"""Methods that return a Python int."""

VALUE_CLASSES: tuple[type, ...] = (tuple, range, slice, int, float, complex, bool)
"""Classes of values whose methods take values."""


LIBRARY_FUNCTIONS: dict[Fn, Fn] = {
    **{getattr(cls, name): _of_object(getattr(cls, name)) for cls in (str, bytes, bytearray)
       for name, x in vars(cls).items() if type(x) is staticmethod and name[0] != "_"},
    functools.reduce: _reduce,
    heapq.merge: _merge,
    issubclass: _is_subclass,
    operator.not_: not_,
    operator.truth: operators.bool,
    operator.contains: lambda a, b: in_(b, a),
    **CHANGING,
}
"""Function of Python's library -> its replacement."""
