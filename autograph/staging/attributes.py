"""`hasattr`, `getattr`, `setattr` and `delattr`, with names or answers that depend on the run."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping
from functools import partial, wraps
from inspect import getattr_static
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    FunctionType,
    MethodDescriptorType,
    WrapperDescriptorType,
)
from typing import Any

import numpy as np

from autograph.operators.control_flow import cond
from autograph.operators.logical import in_
from autograph.own_attributes import declared_attributes
from autograph.runtime.control_flow.cond import raise_value
from autograph.runtime.heap.attributes_in_c import storing
from autograph.runtime.heap.locations import Attributes, attribute_locations
from autograph.runtime.heap.needed_objects import need_object
from autograph.runtime.heap.objects import contents_of, is_instance
from autograph.runtime.heap.run_time_containers import has_tensor
from autograph.runtime.heap.selected_objects import MANY, SelectedObject
from autograph.runtime.heap.store_targets import note_changed, note_target
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.types import ArrayType, PyType, is_maybe_undefined, known_class
from autograph.runtime.ir.undefined import is_bound, is_own
from autograph.runtime.ops import pure
from autograph.runtime.optimize.effects_and_exceptions import may_raise
from autograph.runtime.symbolic import operators
from autograph.runtime.symbolic.allocation_sites import is_plain_container
from autograph.runtime.symbolic.reading import as_read
from autograph.runtime.symbolic.record import record
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import METHODS, BoundMethod, Tensor, apply
from autograph.runtime.symbolic.trace import current_region
from autograph.runtime.symbolic.user_attributes import read_attribute, write_attribute


def class_of(x: Any) -> Any:
    """Returns the class of a symbolic value; None if it is not known."""
    return known_class(getattr(x, "type", None))


def _by_name(x: Any, name: Tensor, do: Callable[[str], Any],
             other: Callable[[], Any] | None = None) -> Any:
    """Returns `do(name)` for a symbolic name of an attribute: a branch for each that `x` has, and
    `other()` for another name; None: the run raises where it needs the value.

    Raises:
      TracingError: only the run knows what `x` has, or it has too many attributes.
    """
    names = [] if isinstance(x, Tensor) else [n for n in dir(x) if not n.startswith("__")]
    if not 0 < len(names) <= MANY:
        raise TracingError(
            "the name of an attribute is known only when the graph runs"
            f"{at(user_location())}\n  hint: keep the values in a dict, or write if statements")
    number = apply(pure(_position, lambda *types: PyType(int)), name, tuple(names),
                   type(x).__name__, other is not None)

    def pick(k: int) -> Any:
        if k == len(names):
            return other and other()
        if k == len(names) - 1 and other is None:
            return do(names[k])
        return cond(number == k, lambda: do(names[k]), lambda: pick(k + 1))

    return pick(0)


def _position(name: str, names: tuple[str, ...], cls: str, others: bool) -> int:
    """Returns where a name is among the attributes of an object of a class; their number if it is
    not and others are possible.

    Raises:
      AttributeError: in Python's words.
    """
    if name in names:
        return names.index(name)
    if others:
        return len(names)
    raise AttributeError(f"{cls!r} object has no attribute {name!r}")


def _of_missing(x: Any) -> Any:
    """Returns the user's `__getattr__` of an object's class; None if it has none."""
    found = builtins.getattr(type(x), "__getattr__", None)
    return found if type(found) is FunctionType else None


def _caught(x: Any, name: str, *default: Any) -> Any:
    """Returns an attribute as Python's own function finds it, which catches an AttributeError of
    the user's code. Where the run may raise one, the function runs again as plain Python."""
    here = current_region()
    assert here is not None
    before = len(here.graph.equations)
    value = builtins.getattr(x, name, *default)
    if any(map(may_raise, here.graph.equations[before:])):
        here.trace.handled = here.trace.caught = True
    return value


def _may_lack(cls: type, name: str) -> bool:
    """Returns True for a name of a class that an object of it may lack: one of `__slots__`, or of a
    property."""
    found = getattr_static(cls, name, None)
    return not name.startswith("__") and hasattr(type(found), "__get__") and not isinstance(
        found, ALWAYS_THERE)


ALWAYS_THERE = (FunctionType, staticmethod, classmethod, MethodDescriptorType, BuiltinFunctionType,
                ClassMethodDescriptorType, WrapperDescriptorType)
"""Classes of what a class has its methods as."""


