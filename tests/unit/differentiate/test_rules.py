"""Every derivative rule against differences, in both modes, twice, and for all kinds of operands.

The calls are the samples of the op table and those of `tests/support/derivative_samples.py`. A
sample of them runs by default; AUTOGRAPH_DERIVATIVES=1 runs all.
"""

import os
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
from tests.support.derivative_samples import (
    AT_KINKS,
    DOUBLE_ONLY,
    DYNAMIC,
    FIRST_ONLY,
    FIRST_ORDER_ONLY,
    REFUSED_CALLS,
    SYMMETRIC,
    extra_samples,
)

ALL = "AUTOGRAPH_DERIVATIVES" in os.environ
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
    groups: dict[Op, list[int]] = {}
    for op, k in sampled(of, salt):
        groups.setdefault(op, []).append(k)
    return pytest.mark.parametrize(("op", "which"), groups.items(), ids=lambda x: getattr(
        x, "name", ""))


@by_op(4, "reverse")
def test_gradient_is_the_slope(op: Op, which: list[int]) -> None:
    def test(call: Call) -> None:
        found, t = gradient(call), call.directions()
        close(call, paired(found, t), call.slope(call.plain, t), size(found))
        for g, x in zip(found, call.leaves, strict=True):
            assert type(g) is type(x)
            assert np.shape(g) == np.shape(x)
            assert not isinstance(x, (np.ndarray, np.generic)) or g.dtype == x.dtype

    check(op, which, test)


@by_op(8, "second")
def test_second_derivative_is_the_slope_of_the_gradient(op: Op, which: list[int]) -> None:
    which = [k for k in which if (op.name, k) not in FIRST_ORDER_ONLY]

    def test(call: Call) -> None:
        if any(np.result_type(x) not in (np.float64, np.complex128) for x in call.leaves):
            return
        t, u = call.directions(), call.directions()
        positions = tuple(range(len(call.leaves)))

        def along(*leaves: Any) -> Any:
            found = ag.grad(call.traced, argnums=positions)(*leaves)
            return sum(np.sum(np.real(g * d)) for g, d in zip(found, t, strict=True))

        found = quietly(ag.grad(along, argnums=positions), *call.leaves)
        expected = call.slope(lambda leaves: paired(quietly(
            ag.grad(call.traced, argnums=positions), *leaves), t), u)
        close(call, paired(found, u), expected, size(found))

    check(op, which, test)


# -- other operands -------------------------------------------------------------------------------


def strided(x: Any) -> Any:
    made = np.zeros(tuple(2 * d for d in x.shape), x.dtype)[tuple(slice(None, None, 2)
                                                                  for _ in x.shape)]
    made[...] = x
    return made


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "fortran": np.asfortranarray, "strided": strided,
    "reversed": lambda x: np.ascontiguousarray(x[tuple(slice(None, None, -1) for _ in x.shape)])[
        tuple(slice(None, None, -1) for _ in x.shape)],
    "read-only": lambda x: read_only(x),
}


def read_only(x: Any) -> Any:
    made = x.copy()
    made.flags.writeable = False
    return made


@by_op(16, "layouts")
def test_gradient_does_not_depend_on_the_layout(op: Op, which: list[int]) -> None:
    def test(call: Call) -> None:
        expected = gradient(call)
        layout = list(LAYOUTS.values())[crc32(op.name.encode()) % len(LAYOUTS)]
        call.leaves = [layout(x) if isinstance(x, np.ndarray) and x.ndim else x
                       for x in call.leaves]
        for g, e in zip(gradient(call), expected, strict=True):
            np.testing.assert_allclose(g, e, rtol=1e-12, atol=1e-14)

    check(op, which, test)


