"""Calls of library functions that call functions of the user's back, such as `scipy`'s solvers.

Such a callback may use symbolic values of the function around it, also as attributes of an object
that it is a method of. They become inputs of the call. When the graph runs, the callback, and the
object, are made again over the real values.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from operator import is_
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from autograph.runtime.heap.callback_changes import Changes, changes_of
from autograph.runtime.heap.escaping_objects import how_to_make, is_symbolic_object
from autograph.runtime.heap.growing_lists import StagedList
from autograph.runtime.heap.needed_objects import need_object
from autograph.runtime.heap.objects import (
    build,
    contents_of,
    is_library,
    is_object,
    set_attributes,
)
from autograph.runtime.ir.closures import all_cells, bound_cells, cell_contents
from autograph.runtime.ir.errors import InvalidArgumentError, TracingError, at
from autograph.runtime.ir.printer import qualified_name
from autograph.runtime.ir.pytree import flatten, map_nest
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
from autograph.runtime.symbolic.tensor import Tensor, apply

LITERALS = (bool, int, float, complex, str, bytes, type(None), type)
CALLING = (FunctionType, partial, MethodType)


class CallbackReference:
    """Stands in the arguments for callback number `number`."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


class OperandReference(CallbackReference):
    """Stands for operand number `number`: a container among the operands stays the same object."""

    __slots__ = ()


class Unbound:
    """Stands for what a closure cell holds that is not bound."""


@dataclass
class Callbacks:
    """The functions among the arguments of one call that use symbolic values, and the objects that
    these use.

    changes    what they may change.
    functions  each function and object once.
    values     for each function its symbolic cells and its defaults; for each object its symbolic
               attributes.
    cells      by id: a closure cell that is symbolic, or rebound, and its number.
    contents   what these cells hold.
    asked      the ids of the functions that are being asked what they change.
    """

    changes: Changes = field(default_factory=Changes)
    functions: list[Any] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    cells: dict[int, tuple[CellType, int]] = field(default_factory=dict)
    contents: list[Any] = field(default_factory=list)
    asked: set[int] = field(default_factory=set)

    def replaced_in(self, nest: Any) -> Any:
        """Returns a nest with a `CallbackReference` in place of each callback."""
        return map_nest(self._leaf, nest)

    def _leaf(self, x: Any) -> Any:
        if not is_callback(x) or not (
                uses_symbols(x, set()) or self._is_changed(x)):
            return x
        if not any(x is f for f in self.functions):
            self.functions.append(x)
            self.values.append(None)
            self.values[self._number(x)] = self.replaced_in(self._parts(x))
        return CallbackReference(self._number(x))

    def _is_changed(self, x: Any) -> bool:
        """Returns True for an object, or a function that uses a cell, which may be changed."""
        if is_object(x):
            return not self.changes.attributes.isdisjoint(contents_of(x))
        if _is_fixed(x):
            return True
        if id(x) in self.asked:
            return False
        self.asked.add(id(x))
        cells = [c for _, c in bound_cells(x)]
        found = any(map(self._is_changed_cell, cells)) or any(
            self._is_changed(part) for part in flatten([_given(x), [
                c.cell_contents for c in cells]]) if is_callback(part))
        self.asked.discard(id(x))
        return found

    def _is_changed_cell(self, cell: CellType) -> bool:
        return id(cell) in self.changes.cells

    def _parts(self, f: Any) -> list[Any]:
        """Returns the parts of a callback that may be symbolic: of a function the numbers of its
        cells, and the defaults or bound arguments; of an object the attributes."""
        if isinstance(f, MethodType) or is_holder(f):
            return _given(f)
        if not isinstance(f, CALLING):
            how_to_make(f)  # raises if that cannot be done
            return [{name: x for name, x in contents_of(f).items()
                     if name in self.changes.attributes or any(
                         uses_symbols(part, set()) for part in flatten(x))}]
        fixed = _is_fixed(f)
        cells = {name: self._cell(cell) for name, cell in (all_cells if fixed else bound_cells)(f)
                 if fixed or self._is_changed_cell(cell) or any(
                     uses_symbols(x, set()) or (is_callback(x) and self._is_changed(x))
                     for x in flatten(cell.cell_contents))}
        return [cells, *_given(f)]

    def _cell(self, cell: CellType) -> int:
        """Returns the number of a cell."""
        if id(cell) not in self.cells:
            self.cells[id(cell)] = cell, len(self.contents)
            self.contents.append(None)
            held = self._held(cell)
            if self._is_changed_cell(cell) and isinstance(held, CallbackReference):
                raise TracingError(
                    "a function that a library calls rebinds a variable that holds an object or a "
                    f"function{at(user_location())}\n  hint: hold its value in a list or an array")
            self.contents[self.cells[id(cell)][1]] = held
        return self.cells[id(cell)][1]

    def _held(self, cell: CellType) -> Any:
        """Returns what a cell holds, with references to callbacks; a mark if it is unbound."""
        if cell_contents(cell) is not ...:
            return self.replaced_in(cell.cell_contents)
        if self._is_changed_cell(cell):
            raise TracingError(
                "a function that a library calls rebinds a variable that is not bound yet"
                f"{at(user_location())}\n  hint: bind the variable before the call")
        return Unbound

    def _number(self, x: Any) -> int:
        return next(i for i, f in enumerate(self.functions) if x is f)