def _hasattr(x: Any, name: Any) -> Any:
    if isinstance(name, Tensor) and not isinstance(x, (Tensor, SelectedObject)):
        if _of_missing(x) is not None:
            raise TracingError(
                f"whether the {type(x).__name__} has an attribute is asked of its `__getattr__`, "
                f"by a name that only the run knows{at(user_location())}\n"
                "  hint: call getattr without a default")
        if any(map(partial(_may_lack, type(x)), builtins.dir(x))):
            return _by_name(x, name, lambda known: _hasattr(x, known), lambda: False)
        return in_(name, names_in(x))
    if isinstance(x, Tensor):
        cls = class_of(x)
        return apply(pure(builtins.hasattr), x, name) if cls is None else (
            builtins.hasattr(cls, name))
    if type(x) is SelectedObject:
        return x.each(lambda one: _hasattr(one, name))
    try:
        value = _caught(x, name)
    except AttributeError:
        return False
    return _is_there(value) if _may_be_absent(value) else True


def _getattr(x: Any, name: Any, *default: Any) -> Any:
    if isinstance(name, Tensor) and type(x) is not SelectedObject:
        if not default:
            missing = _of_missing(x)
            return _by_name(x, name, lambda known: _getattr(x, known),
                            missing and (lambda: missing(x, name)))
        return cond(_hasattr(x, name), lambda: _getattr(x, name), lambda: default[0])
    if isinstance(x, Tensor) and type(name) is str and name.startswith("__") and not default:
        return _special(x, name)
    if isinstance(x, CONSTANTS) and type(name) is str and name in OF_VALUES:
        return _of_constant(builtins.getattr(x, name))
    if name in TEXTS and is_plain_container(x) and has_tensor(x):
        return lambda *args: apply(pure(TEXTS[name]), x, *args)
    if isinstance(x, Tensor) and default:
        cls = class_of(x)
        if cls is None:
            return apply(pure(builtins.getattr), x, name, *default)
        return builtins.getattr(x, name) if builtins.hasattr(cls, name) else default[0]
    if type(x) is SelectedObject:
        return x.each(lambda one: _getattr(one, name, *default))
    if not default:
        value = as_read(read_attribute(x, name))
        return known_names(value, x) if name == "__dict__" else value
    value = _caught(x, name, *default)
    if not _may_be_absent(value):
        return value
    return cond(_is_there(value), lambda: value.bound(free=False), lambda: default[0])


def _changing(function: Callable[..., Any], lacks: Callable[[str, str, str], Exception]
              ) -> Callable[..., Any]:
    """Returns the replacement of `setattr` or `delattr`, for names that only the run may know;
    `lacks` makes the error for a class and a name that its object does not have."""
    change: Callable[..., Any] = write_attribute if function is builtins.setattr else function

    @wraps(function)
    def replacement(x: Any, name: Any, *value: Any) -> None:
        if not isinstance(name, Tensor):
            if value:
                note_target(x, name)
            else:
                check_own(x, name)
            change(storing(x, name), name, *value)
        elif type(x) is SelectedObject:
            x.each(lambda one: replacement(one, name, *value))
        else:
            error = partial(lacks, type(x).__name__, at(user_location()))
            if (here := current_region()) is not None:
                here.trace.handled = True  # where the run refuses it, the call is plain Python's
            _by_name(x, name, lambda known: change(x, known, *value),
                     lambda: raise_value(apply(pure(error), name)))

    return replacement


def _cannot_set(cls: str, where: str, name: str) -> Exception:
    return TracingError(
        f"the name of an attribute is known only when the graph runs, and the {cls} that it is set "
        f"in has no {name!r} yet{where}\n  hint: give the object all its attributes first")


def _cannot_delete(cls: str, where: str, name: str) -> Exception:
    return AttributeError(f"{cls!r} object has no attribute {name!r}")


def _special(x: Tensor, name: str) -> Any:
    """Returns a special attribute of the value that a symbolic one stands for. Operators of arrays
    and methods of containers are the trace's; others are found when the graph runs."""
    cls = class_of(x)
    if name == "__class__":
        return cls or apply(pure(builtins.type), x)
    if cls is not None and not hasattr(cls, name):
        raise AttributeError(f"{cls.__name__!r} object has no attribute {name!r}")
    if cls in METHODS and callable(getattr(cls, name)):
        return BoundMethod(x, name)
    if isinstance(x.type, ArrayType) and hasattr(Tensor, name) and (
            name in operators.METHODS or name not in vars(object)):
        return NumberMethod(x, name) if x.type.scalar else builtins.getattr(x, name)
    return apply("getattr_", x, name)


