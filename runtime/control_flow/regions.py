"""Regions as results: what a traced branch or body returned, wrote and raised."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn

from autograph.runtime.heap.escaping_objects import holds_symbols
from autograph.runtime.heap.growing_lists import Splice, StagedList, parts_of
from autograph.runtime.heap.objects import (
    Chosen,
    Either,
    Made,
    as_operand,
    can_be_built,
    contents_of,
    is_known,
    is_object,
)
from autograph.runtime.heap.places import Contents, Place
from autograph.runtime.ir.errors import (
    EndlessError,
    GraphError,
    TracingError,
    at,
    is_about_tensors,
    plain_refusals,
)
from autograph.runtime.ir.graph import Equation, Graph, Value, atom_type
from autograph.runtime.ir.pytree import children, flatten, map_nest
from autograph.runtime.ir.trace_signals import NeverCompletes, ResultUnknown, RetraceWithCalls
from autograph.runtime.ir.types import DYNAMIC, Type, may_have_memory
from autograph.runtime.ops import OPS, Op
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.aliasing import Handle, may_share
from autograph.runtime.symbolic.allocation_sites import containers_in
from autograph.runtime.symbolic.record import record
from autograph.runtime.symbolic.region import Region
from autograph.runtime.symbolic.source_locations import raised_at, repeated_code, user_location
from autograph.runtime.symbolic.tensor import Tensor, lower

MAX_DEPTH = 150
"""Branches and loops may stand in each other this deep."""

DEEP = 6
"""From so many on, it is looked for a function that calls itself so many times."""


class Inner:
    """A value made inside a region, as a leaf of the region's result, and the handle that held
    it."""

    __slots__ = ("handle", "value")

    def __init__(self, value: Value, handle: Handle) -> None:
        self.value = value
        self.handle = handle


@dataclass
class Traced:
    """What a region came to: its graph, its result, and what it changed outside itself.

    In `result` and `places` a leaf is a constant, an outer tensor (the alias is kept), or an
    `Inner`; `values` holds the outer tensors' values at the region's end.
    """

    graph: Graph
    result: Any = None
    values: dict[Handle, Value] = field(default_factory=dict)
    written: dict[Handle, Value] = field(default_factory=dict)
    places: dict[Place, Any] = field(default_factory=dict)
    lists: dict[int, list[Any]] = field(default_factory=dict)  # what staged lists held at the end
    invalidated: set[Handle] = field(default_factory=set)  # not known any more at the end
    raised: bool = False
    outside: set[int] = field(default_factory=set)  # the dicts of the objects that were there
    made: dict[int, tuple[Any, Any]] = field(default_factory=dict)  # by id: an object, what it left
    shared: dict[Place, Any] = field(default_factory=dict)  # a container in it that was there
    own: Any = None  # the result as the program sees it

    def leave_places(self, watched: list[Place], before: list[Any], region: Region) -> None:
        """Take in what the places hold at the region's end; of arrays that stay in their place, the
        values, if the region wrote to anything: another region may put others there."""
        written = bool(region.written())
        for place, old in zip(watched, before, strict=True):
            new = place.take()
            if not place.same(old, new):
                self.places[place] = map_nest(lambda x: self.leave(x, region), new)
                self.note_shared(place, new)
            elif written:
                self.values.update((x._handle, x.read()) for x in flatten(new)
                                   if isinstance(x, Tensor) and not x._handle.invalidated)

    def note_shared(self, place: Place, held: Any) -> None:
        """Remember that a place now holds, together with others, a container from outside."""
        for x in containers_in(list(held.values()) if isinstance(held, dict) else list(
                held) if isinstance(held, (list, tuple)) else ()):
            if id(x) in self.outside:
                self.shared[place] = x

    def leave(self, leaf: Any, region: Region) -> Any:
        """A leaf as it looks from outside the region."""
        if type(leaf) is StagedList:
            items = list(list.__iter__(leaf))
            self.lists[id(leaf)] = map_nest(lambda x: self.leave(x, region), items)
        if type(leaf) is Splice:
            return Splice(self.leave(leaf.value, region))
        if type(leaf) is Chosen:
            return self._leave_chosen(leaf, region)
        if not isinstance(leaf, Tensor):
            if not is_object(leaf) and holds_symbols(leaf, self.outside):
                refuse_object(f"an object of the class {type(leaf).__name__}")
            return self._leave_object(leaf, region) if is_object(leaf) else leaf
        value = leaf.read()
        born = leaf._handle.region
        if born is None or not born.encloses(region.parent):
            return Inner(value, leaf._handle)
        self.values[leaf._handle] = value
        return leaf

    def _leave_chosen(self, x: Chosen, region: Region) -> Any:
        """A choice made in the region, taken apart; one from outside as it is."""
        pred, *sides = x.parts()
        left = self.leave(pred, region)
        return x if isinstance(left, Tensor) else Either(
            [left, *(map_nest(lambda v: self.leave(v, region), side) for side in sides)])

    def _leave_object(self, x: Any, region: Region) -> Any:
        """An object made in the region, if it holds symbolic values; any other as it is."""
        if is_known(x, self.outside) or not can_be_built(x):
            return x
        if id(x) not in self.made:
            self.made[id(x)] = x, x  # what leads back to it finds the object itself
            contents = contents_of(x)
            values = [map_nest(lambda v: self.leave(v, region), v) for v in contents.values()]
            if any(isinstance(v, (Inner, Tensor)) for v in flatten(values)):
                self.made[id(x)] = x, Made(type(x), tuple(contents), values)
        return self.made[id(x)][1]

    def pack(self, nest: Any) -> Any:
        """A nest as one atom of the region; an equation at its end builds it if need be."""
        if not any(isinstance(x, (Inner, Tensor, StagedList, Splice, Chosen)) or is_object(x)
                   for x in flatten(nest)):
            return nest
        refuse_objects(nest)
        parts = as_operand(self._parts(nest), self._record)
        return parts if children(nest) is None or isinstance(parts, Value) else self._append(
            "pack", (parts,))

    def _parts(self, nest: Any) -> Any:
        """A nest of atoms; a list of unknown length is one."""
        found = structure(nest)
        if found is not None:
            return found[2](list(map(self._parts, found[1])))
        if children(nest) is None:
            return self.atom(nest)
        if len(nest) == 1:
            return self.pack(nest[0].value)
        return self._append("list_of", tuple(
            (spliced, self.pack(x)) for spliced, x in parts_of(nest)))

    def _append(self, op: str, args: tuple[Any, ...]) -> Value:
        return self._record(OPS[op], args)

    def _record(self, op: Op, args: tuple[Any, ...]) -> Value:
        """An equation at the region's end."""
        made = Value(DYNAMIC)
        self.graph.equations.append(Equation(op, args, {}, (made,), (), user_location()))
        return made

    def atom(self, leaf: Any) -> Any:
        if isinstance(leaf, Inner):
            return leaf.value
        if type(leaf) is StagedList:
            return self.pack(self.lists.get(id(leaf), list(list.__iter__(leaf))))
        if isinstance(leaf, Tensor):
            return self.values.get(leaf._handle) or leaf.read()
        if type(leaf) is Chosen:
            return lower(leaf)
        if is_object(leaf) and any(isinstance(x, Tensor) for x in flatten(contents_of(leaf))):
            refuse_object(f"an object of the class {type(leaf).__name__}")
        return leaf

    def memory(self, nest: Any) -> set[Handle]:
        """The roots of all that a nest of the result may share memory with, its own included."""
        found: set[Handle] = set()
        for leaf in flatten(nest):
            if type(leaf) is StagedList:
                found |= self.memory(self.lists.get(id(leaf), list(list.__iter__(leaf))))
            elif isinstance(leaf, Splice):
                found |= self.memory(leaf.value)
            elif isinstance(leaf, Tensor) and may_have_memory(leaf._handle.value.type):
                found |= may_share(leaf._handle)
            elif isinstance(leaf, Inner) and may_have_memory(leaf.value.type):
                found |= may_share(leaf.handle)
        return found

    def written_or_old(self, handle: Handle) -> Value:
        return self.written.get(handle) or handle.read()


