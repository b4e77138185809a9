"""Ops of Python itself: conversions, builtins, containers, and what only has an effect."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from inspect import unwrap
from types import MemberDescriptorType
from typing import Any

import numpy as np

from autograph.own_attributes import own_state
from autograph.runtime.diagnostics.error_notes import raises_the_users
from autograph.runtime.ir.graph import Value
from autograph.runtime.ir.types import (
    DYNAMIC,
    ArrayType,
    DynamicType,
    PyType,
    Type,
    is_number,
    type_of,
)
from autograph.runtime.ir.undefined import bound
from autograph.runtime.ops import operator_rules
from autograph.runtime.ops import type_rules as rules
from autograph.runtime.ops.derivatives import select_
from autograph.runtime.ops.op import (
    ANY_RANK,
    ARRAYS,
    NUMBERS,
    Op,
    Sample,
    Traits,
    define,
    method,
)
from autograph.runtime.ops.samples import INTS, MASK, MATRIX, POINT, SCALAR, VECTOR, call
from autograph.runtime.ops.type_rules import INT, NotKnown, as_type, rule

BOOL, FLOAT, COMPLEX, NONE = PyType(bool), PyType(float), PyType(complex), PyType(type(None))


def python_op(name: str, kernel: Callable[..., Any], infer: Any, emit: str, *samples: Sample,
              doc: str, **traits: Any) -> Op:
    """Enters an op that has no NumPy function of its own."""
    return define(Op(name, kernel, infer, emit, samples, onnx=None, doc=doc, **traits))


NUMBER: Traits = {"foldable": True, "reads_only": True}
TRUE_OR_FALSE: Traits = {**NUMBER, "on_python_numbers": True, "hides_infinity": True}


# -- truth and conversions ------------------------------------------------------------------------

NOT = python_op("not_", operator.not_, rules.fixed(BOOL), "not {0}", call(True), call(0),
                call(SCALAR), call(POINT), call(""), doc="Python's `not x`", total=NUMBERS,
                unordered=True, **TRUE_OR_FALSE)
TRUTH = python_op("truth", bool, rules.fixed(BOOL), "bool", call(2), call(SCALAR), call(POINT),
                  call([]), doc="Python's `bool(x)`", unordered=True, **TRUE_OR_FALSE)
TO_INT = python_op("int_", int, rules.fixed(INT), "int", call(2.5), call(SCALAR), call(POINT),
                   call("7"), call("11", 2), doc="Python's `int(x)`", on_python_numbers=True,
                   **NUMBER)
TO_FLOAT = python_op("float_", float, rules.fixed(FLOAT), "float", call(2), call(SCALAR),
                     call(POINT), call("0.5"), doc="Python's `float(x)`",
                     on_python_numbers=True, **NUMBER)
TO_COMPLEX = python_op("complex_", complex, rules.fixed(COMPLEX), "complex", call(2), call(SCALAR),
                       call(1, 2.0), doc="Python's `complex(x)`", **NUMBER)
STR = python_op("str_", str, rules.fixed(PyType(str)), "str", call(2), call(MATRIX), call("a"),
                doc="Python's `str(x)`")
python_op("repr_", repr, rules.fixed(PyType(str)), "repr", call(2), call(MATRIX), call("a"),
          doc="Python's `repr(x)`")
python_op("ascii_", ascii, rules.fixed(PyType(str)), "ascii", call(2), call(MATRIX), call("a"),
          doc="Python's `ascii(x)`")
python_op("chr_", chr, rules.fixed(PyType(str)), "chr", call(65), call(INTS[0]),
          doc="Python's `chr(i)`")
python_op("ord_", ord, rules.fixed(INT), "ord", call("a"), doc="Python's `ord(c)`")
python_op("bin_", bin, rules.fixed(PyType(str)), "bin", call(65), call(INTS[0]),
          doc="Python's `bin(i)`")
python_op("oct_", oct, rules.fixed(PyType(str)), "oct", call(65), call(INTS[0]),
          doc="Python's `oct(i)`")
python_op("hex_", hex, rules.fixed(PyType(str)), "hex", call(65), call(INTS[0]),
          doc="Python's `hex(i)`")
FORMATTED = python_op("formatted", str.format, rules.fixed(PyType(str)), "str.format",
                      call("{:.2f} {!r}", SCALAR, MATRIX), call("{:{}}", 2, 5), doc="an f-string",
                    roles=((0, "template"),))
PERCENT = python_op("percent", operator.mod, rules.fixed(PyType(str)), "{0} % {1}",
                    call("%.2f", SCALAR), call("%s %d", (VECTOR, 2)), doc="`template % values`")
python_op("format_", format, rules.fixed(PyType(str)), "format", call(2.5, ".3f"), call(SCALAR),
          doc="Python's `format(x, spec)`")
python_op("index_", operator.index, rules.fixed(INT), "operator.index", call(3), call(INTS[0]),
          doc="an integer as a Python int (`x.__index__()`)", foldable=True)


@rule
def _item(x: Any, *index: Any) -> Type:
    t = as_type(x)
    if not isinstance(t, ArrayType) or t.dtype is None or t.dtype.kind not in "biufc":
        return ArrayType(None, (), scalar=True) if isinstance(t, ArrayType) else DYNAMIC
    return type_of(np.zeros((), t.dtype).item())


def item(x: Any, *index: Any) -> Any:
    """`x.item(*index)`: an element as a Python number."""
    return np.asarray(x).item(*index)


python_op("item", item, _item, "{0}.item()", call(SCALAR), call(POINT), call(VECTOR[:1]),
          doc="`x.item()`: the one element as a Python number", method=method(8), **NUMBER)

# -- builtins -------------------------------------------------------------------------------------


@rule
def _len(x: Any) -> Type:
    t = as_type(x)
    if isinstance(x, rules.TYPES) and is_number(t):
        raise TypeError("object of this type has no len()" if isinstance(t, PyType)
                        else "len() of unsized object")
    return INT


@rule
def _python_round(number: Any, ndigits: Any = None) -> Type:
    t = as_type(number)
    if not isinstance(t, PyType) or t.cls not in (bool, int, float):
        return ArrayType(None, (), scalar=True) if is_number(t) else DYNAMIC
    digits = as_type(ndigits)
    if digits == DYNAMIC:
        raise NotKnown
    return INT if t.cls is not float or digits == NONE else FLOAT


@rule
def _python_divmod(a: Any, b: Any) -> tuple[Type, Type]:
    types = operator_rules.operands([a, b])
    return (operator_rules.operator_type(operator.floordiv, np.floor_divide, *types),
            operator_rules.operator_type(operator.mod, np.remainder, *types))


@rule
def _extreme(*args: Any, **more: Any) -> Type:
    if len(args) == 1 and isinstance(args[0], (tuple, list)) and args[0] and not more:
        args = tuple(args[0])
        if len(args) == 1 and is_number(as_type(args[0])):
            return as_type(args[0])
    elif len(args) == 1 and isinstance(args[0], ArrayType) and len(rules.shape_of(args[0])) == 1:
        return rules.unboxed(args[0].dtype, ())
    if len(args) < 2 or any(isinstance(x, (tuple, list, dict)) for x in args):
        raise NotKnown
    types = list(map(as_type, args))
    chosen = rules.join_all(types)
    if is_number(chosen) and not (isinstance(chosen, ArrayType) and not chosen.scalar):
        return chosen
    return ArrayType(None, (), scalar=True) if all(map(is_number, types)) else DYNAMIC


@rule
def _sum(iterable: Any, start: Any = 0) -> Type:
    return _reached(operator.add, np.add, start, iterable)


@rule
def product_type(iterable: Any, *, start: Any = 1) -> Type:
    """Returns the type of `math.prod(iterable, start=start)`."""
    return _reached(operator.mul, np.multiply, start, iterable)


def _reached(fn: Callable[..., Any], ufunc: np.ufunc, start: Any, iterable: Any) -> Type:
    """Returns the type that an operator reaches item by item."""
    types = [as_type(start)]
    for item in _item_types(iterable):
        types.append(operator_rules.operator_type(fn, ufunc, types[-1], item))
    return types[-1]


def _item_types(iterable: Any) -> list[Type]:
    """Returns the types of what a loop over it meets; of an array's items, which are alike, the
    first two: a sum has its dtype by then."""
    if isinstance(iterable, (tuple, list)):
        if any(isinstance(x, (tuple, list, dict)) for x in iterable):
            raise NotKnown
        return list(map(as_type, iterable))
    t = as_type(iterable)
    if not isinstance(t, ArrayType) or not t.shape or not isinstance(t.shape[0], int):
        raise NotKnown
    return [rules.unboxed(t.dtype, t.shape[1:])] * min(t.shape[0], 2)


def _range(*args: Any) -> Type:
    for t in map(as_type, args):
        cls = t.cls if isinstance(t, PyType) else None
        if isinstance(t, ArrayType) and t.scalar and t.dtype is not None:
            cls = t.dtype.type
        if cls is not None and not hasattr(cls, "__index__"):
            raise TypeError(f"'{_full_name(cls)}' object cannot be interpreted as an integer")
    return PyType(range)


def _full_name(cls: type) -> str:
    module = "" if cls.__module__ == "builtins" else f"{cls.__module__}."
    return f"{module}{cls.__name__}"


@rule
def _contains(x: Any, xs: Any) -> Type:
    return BOOL


EXTREME: Traits = {"foldable": True, "on_python_numbers": True, "hides_infinity": True}

LEN = python_op(
    "len_", len, _len, "len", call(VECTOR), call("abc"), call([1, SCALAR]), call(range(3)),
    doc="Python's `len(x)`", total=ARRAYS, unordered=True, **NUMBER)
python_op("round_", round, _python_round, "round", call(2.5), call(2.567, 1), call(7), call(SCALAR),
          call(SCALAR, 2), call(True), call(2.5, None), doc="Python's `round(x, n)`")
python_op("divmod_", divmod, rule(_python_divmod, (DYNAMIC, DYNAMIC)), "divmod", call(7, 2),
          call(7.5, 2), call(SCALAR, 2), call(VECTOR, 2), doc="Python's `divmod(x, y)`")
MIN = python_op("min_", min, _extreme, "min", call(2, 3), call(SCALAR, 1), call(2.5, 1, SCALAR),
                call((1, 2)), call(VECTOR), doc="Python's `min(x, y, …)`", **EXTREME)
MAX = python_op("max_", max, _extreme, "max", call(2, 3), call(SCALAR, 1), call(2.5, 1, SCALAR),
                call((1, 2)), call(VECTOR), doc="Python's `max(x, y, …)`", **EXTREME)
python_op("sum_", sum, _sum, "sum", call(VECTOR), call([SCALAR, 2.5], 1), call((1, 2)),
          call(MATRIX), call([VECTOR, VECTOR]), call(MASK), doc="Python's `sum(xs, start)`",
          foldable=True, on_python_numbers=True)
RANGE = python_op("range_", range, _range, "range", call(3), call(1, INTS[0]), call(5, 1, -2),
                  doc="Python's `range(start, stop, step)`", on_python_numbers=True)


def in_(x: Any, xs: Any) -> bool:
    """`x in xs`"""
    return x in xs


def is_none(x: Any) -> bool:
    """`x is None`"""
    return x is None


python_op("in_", in_, _contains, "{0} in {1}", call(2, (1, 2)), call(2.0, VECTOR), call("a", "abc"),
          doc="Python's `x in xs`", takes_items=True, unordered=True)
python_op("is_none", is_none, rules.fixed(BOOL), "{0} is None", call(None), call(SCALAR),
          call(VECTOR), doc="Python's `x is None`", total=ANY_RANK, **NUMBER)


SELECT = python_op(
    "select_", unwrap(select_), lambda test, x, y: rules.join_all(map(as_type, (x, y))),
    "{1} if {0} else {2}", call(True, VECTOR, MATRIX), call(0, 1, SCALAR),
    doc="Python's `a if pred else b` on values that are there already", foldable=True,
    holds_operands=True, on_python_numbers=True, hides_infinity=True)


# -- containers and names -------------------------------------------------------------------------


def pack(x: Any) -> Any:
    """The nest itself: a tuple, list or dict made of the equation's inputs."""
    return x


