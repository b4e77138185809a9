"""Stars and comparisons of structures that are known only when the graph runs."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from types import CodeType, FunctionType, MethodType
from typing import Any

from autograph.conversion.conversion_rules import is_generated
from autograph.operators.dispatch import PlainCall
from autograph.operators.logical import not_
from autograph.operators.structures import KINDS, Part, merged
from autograph.own_attributes import held
from autograph.runtime.control_flow.recursion import Recorded
from autograph.runtime.heap.growing_lists import StagedList, unstage
from autograph.runtime.heap.list_values import Splice
from autograph.runtime.heap.run_time_containers import embedded_arguments, has_tensor, new_object
from autograph.runtime.ir.errors import SymbolicValueError, at
from autograph.runtime.ops import pure
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor, apply
from autograph.staging.generators import collected
from autograph.staging.iteration import can_unroll, container_of
from autograph.staging.iterator_builtins import ask_length

Fn = Callable[..., Any]
Named = tuple[str | None, Any]


def spread(kind: str, parts: tuple[Part, ...]) -> Any:
    """Make `[a, *b]` and the like."""
    out = StagedList([])
    for star, value in parts:
        if not star:
            out.append(value)
        elif can_unroll(value):
            out.extend(_items(value, kind != "set"))
        else:
            out += list.__iter__(container_of(list, value))
    if kind == "list":
        return out if out.known else new_object(list, out.tensor())
    return KINDS[kind](out) if out.known else container_of(KINDS[kind], out)


def _items(x: Any, makes_room: bool) -> list[Any]:
    """Returns the items of what has a star; for a list Python asks for the length, too."""
    items = iter(x)
    if makes_room:
        ask_length(x)
    return list(items)


def call_spread(function: Fn, parts: tuple[Part, ...], mappings: tuple[Named, ...],
                kwargs: Mapping[str, Any]) -> Any:
    """Call `function(a, *b, k=c, **d)`. Where only the run knows how many arguments there are, a
    user's function gets those of its parameters; any other is called when the graph runs."""
    known: list[Part] = []
    for star, value in parts:
        if star and can_unroll(value):
            known += [(False, x) for x in _items(value, True)]
        else:
            known.append((star, value))
    by_run = tuple((name, x) for name, x in mappings if name is None and isinstance(x, Tensor))
    if not by_run:
        kwargs, mappings = {**kwargs, **merged(function, mappings)}, ()
    if not any(star for star, _ in known) and not mappings:
        return function(*(x for _, x in known), **kwargs)
    if type(function) is PlainCall:
        function = function.staged
    plain = held(function, "__wrapped__")
    inner, bound = _inner(function)
    users = plain is None and isinstance(function, (FunctionType, MethodType, type, Recorded)) and (
        isinstance(inner, (FunctionType, MethodType)))
    bound = bound if users else ()
    given = [*((False, x) for x in bound), *known, *mappings]
    args, named = embedded_arguments(
        tuple(_list_of(x) if star is True else x for star, x in given), dict(kwargs))
    stars = tuple(star for star, _ in given)
    if not users:
        return apply("called_with", plain or function, stars, *args, **named)
    return _with_parameters(function, inner, len(bound), stars, args, named)


def _inner(function: Any) -> tuple[Any, tuple[Any, ...]]:
    """Returns the function that a user's function, method or class calls, and what stands for the
    object that it is given first."""
    if type(function) is Recorded:
        return function.function, (None,) * len(function.bound)
    inner = getattr(function, "__init__" if isinstance(function, type) else "__func__", function)
    return inner, () if inner is function else (None,)