def trace_region(name: str, fn: Callable[[], Any], watched: list[Place]) -> Traced:
    """Trace `fn` in a region of its own, then put everything outside back as it was.

    An exception of the user's, or of NumPy's, becomes a `raise_` that happens when the region runs.
    """
    before = [p.take() for p in watched]
    refuse_recursion()
    with trace.region(name) as region:
        out = Traced(region.graph, outside=dicts_of(watched))
        try:
            with plain_refusals():
                result = fn()
            out.own = result
            out.result = map_nest(lambda x: out.leave(x, region), result)
            out.leave_places(watched, before, region)
            written = region.written()
            out.invalidated = {h for h in written if h.invalidated}
            out.written = {h: h.read() for h in written if h.base is None and not h.invalidated}
        except (TracingError, GraphError):
            raise
        except NeverCompletes:
            out.raised = True
        except (Exception, ResultUnknown) as error:
            if is_about_tensors(error):
                raise
            record(OPS["raise_"], raised(error), {}, types=(DYNAMIC,),
                   location=raised_at(error))
            error.__traceback__ = None  # holds the frames of the trace
            out.raised = True
        finally:
            if out.raised and trace.in_call() and (region.written() or any(
                    not place.same(old, place.take())
                    for place, old in zip(watched, before, strict=True))):
                region.trace.handled = True  # what was written before must show
            for place, old in zip(watched, before, strict=True):
                if not place.same(old, place.take()):
                    place.put(old)
    return out


