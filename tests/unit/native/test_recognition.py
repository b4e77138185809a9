"""Guards on arrays in machine code: the same answers as the guards in Python."""

import itertools

import numpy as np
import pytest

import autograph as ag

pytest.importorskip("llvmlite")

from autograph.runtime.functions.recognised_calls import steps_at_once, steps_of
from autograph.runtime.native.machine import missing
from autograph.runtime.native.recognition import recogniser

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())

F64 = np.dtype(np.float64)


class Sub(np.ndarray):
    """A class of arrays that is not NumPy's own."""


BASE = np.zeros((6, 8))
GIVEN = {
    "plain": BASE, "reversed": BASE[::-1], "columns": BASE[:, ::2], "transposed": BASE.T,
    "row": BASE[0], "row from its end": BASE[0, ::-1], "element": BASE[2, 3:4],
    "nothing": BASE[:, :0], "no rows": BASE[3:3], "0-d": BASE[2, 3, ...],
    "other": np.zeros((6, 8)), "spread": np.broadcast_to(BASE[:1], (6, 8)),
    "float32": np.zeros((6, 8), np.float32), "swapped": np.zeros((6, 8), ">f8"),
    "of objects": np.zeros((6, 8), object), "subclass": BASE.view(Sub), "list": [[0.0] * 8] * 6,
    "scalar": np.float64(1), "number": 1.0, "none": None, "class": np.ndarray,
}


@pytest.mark.parametrize("name", GIVEN)
@pytest.mark.parametrize("known", [x for x in GIVEN if type(GIVEN[x]) is np.ndarray])
def test_class_dtype_and_shape(known: str, name: str) -> None:
    like, x = GIVEN[known], GIVEN[name]
    if np.dtype(like.dtype.type) is not like.dtype:
        pytest.skip("such a dtype is compared in Python")
    expected = type(x) is np.ndarray and x.dtype is like.dtype and x.shape == like.shape
    assert recogniser([(like.dtype, like.shape)], [])(x) is expected


@pytest.mark.parametrize(("left", "right"), list(itertools.product(
    [x for x in GIVEN if type(GIVEN[x]) is np.ndarray and GIVEN[x].dtype == F64
     and GIVEN[x].dtype.isnative], repeat=2)))
def test_shared_memory(left: str, right: str) -> None:
    a, b = GIVEN[left], GIVEN[right]
    ask = recogniser([(F64, a.shape), (F64, b.shape)], [(1, 0)])
    assert ask(a, b) is not np.may_share_memory(a, b)


def moved(a, b, n):
    for i in range(len(a)):
        a[i] = a[i] + b[i] * n


def test_a_function_asks_once_and_falls_back() -> None:
    f = ag.function(moved, jit_compile=True)
    memory = np.arange(90.0)
    for _ in range(12):
        f(memory[:40].copy(), memory[40:80], 2)
    concrete = f.get_concrete_function(memory[:40].copy(), memory[40:80], 2)
    assert len(steps_at_once(concrete)) < len(steps_of(concrete)) - 2
    for start, n in ((0, 2), (1, 2), (40, 2), (41, 3), (0, 2.0)):
        left, right = memory.copy(), memory.copy()
        f(left[start:start + 40], left[40:80], n)
        moved(right[start:start + 40], right[40:80], n)
        assert left.tobytes() == right.tobytes()
    for given in ((memory[:39].copy(), memory[:39]), (np.ones(40, int), np.ones(40, int))):
        expected = [x.copy() for x in given]
        f(*given, 2)
        moved(*expected, 2)
        assert all(x.tobytes() == y.tobytes() for x, y in zip(given, expected, strict=True))
    with pytest.raises(TypeError):
        f([1.0] * 40, None, 2)


def test_arrays_in_containers() -> None:
    def total(pair, options):
        s = 0.0
        for i in range(len(pair[0])):
            s += pair[0][i] * options["by"][i]
        return s

    f = ag.function(total, jit_compile=True)
    x = np.arange(40.0)
    for _ in range(12):
        assert f((x, 1), {"by": x}) == total((x, 1), {"by": x})
    assert f((x, 1), {"by": x[::-1]}) == total((x, 1), {"by": x[::-1]})
    with pytest.raises(IndexError):
        f((x, 1), {"by": x[:3]})
