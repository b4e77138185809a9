"""Python's containers as objects of a graph: ops that make them, ask them and change them.

Python itself does each of these when the graph runs, so what it raises is what Python raises.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from autograph.runtime.ir.own_contents import container
from autograph.runtime.ir.types import CONTAINERS, DYNAMIC, ArrayType, PyType, Type
from autograph.runtime.ops.indexing import getitem_type
from autograph.runtime.ops.op import Effect, Op, define
from autograph.runtime.ops.samples import SCALAR, VECTOR, call
from autograph.runtime.ops.stores import NONE
from autograph.runtime.ops.type_rules import INT, as_type, fixed


def construct(cls: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """`cls(*args, **kwargs)`, a new object in every run; no `__init__` of the user's is called"""
    return container(cls, *args, **kwargs)


def call_method(x: Any, name: str, /, *args: Any, **kwargs: Any) -> Any:
    """`x.name(*args, **kwargs)` of one of Python's containers"""
    return getattr(x, name)(*args, **kwargs)


def call_object(fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """`fn(*args, **kwargs)`, in its place among the stores"""
    return fn(*args, **kwargs)


def look_up(x: Any, key: Any) -> Any:
    """`x[key]`, where looking up may change x"""
    return x[key]


def unpacked(x: Any, count: int) -> Any:
    """The values of the variables in `a, b = x`"""
    made = unpacker(count)(x)
    return made if count != 1 else made[0]


def unpacked_rest(x: Any, before: int, after: int) -> Any:
    """The values of the variables in `a, *b, c = x`"""
    return unpacker_of_rest(before, after)(x)


def called_with(
    fn: Callable[..., Any], stars: tuple[Any, ...], /, *args: Any, **kwargs: Any
) -> Any:
    """`fn(a, *b, k=c, **d)`; of each argument, True: it has a star, its name, None: two stars"""
    given = [v for star, x in zip(stars, args, strict=True) if isinstance(star, bool)
             for v in (x if star else (x,))]
    call: Callable[..., Any] = partial(fn, *given, **kwargs)
    known = set(kwargs)
    for star, x in zip(stars, args, strict=True):
        if not isinstance(star, bool):
            more = dict(x) if star is None else {star: x}
            if not known.isdisjoint(more):
                fn(**dict.fromkeys(known), **more)  # raises, in Python's words
            known |= set(more)
            call = partial(call, **more)
    return call()


def arguments_of(stub: Callable[..., Any], stars: tuple[Any, ...], /, *args: Any, **kwargs: Any
                 ) -> Any:
    """The values of a function's parameters in `fn(a, *b, k=c, **d)`"""
    made = called_with(stub, stars, *args, **kwargs)
    return made if len(made) != 1 else made[0]


def _arguments_type(stub: Any, *args: Any, **kwargs: Any) -> Any:
    parameters = inspect.signature(stub).parameters.values()
    found = tuple(PyType(dict) if p.kind is p.VAR_KEYWORD else DYNAMIC for p in parameters)
    return found if len(found) != 1 else found[0]


def check_lengths(*lengths: int) -> None:
    """The error of `zip(…, strict=True)` where the shortest has come to its end"""
    least = min(lengths)
    for _ in zip(*(range(n - least) for n in lengths), strict=True):
        pass


def check_unpacked(x: Any, count: int) -> None:
    """Python's error where `a, b = x` has none"""
    unpacker(count)(x)


@cache
def unpacker(count: int) -> Callable[[Any], tuple[Any, ...]]:
    """Python's own unpacking to so many variables, with its own errors."""
    names = "".join(f"v{k}, " for k in range(count))
    return _unpacker(names, names)


@cache
def unpacker_of_rest(before: int, after: int) -> Callable[[Any], tuple[Any, ...]]:
    """Python's own unpacking to so many variables, one with a star, and so many."""
    first, last = ("".join(f"{name}{k}, " for k in range(count)) for name, count in (
        ("v", before), ("w", after)))
    return _unpacker(f"{first}*rest, {last}", f"{first}rest, {last}")


@cache
def _unpacker(targets: str, names: str) -> Callable[[Any], tuple[Any, ...]]:
    scope: dict[str, Any] = {}
    text = f"def unpack(x):\n    {targets}= x\n    return ({names})"
    here = (lambda: None).__code__.co_filename  # this file, or one that `to_python` has written
    exec(compile(text, here, "exec"), scope)  # our own text, and shown as ours in tracebacks
    unpack: Callable[[Any], tuple[Any, ...]] = scope["unpack"]
    return unpack


RESULTS = {"index": INT, "count": INT, "append": NONE, "appendleft": NONE, "add": NONE,
           "sort": NONE, "reverse": NONE, "clear": NONE, "extend": NONE, "insert": NONE,
           "remove": NONE, "discard": NONE, "move_to_end": NONE, "rotate": NONE}
"""The types that methods of Python's containers return, where each always returns the same."""


def _construct_type(cls: Any, /, *args: Any, **kwargs: Any) -> Type:
    return PyType(cls) if cls in CONTAINERS else DYNAMIC


def _unpacked_type(x: Any, count: int) -> Any:
    if not isinstance(count, int):
        return DYNAMIC
    t = as_type(x)
    item = getitem_type(t, 0) if isinstance(t, ArrayType) and t.shape else DYNAMIC
    return (item,) * count if count != 1 else item


def _define(kernel: Callable[..., Any], infer: Any, *samples: Any, effect: Effect = "store",
            role: str = "", at: int = 0, more: int = 0, **traits: Any) -> Op:
    roles = tuple((at + k, role) for k in range(more + 1)) if role else ()
    return define(Op(kernel.__name__, kernel, infer, "", samples, onnx=None,
                     effect=effect, roles=roles, doc=(kernel.__doc__ or ""), **traits))


def _unpacked_rest_type(x: Any, before: int, after: int) -> Any:
    item = _unpacked_type(x, 1)
    if not (isinstance(before, int) and isinstance(after, int)):
        return DYNAMIC
    return (item,) * before + (PyType(list),) + (item,) * after


CONSTRUCT = _define(construct, _construct_type, call(list, (1, 2)), call(dict, ((1, 2.5),)),
                    effect="", role="function", takes_items=True)
CALL_METHOD = _define(call_method, lambda x, name, *args, **kwargs: RESULTS.get(name, DYNAMIC),
                      role="method", at=1)
CALL_OBJECT = _define(call_object, fixed(DYNAMIC), role="function")
LOOK_UP = _define(look_up, fixed(DYNAMIC))
UNPACKED = _define(unpacked, _unpacked_type, call(VECTOR, 3), call((1, 2.5), 2), call([SCALAR], 1),
                   effect="", role="count", at=1, takes_items=True)
_define(unpacked_rest, _unpacked_rest_type, call(VECTOR, 1, 1), call((1, 2.5), 0, 1), effect="",
        role="count", at=1, more=1, takes_items=True)
CALLED_WITH = _define(called_with, fixed(DYNAMIC), role="function")
_define(arguments_of, _arguments_type, role="signature")
_define(check_lengths, fixed(NONE), call(2, 2), effect="raise")
_define(check_unpacked, fixed(NONE), call(VECTOR, 3), call((1, 2.5), 2), effect="raise")
def _delete_or_set(name: str, kernel: Callable[..., Any], doc: str) -> Op:
    return define(Op(name, kernel, fixed(NONE), "", (), onnx=None, effect="store",
                     roles=((1, "field"),) if name.endswith("attribute") else (), doc=doc))


DELETE_ITEM = _delete_or_set("delete_item", operator.delitem, "`del x[i]`")
STORE_ATTRIBUTE = _delete_or_set("store_attribute", setattr, "`x.name = v`")
DELETE_ATTRIBUTE = _delete_or_set("delete_attribute", delattr, "`del x.name`")
