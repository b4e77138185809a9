"""Objects of the user's classes while a function is traced: their attributes, and copies of them.

A trace sees an instance of a user's class as the values of its attributes: its `__dict__`, its
`__slots__`, and for an exception its arguments and cause. So an object can be taken apart by
`contents_of` and a new one of its class made from these values by `build`, without calling the
user's `__init__`. That is how an object which a branch or a loop makes gets out of it: only its
attributes become values of the graph. Classes of libraries, functions and arrays are no objects in
this sense; `is_object` draws the line. How a trace goes on with one of two objects is in
`selected_objects`.
"""

from __future__ import annotations

import copy
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Collection, Container, Iterable
from dataclasses import dataclass
from functools import partial, reduce
from types import (
    BuiltinFunctionType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
    SimpleNamespace,
)
from typing import Any, NoReturn

import numpy as np

from autograph.libraries import OF_CLASSES, is_closed_class, is_library, package_of
from autograph.own_attributes import (
    declared_attributes,
    defines,
    held,
    held_among,
    in_class,
    own_dict,
)
from autograph.runtime.ir.buffers_of_numbers import BUFFERS
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.graph import NESTS, Value, leaves
from autograph.runtime.ir.own_contents import container, content
from autograph.runtime.ir.pytree import (
    LEAVES,
    PLAIN_CONTAINERS,
    before_pairs,
    children,
    field_names,
    is_mutable_data_class,
    is_nest_class,
)
from autograph.runtime.ir.types import CONTAINERS, DYNAMIC, WRITTEN_IN_C, may_have_memory
from autograph.runtime.ir.undefined import (
    MARKERS,
    AbsentAttribute,
    ClassAttribute,
    is_constant,
    is_undefined,
)
from autograph.runtime.ops import OPS, Op, opaque
from autograph.runtime.symbolic.allocation_sites import parts_of
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.trace import current_region

NO_STATE = ("autograph", "logging")
"""Packages whose objects are no state of the program: ours, which also logs while it traces."""

_LIBRARIES = (*NO_STATE, "numpy", "builtins", "typing")
"""Packages of whose classes no instance is an object: the aliases of `typing` are values."""

_NO_OBJECTS = (FunctionType, MethodType, partial, ModuleType, type, np.ndarray)


@dataclass(frozen=True)
class _Facts:
    """The answers of a class about its instances.

    with_dict  True if an instance that has a `__dict__` is an object.
    without    True if one that has none is one, too.
    fields     True for a data class of the user's.
    built      True if another instance can be made from the attributes of one alone.
    plain      True if an instance that is an object holds what is in its `__dict__`, and no more.
    declared   the attributes in `__slots__`.
    walked     True if all that an instance leads to is in its `__dict__`, or its class: none of its
               bases is written in C or of a library.
    make       what makes an instance without attributes; no `__new__` that is written in Python.
    """

    with_dict: bool
    without: bool
    fields: bool
    built: bool
    plain: bool
    declared: tuple[str, ...]
    walked: bool
    make: Callable[[type], Any]

    def make_object(self, x: Any) -> bool:
        """Returns True if an instance is an object."""
        return self.with_dict and (self.without or own_dict(x) is not None)


MORE_THAN_A_DICT = (BaseException, threading.local, *CONTAINERS, *BUFFERS)
"""Classes whose instances hold more than their `__dict__` shows."""


def _facts_of(cls: type) -> _Facts:
    known: _Facts | None = OF_CLASSES.values.get(id(cls))
    if known is not None:
        return known
    module = module_of(cls)
    nest, own, declared = is_nest_class(cls), not is_library(module), declared_attributes(cls)
    with_dict = not (nest or package_of(module) in _LIBRARIES or issubclass(cls, _NO_OBJECTS)
                     or is_closed_class(cls))
    found = _Facts(
        with_dict, with_dict and own and bool(declared),
        own and field_names(cls) is not None and not issubclass(cls, type), _can_be_built(cls),
        with_dict and not declared and not issubclass(cls, MORE_THAN_A_DICT) and (
            type(in_class(cls, "__dict__")) is GetSetDescriptorType),
        tuple(declared), not declared and _is_users_throughout(cls), allocator(cls))
    OF_CLASSES.put(cls, found)
    return found


