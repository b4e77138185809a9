"""Stacks, what a loop keeps of its iterations for its derivative; and cotangents of containers.

A stack is a list that only gradients make and read, so that no program ever holds one.

The cotangent of a stack, a list or a tuple is a list of as many cotangents, that of a dict is a
dict of them. None is the zero of anything, and the cotangent of what is no number. A value whose
type only the run knows has a cotangent of that kind, or a number, or an array.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import unwrap
from typing import Any

import numpy as np

from autograph.runtime.ir.errors import NotDifferentiable
from autograph.runtime.ir.type_text import parse_type
from autograph.runtime.ir.types import (
    DYNAMIC,
    EITHER,
    EITHER_INT,
    FLOATS,
    ArrayType,
    DynamicType,
    PyType,
    StackType,
    Type,
    is_maybe_undefined,
    is_number,
    join,
)
from autograph.runtime.ir.undefined import is_undefined
from autograph.runtime.ops.derivatives import KERNELS
from autograph.runtime.ops.op import Op, Sample, define
from autograph.runtime.ops.samples import SCALAR, VECTOR, call
from autograph.runtime.ops.type_rules import INT, as_type, rule

SUMMED_TO = unwrap(KERNELS["sum_to"])


def new_stack() -> list[Any]:
    """Returns an empty stack."""
    return []


def push(stack: list[Any], x: Any) -> list[Any]:
    """Returns a stack with one more value."""
    return [*stack, x]


def push_in_place(stack: list[Any], x: Any) -> list[Any]:
    """Puts a value on a stack; returns the stack."""
    stack.append(x)
    return stack


def kept_at(stack: list[Any], k: int) -> Any:
    """Returns the value that iteration k put on the stack."""
    return stack[k]


def kept_or_zero(stack: list[Any], k: int, like: Any) -> Any:
    """Returns item k of a stack of cotangents; zeros like another value where it is None."""
    found = None if stack is None else stack.get(k) if isinstance(stack, dict) else stack[k]
    if type(found) is np.ndarray and isinstance(like, (list, tuple)):  # stored as a row of a table
        return SUMMED_TO(found, np.array(like))
    return zero_of(like) if found is None else found


def zero_of(x: Any) -> Any:
    """Returns the zero cotangent of a value."""
    cls = type(x)
    if cls is float or cls is np.float64:
        return cls(0.0)
    if cls is np.ndarray and x.dtype.kind in "fc" and x.flags.c_contiguous:
        return np.zeros(x.shape, x.dtype)
    if isinstance(x, (list, tuple)):
        return [None] * len(x)
    if isinstance(x, dict):
        return dict.fromkeys(x)
    if is_undefined(x):
        return 0.0  # of a branch that was not taken: nothing uses it
    if isinstance(x, (np.ndarray, np.generic)):
        made = np.zeros_like(x, x.dtype if x.dtype.kind in "fc" else float)
        return made if isinstance(x, np.ndarray) else made[()]
    if isinstance(x, (int, float, complex)):
        return type(x)(0) if isinstance(x, (float, complex)) else 0.0
    if x is None or isinstance(x, (str, bytes, range, slice, type(Ellipsis))):
        return None
    raise NotDifferentiable(
        f"a gradient goes through an object of class {type(x).__name__!r} that only the run "
        "knows\n  hint: pass the arrays themselves, or lists and dicts of them")


def sum_of(x: Any, y: Any) -> Any:
    """Returns the sum of two cotangents; those of containers are added item by item."""
    if x is None or y is None:
        return y if x is None else x
    if isinstance(x, list) or isinstance(y, list):
        return [sum_of(a, b) for a, b in zip(x, y, strict=True)]
    if isinstance(x, dict):
        return {k: sum_of(x.get(k), y.get(k)) for k in {**x, **y}}
    return x + y


def summand(g: Any, x: Any, y: Any, k: int) -> Any:
    """Returns the cotangent of an operand of x + y: of lists its items, of numbers all of it."""
    if g is None or not (isinstance(x, (list, tuple)) and isinstance(y, (list, tuple))):
        return g
    return g[len(x):] if k else g[:len(x)]


def sum_of_tangents(t: Any, u: Any, x: Any, y: Any) -> Any:
    """Returns the tangent of x + y, of lists or of numbers; None stands for zero."""
    if isinstance(x, (list, tuple)) and isinstance(y, (list, tuple)):
        return [*([None] * len(x) if t is None else t), *([None] * len(y) if u is None else u)]
    return filled(sum_of(t, u), x + y) if t is None or u is None else sum_of(t, u)


def repeated(t: Any, x: Any, n: Any) -> Any:
    """Returns the tangent of x * n by x: n copies of that of a list, if n is an integer."""
    if _repeats(x, n):
        return ([None] * len(x) if t is None else t) * n
    if _repeats(n, x):
        return [None] * (len(n) * x)
    return np.multiply(filled(t, x), n)


def unrepeated(g: Any, x: Any, n: Any) -> Any:
    """Returns the cotangent of x from that of x * n: if that is n copies of a list, it sums over
    them."""
    if _repeats(n, x) or g is None:
        return zero_of(x)
    if not _repeats(x, n):
        return np.multiply(g, n)
    made: list[Any] = [None] * len(x)
    for k, part in enumerate(g):
        made[k % len(x)] = sum_of(made[k % len(x)], part)
    return made


def number_times(g: Any, h: Any, x: Any, n: Any, like: Any) -> Any:
    """Returns g * h; the zero cotangent of another value where x * n repeats a list."""
    return zero_of(like) if g is None or h is None or _repeats(x, n) or _repeats(n, x) else (
        np.multiply(g, h))


def _repeats(x: Any, n: Any) -> bool:
    return isinstance(x, (list, tuple)) and isinstance(n, (int, np.integer))


def fitted_to(g: Any, x: Any) -> Any:
    """Returns a cotangent in the form of the value that it belongs to; any fits None, which is the
    zero of anything."""
    cls = type(x)
    if type(g) is cls and (cls is float or cls is np.float64 or (
            cls is np.ndarray and g.shape == x.shape and g.dtype == x.dtype)):
        return g
    if isinstance(g, float) and (cls is float or cls is np.float64 or cls is int):
        return cls(g) if cls is float else np.float64(g)
    if x is None:
        return g
    if g is None or is_undefined(g) or is_undefined(x):
        return zero_of(x)
    if isinstance(x, (list, tuple)):
        if len(g) != len(x):
            raise NotDifferentiable(
                f"a list of {len(x)} became one of {len(g)} in an operation that gradients take "
                "for arithmetic\n  hint: join lists by append, extend or [*a, *b]; make arrays of "
                "those that are numbers, np.array(xs)")
        return [None if part is None else fitted_to(part, item)
                for part, item in zip(g, x, strict=True)]
    if isinstance(x, dict):
        if isinstance(g, list):  # that of the keys
            return {_key(k, False): None for k in x}
        return {k: None if g.get(k) is None else fitted_to(g[k], item) for k, item in x.items()}
    if isinstance(g, list):
        g = np.array([fitted_to(part, item) for part, item in zip(g, x, strict=True)])
    made = SUMMED_TO(g, x)
    return cls(made) if cls in (float, complex) else made


def number_part(g: Any, x: Any) -> Any:
    """Returns the gradient by a value; None for what is no float, or no nest of them."""
    if isinstance(x, (list, tuple)):
        parts = [number_part(None if g is None else g[k], item) for k, item in enumerate(x)]
        return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)
    if isinstance(x, dict):
        return {k: number_part(None if g is None else g.get(k), item) for k, item in x.items()}
    is_float = isinstance(x, (float, complex)) or (
        isinstance(x, (np.ndarray, np.generic)) and x.dtype.kind in "fc")
    return fitted_to(g, x) if is_float else None


def filled(g: Any, x: Any) -> Any:
    """Returns a tangent in the form of its value, with zeros in place of None."""
    if isinstance(x, (list, tuple)):
        parts = [None] * len(x) if g is None else g
        return [filled(part, item) for part, item in zip(parts, x, strict=True)]
    if isinstance(x, dict):
        return {k: filled(None if g is None else g.get(k), item) for k, item in x.items()}
    return zero_of(x) if g is None or is_undefined(g) else g


def cleared(g: Any, index: Any) -> Any:
    """Returns a cotangent of a list or array with zero at an index."""
    return cleared_in_place(_another(g), index)


def cleared_in_place(g: Any, index: Any) -> Any:
    """Puts zero at an index of a cotangent; returns it."""
    if isinstance(g, np.ndarray):
        g[index] = 0
    else:
        g[index] = [None] * len(g[index]) if isinstance(index, slice) else None
    return g


def put_back(g: Any, index: Any, item: Any) -> Any:
    """Returns the cotangent of a list from that of an item that was taken out and of the rest."""
    return put_back_in_place([*g], index, item)


def put_back_in_place(g: Any, index: Any, item: Any) -> Any:
    """Puts the cotangent of an item back where it was taken out; returns the list."""
    g.insert(index if index >= 0 else len(g) + 1 + index, item)
    return g


def paired(g: Any, x: Any, known: bool) -> Any:
    """Returns the cotangents of the pairs x from those of the dict that is made of them."""
    if isinstance(x, dict):
        return g
    last = {_key(k, known): i for i, (k, _) in enumerate(x)}
    return [[None, None if g is None or last[k] != i else g.get(k)] for i, (k, _) in enumerate(x)]


def keyed(t: Any, x: Any, known: bool) -> Any:
    """Returns the tangents of the dict that is made of pairs x from those of the pairs."""
    if isinstance(x, dict):
        return t
    return {_key(k, known): None if part is None else part[1]
            for (k, _), part in zip(x, [None] * len(x) if t is None else t, strict=True)}


def _key(k: Any, known: bool) -> Any:
    """Returns a key; refuses a number by which there may be a derivative."""
    if isinstance(k, (float, complex, np.inexact)) and not known:
        raise NotDifferentiable("a number becomes a key of a dict, which has no derivative")
    return k


def one_of(x: Any) -> Any:
    """Returns 1 as a number like x."""
    return np.ones_like(x) if isinstance(x, np.ndarray) else type(x)(1)


def of_type(x: Any, type_text: str) -> Any:
    """The value itself."""
    return x


def real_number(x: Any) -> Any:
    """Returns a function's result if it is a real number, or raises."""
    if isinstance(x, float) or (isinstance(x, (np.ndarray, np.generic)) and x.dtype.kind == "f"
                                and x.ndim == 0):
        return x
    what = f"an array of shape {x.shape}" if np.ndim(x) else f"a {type(x).__name__}"
    raise NotDifferentiable(f"the gradient of a function is by its result, a real number; it gave "
                            f"{what}\n  hint: sum it, or ask for ag.vjp or ag.jacobian")


