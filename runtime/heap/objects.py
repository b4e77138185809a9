"""Objects of the user's classes in staged code: made in a branch or body, or chosen by one."""

from __future__ import annotations

import operator
import sys
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Collection
from functools import lru_cache, partial
from types import (
    BuiltinFunctionType,
    FunctionType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
    SimpleNamespace,
)
from typing import Any, NoReturn

import numpy as np

from autograph.extension_points import POINTS
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.graph import NESTS, Graph, Value, leaves
from autograph.runtime.ir.pytree import before_pairs, children, field_names, flatten
from autograph.runtime.ir.types import DYNAMIC
from autograph.runtime.ops import OPS, Op, opaque
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.record import record
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import LOWERED, NAMES, Tensor, apply, lower

_LIBRARIES = ("autograph", "numpy", "builtins")
_NO_OBJECTS = (FunctionType, MethodType, partial, ModuleType, type, np.ndarray)
_CALLABLE = (FunctionType, MethodType, partial, BuiltinFunctionType, type, np.ufunc)


class Made:
    """An object that a region made, as a nest: its class, and its attributes by name."""

    __slots__ = ("cls", "names", "values")

    def __init__(self, cls: type, names: tuple[str, ...], values: list[Any]) -> None:
        self.cls = cls
        self.names = names
        self.values = values

    def __ag_flatten__(self) -> tuple[Any, list[Any]]:
        return (self.cls, self.names), self.values

    @classmethod
    def __ag_unflatten__(cls, metadata: Any, values: list[Any]) -> Made:
        kind, names = metadata
        return cls(kind, names, values)

    def build(self, values: list[Any]) -> Any:
        """The object, with these values of its attributes."""
        return build(self.cls, self.names, *values)


class Either:
    """A `Chosen`, as a nest: the condition and the two that it chooses from."""

    __slots__ = ("values",)

    def __init__(self, values: list[Any]) -> None:
        self.values = values

    def __ag_flatten__(self) -> tuple[Any, list[Any]]:
        return None, self.values

    @classmethod
    def __ag_unflatten__(cls, metadata: Any, values: list[Any]) -> Either:
        return cls(values)


class Chosen:
    """What `a if pred else b` is where a or b is an object: what is done to it is done to one.

    Whatever happens to it becomes a staged branch, on `a` in one side and on `b` in the other.
    """

    __slots__ = ("_a", "_b", "_count", "_pred")

    def __init__(self, pred: Tensor, a: Any, b: Any) -> None:
        count = sum(x._count if type(x) is Chosen else 1 for x in (a, b))
        for name, value in (("_pred", pred), ("_a", a), ("_b", b), ("_count", count)):
            object.__setattr__(self, name, value)
        if count > MANY:
            _rather_at_run_time()

    def parts(self) -> tuple[Tensor, Any, Any]:
        """The condition, and what is chosen from."""
        return self._pred, self._a, self._b

    def each(self, do: Callable[[Any], Any]) -> Any:
        """`do(a) if pred else do(b)`, staged."""
        a, b = self._a, self._b
        return POINTS.stage_branch(self._pred, lambda: do(a), lambda: do(b))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__") and name not in NAMES:
            raise AttributeError(name)
        return self.each(lambda x: getattr(x, name))

    def __setattr__(self, name: str, value: Any) -> None:
        self.each(lambda x: setattr(x, name, value))

    def __delattr__(self, name: str) -> None:
        self.each(lambda x: delattr(x, name))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.each(lambda x: x(*args, **kwargs))

    def __setitem__(self, index: Any, value: Any) -> None:
        self.each(lambda x: operator.setitem(x, index, value))

    def __bool__(self) -> bool:
        self._refuse("the truth of", "test it in converted code")

    def __iter__(self) -> NoReturn:
        self._refuse("iterate over", "write a `for` statement in both branches")

    def _refuse(self, wanted: str, instead: str) -> NoReturn:
        raise TracingError(f"{wanted} an object that a staged branch chose: which one it is is "
                           f"known only when the graph runs{at(user_location())}\n"
                           f"  hint: {instead}")


MANY = 16
"""Of so many objects one is chosen by branches; of more, by the run."""


def _rather_at_run_time() -> None:
    """Have the trace made again with objects of the graph, if that has not been tried."""
    here = trace.current_region()
    if here is None:
        return
    here.trace.want(None, f"is one of more than {MANY} objects that branches choose from")
    if here.trace.retrace_helps:
        raise TracingError(f"a branch chooses from many objects{at(user_location())}")
    here.trace.request.containers.pop()


