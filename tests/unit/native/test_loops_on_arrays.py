"""Operations on arrays and views inside native loops: NumPy's bits, memory, errors."""

import linecache
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.native import kernel
from autograph.runtime.native.array_kernel import python_function
from autograph.runtime.native.kernel import Kernel
from autograph.runtime.native.trusted import GIVES_UP
from tests.random.test_numerics import outcome
from tests.support.native import compile_short_loops, tell_kernels

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

PROGRAMS = {
    "triangle": "for i in range(4):\n c[i, :i + 1] *= 0.5\n c[i, :i + 1] += a[i] * c[:i + 1, i]",
    "stencil": "for _ in range(3):\n a[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3",
    "table": "for k in range(4):\n c[:] = np.minimum(c, c[:, k][:, None] + c[k, :][None, :])",
    "rows": "for i in range(4):\n a[i] = np.sum(c[i, :i] * c[i, :i]) + c[i].max()",
    "gather": "for i in range(3):\n a[i] = np.sum(c[i] * a[n[i:i + 2]][0])",
    "carried": "u = a * 1\nfor _ in range(3):\n u = np.sin(u) * a + u\na[:] = u",
    "swapped": "u, v = a * 1, a * 2\nfor _ in range(3):\n u, v = v - u, u + v\na[:] = u - v",
    "chosen": "u = a * 1\nfor i in range(4):\n u = np.where(u > 0.5, u - 1, u + i)\na[:] = u",
    "axes": "for i in range(1, 4):\n a[i] = c.sum(axis=0)[i] + c.mean(1)[i] + c.max(axis=1)[0]",
    "positions": "for i in range(4):\n a[i] = np.argmax(c[i]) + np.argmin(c, axis=0)[i]",
    "products": "for i in range(4):\n a[i] = c[i, :i] @ a[:i] + np.dot(a, c[i])\n c[0] = c @ a",
    "matrices": "for i in range(1, 4):\n c[:] = c @ c * 0.1\n a[i:] = a[:i] @ c[:i, i:]",
    "rolled": "for i in range(3):\n a[:] = np.roll(a, 1) - np.roll(a, 6)\n c[:] = np.roll(c, 1, 1)",
    "none": "for i in range(4):\n a[i] = np.sum(c[i, i:i]) + c[i:].sum() + np.prod(a[:i])",
    "crossed": "for i in range(4):\n c[i, :] = c[:, -1]\n a[1:] = a[:-1]",
    "cast": "for i in range(4):\n n[:] = (c[i] * 3).astype(np.int64)\n a[i] = n[i] + n.sum()",
    "branch": "for i in range(4):\n w = c[i] if a[i] > 0 else c[:, i]\n a[i] = w.sum()",
    "while": "u = a * 1\nwhile np.any(u < 9):\n u = u * 2 + 1\na[:] = u",
    "stored before": "u = a[n > 0]\nu *= 0.5\nfor i in range(9):\n a[i % 4] += u[0]",
    "out of bounds": "for i in range(9):\n a[:] = c[i]",
    "other lengths": "for i in range(3):\n a[:] = a[i:]",
    "other axes": "for i in range(3):\n a[:] = c",
    "empty extreme": "for i in range(3):\n a[i] = a[:i].max()",
    "before a store": "for i in range(4):\n t = a * 2 - c[i]\n a[i:] = 1.5\n a[:] += t",
    "into itself":
        "for i in range(3):\n a[1:] = a[:-1] * 2 - a[1:]\n c[:] = c[:, ::1].sum(0) - c * i",
    "before a branch":
        "for i in range(4):\n t = a + c[i]\n if a[i] > 0:\n  a[0] += 1\n a[:] = t - a",
    "broadcast":
        "for i in range(4):\n c[:] = (a[:, None] * 2 + 1) * c - (a + i) / 3\n"
        " a[i:] = c[i, i:] * 1 + a[i]",
    "in vain": "for i in range(4):\n a[:i] = (a[:1] / a[i:i + 1] + c[0, :i])[:i] + 1",
    "warns in vain": "for i in range(3):\n a[:i] = (np.sqrt(a[:1] - 9) + c[0, :i])[:i]",
    "mixed": "for i in range(4):\n n[:] = np.where((c[i] > a) & (n > i), n * 2 - 1, n % 3)\n"
             " a[:] = np.where(n > 1, c[i] * n, a) * 0.1",
    "long": "for i in range(3):\n a[:] = " + " + ".join(
        f"c[{k % 4}] * {k}.5" for k in range(20)),
    "reversed": "for i in range(1, 4):\n a[:i] += 0.5 * np.flip(a[:i])\n"
                " a[i] = np.dot(np.flip(a[:i]), a[:i]) + np.dot(c[i], a[::-1])",
    "reversed stores": "for i in range(3):\n a[:] = a[::-1]\n c[i] = np.flip(c[i + 1] - a)\n"
                       " a[1:] = np.flip(c[i][1:])\n a[:i] = np.flip(c[:i, 0])",
    "outer": "for i in range(3):\n c -= np.outer(a, c[i]) * 0.1\n c[1:] += np.outer(a[1:], n)\n"
             " c[:i] = np.outer(a[:i], a)",
    "transposed": "for i in range(3):\n a[:] = c.T @ a * 0.1\n c[:] = c[1:].T @ c[:-1] * 0.1",
    "products beyond": "for i in range(3):\n u = c[i] * 1e200\n"
                       " a[i] = u @ u - np.dot(u[:i], u[:i])",
    "warns before a product": "for i in range(3):\n u = 1 / (a[i] - a[i])\n"
                              " a[i] = u + c[i] @ c[i]",
    "swapped inside": "for i in range(3):\n u = np.ones(4)\n w = np.zeros(4)\n for j in range(3):\n"
                      "  u, w = w + a, u\n a[:] = u - w * 0.5",
    "turned inside": "for i in range(2):\n u, v, w = np.ones(4), np.zeros(4), a * 0.5\n"
                     " for j in range(4):\n  u, v, w = w, u, v + 1\n a[:] = u + v * 2 + w * 3",
    "kept axes": "for i in range(3):\n c[:] = c - c.max(axis=1, keepdims=True) + c.mean(0, "
                 "keepdims=True)\n a[:] = np.sum(c, axis=-1, keepdims=True)[:, 0] * 0.1",
    "three axes": "for i in range(3):\n d = a[:, None, None] * c + i\n"
                  " c[:] = d.sum(axis=0) * 0.1 - d.max(1) * d.mean(axis=-1)\n"
                  " a[:] = d.sum(axis=2, keepdims=True)[1, :, 0]",
    "written, then made": "u = np.sort(a)\nfor i in range(3):\n"
                          " u[1:] = u[:-1] * 0.5 + np.zeros_like(u)[1:]\n"
                          " u = np.maximum(u, c[i])\na[:] = np.sort(u)",
    "does not run": "u = a\nfor i in range(len(a) - 4):\n u = u + 1\nu[0] = 9.0",
}

