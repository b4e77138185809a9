"""Calls of ops as functions of their floats, for the tests of derivative rules.

The calls are the samples of the op table and those of `derivative_samples`. A sample of them runs
by default; AUTOGRAPH_TESTS=1000 runs all.
"""

import warnings
from collections.abc import Callable, Iterator
from typing import Any
from zlib import crc32

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.graph import map_leaves
from autograph.runtime.ops import OPS, Op
from autograph.runtime.ops.derivatives import Refused, Structural, Zero
from autograph.runtime.ops.op import Sample
from autograph.runtime.symbolic.tensor import apply
from tests.support.amount import ALL
from tests.support.derivative_samples import (
    AT_KINKS,
    DYNAMIC,
    FIRST_ONLY,
    REFUSED_CALLS,
    SYMMETRIC,
    extra_samples,
)

STEP = {False: 6e-6, True: 1e-2}
"""The step of differences; larger where the result has single precision."""
LISTS = ("pieces_of",)
"""Ops of lists that only the run knows: test_containers differentiates what they are made for."""

RULED = [op for op in OPS.values() if op.name not in LISTS and not isinstance(
    op.derivative, (Zero, Refused, Structural))]


def is_float(x: Any) -> bool:
    return isinstance(x, (float, complex)) or (
        isinstance(x, (np.ndarray, np.generic)) and x.dtype.kind in "fc")


def quietly(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return fn(*args, **kwargs)


class Call:
    """A call of an op, as a function of its floats that gives one real number."""

    def __init__(self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], seed: int = 0
                 ) -> None:
        self.op = op
        self.rest = args[1:] if op.name in FIRST_ONLY else ()
        self.nest = (args[:1] if op.name in FIRST_ONLY else args, kwargs)
        self.leaves: list[Any] = []
        map_leaves(lambda x: self.leaves.append(x) if is_float(x) else None, self.nest)
        self.rng = np.random.default_rng(seed)
        self.outputs = self.outputs_of(self.kernel(self.leaves))
        self.single = any(is_float(z) and np.result_type(z) in (np.float32, np.complex64)
                          for z in self.outputs)
        self.is_narrow = self.single or any(
            np.result_type(x).itemsize < (16 if np.iscomplexobj(x) else 8) for x in self.leaves)
        self.weights = [self.like(z) if is_float(z) else None for z in self.outputs]

    def kernel(self, leaves: list[Any], call: Callable[..., Any] | None = None) -> Any:
        new = iter(leaves)
        args, kwargs = map_leaves(lambda x: next(new) if is_float(x) else x, self.nest)
        return (call or self.op.kernel)(*args, *self.rest, **kwargs)

    def outputs_of(self, made: Any) -> list[Any]:
        return list(made) if isinstance(made, (tuple, list)) else [made]

    def like(self, x: Any) -> Any:
        """Random numbers of the shape and precision of x."""
        made = self.rng.standard_normal(np.shape(x))
        if np.iscomplexobj(x):
            made = made + 1j * self.rng.standard_normal(np.shape(x))
        return made

    def total(self, made: Any) -> Any:
        """The real number that is differentiated."""
        return sum(np.sum(np.real(z * w)) for z, w in zip(self.outputs_of(made), self.weights,
                                                           strict=True) if w is not None)

    def traced(self, *leaves: Any) -> Any:
        return self.total(self.kernel(list(leaves), lambda *a, **k: apply(self.op, *a, **k)))

    def plain(self, leaves: list[Any]) -> float:
        return float(self.total(quietly(self.kernel, leaves)))

    def directions(self) -> list[Any]:
        found = [self.like(x) for x in self.leaves]
        if self.op.name in SYMMETRIC:
            found = [(t + np.conj(np.swapaxes(t, -1, -2))) / 2 for t in found]
        return found

    def slope(self, fn: Callable[[list[Any]], Any], t: list[Any]) -> Any:
        """The central difference of a function of the leaves."""
        wide = [x.astype(np.promote_types(x.dtype, float)) if isinstance(x, (
            np.ndarray, np.generic)) else x for x in self.leaves]
        ahead, back = ([_moved(x, s * STEP[self.single] * d) for x, d in zip(wide, t, strict=True)]
                       for s in (1, -1))
        return (fn(ahead) - fn(back)) / (2 * STEP[self.single])


def _moved(x: Any, by: Any) -> Any:
    made = x + by
    return type(x)(made) if isinstance(x, (float, complex)) and not isinstance(
        x, np.generic) else made


def paired(gradients: Any, t: list[Any]) -> float:
    return float(sum(np.sum(np.real(g * d)) for g, d in zip(gradients, t, strict=True)))


def size(gradients: Any) -> float:
    return float(sum(np.sum(np.abs(g)) for g in gradients))


def calls(op: Op) -> Iterator[Sample]:
    """The calls of an op at which its derivative is continuous."""
    if op.name not in AT_KINKS:
        yield from op.samples
    yield from extra_samples(op.name)
    yield from SYMMETRIC.get(op.name, ())


def gradient(call: Call) -> Any:
    return quietly(ag.grad(call.traced, argnums=tuple(range(len(call.leaves)))), *call.leaves)


CALLS = [(op, k) for op in RULED for k, _ in enumerate(calls(op))]


def sampled(of: int, salt: str) -> list[tuple[Op, int]]:
    """One of so many calls, at least one of each op; where they are few, of a third of the ops."""
    if ALL:
        return CALLS
    found = []
    seen = {op.name for op in RULED if of > 4 and crc32(f"{op.name}{salt}".encode()) % 3}
    for op, k in sorted(CALLS, key=lambda c: crc32(f"{salt}{c[0].name}{c[1]}".encode())):
        if op.name not in seen or not crc32(f"{salt}{op.name}.{k}".encode()) % of:
            found.append((op, k))
            seen.add(op.name)
    return found


def check(op: Op, which: list[int], test: Callable[[Call], None]) -> None:
    chosen = set(which)
    for k, (args, kwargs) in enumerate(calls(op)):
        if k not in chosen or (op.name, k) in REFUSED_CALLS or (op.name, k) in DYNAMIC:
            continue
        call = Call(op, args, kwargs, k)
        if call.leaves and any(w is not None for w in call.weights):
            test(call)


def close(call: Call, found: Any, expected: Any, scale: float = 1.0) -> None:
    rtol = 2e-3 if call.single else 2e-6
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * max(0.1, scale / 10))


def by_op(of: int, salt: str) -> Any:
    """Runs a test for each op, with the numbers of the calls to try."""
    groups: dict[Op, list[int]] = {}
    for op, k in sampled(of, salt):
        groups.setdefault(op, []).append(k)
    return pytest.mark.parametrize(("op", "which"), groups.items(), ids=lambda x: getattr(
        x, "name", ""))
