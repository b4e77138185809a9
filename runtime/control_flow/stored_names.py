"""Stored names: the variables from outside into whose items a function stores, by its code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from opcode import HAVE_ARGUMENT, hasjabs, hasjrel, opmap, opname, stack_effect
from types import CodeType
from typing import Any

from autograph.runtime.ir.code_answers import by_code

STORING = {opmap[name]: below for name, below in (("STORE_SUBSCR", 2), ("STORE_SLICE", 3))
           if name in opmap}
"""Instructions that store items: how far below the top the container is."""

ASKED = "stored"
"""The operator by which converted code asks for the container of a store."""

VARIABLES = frozenset(opmap[name] for name in ("LOAD_DEREF", "LOAD_CLASSDEREF") if name in opmap)

NAME_SHIFT = {opmap[name]: int(name == "LOAD_ATTR" and sys.version_info >= (3, 12))
              for name in ("LOAD_ATTR", "LOAD_METHOD") if name in opmap}
"""Instructions that load attributes: how many low bits of their argument do not number the name.
Python 3.11 has one of its own for an attribute that is called."""

CACHE, CALL, COPY, EXTENDED_ARG, SWAP = (
    opmap[name] for name in ("CACHE", "CALL", "COPY", "EXTENDED_ARG", "SWAP"))
PRECALL = opmap.get("PRECALL")
LOADS = {CALL, COPY, *VARIABLES, *NAME_SHIFT}

JUMPS = frozenset(number for number in (*hasjabs, *hasjrel) if "BACKWARD" not in opname[number])
"""Those forward: where others end, the stack is known."""


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
    if STORING.keys().isdisjoint(code.co_code[::2]):
        return
    stack: dict[int, str | None] = {}
    top, tops = 0, dict[int, int]()  # the height of the stack, and that where a jump ends
    for offset, op, argument, after in _instructions(code.co_code):
        top = tops.get(offset, top)
        if op in JUMPS:
            tops[after + 2 * argument] = top + stack_effect(op, argument, jump=True)
        if op in STORING and (name := stack.get(top - STORING[op])):
            yield name
        loaded = _loaded(code, op, argument, stack, top) if op in LOADS else None
        if op == SWAP:
            other = top - argument
            stack[top - 1], stack[other] = stack.get(other), stack.get(top - 1)
        if op in (SWAP, PRECALL):  # Python 3.11 takes the arguments of a call off here
            continue
        top += -1 - argument if op == CALL else stack_effect(
            op, argument if op >= HAVE_ARGUMENT else None, jump=False)
        stack[top - 1] = loaded


def _instructions(code: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Yields the offset of each instruction, its number, its argument, and the offset after it."""
    offset, length, argument = 0, len(code), 0
    while offset < length:
        op, argument, after = code[offset], argument << 8 | code[offset + 1], offset + 2
        while after < length and code[after] == CACHE:
            after += 2
        yield offset, op, argument, after
        argument = argument if op == EXTENDED_ARG else 0
        offset = after


def _loaded(code: CodeType, op: int, argument: int, stack: dict[int, str | None], top: int
            ) -> str | None:
    """Returns the variable whose value an instruction puts on top of the stack, if it does;
    `ag.stored` gives its first argument."""
    if op == COPY:
        return stack.get(top - argument)
    if op == CALL:
        called = stack.get(top - argument - 1), stack.get(top - argument - 2)
        return stack.get(top - argument) if ASKED in called else None
    if op in VARIABLES:
        name: str = code._varname_from_oparg(argument)  # type: ignore[attr-defined]
        return name
    return ASKED if code.co_names[argument >> NAME_SHIFT[op]] == ASKED else None