def list_of(*parts: tuple[bool, Any]) -> list[Any]:
    """A list made of items, and of the items of lists that are spliced in."""
    made: list[Any] = []
    for spliced, x in parts:
        if spliced:
            made.extend(x)
        else:
            made.append(x)
    return made


def appends(e: Any) -> bool:
    """Returns True for a list with items appended: `list_of((True, xs), (False, x), …)`."""
    parts = e.args
    return e.op is LIST_OF and len(parts) > 1 and parts[0][0] is True and (
        isinstance(parts[0][1], Value)) and not any(spliced for spliced, _ in parts[1:])


def list_pop(items: Any, index: Any = -1) -> tuple[Any, list[Any]]:
    """(items[index], the other items)"""
    rest = list(items)
    return rest.pop(index), rest


def picked(items: Any, order: Any) -> list[Any]:
    """Returns the items of these numbers, in that order."""
    items = list(items)
    return [items[i] for i in order]


def put_at(g: Any, order: Any, items: Any) -> Any:
    """Returns the cotangent of a list from that of what was picked from it, each item once; zero
    for a dict, of which keys were picked."""
    if isinstance(items, dict):
        return dict.fromkeys(items)
    made: list[Any] = [None] * len(items)
    for i, part in zip(order, [None] * len(order) if g is None else g, strict=True):
        made[i] = part
    return made


