"""Ends a block that becomes a function with a `return` of the names that are live after it."""

from __future__ import annotations

from typing import Any

import gast

from autograph.syntax.node_builders import at, load, tuple_of


def with_results_returned(body: list[Any], results: tuple[str, ...], bare: bool, ours: set[Any],
                 origin: Any = None) -> list[Any]:
    """Returns the block with a `return` of its results, into which it takes assignments at its end.

    `results` are the names whose values to return; `bare`: one value, not a tuple of one. `ours`
    are the calls of operators that control flow was turned into: each returns exactly a tuple.
    """
    last = body[-1] if body else origin
    call = _unpacked_call(last, results, ours) if body and not bare else None
    if call is not None:
        return [*body[:-1], at(last, gast.Return(call))]
    values = _assigned_last(last, results) if body else None
    if values is not None:
        body = body[:-1]
    else:
        body, values = _folded(body, results)
    value = values[0] if bare else tuple_of(values)
    return [*body, at(last, gast.Return(at(last, value)))]


def _unpacked_call(last: Any, results: tuple[str, ...], ours: set[Any]) -> Any:
    """Returns the call that a last statement unpacks to exactly the results, if it does."""
    if not isinstance(last, gast.Assign) or last.value not in ours:
        return None
    (target,) = last.targets
    names = isinstance(target, gast.Tuple) and tuple(element.id for element in target.elts)
    return last.value if names == results else None


def _assigned_last(last: Any, results: tuple[str, ...]) -> list[Any] | None:
    """Returns the values of `a, b = x, y` for the results a and b."""
    if not isinstance(last, gast.Assign) or len(last.targets) != 1 or not results:
        return None
    target, value = last.targets[0], last.value
    if isinstance(target, gast.Name):
        return [value] if (target.id,) == results else None
    if not (isinstance(target, gast.Tuple) and isinstance(value, gast.Tuple)):
        return None
    names = tuple(getattr(element, "id", None) for element in target.elts)
    starred = any(isinstance(element, gast.Starred) for element in value.elts)
    return list(value.elts) if names == results and not starred else None


def _folded(body: list[Any], results: tuple[str, ...]) -> tuple[list[Any], list[Any]]:
    """Returns the block without the assignments `a = b`, `a = 1` at its end, and the results.

    One assignment of another value, before those, becomes a result as well if evaluating it later
    makes no difference.
    """
    start = len(body)
    while start and _is_plain(body[start - 1], results):
        start -= 1
    known: dict[str, Any] = {}
    for statement in body[start:]:
        value = statement.value
        if isinstance(value, gast.Name):
            value = known.get(value.id, value)
        known[statement.targets[0].id] = value
    before, values = body[:start], [known.get(name) or load(name) for name in results]
    if before and _assigns(before[-1], results):
        name, value = before[-1].targets[0].id, before[-1].value
        index = results.index(name)
        if name not in known and _can_wait(name, value, index, values, results):
            values[index], before = value, before[:-1]
    return before, values


def _can_wait(name: str, value: Any, index: int, values: list[Any],
              results: tuple[str, ...]) -> bool:
    """Returns True if a value may be evaluated at its index among the values instead of first."""
    others = [v.id for i, v in enumerate(values) if i != index and isinstance(v, gast.Name)]
    before = values[:index]
    own = all(isinstance(v, gast.Constant) or v.id in results for v in before)
    binds = before and any(isinstance(n, gast.NamedExpr) for n in gast.walk(value))
    return name not in others and own and not binds


def _is_plain(statement: Any, results: tuple[str, ...]) -> bool:
    return _assigns(statement, results) and isinstance(statement.value, (gast.Constant, gast.Name))


def _assigns(statement: Any, results: tuple[str, ...]) -> bool:
    """Returns True for an assignment to one name, one of the results."""
    return isinstance(statement, gast.Assign) and len(statement.targets) == 1 and isinstance(
        statement.targets[0], gast.Name) and statement.targets[0].id in results