def _forward(function: Callable[..., Any], swapped: bool = False) -> Callable[..., Any]:
    def method(self: Chosen, *others: Any) -> Any:
        return self.each(lambda x: function(*others, x) if swapped else function(x, *others))

    return method


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_",
              "xor", "lshift", "rshift"):
    _plain = _name.rstrip("_")
    setattr(Chosen, f"__{_plain}__", _forward(getattr(operator, _name)))
    setattr(Chosen, f"__r{_plain}__", _forward(getattr(operator, _name), swapped=True))
for _name in ("lt", "le", "gt", "ge", "eq", "ne", "neg", "pos", "invert", "abs", "getitem"):
    setattr(Chosen, f"__{_name}__", _forward(getattr(operator, _name)))
Chosen.__hash__ = None  # type: ignore[assignment]


def is_object(x: Any) -> bool:
    """Whether it is an instance of a user's class that keeps attributes, or an exception."""
    if isinstance(x, BaseException):
        return True
    if isinstance(x, _NO_OBJECTS):
        return False
    module = type(x).__module__ or ""
    if type(getattr(x, "__dict__", None)) is not dict and (
            is_library(module) or not slot_names(type(x))):
        return False
    return module.partition(".")[0] not in _LIBRARIES and children(x) is None


def is_instance(x: Any) -> bool:
    """Whether it is an object of a user's class, or of a data class, of which another one can be
    made out of its attributes."""
    return not isinstance(x, BaseException) and can_be_built(x) and (is_object(x) or (
        field_names(type(x)) is not None and not isinstance(x, type)
        and not is_library(type(x).__module__)))


@lru_cache(maxsize=256)
def is_library(module: str) -> bool:
    """Whether a module is Python's, NumPy's or ours: what it keeps to itself is not state.

    >>> is_library("collections.abc"), is_library("numpy.linalg"), is_library("model")
    (True, True, False)
    """
    top = module.partition(".")[0]
    return top in ("autograph", "numpy", "scipy") or (
        top != "__main__" and top in sys.stdlib_module_names)


def slot_names(cls: type) -> list[str]:
    """The names that the classes of an object keep in `__slots__`; not those that a class below
    makes something else of."""
    return [name for base in cls.__mro__ if "__slots__" in vars(base)
            for name, x in vars(base).items()
            if type(x) is MemberDescriptorType and getattr(cls, name, None) is x]


OF_ERRORS = ("args", "__cause__")
"""What an exception has besides its attributes."""


def contents_of(x: Any) -> dict[str, Any]:
    """All that an object consists of, by name."""
    names = OF_ERRORS if isinstance(x, BaseException) else slot_names(type(x))
    found = {name: getattr(x, name) for name in names if hasattr(x, name)}
    return {**found, **attributes_of(x)}


def attributes_of(x: Any) -> dict[str, Any]:
    """The `__dict__`, empty if there is none: a `__getattr__` may have an answer to everything."""
    found = getattr(x, "__dict__", None)
    return found if isinstance(found, dict) else {}


def is_known(x: Any, outside: Collection[int]) -> bool:
    """Whether an object is one of those of which the ids, or those of their dicts, are given."""
    return id(x) in outside or id(getattr(x, "__dict__", None)) in outside


def is_followed(x: Any) -> bool:
    """Whether a choice between it and something else has to be followed: what is done to it may
    change it, or be staged."""
    return isinstance(x, (Made, Either, Chosen)) or (
        isinstance(x, _CALLABLE) and not _of_autograph(x)) or is_object(x)


def _of_autograph(x: Any) -> bool:
    return (getattr(x, "__module__", None) or "").partition(".")[0] == "autograph"


def can_be_built(x: Any) -> bool:
    """Whether another object of its class can be made out of its attributes alone."""
    make: Any = type(x).__new__
    return make is object.__new__ or type(x) is SimpleNamespace or (
        isinstance(x, BaseException) and type(make) is BuiltinFunctionType)


