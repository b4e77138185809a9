"""Functions that become values of the graph: those with effects that the trace cannot see.

They are refused. A function that the trace calls has its effects recorded. One that is an operand
of an equation is called by Python when the graph runs, out of the trace's sight: what it binds,
sets or changes there is not what the trace goes on with. Each operand passes by here, whatever the
construct.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Collection, Iterable, Iterator
from functools import _lru_cache_wrapper, partial
from types import BuiltinMethodType, CellType, FunctionType, GeneratorType
from typing import Any

import numpy as np

from autograph.libraries import is_library
from autograph.own_attributes import held
from autograph.runtime.heap.callback_changes import Changes, changes_of, members, methods_of, set_by
from autograph.runtime.heap.iterators import is_iterator, read_at_run_time
from autograph.runtime.heap.needed_objects import need_object
from autograph.runtime.heap.objects import (
    contents_of,
    is_instance,
    is_object,
    module_of,
    parts_held,
)
from autograph.runtime.heap.rebuilt_functions import CALLING, is_holder, uses_symbols
from autograph.runtime.heap.stale_reads import note_kept
from autograph.runtime.heap.uses_of_names import uses_of
from autograph.runtime.ir.closures import cell_contents
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.printer import qualified_name
from autograph.runtime.ir.pytree import LEAVES, PLAIN_CONTAINERS, all_leaves
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.allocation_sites import containers_in, is_plain_container, parts_of
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import BoundMethod


def is_chosen_by_branches(x: Any) -> bool:
    """Returns True for a container or an object that holds a function or a class, and for an object
    whose methods change what the trace follows."""
    held = contents_of(x).values() if is_instance(x) else parts_of(x) or ()
    found = list(all_leaves([x, *held]))
    return any(map(_is_callable, found)) or any(map(_changes_by_methods, _one_of_each(found)))


def keeps_effects(x: Any) -> bool:
    """Returns True for a function, a class or an object that changes what the trace follows, and
    for a container that holds one: the trace goes on with each that may be meant."""
    found = list(held_in(x))
    return any(_unseen_changes(v) for v in found if _is_callable(v)) or any(
        map(_changes_by_methods, _one_of_each(v for v in found if not _is_callable(v))))


def _one_of_each(found: Iterable[Any]) -> Iterable[Any]:
    """Returns one object of each class: their methods are the same."""
    return {type(x): x for x in found}.values()


def held_in(x: Any) -> Iterator[Any]:
    """Yields a value, and what it holds if it is a container or an object, each once."""
    seen: dict[int, Any] = {}
    pending = [x]
    while pending:
        x = pending.pop()
        if id(x) not in seen:
            seen[id(x)] = x
            yield x
            pending += parts_held(x) or ()


def refuse_shared_changes(function: Any, inputs: Iterable[Any],
                          passed: dict[int, Any] | None = None) -> None:
    """Refuses a call whose arguments hold a function that changes what the traced function leads
    to, too, if these arguments are inputs of the graph: the run calls what it finds in them.
    `passed` holds by id the functions and classes that earlier calls found harmless.

    Raises:
      TracingError: there is such a function.
    """
    passed = {} if passed is None else passed
    held = [v for x in inputs for v in held_in(x)]
    for x in held:
        if is_plain_container(x) and _changes_others(x):
            raise TracingError(
                f"a {type(x).__name__} is a container that only the run looks into, and its class "
                "has a special method that sets variables, or attributes of others: the trace "
                "could not follow what a call of it does\n"
                "  hint: use a container of Python's, or look into it by what is known")
    found = {id(f): f for v in held for f in _called(v)}
    new = [f for number, f in found.items() if number not in passed]
    followed = changes_of([function]) if new else Changes()
    for x in new:
        if _share_state(changes_of(methods_of(x) if isinstance(x, type) else [x]), followed):
            raise TracingError(
                f"{_name(x)} is in an argument that only the run looks into, and changes what "
                "the traced function uses, too: the trace could not follow what a call of it does"
                "\n  hint: give the functions as arguments of their own, or return the values "
                "instead of changing state")
        passed[id(x)] = x


def refuse_finalizer(cls: type) -> None:
    """Refuses to make objects with a finalizer that changes state: when the last reference is gone,
    which calls it, is known for objects of the run alone.

    Raises:
      TracingError: the class has such a finalizer.
    """
    if changes_at_end(cls):
        raise TracingError(
            f"a finalizer, of the class {qualified_name(cls)}, changes state outside, and only the "
            f"run knows when{at(user_location())}\n  hint: use a `with` statement, or a method")


def changes_at_end(cls: type) -> bool:
    """Returns True for a class with a finalizer that changes state."""
    found = held(cls, "__del__")
    own = isinstance(found, FunctionType) and not is_library(module_of(cls))
    return cls is weakref.finalize or (own and bool(_unseen_changes(cls, [found])))


def refuse_lasting_changes(inputs: Iterable[Any]) -> None:
    """Refuses inputs of a graph with special methods that change state outside them, where the
    function may run as plain Python after the graph: both would do it.

    Raises:
      TracingError: there is such an input.
    """
    for x in (v for given in inputs for v in held_in(given)):
        cls = type(x)
        if (is_plain_container(x) or is_instance(x)) and not is_library(module_of(cls)) and (
                what := _unseen_changes(cls, _operations(cls))):
            raise TracingError(
                f"a special method of the class {qualified_name(cls)} {what}, and the function has "
                "a `try` or `with`: it could not run again as plain Python\n"
                "  hint: move the statement into a function under ag.do_not_convert")


def _share_state(changes: Changes, followed: Changes) -> bool:
    """Returns True if functions may change what others lead to, too."""
    cells = {id(c) for f in followed.functions for c in f.__closure__ or ()}
    if not cells.isdisjoint(changes.cells) or changes.globals & followed.read.keys():
        return True
    known = set(map(id, followed.reached))
    shared = [x for x in changes.reached if id(x) in known]
    return any(_attributes_set(changes, shared)) or (
        changes.contents and any(map(_is_followed, _with_attributes(shared))))


def _attributes_set(changes: Changes, found: list[Any]) -> tuple[bool, bool]:
    """Returns, for functions, if they may set attributes of objects, and of classes, among some."""
    classes = [x for x in found if isinstance(x, type) and not is_library(module_of(x))]
    in_any, in_others = set_by(changes, classes)
    return (any(name in in_any for x in found if _has_attributes(x) for name in _attributes(x)),
            any(name in in_others for cls in classes for name in vars(cls)))


def _with_attributes(found: list[Any]) -> list[Any]:
    """Returns some values, and what the attributes of the objects among them hold."""
    return [*found, *(v for x in found if _has_attributes(x) for v in _attributes(x).values())]


def _has_attributes(x: Any) -> bool:
    return is_instance(x) or is_object(x)


def _called(x: Any) -> list[Any]:
    """Returns what of a value the run may call: a function, or the class of an object."""
    if type(x) in LEAVES or type(x) in PLAIN_CONTAINERS:
        return []
    return [type(x)] if is_instance(x) else [x] if _is_callable(x) else []


def _is_callable(x: Any) -> bool:
    return isinstance(x, (type, BuiltinMethodType, *CALLING)) or is_holder(x)


def _changes_by_methods(x: Any) -> str:
    """Names what the methods of an object do to state outside, but that which made it."""
    if not is_instance(x) or is_library(module_of(type(x))):
        return ""
    return _unseen_changes(type(x), methods_of(type(x)))


def is_read_by_run(x: Any, early_end: bool = False) -> bool:
    """Returns True for an iterator from outside that is to be read when the graph runs.

    Raises:
      TracingError: a step of it changes state, which the trace would not see.
    """
    if not read_at_run_time(x, early_end):
        return False
    _refuse_changes(x)
    return True


def is_resumed_by_run(x: Any) -> bool:
    """Returns True for a generator from outside whose methods each run calls, as what it is sent
    reaches all that it yields later.

    Raises:
      TracingError: a step of it changes state, which the trace would not see, or the trace has read
        items of it.
    """
    here = trace.current_region()
    if here is None or not isinstance(x, GeneratorType) or not trace.from_outside(x):
        return False
    cursor = here.trace.cursor_of(x)
    if cursor is not None and cursor.items and id(x) not in here.trace.read_by_run:
        raise TracingError(
            "a generator from outside the function is resumed by one of its methods after `next` "
            f"or a loop has read it, once for all calls, while tracing{at(user_location())}\n"
            '  hint: use @ag.function(effects="runtime"), or make it in the function')
    _refuse_changes(x)
    here.trace.read_by_run.add(id(x))
    return True


def _refuse_changes(x: Any) -> None:
    if changes_of(_steps(x)):
        raise TracingError(
            f"a {type(x).__name__} from outside the function is read when the graph runs, and "
            f"changes variables, objects or containers for its items{at(user_location())}\n"
            "  hint: make it in the function, or pass the items as an argument")


def _steps(x: Any) -> Iterator[Any]:
    """Yields the functions that an iterator calls for its items; the code of a generator, as a
    function, and what its variables hold."""
    if isinstance(x, GeneratorType):
        if x.gi_frame is not None:
            code = x.gi_code
            cells = tuple(CellType() for _ in code.co_freevars)
            yield FunctionType(code, x.gi_frame.f_globals, code.co_name, None, cells)
            for held in gc.get_referents(x):  # `f_locals` would make a dict that others find
                yield cell_contents(held) if isinstance(held, CellType) else held
    elif is_iterator(x):
        for part in gc.get_referents(x):
            yield from [part] if isinstance(part, CALLING) else _steps(part)


def changes_by_operations(x: Any) -> bool:
    """Returns True for an object of the user's with a special method, called by operations, that
    may change it, or what it holds: one that counts how often it is compared, say."""
    if not is_instance(x) or is_library(module_of(type(x))):
        return False
    changes = changes_of(_operations(type(x)))
    return bool(changes.contents or set_by(changes, [type(x)])[0])


def check_keys(keys: Iterable[Any]) -> None:
    """Refuses keys whose `__hash__` changes state: a copy of their dict would hash them again.

    Raises:
      TracingError: there is such a key.
    """
    cls = notices_hashing(keys)
    if cls is not None:
        raise TracingError(
            f"a dict has keys of the class {cls.__name__}, whose `__hash__` changes something: it "
            f"counts how often it is called{at(user_location())}\n"
            "  hint: leave the function to Python with @ag.do_not_convert")


def notices_hashing(keys: Iterable[Any]) -> type | None:
    """Returns the class of a key whose `__hash__` changes state, if there is one."""
    classes: set[Any] = {type(x) for x in all_leaves(list(keys))}
    return next((cls for cls in classes if type(cls.__hash__) is FunctionType and not is_library(
        module_of(cls)) and changes_of(_operations(cls, ["__hash__"]))), None)


def _changes_others(x: Any) -> bool:
    """Returns True for a container of a user's class with such a method that sets variables outside
    it, or attributes of others, such as its class: they are no part of what the run has."""
    if type(x) in PLAIN_CONTAINERS or is_library(module_of(type(x))):
        return False
    changes = changes_of(_operations(type(x)))
    return bool(changes.cells or changes.globals or set_by(changes, [type(x)])[1])


def _operations(cls: type, called: Iterable[str] = ()) -> list[Any]:
    """Returns the special methods of a class that operations call, or those that are `called`, and
    its other methods that these name."""
    others = {name: f for base in reversed(cls.__mro__[:-1]) for name, f in members(base)}
    pending = list(called) or [
        name for name in others if name[:2] == "__" and name not in NO_OPERATIONS]
    found = []
    while pending:
        if (f := others.pop(pending.pop(), None)) is not None:
            found.append(f)
            pending += uses_of(f.__code__).read if isinstance(f, FunctionType) else ()
    return found


NO_OPERATIONS = frozenset({
    "__init__", "__new__", "__post_init__", "__init_subclass__", "__set_name__",
    "__enter__", "__exit__", "__setattr__", "__delattr__", "__getattr__", "__getattribute__",
    "__copy__", "__deepcopy__", "__reduce__", "__getstate__", "__setstate__", "__del__"})
"""Special methods that no operation of a graph calls of an operand."""


def refuse_unseen_changes(x: Any, own: Collection[int] = ()) -> None:
    """Refuses a function, a class or an object as a value of the graph if it, or a method, changes
    what the trace follows. `own` has the ids of the variables that the run makes with it.

    Raises:
      TracingError: it rebinds variables, sets attributes, or changes containers or arrays that it
        has from outside its body.
    """
    if isinstance(x, BuiltinMethodType) and is_plain_container(x.__self__):
        need_object(x.__self__, f"has its method {x.__name__} as a value that only the run knows")
        return
    what = _unseen_changes(x, own=own) if _is_callable(x) else _changes_by_methods(x)
    if what and _is_callable(x) and not isinstance(x, type):
        _need_changed(x)
    if what:
        raise TracingError(
            f"{_name(x)} {what}, and becomes a value that only the run knows: the trace could not "
            f"follow what a call of it does{at(user_location())}\n  hint: choose the function by "
            "`if` statements, or by an index into a list display of functions; or return the value "
            "instead of changing state")
    if isinstance(x, CALLING) or is_holder(x) or (
            is_instance(x) and not is_library(module_of(type(x)))):
        note_kept(x)


def _need_changed(x: Any) -> None:
    """Makes sure that the graph holds as objects what a function changes, and the trace follows:
    nothing that it does to them is then lost on the trace.

    Raises:
      SymbolicValueError: the trace has to be made again.
    """
    here = trace.current_region()
    changes = changes_of([x])
    if here is None or changes.cells or changes.globals or _attributes_set(
            changes, changes.reached)[1]:
        return
    allocations = here.trace.allocations
    wanted = [o for o in changes.reached if is_instance(o) and (
        allocations.is_known(o) or made_by_function(o))]
    for o in wanted[1:]:
        trace.want(o, CHANGED)
    if wanted:
        need_object(wanted[0], CHANGED)


CHANGED = "is changed by a function that becomes a value that only the run knows"


def made_by_function(x: Any) -> bool:
    """Returns True for an object that the function made, or may have changed."""
    here = trace.current_region()
    return here is not None and is_instance(x) and id(x) not in here.trace.allocations.before


def _name(x: Any) -> str:
    if isinstance(x, BoundMethod):
        return f"the method {x.name} of a container"
    if isinstance(x, type) or is_instance(x):
        return f"a method of the class {qualified_name(x if isinstance(x, type) else type(x))}"
    return f"the function {qualified_name(x)}" if isinstance(x, NAMED) else (
        f"a function in a {type(x).__name__}")


NAMED = (FunctionType, _lru_cache_wrapper)
"""Classes of functions that have names."""


def _unseen_changes(x: Any, parts: Iterable[Any] = (), own: Collection[int] = ()) -> str:
    """Names what a function, or the methods of a class, do to state outside; "" for nothing.
    `parts`: the methods to look at; all by default. `own`: the variables that are not outside."""
    if isinstance(x, type) and is_library(module_of(x)):
        return ""
    changes = changes_of(parts or [x])
    if not changes:
        return ""
    if not changes.cells.keys() <= set(own) or changes.globals:
        return "rebinds variables from outside"
    of_objects, of_classes = _attributes_set(
        changes, [*changes.reached, *(x.__mro__ if isinstance(x, type) else ())])
    if of_objects or of_classes:
        return f"sets attributes of {'an object from outside' if of_objects else 'a class'}"
    if not changes.contents:
        return ""
    in_closures = any(uses_symbols(f, set()) for f in changes.functions)
    if (in_closures or uses_symbols(x, set())) and not trace.by_reference():
        trace.need_references("a function that only the run knows may write to an array")
    is_made_again = isinstance(x, (FunctionType, partial))  # a method's closure is its class's
    return "may change a container or an array from outside" if (
        in_closures and not is_made_again) or any(
        map(_is_followed, _with_attributes(changes.reached))) else ""


def _attributes(x: Any) -> dict[str, Any]:
    return {**contents_of(x), **vars(x)} if type(x).__dictoffset__ else contents_of(x)


def _is_followed(x: Any) -> bool:
    """Returns True for what holds a container of Python's, or a known array. A symbolic value that
    a global variable holds is an object of the graph: a call of the function finds it there."""
    return next(containers_in(x), None) is not None or any(
        isinstance(v, np.ndarray) for v in all_leaves(x))
