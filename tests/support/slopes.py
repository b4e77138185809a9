"""Derivatives of whole programs along random directions: both modes, and central differences.

A program is differentiated as it is: its float arguments move along random directions, its float
results are summed with random weights. Whether the derivative exists at the arguments is asked of
the plain function alone: differences of two step sizes, and from both sides, have to agree.
"""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import autograph as ag
from autograph.runtime.control_flow.raised_errors import is_symbolic_error
from autograph.runtime.ir.errors import TracingError
from autograph.runtime.ir.pytree import children, flatten, map_nest

STEP = 1e-5


@dataclass
class Verdict:
    """What became of one program.

    outcome  "agree", "wrong", "refused", "no slope" (plain values do not tell), "error".
    """

    outcome: str
    told: str = ""


def is_float(x: Any) -> bool:
    return (type(x) in (float, complex)) or (
        isinstance(x, (np.ndarray, np.generic)) and x.dtype.kind in "fc")


def symmetrised(x: Any) -> Any:
    """The Hermitian part of square matrices; other values as they are."""
    if np.ndim(x) < 2 or np.shape(x)[-1] != np.shape(x)[-2]:
        return x
    return (x + np.conj(np.swapaxes(x, -1, -2))) / 2


def moved_off(value: Any, rng: np.random.Generator, symmetric: bool = False) -> Any:
    """The same nest, off integers and ties; arrays of integers become arrays of floats.

    symmetric: square matrices move by symmetric ones.
    """
    kept = symmetrised if symmetric else np.asarray

    def leaf(x: Any) -> Any:
        if isinstance(x, np.ndarray) and x.dtype.kind in "iuf":
            made = np.asarray(x + 0.13 * kept(rng.standard_normal(x.shape)))
            return made.astype(x.dtype if x.dtype.kind == "f" else float)
        if isinstance(x, np.floating) or type(x) is float:
            return type(x)(x + 0.13 * rng.standard_normal())
        return x

    return map_nest(leaf, value)


def like(x: Any, rng: np.random.Generator) -> Any:
    """Random numbers of the type and shape of x."""
    made = rng.standard_normal(np.shape(x))
    if np.iscomplexobj(x):
        made = made + 1j * rng.standard_normal(np.shape(x))
    if isinstance(x, np.ndarray):
        return np.asarray(made).astype(x.dtype)
    return type(x)(np.asarray(made).astype(np.result_type(x))[()])


def leaves(nest: Any) -> Iterator[Any]:
    return (x for x in flatten(nest) if is_float(x))


def paired(a: Any, b: Any) -> float:
    """The real part of the sum of products of two nests' floats."""
    return float(sum(np.sum(np.real(np.multiply(x, y, dtype=complex)))
                     for x, y in zip(a, b, strict=True)))


class Trial:
    """A function at some arguments, along one direction; a symmetric one for functions that read
    one triangle of a matrix."""

    def __init__(self, function: Callable[..., Any], arguments: tuple[Any, ...], seed: int = 0,
                 symmetric: bool = False) -> None:
        self.function = function
        self.rng = np.random.default_rng(seed)
        self.arguments = arguments
        kept = symmetrised if symmetric else (lambda x: x)
        self.direction = map_nest(lambda x: kept(like(x, self.rng)) if is_float(x) else None,
                                  arguments)

    def run(self, arguments: Any, function: Callable[..., Any] | None = None) -> Any:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return (function or self.function)(*copy.deepcopy(arguments))

    def at(self, step: float) -> list[Any]:
        """The results' floats, moved by so many steps of the direction."""
        moves = iter(list(flatten(self.direction)))

        def leaf(x: Any) -> Any:
            t = next(moves)
            if not is_float(x):
                return x
            made = x + step * t
            if isinstance(x, np.ndarray):
                made = np.asarray(made)  # NumPy makes numbers of arrays of shape ()
            return made.astype(x.dtype) if isinstance(x, np.ndarray) else type(x)(made)

        return [np.asarray(y) for y in leaves(self.run(map_nest(leaf, self.arguments)))]

    def slope(self) -> float | None:
        """The derivative as differences of the plain function give it; None where they do not."""
        middle = self.at(0.0)
        if not middle or any(y.dtype.itemsize < 8 or y.dtype == np.complex64 for y in middle):
            return None
        self.weights = [like(y, self.rng) for y in middle]
        found = []
        for step in (STEP, -STEP, STEP / 4, -STEP / 4, STEP / 1000, -STEP / 1000):
            other = self.at(step)
            if [y.shape for y in other] != [y.shape for y in middle]:
                return None
            found.append(paired(self.weights, [(y - m) / step for y, m in zip(
                other, middle, strict=True)]))
        if not all(map(math.isfinite, found)):
            return None
        one, half = (found[0] + found[1]) / 2, (found[2] + found[3]) / 2
        tiny = (found[4] + found[5]) / 2  # a program in many small pieces has other slopes here
        rough = max(abs(found[2] - found[3]), abs(one - half), abs(tiny - half))
        return half if rough < 1e-3 * max(1.0, abs(half)) else None

    def refuses(self) -> bool:
        return not any(x is not None for x in flatten(self.direction))

    def reverse(self) -> float:
        y, pullback = self.run(self.arguments, lambda *a: ag.vjp(self.function, *a))
        weights = iter(self.weights)
        y_bar = map_nest(lambda x: _shaped(next(weights), x) if is_float(x) else x, y)
        gradients = [g for g, t in zip(
            flatten(pullback(y_bar)), flatten(self.direction), strict=True) if t is not None]
        return paired(gradients, [t for t in flatten(self.direction) if t is not None])

    def forward(self) -> float:
        y, y_dot = self.run(self.arguments, lambda *a: ag.jvp(self.function, a, self.direction))
        return paired(beside(y, y_dot), self.weights)

    def verdict(self, tolerance: float = 2e-5) -> Verdict:
        """Compares the three derivatives."""
        try:
            slope = None if self.refuses() else self.slope()
        except Exception as error:
            return Verdict("no slope", type(error).__name__)
        if slope is None:
            return Verdict("no slope")
        told, refusals = [], []
        for name in ("reverse", "forward"):
            try:
                found = getattr(self, name)()
            except ag.NotDifferentiable as error:
                refusals.append(f"{name}: {error}")
                continue
            except Exception as error:
                if isinstance(error, TracingError) or is_symbolic_error(error):
                    refusals.append(f"{name}: {error}")
                    continue
                return Verdict("error", f"{name}: {type(error).__name__}: {error}")
            if not abs(found - slope) <= tolerance * max(1.0, abs(slope)):
                told.append(f"{name} {found}, differences {slope}")
        if told:
            return Verdict("wrong", "; ".join(told))
        return Verdict("refused", "; ".join(refusals)) if refusals else Verdict("agree")


def beside(y: Any, t: Any) -> list[Any]:
    """The tangent of each float in a result; None stands for zero."""
    found = children(y)
    if found is None:
        return [] if not is_float(y) else [np.zeros_like(y) if t is None else t]
    parts = [None] * len(found[1]) if t is None else children(t)[1]
    return [x for a, b in zip(found[1], parts, strict=True) for x in beside(a, b)]


def _shaped(weight: Any, y: Any) -> Any:
    return weight if isinstance(y, np.ndarray) else type(y)(weight[()])
