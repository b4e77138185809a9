"""Selected objects: one of several objects, where only the run knows which.

`a if pred else b` on two objects cannot become one value, because each of the two may be known
elsewhere by identity. So the trace goes on with a `SelectedObject` that knows both and the
condition. Every operation on it is recorded as a staged branch which does that operation to one
object on each side. To hand objects out of a region they are flattened: a `FlattenedObject` and a
`FlattenedSelection` are nests whose leaves are values of the graph; `unflattened` makes real
objects of them again.
"""

from __future__ import annotations

import copy
import operator
import sys
from collections.abc import Callable, Iterator
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, NoReturn
from weakref import getweakrefcount

import numpy as np

from autograph.extension_points import POINTS
from autograph.libraries import is_library, package_of
from autograph.own_attributes import held, in_class
from autograph.runtime.heap.new_objects import is_new
from autograph.runtime.heap.objects import (
    as_operand,
    build,
    can_be_built,
    contents_of,
    is_known,
    is_object,
)
from autograph.runtime.heap.selected_fields import Fields, fields_of_object
from autograph.runtime.ir.call_frames import is_class_pattern, is_in_place
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.graph import Graph, Value
from autograph.runtime.ir.pytree import all_leaves, children, is_immutable_nest
from autograph.runtime.ir.types import DYNAMIC
from autograph.runtime.ops import OPS, opaque
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.allocation_sites import EVERY, is_plain_container
from autograph.runtime.symbolic.record import record
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import NAMES, BoundMethod, Tensor, apply, lower
from autograph.runtime.symbolic.user_attributes import read_attribute, write_attribute

_CALLABLE = (FunctionType, MethodType, partial, BuiltinFunctionType, type, np.ufunc, BoundMethod)

MANY = 16
"""Up to so many objects are selected by branches; of more, the run selects one."""


