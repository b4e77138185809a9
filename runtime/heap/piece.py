"""Pieces: functions, objects and containers that lead to each other, made at once over real values.

What can be empty at first, such as an object or a list, is made first and filled last, so that
circles need no order.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Sequence
from functools import partial
from types import CellType, MethodType
from typing import Any, NamedTuple

from autograph.runtime.heap.escaping_objects import how_to_make, refuse_hidden
from autograph.runtime.heap.new_objects import how_to_define
from autograph.runtime.heap.objects import build, contents_of, copied, set_attributes
from autograph.runtime.heap.rebuilt_functions import CALLING, LITERALS, is_holder
from autograph.runtime.ir.buffers_of_numbers import BUFFERS
from autograph.runtime.ir.closures import cell_contents
from autograph.runtime.ir.frame_state import Selection
from autograph.runtime.ir.own_contents import empty_like, fill, own_class, own_values
from autograph.runtime.ir.pytree import before_pairs, children
from autograph.runtime.ops.opaque import pure
from autograph.runtime.symbolic.allocation_sites import is_plain_container
from autograph.runtime.symbolic.tensor import Tensor, apply


class PartReference(NamedTuple):
    """A part of a node: operand number `number`, or what node number `number` makes."""

    number: int
    is_operand: bool


class Node(NamedTuple):
    """How something is made.

    parts  what it consists of; once the piece is known, a `PartReference` or a constant for each.
    empty  makes it without its parts; None if it needs them.
    fill   puts the parts into the empty one; without `empty`, makes it of them.
    """

    parts: list[Any]
    empty: Callable[[], Any] | None
    fill: Callable[..., Any]


def node_of(x: Any, kept: Collection[int], unstaged: Callable[[Any], Any]) -> Node:
    """Returns how a new function, cell, object or container is made.

    kept: the ids of the closure cells that stay the same.
    """
    node = _function(x, kept) if isinstance(x, CALLING) or type(x) is CellType else (
        _container(x) if is_plain_container(x) else _other(x))
    return node._replace(parts=list(map(unstaged, node.parts)))


def _function(x: Any, kept: Collection[int]) -> Node:
    if type(x) is CellType:
        held = cell_contents(x)
        return Node([], CellType, _nothing) if held is ... else Node([held], CellType, _fill_cell)
    if isinstance(x, MethodType) and isinstance(x.__self__, Tensor):
        make, parts = how_to_make(x)
        return Node(parts, None, make)
    if isinstance(x, MethodType):
        return Node([x.__func__, x.__self__], None, MethodType)
    if isinstance(x, partial):
        return _partial(x)
    make, parts = how_to_define(x, kept)
    return Node(parts, None, make)


def _partial(f: partial[Any]) -> Node:
    """Returns how a partial function is made: of its function, arguments and attributes."""
    count, names, attributes = len(f.args), list(f.keywords), list(vars(f))
    end = count + len(names)

    def make(function: Any, *parts: Any) -> partial[Any]:
        made = partial(function, *parts[:count], **dict(zip(names, parts[count:end], strict=True)))
        vars(made).update(zip(attributes, parts[end:], strict=True))
        return made

    return Node([f.func, *f.args, *f.keywords.values(), *vars(f).values()], None, make)


def _container(x: Any) -> Node:
    if isinstance(x, (set, *BUFFERS)):
        return Node([], None, lambda: copied(x))
    keys = list(own_class(x).keys(x)) if isinstance(x, dict) else None
    first, attributes = before_pairs(x) if isinstance(x, dict) else (), contents_of(x)
    return Node([*first, *own_values(x), *attributes.values()], partial(empty_like, x),
                lambda made, *parts: _fill(made, keys, len(first), list(attributes), parts))


def _other(x: Any) -> Node:
    if isinstance(x, Selection):
        return Node(list(x.parts), None, lambda pred, yes, no: yes if pred else no)
    if is_holder(x):
        held = dict(vars(x))
        if copy.copy(x) is x:
            refuse_hidden(x)
        return Node(list(held.values()), lambda: copy.copy(x), lambda made, *parts: vars(
            made).update(zip(held, parts, strict=True)))
    found = children(x)
    if found is not None and isinstance(x, (tuple, frozenset)):
        rebuild = found[2]
        return Node(list(found[1]), None, lambda *parts: rebuild(list(parts)))
    make, parts = how_to_make(x)
    if make is not build:
        return Node(parts, None, make)
    held, cls = contents_of(x), type(x)
    return Node(list(held.values()), lambda: build(cls, ()), lambda made, *parts: set_attributes(
        made, dict(zip(held, parts, strict=True))))


def _nothing(made: Any) -> None:
    pass


def _fill_cell(cell: CellType, held: Any) -> None:
    cell.cell_contents = held


def _fill(made: Any, keys: list[Any] | None, before: int, names: list[str],
          parts: Sequence[Any]) -> None:
    """Fills a container, of a dict with these keys, and gives it its attributes."""
    if before:
        made.default_factory = parts[0]
    end = len(parts) - len(names)
    held = parts[before:end]
    fill(made, held if keys is None else dict(zip(keys, held, strict=True)))
    set_attributes(made, dict(zip(names, parts[end:], strict=True)))


def made_together(members: dict[int, tuple[Any, Node]], part: Callable[[Any], Any],
                  is_constant: Callable[[Any], bool]) -> dict[int, tuple[Any, Tensor]]:
    """Records what makes the members over real values; returns by id the value of each.

    part         gives what an equation takes for something else that they lead to.
    is_constant  tells a function or a class that stays as it is.
    """
    numbers = {n: number for number, n in enumerate(members)}
    operands: list[Any] = []

    def reference(x: Any) -> Any:
        if id(x) in numbers:
            return PartReference(numbers[id(x)], False)
        if isinstance(x, (*LITERALS, *CALLING)) and is_constant(x):
            return x
        operands.append(part(x))
        return PartReference(len(operands) - 1, True)

    nodes = [node._replace(parts=list(map(reference, node.parts))) for _, node in members.values()]
    made = apply(pure(lambda *values: made_at_once(nodes, values)), *operands)
    return {n: (x, apply("getitem", made, numbers[n])) for n, (x, _) in members.items()}


def made_at_once(nodes: list[Node], operands: Sequence[Any]) -> list[Any]:
    """Returns what the nodes make, in their order."""
    made = [None if node.empty is None else node.empty() for node in nodes]
    done = [node.empty is not None for node in nodes]

    def real(part: Any) -> Any:
        if type(part) is not PartReference:
            return part
        if part.is_operand:
            return operands[part.number]
        if not done[part.number]:
            node = nodes[part.number]
            made[part.number] = node.fill(*map(real, node.parts))
            done[part.number] = True
        return made[part.number]

    for number, node in enumerate(nodes):
        real(PartReference(number, False))
        if node.empty is not None:
            node.fill(made[number], *map(real, node.parts))
    return made
