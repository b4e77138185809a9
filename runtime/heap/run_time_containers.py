"""Containers as objects of the graph: what is recorded when one is made, asked or changed.

A list or dict whose structure is known stays a container of Python's while the function is traced.
One that is looked up, or changed, by what is known only when the graph runs cannot: the trace is
given up, and the next one holds it as an object.
"""

from __future__ import annotations

import bisect
import heapq
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from functools import wraps
from types import MappingProxyType
from typing import Any, NoReturn

from autograph.runtime.heap.growing_lists import Splice, StagedList
from autograph.runtime.heap.objects import as_operand, build, contents_of, is_instance
from autograph.runtime.heap.selected_objects import MANY, SelectedObject
from autograph.runtime.ir.buffers_of_numbers import BUFFERS, making
from autograph.runtime.ir.errors import SymbolicValueError, TracingError, at
from autograph.runtime.ir.exception_tables import root_scope
from autograph.runtime.ir.pytree import before_pairs, children, field_names, flatten, is_frozen
from autograph.runtime.ir.types import CONTAINERS, DYNAMIC, ArrayType, class_name, is_container
from autograph.runtime.ops import pure
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.allocation_sites import (
    containers_in,
    is_plain_container,
    parts_of,
    site_of,
)
from autograph.runtime.symbolic.record import record
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import LOWERED, METHODS, Tensor, apply, lower

AT_RUN_TIME = "at run time"
"""The kind of decision that says that a container is an object of the graph."""


def need_object(container: Any, why: str) -> NoReturn:
    """Refuse what a known structure cannot do. If nothing can be done about it here, the trace is
    made again with the container (None: one that is not known) as an object.

    Raises:
      SymbolicValueError: always.
    """
    here = trace.current_region()
    if here is not None:
        here.trace.want(container, why)
    kind = "a container" if container is None else f"a {_class_of(container).__name__}"
    raise SymbolicValueError(
        f"{kind} {why}{at(user_location())}\n"
        "  hint: make the container in the function, or pass it as an argument")


def _class_of(container: Any) -> type:
    return list if type(container) is StagedList else type(container)


def is_object(x: Any) -> bool:
    """Whether it is a symbolic value that may be a container, an object of the graph."""
    return isinstance(x, Tensor) and (is_container(x.type) or x.type == DYNAMIC)


# -- made -----------------------------------------------------------------------------------------


def made(value: Any) -> Any:
    """A container that converted code has made at this place: an object of the graph if it has to
    be one; else the place is remembered."""
    here = trace.current_region()
    if here is None or not here.trace.mode.sites.instrumented or not (
            is_plain_container(value) or is_instance(value)):
        return value
    allocations = here.trace.allocations
    if allocations.is_known(value):
        return value
    place = user_location(root_scope())
    if place is None:
        return value
    if allocations.sites.holds(site_of(place)):
        return as_object(value)
    allocations.note(value, site_of(place))
    return value


def as_object(value: Any) -> Any:
    """An object of the graph with what is in a container, and in the containers in it."""
    return _embedded(value, {}, True)


def _embedded(x: Any, done: dict[int, Any], inside: bool = False) -> Any:
    """A nest with objects of the graph for its mutable containers; each becomes one object.

    Containers that somebody else may know have to be objects already.
    """
    if is_plain_container(x):
        if id(x) not in done:
            if not inside:
                _check_unknown(x)
            done[id(x)] = x, _object(x, done)
        return done[id(x)][1]
    if type(x) is tuple:
        return tuple(_embedded(v, done) for v in x)
    if is_instance(x) and (inside or not _is_constant(x)):
        if id(x) not in done:
            done[id(x)] = x, _instance(x, done)
        return done[id(x)][1]
    parts = parts_of(x)
    if parts is not None:
        for part in containers_in(parts):
            _check_unknown(part)
    return x


def _instance(x: Any, done: dict[int, Any]) -> Tensor:
    """A new object of the graph with the attributes of an object."""
    contents = contents_of(x)
    others = {name: _embedded(v, done) for name, v in contents.items() if v is not x}
    made: Tensor = apply(pure(build), type(x), tuple(others), *others.values())
    for name in contents.keys() - others.keys():
        apply("store_attribute", made, name, made)
    return made


