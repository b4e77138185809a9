"""Objects that a key was read from: while they hold the same objects, the key is the same.

An object is compared by its identity, a list, tuple or dict by what it holds, and an array by its
contents. The objects are not kept alive: once one of them is gone, nothing is known any more, and
so no other object can be taken for it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Hashable, Iterable, Iterator
from itertools import repeat
from types import CodeType, FunctionType
from typing import Any
from weakref import ref

Read = Callable[[Any], Iterable[Any]]
"""Takes an object, and returns the objects that it holds."""

DEEP = 20
"""Containers that are nested deeper are not followed: they may contain themselves."""


class Unchanged:
    """Notes what was read, but for items of dicts that are inputs of the traces.

    inputs   by the dict's id and the key.
    held     objects, what reads them, the identities of what they held, and True if there are
             containers among that.
    scopes   by id: scopes with the names that were read in them, and the identities of what those
             stood for.
    bare     functions without variables, defaults and attributes, and their code.
    keyed    objects that change without notice, what gives the key of one, and that key.
    kept     what no weak reference can be made to, and the references.
    is_sure  False once an object is gone.
    """

    def __init__(self, inputs: Container[Hashable] = ()) -> None:
        self.inputs = inputs
        self.held: list[tuple[Callable[[], Any], Read, list[int], bool]] = []
        self.scopes: dict[int, tuple[dict[str, Any], list[str], list[int]]] = {}
        self.bare: dict[int, tuple[Callable[[], Any], CodeType]] = {}
        self.keyed: list[tuple[Callable[[], Any], Callable[[Any], Any], Any]] = []
        self.kept: list[Any] = []
        self.is_sure = True

    def note(self, owner: Any, read: Read) -> None:
        """Notes what an object holds now."""
        direct = list(read(owner))
        found = list(_flat(direct, self.inputs))
        for x in found:
            self.refer(x)
        self.held.append((self.refer(owner), read, [*map(id, found)], len(found) > len(direct)))

    def note_shallow(self, owner: Any, read: Read) -> None:
        """Notes what an object holds now, containers by their identity, and besides what
        these hold: they are seldom others."""
        found = list(read(owner))
        self.held.append((self.refer(owner), read, [*map(id, found)], False))
        for x in found:
            self.refer_contents(x)

    def refer_contents(self, x: Any) -> None:
        """Notes that an object is needed, and if it is a container, what it holds."""
        self.refer(x)
        if type(x) in (list, dict) or (type(x) is tuple and x):
            self.note(x, _alone)

    def note_names(self, scope: dict[str, Any], names: Iterable[str]) -> None:
        """Notes what names stand for in a scope now."""
        _, known, ids = self.scopes.setdefault(id(scope), (scope, [], []))
        for name in {}.fromkeys(names).keys() - known:
            x = scope.get(name, _END)
            known.append(name)
            ids.append(id(x))
            self.refer_contents(x)

    def note_function(self, f: FunctionType, read: Read) -> None:
        """Notes what a function holds now."""
        if _is_bare(f):
            self.bare[id(f)] = self.refer(f), f.__code__
        else:
            self.note(f, read)

    def note_key(self, x: Any, key_of: Callable[[Any], Any], key: Any) -> None:
        """Notes the key of an object."""
        self.keyed.append((self.refer(x), key_of, key))

    def holds(self) -> bool:
        """Returns True if all is as it was noted."""
        if not self.is_sure:
            return False
        try:
            for owner, read, ids, nested in self.held:
                found = read(owner())
                if [*map(id, _flat(found, self.inputs) if nested else found)] != ids:
                    return False
            for scope, names, ids in self.scopes.values():
                if [*map(id, map(scope.get, names, repeat(_END)))] != ids:
                    return False
            for f, code in self.bare.values():
                if f().__code__ is not code or not _is_bare(f()):
                    return False
            return self.is_sure and all(
                key_of(x()) == key for x, key_of, key in self.keyed) and self.is_sure
        except (AttributeError, RuntimeError, TypeError):  # gone, or changed meanwhile
            return False

    def refer(self, x: Any) -> Callable[[], Any]:
        """Returns what gives an object, and notes that it is needed."""
        try:
            made: Any = ref(x, self._gone)
        except TypeError:
            made = _Kept(x)
        self.kept.append(made)
        return made  # type: ignore[no-any-return]

    def _gone(self, _: Any) -> None:
        self.is_sure = False


def _is_bare(f: FunctionType) -> bool:
    return f.__closure__ is None and not (f.__defaults__ or f.__kwdefaults__ or f.__dict__)


def _alone(x: Any) -> Iterable[Any]:
    return (x,)


class _Kept:
    """Keeps an object, where a weak reference would give it."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def __call__(self) -> Any:
        return self.x


_END = object()


def _flat(found: Iterable[Any], inputs: Container[Hashable], depth: int = 0) -> Iterator[Any]:
    """Yields objects; those in lists, tuples and dicts in their place, but for inputs."""
    for x in found:
        cls = type(x)
        if cls is not list and cls is not tuple and cls is not dict:
            yield x
            continue
        if depth > DEEP:
            raise RuntimeError
        yield cls
        yield from _flat(x, inputs, depth + 1)
        if cls is dict:
            values = x.values() if not inputs else (
                v for k, v in x.items() if (id(x), k) not in inputs)
            yield from _flat(values, inputs, depth + 1)
        yield _END


def items_of(x: Any) -> Iterable[Any]:
    """Returns what a container of a class of the user's holds: its own methods are not asked.

    Raises:
      TypeError: it is None, as the container is gone.
    """
    kind = next((cls for cls in (list, tuple, dict, deque) if isinstance(x, cls)), None)
    if kind is None:
        raise TypeError("no container")
    return (*dict.keys(x), *dict.values(x)) if kind is dict else kind.__iter__(x)