def _is_fixed(f: Any) -> bool:
    """Returns True for a function that is called with the values that its variables have now."""
    here = trace.current_region()
    return here is not None and type(f) is FunctionType and f.__closure__ is not None and (
        f.__code__ in here.trace.mode.callbacks)


def is_holder(x: Any) -> bool:
    """Returns True for an object of a library that holds a function in an attribute, such as
    `np.vectorize(f)`."""
    held = getattr(x, "__dict__", None)
    return type(held) is dict and not isinstance(x, (type, ModuleType, *CALLING)) and is_library(
        type(x).__module__ or "") and any(isinstance(v, CALLING) for v in held.values())


def is_callback(x: Any) -> bool:
    """Returns True for what a library may call, or may find a function in."""
    return isinstance(x, CALLING) or is_object(x) or is_holder(x)


def uses_symbols(x: Any, seen: set[int]) -> bool:
    """Returns True for a symbolic value, and for a function or object that leads to one by its
    cells, defaults or attributes."""
    if (isinstance(x, CALLING) or is_holder(x)) and id(x) not in seen:
        seen.add(id(x))
        cells = [c.cell_contents for _, c in bound_cells(x)]
        return any(uses_symbols(part, seen) for part in flatten([cells, _given(x)]))
    return isinstance(x, (Tensor, StagedList)) or is_symbolic_object(x)


def _given(f: Any) -> list[Any]:
    """Returns the bound arguments of a partial function or method, or a function's defaults."""
    if isinstance(f, partial):
        return [f.func, list(f.args), dict(f.keywords)]
    if isinstance(f, MethodType):
        return [f.__func__, f.__self__]
    if is_holder(f):
        return [{name: x for name, x in vars(f).items() if isinstance(x, CALLING)}]
    return [list(f.__defaults__ or ()), dict(f.__kwdefaults__ or {})]


class Rebuilt:
    """The functions and objects of one call over real values.

    cells    the closure cells, by number.
    objects  the objects that were made, by their number.
    """

    def __init__(self, functions: list[Any], contents: list[Any], values: list[Any],
                 operands: list[Any]) -> None:
        self.functions = functions
        self.values = values
        self.operands = operands
        self.found: list[Any] = [None] * len(functions)
        self.objects: dict[int, Any] = {}
        self.cells = [CellType() for _ in contents]
        for cell, held in zip(self.cells, contents, strict=True):
            if held is not Unbound:
                cell.cell_contents = self.real(held)

    def real(self, nest: Any) -> Any:
        """Returns a nest with functions, objects and operands in place of references to them."""
        return map_nest(self._real, nest)

    def _real(self, x: Any) -> Any:
        if isinstance(x, OperandReference):
            return self.operands[x.number]
        return self.number(x.number) if isinstance(x, CallbackReference) else x

    def number(self, number: int) -> Any:
        """Returns a function or object, made when it is first asked for."""
        if self.found[number] is None:
            f, parts = self.functions[number], self.values[number]
            if isinstance(f, partial):
                _, function, args, keywords = self.real(parts)
                self.found[number] = partial(function, *args, **keywords)
            elif isinstance(f, MethodType):
                self.found[number] = MethodType(*self.real(parts))
            elif isinstance(f, FunctionType):
                self._function(f, parts, number)
            elif is_holder(f):
                made = self.found[number] = copy.copy(f)
                vars(made).update({name: copy.copy(x) for name, x in vars(f).items() if isinstance(
                    x, (dict, list, set))})  # what it remembers of the function
                vars(made).update(self.real(parts[0]))
            else:
                made = self.found[number] = self.objects[number] = build(type(f), ())
                set_attributes(made, {**contents_of(f), **self.real(parts[0])})
        return self.found[number]

    def _function(self, f: FunctionType, parts: Any, number: int) -> None:
        inside, defaults, keywords = parts
        own = zip(f.__code__.co_freevars, f.__closure__ or (), strict=True)
        cells = tuple(self.cells[inside[name]] if name in inside else cell for name, cell in own)
        new = self.found[number] = FunctionType(f.__code__, f.__globals__, f.__name__, None, cells)
        new.__defaults__ = tuple(self.real(defaults)) or None
        new.__kwdefaults__ = self.real(keywords) or None


