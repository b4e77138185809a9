"""Calls of library functions that call functions of the user's back, such as `scipy`'s solvers.

Such a callback may use symbolic values of the function around it, also as attributes of an object
that it is a method of. They become inputs of the call. When the graph runs, the callback, and the
object, are made again over the real values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from dis import get_instructions
from functools import partial
from operator import is_
from types import CellType, FunctionType, MethodType
from typing import Any

from autograph.runtime.heap.escaping_objects import how_to_make, is_symbolic_object
from autograph.runtime.heap.growing_lists import StagedList
from autograph.runtime.heap.objects import build, contents_of, is_object, set_attributes
from autograph.runtime.ir.closures import bound_cells
from autograph.runtime.ir.errors import InvalidArgumentError, TracingError, at
from autograph.runtime.ir.printer import qualified_name
from autograph.runtime.ir.pytree import flatten, map_nest
from autograph.runtime.ir.types import DYNAMIC
from autograph.runtime.ops.op import Op
from autograph.runtime.symbolic.allocation_sites import containers_in, parts_of
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor, apply

CALLING = (FunctionType, partial, MethodType)


class CallbackReference:
    """Stands in the arguments for callback number `number`."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


@dataclass
class Callbacks:
    """The functions among the arguments of one call that use symbolic values, and the objects that
    these use.

    functions  each function and object once.
    values     for each function its symbolic cells and its defaults; for each object its symbolic
               attributes.
    """

    functions: list[Any] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)

    def replaced_in(self, nest: Any) -> Any:
        """Returns a nest with a `CallbackReference` in place of each callback."""
        return map_nest(self._leaf, nest)

    def _leaf(self, x: Any) -> Any:
        if not (isinstance(x, CALLING) or is_object(x)) or not uses_symbols(x, set()):
            return x
        if not any(x is f for f in self.functions):
            if isinstance(x, FunctionType):
                _refuse_rebinding(x)
            self.functions.append(x)
            self.values.append(None)
            self.values[self._number(x)] = self.replaced_in(_parts(x))
        return CallbackReference(self._number(x))

    def _number(self, x: Any) -> int:
        return next(i for i, f in enumerate(self.functions) if x is f)


def uses_symbols(x: Any, seen: set[int]) -> bool:
    """Returns True for a symbolic value, and for a function or object that leads to one by its
    cells, defaults or attributes."""
    if isinstance(x, CALLING) and id(x) not in seen:
        seen.add(id(x))
        cells = [c.cell_contents for _, c in bound_cells(x)]
        return any(uses_symbols(part, seen) for part in flatten([cells, _given(x)]))
    return isinstance(x, (Tensor, StagedList)) or is_symbolic_object(x)


def _parts(f: Any) -> list[Any]:
    """Returns the parts of a callback that may be symbolic: of a function the symbolic cells, and
    the defaults or bound arguments; of an object the symbolic attributes."""
    if isinstance(f, MethodType):
        return _given(f)
    if not isinstance(f, CALLING):
        how_to_make(f)  # raises if that cannot be done
        return [{name: x for name, x in contents_of(f).items()
                 if any(uses_symbols(part, set()) for part in flatten(x))}]
    cells = {
        name: cell.cell_contents for name, cell in bound_cells(f)
        if any(uses_symbols(x, set()) for x in flatten(cell.cell_contents))}
    return [cells, *_given(f)]


def _given(f: Any) -> list[Any]:
    """Returns the bound arguments of a partial function or method, or a function's defaults."""
    if isinstance(f, partial):
        return [f.func, list(f.args), dict(f.keywords)]
    if isinstance(f, MethodType):
        return [f.__func__, f.__self__]
    return [list(f.__defaults__ or ()), dict(f.__kwdefaults__ or {})]


def _refuse_rebinding(f: FunctionType) -> None:
    """Refuse a callback that rebinds a symbolic variable of the function around it."""
    outer = {name for name, cell in bound_cells(f) if isinstance(cell.cell_contents, Tensor)}
    bound = {i.argval for i in get_instructions(f.__code__) if i.opname == "STORE_DEREF"}
    for name in sorted(outer & bound):
        raise TracingError(
            f"{f.__name__}, which a library calls, rebinds the variable {name!r} of the function "
            f"around it{at(user_location())}\n"
            "  hint: return the value, or collect it in a list")


