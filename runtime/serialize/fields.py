"""Readers of plain data: each gives a value of the kind that is asked for, or a `LoadError`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from autograph.runtime.ir.errors import LoadError

MAX_NAME = 500
"""The length of names in a file: of variables, functions, dims."""

MAX_DEPTH = 100
"""Nests, regions and types in one another."""

T = TypeVar("T")


def the_dict(x: Any, where: str, required: tuple[str, ...], optional: tuple[str, ...] = ()
             ) -> dict[str, Any]:
    """Returns a dict that has all required keys, and no other keys than these and the optional."""
    if type(x) is not dict:
        raise LoadError(f"an object is needed, not {shown(x)}", where)
    for key in required:
        if key not in x:
            raise LoadError(f"{key!r} is missing", where)
    if len(x) > len(required):
        for key in x:
            if key not in required and key not in optional:
                raise LoadError(f"{key!r} is not known here", where)
    return x


def the_list(x: Any, where: str, length: int | None = None) -> list[Any]:
    if type(x) is not list or (length is not None and len(x) != length):
        count = "" if length is None else f" of {length}"
        raise LoadError(f"a list{count} is needed, not {shown(x)}", where)
    return x


def the_int(x: Any, where: str, below: int) -> int:
    """Returns an int from 0 on and below a limit."""
    if type(x) is not int or not 0 <= x < below:
        raise LoadError(f"a number below {below} is needed, not {shown(x)}", where)
    return x


def the_bool(x: Any, where: str) -> bool:
    if type(x) is not bool:
        raise LoadError(f"true or false is needed, not {shown(x)}", where)
    return x


def has_half_characters(x: str) -> bool:
    """Returns True if a text has surrogates in it."""
    return not x.isascii() and any(0xD800 <= ord(c) < 0xE000 for c in x)


def the_text(x: Any, where: str, longest: int = MAX_NAME) -> str:
    if type(x) is not str or len(x) > longest:
        raise LoadError(f"a text of at most {longest} characters is needed, not {shown(x)}", where)
    if has_half_characters(x):
        raise LoadError("a text has half a character in it", where)
    return x


def the_name(x: Any, where: str) -> str:
    """Returns an identifier."""
    if not the_text(x, where).isidentifier():
        raise LoadError(f"a name is needed, not {shown(x)}", where)
    return str(x)


def tagged(x: Any, where: str) -> tuple[str, Any]:
    """Returns the key and the value of an object with one key."""
    if type(x) is not dict or len(x) != 1:
        raise LoadError(f"an object with one key is needed, not {shown(x)}", where)
    (pair,) = x.items()
    return pair


def attempt(make: Callable[[], T], what: str, where: str) -> T:
    """Returns what `make` gives.

    Raises:
      LoadError: NumPy or Python refuses it.
    """
    try:
        return make()
    except LoadError:
        raise
    except Exception as error:
        raise LoadError(f"{what}: {type(error).__name__}: {shown(str(error))}", where) from None


def deeper(depth: int, where: str) -> int:
    """Returns the next depth of nesting.

    Raises:
      LoadError: it is too deep.
    """
    if depth >= MAX_DEPTH:
        raise LoadError(f"nested more than {MAX_DEPTH} deep", where)
    return depth + 1


def shown(x: Any) -> str:
    """Returns a value as a short text.

    >>> shown("a" * 100), shown([1, 2])
    ("'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…", 'a list of 2')
    """
    if type(x) in (dict, list):
        return f"a {'list' if type(x) is list else 'object'} of {len(x)}"
    text = repr(x[:40] if isinstance(x, str) else x) if not isinstance(x, int) or (
        abs(x) < 10 ** 40) else "a huge number"
    return text if len(text) <= 32 else f"{text[:31]}…"
