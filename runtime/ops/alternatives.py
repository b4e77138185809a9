"""Type rules of operands that are one of two types: a number that is Python's or NumPy's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce, wraps
from itertools import product
from typing import Any

from autograph.runtime.ir.graph import NESTS, map_leaves
from autograph.runtime.ir.types import ALTERNATIVES, ArrayType, DynamicType, PyType, join

ANY = ArrayType(None, (), scalar=True)
MAX_OPERANDS = 3
"""The rule is asked once for each combination of types, so of few operands only."""


MOST = 256
"""So many operands of an op are remembered."""

ATOMS = frozenset({ArrayType, PyType, DynamicType, bool, int, float, complex, str, type(None),
                   type(Ellipsis)})
"""Classes of operands of which a rule asks nothing but what makes them equal."""


def of_alternatives(infer: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a type rule whose result admits what either type of each operand gives, and that is
    asked once for each combination of operands that are no nests."""
    known: dict[Any, Any] = {}

    @wraps(infer)
    def inferred(*args: Any, **kwargs: Any) -> Any:
        classes = tuple(map(type, args))
        if kwargs or not ATOMS.issuperset(classes):
            return _of_each(infer, args, kwargs)
        found = known.get((args, classes))  # 1 is no True
        if found is None:
            found = _of_each(infer, args, kwargs)
            if len(known) >= MOST:
                known.clear()
            known[args, classes] = found
        return found

    return inferred


def _of_each(infer: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Returns what the rule gives for either type of each operand, joined."""
    found = _eithers((args, *kwargs.values()) if kwargs else args)
    if not found:
        return infer(*args, **kwargs)
    if len(found) <= MAX_OPERANDS:
        try:
            return reduce(_joined, [infer(*_chosen(args, types), **_chosen(kwargs, types))
                                    for types in map(iter, product(*found))])
        except (ValueError, TypeError, IndexError):
            pass  # one of both is refused: that it is a number has to do
    types = iter([ANY] * len(found))
    return infer(*_chosen(args, types), **_chosen(kwargs, types))


def _eithers(nest: Any) -> list[tuple[Any, ...]]:
    """Returns the alternatives of each type in a container that is of either class."""
    found: list[tuple[Any, ...]] = []
    for x in nest.values() if nest.__class__ is dict else nest:
        cls = x.__class__
        if cls is ArrayType:
            if x.either:
                found.append(ALTERNATIVES[x.either])
        elif cls is slice:
            found += _eithers((x.start, x.stop, x.step))
        elif cls in NESTS:
            found += _eithers(x)
    return found


def _is_either(x: Any) -> bool:
    return x.__class__ is ArrayType and bool(x.either)


def _chosen(nest: Any, types: Iterator[Any]) -> Any:
    return map_leaves(lambda x: next(types) if _is_either(x) else x, nest)


def _joined(a: Any, b: Any) -> Any:
    if isinstance(a, Sequence):
        return tuple(map(join, a, b))
    return join(a, b)
