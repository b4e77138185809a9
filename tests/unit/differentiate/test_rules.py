"""Every derivative rule against differences: both modes, twice, for all kinds of operands."""

import inspect
from collections.abc import Callable
from typing import Any
from zlib import crc32

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.graph import map_leaves
from autograph.runtime.ops import OPS, Op
from autograph.runtime.ops.derivatives import Refused, Zero
from tests.support.derivative_calls import (
    RULED,
    Call,
    by_op,
    calls,
    check,
    close,
    gradient,
    is_float,
    paired,
    quietly,
    size,
)
from tests.support.derivative_samples import (
    AT_KINKS,
    DOUBLE_ONLY,
    FIRST_ONLY,
    FIRST_ORDER_ONLY,
    REFUSED_CALLS,
    SYMMETRIC,
    extra_samples,
)


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


@by_op(6, "forward")
def test_forward_mode_is_the_slope(op: Op, which: list[int]) -> None:
    """Each call has forward mode where it has reverse mode; both give one number."""
    def test(call: Call) -> None:
        t = [like(x, d) for x, d in zip(call.leaves, call.directions(), strict=True)]
        y, found = quietly(ag.jvp, call.traced, tuple(call.leaves), tuple(t))
        g = gradient(call)
        close(call, found, call.slope(call.plain, t), size(g))
        rtol = 1e-3 if call.is_narrow else 1e-9
        np.testing.assert_allclose(found, paired(g, t), rtol=rtol, atol=rtol * max(1.0, size(g)))
        assert np.shape(found) == np.shape(y)

    check(op, which, test)


@by_op(12, "by each")
def test_forward_mode_by_one_operand(op: Op, which: list[int]) -> None:
    """The others are constants: what a rule makes of an operand without a tangent."""
    def test(call: Call) -> None:
        for k, (x, d) in enumerate(zip(call.leaves, call.directions(), strict=True)):
            t = [None] * len(call.leaves)
            t[k] = like(x, d)
            _, found = quietly(ag.jvp, call.traced, tuple(call.leaves), tuple(t))
            g = quietly(ag.grad(call.traced, argnums=k), *call.leaves)
            rtol = 1e-3 if call.is_narrow else 1e-9
            np.testing.assert_allclose(found, paired([g], [t[k]]), rtol=rtol, atol=rtol * max(
                1.0, size([g])))

    check(op, which, test)


@by_op(4, "names")
def test_operands_by_name(op: Op, which: list[int]) -> None:
    """A further operand that is given by name has its gradient, or is refused."""
    try:
        parameters = list(inspect.signature(op.kernel).parameters.values())
    except ValueError:
        return
    first = max(1, sum(p.kind is p.POSITIONAL_ONLY for p in parameters))
    named = [p.name for p in parameters[first:] if p.kind is p.POSITIONAL_OR_KEYWORD]

    def test(call: Call) -> None:
        args, kwargs = call.nest
        if op.name in FIRST_ONLY or not 0 < len(args) - first <= len(named):
            return
        expected = gradient(call)
        call.nest = args[:first], {**dict(zip(named, args[first:], strict=False)), **kwargs}
        try:
            found = gradient(call)
        except (ag.NotDifferentiable, TypeError, ag.errors.SymbolicValueError):
            return
        for g, e in zip(found, expected, strict=True):
            np.testing.assert_allclose(g, e, rtol=1e-12, atol=1e-14)

    check(op, which, test)


def like(x: Any, d: Any) -> Any:
    """A direction of the type of what moves."""
    made = np.asarray(d).astype(np.result_type(x))
    return made if isinstance(x, np.ndarray) else type(x)(made[()])


HOLOMORPHIC = [op for op in RULED if op.elementwise and not op.elementwise_arity and any(
    np.iscomplexobj(x) for args, _ in extra_samples(op.name) for x in args)]


@pytest.mark.parametrize("op", HOLOMORPHIC, ids=lambda op: op.name)
def test_gradient_is_the_complex_step(op: Op) -> None:
    """Where an op takes complex numbers, its slope without any rounding of differences."""
    h = 1e-30
    for args, kwargs in extra_samples(op.name):
        if not all(isinstance(x, np.ndarray) and x.dtype == float for x in args):
            continue
        call = Call(op, args, kwargs)
        t = call.directions()
        try:
            made = op.kernel(*(x + 1j * h * d for x, d in zip(args, t, strict=True)), **kwargs)
        except TypeError:
            continue
        if not np.iscomplexobj(made) or op.name in NOT_HOLOMORPHIC:
            continue
        slope = np.sum(np.imag(made) / h * call.weights[0])
        np.testing.assert_allclose(paired(gradient(call), t), slope, rtol=1e-11, atol=1e-12)


NOT_HOLOMORPHIC = {"np.conjugate", "absolute", "np.absolute", "np.sign", "nan_to_num"}


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
    message = f"(?s){REFUSED_CALLS[call]}.*derivative_calls.py"
    with pytest.raises(ag.NotDifferentiable, match=message):
        gradient(Call(op, args, kwargs))
