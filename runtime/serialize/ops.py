"""Ops in a file: the name of a record in the table, or a function of the closed list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from autograph.runtime.ir.errors import LoadError, SaveError
from autograph.runtime.ir.graph import Equation, Value
from autograph.runtime.ir.types import DYNAMIC, Type
from autograph.runtime.ops.op import OPS, Op
from autograph.runtime.ops.opaque import opaque
from autograph.runtime.ops.random import GENERATORS
from autograph.runtime.ops.ufunc_methods import RULES, ufunc_method
from autograph.runtime.serialize import allowed
from autograph.runtime.serialize.fields import shown, the_text
from autograph.runtime.serialize.nests import template_fields

CALLED = "call "
"""What stands before the name of a function that is called as it is."""


def op_data(e: Equation) -> str:
    """Returns the name of an equation's op.

    Raises:
      SaveError: it calls a function that is not in the closed list.
    """
    if OPS.get(e.op.name) is e.op:
        return e.op.name
    name = allowed.name_of(unchecked(e.op.kernel))
    if name is None:
        raise SaveError(f"it calls {e.op.name!r}, which a file cannot hold: only the run knows "
                        "what it does",
                        "compute it with NumPy, or outside the function, and pass it",
                        e.location)
    return f"{CALLED}{name}"


def op_of(x: Any, types: tuple[Type, ...], where: str) -> Op:
    """Returns the op that `op_data` wrote, for an equation whose outputs have these types."""
    name = the_text(x, where)
    if not name.startswith(CALLED):
        if name not in OPS:
            raise LoadError(f"there is no op {shown(name)}", where)
        return OPS[name]
    found = allowed.by_name().get(name.removeprefix(CALLED))
    if not callable(found):
        raise LoadError(f"{shown(name)} is not among what a file may call", where)
    known = _of_ufunc(name.removeprefix(CALLED), found)
    return known or _called(found, types)


def _of_ufunc(name: str, function: Any) -> Op | None:
    """Returns the op of a ufunc's method, which has a type rule."""
    head, _, method = name.rpartition(".")
    owner = allowed.by_name().get(head)
    if isinstance(owner, np.ufunc) and method in RULES:
        return ufunc_method(owner, method)
    return None


def _called(function: Callable[..., Any], types: tuple[Type, ...]) -> Op:
    """Returns the op that calls a function; if the file says of what types its results are, the
    run checks that."""
    op = opaque(function)
    if all(t == DYNAMIC for t in types):
        return op
    checked = Checked(function, types)
    given = types if len(types) != 1 else types[0]
    return replace(op, kernel=checked, infer=lambda *args, **kwargs: given, emit="")


class Checked:
    """A function whose results have to be of the types that a file says."""

    def __init__(self, function: Callable[..., Any], types: tuple[Type, ...]) -> None:
        self.function = function
        self.types = types
        self.__name__ = getattr(function, "__name__", "function")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        found = self.function(*args, **kwargs)
        parts = (found,) if len(self.types) == 1 else tuple(found)
        if len(parts) != len(self.types) or not all(
                t.admits(x) for t, x in zip(self.types, parts, strict=True)):
            told = ", ".join(map(str, self.types))
            raise LoadError(f"{self.__name__} does not give what the file says: {told}")
        return found


def unchecked(function: Any) -> Any:
    """Returns the function itself."""
    return function.function if isinstance(function, Checked) else function


# -- what some ops may do -------------------------------------------------------------------------


def check_use(e: Equation) -> str:
    """Returns what is wrong with the constants of an equation; "" if nothing is."""
    if not e.op.roles:
        return ""
    found = (_ROLES[role](_argument(e, at)) for at, role in e.op.roles)
    wrong = next((told for told in found if told), "")
    if not wrong and any(role in OF_VALUES for _, role in e.op.roles) and not isinstance(
            e.args[0], Value):
        return "it looks up an attribute of a constant"
    return wrong


def _argument(e: Equation, at: int | str) -> Any:
    if isinstance(at, str):
        return e.kwargs.get(at)
    return e.args[at] if len(e.args) > at else None


OF_VALUES = ("attribute", "field")


def _function(x: Any) -> str:
    known = callable(x) and not isinstance(x, Value)
    return "" if known else "it calls what only the run knows"


def _attribute(x: Any) -> str:
    fine = type(x) is str and x in allowed.ATTRIBUTES.split()
    return "" if fine else f"the attribute {shown(x)} is not in the closed list"


def _field(x: Any) -> str:
    fine = type(x) is str and x.isidentifier() and x[0] != "_"
    return "" if fine else f"the attribute {shown(x)} cannot be written"


def _method(x: Any) -> str:
    fine = type(x) is str and x in allowed.CALL_METHODS
    return "" if fine else f"the method {shown(x)} is not in the closed list"


def _draw(x: Any) -> str:
    cls, _, name = x.partition(".") if type(x) is str else ("", "", "")
    fine = cls in GENERATORS and name.isidentifier() and name[0] != "_" and (
        "state" not in name and name != "spawn") and hasattr(GENERATORS[cls](), name)
    return "" if fine else "it draws in a way that is not known"


def _template(x: Any) -> str:
    fine = type(x) is str and template_fields(x)
    return "" if fine else "its template looks at attributes"


def _shape(x: Any) -> str:
    fine = x is None or (type(x) is tuple and len(x) <= MAX_RANK)
    return "" if fine else f"{shown(x)} is no shape"


def _count(x: Any) -> str:
    fine = type(x) is int and 0 <= x <= MAX_COUNT
    return "" if fine else f"{shown(x)} is no number of values"


MAX_RANK, MAX_COUNT = 64, 100_000


def _stream(x: Any) -> str:
    return "" if x is None else "it writes to a stream or a file of its own"


def _signature(x: Any) -> str:
    return "it calls a function of the user's with arguments that only the run knows"


_ROLES: dict[str, Callable[[Any], str]] = {
    "function": _function, "attribute": _attribute, "field": _field, "method": _method,
    "draw": _draw, "template": _template, "stream": _stream,
    "shape": _shape, "count": _count, "signature": _signature,
}
"""By role: what is wrong with an argument, "" if nothing is."""