class Origin:
    """An object that was flattened. Flattened objects have one structure whatever their origin."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return type(other) is Origin

    def __hash__(self) -> int:
        return hash(Origin)


class Flattened:
    """Something that a region made, as a nest: what is in it, and how it is made again."""

    __slots__ = ("values",)

    values: list[Any]

    def build(self, values: list[Any]) -> Any:
        """Returns another one, with these values."""
        raise NotImplementedError


class FlattenedObject(Flattened):
    """An object that a region made, as a nest: its class, and its attributes by name.

    origin  the object itself.
    """

    __slots__ = ("cls", "names", "origin")

    def __init__(self, cls: type, names: tuple[str, ...], values: list[Any], origin: Origin
                 ) -> None:
        self.cls = cls
        self.names = names
        self.values = values
        self.origin = origin

    def __ag_flatten__(self) -> tuple[Any, list[Any]]:
        return (self.cls, self.names, self.origin), self.values

    @classmethod
    def __ag_unflatten__(cls, metadata: Any, values: list[Any]) -> FlattenedObject:
        kind, names, origin = metadata
        return cls(kind, names, values, origin)

    def build(self, values: list[Any]) -> Any:
        """Returns the object with these values of its attributes."""
        return build(self.cls, self.names, *values)


class FlattenedSelection(Flattened):
    """A `SelectedObject` as a nest: the condition and the two objects.

    fields  the numbers that it has as attributes, whichever object it is; None if they are not
            known. They are no leaves of the nest.
    """

    __slots__ = ("fields",)

    def __init__(self, values: list[Any], fields: dict[str, Any] | None = None) -> None:
        self.values = values
        self.fields = fields

    def __ag_flatten__(self) -> tuple[Any, list[Any]]:
        return None, self.values

    @classmethod
    def __ag_unflatten__(cls, metadata: Any, values: list[Any]) -> FlattenedSelection:
        return cls(values)

    def build(self, values: list[Any], fields: dict[str, Any] | None = None) -> Any:
        """Returns the selection; one of its objects, if the condition is known."""
        pred, a, b = values
        if not isinstance(pred, Tensor):
            return a if pred else b
        return SelectedObject(pred, a, b, fields)


class ObjectIndex:
    """One of several objects as a nest: its index among them, the only leaf."""

    __slots__ = ("index", "objects")

    def __init__(self, objects: tuple[Any, ...], index: Any) -> None:
        self.objects = objects
        self.index = index

    def __ag_flatten__(self) -> tuple[Any, list[Any]]:
        return tuple(map(id, self.objects)), [self.index]

    def build(self, index: Any) -> Any:
        """Returns the selected object of an index that only the run knows."""
        made = self.objects[-1]
        for number, x in reversed(list(enumerate(self.objects[:-1]))):
            made = SelectedObject(index == number, x, made)
        return made


def kind_of(x: Any) -> type:
    """Returns the class of an object, or that of the objects of a selection with fields."""
    return x._fields.kind if type(x) is SelectedObject else type(x)


def fields_of(x: Any) -> tuple[type, dict[str, Any], list[Any]] | None:
    """Returns the class of an object, its attributes, if it is nothing else, and itself; of a
    selection the attributes that it has whichever object it is, and the objects."""
    if type(x) is SelectedObject:
        known = x.fields()
        return None if known is None else (known.kind, known.values, known.objects())
    found = fields_of_object(x)
    return None if found is None else (type(x), found, [x])


class SelectedObject:
    """The result of `a if pred else b`, where a or b is an object.

    Every operation on it becomes a staged branch, which does it to `a` on one side and to `b` on
    the other. But where the join knows what it has as attributes, whichever object it is (`fields`:
    numbers), these are read as they are, and its methods are called once.
    """

    __slots__ = ("_a", "_b", "_count", "_fields", "_pred")
    __ag_records__ = True

    def __init__(self, pred: Tensor, a: Any, b: Any, fields: dict[str, Any] | None = None) -> None:
        a, b = (x._a if type(x) is SelectedObject and x._a is x._b else x for x in (a, b))
        count = sum(x._count if type(x) is SelectedObject else 1 for x in (a, b))
        known = [(x, x._fields if type(x) is SelectedObject else None) for x in (a, b)]
        self._hold(a, b, count, Fields(kind_of(a), fields, known) if fields else None)
        del known  # who refers to the objects is counted
        object.__setattr__(self, "_pred", pred)
        if not fields:
            self._check_count()

    def _hold(self, a: Any, b: Any, count: int, fields: Fields | None) -> None:
        for name, value in (("_a", a), ("_b", b), ("_count", count), ("_fields", fields)):
            object.__setattr__(self, name, value)

    def _check_count(self) -> None:
        if self._count > MANY:
            _prefer_run_time()

    def fields(self) -> Fields | None:
        """Returns its attributes, if they are known whichever object it is. If nothing else refers
        to these objects, it is one object from now on."""
        known: Fields | None = self._fields
        if known is None or not known.hold():
            return None
        if self._a is not self._b and self._is_all_that_refers():
            made = build(known.kind, tuple(known.values), *known.values.values())
            known = Fields(known.kind, known.values, [(made, None)])
            self._hold(made, made, 1, known)
        return known

    def _is_all_that_refers(self) -> bool:
        """Returns True if no one can tell one of the objects from a new one: nothing refers to
        them but this, and nothing notices their end."""
        if SelectedObject in (type(self._a), type(self._b)) or in_class(
                type(self._a), "__del__") is not None:
            return False
        # Of each there is an attribute of this, an item of `Fields`, and the argument.
        return sys.getrefcount(self._a) == sys.getrefcount(self._b) == 3 and not (
            getweakrefcount(self._a) or getweakrefcount(self._b))

    def parts(self) -> tuple[Tensor, Any, Any]:
        """Returns the condition and the two objects."""
        return self._pred, self._a, self._b

    def each(self, do: Callable[[Any], Any]) -> Any:
        """Returns `do(a) if pred else do(b)`, staged."""
        a, b = self._a, self._b
        if a is b:
            return do(a)
        self._check_count()
        return POINTS.stage_branch(self._pred, lambda: do(a), lambda: do(b))

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        if is_class_pattern(sys._getframe(1)):
            self._refuse("a `match` statement asks for the class of an object that a staged branch "
                         "selected", "test it with isinstance in an `if` statement")
        return SelectedObject

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__") and name not in (*NAMES, "__next__"):
            raise AttributeError(name)
        if (fields := self.fields()) is not None:
            if name in fields.values:
                return fields.values[name]
            if (method := fields.method(name)) is not None:
                return MethodType(method, self)
        return self.each(lambda x: read_attribute(x, name))

    def __setattr__(self, name: str, value: Any) -> None:
        self.each(lambda x: write_attribute(x, name, value))

    def __delattr__(self, name: str) -> None:
        self.each(lambda x: POINTS.operators().converted(delattr)(x, name))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.each(lambda x: x(*args, **kwargs))

    def __copy__(self) -> Any:
        return self.each(POINTS.operators().converted(copy.copy))

    def __deepcopy__(self, memo: Any) -> Any:
        return self.each(POINTS.operators().converted(copy.deepcopy))

    def __getitem__(self, index: Any) -> Any:
        return self.each(lambda x: POINTS.operators().getitem(x, index))

    def __setitem__(self, index: Any, value: Any) -> None:
        self.each(lambda x: operator.setitem(x, index, value))

    def __bool__(self) -> bool:
        self._refuse("the truth of an object that a staged branch selected is asked for",
                     "test the object in converted code")

    def __iter__(self) -> NoReturn:
        self._refuse("Python iterates over an object that a staged branch selected",
                     "write a `for` statement on both sides of the branch")

    def __enter__(self) -> NoReturn:
        self._refuse("a `with` statement enters an object that a staged branch selected",
                     "write a `with` statement on both sides of the branch")

    def __exit__(self, *raised: object) -> None:
        """Is never called; Python looks for it before it enters."""

    def _refuse(self, what: str, instead: str) -> NoReturn:
        raise TracingError(f"{what}, but which object that is, is known only when the graph runs"
                           f"{at(user_location())}\n  hint: {instead}")


def _prefer_run_time() -> None:
    """Abandons the trace, if another one with objects of the graph has not been tried."""
    here = trace.current_region()
    if here is None:
        return
    here.trace.want(EVERY, f"is one of more than {MANY} objects that branches choose from")
    if here.trace.retrace_helps:
        raise TracingError(f"a branch chooses from many objects{at(user_location())}")
    here.trace.request.containers.pop()


def _forward(function: Callable[..., Any], name: str = "") -> Callable[..., Any]:
    def method(self: SelectedObject, *others: Any) -> Any:
        fields = self.fields()
        own = None if fields is None else fields.method(name)
        if own is not None and fields is not None and all(map(fields.takes, others)):
            made = own(self, *others)
            if made is not NotImplemented:
                return made
        return self.each(lambda x: function(x, *others))

    return method


def _reflected(function: Callable[..., Any], in_place: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the method for `other & selected`, which Python asks for `other &= selected`, too."""
    def method(self: SelectedObject, other: Any) -> Any:
        changes = is_plain_container(other) and is_in_place(sys._getframe(1))
        return self.each(partial(in_place if changes else function, other))

    return method


