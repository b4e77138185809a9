"""Random draws: from NumPy's and Python's generators, when the graph runs and in program order."""

from __future__ import annotations

import copy
import inspect
import random
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from autograph.runtime.ir.types import DYNAMIC, ArrayType, PyType, Shape, Type, type_of
from autograph.runtime.ops import type_rules as rules
from autograph.runtime.ops.op import Op, define
from autograph.runtime.ops.type_rules import NotKnown, rule

GENERATORS: dict[str, Callable[[], Any]] = {
    "Generator": cache(lambda: np.random.default_rng(0)),
    "RandomState": cache(lambda: np.random.RandomState(0)),
    "Random": cache(lambda: random.Random(0)),
}
"""By class name: returns one to try calls on, always the same: to seed one takes long."""

SMALL = 1000
"""Arguments of fewer elements are given to the trial as they are."""


def draw(generator: Any, method: str, /, *args: Any, **kwargs: Any) -> Any:
    """`generator.method(…)`; `method` is written `Generator.normal`."""
    return getattr(generator, method.partition(".")[2])(*args, **kwargs)


def draw_into(x: Any, generator: Any, method: str, /, *args: Any, **kwargs: Any) -> Any:
    """`generator.method(x, …)` or `generator.method(…, out=x)`, in x itself."""
    if method.endswith(".shuffle"):
        draw(generator, method, x, *args, **kwargs)
    else:
        draw(generator, method, *args, out=x, **kwargs)
    return x


def drawn_into(x: Any, generator: Any, method: str, /, *args: Any, **kwargs: Any) -> Any:
    """A copy of `x` after the draw."""
    return draw_into(copy.copy(x), generator, method, *args, **kwargs)


@rule
def _draw(generator: Any, method: str, /, *args: Any, **kwargs: Any) -> Type:
    """The type of a draw: that of a trial on a generator of its own, with a small `size`."""
    cls, _, name = method.partition(".")
    trial = getattr(GENERATORS[cls](), name)
    if name in ("rand", "randn"):
        shape = rules.dims_of(tuple(args))
        return _with_dims(shape, _trial(trial, *(1,) * len(shape)))
    bound = _bound(cls, name, args, kwargs)
    given = bound.arguments
    size = given.pop("size", None)
    if name == "choice":
        given.pop("p", None)  # the type does not depend on it, and ones are no probabilities
    if size is None or (isinstance(size, PyType) and size.cls is type(None)):
        return _trial(trial, *bound.args, **bound.kwargs)
    shape = rules.dims_of(size)
    given["size"] = (1,) * len(shape)
    return _with_dims(shape, _trial(trial, *bound.args, **bound.kwargs))


def _bound(cls: str, name: str, args: Any, kwargs: Any) -> inspect.BoundArguments:
    signature = _signature(cls, name)
    if signature is None:
        raise NotKnown
    try:
        return signature.bind(*args, **kwargs)
    except TypeError:
        raise NotKnown from None


@cache
def _signature(cls: str, name: str) -> inspect.Signature | None:
    """Returns the signature of a generator's method; None if it tells none."""
    try:
        return inspect.signature(getattr(GENERATORS[cls](), name))
    except (TypeError, ValueError):
        return None


def _trial(function: Any, /, *args: Any, **kwargs: Any) -> Type:
    try:
        named = {k: _example(v) for k, v in kwargs.items()}
        return type_of(function(*map(_example, args), **named))
    except Exception:  # whatever is wrong with the arguments shows when the graph runs
        raise NotKnown from None


def _with_dims(shape: Shape, found: Type) -> Type:
    """Returns the type of a draw with the dims that were asked for in the place of the trial's."""
    if not isinstance(found, ArrayType) or found.shape is None:
        return found
    return ArrayType(found.dtype, (*shape, *found.shape[len(shape):]), found.scalar)


def _example(x: Any) -> Any:
    """An argument to try: ones in the place of what is not known."""
    if isinstance(x, PyType):
        return x.cls(1)
    if isinstance(x, ArrayType):
        if not x.is_static or rules.size_of(x.shape or ()) > SMALL:  # type: ignore[operator]
            raise NotKnown
        made = np.ones([int(d or 0) for d in x.shape or ()], x.dtype)
        return made[()] if x.scalar else made
    if isinstance(x, rules.TYPES) or (isinstance(x, (list, tuple)) and any(
            isinstance(i, rules.TYPES) for i in x)):
        raise NotKnown
    return x


def make_generator(cls: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """`np.random.default_rng(seed)` and the like."""
    return cls(*args, **kwargs)


DRAW = define(Op(
    "draw", draw, _draw, "", (), onnx=None, effect="random", roles=((1, "draw"),),
    doc="a call of a generator's method: `rng.normal(…)`, `np.random.rand(…)`"))
MAKE_GENERATOR = define(Op(
    "make_generator", make_generator, rules.fixed(DYNAMIC), "", (), onnx=None, effect="random",
    roles=((0, "function"),),
    doc="a generator that the function makes: `np.random.default_rng(…)`"))
define(Op("drawn_into", drawn_into, lambda x, *args, **kwargs: rules.as_type(x), "", (),
          onnx=None, effect="random", inplace=draw_into, roles=((2, "draw"),),
          doc="the array after a draw changed it: `rng.shuffle(x)`"))
