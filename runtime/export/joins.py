"""Joins what a branch gives or a loop carries: nests, each leaf on its own.

A leaf is a constant, or a symbolic value with its form: what a target has to know of it. What is
not there on one path (a name that is not bound yet, the result of a side that raises) takes the
structure and the form that it has on the other: nobody reads it there. What is of one structure on
one path and of another on the other is `OneOf` both, and so is what is of two dtypes, or of two
numbers of dimensions.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from autograph.runtime.export.kinds import (
    Kind,
    NoForm,
    is_number,
    kind_name,
    kind_of_constant,
    of_either,
)
from autograph.runtime.ir.graph import Value
from autograph.runtime.ir.regions import Loop
from autograph.runtime.ir.undefined import is_undefined
from autograph.runtime.ops.python import appends


def constant_array(x: Any, dtype: Any = None) -> np.ndarray[Any, Any]:
    """Returns a constant as an array, as NumPy converts it.

    Raises:
      NoForm: NumPy refuses it: 300 as an uint8, a complex number of Python's as a float.
    """
    try:
        return np.array(x, dtype)
    except (TypeError, ValueError, OverflowError) as error:
        raise NoForm(f"NumPy raises {type(error).__name__}: {error}") from error


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

    @property
    def kind(self) -> Kind:
        """The kind of a number: its form, or a part of that."""
        form = self.form
        return kind_of_constant(self.value) if form is None else form[0] if (
            form.__class__ is tuple) else form

    @property
    def ndim(self) -> int:
        """The number of dimensions of a number or an array."""
        return len(self.form[1]) if self.form.__class__ is tuple else np.ndim(self.value)


NOTHING = Leaf(ABSENT)


class OfTest(NamedTuple):
    """Stands for the test of a branch that gives True on one side and False on the other."""

    same: bool


def of_test(a: Any, b: Any) -> Leaf | None:
    """Returns the leaf of what is True where a test holds and False elsewhere, or the opposite;
    None for any other two leaves.

    >>> of_test(Leaf(False), Leaf(True))
    Leaf(value=OfTest(same=False), form=None)
    """
    truths = [x.value for x in (a, b) if x.__class__ is Leaf and x.form is None
              and isinstance(x.value, (bool, np.bool_))]
    return Leaf(OfTest(bool(truths[0]))) if len({*map(bool, truths)}) == 2 else None


class Rows:
    """A list of items of one structure, of which only the run knows how many there are.

    item  the structure of an item: each leaf is an array, with a row for each item of the list.
    """

    def __init__(self, parts: Iterable[Any]) -> None:
        (self.item,) = parts


MOST = 16
"""A value is one of so many things at most."""


class Constant:
    """A constant that is no number, by which it is told apart: None, a text, a function."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constant) and same(self.value, other.value)

    def __hash__(self) -> int:
        return hash(type(self.value))


class Number:
    """A number or an array, by its kind and its number of dimensions."""

    def __init__(self, kind: Kind, ndim: int) -> None:
        self.kind = kind
        self.ndim = ndim

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Number) and self._told == other._told

    def __hash__(self) -> int:
        return hash(self._told)

    @property
    def _told(self) -> tuple[str, int]:
        return kind_name(self.kind), self.ndim

    def joined(self, other: Any) -> Number | None:
        """Returns the key of what is one of two; None if they cannot be one value."""
        if not isinstance(other, Number) or self.ndim != other.ndim:
            return None
        kind = of_either(self.kind, other.kind)
        return None if kind is None else Number(kind, self.ndim)


class OneOf:
    """One of several things of unlike structure or dtype: only the run knows which.

    keys   what tells the things apart, see `key_of`; constants come first.
    flags  a bool for each thing, which the run finds: it is True for the one that it is.
    items  the things.
    """

    def __init__(self, keys: Sequence[Any], flags: Sequence[Any], items: Sequence[Any]) -> None:
        self.keys = tuple(keys)
        self.flags = tuple(flags)
        self.items = tuple(items)

    def known(self, flag: Any, truth: bool) -> Any:
        """Returns what it is where the run has found one of the flags to be True or False."""
        if truth:
            return self.items[next(k for k, x in enumerate(self.flags) if x is flag)]
        rest = [row for row in zip(self.keys, self.flags, self.items, strict=True)
                if row[1] is not flag]
        return rest[0][2] if len(rest) == 1 else OneOf(*zip(*rest, strict=True))


