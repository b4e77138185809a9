"""Operations on lists and dicts by value: a store gives another container, and leaves the old one.

The graph has them where a container that is an object of the graph was brought to values, and for
the cotangents and tangents of such containers: dicts of cotangents, None for zero.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.ir.errors import NotDifferentiable
from autograph.runtime.ir.types import DYNAMIC, ArrayType, PyType, Type, is_number
from autograph.runtime.ops.op import Op, Sample, define
from autograph.runtime.ops.samples import SCALAR, VECTOR, call
from autograph.runtime.ops.type_rules import as_type, fixed, rule

NONE = PyType(type(None))


def put_item(x: Any, key: Any, value: Any) -> Any:
    """Returns a list or dict with `x[key] = value`."""
    return put_item_in_place(x.copy(), key, value)


def put_item_in_place(x: Any, key: Any, value: Any) -> Any:
    """Does `x[key] = value`; returns the list or dict."""
    x[key] = value
    return x


def without_item(x: Any, key: Any) -> Any:
    """Returns a dict after `del x[key]`."""
    return without_item_in_place(x.copy(), key)


def without_item_in_place(x: Any, key: Any) -> Any:
    """Does `del x[key]`; returns the dict."""
    del x[key]
    return x


def keys_of(x: Any) -> list[Any]:
    """Returns the keys of a dict, which have no derivative: numbers with one are refused."""
    if any(isinstance(k, (float, complex, np.inexact)) for k in x):
        raise NotDifferentiable("a number that is a key of a dict has no derivative\n"
                                "  hint: use an int or a name as the key")
    return list(x)


def entries(x: Any, pairs: bool) -> list[Any]:
    """Returns the values of a dict, or the pairs of its keys and values."""
    return list(zip(keys_of(x), x.values(), strict=True)) if pairs else list(x.values())


def entries_like(t: Any, x: Any, pairs: bool) -> list[Any]:
    """Returns the tangents of the entries of a dict x from that of the dict."""
    found = [None if t is None else t.get(k) for k in x]
    return [[None, part] for part in found] if pairs else found


def gathered(g: Any, x: Any, pairs: bool) -> Any:
    """Returns the cotangent of a dict x from those of its entries."""
    parts = [None] * len(x) if g is None else g
    return {k: (None if part is None else part[1]) if pairs else part
            for k, part in zip(x, parts, strict=True)}


def number_only(x: Any) -> Any:
    """Returns a number as it is; an array or a list, which `x += y` would change, is refused."""
    if isinstance(x, (int, float, complex, np.generic)):
        return x
    raise NotDifferentiable(
        f"{'an array' if isinstance(x, np.ndarray) else f'a {type(x).__name__}'} that only the run "
        "knows is changed in place, and derivatives need every value that was there\n"
        "  hint: write x = x + y in place of x += y")


def array_only(x: Any) -> Any:
    """Returns an array or a NumPy scalar as it is; an object of another class is refused."""
    if isinstance(x, (np.ndarray, np.generic)):
        return x
    raise NotDifferentiable(
        f"a method of a {type(x).__name__} that only the run knows is called, and derivatives "
        "cannot look inside\n  hint: call NumPy's function, np.sum(x) in place of x.sum()")


WITHOUT_CHANGE = frozenset((list, tuple, dict, str, range, np.ndarray))
"""The classes of which an item is looked up without a change."""


def items_only(x: Any) -> Any:
    """Returns a list, tuple, dict or array as it is; an object of another class, which may change
    as it is asked for an item, is refused."""
    if type(x) in WITHOUT_CHANGE or isinstance(x, np.generic):
        return x
    raise NotDifferentiable(
        f"an item of a {type(x).__name__} that only the run knows is looked up, which may change "
        "it\n  hint: use a list, a tuple or a dict")


def check_size(x: Any, size: int) -> None:
    """Raises what Python does if a dict or set changed its size in a loop over it."""
    if len(x) != size:
        raise RuntimeError(f"{'Set' if isinstance(x, set) else 'dictionary'} changed size during "
                           "iteration")


@rule
def _number(x: Any) -> Type:
    t = as_type(x)
    return t if is_number(t) else ArrayType(None, (), scalar=True)


@rule
def _array(x: Any) -> Type:
    t = as_type(x)
    return t if isinstance(t, ArrayType) else ArrayType(None, None)


def _define(kernel: Callable[..., Any], *samples: Sample, **traits: Any) -> Op:
    return define(Op(kernel.__name__, kernel, fixed(DYNAMIC), "", samples, onnx=None,
                     doc=(kernel.__doc__ or "").removeprefix("Returns ").rstrip("."),
                     holds_operands=True, **traits))


SOME = {"p": 1.5, "q": SCALAR}
PUT_ITEM = _define(put_item, call(SOME, "p", 2.0), call([1.0, 2.0], -1, SCALAR),
                   inplace=put_item_in_place)
WITHOUT_ITEM = _define(without_item, call(SOME, "p"),
                       inplace=without_item_in_place)
KEYS_OF = _define(keys_of, call(SOME))
ENTRIES = _define(entries, call(SOME, False), call(SOME, True))
ENTRIES_LIKE = _define(entries_like, call({"q": 2.5}, SOME, False), call(None, SOME, True))
GATHERED = _define(gathered, call([1.0, None], SOME, False), call([[None, 2.0], None], SOME, True))
NUMBER_ONLY = define(Op(
    "number_only", number_only, _number, "", (call(2.5),),
    onnx=None, effect="raise", view=True, holds_operands=True,
    doc="the number, or an error for others"))
ARRAY_ONLY = define(Op(
    "array_only", array_only, _array, "", (call(SCALAR), call(VECTOR)),
    onnx=None, effect="raise", view=True, holds_operands=True,
    doc="the array, or an error for others"))
ITEMS_ONLY = define(Op(
    "items_only", items_only, as_type, "", (call([SCALAR]), call(VECTOR)),
    onnx=None, effect="raise", view=True, holds_operands=True,
    doc="the list, tuple, dict or array, or an error for others"))
CHECK_SIZE = define(Op("check_size", check_size, fixed(NONE), "", (call(SOME, 2),), onnx=None,
                       effect="raise", doc="an error if a dict changed its size in a loop over it"))


def order_after(items: Any, name: str, *args: Any, key: Any = None, reverse: Any = False
                ) -> list[int]:
    """Returns which items of a list are where, after its method took some away or moved them.

    >>> order_after("abc", "reverse"), order_after("abc", "remove", "b")
    ([2, 1, 0], [0, 2])
    >>> order_after("bca", "sort", reverse=True)
    [1, 0, 2]
    """
    made = list(items)
    order = list(range(len(made)))
    if name == "sort":
        keys = made if key is None else [key(x) for x in made]
        return sorted(order, key=keys.__getitem__, reverse=reverse)
    if name == "remove" and args[0] in made:
        del order[made.index(args[0])]
        return order
    getattr(made, name)(*args)  # which raises what a list does
    getattr(order, name)(*args)
    return order