def with_callbacks(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
                   ) -> Any:
    """Record a call of a library function whose arguments include functions that use symbolic
    values, or change what they share with the function around them; returns NotImplemented if there
    are none.

    What they share is given to the call, and what it is afterwards is taken from there. Containers
    and arrays that they may change have to be objects of the graph.
    """
    parts = list(flatten([function, args, kwargs]))
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
    if symbols:
        note_variables(callbacks)
    if not (callbacks.functions or callbacks.changes):
        return NotImplemented
    if isinstance(function, type) and (callbacks.changes.cells or callbacks.changes.attributes):
        raise TracingError(
            f"{qualified_name(function)} keeps a function that changes variables or attributes"
            f"{at(user_location())}\n  hint: keep the values in a list, or make the object outside")
    if callbacks.changes.globals:
        names = ", ".join(sorted(callbacks.changes.globals))
        raise TracingError(
            f"a function that a library calls rebinds the global variable {names}"
            f"{at(user_location())}\n  hint: keep the value in a list, or in an attribute")
    return _recorded(function, callbacks, nest)


def refuse_class_attributes(changes: Changes) -> None:
    """Refuses a callback that may set an attribute of an object which has it from its class only:
    the call is given the attributes that the object has itself.

    Raises:
      TracingError: there is such an object.
    """
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

    operands: list[Any] = []

    def refer(x: Any) -> Any:
        if isinstance(x, (CallbackReference, *LITERALS, *CALLING)):
            return x  # a function that uses no symbolic values
        operands.append(x)
        return OperandReference(len(operands) - 1)

    contents, values, given = map_nest(refer, (callbacks.contents, callbacks.values, nest))

    def call(operands: list[Any]) -> Any:
        made = Rebuilt(functions, contents, values, operands)
        function, args, kwargs = made.real(given)
        for number in range(len(functions)):
            made.number(number)
        before = [_held(x, changed, number) for number, x in made.objects.items()]
        cells = list(map(cell_contents, made.cells))
        result = function(*args, **kwargs)
        for (number, x), old in zip(made.objects.items(), before, strict=True):
            _refuse_change(x, old, _held(x, changed, number))
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


def need_contents(given: list[Any]) -> None:
    """Makes sure that the graph holds what a library may change, and what that leads to: containers
    as objects, arrays by reference.

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
        elif isinstance(x, StagedList) or is_plain_container(x):
            need_object(x, "may be changed by a library, or by a function that it calls")
        elif isinstance(x, CALLING) or is_holder(x):
            pending += [c.cell_contents for _, c in bound_cells(x)]
            pending += flatten(_given(x))
        elif is_object(x):
            pending += contents_of(x).values()


def _held(x: Any, changed: list[tuple[int, str]], number: int
          ) -> dict[str, tuple[Any, list[Any]]]:
    """Returns the attributes of an object that its class does not show to be set, each with the
    items of the containers in it."""
    free = {name for n, name in changed if n == number}
    return {name: (v, [c for part in containers_in(v) for c in parts_of(part) or ()])
            for name, v in contents_of(x).items() if name not in free}


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
