"""Containers as objects of the graph: what is recorded when one is made, read or changed.

A list or dict whose structure is known stays a container of Python's while the function is traced.
One that is read or changed by a key which only the run knows cannot: the trace is abandoned, and
the next one makes the container as an object of the graph.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable
from functools import partial, wraps
from types import FrameType, MethodType
from typing import Any, cast

from autograph.libraries import is_python
from autograph.own_attributes import class_has
from autograph.runtime.heap.callbacks import check_kept_function, with_callbacks
from autograph.runtime.heap.escaping_objects import is_new_iterator, rest
from autograph.runtime.heap.functions_of_regions import made_now
from autograph.runtime.heap.functions_of_run import of_run
from autograph.runtime.heap.growing_lists import StagedList
from autograph.runtime.heap.hidden_state import CLOSES, check_shared
from autograph.runtime.heap.iterators import read_each
from autograph.runtime.heap.joined_copies import originals_of
from autograph.runtime.heap.kept_functions import (
    is_chosen_by_branches,
    made_by_function,
    refuse_unseen_changes,
)
from autograph.runtime.heap.list_values import Splice
from autograph.runtime.heap.needed_objects import class_of, need_object
from autograph.runtime.heap.objects import (
    build,
    contents_of,
    is_instance,
    with_attributes,
)
from autograph.runtime.heap.rebuilt_functions import CALLING
from autograph.runtime.heap.selected_objects import SelectedObject
from autograph.runtime.heap.streams import STREAMS, made_by_run
from autograph.runtime.heap.tuples_of_run import of_the_run, value_of
from autograph.runtime.ir.buffers_of_numbers import BUFFERS, making
from autograph.runtime.ir.call_frames import is_merging
from autograph.runtime.ir.errors import SymbolicValueError, TracingError, at
from autograph.runtime.ir.pytree import (
    all_leaves,
    before_pairs,
    children,
)
from autograph.runtime.ir.types import DYNAMIC, ArrayType, class_name, is_container
from autograph.runtime.ops import pure
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.allocation_sites import (
    Allocations,
    Site,
    containers_in,
    is_plain_container,
    parts_of,
    site_of,
)
from autograph.runtime.symbolic.source_locations import location_in, user_location
from autograph.runtime.symbolic.tensor import LOWERED, Tensor, apply, shown
from autograph.runtime.symbolic.variables import Itself

TAKING_CONTAINERS = frozenset({
    "update", "union", "intersection", "difference", "symmetric_difference", "issubset",
    "issuperset", "isdisjoint", "intersection_update", "difference_update", "subtract",
    "symmetric_difference_update", "extend", "extendleft", "fromkeys",
})
"""Methods that take containers, and read iterators to their end."""

FILLING = frozenset({"update", "subtract", "extend", "extendleft", "difference_update"})
"""Those of them that use each item before they read the next."""

AT_RUN_TIME = "at run time"
"""The kind of decision that says that a container is an object of the graph."""


def is_graph_object(x: Any) -> bool:
    """Returns True for a symbolic value that may be a container, an object of the graph."""
    return isinstance(x, Tensor) and (is_container(x.type) or x.type == DYNAMIC)


# -- making ---------------------------------------------------------------------------------------


def new_container(value: Any) -> Any:
    """Called with each container or object that converted code makes. Returns an object of the
    graph if its allocation site asks for one; else notes the site and returns the value. If a join
    made it of others, these have to be objects of the graph."""
    allocations = _noted_allocations()
    if allocations is None or not (
            is_plain_container(value) or is_instance(value) or type(value) in STREAMS):
        return value
    if allocations.is_known(value) or (site := _site()) is None:
        return value
    if allocations.sites.holds(site, partial(is_chosen_by_branches, value)):
        originals = [*originals_of(value)]
        for x in originals:
            trace.want(x, "is chosen by a staged branch or loop, and changed")
        return value if originals else as_object(value)
    allocations.note(value, site)
    return value


def are_objects_asked() -> bool:
    """Returns True if containers that the line makes which runs are objects of the graph."""
    allocations = _noted_allocations()
    return allocations is not None and allocations.sites.holds(_site())


def are_sites_noted() -> bool:
    """Returns True if the trace asks on which line each container and object is made."""
    return _noted_allocations() is not None


def note_made(values: Iterable[Any]) -> None:
    """Notes that the line which runs made containers, as plain Python."""
    allocations = _noted_allocations()
    if allocations is not None and (site := _site()) is not None:
        for x in values:
            allocations.note(x, site)


def _noted_allocations() -> Allocations | None:
    """Returns the allocations of the trace that is being made, if it asks where they are."""
    here = trace.current_region()
    return here.trace.allocations if here and here.trace.mode.sites.instrumented else None


def _site() -> Site | None:
    """Returns the allocation site of the line of the user's that runs."""
    here = trace.current_region()
    source = None if here is None else location_in(here)
    return None if source is None else site_of(source)