def _is_users_throughout(cls: type) -> bool:
    """Returns True for a class without a base in C or of a library, whose instances say the truth
    about their class and attributes."""
    return (cls is not object and not any(is_library(module_of(x)) for x in cls.__mro__[:-1])
            and type(in_class(cls, "__dict__")) is GetSetDescriptorType
            and in_class(cls, "__class__") is vars(object)["__class__"]
            and not any(defines(cls, name) for name in OUR_NAMES))


OUR_NAMES = ("__ag_references__", "__ag_bound__")
"""What a class of ours has that tells how its objects are walked through."""


def attributes_alone(x: Any) -> dict[str, Any] | None:
    """Returns the `__dict__` of an object of the user's that leads to nothing but what that holds,
    and its class; None for anything else."""
    facts = OF_CLASSES.values.get(id(type(x))) or _facts_of(type(x))
    own = object.__getattribute__(x, "__dict__") if facts.walked else None
    return own if type(own) is dict else None


def is_object(x: Any) -> bool:
    """Returns True for an instance of a user's class that has attributes, and for an exception."""
    return issubclass(type(x), BaseException) or _facts_of(type(x)).make_object(x)


def module_of(cls: type) -> str:
    """Returns the name of the module of a class; "" for one that `exec` made with globals that have
    no `__name__`, which Python counts among its own.

    >>> module_of(dict), module_of(type("Made", (), {"__module__": "builtins"}))
    ('builtins', '')
    """
    module = cls.__module__
    return "" if module == "builtins" and not cls.__flags__ & WRITTEN_IN_C else module


def is_instance(x: Any) -> bool:
    """Returns True for an object of a user's class or data class of which another one can be made
    from its attributes."""
    facts = _facts_of(type(x))
    return facts.built and not issubclass(type(x), BaseException) and (
        facts.fields or facts.make_object(x))


def is_known(x: Any, outside: Container[int]) -> bool:
    """Returns True if the id of an object, or that of its `__dict__`, is among those given."""
    own = own_dict(x)
    return id(x) in outside or (own is not None and id(own) in outside)


# -- attributes -----------------------------------------------------------------------------------


OF_ERRORS = ("args", "__cause__")
"""The state of an exception besides its attributes."""


def contents_of(x: Any) -> dict[str, Any]:
    """Returns all that an object consists of, by name: the declared and the other attributes."""
    of_errors = OF_ERRORS if isinstance(x, BaseException) else ()
    names = (*of_errors, *_facts_of(type(x)).declared)
    own = own_dict(x) or {}
    return {**held_among(x, names), **own} if names else {**own}


def holds_its_dict_alone(cls: type) -> bool:
    """Returns True if objects of a class hold what is in their `__dict__`, and no more."""
    return _facts_of(cls).plain


def parts_held(x: Any) -> Collection[Any] | None:
    """Returns what a container or an object holds; None for any other value. Walks through what a
    call is given ask this for each object.

    >>> list(parts_held({"a": 1})), parts_held(2)
    ([1], None)
    """
    cls = type(x)
    if cls in PLAIN_CONTAINERS:
        return x.values() if cls is dict else x  # type: ignore[no-any-return]
    if cls in LEAVES:
        return None
    own: Any
    if _facts_of(cls).plain:
        own = object.__getattribute__(x, "__dict__")
        return own.values()  # type: ignore[no-any-return]
    if is_instance(x):
        return contents_of(x).values()
    parts = parts_of(x)
    own = None if parts is None else own_dict(x)
    return [*parts, *own.values()] if parts is not None and own else parts


def attributes_of(x: Any) -> dict[str, Any]:
    """Returns the `__dict__`, or an empty dict if there is none."""
    return own_dict(x) or {}


MISSING = object()