@rule
def _bound(value: Any, free: Any = False, known: Any = False) -> Type:
    t = as_type(value)
    if not isinstance(t, DynamicType) or not t.maybe_undefined:
        return t
    return DYNAMIC if t.bound is None else t.bound


PACK = python_op("pack", pack, rule(
    lambda x: DYNAMIC if isinstance(x, (tuple, list, dict, slice)) else as_type(x)), "{0}",
                 call((VECTOR, 2)), call([1, SCALAR]), call({"a": VECTOR}), call(MATRIX),
                 doc="a Python container of the values", holds_operands=True)
LIST_OF = python_op(
    "list_of", list_of, rules.fixed(DYNAMIC), "", call((False, 1), (True, [2, 3])), call(),
    call((True, [VECTOR]), (False, MATRIX)), doc="a list of items and of other lists' items",
    holds_operands=True, takes_items=True)
LIST_POP = python_op(
    "list_pop", list_pop, rules.fixed((DYNAMIC, DYNAMIC)), "", call([1, 2]), call([VECTOR, 2], 0),
    doc="an item of a list, and the list without it")
PICKED = python_op(
    "picked", picked, rules.fixed(DYNAMIC), "", call([SCALAR, 2.0], [1, 0]),
    doc="the items of a list by their numbers, in order", holds_operands=True, takes_items=True)