LAYOUTS = {
    "C": lambda x: x, "F": np.asfortranarray, "strided": lambda x: np.repeat(x, 2, -1)[..., ::2],
    "from the end": lambda x: x[::-1].copy()[::-1], "float32": lambda x: x.astype(np.float32),
    "unusual": lambda x: np.where(x > 0, x, np.array([np.nan, -0.0, 0.0, np.inf])[:x.shape[-1]]),
}


@pytest.fixture(autouse=True)
def short_loops_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    compile_short_loops(monkeypatch)


def program(name: str) -> Any:
    body = PROGRAMS[name].replace("\n", "\n    ").replace("\n     ", "\n        ")
    source = f"def f(a, c, n):\n    {body}\n    return a, c\n"
    linecache.cache[f"<{name}>"] = (len(source), None, source.splitlines(True), f"<{name}>")
    scope: dict[str, Any] = {"np": np}
    exec(compile(source, f"<{name}>", "exec"), scope)
    return scope["f"]


def arguments(layout: str) -> tuple[Any, ...]:
    random = np.random.default_rng(0)
    a, c = random.normal(size=4), random.normal(size=(4, 4))
    return LAYOUTS[layout](a), LAYOUTS[layout](c), np.array([2, -1, 0, 3])


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_as_numpy(name: str) -> None:
    plain = program(name)
    native = ag.function(plain, jit_compile=True)
    for layout in LAYOUTS:
        assert outcome(native, arguments(layout)) == outcome(plain, arguments(layout)), layout


FALLS_BACK = ("in vain", "warns in vain", "crossed", "out of bounds", "other lengths",
              "other axes", "empty extreme", "does not run", "warns before a product",
              "products beyond")


