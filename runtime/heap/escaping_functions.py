"""Functions that a function makes and returns, and objects that lead to themselves: every run makes
new ones, in one piece.

A function with variables of the function around it, a method of a new object, or a partial function
would else hold symbolic values, or share its variables with the functions of other calls. What such
a function leads to, and is new, is in the piece, too: so is an object that holds its own methods.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from types import CellType, FunctionType, MethodType
from typing import Any, NamedTuple

from autograph.runtime.heap.callback_changes import changes_of
from autograph.runtime.heap.callbacks import need_contents
from autograph.runtime.heap.functions_of_run import known_of_run
from autograph.runtime.heap.new_objects import is_young
from autograph.runtime.heap.piece import Node, made_together, node_of
from autograph.runtime.heap.rebuilt_functions import CALLING, is_holder, uses_symbols
from autograph.runtime.heap.tuples_of_run import of_the_run
from autograph.runtime.ir.closures import all_cells
from autograph.runtime.ir.pytree import LEAVES
from autograph.runtime.symbolic.tensor import Tensor


class Escape(NamedTuple):
    """Tells how what leaves a trace is made.

    unstaged  gives a container of Python's for one of the trace.
    is_new    tells a container or an object that the function made, and every run makes.
    part      gives what an equation takes for something else.
    is_left   tells what the trace itself stored outside.
    """

    unstaged: Callable[[Any], Any]
    is_new: Callable[[Any], bool]
    part: Callable[[Any], Any]
    is_left: Callable[[Any], bool]


def made_by_run(nests: Iterable[Any], outside: Iterable[Any], escape: Escape
                ) -> dict[int, tuple[Any, Tensor]]:
    """Returns, by id, the functions in what leaves a function that every run has to make, and what
    is made with them, and the symbolic value of each.

    nests: what leaves.
    outside: what the function and its arguments led to before.

    Raises:
      SymbolicValueError, RetraceByReference: what such a function changes has to be an object of
        the graph: the trace has to be made again.
    """
    before = {id(x): x for x in outside}
    kept = {id(cell) for x in before.values() if isinstance(x, FunctionType)
            for _, cell in all_cells(x)}
    found = _new(nests, before, kept, escape)
    members = _members(found, [n for n, (x, node) in found.items()
                               if _is_function(x) and _is_of_run(x, node, found, escape.is_left)])
    if not members:
        return {}
    functions = [x for x, _ in members.values() if _is_function(x)]
    if changes_of(functions).contents:
        need_contents(functions, lambda x: id(escape.unstaged(x)) in members)
    return made_together(members, escape.part, lambda x: known_of_run(x) is None)


def _new(nests: Iterable[Any], before: Collection[int], kept: Collection[int], escape: Escape
         ) -> dict[int, tuple[Any, Node]]:
    """Returns, by id, what leaves and is new, and how each is made."""
    found: dict[int, tuple[Any, Node]] = {}
    pending = list(nests)
    while pending:
        x = escape.unstaged(pending.pop())
        if id(x) in found or id(x) in before or type(x) in LEAVES or isinstance(x, Tensor):
            continue
        if _is_made(x, kept, escape.is_new):
            found[id(x)] = x, node_of(x, kept, escape.unstaged)
            pending += found[id(x)][1].parts
    return found


def _is_made(x: Any, kept: Collection[int], is_new: Callable[[Any], bool]) -> bool:
    if type(x) is CellType:
        return id(x) not in kept
    if of_the_run(x) is not None:
        return False
    if isinstance(x, FunctionType):
        return known_of_run(x) is None and (
            is_young(x) or any(id(cell) not in kept for _, cell in all_cells(x)))
    return _is_function(x) or is_new(x)


def _members(found: dict[int, tuple[Any, Node]], roots: list[int]
             ) -> dict[int, tuple[Any, Node]]:
    """Returns what is made in one piece: the roots, what leads to itself, and what that leads to.
    """
    leads = {n: [id(p) for p in node.parts if id(p) in found] for n, (_, node) in found.items()}
    roots += _in_circles(leads)
    members: dict[int, tuple[Any, Node]] = {}
    while roots:
        n = roots.pop()
        if n not in members:
            members[n] = found[n]
            roots += leads[n]
    return members


def _in_circles(leads: dict[int, list[int]]) -> list[int]:
    """Returns what is in a circle, or leads to one."""
    waiting = {n: len(others) for n, others in leads.items()}
    users: dict[int, list[int]] = {n: [] for n in leads}
    for n, others in leads.items():
        for other in others:
            users[other].append(n)
    done = [n for n, count in waiting.items() if count == 0]
    for n in done:
        for user in users[n]:
            waiting[user] -= 1
            if waiting[user] == 0:
                done.append(user)
    return [n for n, count in waiting.items() if count]


def _is_function(x: Any) -> bool:
    return (isinstance(x, CALLING) or is_holder(x)) and not (
        isinstance(x, MethodType) and isinstance(x.__self__, Tensor))


def _is_of_run(f: Any, node: Node, found: Collection[int], is_left: Callable[[Any], bool]) -> bool:
    """Returns True for a function that holds symbolic values, that is new, or is a method of what
    is new; not for one that the trace itself left outside."""
    if uses_symbols(f, set()):
        return True
    return not is_left(f) and (
        is_young(f) if isinstance(f, FunctionType) else any(id(p) in found for p in node.parts))