def key_of(x: Any) -> Any:
    """Returns what tells a thing from others that it cannot be joined with: the class of a
    container with its keys or length, a constant, or the kind and dimensions of an array.

    >>> key_of([1, 2]), key_of(Leaf(2)).kind, key_of({"a": 1})
    ((<class 'list'>, 2), <class 'int'>, (<class 'dict'>, ('a',)))
    """
    cls = x.__class__
    if cls in (tuple, list, dict):
        return cls, tuple(x) if cls is dict else len(x)
    if cls is Rows:
        return "rows"
    leaf = x if cls is Leaf else Leaf(x)
    return Number(leaf.kind, leaf.ndim) if leaf.form is not None or is_number(leaf.value) else (
        Constant(leaf.value))


def same(x: Any, y: Any) -> bool:
    """Returns True if two constants are the same: of one class, and equal."""
    if x is y:
        return True
    if type(x) is not type(y):
        return False
    if isinstance(x, (np.ndarray, np.generic)):
        return bool(x.dtype == y.dtype) and x.shape == y.shape and x.tobytes() == y.tobytes()
    try:
        return bool(x == y) and repr(x) == repr(y)
    except Exception:  # an object of the user's whose comparison raises
        return False


class Column(list[Any]):
    """One leaf of each item of a list that is to become `Rows`."""


def map_parts(fn: Callable[[Any], Any], x: Any) -> Any:
    """Returns a nest of tuples, lists and dicts, with the results of `fn` for its leaves.

    >>> map_parts(Leaf, (1, [2]))
    (Leaf(value=1, form=None), [Leaf(value=2, form=None)])
    """
    if x.__class__ in (tuple, list):
        return x.__class__(map_parts(fn, part) for part in x)
    if x.__class__ is Rows:
        return Rows([map_parts(fn, x.item)])
    if x.__class__ is OneOf:
        return OneOf(x.keys, [fn(flag) for flag in x.flags], [map_parts(fn, i) for i in x.items])
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
                  iterations: Iterable[list[Any]],
                  join: Callable[[Any, list[Any]], Any] = operator.add) -> list[Any]:
    """Returns the results of a loop, with the lists as the iterations made them."""
    if grown:
        for k, *appended in zip(grown, *iterations, strict=True):
            results[k] = join(initial[k], [x for items in appended for x in items])
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
    if cls is OneOf:
        return _tree_of_things(x.keys, map(tree_of, x.items))
    return (cls, (), tuple(map(tree_of, _parts(x)))) if cls in (tuple, list, Rows) else None


def _tree_of_things(keys: Sequence[Any], trees: Iterable[Tree]) -> Tree:
    """Returns the structure of `OneOf`: of the flags, then of the things."""
    return OneOf, tuple(keys), (*[None] * len(keys), *trees)


def joined_tree(a: Any, b: Any, rows: bool = False) -> Tree:
    """Returns the structure of two nests of `Leaf`s.

    Args:
      rows: True if the target has `Rows`: for lists that differ in length.

    Raises:
      NoForm: they differ.
    """
    if _is_missing(a) or _is_missing(b):
        return tree_of(b if _is_missing(a) else a)
    if rows and {a.__class__, b.__class__} <= {list, Rows} and (
            Rows in (a.__class__, b.__class__) or len(a) != len(b)):
        return Rows, (), (_tree_of_items([*_parts(a), *_parts(b)]),)
    if OneOf in (a.__class__, b.__class__) or _are_unlike(key_of(a), key_of(b)):
        return _joined_things(_things(a, rows), _things(b, rows), rows)
    if (one := tree_of(a)) is None:
        return None
    parts = zip(_parts(a), _parts(b), strict=True)
    return one[0], one[1], tuple(joined_tree(x, y, rows) for x, y in parts)