def realise(nest: Any, fill: Callable[[Any], Any], built: dict[int, Any]) -> Any:
    """A nest with `fill` applied to its leaves, and real objects in it; `built` remembers them."""
    if isinstance(nest, (Made, Either)):
        if id(nest) not in built:
            values = [realise(v, fill, built) for v in nest.values]
            built[id(nest)] = nest, (
                nest.build(values) if isinstance(nest, Made) else _choose(*values))
        return built[id(nest)][1]
    found = children(nest)
    if found is None:
        return fill(nest)
    return found[2]([realise(x, fill, built) for x in found[1]])


def _choose(pred: Any, a: Any, b: Any) -> Any:
    return Chosen(pred, a, b) if isinstance(pred, Tensor) else (a if pred else b)


def settled(x: Any, outside: set[int]) -> Any:
    """A choice between two objects of one class as one new object, if nothing else knows the two.

    `outside` are the ids of the dicts of objects that something else knows.
    """
    if type(x) is not Chosen:
        return x
    a, b = settled(x._a, outside), settled(x._b, outside)
    if not (is_object(a) and is_object(b) and type(a) is type(b) and can_be_built(a)
            and list(contents_of(a)) == list(contents_of(b))
            and not (is_known(a, outside) or is_known(b, outside))):
        return x
    names, either = tuple(contents_of(a)), Chosen(x._pred, a, b)
    return build(type(a), names, *(either.each(operator.attrgetter(name)) for name in names))


def as_value(x: Any) -> Any:
    """A nest with one symbolic value for each choice, and for each object that holds one: what
    they are is known when the graph runs."""
    if type(x) is Chosen:
        pred, *sides = x.parts()
        graphs = Graph("true"), Graph("false")
        for graph, side in zip(graphs, sides, strict=True):
            graph.outputs = (_atom(lower(as_value(side))),)
        return Tensor(record(OPS["cond"], (pred.read(),), {}, graphs, (DYNAMIC,))[0])
    if is_object(x) and can_be_built(x):
        contents = contents_of(x)
        values = [as_value(v) for v in contents.values()]
        if not any(isinstance(v, Tensor) for v in flatten(values)):
            return x
        return apply(opaque(build), type(x), tuple(contents), *values)
    found = children(x)
    return x if found is None else found[2]([as_value(v) for v in found[1]])


def _atom(nest: Any) -> Any:
    """A nest of values as one."""
    if children(nest) is None or not any(isinstance(v, Value) for v in flatten(nest)):
        return nest
    operand = as_operand(nest, lambda op, args: record(op, args, {})[0])
    return operand if isinstance(operand, Value) else record(OPS["pack"], (operand,), {})[0]


def as_operand(nest: Any, record: Callable[[Op, tuple[Any, ...]], Value]) -> Any:
    """A nest as equations take one: of tuples, lists, dicts and slices. An equation, which `record`
    makes, builds what else holds values: named tuples, data classes, other dicts."""
    found = children(nest)
    if found is None:
        return nest
    parts = [as_operand(x, record) for x in found[1]]
    if type(nest) in NESTS:
        return found[2](parts)
    if not any(isinstance(v, Value) for v in leaves(parts)):
        return nest
    return record(*_building(nest, found[2], parts))


def _building(nest: Any, rebuild: Callable[[list[Any]], Any], parts: list[Any]
              ) -> tuple[Op, tuple[Any, ...]]:
    """The op and the operands that build a container like `nest` of other parts."""
    cls = type(nest)
    if cls is OrderedDict or cls is defaultdict:
        return OPS["construct"], (
            cls, *before_pairs(nest), tuple(zip(nest, parts, strict=True)))
    if isinstance(nest, tuple):
        return OPS["construct"], (cls, *parts)
    return opaque(_rebuilt), (rebuild, *parts)


def _rebuilt(rebuild: Callable[[list[Any]], Any], *parts: Any) -> Any:
    return rebuild(list(parts))


def build(cls: type, names: tuple[str, ...], *values: Any) -> Any:
    """An object with these attributes."""
    make: Any = cls.__new__
    made = make(cls)
    furnish(made, dict(zip(names, values, strict=True)))
    return made


def furnish(made: Any, attributes: dict[str, Any]) -> None:
    """Give an object its attributes, past what its class does when one is set."""
    kept = OF_ERRORS if isinstance(made, BaseException) else slot_names(type(made))
    for name, value in attributes.items():
        if name not in kept:
            made.__dict__[name] = value
        elif name != "__cause__" or value is not None:  # to set it is to hide the context
            object.__setattr__(made, name, value)


LOWERED[Chosen] = as_value
LOWERED[BaseException] = as_value