def _another(g: Any) -> Any:
    return g.copy() if isinstance(g, (np.ndarray, list, dict)) else g


def add_kept(stack: list[Any], k: int, g: Any) -> list[Any]:
    """Returns a stack of cotangents with one added at item k."""
    return add_kept_in_place(_another(stack), k, g)


def add_kept_in_place(stack: list[Any], k: int, g: Any) -> list[Any]:
    """Adds a cotangent to item k of a stack of them; returns the stack."""
    if isinstance(stack, np.ndarray):
        np.add.at(stack, k, g)
    else:
        stack[k] = sum_of(stack[k], g)
    return stack


def popped(stack: list[Any]) -> list[Any]:
    """Returns a stack without its last value."""
    return stack[:-1]


def popped_in_place(stack: list[Any]) -> list[Any]:
    """Takes the last value off a stack; returns the stack."""
    stack.pop()
    return stack


def pushed_none(stack: list[Any]) -> list[Any]:
    """Returns a stack of cotangents with one more, which is zero."""
    return [*stack, None]


def in_frame(frame: tuple[Any, ...], k: int, type_text: str) -> Any:
    """Returns value k of what a recursive call kept; the text is that of its type."""
    return frame[k]


def unwrapped(x: Any) -> Any:
    """Returns the value itself, which is there."""
    return x


