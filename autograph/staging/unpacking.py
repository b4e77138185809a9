"""Stars and comparisons of structures that are known only when the graph runs."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from types import FunctionType, MethodType
from typing import Any

from autograph.operators.logical import not_
from autograph.operators.structures import KINDS, Part
from autograph.runtime.heap.growing_lists import Splice, StagedList, unstage
from autograph.runtime.heap.run_time_containers import embedded_arguments, has_tensor, new_object
from autograph.runtime.ir.errors import SymbolicValueError, at
from autograph.runtime.ops import pure
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor, apply
from autograph.staging.generators import collected
from autograph.staging.iteration import can_unroll, container_of

Fn = Callable[..., Any]

def spread(kind: str, parts: tuple[Part, ...]) -> Any:
    """Make `[a, *b]` and the like."""
    out = StagedList([])
    for star, value in parts:
        if not star:
            out.append(value)
        elif can_unroll(value):
            out.extend(list(iter(value)))
        else:
            out += list.__iter__(container_of(list, value))
    if kind == "list":
        return out if out.known else new_object(list, out.tensor())
    return KINDS[kind](out) if out.known else container_of(KINDS[kind], out)


def call_spread(function: Fn, parts: tuple[Part, ...], kwargs: Mapping[str, Any]) -> Any:
    """Call `function(a, *b, **kwargs)`. A user's function needs a known number of arguments; any
    other is called when the graph runs."""
    known: list[Part] = []
    for star, value in parts:
        if star and can_unroll(value):
            known += [(False, x) for x in iter(value)]
        else:
            known.append((star, value))
    if not any(star for star, _ in known):
        return function(*(x for _, x in known), **kwargs)
    plain = getattr(function, "__wrapped__", None)
    if plain is None and isinstance(function, (FunctionType, MethodType, type)):
        return _with_known_count(function, known, kwargs)
    args, named = embedded_arguments(
        tuple(_list_of(x) if star else x for star, x in known), dict(kwargs))
    return apply("called_with", plain or function, tuple(star for star, _ in known), *args, **named)


def _with_known_count(function: Any, parts: list[Part], kwargs: Mapping[str, Any]) -> Any:
    """Call a user's function with as many arguments as it has parameters."""
    inner = getattr(function, "__init__" if isinstance(function, type) else "__func__", function)
    bound = () if inner is function else (None,)
    parameters = list(inspect.signature(inner).parameters.values())
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters):
        raise SymbolicValueError(
            f"the number of arguments of {function.__name__}() is known only when the graph runs"
            f"{at(user_location())}\n  hint: pass the list itself, without a star")
    args, named = embedded_arguments(
        tuple(_list_of(x) if star else x for star, x in parts), dict(kwargs))
    stars = (*(False for _ in bound), *(star for star, _ in parts))
    made = apply("arguments_of", _stub(inner, parameters), stars, *bound, *args, **named)
    found = list(zip(parameters, made if isinstance(made, tuple) else (made,), strict=True))
    return function(*(x for p, x in found[len(bound):] if p.kind is not p.KEYWORD_ONLY),
                    **{p.name: x for p, x in found if p.kind is p.KEYWORD_ONLY})


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
    code = getattr(getattr(cls, f"__{name}__"), "__code__", None)
    return code is not None and code.co_filename == "<string>"