def _operators() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yields the names of the operators' methods without underscores, and the methods."""
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_",
                 "xor", "lshift", "rshift"):
        plain, in_place = name.rstrip("_"), getattr(operator, f"i{name.rstrip('_')}")
        yield plain, _forward(getattr(operator, name), f"__{plain}__")
        yield f"r{plain}", _reflected(getattr(operator, name), in_place)
        yield f"i{plain}", _forward(in_place)
    for name in ("lt", "le", "gt", "ge", "eq", "ne", "neg", "pos", "invert", "abs"):
        yield name, _forward(getattr(operator, name), f"__{name}__")


for _name, _method in _operators():
    _method.__name__ = f"__{_name}__"  # a call of the method by its name looks at it
    setattr(SelectedObject, _method.__name__, _method)
SelectedObject.__hash__ = None  # type: ignore[assignment]


def needs_selection(x: Any) -> bool:
    """Returns True if a choice between this and something else has to be a selected object: it may
    be changed, or its call may be staged."""
    return issubclass(type(x), (FlattenedObject, FlattenedSelection, SelectedObject)) or (
        isinstance(x, _CALLABLE) and not _is_ours(x)) or is_object(x)


def is_callee(x: Any) -> bool:
    """Returns True for a function, and for a class of the user's: a call of it may be staged."""
    if isinstance(x, type):
        return not is_library(x.__module__)
    return isinstance(x, _CALLABLE) and not _is_ours(x)


def _is_ours(x: Any) -> bool:
    return not isinstance(x, BoundMethod) and (
        package_of(held(x, "__module__")) == "autograph")


def unflattened(nest: Any, fill: Callable[[Any], Any], built: dict[int, Any]) -> Any:
    """Returns a nest with `fill` applied to its leaves, and real objects in place of flattened
    ones; `built` remembers those that were made."""
    if isinstance(nest, ObjectIndex):
        return nest.build(fill(nest.index))
    if isinstance(nest, Flattened):
        if id(nest) not in built:
            values = [unflattened(v, fill, built) for v in nest.values]
            made = nest.build(values) if not isinstance(nest, FlattenedSelection) else nest.build(
                values, nest.fields and {name: fill(x) for name, x in nest.fields.items()})
            built[id(nest)] = nest, made
        return built[id(nest)][1]
    found = children(nest)
    if found is None:
        return fill(nest)
    if id(nest) in built:
        return built[id(nest)][1]
    parts = [unflattened(x, fill, built) for x in found[1]]
    if not is_immutable_nest(nest):
        return found[2](parts)
    built[id(nest)] = nest, nest if all(map(operator.is_, parts, found[1])) else found[2](parts)
    return built[id(nest)][1]


