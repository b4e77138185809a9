"""The protocol of backends, which stage the operators for symbolic values, and their registry.

An operator looks up the exact type of its deciding value in `BACKENDS`. It finds nothing for plain
values, and does what Python does; for a symbolic value it calls the backend's method. Some values
hide symbolic ones: a list of them has no such type. Operators that meet containers therefore also
ask the backend whose trace is being made, if there is one: `active()`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import FunctionType
from typing import Any, Protocol

from autograph.locks import new_lock

NOT_PLAIN = object()
"""Stands for the result of a call that could not be made as it was written."""


class Branches(Protocol):
    """Conditions that are symbolic: `if`, `assert`, `raise`, `match`, and names left unbound."""

    def cond(self, pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any],
             operands: tuple[Any, ...]) -> Any:
        """`if pred`: returns the results of the branch that runs; both take the operands."""

    def assert_(self, test: Any, message: Callable[[], Any] | None) -> None:
        """`assert test, message()`; `test` is symbolic."""

    def raise_(self, error: Any, cause: tuple[Any, ...]) -> None:
        """`raise error`, or `raise error from cause[0]`; returns if Python can do that."""

    def to_match(self, subject: Any) -> Any:
        """Returns the subject of a `match` statement whose patterns look into it."""

    def match_parts(self, subject: Any, parts_of: Callable[[Any], tuple[Any, ...]]) -> Any:
        """`parts_of(subject)`: whether a pattern matches the subject, and what it captures."""

    def bound(self, value: Any, free: bool) -> Any:
        """Returns the value; raises what Python does if the path that ran left it undefined.

        free: it is a variable of a function around the one that reads it.
        """


class Loops(Protocol):
    """Loops whose test or iterable is symbolic.

    `for_loop` is also asked while the backend is active; see `Backend`.
    """

    def test(self, test: Callable[..., Any], state: tuple[Any, ...]) -> Any:
        """`test(*state)`, asked while the backend is active: a symbolic answer leaves no trace."""

    def while_loop(self, test: Callable[..., Any], body: Callable[..., Any],
                   loop_vars: tuple[Any, ...], options: Mapping[str, Any]) -> tuple[Any, ...]:
        """The rest of a `while` loop whose test gave a symbolic value for `loop_vars`."""

    def for_loop(self, iterable: Any, body: Callable[..., Any], loop_vars: tuple[Any, ...],
                 test: Callable[..., Any] | None, unroll: bool | None = None) -> Any:
        """A `for` loop (or the rest of one, when `test` turned symbolic).

        `unroll`: True to record each iteration on its own; None: as the backend decides.
        """

    def plain_loop(self, items: Any, body: Callable[..., Any], state: tuple[Any, ...],
                   test: Callable[..., Any] | None, turns: int) -> Any:
        """The rest of a `while` loop after some iterations, as it was written; NotImplemented if
        that could meet symbolic values."""

    def plain_call(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of a function, method or class as it was written; NOT_PLAIN if that could meet
        symbolic values."""

    def dispatch(self, function: Any, cls: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
                 ) -> Any:
        """A call of a function of `functools.singledispatch`; only the run knows the class."""

    def closed(self, function: Any, as_written: bool) -> Any:
        """Returns what is called in place of a function or class whose calls the graph has to make,
        or may not make; None for others. `as_written`: it is not converted."""

    def comprehension(self, kind: type | None, fn: Callable[..., Any], items: Any,
                      where: Callable[..., Any] | None, nested: bool) -> Any:
        """A comprehension that makes a `kind` (None: a generator) of `fn(*parts)` of the items."""

    def generator(self, function: Callable[..., Any], push: Callable[[], Any],
                  args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """A call of a generator; `push()` returns its push form."""

    def cached(self, function: Callable[..., Any], args: tuple[Any, ...],
               kwargs: Mapping[str, Any]) -> Any:
        """A call of a function of `functools.lru_cache`."""


class Logic(Protocol):
    """Boolean operators and comparisons."""

    def truth(self, x: Any) -> Any:
        """The truth of `x`: a bool, or a symbolic value."""

    def and_(self, first: Any, lazy: tuple[Callable[[], Any], ...]) -> Any:
        """`first and lazy[0]() and …`; `first` is symbolic."""

    def or_(self, first: Any, lazy: tuple[Callable[[], Any], ...]) -> Any:
        """`first or lazy[0]() or …`; `first` is symbolic."""

    def not_(self, x: Any) -> Any:
        """`not x`."""

    def in_(self, item: Any, container: Any) -> Any:
        """`item in container`."""

    def is_(self, x: Any, other: Any) -> Any:
        """`x is other`."""

    def is_none(self, x: Any) -> Any:
        """`x is None`."""

    def compare(self, function: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
        """`a < b` and the like."""


class Containers(Protocol):
    """Containers that the traced function makes, and operations that look into containers."""

    def getitem(self, container: Any, index: Any) -> Any:
        """`container[index]`; the index, or a part of it, is symbolic."""

    def given(self, module: str, name: str) -> Any:
        """The object that the system gives the process: `sys.argv` and the like."""

    def new_list(self, items: list[Any]) -> Any:
        """A list that a staged branch or loop may give another length."""

    def new_container(self, value: Any) -> Any:
        """A value that the program has just made, and that may be a container."""

    def new_array(self, value: Any) -> Any:
        """An item of an object, which may be a new array."""

    def new_dict(self, pairs: list[tuple[Any, Any]]) -> Any:
        """A dict display; keys may be symbolic."""

    def new_set(self, items: list[Any]) -> Any:
        """A set display; items may be symbolic."""

    def check_key(self, container: Any, index: Any) -> None:
        """Is called before the item of a container is stored or deleted."""

    def check_names(self, scope: Mapping[str, Any]) -> None:
        """Is called with the variables that `locals()` is to give."""

    def check_attribute(self, owner: Any, name: str) -> None:
        """Is called before an attribute of an object is deleted."""

    def note_target(self, container: Any, *key: Any) -> Any:
        """Is called before something is stored into a container or object; returns what stores."""

    def to_read(self, iterable: Any) -> Any:
        """A sequence as it is, else an iterator."""

    def item_or_end(self, source: Any, position: Any) -> tuple[Any, Any]:
        """True and the next item of what `to_read` made, or False and anything."""

    def note_update(self, owner: Any, value: Any, *key: Any) -> Any:
        """Is called before `|=` and its like may change a container; returns the operand."""
        return value

    def note_rebound(self, names: tuple[str, ...]) -> None:
        """Is called before variables from outside a function are bound."""

    def spread(self, kind: str, parts: tuple[tuple[bool, Any], ...]) -> Any:
        """A display with stars; a part is a pair: True if it has a star, and the value."""

    def call_spread(self, function: Callable[..., Any], parts: tuple[tuple[bool, Any], ...],
                    mappings: tuple[tuple[str | None, Any], ...], kwargs: Mapping[str, Any]) -> Any:
        """A call with stars; a mapping is a pair: None and what has two stars, or a name and its
        value."""

    def unpack_rest(self, x: Any, before: int, after: int) -> Any:
        """`a, *b, c = x`; NotImplemented if Python can do that."""


class Builtins(Protocol):
    """Calls of Python's builtins, and strings made of values."""

    def builtin(self, function: Callable[..., Any], args: tuple[Any, ...],
                kwargs: Mapping[str, Any]) -> Any:
        """A call of one of Python's builtins (`function` is the builtin itself)."""

    def formatted(self, template: str, values: tuple[Any, ...]) -> Any:
        """`template.format(*values)`; NotImplemented if no value is symbolic."""

    def percent(self, template: str, values: Any) -> Any:
        """`template % values`; NotImplemented if no value is symbolic."""


class Backend(Branches, Loops, Logic, Containers, Builtins, Protocol):
    """Stages the operators that meet a value of a registered type.

    `for_loop`, `in_` and `builtin` are also asked while the backend is *active* (a trace is being
    made) and none of the values is symbolic, since one may be hidden in a container. Then they may
    answer `NotImplemented`, and Python's own construct runs.
    """


BACKENDS: dict[type, Backend] = {}
"""The registered types. The operators read this dict directly: it is their fast path."""

_active: ContextVar[Backend | None] = ContextVar("active backend", default=None)

active: Callable[[], Backend | None] = _active.get
"""The backend whose trace is being made in this thread (or task), if any."""


def register(cls: type, backend: Backend) -> None:
    """Lets `backend` stage the operators that meet a value whose type is exactly `cls`."""
    BACKENDS[cls] = backend


def backend_for(*values: object) -> Backend | None:
    """Returns the backend of the first value that has one."""
    for value in values:
        backend = BACKENDS.get(type(value))
        if backend is not None:
            return backend
    return None


@contextmanager
def activate(backend: Backend) -> Iterator[None]:
    """Makes `backend` the active one for the time of a `with` block."""
    token = _active.set(backend)
    _count(1)
    try:
        yield
    finally:
        _count(-1)
        _active.reset(token)


# -- which form of a function runs -----------------------------------------------------------------

_plain = os.environ.get("AUTOGRAPH_PLAIN", "1") not in ("", "0")
asked = not _plain
"""False if no converted form is wanted in any thread: functions look here when they are called."""

_lock = new_lock()
_traces = 0
_replaced = False


def is_converted_wanted() -> bool:
    """Returns True if a call in this thread (or task) runs the converted form of a function."""
    return not _plain or _replaced or _active.get() is not None


def is_plain_run() -> bool:
    """Returns True if functions run as they were written where no trace is made."""
    return _plain


def run_plain(on: bool) -> None:
    """Makes functions run as they were written where no trace is made, or always converted."""
    global _plain
    _plain = on
    _count(0)


def note_replacement() -> None:
    """Makes functions run converted from now on: a replacement of the user's may do other things
    than what it replaces."""
    global _replaced
    _replaced = True
    _count(0)


def has_replacement() -> bool:
    """Returns True after the user replaced a function."""
    return _replaced


def _count(more: int) -> None:
    """Counts the traces that are being made in all threads; sets what functions look at."""
    global _traces, asked
    with _lock:
        _traces += more
        asked = _traces > 0 or _replaced or not _plain


class PlainCall:
    """Stands for a callable in converted code, while a trace is made.

    function  as it was written.
    staged    its converted form.
    """

    def __init__(self, backend: Backend, function: FunctionType, staged: Callable[..., Any]
                 ) -> None:
        self.backend, self.function, self.staged = backend, function, staged

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        made = self.backend.plain_call(self.function, args, kwargs)
        return self.staged(*args, **kwargs) if made is NOT_PLAIN else made