def _item(stack: Any, *more: Any) -> Type:
    return stack.item if isinstance(stack, StackType) and stack.item is not None else DYNAMIC


def _pushed(stack: Any, x: Any) -> Type:
    return join(stack, StackType(as_type(x))) if isinstance(stack, StackType) else DYNAMIC


def _added(stack: Any, k: Any, g: Any) -> Type:
    return _pushed(stack, g)


def _same(stack: Any) -> Type:
    return stack if isinstance(stack, StackType) else DYNAMIC


@rule
def _there(x: Any) -> Type:
    t = as_type(x)
    if isinstance(t, DynamicType) and t.maybe_undefined and t.bound is not None:
        return t.bound
    return t


def _kept_in_frame(frame: Any, k: int, type_text: str) -> Type:
    known = isinstance(frame, tuple) and type(k) is int
    return as_type(frame[k]) if known else parse_type(type_text)


def cotangents_in(t: Type) -> Type:
    """Returns the type of a stack of cotangents: those of floats of either class are NumPy's."""
    if isinstance(t, StackType) and t.item is not None:
        return StackType(cotangents_in(t.item))
    return FLOATS[1] if t == EITHER else t


def _zero(x: Any) -> Type:
    """Returns the type of a value's zero cotangent: a float unless the value is one already."""
    t: Type = as_type(x)
    while isinstance(t, DynamicType) and t.maybe_undefined and t.bound is not None:
        t = t.bound  # a branch in a branch gives it
    if isinstance(t, StackType):
        return cotangents_in(t)
    if isinstance(t, PyType):
        return t if t.cls is complex else PyType(float) if is_number(t) else DYNAMIC
    if t == EITHER_INT:
        return EITHER
    if not isinstance(t, ArrayType) or t.dtype is None or t.dtype.kind in "fc":
        return t
    return ArrayType(np.dtype(float), t.shape, t.scalar)


