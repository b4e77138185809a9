"""The backend of selected objects: operators ask the object that the branch selected."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from autograph.conversion.convert import called_form
from autograph.operators.builtins import BUILTIN_REPLACEMENTS
from autograph.operators.checks import match_parts, raise_
from autograph.operators.control_flow import for_loop
from autograph.operators.logical import in_, is_, is_none, not_
from autograph.runtime.control_flow import cond
from autograph.runtime.heap.selected_objects import SelectedObject
from autograph.runtime.ir.undefined import bound, is_undefined
from autograph.staging.generators import all_of
from autograph.staging.lists import ListBackend

Fn = Callable[..., Any]


class SelectedObjectBackend(ListBackend):
    """Stages each operation on a `SelectedObject` as a branch, with one object on each side."""

    def truth(self, x: Any) -> Any:
        return x.each(lambda one: not_(not_(one))) if type(x) is SelectedObject else x

    def is_(self, x: Any, other: Any) -> Any:
        if type(x) is not SelectedObject:
            return super().is_(x, other)
        return x.each(lambda one: is_(one, other))

    def is_none(self, x: Any) -> Any:
        return x.each(is_none)

    def in_(self, item: Any, container: Any) -> Any:
        if type(container) is not SelectedObject:
            return super().in_(item, container)
        return container.each(lambda one: in_(item, one))

    def match_parts(self, subject: Any, parts_of: Fn) -> Any:
        return subject.each(lambda one: match_parts(one, parts_of))

    def raise_(self, error: Any, cause: tuple[Any, ...]) -> None:
        if type(error) is SelectedObject:
            error.each(lambda one: raise_(one, *cause))
        elif cause and type(cause[0]) is SelectedObject:
            cause[0].each(lambda one: raise_(error, one))

    def for_loop(self, iterable: Any, body: Fn, loop_vars: tuple[Any, ...], test: Fn | None,
                 unroll: bool | None = None) -> Any:
        if type(iterable) is not SelectedObject:
            return super().for_loop(iterable, body, loop_vars, test, unroll)
        return cond.cond(iterable.parts()[0], *(
            partial(for_loop, one, body, test=test) for one in iterable.parts()[1:]), loop_vars)

    def builtin(self, function: Fn, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        number = next((i for i, x in enumerate(args) if type(x) is SelectedObject), None)
        if number is None:
            return super().builtin(function, args, kwargs)
        replacement = BUILTIN_REPLACEMENTS[function.__name__]
        return args[number].each(
            lambda one: replacement(*args[:number], one, *args[number + 1:], **kwargs))

    def bound(self, value: Any, free: bool) -> Any:
        pred, a, b = value.parts()
        if is_undefined(a):
            cond.cond(pred, partial(bound, a, free), all_of)
            return b
        if is_undefined(b):
            cond.cond(pred, all_of, partial(bound, b, free))
            return a
        return value


def called_on_each(selected: Any) -> Fn:
    """Returns what converted code calls in place of a selected function or object, or of a special
    method of one, such as `o.__init__`."""
    def method_of(one: Any) -> Any:
        return one if type(selected) is SelectedObject else getattr(one, selected.__name__)

    chosen = selected if type(selected) is SelectedObject else selected.__self__
    return lambda *args, **kwargs: chosen.each(
        lambda one: called_form(method_of(one))(*args, **kwargs))

