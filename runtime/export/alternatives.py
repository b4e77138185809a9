"""Operations on what is one of several things: each thing on its own, and the run selects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.runtime.export.joins import ABSENT, Constant, OneOf
from autograph.runtime.export.stand_ins import tried
from autograph.runtime.ir.graph import Equation, leaves, map_leaves
from autograph.runtime.ir.regions import Loop
from autograph.runtime.ops import OPS
from autograph.runtime.ops.op import Op

if TYPE_CHECKING:
    from autograph.runtime.export.lowering import Lowering
    from autograph.runtime.export.sites import Site

HELD = OPS["pack"], OPS["bound"]
"""The ops whose result has the operand in it, whatever that is."""


class Opposites:
    """The bools that are the opposite of others."""

    def __init__(self) -> None:
        self.of: dict[int, tuple[Any, Any]] = {}

    def note(self, made: Any, other: Any) -> None:
        """Notes that one bool is the opposite of another."""
        self.of[id(made)] = made, other

    def known(self, x: OneOf, test: Any, truth: bool) -> Any:
        """Returns what is left of several things where a test holds, or does not."""
        root, truth = self._root(test, truth)
        for flag in x.flags:
            same, is_true = self._root(flag, True)
            if same is root:
                return x.known(flag, truth is is_true)
        return x

    def _root(self, test: Any, truth: bool) -> tuple[Any, bool]:
        """Returns the bool of which a test is the opposite, or the opposite of that and so on, and
        what it is if the test has this truth."""
        while id(test) in self.of:
            test, truth = self.of[id(test)][1], not truth
        return test, truth


class Raises(Exception):
    """Raised for a call that always raises."""


def one_of_operands(site: Site) -> OneOf | None:
    """Returns an operand that is one of several things, if there is any."""
    if site.op in HELD:
        return None
    operands = [*site.args, *site.kwargs.values()]
    if site.op.holds_operands:  # what stands in a list stays there; (True, x) is the list itself
        spliced = [x[1] for x in operands if x.__class__ is tuple and x and x[0] is True]
        found = [*operands, *spliced]
    else:
        found = [*leaves(operands)]
    return next((x for x in found if isinstance(x, OneOf)), None)


def by_things(lw: Lowering, site: Site, things: OneOf) -> Any:
    """Returns the result of an operation for each of the things: the one that the run selects."""
    results = []
    for flag, key, item in zip(things.flags, things.keys, things.items, strict=True):
        if flag is not False:
            try:
                with lw.where(flag):
                    results.append((flag, _result(lw, site, things, item,
                                                  isinstance(key, Constant))))
            except Raises:
                lw.check()
    return _selected(lw, results)


def _result(lw: Lowering, site: Site, things: OneOf, item: Any, constant: bool) -> Any:
    def instead(x: Any) -> Any:
        return item if x is things else x

    args, kwargs = map_leaves(instead, (site.args, dict(site.kwargs)))
    empty = item.__class__ in (tuple, list, dict) and not item
    if constant or empty:
        found = tried(lw, site.op, args, kwargs) if not site.op.effect and _are_arrays(
            lw, args, kwargs) else None
        if isinstance(found, Exception if empty else TypeError):
            raise Raises from found
        if site.op.comparison and found is not None:
            return found
    kinds = [lw.kind_of_value(x) if x is not y else k
             for x, y, k in zip(args, site.args, site.kinds, strict=True)]
    if not any(map(lw.is_symbolic, leaves((args, kwargs)))) and not site.op.effect:
        return _computed(site.op, args, kwargs)
    made = lw.called(replace(site, args=args, kwargs=type(site.kwargs)(kwargs), kinds=kinds))
    if lw.is_symbolic(made) and not isinstance(made, OneOf) and (
            kind := lw.kind_of_operator(site.op, kinds, made)) is not None:
        lw.of_kind(made, kind)
    return made


def _are_arrays(lw: Lowering, args: Any, kwargs: Any) -> bool:
    """Returns True if all that only the run knows is arrays of known rank."""
    return all(hasattr(x, "shape") for x in leaves((args, kwargs)) if lw.is_symbolic(x))


def _computed(op: Op, args: Any, kwargs: Any) -> Any:
    try:
        with np.errstate(all="ignore"):
            return op.kernel(*args, **kwargs)
    except Exception as error:
        raise Raises from error


def _selected(lw: Lowering, results: Sequence[tuple[Any, Any]]) -> Any:
    """Returns the result whose flag is True; of bools, that is often a flag itself."""
    if not results:
        return ABSENT
    if all(isinstance(x, (bool, np.bool_)) for _, x in results):
        for truth in (True, False):
            flags = [flag for flag, x in results if bool(x) is truth]
            if not flags:
                return not truth
            if len(flags) == 1:
                return flags[0] if truth else opposite(lw, flags[0])
    *others, (_, made) = results
    for flag, x in reversed(others):
        made = lw.selected(flag, x, made) if lw.is_symbolic(flag) else x
    return made


def opposite(lw: Lowering, flag: Any) -> Any:
    """Returns a flag that is True where another is False, and notes that."""
    made = lw.apply(OPS["np.logical_not"], (flag,), {})
    lw.opposites.note(made, flag)
    return made


def loops_by_things(lw: Lowering, e: Equation, loop: Loop, things: OneOf) -> Sequence[Any]:
    """Returns the results of a loop over one of several things."""
    results = []
    before = lw.env
    for flag, item in zip(things.flags, things.items, strict=True):
        lw.env = {**before, loop.iterable: item}
        with lw.where(flag):
            results.append((flag, list(lw.loop(e))))
    lw.env = before
    made: Sequence[Any] = _selected(lw, results)
    return made
