"""Functions made again over real values: those of the user's that use symbolic values.

A library may call such a function, or it may leave the traced function. Its symbolic variables,
defaults, bound arguments and attributes become operands of an equation, which makes the function
again, and the objects that it uses.
"""

from __future__ import annotations

import copy
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import partial
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any

from autograph.libraries import is_library
from autograph.own_attributes import own_dict
from autograph.runtime.heap.callback_changes import Changes
from autograph.runtime.heap.escaping_objects import how_to_make, is_new_iterator, is_symbolic_object
from autograph.runtime.heap.growing_lists import StagedList
from autograph.runtime.heap.needed_objects import need_object
from autograph.runtime.heap.objects import build, contents_of, is_object, module_of, set_attributes
from autograph.runtime.ir.closures import all_cells, bound_cells, cell_contents
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.pytree import all_leaves, map_nest
from autograph.runtime.ops.opaque import pure
from autograph.runtime.symbolic import trace
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
    kept       the ids of the cells that the functions made anew share with these.
    """

    changes: Changes = field(default_factory=Changes)
    functions: list[Any] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    cells: dict[int, tuple[CellType, int]] = field(default_factory=dict)
    contents: list[Any] = field(default_factory=list)
    asked: set[int] = field(default_factory=set)
    kept: Collection[int] = ()

    def replaced_in(self, nest: Any) -> Any:
        """Returns a nest with a `CallbackReference` in place of each callback."""
        return map_nest(self._leaf, nest)

    def _leaf(self, x: Any) -> Any:
        if is_new_iterator(x):
            raise TracingError(
                "an iterator that the function made is handed to a function of the run, or is in "
                f"what is{at(user_location())}\n  hint: hand over a list of its items")
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
            self._is_changed(part) for part in all_leaves([given_to(x), [
                c.cell_contents for c in cells]]) if is_callback(part))
        self.asked.discard(id(x))
        return found

    def _is_changed_cell(self, cell: CellType) -> bool:
        return id(cell) in self.changes.cells

    def _parts(self, f: Any) -> list[Any]:
        """Returns the parts of a callback that may be symbolic: of a function the numbers of its
        cells, and the defaults or bound arguments; of an object the attributes, and True if it was
        there before."""
        if isinstance(f, MethodType) or is_holder(f):
            return given_to(f)
        if not isinstance(f, CALLING):
            here = trace.current_region()
            outside = here is not None and here.trace.allocations.is_from_outside(f)
            if outside and is_library(module_of(type(f))):
                need_object(f, "is changed by its methods, whose code is not looked at")
            if not outside:
                how_to_make(f)  # raises if that cannot be done
            return [{name: x for name, x in contents_of(f).items()
                     if name in self.changes.attributes or any(
                         uses_symbols(part, set()) for part in all_leaves(x))}, outside]
        fixed = _is_fixed(f)
        cells = {name: self._cell(cell) for name, cell in (all_cells if fixed else bound_cells)(f)
                 if id(cell) not in self.kept and (fixed or self._is_changed_cell(cell) or any(
                     uses_symbols(x, set()) or (is_callback(x) and self._is_changed(x))
                     for x in all_leaves(cell.cell_contents)))}
        return [cells, *given_to(f)]

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
    `np.vectorize(f)`. What reads items for the trace, such as a generator, is none."""
    own = own_dict(x)
    return own is not None and not isinstance(x, (type, ModuleType, *CALLING)) and is_library(
        module_of(type(x))) and not is_new_iterator(x) and any(
            isinstance(v, CALLING) for v in own.values())


def is_callback(x: Any) -> bool:
    """Returns True for what a library may call, or may find a function in."""
    return isinstance(x, CALLING) or is_object(x) or is_holder(x)


def uses_symbols(x: Any, seen: set[int]) -> bool:
    """Returns True for a symbolic value or an iterator that the trace reads, and for a function or
    object that leads to one by its cells, defaults or attributes."""
    if (isinstance(x, CALLING) or is_holder(x)) and id(x) not in seen:
        seen.add(id(x))
        cells = [c.cell_contents for _, c in bound_cells(x)]
        return any(uses_symbols(part, seen) for part in all_leaves([cells, given_to(x)]))
    return isinstance(x, (Tensor, StagedList)) or is_symbolic_object(x) or is_new_iterator(x)


def given_to(f: Any) -> list[Any]:
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
                own, is_from_outside = parts
                contents = contents_of(f)
                made = f if is_from_outside else build(type(f), tuple(contents), *contents.values())
                self.found[number] = self.objects[number] = made
                set_attributes(made, self.real(own))
        return self.found[number]

    def _function(self, f: FunctionType, parts: Any, number: int) -> None:
        inside, defaults, keywords = parts
        own = zip(f.__code__.co_freevars, f.__closure__ or (), strict=True)
        cells = tuple(self.cells[inside[name]] if name in inside else cell for name, cell in own)
        new = self.found[number] = FunctionType(f.__code__, f.__globals__, f.__name__, None, cells)
        new.__defaults__ = tuple(self.real(defaults)) or None
        new.__kwdefaults__ = self.real(keywords) or None


def operands_of(callbacks: Callbacks, nest: Any) -> tuple[list[Any], Any]:
    """Returns what an equation is given, and the contents of the callbacks' cells, their other
    values and the nest with references to that."""
    operands: list[Any] = []

    def refer(x: Any) -> Any:
        if isinstance(x, (CallbackReference, *LITERALS, *CALLING)):
            return x  # a function that uses no symbolic values
        operands.append(x)
        return OperandReference(len(operands) - 1)

    made = map_nest(refer, (callbacks.contents, callbacks.values, nest))
    return operands, made


def rebuilt(callbacks: Callbacks, nest: Any) -> Tensor:
    """Records what makes the callbacks over real values; returns the nest with them."""
    operands, (contents, values, given) = operands_of(callbacks, nest)

    def make(operands: list[Any]) -> Any:
        return Rebuilt(callbacks.functions, contents, values, operands).real(given)

    made: Tensor = apply(pure(make), operands)
    return made
