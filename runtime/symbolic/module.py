"""Modules: objects that list their variables, and those of the objects in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from autograph.runtime.ir.pytree import children
from autograph.runtime.symbolic.variables import Variable


class Module:
    """A base class for objects that hold variables and other modules as attributes.

    Args:
      name: the module's name; without one, that of the class in snake_case.

    >>> class Dense(Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.weights = Variable([1.0, 2.0], name="w")
    >>> Dense().name, [v.name for v in Dense().variables]
    ('dense', ['w'])
    """

    def __init__(self, name: str | None = None) -> None:
        self._name = name

    @property
    def name(self) -> str:
        """The given name, or that of the class in snake_case."""
        given: str | None = getattr(self, "_name", None)
        return given or snake_case(type(self).__name__)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """All variables of this module and of its submodules, each once, in order."""
        return tuple(_found(self, lambda x: isinstance(x, Variable)))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """Those variables that are trainable."""
        return tuple(v for v in self.variables if v.trainable)

    @property
    def submodules(self) -> tuple[Module, ...]:
        """All modules in this one, at any depth, each once."""
        return tuple(x for x in _found(self, lambda x: isinstance(x, Module)) if x is not self)


def snake_case(name: str) -> str:
    """Returns the name of a class as the name of a variable.

    >>> snake_case("DenseLayer")
    'dense_layer'
    """
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


def _found(root: Any, wanted: Callable[[Any], bool]) -> Iterator[Any]:
    """Yields the wanted objects below `root`: attributes by name, containers in order."""
    seen: dict[int, Any] = {}
    pending = [root]
    while pending:
        x = pending.pop()
        if id(x) in seen:
            continue
        seen[id(x)] = x
        if wanted(x):
            yield x
        pending.extend(reversed(_below(x)))


def _below(x: Any) -> list[Any]:
    if isinstance(x, Module):
        return [value for _, value in sorted(vars(x).items())]
    found = children(x)
    return [] if found is None else found[1]