def _things(x: Any, rows: bool = False) -> dict[Any, Any]:
    if x.__class__ is OneOf:
        return dict(zip(x.keys, x.items, strict=True))
    return {"rows" if rows and x.__class__ is list else key_of(x): x}


def _are_unlike(one: Any, other: Any) -> bool:
    return bool(one != other) and not (isinstance(one, Number) and one.joined(other))


def _joined_things(one: dict[Any, Any], other: dict[Any, Any], rows: bool) -> Tree:
    pairs = {key: (key, x, NOTHING) for key, x in one.items()}
    for key, x in sorted(other.items(), key=lambda item: item[0] not in one):
        at = _key_for(key, [k for k, pair in pairs.items() if pair[2] is NOTHING], joins=True)
        joined, mine, _ = pairs.get(at, (key, NOTHING, NOTHING))
        pairs[key if at is None else at] = _joined_key(joined, key), mine, x
    found = sorted(pairs.values(), key=lambda pair: not isinstance(pair[0], Constant))
    if len(found) > MOST:
        raise NoForm(f"a value is one of more than {MOST} things of unlike structure",
                     "keep a number of items that does not depend on the data")
    return _tree_of_things([key for key, *_ in found], [
        joined_tree(x, y, rows) for _, x, y in found])


def _joined_key(one: Any, other: Any) -> Any:
    return one.joined(other) or one if isinstance(one, Number) else one


def _key_for(key: Any, keys: Sequence[Any], joins: bool = False) -> Any:
    """Returns the first of some keys that holds a thing of this key as it is, or with `joins` can
    be joined with it; None if there is none."""
    if key in keys:
        return key
    found = [(k, joined) for k in keys if isinstance(k, Number) and (joined := k.joined(key))]
    holding = [k for k, joined in found if joined == k]
    return next(iter(holding or [k for k, _ in found if joins]), None)


def _tree_of_items(items: Sequence[Any]) -> Tree:
    structures = [map_parts(_as_any_number, x) for x in items]
    found = {joined_tree(structures[0], x) for x in structures}
    if len(found) > 1:
        raise NoForm("the items of a list whose length only the run knows are of unlike structure")
    return found.pop()


def _as_any_number(x: Leaf) -> Leaf:
    """Returns the same leaf for all numbers: an array of items has a dimension more."""
    return Leaf(0) if isinstance(key_of(x), Number) else x


def _is_missing(x: Any) -> bool:
    return isinstance(x, Leaf) and x.form is None and is_absent(x.value)


def _parts(x: Any) -> Iterable[Any]:
    return x.values() if x.__class__ is dict else [x.item] if x.__class__ is Rows else x


def flat(x: Any, tree: Tree) -> Iterator[Any]:
    """Yields the leaves of a nest of `Leaf`s of this structure; `NOTHING` for each that is not
    there."""
    if tree is None:
        yield x
    elif tree[0] is OneOf:
        yield from _flat_things(x, tree[1], tree[2])
    elif tree[0] is Rows and x.__class__ is list:
        items = [list(flat(item, tree[2][0])) for item in x]
        yield from map(Column, zip(*items, strict=True) if items else (
            () for _ in flat(NOTHING, tree[2][0])))
    else:
        parts = [NOTHING] * len(tree[2]) if _is_missing(x) else _parts(x)
        for part, inner in zip(parts, tree[2], strict=True):
            yield from flat(part, inner)


def _flat_things(x: Any, keys: tuple[Any, ...], trees: tuple[Tree, ...]) -> Iterator[Any]:
    flags, things = {}, {}
    for key, thing in {}.items() if _is_missing(x) else _things(x, "rows" in keys).items():
        at = _key_for(key, [k for k in keys if k not in things])
        if at is None:
            raise NoForm("a value is of more dtypes than its other uses tell")
        things[at] = thing
        flags[at] = x.flags[x.keys.index(key)] if x.__class__ is OneOf else Leaf(True)
    yield from (flags.get(key, Leaf(False)) for key in keys)
    for key, inner in zip(keys, trees[len(keys):], strict=True):
        yield from flat(things.get(key, NOTHING), inner)


