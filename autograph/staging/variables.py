"""The backend of `ag.Variable`: operators use the value that a variable holds at that point."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from autograph.operators import (
    and_,
    cond,
    for_loop,
    formatted,
    getitem,
    in_,
    not_,
    or_,
    percent,
    while_loop,
)
from autograph.operators.builtins import BUILTIN_REPLACEMENTS, OF_OBJECTS
from autograph.runtime.symbolic.variables import read_all
from autograph.staging.tensors import TensorBackend

Fn = Callable[..., Any]


class VariableBackend(TensorBackend):
    """Reads the variable and calls the operator again: its value may be an array or symbolic."""

    def cond(self, pred: Any, true_fn: Fn, false_fn: Fn, operands: tuple[Any, ...]) -> Any:
        return cond(read_all(pred), true_fn, false_fn, *operands)

    def while_loop(self, test: Fn, body: Fn, loop_vars: tuple[Any, ...],
                   options: Mapping[str, Any]) -> tuple[Any, ...]:
        return while_loop(lambda *state: read_all(test(*state)), body, loop_vars, **options)

    def for_loop(self, iterable: Any, body: Fn, loop_vars: tuple[Any, ...], test: Fn | None,
                 unroll: bool | None = None) -> Any:
        known = None if test is None else lambda *state: read_all(test(*state))
        return for_loop(read_all(iterable), body, loop_vars, test=known, unroll=unroll)

    def and_(self, first: Any, lazy: tuple[Callable[[], Any], ...]) -> Any:
        return and_(read_all(first), *lazy)

    def or_(self, first: Any, lazy: tuple[Callable[[], Any], ...]) -> Any:
        return or_(read_all(first), *lazy)

    def not_(self, x: Any) -> Any:
        return not_(read_all(x))

    def in_(self, item: Any, container: Any) -> Any:
        return in_(read_all(item), read_all(container))

    def is_none(self, x: Any) -> Any:
        return False

    def assert_(self, test: Any, message: Callable[[], Any] | None) -> None:
        cond(read_all(test), lambda: None, lambda: _fail(message))

    def getitem(self, container: Any, index: Any) -> Any:
        return getitem(read_all(container), read_all(index))

    def formatted(self, template: str, values: tuple[Any, ...]) -> Any:
        return formatted(template, *map(read_all, values))

    def percent(self, template: str, values: Any) -> Any:
        return percent(template, read_all(values))

    def bound(self, value: Any, free: bool) -> Any:
        return value

    def builtin(self, function: Fn, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        if function in OF_OBJECTS:
            return NotImplemented
        return BUILTIN_REPLACEMENTS[function.__name__](*read_all(args), **read_all(dict(kwargs)))


def _fail(message: Callable[[], Any] | None) -> None:
    raise AssertionError(*(() if message is None else (message(),)))