def _is_constant(x: Any) -> bool:
    """Whether an object was there before the trace; one that the function made is refused, since
    it has to be an object of the graph from the beginning."""
    here = trace.current_region()
    if here is None or not _is_made(x):
        if here is not None:
            here.trace.allocations.searched.add(id(x))
        return True
    if here.trace.mode.sites.instrumented and not here.trace.allocations.is_known(x):
        raise TracingError(
            f"an object of the class {type(x).__name__} is put into a container before it is "
            f"finished{at(user_location())}\n  hint: do so after it was made")
    need_object(x if here.trace.allocations.is_known(x) else None,
                "is put into a container that is known only when the graph runs")


def _is_made(x: Any) -> bool:
    """Whether it is an object that the function made, or may have changed."""
    here = trace.current_region()
    return here is not None and is_instance(x) and id(x) not in here.trace.allocations.before


def _check_unknown(x: Any) -> None:
    here = trace.current_region()
    if here is not None and here.trace.allocations.is_known(x):
        need_object(x, "is put into a container that is known only when the graph runs")


def _object(x: Any, done: dict[int, Any]) -> Tensor:
    """A new object of the graph that holds what a container holds."""
    if isinstance(x, BUFFERS):
        if isinstance(x, memoryview):
            need_object(x.obj, "is under a memoryview that is known only when the graph runs")
        return new_object(type(x), *making(x))
    if isinstance(x, dict):
        pairs = tuple((_embedded(k, done), _embedded(v, done)) for k, v in x.items())
        held = dict(pairs) if isinstance(x, Counter) else pairs  # of pairs it counts the pairs
        return new_object(type(x), *before_pairs(x), held)
    items: Any = tuple(_embedded(v, done) for v in parts_of(x) or ())
    if type(x) is StagedList and not x.known:
        items = x.tensor()
    kwargs = {"maxlen": x.maxlen} if type(x) is deque and x.maxlen is not None else {}
    return new_object(_class_of(x), items, **kwargs)


def new_object(cls: type, *args: Any, **kwargs: Any) -> Tensor:
    """`cls(*args, **kwargs)` when the graph runs."""
    made: Tensor = apply("construct", cls, *args, **kwargs)
    return made