def _are_rows(tree: Tree, inside: bool = False) -> Iterator[bool]:
    """Yields for each leaf if it is in `Rows`."""
    if tree is None:
        yield inside
    else:
        for part in tree[2]:
            yield from _are_rows(part, inside or tree[0] is Rows)


def rebuilt(tree: Tree, found: Iterator[Any]) -> Any:
    """Returns the nest of these leaves."""
    if tree is None:
        return next(found)
    cls, keys, inner = tree
    parts = [rebuilt(t, found) for t in inner]
    if cls is OneOf:
        return OneOf(keys, parts[:len(keys)], parts[len(keys):])
    return dict(zip(keys, parts, strict=True)) if cls is dict else cls(parts)


@dataclass(frozen=True)
class Plan:
    """The outputs of a branch or of an iteration: the structure of each, and all leaves."""

    trees: tuple[Tree, ...]
    leaves: tuple[Leaf, ...]

    @classmethod
    def joined(cls, one: Sequence[Any], other: Sequence[Any], join: Callable[[Leaf, Leaf], Leaf],
               rows: bool = False) -> Plan:
        """Joins two lists of nests of `Leaf`s; with `rows`, lists may differ in length.

        Raises:
          NoForm: they differ in structure.
        """
        trees = tuple(joined_tree(x, y, rows) for x, y in zip(one, other, strict=True))
        sides = [[leaf for x, t in zip(side, trees, strict=True) for leaf in flat(x, t)]
                 for side in (one, other)]
        return cls(trees, tuple(map(join, *sides)))

    @classmethod
    def of(cls, nests: Sequence[Any]) -> Plan:
        """Returns a plan of these nests of `Leaf`s."""
        return cls.joined(nests, nests, lambda a, b: a)

    def with_test(self, test: Any, opposite: Callable[[], Any]) -> Plan:
        """Returns the plan with a test in place of `OfTest`."""
        found = {x.value for x in self.leaves if isinstance(x.value, OfTest)}
        values = {x: test if x.same else opposite() for x in found}
        return Plan(self.trees, tuple(
            Leaf(values[x.value]) if isinstance(x.value, OfTest) else x for x in self.leaves))

    def narrowed(self, nests: Sequence[Any]) -> Plan:
        """Returns the plan of the outputs where they are these `Leaf`s, as they are after an
        iteration: a number that is Python's before the loop may be NumPy's for certain."""
        after = Plan.of(nests)
        if after.trees != self.trees:
            return self
        return Plan(self.trees, tuple(y if x.form is not None and y.form is not None else x
                                      for x, y in zip(self.leaves, after.leaves, strict=True)))

    @property
    def symbolic(self) -> list[Leaf]:
        """The leaves that are not constants."""
        return [leaf for leaf in self.leaves if leaf.form is not None]

    @property
    def rows(self) -> list[Leaf]:
        """The leaves that are in `Rows`."""
        return [leaf for leaf, inside in zip(
            self.leaves, (x for t in self.trees for x in _are_rows(t)), strict=True) if inside]

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
        """Returns the values of some outputs, nests of `Leaf`s, for each symbolic leaf of the plan,
        with that leaf."""
        found = [x for nest, t in zip(outputs, self.trees, strict=True) for x in flat(nest, t)]
        return [(Column(x.value for x in given) if given.__class__ is Column else given.value, leaf)
                for given, leaf in zip(found, self.leaves, strict=True) if leaf.form is not None]

    def filled(self, symbolic: Iterable[Any]) -> list[Any]:
        """Returns the outputs, with these values for the symbolic leaves."""
        found = iter(symbolic)
        values = iter([next(found) if leaf.form is not None else leaf.value
                       for leaf in self.leaves])
        return [rebuilt(t, values) for t in self.trees]
