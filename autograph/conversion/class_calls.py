"""Calls of classes, and of generic aliases of them, by converted functions."""

from __future__ import annotations

from contextlib import suppress
from types import FunctionType, GenericAlias, MethodWrapperType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from autograph.conversion.special_methods import swap_methods
from autograph.ported.constructors import check_result, initialise

if TYPE_CHECKING:
    from autograph.conversion.conversion_rules import Request


T = TypeVar("T")


class _Generic(Generic[T]):
    """Its aliases have the class of all that `typing` makes of the user's classes."""


ALIASES = (GenericAlias, type(_Generic[int]))


def is_own_constructor(f: Any) -> bool:
    """Returns True for `type.__call__` of a class, which the `__call__` of a metaclass calls."""
    return type(f) is MethodWrapperType and isinstance(f.__self__, type) and (
        f == type.__call__.__get__(f.__self__))


def is_generic_alias(f: Any) -> bool:
    """Returns True for an alias that makes objects of its class, such as `list[int]`.

    >>> from typing import Any, List
    >>> is_generic_alias(dict[str, Any]), is_generic_alias(List[int]), is_generic_alias(dict)
    (True, False, False)
    """
    return type(f) in ALIASES and getattr(f, "_inst", True)


def convert_class(cls: type, request: Request) -> Any:
    """Returns a function that does what `cls(...)` does, by converted functions."""
    make = convert_constructor(cls, request)

    def construct(*args: Any, **kwargs: Any) -> Any:
        call = type(cls).__call__
        return make(*args, **kwargs) if call is type.__call__ else (
            request.called(request.convert(call))(cls, *args, **kwargs))

    return construct


def convert_constructor(cls: type, request: Request) -> Any:
    """Returns a function that does what `type.__call__(cls, ...)` does, with a converted `__new__`
    and `__init__`."""

    def converted(method: Any) -> Any:
        return request.called(request.convert(method)) if type(method) is FunctionType else method

    def construct(*args: Any, **kwargs: Any) -> Any:
        swap_methods(cls, request.convert)
        made = converted(cls.__new__)(cls, *args, **kwargs)
        if issubclass(type(made), cls):
            result = converted(type(made).__init__)(made, *args, **kwargs)
            if result is not None:
                converted(check_result)(result)
        else:  # only the run may know what it is
            converted(initialise)(cls, made, args, kwargs)
        return made

    return construct


def convert_generic_alias(alias: Any, request: Request) -> Any:
    """Returns a function that does what `alias(...)` does: it calls the class, and tells the object
    of the alias if that can have attributes."""
    make = request.convert(alias.__origin__)

    def construct(*args: Any, **kwargs: Any) -> Any:
        made = request.called(make)(*args, **kwargs)
        with suppress(AttributeError, TypeError):
            made.__orig_class__ = alias
        return made

    return construct