def dicts_of(places: list[Place]) -> set[int]:
    """The ids of the dicts and other containers among the places."""
    return {id(p.container) for p in places if isinstance(p, Contents)}


def refuse_objects(nest: Any) -> None:
    """Refuse to make a value of something that holds objects made in a branch or loop."""
    if isinstance(nest, (Made, Either)):
        refuse_object(f"an object of the class {nest.cls.__name__}" if isinstance(nest, Made)
                      else "an object that a branch chose")
    for part in (children(nest) or (None, []))[1]:
        refuse_objects(part)


def refuse_object(kind: str) -> NoReturn:
    here = trace.current_region()
    if here is not None:
        here.trace.want(None, "holds objects that only the run knows")
    raise TracingError(
        f"{kind} is in a container of another structure, or is rebound while it is changed, or "
        f"gets another class or other attributes, in a staged branch or loop"
        f"{at(user_location())}\n"
        "  hint: give it the same attributes everywhere, or keep its values in arrays")


def is_symbolic_error(error: BaseException) -> bool:
    """Whether a symbolic value is in an error's arguments or attributes."""
    return any(isinstance(x, (Tensor, StagedList)) for x in flatten([error.args, vars(error)]))


def raised(error: BaseException) -> tuple[Any, ...]:
    """The arguments of `raise_` for an error, whose message may be known only at run time."""
    if not is_symbolic_error(error):
        return error, error.__cause__  # that may be another one when it is raised again
    return type(error), error.__cause__, lower(list(error.args)), lower(vars(error))


def refuse_recursion() -> None:
    """Called where a branch or a loop begins: if they stand in each other so deep because a
    function calls itself, give the trace up; it has to be made with calls.

    Raises:
      TracingError: it calls itself on Python objects, other ones each time.
    """
    here = trace.current_region()
    if here is None or here.depth < DEEP:
        return
    found = repeated_code(DEEP)
    if found is not None and here.trace.mode.recursive.get(found, 0) < 2:
        here.trace.request.recursion = found
        raise RetraceWithCalls(found.co_qualname)
    if here.depth > MAX_DEPTH:
        raise TracingError(
            f"a function calls itself on a symbolic value{at(user_location())}\n"
            "  hint: pass what decides when to stop as a Python number, write a loop, or call "
            "the function as ag.converted(f)(…)")


def structure(x: Any) -> Any:
    """The children of a container (see `nest.children`); None if its length is not known."""
    found = children(x)
    spliced = found is not None and type(x) is list and any(type(c) is Splice for c in found[1])
    return None if spliced else found


def leaf_type(leaf: Any) -> Type:
    """The type of a leaf of a region's result; a container is dynamic."""
    if isinstance(leaf, Inner):
        return leaf.value.type
    if isinstance(leaf, Tensor):
        return leaf.type
    return DYNAMIC if children(leaf) is not None else atom_type(leaf)



MAX_ROUNDS = 2000


def note_round(test: Callable[..., Any]) -> None:
    """Note that Python goes round a loop with this test once more, while a function is traced.

    Raises:
      EndlessError: it did so very often, each time with something to record, in a function with a
        handler, so that the end of the loop may be what an exception does.
    """
    here = trace.current_region()
    if here is None or not here.trace.handled:
        return
    recorded = len(here.graph.equations)
    rounds, before = here.trace.iterations.get(test, (0, recorded))
    here.trace.iterations[test] = rounds + 1, before
    if min(rounds, recorded - before) > MAX_ROUNDS:
        raise EndlessError(
            f"a loop that Python runs while the function is traced does not end after {MAX_ROUNDS} "
            f"rounds{at(user_location())}\n  hint: let a condition end it, not an exception")