def _held(x: Any) -> dict[str, tuple[Any, list[Any]]]:
    """Returns the attributes of an object, each with the items of the containers in it."""
    return {name: (v, [c for part in containers_in(v) for c in parts_of(part) or ()])
            for name, v in contents_of(x).items()}


def _refuse_change(x: Any, before: dict[str, tuple[Any, list[Any]]]) -> None:
    """Refuse a callback that changed an attribute of `x`: that is a copy of the user's object."""
    after = _held(x)
    changed = [name for name in {**before, **after} if name not in before or name not in after
               or not _same(before[name], after[name])]
    if changed:
        raise InvalidArgumentError(
            f"a method of {type(x).__name__}, which a library calls while the graph runs, changes "
            f"the attribute {changed[0]!r}\n  hint: compute the attribute from the library's "
            "result, or call the library outside the function")


def _same(a: tuple[Any, list[Any]], b: tuple[Any, list[Any]]) -> bool:
    return a[0] is b[0] and len(a[1]) == len(b[1]) and all(map(is_, a[1], b[1]))


def rebuilt(functions: list[Any], values: list[Any]) -> list[Any]:
    """Returns the functions and objects over real values."""
    found: list[Any] = [None] * len(functions)

    def rebuilt_once(number: int) -> Any:
        if found[number] is None:
            f, parts = functions[number], values[number]
            if isinstance(f, partial):
                found[number] = _partial(parts, real)
            elif isinstance(f, MethodType):
                found[number] = MethodType(*real(parts))
            else:
                make = _function if isinstance(f, FunctionType) else _object
                make(f, parts, real, found, number)
        return found[number]

    def real(nest: Any) -> Any:
        return map_nest(
            lambda x: rebuilt_once(x.number) if isinstance(x, CallbackReference) else x, nest)

    return [rebuilt_once(number) for number in range(len(functions))]


def _partial(parts: Any, real: Callable[[Any], Any]) -> Any:
    _, function, args, keywords = real(parts)
    return partial(function, *args, **keywords)


def _object(x: Any, parts: Any, real: Callable[[Any], Any], found: list[Any],
            number: int) -> None:
    found[number] = build(type(x), ())
    set_attributes(found[number], {**contents_of(x), **real(parts[0])})


def _function(f: FunctionType, parts: Any, real: Callable[[Any], Any], found: list[Any],
              number: int) -> None:
    inside, defaults, keywords = parts
    own = dict(zip(f.__code__.co_freevars, f.__closure__ or (), strict=True))
    cells = {name: CellType() if name in inside else cell for name, cell in own.items()}
    new = found[number] = FunctionType(f.__code__, f.__globals__, f.__name__, None,
                                       tuple(cells.values()))
    for name, value in inside.items():
        cells[name].cell_contents = real(value)
    new.__defaults__, new.__kwdefaults__ = tuple(real(defaults)) or None, real(keywords) or None


def with_callbacks(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
                   ) -> Any:
    """Record a call of a library function whose arguments include functions that use symbolic
    values; returns NotImplemented if there are none."""
    callbacks = Callbacks()
    given = callbacks.replaced_in((args, kwargs))
    if not callbacks.functions:
        return NotImplemented

    def call(values: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        ready = rebuilt(callbacks.functions, values)
        args, kwargs = map_nest(
            lambda x: ready[x.number] if isinstance(x, CallbackReference) else x, (args, kwargs))
        objects = [(x, _held(x)) for x in ready if is_object(x)]
        result = function(*args, **kwargs)
        for x, before in objects:
            _refuse_change(x, before)
        return result

    name = qualified_name(function)
    op = Op(name, call, lambda *types: DYNAMIC, "", (), onnx=None, effect="call",
            doc=f"`{name}`, called as it is, with functions of the user's")
    return apply(op, callbacks.values, *given)