def _form(g: Any, x: Any) -> Type:
    t: Any = as_type(x)
    while is_maybe_undefined(t) and t.bound is not None:
        t = t.bound
    return DYNAMIC if isinstance(t, PyType) and t.cls not in (float, complex) else t


def _filled(g: Any, x: Any) -> Type:
    t, given = _form(g, x), as_type(g)
    return t if isinstance(t, ArrayType) or given in (t, PyType(type(None))) else DYNAMIC


def _sum(x: Any, y: Any) -> Type:
    t = join(as_type(x), as_type(y))
    return ArrayType(t.dtype, None) if isinstance(t, ArrayType) and t.shape == () else t


def _define(kernel: Callable[..., Any], infer: Any, *samples: Sample, **traits: Any) -> Op:
    return define(Op(kernel.__name__, kernel, infer, "", samples, onnx=None,
                     doc=(kernel.__doc__ or "").removeprefix("Returns ").rstrip("."), **traits))


NEW_STACK = _define(new_stack, lambda: StackType(None), call(), fresh=True,
                    cheap=True, on_python_numbers=True)
PUSH = _define(push, _pushed, call([1.0], SCALAR), inplace=push_in_place,
               on_python_numbers=True)
KEPT_AT = define(Op("kept_at", kept_at, _item, "{0}[{1}]",
                    (call([SCALAR, VECTOR], 1),), onnx=None, view=True,
                    on_python_numbers=True, doc="the value that iteration k put on the stack"))
