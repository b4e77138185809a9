"""Variables whose frame has what they were before: a function made of a block has bound them."""

from __future__ import annotations

import dis
from bisect import bisect_right
from collections.abc import Mapping
from types import CodeType
from typing import Any, NamedTuple

from autograph.runtime.ir.location import UNKNOWN, Location


def without_outdated(names: Mapping[str, Any], location: Location) -> dict[str, Any]:
    """Returns the variables that a frame had at a location. Those that a block before it binds, and
    that its results do not, are UNKNOWN: nothing reads them any more."""
    code, instruction = location.code, location.instruction
    facts = _facts(code)
    outdated = {
        name for begin, bound in facts.blocks if facts.repeats or begin < instruction
        for name in bound if not any(
            begin < at and (facts.repeats or at < instruction)
            for at in facts.stores.get(name, ()))}
    return {name: UNKNOWN if name in outdated else x for name, x in names.items()}


class _Facts(NamedTuple):
    """The instructions of a code that bind each variable, and those that use functions of blocks,
    with what these bind. `repeats`: it has a loop."""

    stores: dict[str, list[int]]
    blocks: list[tuple[int, frozenset[str]]]
    repeats: bool


def _facts(code: CodeType) -> _Facts:
    stores = {name: [-1] for name in code.co_varnames[:code.co_argcount]}  # loops bind them so
    blocks, repeats = [], False
    steps = [i for i in dis.get_instructions(code) if i.opname != "CACHE"]
    named: dict[Any, list[int]] = {}
    for i in steps:
        for name in i.argval if isinstance(i.argval, tuple) else (i.argval,):
            named.setdefault(name, []).append(i.offset)
            if i.opcode in VARIABLES:
                stores.setdefault(name, []).append(i.offset)
    for number, i in enumerate(steps):
        if isinstance(i.argval, CodeType) and i.argval.co_qualname == code.co_qualname:  # a block
            inner = _facts(i.argval)
            blocks.append((_use(steps, number + 1, named), frozenset(inner.stores).union(
                *(names for _, names in inner.blocks))))
        repeats = repeats or i.opname.startswith("JUMP_BACKWARD")
    return _Facts(stores, blocks, repeats)


def _use(steps: list[dis.Instruction], made: int, named: dict[Any, list[int]]) -> int:
    """Returns where a function that is made is used: where its name is read, if it gets one.

    named: by name, the instructions that it is in.
    """
    while made + 1 < len(steps) and steps[made].opname.startswith(MAKING):
        made += 1
    bound = steps[made]
    if bound.opcode not in VARIABLES or isinstance(bound.argval, tuple):
        return bound.offset
    found = named[bound.argval]
    later = bisect_right(found, bound.offset)
    return found[later] if later < len(found) else bound.offset


MAKING = ("MAKE_FUNCTION", "SET_FUNCTION_ATTRIBUTE", "LOAD_CONST")
"""Instructions that make a function of a code."""

VARIABLES = {number for number, name in enumerate(dis.opname)
             if name.startswith("STORE_") and ("FAST" in name or "DEREF" in name)}
"""Instructions that bind local variables."""
