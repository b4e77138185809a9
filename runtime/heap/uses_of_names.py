"""Uses of names: which globals, free variables and attributes the code of a function reads, binds
and stores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dis import get_instructions
from opcode import EXTENDED_ARG, opmap
from types import CodeType
from typing import Any

from autograph.runtime.ir.code_answers import by_code


class Uses:
    """How a function, and those in it, use names.

    bound   the globals that they bind or delete; `cells`: the free variables.
    stored  the attributes that they set or delete.
    others  those of objects that are not their first parameter.
    read    the names that may be globals that they read.
    """

    def __init__(self, code: CodeType) -> None:
        ops = code.co_code[::2]
        found = list(get_instructions(code)) if not STORES.isdisjoint(ops) else []
        inner = [uses_of(c) for c in code.co_consts if isinstance(c, CodeType)]
        self.bound: tuple[str, ...] = _names(found, GLOBAL_STORES, [u.bound for u in inner])
        bound = () if CELL_STORES.isdisjoint(ops) else _free_variables_bound(code)
        self.cells: frozenset[str] = frozenset(code.co_freevars).intersection(
            [*bound, *(name for u in inner for name in u.cells)])
        self.stored: tuple[str, ...] = _names(found, ATTRIBUTE_STORES, [u.stored for u in inner])
        self.others: tuple[str, ...] = (*_set_in_others(code, found),
                                        *(name for u in inner for name in u.stored))
        names = (*code.co_names, *(name for u in inner for name in u.read))
        self.read: tuple[str, ...] = tuple(dict.fromkeys(names))


def _names(found: Iterable[Any], ops: frozenset[int], inner: Iterable[tuple[str, ...]]
           ) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*(i.argval for i in found if i.opcode in ops),
                                *(name for names in inner for name in names)]))


def _free_variables_bound(code: CodeType) -> Iterator[str]:
    """Yields the free variables that a function itself binds or deletes; they are numbered after
    all others."""
    first = len({*code.co_varnames, *code.co_cellvars})
    number = 0
    for op, low in zip(code.co_code[::2], code.co_code[1::2], strict=True):
        number = number << 8 | low
        if op in CELL_STORES and number >= first:
            yield code.co_freevars[number - first]
        number = number if op == EXTENDED_ARG else 0


def _set_in_others(code: CodeType, found: list[Any]) -> Iterator[str]:
    """Yields the attributes that a function sets in objects that are not its first parameter."""
    first = code.co_varnames[0] if code.co_argcount else None
    for k, i in enumerate(found):
        if i.opcode in ATTRIBUTE_STORES:
            loaded = _loads_target(found, k)
            name = loaded.argval[-1] if type(loaded.argval) is tuple else loaded.argval
            if not (loaded.opname.startswith("LOAD_FAST") and name == first):
                yield i.argval


def _loads_target(found: list[Any], k: int) -> Any:
    """Returns the instruction that loads the object whose attribute instruction `k` sets; that of
    an augmented assignment copies the object first."""
    if found[k - 1].opname != "SWAP":
        return _instrumented(found, k - 1)
    return next((_instrumented(found, j - 1) for j in range(k - 2, 0, -1)
                 if found[j].opname == "COPY" and found[j + 1].argval == found[k].argval),
                found[k - 1])


def _instrumented(found: list[Any], k: int) -> Any:
    """Returns instruction `k`; what loads the object, if it calls `ag.stored(object, name)`."""
    while found[k].opname in ("CALL", "PRECALL"):
        k -= 1
    is_stored = found[k].opname == "LOAD_CONST" and found[k - 2].argval == "stored"
    return found[k - 1] if is_stored else found[k]


GLOBAL_STORES = frozenset({opmap["STORE_GLOBAL"], opmap["DELETE_GLOBAL"]})
ATTRIBUTE_STORES = frozenset({opmap["STORE_ATTR"], opmap["DELETE_ATTR"]})
CELL_STORES = frozenset({opmap["STORE_DEREF"], opmap["DELETE_DEREF"]})
STORES = GLOBAL_STORES | ATTRIBUTE_STORES


@by_code
def uses_of(code: CodeType) -> Uses:
    """Returns how a function uses names; the answer is remembered."""
    return Uses(code)