def given(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments of an operation on objects: the containers that are handed over become objects."""
    done: dict[int, Any] = {}
    return (tuple(_embedded(x, done) for x in args),
            {name: _embedded(x, done) for name, x in kwargs.items()})


def new_dict(pairs: list[tuple[Any, Any]]) -> Any:
    """`{k: v, …}`; an object of the graph if a key is symbolic."""
    return _display(dict, pairs, [] if isinstance(pairs, Tensor) else [k for k, _ in pairs])


def new_set(items: list[Any]) -> Any:
    """`{a, b, …}`; an object of the graph if an item is symbolic."""
    return _display(set, items, items)


def _display(cls: type, items: list[Any], hashed: list[Any]) -> Any:
    if isinstance(items, Tensor):
        return new_object(cls, items)
    if any(isinstance(x, Tensor) for x in flatten(hashed)):
        given_items, _ = given(tuple(items), {})
        return new_object(cls, given_items)
    return made(cls(items))


def constructed(cls: type) -> Callable[..., Any]:
    """What converted code calls in place of the class of a container."""
    @wraps(cls, updated=())
    def construct(*args: Any, **kwargs: Any) -> Any:
        if not trace.tracing():
            return cls(*args, **kwargs)
        items = args[-1:] if args and not (cls is defaultdict and len(args) == 1) else ()
        if any(_needs_run(cls, x) for x in (*items, *kwargs.values())):
            args, kwargs = given(tuple(map(_unstaged, args)), kwargs)
            return new_object(cls, *args, **kwargs)
        return made(cls(*args, **kwargs))

    return construct


def _unstaged(x: Any) -> Any:
    """The items of a list that somebody else may go on changing."""
    if type(x) is StagedList:
        return tuple(x) if x.known else x.tensor()
    return tuple(x) if type(x) in (list, set, deque) else x


def _needs_run(cls: type, x: Any) -> bool:
    """Whether a container of this class made of `x` is known only when the graph runs."""
    if isinstance(x, Tensor) and cls in (list, deque):
        t = x.type
        return not (isinstance(t, ArrayType) and t.shape and isinstance(t.shape[0], int))
    if isinstance(x, Tensor) or (type(x) is StagedList and not x.known):
        return True
    if cls in BUFFERS:
        return has_tensor(parts_of(x))
    if cls in (list, tuple, deque):
        return False
    parts = parts_of(x)
    if parts is None or isinstance(x, dict):
        return False
    if cls in (set, Counter):
        return any(isinstance(v, Tensor) for v in flatten(parts))
    keys = [parts_of(p) for p in parts]
    return any(isinstance(p, Tensor) for p in parts) or any(
        isinstance(v, Tensor) for k in keys if k for v in flatten(k[0]))


# -- asked and changed ----------------------------------------------------------------------------


def method_of(name: str) -> Callable[..., Any]:
    """What records a call of a method of a container; the container is the first argument."""
    def call(x: Tensor, *args: Any, **kwargs: Any) -> Any:
        _need_references(name)
        args, kwargs = given(args, kwargs)
        return apply("call_method", x, name, *args, **kwargs)

    return call


def _need_references(name: str) -> None:
    if not trace.by_reference():
        trace.need_references(f"the method {name} of an object of the graph is called")


for _cls in CONTAINERS:
    METHODS[_cls] = method_of


def delete_item(x: Tensor, index: Any) -> None:
    if not is_object(x):
        raise ValueError("cannot delete array elements")
    _need_references("__delitem__")
    apply("delete_item", x, index)


def is_gone_through(x: Any) -> bool:
    """Whether Python's own `for` goes through it when the graph runs."""
    return isinstance(x, Tensor) and (is_container(x.type) or (
        x.type == DYNAMIC and trace.by_reference()))


# -- plain containers that meet symbolic values ---------------------------------------------------

KEYED = frozenset({
    "get", "pop", "setdefault", "__getitem__", "__setitem__", "__delitem__", "add", "discard",
    "remove", "move_to_end", "index", "count", "insert", "rotate", "__contains__",
})
"""Methods whose first argument is a key, a position, or compared with what is inside."""

GATHERING = frozenset({
    "update", "union", "intersection", "difference", "symmetric_difference", "issubset",
    "issuperset", "isdisjoint", "intersection_update", "difference_update", "subtract",
    "symmetric_difference_update", "extend", "extendleft", "fromkeys",
})
"""Methods that take containers."""

COMPARING = frozenset({"sort", "index", "count", "remove", "most_common"})
"""Methods that compare what is inside."""


def plain_method(method: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the replacement of a method of a plain container, for symbolic arguments."""
    container, name = getattr(method, "__self__", None), getattr(method, "__name__", "")
    if type(container) is StagedList or not is_plain_container(container):
        return method

    @wraps(method)
    def replacement(*args: Any, **kwargs: Any) -> Any:
        if trace.tracing() and _meets_symbolic(container, name, args):
            need_object(container, f"is asked to {name} by a value known only when the graph runs")
        return method(*args, **kwargs)

    return replacement


def _meets_symbolic(container: Any, name: str, args: tuple[Any, ...]) -> bool:
    if isinstance(container, BUFFERS):
        return has_tensor(args) or any(type(x) is StagedList and not x.known for x in args)
    if name in KEYED and args and has_tensor(args[0]):
        return True
    if name in COMPARING and has_tensor(parts_of(container)):
        return True
    if name not in GATHERING:
        return False
    hashes = not isinstance(container, (list, deque, dict))
    return any(isinstance(x, Tensor) or (type(x) is StagedList and not x.known)
               or (hashes and has_tensor(parts_of(x))) for x in args)


def has_tensor(nest: Any) -> bool:
    """Whether a symbolic value is in a nest."""
    return any(isinstance(x, (Tensor, Splice)) or (
        type(x) in LOWERED and type(x) is not StagedList) for x in flatten(nest))


def check_key(container: Any, index: Any) -> None:
    """Called before `container[index]` is stored or deleted."""
    if isinstance(container, BUFFERS):
        need_object(container, "is changed, and may be given what only the run knows")
    if is_plain_container(container) and type(container) is not StagedList and has_tensor(
            (index.start, index.stop, index.step) if type(index) is slice else index):
        need_object(container, "is changed at a key that is known only when the graph runs")


def item_of_plain(container: Any, index: Any) -> Any:
    """`container[index]` where the index is symbolic and the container is Python's."""
    if type(container) is StagedList and not container.known:
        return container[index]
    if isinstance(container, CONTAINERS) and (
            not container or isinstance(container, (defaultdict, Counter)) or any(
                is_plain_container(x) or _is_made(x) for x in parts_of(container) or ())
            or (type(index) is slice and type(container) is not StagedList)):
        need_object(container, "is looked up by a key that is known only when the graph runs")
    chosen = _chosen(container, index) if isinstance(container, (list, tuple, dict)) else None
    if chosen is not None:
        return chosen
    if type(container) is StagedList:
        return container[index]
    if isinstance(container, dict) and not has_tensor(container):
        container = MappingProxyType(dict(container))
    if isinstance(container, deque):
        container = list(container)
    return apply("getitem", container, index)


def _chosen(container: Any, index: Any) -> SelectedObject | None:
    """An item of a container of objects from outside: the trace goes on knowing each of them, so
    that a change of one shows. None if they are no objects, or too many."""
    items = list(container.values()) if isinstance(container, dict) else list(container)
    if not any(map(is_instance, items)) or type(index) is slice:
        return None
    if not 1 < len(items) <= MANY:
        here = trace.current_region()
        if here is not None:
            here.trace.allocations.searched |= set(map(id, items))
        return None
    numbers = dict(zip(container, range(len(items)), strict=True)) if (
        isinstance(container, dict)) else tuple(range(len(items)))
    number = apply("getitem", numbers, index)  # raises, in Python's words
    made = items[-1]
    for k in reversed(range(len(items) - 1)):
        made = SelectedObject(number == k, items[k], made)
    return made  # type: ignore[no-any-return]


def member(item: Any, container: Any) -> Any:
    """`item in container`, one of which is symbolic or holds what is."""
    if isinstance(container, (set, frozenset)):
        container = frozenset(container)
    elif isinstance(container, (dict, deque)):
        container = tuple(container)
    return apply("in_", item, container)


COMPARING_FUNCTIONS: tuple[Callable[..., Any], ...] = (
    heapq.heapify, heapq.heappush, heapq.heappop, heapq.heappushpop, heapq.heapreplace,
    heapq.nlargest, heapq.nsmallest, bisect.bisect_left, bisect.bisect_right, bisect.insort_left,
    bisect.insort_right,
)
"""Functions of Python's that compare what is in a list."""


def on_containers(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the replacement of a function of `heapq` or `bisect`, which compares list items."""
    @wraps(function)
    def replacement(*args: Any, **kwargs: Any) -> Any:
        if not trace.tracing() or not (has_tensor((args, kwargs)) or any(
                type(x) is StagedList and (not x.known or has_tensor(list(x))) for x in args)):
            return function(*args, **kwargs)
        for x in (*args, *kwargs.values()):
            if is_plain_container(x):
                need_object(x, f"is given to {function.__name__} with values that are known only "
                               "when the graph runs")
        _need_references(function.__name__)
        args, kwargs = given(args, kwargs)
        return apply("call_object", function, *args, **kwargs)

    return replacement


# -- what Python asks of symbolic values -----------------------------------------------------------


def _hash(x: Tensor) -> int:
    """A symbolic key in a container of Python's: which one is not said."""
    if isinstance(x.type, ArrayType) and not x.type.scalar and x.type.shape is not None:
        raise TypeError("unhashable type: 'numpy.ndarray'")
    if is_container(x.type):
        raise TypeError(f"unhashable type: '{class_name(x.type)}'")
    need_object(None, "has a key that is known only when the graph runs")


def _hash_of_selected(x: SelectedObject) -> int:
    need_object(None, "has a key that a staged branch chose")


TENSOR_METHODS = {"__hash__": _hash}
SELECTED_OBJECT_METHODS = {"__hash__": _hash_of_selected}


def embed_containers(nest: Any) -> Any:
    """A tuple of arguments, or a dict of them, with objects for the containers in it."""
    args, kwargs = (nest, {}) if type(nest) is tuple else ((), nest)
    args, kwargs = given(args, kwargs)
    return args if type(nest) is tuple else kwargs


def check_constant(x: Any) -> Any:
    """An operand that is a constant; or an object that holds symbolic values: of one that nobody
    can change another is made when the graph runs, any other has to be an object of the graph."""
    named = isinstance(x, tuple)
    if not (named or is_instance(x)) or not has_tensor(_inside(x)):
        return x
    if named or (field_names(type(x)) is not None and is_frozen(type(x))):
        _, inside, rebuild = children(x) or ((), [], tuple)
        return as_operand(rebuild([lower(v) for v in inside]),
                          lambda op, args: record(op, args, {})[0])
    need_object(x, "is used as a whole, and holds what is known only when the graph runs")


def _inside(x: Any) -> list[Any]:
    found = children(x)
    return list(contents_of(x).values()) if found is None else found[1]