def aligned_attributes(owner: Any, *contents: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    """Returns the attributes that an object has on several paths, such as both sides of a branch,
    under the same names in the same order.

    Where a path lacks an attribute, the result holds a marker: when the graph runs, reading that
    gives the value that the class has, or raises an AttributeError.
    """
    start: Iterable[str] = ()
    names = list(reduce(_in_order, contents, start))
    for c in contents:
        if [name for name in names if name in c] != list(c):
            refuse_order(owner)
    return tuple({name: c[name] if name in c else _absent(owner, name, contents) for name in names}
                 for c in contents)


def refuse_order(owner: Any) -> NoReturn:
    """Refuses an object whose attributes come in an order that only the run knows.

    Raises:
      TracingError: always.
    """
    raise TracingError(
        f"the order of the attributes of a {type(owner).__name__} object depends on the run, and "
        f"`vars` shows it{at(user_location())}\n"
        "  hint: set the attributes in `__init__`, and do not delete them")


def _in_order(a: Iterable[str], b: Iterable[str]) -> Iterable[str]:
    """Returns the names of both, in the order of each where these agree.

    >>> list(_in_order(["a", "c"], ["b", "a", "d", "c"]))
    ['b', 'a', 'd', 'c']
    """
    known, waiting, found = set(a), list(b), dict[str, None]()
    if known.issuperset(b):
        return dict.fromkeys(a)
    for name in a:
        while name in waiting and waiting[0] != name and waiting[0] not in known:
            found[waiting.pop(0)] = None
        found[name] = None
        waiting = [x for x in waiting if x != name]
    return found | dict.fromkeys(waiting)


def _absent(owner: Any, name: str, contents: Collection[dict[str, Any]]) -> AbsentAttribute:
    """Returns what stands for an attribute that an object does not have on a path.

    contents: the attributes on all paths.

    Raises:
      TracingError: its class has an attribute there that can change, or computes it: what is read
        depends on the path.
    """
    bases = owner.__mro__[1:] if isinstance(owner, type) else type(owner).__mro__
    holder = next((base for base in bases if name in vars(base)), None)
    found = MISSING if holder is None else vars(holder)[name]
    named = f"type object '{owner.__name__}'" if isinstance(owner, type) else (
        f"'{type(owner).__name__}' object")
    if is_constant(found) and all(_is_value(c[name]) for c in contents if name in c):
        here = current_region()
        if here is not None:
            here.trace.read_of_classes.add((id(holder), name))
        return ClassAttribute(name, named, found)
    of_class = found is not MISSING and type(found) is not MemberDescriptorType
    if of_class or any("__getattr__" in vars(base) for base in bases):
        if (here := current_region()) is not None and not isinstance(owner, type):
            here.trace.want(owner, f"gets the attribute {name!r}, which its class has or computes")
        raise TracingError(
            f"a staged branch or loop sets the attribute {name!r} of a {named}, which its class "
            f"has or computes while it is not set{at(user_location())}\n"
            f"  hint: set the attribute before the branch or loop, as in x.{name} = x.{name}, or "
            "in `__init__`")
    return AbsentAttribute(name, named)


def _is_value(x: Any) -> bool:
    """Returns True for a number, text or None, of the graph or a constant."""
    if is_constant(x) or is_undefined(x):
        return True
    if children(x) is not None or package_of(type(x).__module__) != "autograph":
        return False
    handle = getattr(x, "_handle", None) or getattr(x, "handle", None)  # a tensor, or what was one
    return handle is not None and (
        handle.value.type == DYNAMIC or not may_have_memory(handle.value.type))


# -- making objects -------------------------------------------------------------------------------


def can_be_built(x: Any) -> bool:
    """Returns True if another object of this class can be made from its attributes alone."""
    return _facts_of(type(x)).built


def _can_be_built(cls: type) -> bool:
    make = allocator(cls)
    return make is object.__new__ or cls is SimpleNamespace or (
        issubclass(cls, BaseException) and type(make) is BuiltinFunctionType)


def allocator(cls: type) -> Any:
    """Returns what a `__new__` that is written in Python calls in the end: that of the first base
    in C."""
    return next(make for base in cls.__mro__
                if type(make := vars(base).get("__new__")) is BuiltinFunctionType)


def build(cls: type, names: tuple[str, ...], *values: Any) -> Any:
    """Returns a new object of a class with these attributes, but those that it may lack and does;
    does not call `__new__` or `__init__` of the user's."""
    facts = _facts_of(cls)
    made = facts.make(cls)
    if facts.plain and MARKERS.isdisjoint(map(type, values)):
        made.__dict__.update(zip(names, values, strict=True))
        return made
    attributes = dict(zip(names, values, strict=True))
    if not MARKERS.isdisjoint(map(type, values)):
        attributes = {name: x for name, x in attributes.items() if not is_undefined(x)}
    if facts.declared or issubclass(cls, BaseException):
        set_attributes(made, attributes)
    elif attributes:
        made.__dict__.update(attributes)
    return made


def set_attributes(x: Any, attributes: dict[str, Any]) -> None:
    """Sets the attributes of an object without calling the class's own `__setattr__`."""
    of_errors = OF_ERRORS if isinstance(x, BaseException) else ()
    declared = {*of_errors, *declared_attributes(type(x))}
    for name, value in attributes.items():
        if name not in declared:
            x.__dict__[name] = value
        elif name != "__cause__" or value is not None:  # to set the cause hides the context
            object.__setattr__(x, name, value)


def with_attributes(x: Any, names: tuple[str, ...], *values: Any) -> Any:
    """Returns a new container of a user's class, with these attributes from now on."""
    set_attributes(x, dict(zip(names, values, strict=True)))
    return x


def filled(cls: type, held: list[Any], names: tuple[str, ...], *values: Any) -> Any:
    """Returns a new container of a class with this `content`, and with these attributes."""
    return with_attributes(container(cls, *held), names, *values)


def copied(x: Any) -> Any:
    """Returns a copy of an object; of a container as Python's own class makes it, with its
    attributes: no method of the user's is called."""
    if type(x) in CONTAINERS or not issubclass(type(x), CONTAINERS):
        return copy.copy(x)
    found = contents_of(x)
    return filled(type(x), content(x), tuple(found), *found.values())


def as_operand(nest: Any, record: Callable[[Op, tuple[Any, ...]], Value],
               keep: Callable[[Any], bool] = lambda x: False) -> Any:
    """Returns a nest in the form that equations take as an operand: tuples, lists, dicts, slices.

    Any other container that holds values, such as a named tuple, or that can be changed, such as an
    object of a data class, is built by an equation, which `record` appends; but for those to
    `keep`.
    """
    found = children(nest)
    if found is None or keep(nest):
        return nest
    parts = [as_operand(x, record, keep) for x in found[1]]
    if type(nest) in NESTS:
        return found[2](parts)
    if not is_made_anew(nest, keep) and not any(isinstance(v, Value) for v in leaves(parts)):
        return nest
    return record(*_building(nest, found[2], parts))


def is_made_anew(nest: Any, keep: Callable[[Any], bool]) -> bool:
    """Returns True for a container that has no display, and that holds or is what can be changed:
    each run makes another one. Those to `keep` are not looked at."""
    found = None if keep(nest) else children(nest)
    if found is None:
        return False
    if type(nest) in (OrderedDict, defaultdict) or is_mutable_data_class(nest) or (
            held(type(nest), "__eq__") is held(object, "__eq__") and is_instance(nest)):
        return True
    return any(is_made_anew(x, keep) or (
        type(nest) not in NESTS and type(x) in (list, dict, set)) for x in found[1])


def _building(nest: Any, rebuild: Callable[[list[Any]], Any], parts: list[Any]
              ) -> tuple[Op, tuple[Any, ...]]:
    """Returns the op and the operands that build a container like `nest` from other parts."""
    cls = type(nest)
    if cls is OrderedDict or cls is defaultdict:
        return OPS["construct"], (
            cls, *before_pairs(nest), tuple(zip(nest, parts, strict=True)))
    if isinstance(nest, tuple):
        return OPS["construct"], (cls, *parts)
    return opaque(_rebuilt), (rebuild, *parts)


def _rebuilt(rebuild: Callable[[list[Any]], Any], *parts: Any) -> Any:
    return rebuild(list(parts))
