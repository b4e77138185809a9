"""Calls of installed libraries, which the graph makes as they are, on real arrays and objects."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import _lru_cache_wrapper, cache, lru_cache, wraps
from types import BuiltinMethodType, MethodType, ModuleType
from typing import Any

from autograph.libraries import is_python, package_of
from autograph.own_attributes import class_has, compares_by_identity, held, named_like
from autograph.runtime.heap.callbacks import with_callbacks
from autograph.runtime.heap.escaping_objects import is_symbolic_object
from autograph.runtime.heap.hidden_state import refuse_change
from autograph.runtime.heap.iterators import cursor_of
from autograph.runtime.heap.needed_objects import need_object
from autograph.runtime.heap.objects import attributes_of, is_object
from autograph.runtime.heap.objects_of_run import need_objects_of_run
from autograph.runtime.heap.unchanged import read_ahead
from autograph.runtime.ir.call_frames import LIBRARIES
from autograph.runtime.ir.constants import same_constant
from autograph.runtime.ir.errors import InvalidArgumentError, TracingError, at
from autograph.runtime.ir.pytree import all_leaves
from autograph.runtime.ops import opaque, pure
from autograph.runtime.ops.op import Op
from autograph.runtime.ops.opaque import FUNCTION_MODULES
from autograph.runtime.ops.python_objects import call_object
from autograph.runtime.replacements.functions import symbolic
from autograph.runtime.replacements.outside_world import answers_with_values
from autograph.runtime.replacements.process_state import VALUES, takes_nothing
from autograph.runtime.replacements.random_generators import may_draw
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor, apply, call_value, handed_over

Fn = Callable[..., Any]


def closed(function: Any) -> Fn:
    """Returns the replacement of a function, class, method or callable object of a library.

    The graph calls it, whatever its arguments: it may make an object, which is another one in each
    call, or answer otherwise each time. What is entered by a `with` statement is made while
    tracing, but for files.
    """
    is_entered = _is_entered(function)
    when_run = asked_by_the_run(function)

    @named_like(function)
    def replacement(*args: Any, **kwargs: Any) -> Any:
        at_once = is_entered and not symbolic(args, kwargs)
        return (function if at_once else when_run)(*args, **kwargs)

    return replacement


def told_by_the_run(function: Any) -> Fn:
    """Returns the replacement of a function of a library. One that takes nothing can only tell of
    the process: if that is a number or text, each run asks for it."""
    if not takes_nothing(function):
        return function  # type: ignore[no-any-return]
    when_run = asked_by_the_run(function, True)

    @named_like(function)
    def replacement(*args: Any, **kwargs: Any) -> Any:
        found = function(*args, **kwargs)
        return when_run() if not (args or kwargs) and type(found) in VALUES else found

    return replacement


def asked_by_the_run(function: Any, tells_values: bool = False) -> Fn:
    """Returns the replacement of a function that each run of the graph calls."""
    op, values = cache(lambda: _op(function)), tells_values or answers_with_values(function)

    @named_like(function)
    def replacement(*args: Any, **kwargs: Any) -> Any:
        if not trace.tracing():
            return function(*args, **kwargs)
        if type(function) is MethodType and is_changed_by(function):
            refuse_change(function.__name__, type(function.__self__))
        need_outside_objects(function, args)
        args, kwargs = map(with_items, (args, kwargs))
        made = with_callbacks(function, args, kwargs, changes_arguments=True)
        if made is not NotImplemented:
            return made
        if not values and not trace.holds_objects():
            why = "is an object of a library, which is made or changed when the graph runs"
            trace.want_one(why)
            raise TracingError(f"something {why}{at(user_location())}")
        return apply(op(), *handed_over(args), **handed_over(kwargs))

    return replacement


def need_outside_objects(function: Any, args: tuple[Any, ...]) -> None:
    """Makes sure that the run has the objects of Python's library that it calls a method of, or
    gives to a function of that library: what these change no code shows.

    Raises:
      SymbolicValueError: the trace has to be made again.
    """
    here = trace.current_region()
    for x in (held(function, "__self__"), *args):
        cls: Any = type(x)
        if here is not None and compares_by_identity(cls) and is_python(cls.__module__) and (
                is_object(x) and here.trace.allocations.is_from_outside(x)):
            need_object(x, "is of Python's library, and is given to a function that the run calls")


def is_changed_by(method: MethodType) -> bool:
    """Returns True if an object of Python's library may keep what a method of it finds outside: it
    is no value."""
    owner: Any = method.__self__
    return not isinstance(owner, type) and type(owner).__hash__ is None and (
        is_python(type(owner).__module__) and owner is not os.environ)


def read_anew(module: str, name: str) -> Any:
    """Returns the value of a name of a module of Python's library, as each run of the graph finds
    it."""
    return asked_by_the_run(_reader(module, name))()


@lru_cache
def _reader(module: str, name: str) -> Fn:
    def read() -> Any:
        return getattr(sys.modules[module], name)

    read.__name__ = read.__qualname__ = f"{module}.{name}"
    return read


def with_items(arguments: Any) -> Any:
    """Returns arguments with iterators of the run in place of those that the trace reads."""
    if isinstance(arguments, dict):
        return {name: _iterator(x) for name, x in arguments.items()}
    return tuple(map(_iterator, arguments))


def _is_read(x: Any) -> bool:
    return class_has(type(x), "__ag_rest__") or (
        isinstance(x, BUILTIN_ITERATORS) and not trace.from_outside(x))


def _iterator(x: Any) -> Any:
    if not _is_read(x):
        return x
    known = x if class_has(type(x), "__ag_rest__") else cursor_of(x)
    items = known.__ag_rest__()
    known.__ag_hand_over__()
    return apply(ITER, items)


ITER = pure(iter)
BUILTIN_ITERATORS: tuple[type, ...] = (
    enumerate, filter, map, reversed, zip, type(iter([])), type(iter(())))


def _call(self: Tensor, *args: Any, **kwargs: Any) -> Any:
    """Record a call of what only the run knows: a method of an object of a library, say. It may
    keep the objects that it is given, so those that hold symbolic values are the run's."""
    if any(map(_is_read, (*args, *kwargs.values()))):
        args, kwargs = read_ahead((args, kwargs), lambda: [*map(with_items, (args, kwargs))])
    for x in all_leaves((args, kwargs)):
        if is_symbolic_object(x) and is_object(x):
            here = trace.current_region()
            need_object(x if here and here.trace.allocations.is_known(x) else None,
                        "is given to a function that only the run knows")
    need_objects_of_run("may be changed by a function that only the run knows", by_methods=True)
    made = with_callbacks(call_object, (self, *args), kwargs, changes_arguments=True)
    return call_value(self, args, kwargs) if made is NotImplemented else made


