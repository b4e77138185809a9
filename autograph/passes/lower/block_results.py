"""What a block hands back at its end: the names' values, folded into the last statements."""

from __future__ import annotations

from typing import Any

import gast

from autograph.syntax.node_builders import at, load, tuple_of


def handing_back(body: list[Any], outs: tuple[str, ...], bare: bool, ours: set[Any],
                 origin: Any = None) -> list[Any]:
    """The block with a `return` of the outs; assignments at its end become part of it.

    `ours`: the calls of operators that control flow was turned into; they return exactly a tuple.
    """
    last = body[-1] if body else origin
    whole = _whole(last, outs, ours) if body and not bare else None
    if whole is not None:
        return [*body[:-1], at(last, gast.Return(whole))]
    values = _assigned_last(last, outs) if body else None
    if values is not None:
        body = body[:-1]
    else:
        body, values = _folded(body, outs)
    value = values[0] if bare else tuple_of(values)
    return [*body, at(last, gast.Return(at(last, value)))]


def _whole(last: Any, outs: tuple[str, ...], ours: set[Any]) -> Any:
    """The call whose results are unpacked to just the outs."""
    if not isinstance(last, gast.Assign) or last.value not in ours:
        return None
    (target,) = last.targets
    names = isinstance(target, gast.Tuple) and tuple(element.id for element in target.elts)
    return last.value if names == outs else None


def _assigned_last(last: Any, outs: tuple[str, ...]) -> list[Any] | None:
    """The values of `a, b = x, y` for the outs a and b."""
    if not isinstance(last, gast.Assign) or len(last.targets) != 1 or not outs:
        return None
    target, value = last.targets[0], last.value
    if isinstance(target, gast.Name):
        return [value] if (target.id,) == outs else None
    if not (isinstance(target, gast.Tuple) and isinstance(value, gast.Tuple)):
        return None
    names = tuple(getattr(element, "id", None) for element in target.elts)
    whole = not any(isinstance(element, gast.Starred) for element in value.elts)
    return list(value.elts) if whole and names == outs else None


def _folded(body: list[Any], outs: tuple[str, ...]) -> tuple[list[Any], list[Any]]:
    """The block without the plain assignments `a = b`, `a = 1` at its end, and the outs' values.

    One assignment of another value, before those, is taken in as well if what then stands before it
    is the same whether it is read before or after.
    """
    start = len(body)
    while start and _is_plain(body[start - 1], outs):
        start -= 1
    known: dict[str, Any] = {}
    for statement in body[start:]:
        value = statement.value
        if isinstance(value, gast.Name):
            value = known.get(value.id, value)
        known[statement.targets[0].id] = value
    before, values = body[:start], [known.get(name) or load(name) for name in outs]
    if before and _assigns(before[-1], outs):
        name, value = before[-1].targets[0].id, before[-1].value
        place = outs.index(name)
        if name not in known and _can_wait(name, value, place, values, outs):
            values[place], before = value, before[:-1]
    return before, values


def _can_wait(name: str, value: Any, place: int, values: list[Any], outs: tuple[str, ...]) -> bool:
    """Whether nobody sees if a name gets its value at its place among the values, or before all."""
    others = [v.id for i, v in enumerate(values) if i != place and isinstance(v, gast.Name)]
    before = values[:place]
    own = all(isinstance(v, gast.Constant) or v.id in outs for v in before)
    binds = before and any(isinstance(n, gast.NamedExpr) for n in gast.walk(value))
    return name not in others and own and not binds


def _is_plain(statement: Any, outs: tuple[str, ...]) -> bool:
    return _assigns(statement, outs) and isinstance(statement.value, (gast.Constant, gast.Name))


def _assigns(statement: Any, outs: tuple[str, ...]) -> bool:
    """Whether it is an assignment to one name, one of the outs."""
    return isinstance(statement, gast.Assign) and len(statement.targets) == 1 and isinstance(
        statement.targets[0], gast.Name) and statement.targets[0].id in outs