def as_object(value: Any) -> Any:
    """Returns a container as an object of the graph, and the containers in it as objects, too."""
    if type(value) in STREAMS:
        return made_by_run(value)
    wanted = len(trace.wanted())
    try:
        return _embedded(value, {}, True)
    except TracingError as error:
        if more := trace.wanted()[wanted:]:
            _want_all_in(value, more[0][1].reason)
        if is_python(type(value).__module__):  # what it consists of is unknown: the run makes it
            vars(error).setdefault(CLOSES, type(value))
        raise


def _want_all_in(x: Any, why: str) -> None:
    """Requests that the graph hold all containers and objects in one as objects that have to be,
    now that one is wanted: else each would take an attempt."""
    here = trace.current_region()
    pending, seen = [x], {id(x): x}
    while pending and here is not None:
        x = pending.pop()
        if not is_instance(x):
            found = parts_of(x) or []
        else:
            found = list(contents_of(x).values()) if made_by_function(x) else []
        new = {id(v): v for v in found if id(v) not in seen}
        seen |= new
        pending += new.values()
        for v in new.values():
            if (is_plain_container(v) or made_by_function(v)) and (
                    here.trace.allocations.is_known(v)):
                trace.want(v, why)


def _embedded(x: Any, done: dict[int, Any], inside: bool = False) -> Any:
    """Returns a nest with an object of the graph for each of its mutable containers.

    Containers that others may refer to have to be objects already.
    """
    if is_plain_container(x):
        if id(x) not in done:
            if not inside:
                refuse_known(x)
            done[id(x)] = x, _object(x, done)
        return done[id(x)][1]
    if isinstance(x, (tuple, slice)) and (found := children(x)) is not None:
        if id(x) not in done:
            made = [_embedded(v, done) for v in found[1]]
            same = all(p is v or p is of_the_run(v) for p, v in zip(made, found[1], strict=True))
            done[id(x)] = x, value_of(x) if same else found[2](made)
        return done[id(x)][1]
    if is_instance(x) and (inside or not _is_constant(x)):
        if id(x) not in done:
            refuse_unseen_changes(x)
            done[id(x)] = x, _instance(x, done)
        return done[id(x)][1]
    parts = parts_of(x)
    if parts is not None:
        for part in containers_in(parts):
            refuse_known(part)
    refuse_unseen_changes(x)
    check_shared(x)
    if isinstance(x, CALLING) and not (
            isinstance(x, MethodType) and made_by_function(x.__self__)):
        return of_run(made_now(x))
    if class_has(type(x), "__ag_read__"):
        return Itself(x)
    if isinstance(x, MethodType) and made_by_function(x.__self__):
        need_object(x.__self__, "has a method that is put into what only the run knows")
    return x


def _instance(x: Any, done: dict[int, Any]) -> Tensor:
    """Returns a new object of the graph with the attributes of an object."""
    contents = contents_of(x)
    others = {name: _embedded(v, done) for name, v in contents.items() if v is not x}
    made: Tensor = apply(pure(build), type(x), tuple(others), *others.values())
    if (here := trace.current_region()) is not None:
        here.trace.classes_of_new[made.read()] = type(x)
    for name in contents.keys() - others.keys():
        apply("store_attribute", made, name, made)
    return made


def _is_constant(x: Any) -> bool:
    """Returns True for an object that was there before the trace. Refuses one that the function
    made: it has to be an object of the graph from the beginning."""
    here = trace.current_region()
    if here is None or not made_by_function(x):
        if here is not None:
            here.trace.allocations.searched[id(x)] = x
        return True
    if here.trace.mode.sites.instrumented and not here.trace.allocations.is_known(x):
        raise TracingError(
            f"an object of the class {type(x).__name__} is put into a container before its "
            f"`__init__` has ended{at(user_location())}\n"
            "  hint: put it into the container after it was made")
    need_object(x if here.trace.allocations.is_known(x) else None,
                "is put into a container that is known only when the graph runs")


