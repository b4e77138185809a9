"""Staged branches: both sides are traced, compared leaf by leaf, and recorded as one `cond`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NoReturn

from autograph.runtime.control_flow.regions import Inner, Traced, structure, trace_region
from autograph.runtime.heap.objects import Either, Made, is_followed, realise
from autograph.runtime.heap.optional_attributes import aligned
from autograph.runtime.heap.places import Place
from autograph.runtime.heap.reachability import places_of
from autograph.runtime.heap.run_time_containers import need_object
from autograph.runtime.ir.constants import same_constant
from autograph.runtime.ir.graph import Value, atom_type
from autograph.runtime.ir.pytree import flatten, map_nest
from autograph.runtime.ir.trace_signals import NeverCompletes
from autograph.runtime.ir.types import DYNAMIC, ArrayType, Type, join, may_have_memory
from autograph.runtime.ops import OPS
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.aliasing import Handle, tie
from autograph.runtime.symbolic.record import record
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor, lower


class Slot:
    """The place of an output in a result that is not recorded yet; what it may share memory
    with."""

    __slots__ = ("index", "memory", "tied")

    def __init__(self, index: int, memory: set[Handle]) -> None:
        self.index = index
        self.memory = memory
        self.tied: list[Handle] = []

    def tensor(self, value: Value, others: list[Slot]) -> Tensor:
        """The output as a tensor, tied to the arrays, and the other outputs, that it may be."""
        tensor = Tensor(value)
        if may_have_memory(value.type):
            outside = [h for h in self.memory if h.region is not None and h.region.alive]
            tie(tensor._handle, outside + [h for s in others if s is not self and (
                s.memory & self.memory) for h in s.tied])
            self.tied.append(tensor._handle)
        return tensor


CONDITION = object()
"""Stands in a result for the condition of the branch."""


@dataclass
class Outputs:
    """The outputs of a node with two regions: a pair of atoms for each, and their joined type.

    A side that always raises has no values: its atoms are None and do not count for the type.
    """

    sides: tuple[Traced, Traced]
    atoms: list[tuple[Any, Any]] = field(default_factory=list)
    made: dict[tuple[int, int], Any] = field(default_factory=dict)

    def add(self, a: Any, b: Any, memory: Iterable[Handle] = ()) -> Slot:
        self.atoms.append((a, b))
        return Slot(len(self.atoms) - 1, set(memory))

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
        x, y = structure(a), structure(b)
        if x is not None and y is not None and x[0] == y[0]:
            if isinstance(a, Made) and (id(a), id(b)) in self.made:
                return self.made[id(a), id(b)]
            merged = x[2]([self.merge(*pair) for pair in zip(x[1], y[1], strict=True)])
            if isinstance(a, Made):
                self.made[id(a), id(b)] = merged
            return merged
        if is_followed(a) or is_followed(b):
            return Either([CONDITION, self.one_sided(a, 0), self.one_sided(b, 1)])
        left, right = self.sides
        return self.add(left.pack(a), right.pack(b), left.memory(a) | right.memory(b))

    def one_sided(self, nest: Any, side: int) -> Any:
        """The nest of the only side that comes to an end."""
        def leaf(x: Any) -> Any:
            if not isinstance(x, (Inner, Tensor)):
                return x
            atom, memory = self.sides[side].atom(x), self.sides[side].memory(x)
            return x if isinstance(x, Tensor) else (
                self.add(atom, None, memory) if side == 0 else self.add(None, atom, memory))

        return map_nest(leaf, nest)

    def result(self) -> Any:
        a, b = self.sides
        if a.raised and b.raised:
            return ()
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
    ends = {p: aligned(p, a.places.get(p, p.take()), b.places.get(p, p.take()))
            for p in {**a.places, **b.places}}
    refuse_shared(ends, a.shared | b.shared)
    places = {p: outputs.merge(*pair) for p, pair in ends.items()}
    a.graph.outputs, b.graph.outputs = (tuple(pair[i] for pair in outputs.atoms) for i in (0, 1))
    location = user_location()
    hints = location.targets if location is not None and not handles and not places else []
    values = record(OPS["cond"], (pred.read(),), {}, (a.graph, b.graph), outputs.types(),
                    hints if len(hints) == len(outputs.atoms) else outputs.hints())
    if a.raised and b.raised:
        raise NeverCompletes
    for handle, slot in handles.items():
        handle.rebind(values[slot.index])
    for handle in a.invalidated | b.invalidated:
        handle.invalidate()
    slots = [x for x in flatten([result, *places.values()]) if isinstance(x, Slot)]

    pred_value = pred.read()
    built: dict[int, Any] = {}

    def fill(nest: Any) -> Any:
        return realise(nest, lambda x: Tensor(pred_value) if x is CONDITION else (
            x.tensor(values[x.index], slots) if isinstance(x, Slot) else x), built)

    for place, nest in places.items():
        place.put(fill(nest))
    made = fill(result)
    for one, other, chosen in zip(*map(variables, (a.own, b.own, made)), strict=False):
        if {id(one), id(other)} & (a.outside | b.outside):
            trace.note_choice(one, other, chosen)
    return made


def raise_value(error: Any, *cause: Any) -> NoReturn:
    """Record `raise error from cause`, of which one is known only at run time."""
    record(OPS["raise_"], (lower(error), *lower(cause)), {}, types=(DYNAMIC,))
    raise NeverCompletes


def variables(result: Any) -> tuple[Any, ...]:
    """What a branch hands on: a tuple of variables, or one value."""
    return result if type(result) is tuple else (result,)


def refuse_shared(ends: dict[Place, tuple[Any, Any]], shared: dict[Place, Any]) -> None:
    """Refuse to make a value of a list that gets another length on one side and holds a container
    that others may know and change: that container has to be an object of the graph.

    Raises:
      TracingError: there is such a list.
    """
    for place, inside in shared.items():
        left, right = map(structure, ends[place])
        if left is None or right is None or left[0] != right[0]:
            need_object(inside, "is in another one that gets another length in a staged branch")


def check_predicate(pred: Tensor) -> None:
    """Raise NumPy's own error for a condition that is certainly an array of several elements."""
    t = pred.type
    if isinstance(t, ArrayType) and t.shape is not None and any(
            isinstance(d, int) and d > 1 for d in t.shape):
        raise ValueError("The truth value of an array with more than one element is ambiguous. "
                         "Use a.any() or a.all()")