python_op("put_at", put_at, rules.fixed(DYNAMIC), "", call([SCALAR, 2.0], [1, 0], [1.0, 2.0]),
          doc="the list of which `picked` took the items; None elsewhere", holds_operands=True,
          takes_items=True)
python_op("bound", bound, _bound, "", call(VECTOR), call(2, True),
          effect="raise", doc="the value, or a NameError if the name is not bound",
          holds_operands=True)

# -- effects --------------------------------------------------------------------------------------


OWN = "own"
"""Stands for the cause that an exception has already."""


@raises_the_users
def raise_(error: Any, cause: Any = OWN, args: Any = None, attributes: Any = None,
           shown: Any = (), itself: bool = False) -> None:
    """Raises a copy of the error: the same graph may raise it many times. The user's own error,
    which was there before the trace, is raised `itself`.

    With `args`, `error` is its class, made with these arguments and attributes, and not
    initialised again. `shown` are values that the error's note tells of.
    """
    if itself:
        if isinstance(error, BaseException):
            error.__traceback__ = None  # of the run before: the note is decided by where this is
        if cause is OWN or cause is getattr(error, "__cause__", None):
            raise error
        raise error from cause
    if args is not None:
        raise _error_of(error, args, attributes) from cause
    if isinstance(error, BaseException):
        arguments = _builtin_base(type(error)).__reduce__(error)[1]
        new, own = _error_of(type(error), arguments, own_state(error)), error.__cause__
        raise new from own if cause is OWN else cause
    raise error from None if cause is OWN else cause


def _error_of(cls: type[BaseException], args: Sequence[Any], attributes: Mapping[str, Any]
              ) -> BaseException:
    """An exception with these `args` and attributes, without a call of the class's own `__init__`:
    that may take other arguments."""
    base = _builtin_base(cls)
    error: BaseException = base.__new__(cls, *args)
    base.__init__(error, *args)
    for name, value in attributes.items():
        if type(getattr(cls, name, None)) is MemberDescriptorType:
            object.__setattr__(error, name, value)
        else:
            error.__dict__[name] = value
    return error


def _builtin_base(cls: type[BaseException]) -> Any:
    """The class of Python's own that an exception class is derived from."""
    for c in cls.__mro__:
        if c.__module__ == "builtins":
            return c
    raise AssertionError("each class is derived from one of Python's")


@raises_the_users
def assert_(test: Any, *message: Any) -> None:
    """Python's `assert test, message`, also under `python -O`."""
    if not test:
        raise AssertionError(*message)


python_op("raise_", raise_, rules.fixed(DYNAMIC), "", effect="raise", never_returns=True,
          doc="Python's `raise error`")
python_op("assert_", assert_, rules.fixed(NONE), "", call(True), call(MASK[0], "why"),
          effect="raise", doc="Python's `assert test, message`")
python_op("print_", print, rules.fixed(NONE), "print", call("x", SCALAR, end=""), effect="print",
          roles=(("file", "stream"),), doc="Python's `print(…)`")
