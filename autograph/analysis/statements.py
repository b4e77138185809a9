"""Finds the blocks of a statement, and calls that look at frames."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast

from autograph.syntax.node_inventory import FIELDS, HOLDING

TRY = (gast.Try, gast.TryStar) if hasattr(gast, "TryStar") else (gast.Try,)
DEFINITIONS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)
COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)
FRAMES = {*DEFINITIONS, gast.Lambda}
LOOPS = (gast.While, gast.For, gast.AsyncFor)
SUSPENDING = frozenset({gast.AsyncFunctionDef, gast.Yield, gast.YieldFrom, gast.Await})


def blocks(statement: Any) -> list[list[gast.stmt]]:
    """Returns the non-empty lists of statements right inside a statement of the same function."""
    kind = statement.__class__
    if kind not in HOLDING:
        return []
    if kind is gast.Match:
        return [case.body for case in statement.cases]
    found = []
    for field in ("body", "handlers", "orelse", "finalbody"):
        if block := getattr(statement, field, None):
            found += [h.body for h in block] if field == "handlers" else [block]
    return found


def statements(body: list[gast.stmt]) -> Iterator[Any]:
    """Yields every statement of a function in the order of the text, but no inner functions'."""
    pending = body[::-1]
    while pending:
        statement = pending.pop()
        yield statement
        if statement.__class__ in HOLDING:
            for block in reversed(blocks(statement)):
                pending += reversed(block)


def own_nodes(node: Any) -> Iterator[Any]:
    """Yields the nodes at and below `node` that run in its frame (or in a comprehension there)."""
    todo = [node]
    while todo:
        node = todo.pop()
        yield node
        held = node.__dict__
        for field in FIELDS[node.__class__]:
            value = held.get(field)
            if value.__class__ is list:
                todo += [v for v in value if isinstance(v, gast.AST) and v.__class__ not in FRAMES]
            elif isinstance(value, gast.AST) and value.__class__ not in FRAMES:
                todo.append(value)


def _opens_frame(node: Any) -> bool:
    return node.__class__ in FRAMES


def is_generator(function: Any) -> bool:
    """Returns True if calling the function makes a generator or a coroutine."""
    if isinstance(function, gast.AsyncFunctionDef):
        return True
    body = function.body if isinstance(function.body, list) else [function.body]
    return any(isinstance(node, (gast.Yield, gast.YieldFrom, gast.Await))
               for statement in body if not _opens_frame(statement)
               for node in own_nodes(statement))


MOST_ARGUMENTS = {"locals": 0, "vars": 0, "dir": 0, "eval": 1, "exec": 1}
"""A builtin -> with how many arguments at most it looks at the frame that calls it."""

FRAME_VIEWERS = frozenset(MOST_ARGUMENTS)


def looks_at_frame(node: Any) -> bool:
    """Returns True for a call that depends on the frame that it is made in: `locals()` ..."""
    if not (isinstance(node, gast.Call) and isinstance(node.func, gast.Name)):
        return False
    return len(node.args) + len(node.keywords) <= MOST_ARGUMENTS.get(node.func.id, -1)


FRAME_COUNTERS = frozenset({
    "_getframe", "_getframemodulename", "currentframe", "extract_stack", "format_stack",
    "print_stack"})
FRAME_COUNTING = FRAME_COUNTERS | {"stacklevel"}
"""A function that mentions none of these words counts no frames."""


def counts_frames(node: Any) -> bool:
    """Returns True for a call that counts the frames above it: `sys._getframe(1)` ...

    The replacement of `warnings.warn` counts the user's frames alone.
    """
    if not isinstance(node, gast.Call):
        return False
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    if name in FRAME_COUNTERS:
        return True
    levels = [] if name == "warn" else [k.value for k in node.keywords if k.arg == "stacklevel"]
    return any(not isinstance(level, gast.Constant) or level.value != 1 for level in levels)


def around_frame_counters(body: list[gast.stmt]) -> set[Any]:
    """Returns the statements that hold a call that counts frames, at any depth."""
    if not any(counts_frames(node) for s in body if not _opens_frame(s) for node in own_nodes(s)):
        return set()
    return {s for s in statements(body) if not _opens_frame(s)
            if any(map(counts_frames, own_nodes(s)))}


def headers(statement: Any) -> list[Any]:
    """Returns the parts of a compound statement that are evaluated outside its blocks."""
    kind = statement.__class__
    if kind in (gast.If, gast.While):
        return [statement.test]
    if kind in (gast.For, gast.AsyncFor):
        return [statement.iter, statement.target]
    if kind in (gast.With, gast.AsyncWith):
        return [part for item in statement.items
                for part in (item.context_expr, item.optional_vars) if part is not None]
    if kind in TRY:
        return [part for handler in statement.handlers
                for part in (handler.type, handler.name) if part is not None]
    if kind is gast.Match:
        return [statement.subject, *(part for case in statement.cases
                                     for part in (case.pattern, case, case.guard) if part)]
    return [] if kind in (gast.Break, gast.Continue) else [statement]


def idle(body: list[gast.stmt]) -> bool:
    """Returns True if a block does nothing."""
    return all(isinstance(statement, gast.Pass) for statement in body)


def flagged_break(loop: Any) -> gast.Name | None:
    """Returns the flag of a loop whose body ends in `if flag: break`, as `jumps` makes it."""
    last = loop.body[-1]
    if isinstance(last, gast.If) and isinstance(last.test, gast.Name) and not last.orelse:
        if len(last.body) == 1 and isinstance(last.body[0], gast.Break):
            return last.test
    return None