@by_op(16, "float32")
def test_gradient_in_single_precision(op: Op, which: list[int]) -> None:
    if op.name in DOUBLE_ONLY:
        pytest.skip(DOUBLE_ONLY[op.name])

    def test(call: Call) -> None:
        expected = gradient(call)
        narrow = {np.dtype(float): np.float32, np.dtype(complex): np.complex64}
        call.leaves = [x.astype(narrow.get(x.dtype, x.dtype)) if isinstance(x, np.ndarray) else x
                       for x in call.leaves]
        call.weights = [None if w is None else w.astype(narrow[w.dtype]) if isinstance(
            w, np.ndarray) else w for w in call.weights]
        for g, e, x in zip(gradient(call), expected, call.leaves, strict=True):
            assert not isinstance(x, np.ndarray) or g.dtype == x.dtype
            np.testing.assert_allclose(g, e, rtol=2e-3, atol=2e-3 * max(1.0, np.max(np.abs(e),
                                                                                 initial=0.0)))

    check(op, which, test)


ELEMENTWISE = [op for op in RULED if op.elementwise and not op.elementwise_arity]


@pytest.mark.parametrize("op", ELEMENTWISE, ids=lambda op: op.name)
def test_elementwise_on_numbers_and_empty_arrays(op: Op) -> None:
    """A number, a 0-d array, an empty array and a broadcast one instead of the operands."""
    args, kwargs = next(sample for sample in extra_samples(op.name) if not sample[1])
    one = [x.ravel()[0] if isinstance(x, np.ndarray) else x for x in args]
    for make in (np.float64, np.array, lambda x: np.full((0, 2), x), lambda x: np.full((2, 1), x)):
        call = Call(op, tuple(make(x) if isinstance(x, np.float64) else x for x in one), kwargs)
        found, t = gradient(call), call.directions()
        close(call, paired(found, t), call.slope(call.plain, t))
        assert [type(g) for g in found] == [type(x) for x in call.leaves]


@pytest.mark.parametrize("op", [op for op in OPS.values() if isinstance(op.derivative, Zero)
                                and op.samples], ids=lambda op: op.name)
def test_zero_rule_is_of_what_is_locally_constant(op: Op) -> None:
    for args, kwargs in op.samples:
        quiet = map_leaves(lambda x: x + 0.01 * np.exp(1) / 100 if is_float(x) and not isinstance(
            x, complex) else x, (args, kwargs))
        before = quietly(op.kernel, *quiet[0], **quiet[1])
        nearby = map_leaves(lambda x: x + 1e-9 if is_float(x) else x, quiet)
        after = quietly(op.kernel, *nearby[0], **nearby[1])
        if op.effect or op.name in ("empty", "empty_like", "stop_gradient", "pushed_none"):
            continue
        assert is_constant(before, after), (args, kwargs)


def is_constant(before: Any, after: Any) -> bool:
    if isinstance(before, (tuple, list)):
        return all(map(is_constant, before, after))
    if not isinstance(before, (np.ndarray, np.generic, float)) or not is_float(before):
        return True
    return np.array_equal(before, after, equal_nan=True)


# -- the table ------------------------------------------------------------------------------------


def test_every_op_has_a_rule_or_a_reason() -> None:
    assert [op.name for op in OPS.values() if op.derivative is None] == []


def test_reasons_are_sentences_with_a_way_out() -> None:
    for op in OPS.values():
        if isinstance(op.derivative, Refused):
            assert len(op.derivative.reason) > 40


def test_ops_at_kinks_have_other_calls() -> None:
    for name in AT_KINKS:
        assert extra_samples(name) or SYMMETRIC.get(name), name


@pytest.mark.parametrize("call", sorted(REFUSED_CALLS), ids=str)
def test_call_is_refused_with_its_line(call: tuple[str, int]) -> None:
    op = OPS[call[0]]
    args, kwargs = list(calls(op))[call[1]]
    with pytest.raises(ag.NotDifferentiable, match=f"(?s){REFUSED_CALLS[call]}.*test_rules.py"):
        gradient(Call(op, args, kwargs))
