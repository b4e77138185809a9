"""Partition: the arrays that a trace took for separate memory, and the test that they are."""

from __future__ import annotations

import weakref
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from autograph.runtime.ir.graph import Value
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.pytree import flatten
from autograph.runtime.ir.stand_ins import array_of
from autograph.runtime.ir.types import ArrayType
from autograph.runtime.signatures.binding import PERSISTENT, Bound
from autograph.runtime.signatures.cache_keys import ByReference, ForeignArray
from autograph.runtime.signatures.filler import LeafRef
from autograph.runtime.signatures.shared_parts import reached_from

FEW = 6
"""At most so many pairs of arrays are compared pair by pair."""


class Partition:
    """Which arrays of a call must share no memory, as the trace took them to have none in common.

    A trace by reference writes where the program writes, so its arguments may overlap. What lies
    outside is known while tracing, in any mode: nothing that is written may overlap it. Nor may a
    container that is an input by reference be one that the trace found outside.

    arrays    the numbers of the leaves that are arrays.
    written   those that the graph writes, in the end or before it raises.
    has_foreign  True if some are arrays of other classes than NumPy's.
    exposed   those that must not overlap an array outside.
    references  the numbers of the leaves that are containers or objects by reference.
    known     the ids of the containers outside, without those.
    elsewhere the ids of what is outside, and what inputs by reference do not lead to.
    never     True if no call fits: the graph cannot be left for a handler, as what it did lasts.
    """

    def __init__(self, program: Program, bound: Bound, outside: Iterable[np.ndarray],
                 never: bool = False, containers: Collection[int] = (),
                 elsewhere: Collection[int] = ()) -> None:
        leaves = bound.leaves
        self.never = never
        writes = chain(program.write_back, *[
            e.pending_writes for e in program.graph.walk() if e.pending_writes])
        targets = {target for target, _ in writes if isinstance(target, Value)}
        self.arrays = [i for i, leaf in enumerate(leaves) if is_array(leaf.type)]
        self.has_foreign = any(isinstance(leaves[i].type, ForeignArray) for i in self.arrays)
        self.written = [i for i in self.arrays if program.graph.inputs[i] in targets]
        every = program.by_reference or program.compares
        self.exposed = self.arrays if every else self.written
        self.persistent = {x.index for x in flatten(bound.nest.get(PERSISTENT, ()))
                           if isinstance(x, LeafRef)}
        self.outside = Ranges(outside) if self.exposed else Ranges(())
        self.references = [i for i, leaf in enumerate(leaves) if isinstance(leaf.type, ByReference)
                           and i not in self.persistent]
        self.known = frozenset(containers if self.references else ()).difference(
            id(leaves[i].value) for i in self.references)
        self.elsewhere = frozenset(elsewhere)

    def meets_known(self, references: Sequence[Any]) -> bool:
        """Returns True if an input by reference is a container that the trace found outside, or
        leads to what it must not lead to. `references` are those of `references`, in order."""
        return not self.known.isdisjoint(map(id, references)) or (bool(self.elsewhere) and any(
            id(part) in self.elsewhere for part in reached_from(references)))

    @property
    def is_trivial(self) -> bool:
        """True if any call fits."""
        return not (self.never or (self.written and len(self.arrays) > 1) or (
            self.exposed and self.outside.starts))

    @property
    def pairs(self) -> list[tuple[int, int]] | None:
        """The pairs of leaves that must not overlap; None if those are many, or not all."""
        many = len(self.written) * len(self.arrays) > FEW
        return None if self.never or self.outside.starts or many else self.written_pairs

    @property
    def written_pairs(self) -> list[tuple[int, int]]:
        """The pairs of leaves of which one is written."""
        return [(i, k) for i in self.written for k in self.arrays
                if k > i or k not in self.written]

    @property
    def owners_suffice(self) -> bool:
        """True if a call fits in which all arrays own their memory and are different objects."""
        return not (self.never or self.outside.starts or self.has_foreign)

    def is_broken(self, *leaves: Any) -> bool:
        """Returns True if leaves that must be separate may share memory. `leaves` are those of
        `arrays`, in order."""
        if self.never:
            return True
        found = dict(zip(self.arrays, leaves, strict=True))
        if self.outside.starts and any(
                self.outside.meets(found[i], i in self.persistent) for i in self.exposed):
            return True
        if len(found) < 2 or not self.written:
            return False
        written = [found[i] for i in self.written]
        if len(written) * len(found) <= FEW:
            return any(a is not b and np.may_share_memory(a, b)
                       for a in written for b in leaves)
        return overlap(leaves, {id(a) for a in written})


def is_array(t: Any) -> bool:
    """Returns True for the key of a leaf that has memory of its own."""
    return isinstance(t, ForeignArray) or (isinstance(t, ArrayType) and not t.scalar)


def overlap(arrays: Iterable[Any], written: set[int]) -> bool:
    """Returns True if a written array may share memory with another one; `written` has the ids.

    The ranges are sorted by where they begin, and each is compared with the furthest end so far.
    """
    ranges = sorted((*byte_bounds(array_of(a)), id(a) in written) for a in arrays
                    if isinstance(a, np.ndarray) and a.size)
    furthest = furthest_written = 0
    for start, end, is_written in ranges:
        if start < (furthest if is_written else furthest_written):
            return True
        furthest = max(furthest, end)
        if is_written:
            furthest_written = max(furthest_written, end)
    return False


class Ranges:
    """The memory of arrays that are outside, by address. The arrays are not kept alive."""

    def __init__(self, arrays: Iterable[np.ndarray]) -> None:
        found = sorted(((*byte_bounds(array_of(a)), weakref.ref(a)) for a in arrays if a.size),
                       key=lambda r: r[:2])
        self.starts = [start for start, _, _ in found]
        self.ends = [end for _, end, _ in found]
        self.arrays = [array for _, _, array in found]
        self.furthest = np.maximum.accumulate(self.ends).tolist() if found else []

    def meets(self, x: Any, may_be_one: bool) -> bool:
        """Returns True if an array may share memory with one of these; `may_be_one`: other than
        that it is one of them."""
        if not isinstance(x, np.ndarray) or not x.size:
            return False
        start, end = byte_bounds(array_of(x))
        at = bisect_right(self.starts, end - 1) - 1
        while at >= 0 and self.furthest[at] > start:
            known = self.arrays[at]()
            if self.ends[at] > start and known is not None and not (may_be_one and known is x):
                return True
            at -= 1
        return False


def are_distinct(changed: frozenset[int], containers: tuple[Any, ...]) -> bool:
    """Returns True if no container that changes, by its number, is given twice."""
    times = Counter(map(id, containers))
    return all(times[id(containers[number])] == 1 for number in changed)