KEPT_OR_ZERO = _define(kept_or_zero, lambda stack, k, like: _zero(like),
                       call([None, VECTOR], 0, VECTOR), view=True)
ZERO_OF = _define(zero_of, _zero, call(VECTOR), call(2.5), fresh=True, zeros=True)
SUM_OF = _define(sum_of, _sum, call(VECTOR, VECTOR),
                 holds_operands=True)
SUMMAND = _define(summand, lambda g, x, y, k: DYNAMIC, call([1.0, 2.0], [3.0], [4.0], 1),
                  call(2.0, 1.0, 3.0, 0), holds_operands=True)
SUM_OF_TANGENTS = _define(sum_of_tangents, lambda t, u, x, y: DYNAMIC,
                          call([1.0], None, [3.0], [4.0]), call(2.0, 1.0, 3.0, 0.5),
                          holds_operands=True)
REPEATED = _define(repeated, lambda t, x, n: DYNAMIC, call([1.0], [3.0], 2), call(2.0, 1.0, 3),
                   holds_operands=True)
UNREPEATED = _define(unrepeated, lambda g, x, n: DYNAMIC, call([1.0, 2.0], [3.0], 2),
                     call(2.0, 1.0, 3), holds_operands=True)
NUMBER_TIMES = _define(number_times, lambda g, h, x, n, like: DYNAMIC,
                       call(2.0, 1.0, 3.0, 4.0, 5.0), call(2.0, 1.0, 3, [4.0], [4.0]),
                       holds_operands=True)
FITTED_TO = _define(fitted_to, _form, call([1.0, None], [2.0, 3]), call(2.0, 1.0),
                    holds_operands=True, keeps_zeros=True)
NUMBER_PART = _define(number_part, lambda g, x: DYNAMIC, call([1.0, None], [2.0, 3]), call(
    2.0, 1.0), holds_operands=True)
FILLED = _define(filled, _filled, call([1.0, None], [2.0, 3]), call(2.0, 1.0),
                 holds_operands=True)
CLEARED = _define(cleared, lambda g, index: as_type(g), call([1.0, 2.0], 0),
                  inplace=cleared_in_place)
PUT_BACK = _define(put_back, lambda g, index, item: DYNAMIC, call([1.0, 2.0], -1, 3.0),
                   inplace=put_back_in_place)
PAIRED = _define(paired, lambda g, x, known: DYNAMIC, call({1: 2.0}, [(1, 3.0)], True))
KEYED = _define(keyed, lambda t, x, known: DYNAMIC, call([[None, 2.0]], [(1, 3.0)], True))
ONE_OF = _define(one_of, lambda x: as_type(x), call(2.5))
REAL_NUMBER = _define(real_number, lambda x: as_type(x), call(2.5), view=True,
                      holds_operands=True, effect="raise")
ADD_KEPT = _define(add_kept, _added, call([1.0, None], 1, 2.0), inplace=add_kept_in_place)
POPPED = _define(popped, _same, call([1.0, 2.0]), inplace=popped_in_place)
PUSHED_NONE = _define(pushed_none, _same, call([1.0]))
IN_FRAME = _define(in_frame, _kept_in_frame, call((SCALAR, VECTOR), 1, "dynamic"), view=True)
UNWRAPPED = define(Op("unwrapped", unwrapped, _there, "{0}", (call(VECTOR), call(2.5)),
                      onnx=None, holds_operands=True,
                      view=True, doc="the value of a branch that was taken"))
OF_TYPE = define(Op("of_type", of_type, lambda x, type_text: parse_type(type_text), "{0}",
                    (), onnx=None, holds_operands=True, view=True,
                    doc="the value itself, of which it is known that it has the type"))
STACK_LENGTH = define(Op("stack_length", len, lambda stack: INT, "len", (call([1, 2]),),
                         onnx=None,
                         doc="how many values a stack holds"))
