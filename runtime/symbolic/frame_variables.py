"""The variables of a frame while it is traced: values of the graph, and constants."""

from __future__ import annotations

import dis
from bisect import bisect_right
from collections.abc import Callable
from functools import lru_cache
from inspect import CO_OPTIMIZED
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy as np

from autograph.runtime.ir.call_frames import locals_of
from autograph.runtime.ir.location import UNKNOWN

LITERALS = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), range)
"""Classes of constants that no program changes."""


VALUES: dict[type, Callable[[Any], Any]] = {}
"""By the class of symbolic values: what gives the value of the graph that one is, or UNKNOWN."""


def is_literal(x: Any) -> bool:
    """Returns True for constants that no program changes, and for tuples of them."""
    return type(x) in LITERALS or isinstance(x, np.generic) or (
        type(x) is tuple and all(map(is_literal, x)))


def frame_variables(frame: FrameType) -> dict[str, Any]:
    """Returns the variables of a function's frame. What the graph cannot show, and what is not
    bound, is UNKNOWN: a frame around it may have a variable of that name.

    So are the variables that a function made of a block has bound and not returned, as nothing
    reads them any more: the frame has what they were before.
    """
    code = frame.f_code
    if not code.co_flags & CO_OPTIMIZED:
        return {}
    found: dict[str, Any] = dict.fromkeys((*code.co_varnames, *code.co_cellvars), UNKNOWN)
    for name, x in locals_of(frame).items():
        if (known := VALUES.get(type(x))) is not None:
            found[name] = known(x)
        else:
            found[name] = x if is_literal(x) else UNKNOWN
    found.update((name, UNKNOWN) for name in _outdated(code, frame.f_lasti) if name in found)
    return found


@lru_cache(maxsize=1024)
def _outdated(code: CodeType, instruction: int) -> frozenset[str]:
    """Returns the variables that a block before an instruction binds, which its results do not."""
    facts = _facts(code)
    return frozenset(
        name for begin, names in facts.blocks if facts.repeats or begin < instruction
        for name in names if not any(
            begin < at and (facts.repeats or at < instruction)
            for at in facts.stores.get(name, ())))


class _Facts(NamedTuple):
    """The instructions of a code that bind each variable, and those that use functions of blocks,
    with what these bind. `repeats`: it has a loop."""

    stores: dict[str, list[int]]
    blocks: list[tuple[int, frozenset[str]]]
    repeats: bool


@lru_cache(maxsize=256)
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