def _with_parameters(function: Any, inner: Any, bound: int, stars: tuple[Any, ...],
                     args: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
    """Call a user's function with a value for each of its parameters, found by the run."""
    parameters = list(inspect.signature(inner).parameters.values())
    made = apply("arguments_of", _stub(inner, parameters), stars, *args, **named)
    values = made if isinstance(made, tuple) else (made,)
    found = {p.name: x for p, x in zip(parameters, values, strict=True)}
    collects = any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters)
    if not collects:
        rest = parameters[bound:]
        return function(*(found[p.name] for p in rest if p.kind is not p.KEYWORD_ONLY),
                        **{p.name: found[p.name] for p in rest if p.kind is p.KEYWORD_ONLY})
    if isinstance(function, type) or not is_generated(inner.__code__):
        name = held(function, "__name__") or inner.__name__
        raise SymbolicValueError(
            f"the number of arguments of {name}() is known only when the graph runs"
            f"{at(user_location())}\n  hint: pass the list itself, without a star")
    if bound:
        found[parameters[0].name] = function.bound[0] if (
            type(function) is Recorded) else function.__self__
    code = inner.__code__
    return _by_position(inner)(*(found[name] for name in code.co_varnames[:_parameter_count(code)]))


def _parameter_count(code: CodeType) -> int:
    """Returns how many variables of a function hold its arguments."""
    return code.co_argcount + code.co_kwonlyargcount + bool(
        code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)


def _by_position(f: FunctionType) -> FunctionType:
    """Returns a function with the same code that takes the tuple of `*args` and the dict of
    `**kwargs` as arguments by position, after all others: they may be symbolic."""
    code = f.__code__
    flags = code.co_flags & ~(inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    return FunctionType(code.replace(
        co_flags=flags, co_argcount=_parameter_count(code), co_kwonlyargcount=0,
        co_posonlyargcount=0), f.__globals__, f.__name__, None, f.__closure__)


def _list_of(x: Any) -> Any:
    return x if isinstance(x, Tensor) else container_of(list, x)


def _stub(function: Any, parameters: list[inspect.Parameter]) -> Fn:
    """Returns a function with the same parameters, which returns its arguments: Python raises its
    own error if they do not fit."""
    scope: dict[str, Any] = {}
    plain = [p.replace(default=p.empty, annotation=p.empty) for p in parameters]
    names = "".join(f"{p.name}, " for p in parameters)
    exec(f"def stub{inspect.Signature(plain)}: return ({names})", scope)  # our own text
    stub: Any = scope["stub"]
    stub.__defaults__, stub.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    stub.__qualname__ = function.__qualname__
    return stub  # type: ignore[no-any-return]


def unpack_rest(x: Any, before: int, after: int) -> Any:
    """Stage `a, *b, c = x`; returns NotImplemented if Python can do that."""
    if can_unroll(x):
        return NotImplemented
    values = x if isinstance(x, Tensor) else collected(x).tensor()
    found = apply("unpacked_rest", values, before, after)
    return tuple(StagedList([Splice(v)]) if k == before else v for k, v in enumerate(found))


def compare(function: Fn, a: Any, b: Any) -> Any:
    """Stage `a < b` and the like: the graph makes Python's own comparison of two structures."""
    if type(a) is type(b) and is_dataclass(a) and _is_made_by_python(type(a), function):
        a, b = (tuple(getattr(x, f.name) for f in fields(x) if f.compare) for x in (a, b))
    if function is operator.ne and getattr(type(a), "__ne__", None) is object.__ne__ and type(
            type(a).__eq__) is FunctionType:
        return not_(a == b)  # as Python has it
    if isinstance(a, STRUCTURES) and isinstance(b, STRUCTURES):
        left, right = unstage(a), unstage(b)
        if has_tensor(left) or has_tensor(right):
            return apply(pure(function), left, right)
    return function(a, b)


STRUCTURES = (tuple, list, dict)
"""Classes whose items Python compares."""


def _is_made_by_python(cls: type, function: Fn) -> bool:
    """Returns True if a data class has the comparison that Python makes, of its fields."""
    name = "eq" if function is operator.ne else function.__name__
    code = held(getattr(cls, f"__{name}__"), "__code__", None)
    return code is not None and code.co_filename == "<string>"
