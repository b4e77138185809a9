"""Whether steps from an array end in a view of it: the answer is NumPy's, and reads no memory."""

import random
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.types import ArrayType
from autograph.runtime.ops import OPS
from autograph.runtime.ops.shape import RAVEL, RESHAPE, TRANSPOSE
from autograph.runtime.ops.views import Apply, Item, Step
from autograph.runtime.symbolic.memory_order import shares

SHAPES = [(), (0,), (1,), (6,), (2, 3), (3, 1), (1, 4), (2, 0, 3), (2, 3, 4), (1, 2, 1, 3)]


def random_steps(chance: random.Random, x: Any) -> tuple[list[Step], Any, bool]:
    """Some steps from an array, what they give, and True if it is a view of the array."""
    steps: list[Step] = []
    shared, here = True, x
    for _ in range(chance.randint(1, 4)):
        order = {"order": chance.choice("CFA")} if chance.random() < 0.5 else {}
        step: Step = chance.choice([
            Apply(TRANSPOSE),
            Apply(RAVEL, (), {"order": "K"} if chance.random() < 0.2 else order),
            Apply(RESHAPE, (chance.choice([-1, here.shape[::-1], (*here.shape, 1)])
                            if here.size else here.shape[::-1],), order),
            Item(slice(None, None, chance.choice([1, 2, -1])) if here.ndim else ...),
            Apply(OPS["asarray"], (), order)])
        made = step.of(here)
        if isinstance(step, Apply) and step.op.may_copy:
            shared = shared and (not here.size or np.shares_memory(made, here))
        steps, here = [*steps, step], made
    return steps, here, shared


@pytest.mark.parametrize("dtype", ["f8", "U3", "O"])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_answer_is_numpys(shape: tuple[int, ...], dtype: str) -> None:
    chance = random.Random(f"{shape} {dtype}")
    x = np.zeros(shape, dtype)
    for _ in range(100):
        steps, _, shared = random_steps(chance, x)
        assert shares(ArrayType(x.dtype, shape), steps) is shared, steps


@pytest.mark.parametrize("dtype", ["f8", "U5", "O"])
def test_no_memory_is_read(dtype: str) -> None:
    """A copy of this array would be larger than any memory."""
    huge = ArrayType(np.dtype(dtype), (1 << 24, 1 << 24))
    assert shares(huge, [Apply(TRANSPOSE), Apply(RAVEL)]) is False
    assert shares(huge, [Apply(TRANSPOSE), Apply(RESHAPE, (-1,))]) is False
    assert shares(huge, [Apply(RESHAPE, (-1,))]) is True


@pytest.mark.parametrize("view", [
    lambda v: v[::2].ravel(), lambda v: v.reshape(2, 3)[:, :1].ravel(),
    lambda v: v.reshape(2, 3)[:, :1].reshape(-1), lambda v: v[::-1].ravel("K"),
    lambda v: v.reshape(2, 3).swapaxes(0, 1).ravel(order="K")])
def test_a_write_reaches_what_numpy_shares(view: Any) -> None:
    def write(v: Any) -> Any:
        a = view(v)
        a[0] = 7
        return a
    given, expected = np.arange(6.0), np.arange(6.0)
    assert (ag.function(write)(given) == write(expected)).all()
    assert (given == expected).all()


@pytest.mark.parametrize("make", [
    lambda v: np.zeros((2, 3), float, "F"), lambda v: np.copy(np.ones((2, 3)), "F"),
    lambda v: np.array([v, v], order="F"), lambda v: np.ones((2, 3)) * v])
def test_an_order_is_given_by_position_or_by_name(make: Any) -> None:
    def write(v: Any) -> Any:
        x = make(v)
        x[0] = v
        y = x.reshape(-1)
        y[0] = 99.0
        return x, y
    for made, expected in zip(ag.function(write)(np.arange(3.0)), write(np.arange(3.0)),
                              strict=True):
        np.testing.assert_array_equal(made, expected)


def test_an_operand_that_is_used_twice_is_asked_once():
    """Of 60 sums of a value with itself there are 2**60 paths to the argument."""
    @ag.function
    def f(x: Any) -> Any:
        y = x
        for _ in range(60):
            y = y + y * 0.5
        y.reshape(-1)[0] = 1.0
        return y

    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(f(x), f.python_function(x))