def refuse_known(x: Any) -> None:
    """Refuses a container that others may refer to. A trace that does not note where containers are
    made cannot tell which ones these are, and asks for one that does."""
    here = trace.current_region()
    if here is None:
        return
    for known in (x, *originals_of(x)):
        is_known = here.trace.allocations.is_known(known)
        if is_known or not here.trace.mode.sites.instrumented:
            need_object(known if is_known else None,
                        "is put into a container that is known only when the graph runs")


def _object(x: Any, done: dict[int, Any]) -> Tensor:
    """Returns a new object of the graph that holds what a container holds, and has the attributes
    of one of a user's class."""
    made = _container(x, done)
    held = {} if isinstance(x, StagedList) else contents_of(x)
    if held:
        values = [made if v is x else _embedded(v, done) for v in held.values()]
        return cast("Tensor", apply(pure(with_attributes), made, tuple(held), *values))
    return made


def _container(x: Any, done: dict[int, Any]) -> Tensor:
    """Returns a new object of the graph that holds what a container holds."""
    if isinstance(x, BUFFERS):
        if isinstance(x, memoryview):
            need_object(x.obj, "has a memoryview that is known only when the graph runs")
        return new_object(type(x), *making(x))
    if isinstance(x, dict):
        pairs = tuple((_embedded(k, done), _embedded(v, done)) for k, v in dict.items(x))
        held = dict(pairs) if isinstance(x, Counter) else pairs  # a Counter would count the pairs
        made: Tensor = _made_dict(type(x), *before_pairs(x), held)
        return made
    items: Any = tuple(_embedded(v, done) for v in parts_of(x) or ())
    if type(x) is StagedList and not x.known:
        items = x.tensor()
    kwargs = {"maxlen": x.maxlen} if isinstance(x, deque) and x.maxlen is not None else {}
    return new_object(class_of(x), items, **kwargs)


def _made_dict(cls: type, *args: Any) -> Any:
    """Record `cls(*args)`; a function among the arguments may use symbolic values."""
    for function in args[:-1]:
        check_kept_function(cls, function)
    made = with_callbacks(cls, args, {})
    return new_object(cls, *args) if made is NotImplemented else made


def new_object(cls: type, *args: Any, **kwargs: Any) -> Tensor:
    """Record `cls(*args, **kwargs)`."""
    made: Tensor = apply("construct", cls, *args, **kwargs)
    return made


def embedded_arguments(args: tuple[Any, ...], kwargs: dict[str, Any]
                       ) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Returns the arguments of an operation on objects, with objects of the graph in place of the
    containers in them."""
    done: dict[int, Any] = {}
    return (tuple(_embedded(x, done) for x in args),
            {name: _embedded(x, done) for name, x in kwargs.items()})


def read_operand(x: Any) -> Any:
    """Returns an operand that an operation on objects reads, and keeps no reference to: a container
    as it is now, whoever refers to it."""
    return _object(x, {}) if is_plain_container(x) else _embedded(x, {})


def new_dict(pairs: list[tuple[Any, Any]]) -> Any:
    """Make `{k: v, …}`; an object of the graph if a key is symbolic."""
    return _display(dict, pairs, [] if isinstance(pairs, Tensor) else [k for k, _ in pairs])


def new_set(items: list[Any]) -> Any:
    """Make `{a, b, …}`; an object of the graph if an item is symbolic."""
    return _display(set, items, items)


def _display(cls: type, items: list[Any], hashed: list[Any]) -> Any:
    if isinstance(items, Tensor):
        return new_object(cls, items)
    if any(isinstance(x, Tensor) for x in all_leaves(hashed)):
        given_items, _ = embedded_arguments(tuple(items), {})
        return new_object(cls, given_items)
    return new_container(cls(items))


def constructed(cls: type) -> Callable[..., Any]:
    """Returns what converted code calls in place of the class of a container."""
    @wraps(cls, updated=())
    def construct(*args: Any, **kwargs: Any) -> Any:
        if not trace.tracing():
            return cls(*args, **kwargs)
        items = args if cls in BUFFERS else args[-1:] if not (
            cls is defaultdict and len(args) == 1) else ()
        named = () if issubclass(cls, dict) else kwargs.values()  # the keys of those are known
        if any(_needs_run(cls, x) for x in (*items, *named)):
            args, kwargs = embedded_arguments(tuple(map(_unstaged, args)), kwargs)
            return new_object(cls, *args, **kwargs)
        return new_container(cls(*args, **kwargs))

    return construct


def _unstaged(x: Any) -> Any:
    """Returns a copy of a mutable container, which others may go on changing."""
    if type(x) is StagedList:
        return tuple(x) if x.known else x.tensor()
    return tuple(x) if type(x) in (list, set, deque) else x


def _needs_run(cls: type, x: Any) -> bool:
    """Returns True if the contents of a container of this class made of `x` are known only when
    the graph runs."""
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
        return any(isinstance(v, OF_RUN) for v in all_leaves(parts))
    keys = [parts_of(p) for p in parts]
    return any(isinstance(p, Tensor) for p in parts) or any(
        isinstance(v, OF_RUN) for k in keys if k for v in all_leaves(k[0]))


OF_RUN = (Tensor, SelectedObject)
"""Classes of keys that only the run has."""


# -- operations -----------------------------------------------------------------------------------


def method_of(name: str) -> Callable[..., Any]:
    """Returns a function that records a call of a method; its first argument is the container."""
    def call(x: Tensor, *args: Any, **kwargs: Any) -> Any:
        if name == "keys":
            check_merging(x, sys._getframe(1))
        need_references_for(name)
        if name in FILLING and len(args) == 1 and read_each(args[0], lambda v: call(x, [v])):
            args = [],
        if name in TAKING_CONTAINERS:
            args = tuple(rest(v) if is_new_iterator(v) else v for v in args)
        made = with_callbacks(list.sort, (x, *args), kwargs) if name == "sort" else NotImplemented
        if made is not NotImplemented:
            return made
        read = 0 if name not in TAKING_CONTAINERS else 1 if name == "fromkeys" else len(args)
        items, kwargs = embedded_arguments(args[read:], kwargs)
        return apply("call_method", x, name, *map(read_operand, args[:read]), *items, **kwargs)

    return call


def called_with(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Records a call of a function of Python's that changes what it is given."""
    need_references_for(function.__name__)
    args, kwargs = embedded_arguments(args, kwargs)
    return apply("call_object", function, *args, **kwargs)