def init_again(x: Tensor, *args: Any, **kwargs: Any) -> Any:
    """Called for `x.__init__(…)`: that of the value which a symbolic one stands for."""
    return _special(x, "__init__")(*args, **kwargs)


class NumberMethod(BoundMethod):
    """A special method of a symbolic NumPy number, which returns `NotImplemented` for some
    operands."""

    __slots__ = ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        known = not self.name.startswith("__r") and all(isinstance(
            v, (Tensor, int, float, complex, np.ndarray, np.generic)) for v in args)
        method: Any = builtins.getattr(self.container, self.name) if known else self.value()
        return method(*args, **kwargs)


def _of_constant(method: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a special method of a known number or text, which also takes symbolic operands."""
    @wraps(method)
    def called(*args: Any) -> Any:
        return apply(pure(method), *args) if has_tensor(args) else method(*args)

    return called


CONSTANTS = (int, float, complex, str, bytes, np.generic)
OF_VALUES = frozenset(operators.METHODS) | {"__divmod__", "__rdivmod__", "__round__", "__format__",
                                            "__contains__", "__getitem__", "__index__"}
"""The special methods of numbers and texts that take operands."""

TEXTS: dict[str, Callable[..., Any]] = {
    "__repr__": builtins.repr, "__str__": builtins.str, "__format__": builtins.format}
"""Special method -> what makes the same text of a container with symbolic values."""


def _may_be_absent(value: Any) -> bool:
    return isinstance(value, Tensor) and is_maybe_undefined(value.type)


def _is_there(value: Tensor) -> Tensor:
    """Record a test of whether a maybe-unbound value is bound. (Any other op would raise.)"""
    return Tensor(record(IS_BOUND, (value.read(),), {})[0])


def names_in(x: Any) -> Any:
    """Returns the names that `dir(x)` gives, of which only the run may know some."""
    names = builtins.dir(x)
    absent = {name: value for found in (Attributes(x), *attribute_locations(x))
              for name, value in found.read().items() if _may_be_absent(value)}
    return names if not absent else apply(
        pure(_those_there, lambda *types: PyType(list)), names, list(absent),
        list(map(_is_there, absent.values())))


def _those_there(names: list[str], absent: list[str], there: list[bool]) -> list[str]:
    lacking = {name for name, is_there in zip(absent, there, strict=True) if not is_there}
    return [name for name in names if name not in lacking]


def known_names(scope: Mapping[str, Any], owner: Any = None) -> Mapping[str, Any]:
    """Returns the variables of a module or function, or the attributes of an object, the `owner`,
    if it is known which exist.

    Raises:
      TracingError: only the run knows that.
      SymbolicValueError: so, and the object can be one of the graph.
    """
    for name, value in scope.items():
        if _may_be_absent(value):
            if is_instance(owner):
                need_object(owner, "has its attributes looked up, of which only the run knows some")
            raise TracingError(
                f"names are looked up, and only the run knows if "
                f"{name!r} exists{at(user_location())}\n"
                "  hint: give it a value such as None instead of deleting it")
    return scope


def check_own(x: Any, name: str) -> None:
    """Record a check that an object has an attribute itself, before that is deleted; note that.

    Raises:
      AttributeError: in the run, in Python's words.
    """
    if type(x) is SelectedObject:
        return  # each of its objects is checked
    value: Any = contents_of(x).get(name)
    if _may_be_absent(value):
        text = name if name in declared_attributes(type(x)) else (
            f"{type(x).__name__!r} object has no attribute {name!r}")
        error = AttributeError(text, name=name, obj=None)
        cond(Tensor(record(IS_OWN, (value.read(),), {})[0]), lambda: None,
             lambda: raise_value(error))
    note_changed(x, name)


IS_OWN = pure(is_own, lambda value: PyType(bool))
IS_BOUND = pure(is_bound, lambda value: PyType(bool))

ATTRIBUTES: dict[Callable[..., Any], Callable[..., Any]] = {
    builtins.hasattr: _hasattr, builtins.getattr: _getattr,
}
"""Python's builtin -> what it does while a function is traced."""

CHANGING: dict[Callable[..., Any], Callable[..., Any]] = {
    builtins.setattr: _changing(builtins.setattr, _cannot_set),
    builtins.delattr: _changing(builtins.delattr, _cannot_delete),
}
"""Python's builtin that changes attributes -> its replacement."""