METHODS: dict[str, Any] = {"__call__": _call}
"""Name -> method of Tensor."""


def _op(function: Any) -> Op:
    op = opaque(function)
    if may_draw(function):
        op = replace(op, effect="random")
    if type(function) in (MethodType, BuiltinMethodType) and not isinstance(
            function.__self__, (type, ModuleType)):  # a function in C belongs to its module
        return replace(op, kernel=_without_changes(function), emit="")
    return op


def is_refused(function: Any, as_written: bool, refused: Collection[Any]) -> bool:
    """Returns True if the graph calls a function or class, in a trace in which some functions are
    closed as they refused a symbolic value.

    as_written  there is no replacement of it: a function of Python's library may read what the
                closed ones write, and keeps its place among them; they may change an object.
    """
    if isinstance(function, type):
        own: Any = function
        return is_python(own.__module__) and own.__module__ != "builtins" and (
            any(isinstance(x, type) and issubclass(x, own) for x in refused)
            or (as_written and compares_by_identity(own)
                and not issubclass(own, BaseException)))
    code = held(held(function, "__func__", function), "__code__", None)
    if (code is not None and code in refused) or (
            _lru_cache_wrapper in refused and is_of_cache(function)):
        return True
    module = held(function, "__module__") or ""
    as_written = as_written or package_of(module) in FUNCTION_MODULES
    return as_written and module != "builtins" and is_python(module) and (
        code is None or code.co_filename.startswith(LIBRARIES))


def is_of_cache(function: Any) -> bool:
    """Returns True for a function of `functools.lru_cache`, and for what tells or clears it. Its
    results and counts are the run's in a trace that asks for them."""
    return _lru_cache_wrapper in (
        type(held(function, "__func__", function)), type(held(function, "__self__")))


def _is_entered(function: Any) -> bool:
    """Returns True for a class, or a function of `contextlib.contextmanager`, whose results are
    made for `with` statements."""
    if isinstance(function, type):
        return hasattr(function, "__enter__")
    code = held(function, "__code__")
    return code is not None and code.co_filename.endswith("contextlib.py")


def _without_changes(method: Any) -> Fn:
    """Returns a function that calls a method of an object from outside the traced function.

    It raises an error if the call sets an attribute of the object: the trace has read others.
    """
    owner = method.__self__

    @wraps(method, updated=())
    def called(*args: Any, **kwargs: Any) -> Any:
        before = dict(attributes_of(owner))
        result = method(*args, **kwargs)
        after = attributes_of(owner)
        changed = [name for name in {**before, **after} if not same_constant(
            before.get(name, method), after.get(name, method))]
        if changed:
            raise InvalidArgumentError(
                f"{type(owner).__name__}.{method.__name__} sets the attribute {changed[0]!r} of an "
                "object from outside the function\n  hint: pass the object as an argument of the "
                "function, or make it there")
        return result

    return called
