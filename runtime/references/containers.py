"""Lists, dicts and sets that are objects of the graph: each operation as one that gives another
value."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from autograph.runtime.ir.graph import Atom, Equation
from autograph.runtime.ops.container_values import (
    ENTRIES,
    KEYS_OF,
    PUT_ITEM,
    WITHOUT_ITEM,
    order_after,
)
from autograph.runtime.ops.indexing import GETITEM
from autograph.runtime.ops.op import OPS
from autograph.runtime.ops.opaque import pure
from autograph.runtime.ops.python import LIST_OF
from autograph.runtime.ops.python_objects import CALL_METHOD, CONSTRUCT, DELETE_ITEM
from autograph.runtime.ops.stores import STORE_ITEM
from autograph.runtime.ops.views import Apply
from autograph.runtime.references.container_forms import (
    MOVING,
    class_of,
    gives_items,
    joining,
    made_of,
    writes_container,
)
from autograph.runtime.references.memory import Memory
from autograph.runtime.references.targets import Reference, refuse

if TYPE_CHECKING:
    from autograph.runtime.references.by_value import ByValue

IN, LIST_POP, PICKED = OPS["in_"], OPS["list_pop"], OPS["picked"]
ORDER_AFTER = pure(order_after)

VIEWS = {"keys": Apply(KEYS_OF), "values": Apply(ENTRIES, (False,)),
         "items": Apply(ENTRIES, (True,))}
"""The steps to what a dict holds, which is read again at each use, as Python does."""

Form = Callable[..., Atom]
"""Adds equations for an operation on the content of a container, with further operands; returns
the result, or the content afterwards."""


def operate(walk: ByValue, e: Equation) -> None:
    """Records an operation on a container."""
    note_given(walk, e)
    if (given := made_of(e)) is not None:
        made = _constructed(walk, e, *given)
    elif e.op is CALL_METHOD and e.args[1] in VIEWS:
        base = walk.meaning(e.args[0])
        step = VIEWS[e.args[1]]
        if isinstance(base, Reference):
            walk.now[e.outputs[0]] = base.step(step)
            return
        made = walk.memory.add(step.op, (base, *step.args))[0]
    else:
        made = _applied(walk, e)
    if joining(e):
        walk.now[e.outputs[0]] = walk.meaning(e.args[0])
        return
    for v in e.outputs:
        walk.fresh(v, made)
        if gives_items(e):
            walk.loosen_value(v)


def note_given(walk: ByValue, e: Equation) -> None:
    """Notes that what is put into a container may be known by other names from now on."""
    base = e.args[0]
    for v in e.inputs:
        if v is not base and walk.shared.is_written(v):
            walk.loosen_value(v)


def _constructed(walk: ByValue, e: Equation, cls: type, given: tuple[Any, ...]) -> Atom:
    """Returns a new container; a list of a dict is that of its keys."""
    args = walk.read_nest(given)
    if cls is list and args and class_of(given[0]) is dict:
        return walk.memory.add(KEYS_OF, tuple(args))[0]
    made = walk.memory.add(CONSTRUCT, (cls, *args))[0]
    kept = class_of(e.outputs[0]) is not None and not walk.shared.is_written(e.outputs[0])
    return made if kept else walk.memory.as_content(made)


def _applied(walk: ByValue, e: Equation) -> Atom:
    """Returns the result of an operation, after it changed what the container holds."""
    memory, cls = walk.memory, class_of(e.args[0])
    assert cls is not None
    method = e.op is CALL_METHOD
    name = joining(e) or (e.args[1] if method else OPERATORS[e.op])
    args = walk.read_nest(e.args[2 if method else 1:])
    kwargs = walk.read_nest(dict(e.kwargs))
    result, change = FORMS[cls, name]
    base = walk.meaning(e.args[0])
    made = result(memory, walk.read(e.args[0]), *args) if result is not None else None
    if writes_container(e):
        if not isinstance(base, Reference) or any(p.site in walk.loose for p in base.targets):
            refuse("an object that others may know is changed while the graph runs", e.location)
        assert change is not None
        memory.write(base, lambda content, steps: change(
            memory, content, *args, **kwargs))
    return made


# -- the operations -------------------------------------------------------------------------------


def _item(m: Memory, content: Atom, key: Atom) -> Atom:
    return m.add(GETITEM, (content, key))[0]


def _spliced(m: Memory, content: Atom, key: slice, value: Atom) -> Atom:
    """Returns a list with other items at a slice that `cuts`."""
    before, after = slice(key.start), slice(key.stop, None)
    parts = [(True, m.add(GETITEM, (content, before))[0])] if key.start is not None else []
    parts.append((True, value))
    if key.stop is not None:
        parts.append((True, m.add(GETITEM, (content, after))[0]))
    return m.add(LIST_OF, tuple(parts))[0]


def _stored(m: Memory, content: Atom, key: Atom, value: Atom) -> Atom:
    if type(key) is slice:
        return _spliced(m, content, key, value)
    return m.add(PUT_ITEM, (content, key, value))[0]


def _popped(m: Memory, content: Atom, key: Atom, *other: Atom) -> Atom:
    return _get(m, content, key, *other) if other else _item(m, content, key)


def _without(m: Memory, content: Atom, key: Atom, *other: Atom) -> Atom:
    def rest() -> list[Atom]:
        return [m.add(WITHOUT_ITEM, (content, key))[0]]

    return m.choose(m.add(IN, (key, content))[0], rest, lambda: [content])[0] if other else (
        rest()[0])


def _get(m: Memory, content: Atom, key: Atom, other: Atom = None) -> Atom:
    return m.choose(m.add(IN, (key, content))[0], lambda: [_item(m, content, key)],
                    lambda: [other])[0]


def _set_by_default(m: Memory, content: Atom, key: Atom, other: Atom = None) -> Atom:
    return m.choose(m.add(IN, (key, content))[0], lambda: [content],
                    lambda: [_stored(m, content, key, other)])[0]


def _appended(m: Memory, content: Atom, x: Atom) -> Atom:
    return m.add(LIST_OF, ((True, content), (False, x)))[0]


def _extended(m: Memory, content: Atom, xs: Atom) -> Atom:
    return m.add(LIST_OF, ((True, content), (True, xs)))[0]


def _taken(m: Memory, content: Atom, index: Atom = -1) -> Atom:
    return m.add(LIST_POP, (content, index))[0]


def _rest(m: Memory, content: Atom, index: Atom = -1) -> Atom:
    if type(index) is slice:
        return _spliced(m, content, index, [])
    return m.add(LIST_POP, (content, index))[1]


def _inserted(m: Memory, content: Atom, index: Atom, x: Atom) -> Atom:
    before, after = (m.add(GETITEM, (content, s))[0] for s in (slice(index), slice(index, None)))
    return m.add(LIST_OF, ((True, before), (False, x), (True, after)))[0]


def _changed_set(name: str) -> Form:
    def changed(s: set[Any], *args: Any) -> set[Any]:
        made = s.copy()
        getattr(made, name)(*args)
        return made

    op = pure(changed)
    return lambda m, content, *args: m.add(op, (content, *args))[0]


def _moved(name: str) -> Form:
    def form(m: Memory, content: Atom, *args: Atom, **kwargs: Atom) -> Atom:
        order = m.add(ORDER_AFTER, (content, name, *args), kwargs)[0]
        return m.add(PICKED, (content, order))[0]

    return form


def _copied(m: Memory, content: Atom) -> Atom:
    return content


def _updated(m: Memory, content: Atom, *others: Atom, **more: Atom) -> Atom:
    for given in (*others, more):
        if isinstance(given, dict):
            for key, x in given.items():
                content = _stored(m, content, key, x)
        else:
            pairs = [(True, m.add(ENTRIES, (x, True))[0]) for x in (content, given)]
            joined = m.add(LIST_OF, tuple(pairs))[0]
            content = m.as_content(m.add(CONSTRUCT, (dict, joined))[0])
    return content


def _emptied(cls: type) -> Form:
    return lambda m, content: m.as_content(m.add(CONSTRUCT, (cls,))[0])


OPERATORS = {GETITEM: "[]", STORE_ITEM: "[]=", DELETE_ITEM: "del"}
FORMS: dict[tuple[type, str], tuple[Form | None, Form | None]] = {
    **{(cls, "[]"): (_item, None) for cls in (list, dict)},
    **{(cls, "[]="): (None, _stored) for cls in (list, dict)},
    **{(cls, "copy"): (_copied, None) for cls in (list, dict, set)},
    **{(cls, "clear"): (None, _emptied(cls)) for cls in (list, dict, set)},
    **{(set, x): (None, _changed_set(x)) for x in ("add", "discard", "remove", "update")},
    (dict, "del"): (None, _without), (dict, "pop"): (_popped, _without),
    (dict, "update"): (None, _updated), (dict, "get"): (_get, None),
    (dict, "setdefault"): (_get, _set_by_default),
    (list, "del"): (None, _rest), (list, "pop"): (_taken, _rest),
    (list, "append"): (None, _appended), (list, "extend"): (None, _extended),
    (list, "insert"): (None, _inserted), **{(list, x): (None, _moved(x)) for x in MOVING},
}
"""For each operation: its result, and what the container holds afterwards."""
