"""Converts every function that was made from some files, in place: objects keep their identity."""

from __future__ import annotations

import gc
from collections import Counter
from dataclasses import dataclass, field
from types import CodeType, FunctionType
from typing import Any

import gast

import autograph
from autograph.conversion import driver
from autograph.conversion.conversion_rules import note_generated, rule_of
from autograph.conversion.load import code_of
from autograph.syntax.errors import AutographError
from autograph.syntax.node_inventory import below
from autograph.syntax.recursion_limit import make_room
from autograph.syntax.source import FUTURE
from autograph.syntax.source_file import all_codes

AG = "_autograph"
"""The global by which converted code reaches the operators; tests look at the public ones."""

CONVERTIBLE = ("function", "closed library", "library function", "library of values")
"""The rules of functions that are Python, whether or not converted code leaves them as they are."""


@dataclass
class Swap:
    """What was converted, and what stayed as it was, by reason."""

    converted: int = 0
    left: Counter[str] = field(default_factory=Counter)
    refused: dict[str, str] = field(default_factory=dict)


def convert_in_place(files: set[str]) -> Swap:
    """Gives every live function of the files its converted code.

    All is compiled before the first function changes: the compiler may be using them.
    """
    make_room()
    swap, codes = Swap(), Codes()
    found = [f for f in gc.get_objects()
             if type(f) is FunctionType and f.__code__.co_filename in files]
    planned = [(f, code) for f in found if (code := codes.code(f, swap)) is not None]
    for function, code in planned:
        function.__globals__[AG] = autograph
        function.__code__ = code
        swap.converted += 1
    return swap


class Codes:
    """Converted code objects; functions that share their code and globals share them."""

    def __init__(self) -> None:
        self.known: dict[tuple[CodeType, int], CodeType | None] = {}

    def code(self, f: FunctionType, swap: Swap) -> CodeType | None:
        """The code that a function gets, if it can be converted."""
        if (rule := rule_of(f)).name not in CONVERTIBLE:
            swap.left[rule.name] += 1
            return None
        key = f.__code__, id(f.__globals__)
        if key not in self.known:
            try:
                self.known[key] = converted(f)
            except AutographError as error:
                swap.refused[f"{f.__module__}.{f.__qualname__}"] = str(error)
                self.known[key] = None
        return self.known[key]


def converted(f: FunctionType) -> CodeType:
    """The code of a function with the operators in a global instead of a cell.

    A function's `__code__` can only be replaced by one with as many cells.
    """
    rewritten = driver.rewrite(f, autograph)
    for node in below(rewritten.tree):
        if isinstance(node, gast.Name) and node.id == rewritten.ag:
            node.id = AG
    old: Any = f.__code__
    code = code_of(rewritten.tree, old, old.co_freevars, old.co_flags & FUTURE)
    if code.co_freevars != old.co_freevars:
        raise AssertionError(f"{f.__qualname__}: {old.co_freevars} became {code.co_freevars}")
    for inner in all_codes(code):
        note_generated(inner, old if inner is code else None)
    return code
