"""Joins what a branch gives or a loop carries: nests, each leaf on its own.

A leaf is a constant, or a symbolic value with its form: what a target has to know of it. What is
not there on one path (a name that is not bound yet, the result of a side that raises) takes the
structure and the form that it has on the other: nobody reads it there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from autograph.runtime.ir.graph import Value
from autograph.runtime.ir.regions import Loop
from autograph.runtime.ir.undefined import is_undefined
from autograph.runtime.ops.python import appends


class NoForm(Exception):
    """Raised where a rule finds that the target cannot do what it would have to do."""

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.hint = hint


class Absent:
    """Stands for what an operation that always raises would give."""

    def __repr__(self) -> str:
        return "absent"


ABSENT = Absent()


def is_absent(x: Any) -> bool:
    """Returns True for what is not there on this path."""
    return x is ABSENT or is_undefined(x)


class Leaf(NamedTuple):
    """A constant, or a symbolic value: then `form` is not None."""

    value: Any
    form: Any = None


NOTHING = Leaf(ABSENT)

def map_parts(fn: Callable[[Any], Any], x: Any) -> Any:
    """Returns a nest of tuples, lists and dicts, with the results of `fn` for its leaves.

    >>> map_parts(Leaf, (1, [2]))
    (Leaf(value=1, form=None), [Leaf(value=2, form=None)])
    """
    if x.__class__ in (tuple, list):
        return x.__class__(map_parts(fn, part) for part in x)
    return {k: map_parts(fn, v) for k, v in x.items()} if x.__class__ is dict else fn(x)


def grown_lists(loop: Loop) -> list[int]:
    """Returns the numbers of the carried values that are lists to which each iteration appends,
    and which nothing else in the loop reads."""
    if loop.test is not None or not loop.is_for:
        return []
    makers = {v: e for e in loop.body.equations for v in e.outputs}
    used = [v for e in loop.body.walk() for v in e.inputs]
    return [k for k, (given, made) in enumerate(
        zip(loop.carried, loop.body.outputs, strict=True))
        if isinstance(made, Value) and made in makers and appends(makers[made])
        and makers[made].args[0][1] is given and used.count(given) == 1
        and given not in _without(loop.body.outputs, k) and made not in used
        and made not in _without(loop.body.outputs, k)]


def emptied(xs: Sequence[Any], grown: list[int]) -> list[Any]:
    """Returns some values, with empty lists for those with these numbers."""
    return [[] if k in grown else x for k, x in enumerate(xs)]


def with_appended(results: list[Any], initial: Sequence[Any], grown: list[int],
                  iterations: Iterable[list[Any]]) -> list[Any]:
    """Returns the results of a loop, with the lists as the iterations made them."""
    if grown:
        for k in grown:
            results[k] = list(initial[k])
        for appended in iterations:
            for k, more in zip(grown, appended, strict=True):
                results[k] += more
    return results


def _without(xs: Sequence[Any], number: int) -> list[Any]:
    return [x for k, x in enumerate(xs) if k != number and isinstance(x, Value)]


Tree = tuple[type, tuple[Any, ...], tuple["Tree", ...]] | None
"""The class of a container, its keys if it is a dict, and its parts; None: a leaf."""


def tree_of(x: Any) -> Tree:
    """Returns the structure of a nest.

    >>> tree_of((1, [2]))
    (<class 'tuple'>, (), (None, (<class 'list'>, (), (None,))))
    """
    cls = x.__class__
    if cls is dict:
        return cls, tuple(x), tuple(map(tree_of, x.values()))
    return (cls, (), tuple(map(tree_of, x))) if cls in (tuple, list) else None


def joined_tree(a: Any, b: Any) -> Tree:
    """Returns the structure of two nests of `Leaf`s.

    Raises:
      NoForm: they differ.
    """
    if _is_missing(a) or _is_missing(b):
        return tree_of(b if _is_missing(a) else a)
    one, other = tree_of(a), tree_of(b)
    if one is None or other is None:
        if one is not other:
            raise NoForm("a container on one path is something else on the other",
                         "give its items as variables of their own")
        return None
    if one[:2] != other[:2] or len(one[2]) != len(other[2]):
        raise NoForm(f"the paths give a {one[0].__name__} of {len(one[2])} items and a "
                     f"{other[0].__name__} of {len(other[2])}",
                     "keep a number of items that does not depend on the data")
    parts = zip(_parts(a), _parts(b), strict=True)
    return one[0], one[1], tuple(joined_tree(x, y) for x, y in parts)


def _is_missing(x: Any) -> bool:
    return isinstance(x, Leaf) and x.form is None and is_absent(x.value)


def _parts(x: Any) -> Iterable[Any]:
    return x.values() if x.__class__ is dict else x


def flat(x: Any, tree: Tree, nothing: Any) -> Iterator[Any]:
    """Yields the leaves of a nest of this structure; `nothing` for each that is not there."""
    if tree is None:
        yield x
    else:
        missing = is_absent(x) or (isinstance(x, Leaf) and is_absent(x.value))
        for part, inner in zip([nothing] * len(tree[2]) if missing else _parts(x), tree[2],
                               strict=True):
            yield from flat(part, inner, nothing)


def rebuilt(tree: Tree, found: Iterator[Any]) -> Any:
    """Returns the nest of these leaves."""
    if tree is None:
        return next(found)
    cls, keys, inner = tree
    parts = [rebuilt(t, found) for t in inner]
    return dict(zip(keys, parts, strict=True)) if cls is dict else cls(parts)


@dataclass(frozen=True)
class Plan:
    """The outputs of a branch or of an iteration: the structure of each, and all leaves."""

    trees: tuple[Tree, ...]
    leaves: tuple[Leaf, ...]

    @classmethod
    def joined(cls, one: Sequence[Any], other: Sequence[Any], join: Callable[[Leaf, Leaf], Leaf]
               ) -> Plan:
        """Joins two lists of nests of `Leaf`s.

        Raises:
          NoForm: they differ in structure.
        """
        trees = tuple(map(joined_tree, one, other))
        sides = [[leaf for x, t in zip(side, trees, strict=True) for leaf in flat(x, t, NOTHING)]
                 for side in (one, other)]
        return cls(trees, tuple(map(join, *sides)))

    @classmethod
    def of(cls, nests: Sequence[Any]) -> Plan:
        """Returns a plan of these nests of `Leaf`s."""
        return cls.joined(nests, nests, lambda a, b: a)

    @property
    def symbolic(self) -> list[Leaf]:
        """The leaves that are not constants."""
        return [leaf for leaf in self.leaves if leaf.form is not None]

    def is_like(self, other: Plan, shown: Callable[[Any], Any]) -> bool:
        """Returns True for a plan of the same structure and, as `shown` tells them, forms."""
        return self.trees == other.trees and all(
            (x is NOTHING) == (y is NOTHING) and shown(x.form) == shown(y.form)
            for x, y in zip(self.leaves, other.leaves, strict=True))

    @property
    def nests(self) -> list[Any]:
        """The outputs as nests of `Leaf`s."""
        found = iter(self.leaves)
        return [rebuilt(t, found) for t in self.trees]

    @property
    def forms(self) -> list[Any]:
        """The form of each output; None for a container or a constant."""
        return [x.form if isinstance(x, Leaf) else None for x in self.nests]

    def given(self, outputs: Sequence[Any]) -> list[tuple[Any, Leaf]]:
        """Returns the values of some outputs for each symbolic leaf, with that leaf."""
        values = [v for x, t in zip(outputs, self.trees, strict=True) for v in flat(x, t, ABSENT)]
        return [(v, leaf) for v, leaf in zip(values, self.leaves, strict=True)
                if leaf.form is not None]

    def filled(self, symbolic: Iterable[Any]) -> list[Any]:
        """Returns the outputs, with these values for the symbolic leaves."""
        found = iter(symbolic)
        values = iter([next(found) if leaf.form is not None else leaf.value
                       for leaf in self.leaves])
        return [rebuilt(t, values) for t in self.trees]
