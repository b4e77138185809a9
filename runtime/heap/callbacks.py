"""Calls of library functions that call functions of the user's back, such as `scipy`'s solvers.

Such a callback may use symbolic values of the function around it, also as attributes of an object
that it is a method of. They become inputs of the call. When the graph runs, the callback, and the
object, are made again over the real values.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import is_
from typing import Any

import numpy as np

from autograph.libraries import is_library
from autograph.runtime.heap.callback_changes import Changes, changes_of, set_by
from autograph.runtime.heap.growing_lists import StagedList
from autograph.runtime.heap.kept_functions import refuse_unseen_changes
from autograph.runtime.heap.needed_objects import need_object
from autograph.runtime.heap.objects import contents_of, is_object, module_of, set_attributes
from autograph.runtime.heap.rebuilt_functions import (
    CALLING,
    Callbacks,
    Rebuilt,
    given_to,
    is_callback,
    is_holder,
    operands_of,
    uses_symbols,
)
from autograph.runtime.heap.stale_reads import refuse_stale_reads, refuse_symbolic_reads
from autograph.runtime.ir.closures import all_cells, bound_cells, cell_contents
from autograph.runtime.ir.errors import InvalidArgumentError, TracingError, at
from autograph.runtime.ir.printer import qualified_name
from autograph.runtime.ir.pytree import all_leaves, map_until
from autograph.runtime.ir.trace_signals import ArraysWritten
from autograph.runtime.ir.types import DYNAMIC, is_container, may_have_memory
from autograph.runtime.ops.op import Op
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.allocation_sites import (
    containers_in,
    is_plain_container,
    parts_of,
)
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor, apply, handed_over


def with_callbacks(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any],
                   changes_arguments: bool = False) -> Any:
    """Record a call of a library function whose arguments include functions that use symbolic
    values, or change what they share with the function around them; returns NotImplemented if there
    are none. A class whose methods change state is refused.

    What they share is given to the call, and what it is afterwards is taken from there. Containers
    and arrays that they may change have to be objects of the graph, and if the function itself may
    change what it is given, the containers among its arguments, too.
    """
    parts = list(all_leaves([function, args, kwargs]))
    for x in parts[1:]:
        if isinstance(x, type):  # the library may make objects of it, and call their methods
            refuse_unseen_changes(x)
    given = [x for x in parts if is_callback(x)]
    if not given or (function is np.vectorize and not any(
            isinstance(x, (Tensor, StagedList)) for x in parts)):
        return NotImplemented  # the call of what np.vectorize makes is recorded
    symbols = any(uses_symbols(x, set()) for x in parts)
    callbacks = Callbacks(changes_of(given) if symbols else Changes())
    nest = callbacks.replaced_in((function, args, kwargs))
    if callbacks.changes.contents and symbols:
        need_contents([*given, *callbacks.changes.read.values()])
    refuse_class_attributes(callbacks.changes)
    if not symbols and not isinstance(function, type):  # a class keeps it: the trace sees the calls
        refuse_symbolic_reads(changes_of(given))
    if symbols:
        note_variables(callbacks)
        refuse_stale_reads(callbacks.changes, {*callbacks.cells, *map(id, callbacks.functions)})
    if not (callbacks.functions or callbacks.changes):
        return NotImplemented
    if isinstance(function, type) and (callbacks.changes.cells or (
            callbacks.changes.attributes and callbacks.changes.objects)):
        raise TracingError(
            f"{qualified_name(function)} keeps a function that changes variables or attributes"
            f"{at(user_location())}\n  hint: keep the values in a list, or make the object outside")
    if callbacks.changes.globals:
        names = ", ".join(sorted(callbacks.changes.globals))
        raise TracingError(
            f"a function that a library calls rebinds the global variable {names}"
            f"{at(user_location())}\n  hint: keep the value in a list, or in an attribute")
    if changes_arguments:
        args, kwargs = _with_objects(args, callbacks), {
            name: _with_objects(x, callbacks) for name, x in kwargs.items()}
        nest = callbacks.replaced_in((function, args, kwargs))
    return _recorded(function, callbacks, nest)


def _with_objects(nest: Any, callbacks: Callbacks) -> Any:
    """Returns arguments with objects of the graph for the containers that hold no callbacks: those
    that do are made again for each call."""
    numbered = set(map(id, callbacks.functions))

    def is_given(x: Any) -> bool:
        return is_plain_container(x) and numbered.isdisjoint(map(id, all_leaves(x)))

    return map_until(lambda x: handed_over((x,))[0] if is_given(x) else x, nest, is_given)


def refuse_class_attributes(changes: Changes) -> None:
    """Refuses a callback that may set an attribute of an object which has it from its class only:
    the call is given the attributes that the object has itself.

    Raises:
      TracingError: there is such an object.
    """
    classes = [x for x in changes.reached if isinstance(x, type) and not is_library(
        module_of(x))]
    _, in_others = set_by(changes, classes)
    for cls in classes:
        for name in sorted(in_others & vars(cls).keys()):
            raise TracingError(
                f"a function that a library calls may set the attribute {name!r} of the class "
                f"{cls.__name__}{at(user_location())}\n"
                "  hint: set an attribute of an object, or hold the value in an array")
    for x in changes.objects:
        own = contents_of(x)
        for name in changes.attributes - own.keys():
            held = getattr(type(x), name, CALLING)
            if held is not CALLING and not callable(held) and not hasattr(type(held), "__get__"):
                raise TracingError(
                    f"a function that a library calls may set the attribute {name!r} of a "
                    f"{type(x).__name__}, which has it from its class{at(user_location())}\n"
                    "  hint: set the attribute in `__init__`")


def note_variables(callbacks: Callbacks) -> None:
    """Notes what the variables of the functions hold that a library calls when the graph runs: if
    they are bound to something else later, the next trace gives the functions what they hold now.
    """
    here = trace.current_region()
    if here is not None:
        here.trace.callback_cells += [
            (f.__code__, cell, cell_contents(cell)) for f in callbacks.changes.functions
            for _, cell in all_cells(f)
            if f.__code__ not in here.trace.mode.callbacks and id(cell) not in callbacks.cells]


def want_variables(run: trace.Trace) -> None:
    """Wants the functions that a library calls and whose variables were bound to something else
    after the call."""
    run.request.callbacks |= {code for code, cell, held in run.callback_cells
                              if cell_contents(cell) is not held}


def check_kept_function(cls: type, function: Any) -> None:
    """Checks a function that an object of the graph keeps and calls, such as a default factory.
    Containers and arrays that it may change have to be objects of the graph.

    Raises:
      TracingError: it rebinds variables, or sets attributes of an object that it uses.
    """
    if not isinstance(function, CALLING):
        return
    changes = changes_of([function])
    if changes.contents:
        need_contents([function, *changes.read.values()])
    sets = any(name in changes.attributes for x in changes.objects for name in contents_of(x))
    if changes.cells or changes.globals or sets:
        raise TracingError(
            f"a {cls.__name__} that only the run knows keeps a function that changes variables or "
            f"attributes{at(user_location())}\n  hint: keep the values in a list")


def _recorded(function: Callable[..., Any], callbacks: Callbacks, nest: Any) -> Any:
    """Records the call, and what it changes."""
    functions, changes = callbacks.functions, callbacks.changes
    rebound = [(cell, n) for cell, n in callbacks.cells.values() if id(cell) in changes.cells]
    changed = [(number, name) for number, x in enumerate(functions) if is_object(x)
               for name in contents_of(x) if name in changes.attributes]
    need_objects((*(cell_contents(cell) for cell, _ in rebound),
                  *(contents_of(functions[number])[name] for number, name in changed)))
    operands, (contents, values, given) = operands_of(callbacks, nest)

    def call(operands: list[Any]) -> Any:
        made = Rebuilt(functions, contents, values, operands)
        function, args, kwargs = made.real(given)
        for number in range(len(functions)):
            made.number(number)
        own = set(map(id, operands))
        before = [_held(x, changed, number, own) for number, x in made.objects.items()]
        cells = list(map(cell_contents, made.cells))
        result = _called(function, args, kwargs, own)
        for (number, x), old in zip(made.objects.items(), before, strict=True):
            _refuse_change(x, old, _held(x, changed, number, own))
        free = {n for _, n in rebound}
        if any(cell_contents(cell) is not old for n, (cell, old) in enumerate(
                zip(made.cells, cells, strict=True)) if n not in free):
            raise InvalidArgumentError(
                "a function that a library calls while the graph runs rebinds a variable in a way "
                "that its code does not show\n  hint: return the value")
        return result, [made.cells[n].cell_contents for _, n in rebound], [
            getattr(made.number(number), name) for number, name in changed]

    name = qualified_name(function)
    op = Op(name, call, lambda *types: DYNAMIC, "", (), onnx=None,
            effect="store" if changes.contents else "call", lasts=True,
            doc=f"`{name}`, called as it is, with functions of the user's")
    made = apply(op, operands)
    for i, (cell, _) in enumerate(rebound):
        cell.cell_contents = apply("getitem", apply("getitem", made, 1), i)
    for i, (number, attribute) in enumerate(changed):
        set_attributes(functions[number], {
            attribute: apply("getitem", apply("getitem", made, 2), i)})
    return apply("getitem", made, 0)


def _called(function: Callable[..., Any], args: Any, kwargs: dict[str, Any], objects: set[int]
            ) -> Any:
    """Calls a function; refuses a change of a container that was made for the call, as it holds a
    function that was made for it, too. `objects` has the ids of what the graph holds itself."""
    made, pending = list[Any](), [*args, *kwargs.values()]
    while pending:
        x = pending.pop()
        if id(x) not in objects and (parts := parts_of(x)) is not None:
            pending += parts
            made += [(x, parts)] if is_plain_container(x) else []
    result = function(*args, **kwargs)
    for x, before in made:
        now = parts_of(x) or []
        if len(now) != len(before) or not all(map(is_, now, before)):
            raise InvalidArgumentError(
                f"a library changes a {type(x).__name__} that holds a function which uses values "
                "of the run\n  hint: give it a container of its own, without functions")
    return result


def need_objects(handed_back: tuple[Any, ...]) -> None:
    """Makes sure that the graph holds as objects the containers that a call is given and hands
    back: one that was made again by value would be another one afterwards.

    Raises:
      SymbolicValueError: the trace has to be made again.
    """
    for held in containers_in(handed_back):
        need_object(held, "is handed to a library, and may be another one afterwards")


def need_contents(given: list[Any], is_made: Callable[[Any], bool] = lambda x: False) -> None:
    """Makes sure that the graph holds what a library may change, and what that leads to: containers
    as objects, arrays by reference.

    is_made: returns True for a container that is made together with what may change it.

    Raises:
      SymbolicValueError, RetraceByReference, ArraysWritten: the trace has to be made again.
    """
    seen: set[int] = set()
    pending = list(given)
    while pending:
        x = pending.pop()
        if id(x) in seen:
            continue
        seen.add(id(x))
        if isinstance(x, Tensor):
            if may_have_memory(x.type) and not is_container(x.type) and not trace.by_reference():
                trace.need_references("a library, or what it calls, may write to an array")
        elif isinstance(x, np.ndarray):
            if trace.from_outside(x) and x.flags.writeable:
                raise ArraysWritten([x])
        elif is_made(x) and (parts := parts_of(x)) is not None:
            pending += list.__iter__(x) if isinstance(x, StagedList) else parts
        elif isinstance(x, StagedList) or is_plain_container(x):
            need_object(x, "may be changed by a library, or by a function that it calls")
        elif isinstance(x, CALLING) or is_holder(x):
            pending += [c.cell_contents for _, c in bound_cells(x)]
            pending += all_leaves(given_to(x))
        elif is_object(x):
            pending += contents_of(x).values()


def _held(x: Any, changed: list[tuple[int, str]], number: int, own: set[int]
          ) -> dict[str, tuple[Any, list[Any]]]:
    """Returns the attributes of an object that its class does not show to be set, each with the
    items of the containers in it, but of those that the graph holds itself, by their ids."""
    free = {name for n, name in changed if n == number}
    return {name: (v, [c for part in containers_in(v) for c in parts_of(part) or ()])
            for name, v in contents_of(x).items() if name not in free and id(v) not in own}


def _refuse_change(x: Any, before: dict[str, tuple[Any, list[Any]]],
                   after: dict[str, tuple[Any, list[Any]]]) -> None:
    """Refuses a callback that changed an attribute in a way that no code shows."""
    changed = [name for name in {**before, **after} if name not in before or name not in after
               or not _same(before[name], after[name])]
    if changed:
        raise InvalidArgumentError(
            f"a method of {type(x).__name__}, which a library calls while the graph runs, changes "
            f"the attribute {changed[0]!r}\n  hint: compute the attribute from the library's "
            "result, or call the library outside the function")


def _same(a: tuple[Any, list[Any]], b: tuple[Any, list[Any]]) -> bool:
    return a[0] is b[0] and len(a[1]) == len(b[1]) and all(map(is_, a[1], b[1]))
