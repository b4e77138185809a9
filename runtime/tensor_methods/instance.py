"""Objects of the user's classes that only the run knows: their attributes, read and set.

In a trace that holds objects of the graph, a value of unknown type may be an instance of any class.
So its attributes are read when the graph runs, also those that arrays have.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from autograph.libraries import is_library
from autograph.runtime.heap.objects_of_run import need_objects_of_run
from autograph.runtime.heap.run_time_containers import check_merging, embedded_arguments
from autograph.runtime.ir.errors import SymbolicValueError, at
from autograph.runtime.ir.graph import Value
from autograph.runtime.ir.types import (
    DYNAMIC,
    ArrayType,
    DynamicType,
    PyType,
    Type,
    class_name,
    is_container,
)
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor, apply, put_handle
from autograph.runtime.tensor_methods.entered_objects import ENTER, LEAVE, refuse_exception


class Instance(Tensor):
    """A value of unknown type, in a trace that holds objects of the graph."""

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        if name[:2] == "__" or _is_internal(sys._getframe(1)):
            return super().__getattribute__(name)
        if name == "keys":
            check_merging(self, sys._getframe(1))
        return apply("getattr_", self, name)

    def __enter__(self) -> Any:
        return apply(ENTER, self)

    def __exit__(self, kind: object, error: Any, traceback: object) -> None:
        if kind is None:
            apply(LEAVE, self)
        else:
            refuse_exception(error)


class Dynamic(Tensor):
    """A value of unknown type, in a trace without objects of the graph: an array, or an object
    whose attributes may be named like what only this library calls."""

    __slots__ = ()


class OfClass(Tensor):
    """A value of a class of Python's, such as a deque: it has the attributes of that class alone.
    """

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        if name[0] != "_" and not _is_internal(sys._getframe(1)):
            t: Any = object.__getattribute__(self, "_handle").value.type
            if not hasattr(t.cls, name):
                raise AttributeError(f"{class_name(t)!r} object has no attribute {name!r}")
        return super().__getattribute__(name)


OfClass.__name__ = Tensor.__name__  # by which errors are known that are about symbolic values


INTERNAL = ("_handle", "bound", "read", "type", "write")
"""The attributes of a symbolic value that the user's program does not see."""


def _internal(name: str) -> property:
    inherited = vars(Tensor)[name]

    def attribute(self: Tensor) -> Any:
        if _is_internal(sys._getframe(1)):
            return inherited.__get__(self, Tensor)
        return apply("getattr_", self, name)

    return property(attribute)


for _name in INTERNAL:
    setattr(Dynamic, _name, _internal(_name))


def _is_internal(frame: FrameType) -> bool:
    """Returns True for a frame of a library, or of ours; False for the user's program."""
    return is_library(frame.f_globals.get("__name__", ""))


def _new(cls: type[Tensor], value: Value, *args: Any) -> Tensor:
    try:
        if cls is Tensor and value.type.__class__ is not ArrayType:
            cls = _class_for(value.type)
    except AttributeError:
        raise TypeError(f"a trace makes tensors; ag.Tensor makes none of {type(value).__name__}\n"
                        "  hint: write np.asarray(…), and pass the array to the function") from None
    made: Tensor = object.__new__(cls)
    return made


def _class_for(t: Type) -> type[Tensor]:
    """Returns the class of the symbolic values of a type that is no array's."""
    if t == DYNAMIC and trace.holds_objects():
        return Instance
    has_attributes = isinstance(t, DynamicType) or (
        isinstance(t, PyType) and any(hasattr(t.cls, name) for name in INTERNAL))
    return Dynamic if has_attributes else OfClass if is_container(t) else Tensor


def _set_attribute(self: Tensor, name: str, value: Any) -> None:
    ours = hasattr(type(self), name) and (_is_internal(sys._getframe(1)) or not (
        name in INTERNAL or _is_hidden(self, name)))
    if ours and name == "_handle":
        put_handle(self, value)
    elif ours:
        object.__setattr__(self, name, value)
    else:
        _store(self, name, value)


def _is_hidden(x: Tensor, name: str) -> bool:
    """Returns True if an attribute of the symbolic value is not what the user's program means."""
    return type(x) is Instance or (type(x) is Dynamic and name in INTERNAL)


def _store(self: Tensor, name: str, value: Any) -> None:
    _check_object(self, name)
    args, _ = embedded_arguments((value,), {})
    apply("store_attribute", self, name, *args)


def _read_for_user(self: Tensor, name: str) -> Any:
    return apply("getattr_", self, name) if _is_hidden(self, name) else getattr(self, name)


def _write_for_user(self: Tensor, name: str, value: Any) -> None:
    if _is_hidden(self, name):
        _store(self, name, value)
    else:
        setattr(self, name, value)


def _delete_attribute(self: Tensor, name: str) -> None:
    _check_object(self, name)
    apply("delete_attribute", self, name)


def _check_object(x: Tensor, name: str) -> None:
    """Refuse a value that cannot be an object with attributes, or whose attributes the trace cannot
    set; ask for a trace that can."""
    t = x._handle.value.type
    if not isinstance(t, DynamicType):
        raise AttributeError(f"{class_name(t)!r} object has no attribute {name!r}")
    need_objects_of_run(f"may be the object of which the attribute {name!r} is set")
    if not trace.holds_objects():
        trace.want_one("is an object whose attributes are set, and known only when the graph runs")
        raise SymbolicValueError(
            f"the attribute {name!r} is set on an object that is known only when the graph runs"
            f"{at(user_location())}\n  hint: hold the values in arrays")


METHODS: dict[str, Any] = {"__new__": staticmethod(_new), "__setattr__": _set_attribute,
                           "__delattr__": _delete_attribute, "_read_for_user": _read_for_user,
                           "_write_for_user": _write_for_user}
"""Name -> method of Tensor that makes one, or reads and sets its attributes."""
