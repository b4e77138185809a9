"""Nests of arguments: references to their leaves, and what puts values in place of those."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from autograph.runtime.ir.pytree import (
    children,
    field_names,
    is_frozen,
    is_immutable_nest,
    is_leaf,
)


@is_leaf
class LeafRef:
    """Refers to leaf number `index` in the nest of arguments."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index


class Filler:
    """Rebuilds nests with other leaves; a container that occurs twice becomes one new container.

    `containers`, if given, replace the mutable containers, in the order in which `bind` met those.
    """

    def __init__(self, leaf: Callable[[Any], Any], containers: Sequence[Any] = ()) -> None:
        self.leaf = leaf
        self.given = iter(containers)
        self.made: dict[int, tuple[Any, Any]] = {}  # an id is an object's only as long as it lives

    def __call__(self, nest: Any) -> Any:
        if id(nest) in self.made:
            return self.made[id(nest)][1]
        mutable = is_mutable(nest)
        given = next(self.given, None) if mutable else None
        found = children(nest)
        made = self.leaf(nest) if found is None else found[2](list(map(self, found[1])))
        if mutable:
            made = made if given is None else given
        if mutable or is_named_tuple(nest):
            self.made[id(nest)] = nest, made
        return made


def is_mutable(x: Any) -> bool:
    """Returns True for a container that the function may change, so that the caller must see it."""
    if field_names(type(x)) is not None:
        return not is_frozen(type(x))
    return type(x) in (list, dict, set, OrderedDict, defaultdict)


def is_named_tuple(x: Any) -> bool:
    """Returns True for a tuple, or an object of a frozen data class, that can become an input by
    reference, by its name."""
    return is_immutable_nest(x) and type(x) is not slice