def check_merging(x: Tensor, frame: FrameType) -> None:
    """Asks for a trace that can unpack a mapping of the run's, if the frame unpacks this one."""
    if is_merging(frame):
        trace.want_one("is unpacked with two stars, and known only when the graph runs")
        raise SymbolicValueError(
            f"a mapping is unpacked that is known only when the graph runs "
            f"({shown(x._handle.value)})"
            f"{at(user_location())}\n  hint: update a dict with it, in converted code")


def need_references_for(name: str) -> None:
    """Ask for a trace by reference, if this one is not: a method may change its container."""
    if not trace.by_reference():
        trace.need_references(f"the method {name} of an object of the graph is called")


def delete_item(x: Tensor, index: Any) -> None:
    """Record `del x[index]`."""
    if not is_graph_object(x):
        raise ValueError("cannot delete array elements")
    need_references_for("__delitem__")
    apply("delete_item", x, index)


def is_iterated_by_run(x: Any) -> bool:
    """Returns True if the graph iterates over it with Python's own `for`."""
    return isinstance(x, Tensor) and (is_container(x.type) or (
        x.type == DYNAMIC and trace.by_reference()))


def has_tensor(nest: Any) -> bool:
    """Returns True if a symbolic value is in a nest."""
    return any(isinstance(x, (Tensor, Splice)) or (
        type(x) in LOWERED and type(x) is not StagedList) for x in all_leaves(nest))


# -- symbolic values in Python's own containers, and in constants ----------------------------------


def _hash(x: Tensor) -> int:
    """Called where a container of Python's gets a symbolic key; Python does not say which."""
    if isinstance(x.type, ArrayType) and not x.type.scalar and x.type.shape is not None:
        raise TypeError("unhashable type: 'numpy.ndarray'")
    if is_container(x.type):
        raise TypeError(f"unhashable type: '{class_name(x.type)}'")
    need_object(None, "has a key that is known only when the graph runs")


def _hash_of_selected(x: SelectedObject) -> int:
    need_object(None, "has a key that a staged branch selected")


TENSOR_METHODS = {"__hash__": _hash}
SELECTED_OBJECT_METHODS = {"__hash__": _hash_of_selected}


def embed_containers(nest: Any) -> Any:
    """Returns a tuple or dict of arguments, with objects of the graph for the containers in it."""
    args, kwargs = (nest, {}) if type(nest) is tuple else ((), nest)
    args, kwargs = embedded_arguments(args, kwargs)
    return args if type(nest) is tuple else kwargs
