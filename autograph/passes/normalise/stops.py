"""Turns `__next__` into a function that returns whether there is an item, and the item; and
`__getitem__`, by which Python iterates over an object that has no `__iter__`.

A staged loop cannot be ended by an exception that the run decides to raise; it can test a value.
Where something that the method calls or looks up may raise that exception, a handler gives the
pair.
This is not one of the passes that every function goes through: it makes a second form of a method,
which a staged loop over the object calls.

>>> import gast
>>> from autograph.printer.statements import to_text
>>> source = "def __next__(self):\\n  if self.i > 3: raise StopIteration\\n  return self.i"
>>> print(to_text(stop_form(gast.parse(source).body[0])), end="")
def __next__(self):
    if self.i > 3:
        return False, None
    return True, self.i
    return True, None
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.statements import TRY, own_nodes, statements
from autograph.syntax.node_builders import at, blocks_replaced, constant, tuple_of

ENDS = {"__next__": "StopIteration", "__getitem__": "IndexError"}
"""A method -> the exception that tells that there is no other item."""


def stop_form(tree: Any) -> Any:
    """Returns the function that returns a pair in place of raising what ends a loop, or None.

    None if it raises no such exception itself, or where a handler may see it. The tree is changed.
    """
    end, body = ENDS[tree.name], list(statements(tree.body))
    if not any(_stops(s, end) for s in body) or any(
            isinstance(s, (*TRY, gast.With)) and any(_stops(n, end) for n in own_nodes(s))
            for s in body):
        return None
    first, made = body[0], [*_block(tree.body, end), at(tree.body[-1], _pair(True, None))]
    others = (n for s in body if not _stops(s, end) for n in own_nodes(s))
    may_end = any(isinstance(n, (gast.Call, gast.Subscript)) for n in others)
    tree.body = [at(first, _until(end, first, made))] if may_end else made
    return tree


def _until(end: str, first: Any, body: list[Any]) -> gast.Try:
    """Returns statements within a handler: what the method calls or looks up may end it, too."""
    named = at(first, gast.Name(end, gast.Load(), None, None))
    handler = gast.ExceptHandler(named, None, [at(first, _pair(False, None))])
    return gast.Try(body, [at(first, handler)], [], [])


def _stops(node: Any, end: str) -> bool:
    """Returns True for `raise StopIteration` and `raise StopIteration(…)`."""
    raised = node.exc if isinstance(node, gast.Raise) else None
    name = raised.func if isinstance(raised, gast.Call) else raised
    return isinstance(name, gast.Name) and name.id == end


def _block(body: list[Any], end: str) -> list[Any]:
    return [_rewritten(statement, end) for statement in body]


def _rewritten(statement: Any, end: str) -> Any:
    blocks_replaced(statement, lambda body: _block(body, end))
    if _stops(statement, end):
        return at(statement, _pair(False, None))
    if isinstance(statement, gast.Return):
        return at(statement, _pair(True, statement.value))
    return statement


def _pair(found: bool, value: Any) -> gast.Return:
    return gast.Return(tuple_of([constant(found), value or constant(None)]))