def merged_if_unshared(x: Any, outside: set[int]) -> Any:
    """Returns a selection between two objects of one class as one new object, if nothing else
    refers to the two; anything else as it is.

    outside: the ids of the `__dict__`s of objects that something else refers to.
    """
    if type(x) is not SelectedObject:
        return x
    a, b = merged_if_unshared(x._a, outside), merged_if_unshared(x._b, outside)
    if not (is_object(a) and is_object(b) and type(a) is type(b) and can_be_built(a)
            and list(contents_of(a)) == list(contents_of(b))
            and not (is_known(a, outside) or is_known(b, outside))):
        return x
    names, selected = tuple(contents_of(a)), SelectedObject(x._pred, a, b)
    return build(type(a), names, *(selected.each(operator.attrgetter(name)) for name in names))


def as_value(x: Any, known: set[int] | None = None, around: tuple[Any, ...] = (),
             chosen: bool = False) -> Any:
    """Returns a nest with one symbolic value for each selected object, and for each object that
    leads to symbolic values.

    known: the ids of objects that lead to none; around: the objects that this is a part of.
    chosen: a branch chooses it: the run makes a new exception, which each call has for itself.

    Raises:
      TracingError: such an object leads to itself, or was there before.
    """
    known = set() if known is None else known
    if type(x) is SelectedObject:
        pred, a, b = x.parts()
        if a is b:
            return as_value(a, known, around, chosen)
        x._check_count()
        sides = _side("true", a), _side("false", b)
        return Tensor(record(OPS["cond"], (pred.read(),), {}, sides, (DYNAMIC,))[0])
    if is_object(x) and can_be_built(x):
        if not _leads_to_symbols(x, known) and not (
                chosen and isinstance(x, BaseException) and is_new(x)):
            return x
        _refuse_copy(x)
        if any(x is other for other in around):
            raise TracingError(f"an object of the class {type(x).__name__} leads to itself, and to "
                               f"values that only the run knows{at(user_location())}\n"
                               "  hint: keep the values in arrays")
        contents = contents_of(x)
        values = [as_value(v, known, (*around, x)) for v in contents.values()]
        return apply(opaque(build), type(x), tuple(contents), *values)
    found = children(x)
    return x if found is None else found[2]([as_value(v, known, around) for v in found[1]])


def _leads_to_symbols(x: Any, known: set[int]) -> bool:
    """Returns True if an object leads to a symbolic value; enters those that do not in `known`."""
    pending, seen = [x], dict[int, Any]()
    while pending:
        for part in all_leaves(list(contents_of(pending.pop()).values())):
            if isinstance(part, Tensor) or type(part) is SelectedObject:
                return True
            if id(part) not in seen and id(part) not in known and (
                    is_object(part) and can_be_built(part)):
                seen[id(part)] = part
                pending.append(part)
    known.update(seen)
    return False


def _side(name: str, x: Any) -> Graph:
    """Returns the side of a branch that gives an object. What may raise is done there: the run may
    not have the object of the other side."""
    with trace.region(name) as region:
        region.graph.outputs = (_atom(lower(as_value(x, chosen=True))),)
    return region.graph


def _refuse_copy(x: Any) -> None:
    """Refuse to make a value of an object that was there before, and that the trace changed: others
    know it."""
    here = trace.current_region()
    if here is not None and here.trace.allocations.is_from_outside(x):
        here.trace.want(x, "is changed, and one of several objects that only the run knows")
        raise TracingError(
            f"an object of the class {type(x).__name__} is changed, and then one of several "
            f"objects in a value that only the run knows{at(user_location())}\n"
            "  hint: change the object after the choice, or choose in an if statement")


def _atom(nest: Any) -> Any:
    """Returns a nest of values as one value."""
    if children(nest) is None or not any(isinstance(v, Value) for v in all_leaves(nest)):
        return nest
    operand = as_operand(nest, lambda op, args: record(op, args, {})[0])
    return operand if isinstance(operand, Value) else record(OPS["pack"], (operand,), {})[0]

