"""Which equations read or change a list, dict or set that is an object of the graph, and how."""

from __future__ import annotations

from typing import Any

from autograph.runtime.ir.graph import Equation, Value
from autograph.runtime.ir.types import CONTAINERS, DYNAMIC, PyType
from autograph.runtime.ops.indexing import GETITEM
from autograph.runtime.ops.op import OPS, Op
from autograph.runtime.ops.python_objects import CALL_METHOD, CONSTRUCT, DELETE_ITEM, LOOK_UP
from autograph.runtime.ops.stores import AUGMENTED, STORE_ITEM

PLAIN_FORMS = {OPS[f"i{name}"]: op for name, op in AUGMENTED.items()}
"""The operators, by the ops of their in-place forms."""

READING: dict[type, tuple[str, ...]] = {
    dict: ("keys", "values", "items", "get", "copy"),
    list: ("copy",), set: ("copy",)}
"""The methods that change nothing, by the class of the container."""

MOVING = ("sort", "reverse", "remove")
"""The methods that change which items of a list are where, and nothing else."""

CHANGING: dict[type, tuple[str, ...]] = {
    dict: ("pop", "setdefault", "clear", "update"),
    list: ("append", "pop", "extend", "insert", "clear", *MOVING),
    set: ("add", "discard", "remove", "update", "clear")}
"""The methods that change their container, of those that have a form by value."""

JOINING: dict[tuple[type, Op], str] = {
    (list, AUGMENTED["add"]): "extend", (dict, AUGMENTED["or"]): "update"}
"""The methods that `x += y` and `x |= y` are, by the class of x and the operator."""

GIVE_CONTAINERS = ("keys", "values", "items", "copy")
"""The methods that give a container, not an item."""


def class_of(x: Any) -> type | None:
    """Returns the class of a list, dict or set that is an object of the graph; None for others."""
    t = x.type if isinstance(x, Value) else None
    return t.cls if isinstance(t, PyType) and t.cls in READING else None


def unknown_form(e: Equation) -> str:
    """Returns "number" for `x += y` of what only the run knows, which surely writes nothing if it
    is a number; "array" for such a method of an array; "items" for `x[k]`, which changes no list,
    tuple, dict or array; else nothing."""
    if not e.args or not isinstance(e.args[0], Value) or e.args[0].type != DYNAMIC:
        return ""
    if e.op in PLAIN_FORMS:
        return "number"
    if e.op is LOOK_UP:
        return "items"
    return "array" if e.op is CALL_METHOD and is_reduction(e.args[1]) else ""


def is_reduction(method: str) -> bool:
    """Returns True for a method that arrays have, and no container of Python's: it reduces."""
    return method in OPS and bool(OPS[method].reduction or OPS[method].method) and (
        not any(hasattr(cls, method) for cls in CONTAINERS))


def made_of(e: Equation) -> tuple[type, tuple[Any, ...]] | None:
    """Returns the class of the container that an equation makes, and what of; None for others."""
    cls, args = e.args[:1], e.args[1:]
    if e.op is not CONSTRUCT:
        cls, args = (e.op.kernel,), e.args
    known = e.op is CONSTRUCT or (OPS.get(e.op.name) is not e.op and class_of(*args[:1] or [0]))
    return (cls[0], args) if known and cls[0] in READING and len(args) <= 1 and (
        not e.kwargs) else None


def is_container_form(e: Equation) -> bool:
    """Returns True if an equation makes, reads or changes such a container by a known operation."""
    if made_of(e) is not None:
        return True
    cls = class_of(e.args[0]) if e.args else None
    if cls is None:
        return False
    if e.op is CALL_METHOD:
        if (cls, e.args[1]) == (dict, "update"):
            return all(isinstance(x, dict) or class_of(x) is dict for x in e.args[2:])
        return e.args[1] in (*READING[cls], *CHANGING[cls]) and (
            not e.kwargs or e.args[1] in MOVING)
    if joining(e) == "update":
        return isinstance(e.args[1], dict) or class_of(e.args[1]) is dict
    if joining(e):
        return True
    key = e.args[1] if e.op in (GETITEM, STORE_ITEM, DELETE_ITEM) else None
    if type(key) is slice:
        return cls is list and (e.op is GETITEM or cuts(key))
    return e.op in (GETITEM, STORE_ITEM, DELETE_ITEM)


def cuts(key: slice) -> bool:
    """Returns True for a slice of which is known that what stands before it and what stands behind
    it do not meet, however long the list is."""
    a, b = key.start, key.stop
    if key.step is not None or not all(x is None or type(x) is int for x in (a, b)):
        return False
    return a is None or b is None or ((a < 0) == (b < 0) and a <= b)


def joining(e: Equation) -> str:
    """Returns the method that `x += y` of a list or `x |= y` of a dict is; "" for others."""
    cls, op = class_of(e.args[0]) if e.args else None, PLAIN_FORMS.get(e.op)
    return JOINING.get((cls, op), "") if cls is not None and op is not None else ""


def writes_container(e: Equation) -> bool:
    """Returns True if such an equation changes its container."""
    cls = class_of(e.args[0]) if e.args else None
    return e.op in (STORE_ITEM, DELETE_ITEM) or bool(joining(e)) or (
        e.op is CALL_METHOD and cls is not None and e.args[1] in CHANGING[cls])


def gives_items(e: Equation) -> bool:
    """Returns True if the result of such an equation is an item, not a container."""
    if e.op is GETITEM:
        return type(e.args[1]) is not slice
    return (e.op is CALL_METHOD and e.args[1] not in GIVE_CONTAINERS)
