"""Stored names: the variables from outside into whose items a function stores, by its code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dis import Instruction, get_instructions, hasjabs, hasjrel, stack_effect
from opcode import opmap
from types import CodeType
from typing import Any

from autograph.runtime.ir.code_answers import by_code

STORES = {"STORE_SUBSCR": 2, "STORE_SLICE": 3}
"""Instructions that store items: how far below the top the container is."""

STORING = frozenset(opmap[name] for name in STORES if name in opmap)

ASKED = "stored"
"""The operator by which converted code asks for the container of a store."""

VARIABLES = frozenset({"LOAD_DEREF", "LOAD_CLASSDEREF"})

ATTRIBUTES = frozenset({"LOAD_ATTR", "LOAD_METHOD"})
"""Python 3.11 has an instruction of its own for an attribute that is called."""

JUMPS = frozenset((*hasjabs, *hasjrel))


def stored_from_outside(body: Callable[..., Any]) -> Iterator[Any]:
    """Yields what the variables from outside a function hold that it, or a function in it, stores
    items in."""
    code = getattr(body, "__code__", None)
    if code is None:
        return
    cells = dict(zip(code.co_freevars, body.__closure__ or (), strict=True))
    for name in stored_names(code):
        if name in cells:
            try:
                yield cells[name].cell_contents
            except ValueError:  # not bound yet
                continue


@by_code
def stored_names(code: CodeType) -> tuple[str, ...]:
    """Returns the free variables of a function into whose items it, or one in it, stores."""
    inner = [name for c in code.co_consts if isinstance(c, CodeType) for name in stored_names(c)]
    free = set(code.co_freevars)
    return tuple(dict.fromkeys(n for n in (*_stored(code), *inner) if n in free))


def _stored(code: CodeType) -> Iterator[str]:
    """Yields the names whose values are on the stack where a container of a store is."""
    if STORING.isdisjoint(code.co_code[::2]):
        return
    stack: dict[int, str | None] = {}
    top, tops = 0, dict[int, int]()  # the height of the stack, and that where a jump ends
    for i in get_instructions(code):
        top = tops.get(i.offset, top)
        if i.opcode in JUMPS:
            tops[i.argval] = top + stack_effect(i.opcode, i.arg, jump=True)
        if (below := STORES.get(i.opname)) and (name := stack.get(top - below)):
            yield name
        loaded = _loaded(i, stack, top)
        if i.opname == "SWAP":
            other = top - (i.arg or 0)
            stack[top - 1], stack[other] = stack.get(other), stack.get(top - 1)
        if i.opname in ("SWAP", "PRECALL"):  # Python 3.11 takes the arguments of a call off here
            continue
        top += -1 - (i.arg or 0) if i.opname == "CALL" else (
            stack_effect(i.opcode, i.arg, jump=False))
        stack[top - 1] = loaded


def _loaded(i: Instruction, stack: dict[int, str | None], top: int) -> str | None:
    """Returns the variable whose value an instruction puts on top of the stack, if it does;
    `ag.stored` gives its first argument."""
    count = i.arg or 0
    if i.opname == "COPY":
        return stack.get(top - count)
    if i.opname == "CALL":
        called = stack.get(top - count - 1), stack.get(top - count - 2)
        return stack.get(top - count) if ASKED in called else None
    loads = i.opname in VARIABLES or (i.opname in ATTRIBUTES and i.argval == ASKED)
    return str(i.argval) if loads else None
