"""Tuples and their like as values of the run, where it shows which one they are.

A trace holds a tuple by its parts, and each place that takes it makes another one of them. Where
it may be asked whether two places hold one object, the graph makes it once, in the region in which
the program made it, and each place takes that value.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from autograph.runtime.heap.new_objects import is_young
from autograph.runtime.heap.objects import build
from autograph.runtime.ir.pytree import all_leaves, attribute_names, children, is_immutable_nest
from autograph.runtime.ir.types import is_maybe_undefined, may_have_memory
from autograph.runtime.ops.opaque import opaque
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.region import Region
from autograph.runtime.symbolic.tensor import Tensor, apply
from autograph.runtime.symbolic.trace import Trace


def new_tuple(x: Any, parts: list[Any]) -> Tensor:
    """Records what makes a tuple, or what is like one, of some parts."""
    if type(x) is tuple:
        return apply("construct", tuple, tuple(parts))  # type: ignore[no-any-return]
    if isinstance(x, (tuple, slice)):
        return apply("construct", type(x), *parts)  # type: ignore[no-any-return]
    return apply(opaque(build), type(x), attribute_names(x), *parts)  # type: ignore[no-any-return]


def is_tuple(x: Any) -> bool:
    """Returns True for a tuple, a named tuple, an object of a frozen data class, or a slice, that
    has parts."""
    return is_immutable_nest(x)


def is_given(run: Trace, x: Any) -> bool:
    """Returns True for a tuple, or an object of a frozen data class, that is an argument, or is in
    one: a trace makes it anew."""
    return is_immutable_nest(x) and id(x) in run.allocations.arguments


def traces_tuples() -> bool:
    """Returns True in the mode in which tuples that cross a join are values of the run."""
    here = trace.current_region()
    return here is not None and here.trace.mode.tuples


def is_of_run(x: Any, value: Tensor) -> None:
    """Notes the value of the run that a tuple is."""
    here = trace.current_region()
    if here is not None:
        here.trace.tuples[id(x)] = x, value


def value_of(x: Any) -> Any:
    """Returns the value of the run that is a tuple, which the region that made it makes once;
    anything else, a tuple of constants, and one whose parts may be unbound, as it is."""
    here = trace.current_region()
    if here is None or not is_immutable_nest(x):
        return x
    if is_given(here.trace, x):
        here.trace.want(x, "is put into what only the run knows")
    values = [v for v in all_leaves(x) if isinstance(v, Tensor)]
    if not values or any(is_maybe_undefined(v._handle.value.type) for v in values):
        return x
    known = here.trace.tuples
    if id(x) not in known:
        home = _home_of(x, here)
        if any(_was_written(v, here, home) for v in all_leaves(x)):
            trace.need_references("an array that is in a tuple is written, and it is asked which "
                                  "tuple that is")
        with _recorded_in(home):
            known[id(x)] = x, new_tuple(x, list(map(value_of, (children(x) or ((), ()))[1])))
    return known[id(x)][1]


def of_the_run(x: Any) -> Tensor | None:
    """Returns the value of a tuple that is one of the run already; None for anything else."""
    here = trace.current_region()
    return None if here is None or id(x) not in here.trace.tuples else here.trace.tuples[id(x)][1]


def _home_of(x: Any, here: Region) -> Region:
    """Returns the innermost region that made a tuple."""
    while here.parent is not None and not is_young(x, here):
        here = here.parent
    return here


def _was_written(x: Any, here: Region, home: Region) -> bool:
    """Returns True for an array that regions within the one that made a tuple wrote since."""
    if not isinstance(x, Tensor) or not may_have_memory(x.type):
        return False
    while here is not home and here.parent is not None:
        if any(x._handle is handle for handle in here.written()):
            return True
        here = here.parent
    return False


@contextmanager
def _recorded_in(region: Region) -> Iterator[None]:
    """Records in a region around the current one what is recorded meanwhile."""
    here, trace.current.region = trace.current.region, region
    try:
        yield
    finally:
        trace.current.region = here