@pytest.mark.parametrize("name", [n for n in PROGRAMS if n not in FALLS_BACK])
def test_kernels_give_the_results(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    told = tell_kernels(monkeypatch, Kernel)
    native = ag.function(program(name), jit_compile=True)
    native(*arguments("C"))
    assert told and all(told)


@pytest.mark.parametrize(("body", "reason"), [
    ("a[:] = np.exp(a[::-1])", "reversed in exp"), ("a[i] = np.flip(a).sum()", "reversed in sum"),
    ("c[:] = c.T * 2", "transposed in multiply"), ("a = np.flip(a)", "reversed in a loop"),
    ("a[:] = np.flip(a)[:3] @ c[:3, :]", "reversed in getitem"),
    ("a[:] = np.flip(a) @ c", "reversed in matmul")])
def test_other_orders_that_stay_with_numpy(body: str, reason: str, monkeypatch: pytest.MonkeyPatch
                                           ) -> None:
    """NumPy's results would be in that order, too, or it computes in another one."""
    monkeypatch.setitem(PROGRAMS, "other order", f"for i in range(3):\n {body}")
    plain = program("other order")
    native = ag.function(plain, jit_compile=True)
    assert outcome(native, arguments("C")) == outcome(plain, arguments("C"))
    (trace,) = native.__ag_dispatcher__.traces.values()
    assert reason in dict(trace.native_loops).popitem()[1]


@pytest.mark.parametrize("rows", [1, 2, 9, 200])
@pytest.mark.parametrize("length", [1, 2, 7, 8, 9, 130, 1030])
def test_sums_of_every_length(rows: int, length: int) -> None:
    def sums(x: Any) -> Any:
        total, first = 0.0, 0.0
        for i in range(3):
            total += x[i:].sum() + (x * 1.5).sum(axis=1)[0] + x[:, ::2].sum()
            first += x.sum(axis=0)[0] + np.sum(x[0, i:])
        return total, first

    x = np.random.default_rng(length).normal(size=(rows + 3, length))
    x[0, 0] = -0.0
    assert outcome(ag.function(sums, jit_compile=True), (x,)) == outcome(sums, (x,))


def test_groups_are_chosen_for_large_arrays() -> None:
    """Which make no arrays in between."""
    def moved(x: Any, v: Any) -> Any:
        for _ in range(20):
            v = v - x / np.sqrt(x * x + 0.1) * 0.01
            x = x + v * 0.01
        return x

    native = ag.function(moved, jit_compile=True)
    small, large = (tuple(np.random.default_rng(0).random((2, n))) for n in (100, 4000))
    for arguments, reason in ((small, ""), (large, "operations on large arrays, which run together"
                                                   " as groups")):
        assert native(*arguments).tobytes() == moved(*arguments).tobytes()
        (_, found), = native.get_concrete_function(*arguments).native_loops
        assert found == reason


def halved(x: Any) -> Any:
    y = x * 1
    for i in range(5):
        y[:] = y / (2 - i)
    return y


def test_a_kernel_that_always_steps_back_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[Any] = []

    def counted(address: int, otherwise: Any) -> Any:
        call = python_function(address, otherwise)
        return lambda *values: called.append(values) or call(*values)

    monkeypatch.setattr(kernel, "python_function", counted)
    native = ag.function(halved, jit_compile=True)
    for _ in range(9):
        with pytest.warns(RuntimeWarning, match="divide by zero"):
            native(np.ones(4))
    assert len(called) == 1 - GIVES_UP


@pytest.mark.parametrize("how", ["ignore", "raise"])
def test_the_callers_errstate_holds(how: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    told = tell_kernels(monkeypatch, Kernel)
    native = ag.function(halved, jit_compile=True)
    with np.errstate(all=how):
        assert outcome(native, (np.ones(4),)) == outcome(halved, (np.ones(4),))
    assert told == [how == "ignore"]


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_new_arrays_outer_products_and_norms(dtype: str) -> None:
    def gathered(a: Any, b: Any) -> Any:
        total, table = 0.0, np.zeros((len(a), len(a)))
        for i in range(len(a)):
            marks, ones = np.zeros_like(a), np.ones((len(a),))
            marks[i] = a[i]
            table = np.minimum(table, np.add.outer(a, b + marks)) + np.subtract.outer(b, ones)
            table = table.copy()
            total += np.linalg.norm(table[:, i]) + np.linalg.norm(a[::2])
        return total, table

    a = np.random.default_rng(0).normal(size=9).astype(dtype)
    native = ag.function(gathered, jit_compile=True)
    assert outcome(native, (a, a[::-1].copy())) == outcome(gathered, (a, a[::-1].copy()))
    (_, reason), = native.get_concrete_function(a, a).native_loops
    assert reason == ""


def test_what_an_iteration_hands_on_sees_the_array_before_its_store() -> None:
    """The difference is read by the sum and handed on, and has to be done before the store."""
    def kept_difference(x: Any, y: Any, n: Any) -> Any:
        v, w = x * y, x.sum(axis=-1)
        for _ in range(n):
            v = x - y[:1]
            w = (v * x).sum(axis=-1)
            x[...] = np.exp(-w[:1])
        return v, w, x

    x, y = np.arange(6.0).reshape(2, 3), np.array([0.5, 2.0, 1.0])
    native = ag.function(kept_difference, jit_compile=True)
    assert outcome(native, (x.copy(), y, 20)) == outcome(kept_difference, (x.copy(), y, 20))
    (_, reason), = native.get_concrete_function(x, y, 20).native_loops
    assert reason == ""


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8"])
@pytest.mark.parametrize("shape", [(40, 1), (30, 3), (7, 5), (4, 3, 2), (1, 1)])
def test_short_axes(dtype: str, shape: tuple[int, ...]) -> None:
    def moved(x: Any, n: Any) -> Any:
        total = (x * x).sum(axis=-1)
        columns = x.sum(axis=0)
        for _ in range(n):
            total = total - (x * x).sum(axis=-1)
            columns = columns + (x - x[:1]).sum(axis=0) * x.prod(axis=0)
            x = x + x[..., :1]
        return total, columns, x

    x = -np.zeros(shape, dtype)
    native = ag.function(moved, jit_compile=True)
    for given in (x, x + 2, np.arange(x.size).reshape(shape).astype(dtype)):
        assert outcome(native, (given, 12)) == outcome(moved, (given, 12))
    (_, reason), = native.get_concrete_function(x, 12).native_loops
    assert reason == ""
