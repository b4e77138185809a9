"""Staged branches: both sides are traced, compared leaf by leaf, and recorded as one `cond`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from autograph.runtime import trace
from autograph.runtime.graph import Value, atom_type
from autograph.runtime.handle import Choice, Handle
from autograph.runtime.nest import children, map_nest
from autograph.runtime.ops import OPS
from autograph.runtime.places import places_of
from autograph.runtime.regions import Inner, Traced, same_constant, trace_region
from autograph.runtime.tensor import Tensor, has_memory
from autograph.runtime.types import ArrayType, Type, join


class Slot:
    """The place of an output in a result that is not recorded yet; the arrays that it may alias."""

    __slots__ = ("index", "sides")

    def __init__(self, index: int) -> None:
        self.index = index
        self.sides: tuple[Handle | None, Handle | None] = (None, None)

    def tensor(self, value: Value, pred: Value) -> Tensor:
        tensor = Tensor(value)
        if self.sides != (None, None):
            tensor._handle = Choice(value, pred, self.sides)
        return tensor


@dataclass
class Outputs:
    """The outputs of a node with two regions: a pair of atoms for each, and their joined type.

    A side that always raises has no values: its atoms are None and do not count for the type.
    """

    sides: tuple[Traced, Traced]
    atoms: list[tuple[Any, Any]] = field(default_factory=list)

    def add(self, a: Any, b: Any) -> Slot:
        self.atoms.append((a, b))
        return Slot(len(self.atoms) - 1)

    def types(self) -> tuple[Type, ...]:
        return tuple(map(self._type, self.atoms))

    def hints(self) -> list[str]:
        """A name for each output where one side has one."""
        return [next((x.hint for x in pair if isinstance(x, Value) and x.hint), "")
                for pair in self.atoms]

    def _type(self, pair: tuple[Any, Any]) -> Type:
        a, b = map(atom_type, pair)
        left, right = self.sides
        if left.raised or right.raised:
            return b if left.raised else a
        return join(a, b)

    def merge(self, a: Any, b: Any) -> Any:
        """What the two sides returned as one nest, with slots where they differ."""
        if self._same(a, b):
            return a
        left, right = children(a), children(b)
        if left is not None and right is not None and left[0] == right[0]:
            return left[2]([self.merge(x, y) for x, y in zip(left[1], right[1], strict=True)])
        slot = self.add(self.sides[0].pack(a), self.sides[1].pack(b))
        slot.sides = _outer(a), _outer(b)
        return slot

    def one_sided(self, nest: Any, side: int) -> Any:
        """The nest of the only side that comes to an end."""
        def leaf(x: Any) -> Any:
            if not isinstance(x, (Inner, Tensor)):
                return x
            atom = self.sides[side].atom(x)
            return x if isinstance(x, Tensor) else (
                self.add(atom, None) if side == 0 else self.add(None, atom))

        return map_nest(leaf, nest)

    def result(self) -> Any:
        a, b = self.sides
        if a.raised and b.raised:
            return None
        if a.raised or b.raised:
            side = 1 if a.raised else 0
            return self.one_sided(self.sides[side].result, side)
        return self.merge(a.result, b.result)

    @staticmethod
    def _same(a: Any, b: Any) -> bool:
        if isinstance(a, Tensor) and isinstance(b, Tensor):
            return a._handle is b._handle
        return not isinstance(a, (Inner, Tensor)) and same_constant(a, b)


def cond(pred: Tensor, true_fn: Callable[..., Any], false_fn: Callable[..., Any],
         *operands: Any) -> Any:
    """Record `true_fn(*operands) if pred else false_fn(*operands)` as one node.

    Each function is traced once, in a region; what it changes (arrays, shared variables, objects)
    is put back before the other is traced, and becomes an output of the node.

    Raises:
      ValueError: `pred` is certainly an array of several elements (NumPy's own message).
    """
    check_predicate(pred)
    watched = places_of(true_fn, false_fn, operands)
    a = trace_region("true", lambda: true_fn(*operands), watched)
    b = trace_region("false", lambda: false_fn(*operands), watched)
    outputs = Outputs((a, b))
    result = outputs.result()
    handles = {h: outputs.add(a.written_or_old(h), b.written_or_old(h))
               for h in {**a.written, **b.written}}
    places = {p: outputs.merge(a.places.get(p, p.take()), b.places.get(p, p.take()))
              for p in {**a.places, **b.places}}
    a.graph.outputs, b.graph.outputs = (tuple(pair[i] for pair in outputs.atoms) for i in (0, 1))
    location = trace.user_location()
    hints = location.targets if location is not None and not handles and not places else []
    values = trace.record(OPS["cond"], (pred.read(),), {}, (a.graph, b.graph), outputs.types(),
                          hints if len(hints) == len(outputs.atoms) else outputs.hints())
    for handle, slot in handles.items():
        handle.write(values[slot.index])
    pred_value = pred.read()

    def fill(nest: Any) -> Any:
        return map_nest(lambda x: x.tensor(values[x.index], pred_value)
                        if isinstance(x, Slot) else x, nest)

    for place, nest in places.items():
        place.put(fill(nest))
    return fill(result)


def _outer(leaf: Any) -> Handle | None:
    """The handle of an array from outside the region, which the result then is an alias of."""
    return leaf._handle if isinstance(leaf, Tensor) and has_memory(leaf.type) else None


def check_predicate(pred: Tensor) -> None:
    """Raise NumPy's own error for a condition that is certainly an array of several elements."""
    t = pred.type
    if isinstance(t, ArrayType) and t.shape is not None and any(
            isinstance(d, int) and d > 1 for d in t.shape):
        raise ValueError("The truth value of an array with more than one element is ambiguous. "
                         "Use a.any() or a.all()")
