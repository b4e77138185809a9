"""The attributes that an object holds: its class is not asked, whose `__getattr__` may have an
answer to everything, count the questions, or raise what it likes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from threading import local
from types import MemberDescriptorType
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

MADE_BY_CLASS_STATEMENTS = 1 << 9
"""The flag of types of the heap (https://docs.python.org/3/c-api/typeobj.html): of the others, the
type's own look-up runs no Python; that of a method finds what its function has."""


def own_dict(x: Any) -> dict[str, Any] | None:
    """Returns the `__dict__` of an object; None if it has none, or no dict, as classes have."""
    cls = type(x)
    if issubclass(cls, local):
        return vars(x)  # type: ignore[no-any-return]
    if not cls.__dictoffset__:
        return None
    found: Any
    if not cls.__flags__ & MADE_BY_CLASS_STATEMENTS or issubclass(cls, type):
        found = held(x, "__dict__")
    else:
        try:
            found = object.__getattribute__(x, "__dict__")
        except AttributeError:
            return None
    return found if isinstance(found, dict) else None


def held(x: Any, name: str, default: Any = None) -> Any:
    """Returns an attribute of an object, or the default if it has none; ours are asked, but for
    symbolic values and selected objects: those would record that they are."""
    try:
        return _look_up(x)(x, name)
    except AttributeError:
        return default


def _look_up(x: Any) -> Callable[[Any, str], Any]:
    """Returns what gives the attributes that an object holds."""
    cls = type(x)
    if str(cls.__module__).startswith("autograph.") and not class_has(cls, "__ag_records__"):
        return getattr
    made = cls.__flags__ & MADE_BY_CLASS_STATEMENTS
    kind: Any = type if isinstance(x, type) else object if made else cls
    found: Callable[[Any, str], Any] = kind.__getattribute__
    return found


def named_like(wrapped: Any) -> Callable[[F], F]:
    """Returns a decorator that gives a function the names of a callable: what `functools.wraps`
    does, which asks objects that have an answer to everything.

    >>> named_like(len)(lambda x: x).__name__
    'len'
    """
    def named(function: F) -> F:
        for name in NAMES:
            if isinstance(value := held(wrapped, name), str):
                setattr(function, name, value)
        function.__wrapped__ = wrapped  # type: ignore[attr-defined]
        return function

    return named


NAMES = ("__module__", "__name__", "__qualname__", "__doc__")


def compares_by_identity(cls: type) -> bool:
    """Returns True if objects of a class equal themselves alone. What the class has as `__eq__` is
    not asked for: that of a mock is made by the question.

    >>> compares_by_identity(object), compares_by_identity(int)
    (True, False)
    """
    return in_class(cls, "__eq__") is vars(object)["__eq__"]


def in_class(cls: type, name: str) -> Any:
    """Returns what a class or the first of its bases has under a name, as it lies there; None if
    none has it. No descriptor is asked."""
    return next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)


def defines(cls: type, name: str) -> bool:
    """Returns True if a class or one of its bases has an attribute; it is not read."""
    return any(name in vars(base) for base in cls.__mro__)


def class_has(cls: type, name: str) -> bool:
    """Returns True if a class or one of its bases has an attribute, which may be read: one that
    tells of a kind, such as `_fields`. A metaclass that answers to everything is not asked.

    >>> class Answers(type):
    ...     def __getattr__(cls, name): return True
    >>> class_has(Answers("C", (), {}), "__ag_read__")
    False
    """
    return hasattr(cls, name) and (type(cls) is type or defines(cls, name))


def held_among(x: Any, names: Iterable[str]) -> dict[str, Any]:
    """Returns those of some attributes that an object has, such as the `__slots__` that are set."""
    look = _look_up(x)
    found = {}
    for name in names:
        try:
            found[name] = look(x, name)
        except AttributeError:
            continue
    return found


def declared_attributes(cls: type) -> list[str]:
    """Returns the attributes that a class and its bases declare in `__slots__`, without those that
    a derived class overrides."""
    return [name for base in cls.__mro__ if "__slots__" in vars(base)
            for name, x in vars(base).items()
            if type(x) is MemberDescriptorType and getattr(cls, name, None) is x]


KEYWORDS_OF_ERRORS = {NameError: ("name",), AttributeError: ("name", "obj"),
                      ImportError: ("name", "path", "name_from")}
"""What Python's errors are given besides their arguments: of it Python makes "Did you mean"."""


def own_state(x: Any) -> dict[str, Any]:
    """Returns the attributes that an object holds: those that its class declares in `__slots__`,
    those of its `__dict__`, and those that Python gives an error."""
    given = [name for cls, names in KEYWORDS_OF_ERRORS.items() if isinstance(x, cls)
             for name in names if type(getattr(type(x), name, None)) is MemberDescriptorType]
    return {**{name: value for name, value in held_among(x, given).items() if value is not None},
            **held_among(x, declared_attributes(type(x))), **(own_dict(x) or {})}
