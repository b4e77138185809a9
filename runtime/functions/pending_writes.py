"""What the caller's own objects are owed while a function is traced: what it has changed so far."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from autograph.runtime.functions.persistent_state import Found, Session
from autograph.runtime.functions.traced_arguments import Arguments, same_items
from autograph.runtime.heap.growing_lists import Splice, StagedList
from autograph.runtime.heap.objects import contents_of, is_object
from autograph.runtime.heap.selected_objects import SelectedObject
from autograph.runtime.ir.errors import EscapedTensorError
from autograph.runtime.ir.frame_state import Given, OutsideLocation, Spliced
from autograph.runtime.ir.graph import Equation
from autograph.runtime.ir.pytree import children, flatten
from autograph.runtime.optimize.effects_and_exceptions import may_raise
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.allocation_sites import is_plain_container, parts_of
from autograph.runtime.symbolic.tensor import Tensor
from autograph.runtime.symbolic.variables import Variable

MANY = 1000
"""If the function can reach more items outside its arguments, changes of them are not followed."""


class NotFollowed(Exception):
    """A container holds what cannot be told by values of the graph."""


class Ledger:
    """Tells of each equation of a trace what is owed if it raises.

    See docs/decisions/0015-pending-writes.md.
    """

    def __init__(self, arguments: Arguments, session: Session) -> None:
        self.arguments = arguments
        self.session = session
        self.noted: list[Equation] = []
        self.busy = False
        contents = [x for x in session.real if type(x) in (dict, list, tuple, frozenset)]
        self.follows_places = sum(map(len, contents)) <= MANY

    def enter(self, e: Equation) -> None:
        """Called with every equation before it is recorded."""
        if self.busy or trace.in_call() or not (
                may_raise(e) or any(how == "raise" for _, how in e.errstate)):
            return
        self.busy = True  # what is read meanwhile may be recorded
        try:
            e.pending_writes = (*self._arrays(), *self._containers(), *self._outside())
        finally:
            self.busy = False
        if e.pending_writes:
            e.collect_inputs()
            self.noted.append(e)

    def close(self) -> None:
        """Once it is known what is kept outside: leave out what Python did for good."""
        for e in self.noted:
            kept = [(t, nest) for t, nest in e.pending_writes or () if not isinstance(t, Found)
                    or t.group in self.session.groups]
            e.pending_writes = tuple(
                (OutsideLocation(t.target.write) if isinstance(t, Found) else t, nest)
                for t, nest in kept)
            e.collect_inputs()

    @property
    def containers(self) -> frozenset[int]:
        """The numbers of the caller's containers that are owed something, or are part of that."""
        owed = [pair for e in self.noted for pair in e.pending_writes or ()]
        inside = {x.number for x in flatten([nest for _, nest in owed]) if isinstance(x, Given)}
        return frozenset(inside | {t for t, _ in owed if isinstance(t, int)})

    def _arrays(self) -> list[tuple[Any, Any]]:
        return [(v, h.value) for h, v in self.arguments.handles.items() if h.value is not v]

    def _containers(self) -> list[tuple[Any, Any]]:
        pairs = enumerate(zip(self.arguments.given, self.arguments.before, strict=True))
        return self._known(((i, c) for i, (c, old) in pairs if not same_items(c, old)), True)

    def _outside(self) -> list[tuple[Any, Any]]:
        return self._known(self.session.changes(self.follows_places), False)

    def _known(self, pairs: Iterable[tuple[Any, Any]], inside: bool) -> list[tuple[Any, Any]]:
        found = []
        for target, x in pairs:
            try:
                found.append((target, self.nest(x, inside)))
            except (NotFollowed, EscapedTensorError):
                continue
        return found

    def nest(self, x: Any, inside: bool = False) -> Any:
        """A nest of values, constants and the caller's own containers."""
        for number, container in enumerate(self.arguments.given):
            if x is container and not inside:
                return Given(number)
        if type(x) in (list, StagedList):
            return list(map(self.nest, list.__iter__(x)))
        found = children(x)
        return self.leaf(x) if found is None else found[2](list(map(self.nest, found[1])))

    def leaf(self, x: Any) -> Any:
        if isinstance(x, Tensor):
            handles = self.arguments.handles
            return handles[x._handle] if x._handle in handles else x._handle.read()
        if isinstance(x, Splice):
            return Spliced(self.leaf(x.value))
        if isinstance(x, (SelectedObject, Variable)) or (
                is_object(x) and _holds_tensors(contents_of(x).values())) or (
                is_plain_container(x) and _holds_tensors(parts_of(x) or ())):
            raise NotFollowed
        if isinstance(x, np.ndarray) and id(x) not in self.arguments.outside:
            return x.copy()  # the function may change it
        return x


def _holds_tensors(values: Iterable[Any]) -> bool:
    return any(isinstance(x, Tensor) for x in values)
