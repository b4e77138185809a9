"""Names that a path may leave unbound: the marker they hold, and the read that raises."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar, cast

from autograph.extension_points import POINTS
from autograph.operators.dispatch import BACKENDS, active
from autograph.traceback_filter import hide

T = TypeVar("T")


class Undefined:
    """The content of a variable that no assignment has reached yet; reading the variable raises.

    Args:
      name: the variable; none for a variable of the compiler's, which is read only where it is
        bound.

    >>> Undefined("x")
    <undefined 'x'>
    """

    __slots__ = ("name",)

    def __init__(self, name: str = "") -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<undefined {self.name!r}>"


OWN_FRAMES = sys.version_info < (3, 12)
"""True where a comprehension is a function, in which the variables around it are free ones."""


def _unbound(name: str, inner: bool, outer: bool = False) -> NameError:
    if outer or (inner and OWN_FRAMES):
        return NameError(f"cannot access free variable {name!r} where it is not associated with a "
                         "value in enclosing scope", name=name)
    return UnboundLocalError(f"cannot access local variable {name!r} where it is not associated "
                             "with a value")


def local(read: Callable[[], T], *, inner: bool = False) -> T:
    """Returns `read()`, which reads a variable of the function around it.

    Args:
      read: a function without parameters that returns the variable.
      inner: True if the variable is read in a comprehension.

    Returns:
      The variable's value.

    Raises:
      UnboundLocalError, NameError: the variable is unbound, in Python's words.

    >>> local(lambda: late)
    Traceback (most recent call last):
    UnboundLocalError: cannot access local variable 'late' where it is not associated with a value
    """
    try:
        return bound(read(), inner=inner)
    except UnboundLocalError:
        raise
    except NameError as error:
        unbound = _unbound(str(error.name), inner)
    try:
        raise unbound
    except BaseException:
        hide()
        raise


def bound(value: T, *, inner: bool = False, outer: bool = False) -> T:
    """Returns a value, after checking that it is not the mark of an unbound variable.

    Args:
      value: what a variable holds.
      inner: True if the variable is read in a comprehension.
      outer: True if the variable is from outside the function.

    Returns:
      The value itself.

    Raises:
      UnboundLocalError: the value is `Undefined`, or the run finds it unbound.

    >>> bound(3)
    3
    """
    try:
        if isinstance(value, Undefined):
            raise _unbound(value.name, inner, outer)
        backend = BACKENDS.get(type(value))
        return value if backend is None else cast(
            T, backend.bound(value, outer or (inner and OWN_FRAMES)))
    except BaseException:
        hide()
        raise


def own_names(found: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Returns what `locals()` gives in the function as it was written.

    Args:
      found: the names in the frame of the converted function, with what they hold.
      names: the names of the function as it was written.

    Returns:
      `found` itself, which is the same dict in each call of a frame before Python 3.13. It holds
      those names that are bound, and the keys that the function added.

    >>> (lambda if_true, x: own_names(locals(), ("x", "y")))(len, 1)
    {'x': 1}
    """
    code = sys._getframe(1).f_code
    bound = {name: found[name] for name in names
             if name in found and not isinstance(found[name], Undefined)}
    others = {*names, *code.co_varnames, *code.co_cellvars, *code.co_freevars}
    added = {key: value for key, value in found.items() if key not in others}
    _check_names(bound)
    found.clear()
    found.update(bound | added)
    return found


def without_own_names(found: dict[str, Any], name: str) -> dict[str, Any]:
    """Returns what `locals()` gives in a function of which only the calls are converted.

    Args:
      found: the names in its frame, with what they hold.
      name: the name by which its code gets at the operators.

    Returns:
      `found` itself, without that name.

    >>> (lambda ag, x: without_own_names(locals(), "ag"))(POINTS.operators(), 1)
    {'x': 1}
    """
    if found.get(name) is POINTS.operators():
        del found[name]
    return found


def own_values(**names: Callable[[], Any]) -> dict[str, Any]:
    """Returns what `locals()` gives in a function whose code has moved into other frames.

    Args:
      names: a name of the function as it was written -> a function that reads it.

    Returns:
      A new dict with those names that are bound.

    >>> own_values(x=lambda: 1, y=lambda: late)
    {'x': 1}
    """
    found = {}
    for name, read in names.items():
        with suppress(NameError):
            found[name] = read()
    found = {name: value for name, value in found.items() if not isinstance(value, Undefined)}
    _check_names(found)
    return found


def _check_names(found: dict[str, Any]) -> None:
    """Refuses variables of which only the run knows if they are bound."""
    backend = active()
    if backend is not None:
        backend.check_names(found)
