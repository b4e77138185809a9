"""Random generators while a function is traced: each draw is recorded, and made by the run."""

from __future__ import annotations

import inspect
import pickle
import random
import sys
from collections.abc import Callable, Iterator
from functools import wraps
from types import ModuleType
from typing import Any

import numpy as np

from autograph.libraries import OPAQUE
from autograph.own_attributes import held
from autograph.runtime.heap.growing_lists import StagedList
from autograph.runtime.heap.objects import attributes_of
from autograph.runtime.ir.errors import SymbolicValueError, at
from autograph.runtime.ir.pytree import all_leaves
from autograph.runtime.ir.types import PyType
from autograph.runtime.ops import opaque
from autograph.runtime.ops.op import Op
from autograph.runtime.ops.random import GENERATORS
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor, apply

Fn = Callable[..., Any]

STORING = frozenset({"shuffle"})
"""Methods that change their argument."""


class Source(Tensor):
    """A generator that the function makes itself: each run of the graph makes a new one."""

    __slots__ = ("cls",)

    def __init__(self, generator: Tensor, cls: str) -> None:
        super().__init__(generator.read())
        self.cls = cls

    def __getattr__(self, name: str) -> Any:
        if hasattr(GENERATORS[self.cls](), name) and name not in ("bit_generator", "__dict__"):
            return _method(self, f"{self.cls}.{name}")
        return super().__getattr__(name)


def _method(generator: Any, method: str) -> Fn:
    """Returns a function that records a call of a generator's method."""
    name = method.partition(".")[2]

    def recorded(*args: Any, out: Any = None, **kwargs: Any) -> Any:
        if name in STORING:
            out, *rest = args
            _store(out, generator, method, rest, kwargs)
            return None
        if out is not None:
            return _store(out, generator, method, args, kwargs)
        return apply("draw", generator, method, *args, **kwargs)

    recorded.__name__ = name
    return recorded


def _store(x: Any, generator: Any, method: str, args: Any, kwargs: dict[str, Any]) -> Any:
    if isinstance(x, list) and method.endswith(".shuffle"):
        return _shuffle(x, generator, method.partition(".")[2], args, kwargs)
    if not isinstance(x, Tensor):
        raise SymbolicValueError(
            f"{method} changes a Python object in place, which is not part of the graph"
            f"{at(user_location())}\n"
            "  hint: pass an array, such as np.array(xs), or use permutation, which returns a copy")
    x.write(apply("drawn_into", x, generator, method, *args, **kwargs).read())
    return x


def _shuffle(items: list[Any], generator: Any, name: str, args: Any, kwargs: dict[str, Any]
             ) -> None:
    given = items if isinstance(items, StagedList) else list(items)
    made = apply(SHUFFLED, given, generator, name, *args, **kwargs)
    if isinstance(items, StagedList):
        items.become(made)
    else:
        items[:] = [made[i] for i in range(len(items))]


def shuffled(items: Any, generator: Any, method: str, *args: Any, **kwargs: Any) -> list[Any]:
    """A list as `generator.shuffle` leaves it"""
    made = list(items)
    getattr(generator, method)(made, *args, **kwargs)
    return made


SHUFFLED = Op("shuffled", shuffled, lambda *args, **kwargs: PyType(list), "", (),
              onnx=None, effect="random", doc="a list as `generator.shuffle` leaves it")


def drawing(method: Any) -> Fn:
    """Returns the replacement of a generator's bound method: it records the draw while tracing."""
    owner = method.__self__
    recorded = _method(owner, f"{_class_of(owner)}.{method.__name__}")

    @wraps(method)
    def replacement(*args: Any, **kwargs: Any) -> Any:
        return recorded(*args, **kwargs) if trace.tracing() else method(*args, **kwargs)

    return replacement


def _class_of(generator: Any) -> str:
    return next(cls.__name__ for cls in type(generator).__mro__ if cls.__name__ in GENERATORS)


def making(maker: Fn, cls: str) -> Fn:
    """Returns the replacement of a function that makes generators of the class."""
    @wraps(maker, updated=())
    def replacement(*args: Any, **kwargs: Any) -> Any:
        if not trace.tracing():
            return maker(*args, **kwargs)
        return Source(apply("make_generator", maker, *args, **kwargs), cls)

    return replacement


def when_it_runs(function: Fn, op: Op) -> Fn:
    """Returns the replacement of a function that the graph calls, whatever its arguments."""
    @wraps(function, updated=())
    def replacement(*args: Any, **kwargs: Any) -> Any:
        return apply(op, *args, **kwargs) if trace.tracing() else function(*args, **kwargs)

    return replacement


SEEDS = frozenset({"random_state", "rng", "seed"})
"""The names that libraries give to the parameter which says where random numbers come from."""


def may_draw(function: Fn) -> bool:
    """Returns True if a library function may draw random numbers, by its name and parameters."""
    if held(function, "__name__", "") == "rvs":
        return True
    if type(function).__module__ in OPAQUE:
        return False
    try:
        return not SEEDS.isdisjoint(inspect.signature(function).parameters)
    except (TypeError, ValueError):  # C does not always tell
        return False


def unless_drawn(function: Fn, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Calls a function; returns its result, or NotImplemented if it drew random numbers. In that
    case the generators are put back to their state before the call."""
    if "numpy.random" not in sys.modules:
        return function(*args, **kwargs)
    generators = [np.random.mtrand._rand, *_generators_in((args, kwargs), NESTED)]
    before = [pickle.dumps(g) for g in generators]
    made = function(*args, **kwargs)
    drawn = [(g, old) for g, old in zip(generators, before, strict=True) if pickle.dumps(g) != old]
    for generator, old in drawn:
        _put_back(generator, pickle.loads(old))
    return NotImplemented if drawn else made


NESTED = 3
"""Generators are searched for in objects in objects to this depth: SciPy's distributions hold
theirs."""


def _generators_in(nest: Any, depth: int) -> Iterator[Any]:
    for x in all_leaves(nest):
        if isinstance(x, (np.random.Generator, np.random.RandomState)):
            yield x
        elif depth and not isinstance(x, (type, ModuleType)):
            yield from _generators_in(list(attributes_of(x).values()), depth - 1)


def _put_back(generator: Any, old: Any) -> None:
    if isinstance(old, np.random.Generator):
        generator.bit_generator.state = old.bit_generator.state
    else:
        generator.set_state(old.get_state(legacy=False))


REPLACEMENTS: dict[Any, Fn] = {random.Random: making(random.Random, "Random")}
FAMILY_REPLACEMENTS: dict[type, Fn] = {random.Random: drawing}


def numpy_replacements() -> tuple[dict[Any, Fn], dict[type, Fn]]:
    """Returns the rows of `numpy.random` for `REPLACEMENTS` and `FAMILY_REPLACEMENTS`.

    They are made when a program first uses that module: NumPy imports it lazily, and the import
    takes a quarter of the time of all the rest.
    """
    state = (np.random.seed, np.random.get_state, np.random.set_state)
    replacements: dict[Any, Fn] = {
        np.random.default_rng: making(np.random.default_rng, "Generator"),
        np.random.Generator: making(np.random.Generator, "Generator"),
        np.random.RandomState: making(np.random.RandomState, "RandomState"),
        **{f: when_it_runs(f, opaque(f)) for f in state},
    }
    return replacements, {np.random.Generator: drawing, np.random.RandomState: drawing}
