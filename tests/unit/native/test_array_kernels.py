"""Groups of operations on whole arrays as machine code: NumPy's bits, memory, warnings, errors."""

import gc
import pickle
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.graph import Value
from autograph.runtime.native import forms, lowered_arrays, numpy_api
from autograph.runtime.native.array_groups import ArrayGroup
from autograph.runtime.native.array_kernel import ArrayKernel
from autograph.runtime.native.loop_nest import NestError, Phase, verify
from autograph.runtime.ops.op import OPS
from autograph.runtime.ops.parse import parse
from tests.random.arrays import UFUNCS
from tests.random.test_numeric_programs import load
from tests.random.test_numerics import outcome
from tests.support.native import strides_in, tell_kernels

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

DTYPES = ("?", "i1", "i8", "u2", "u8", "f4", "f8", "c8", "c16")
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 3.0, -2.5, 100.0, np.inf, -np.inf, np.nan, 1e-310, 1e200]


@pytest.fixture(autouse=True)
def single_operations_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lowered_arrays, "WORTH", 1)


@pytest.fixture
def kernels(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    return tell_kernels(monkeypatch, ArrayKernel)


def numbers(dtype: str, length: int, seed: int) -> Any:
    """Unusual numbers of a dtype first, then others."""
    random = np.random.default_rng(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        many = np.concatenate([random.permutation(SPECIAL), random.normal(size=length) * 3])
        if dtype in "c8c16":
            many = many + 1j * numbers("f8", len(many), seed + 9)
        return np.nan_to_num(many[:length]).astype(dtype) if dtype in "?i1i8u2u8" else (
            many[:length].astype(dtype))


@pytest.mark.parametrize("name", UFUNCS)
def test_every_ufunc(name: str) -> None:
    """Of each kind of numbers, the unusual ones among them."""
    count = getattr(np, name).nin
    parameters = ("a", "b", "c")[:count]
    source = f"def f({', '.join(parameters)}):\n    return np.{name}({', '.join(parameters)})\n"
    plain = load(source, f"<{name}>")
    plain.__globals__["np"] = np
    native = ag.function(plain, jit_compile=True)
    for dtype in ("?", "i8", "u2", "f4", "f8", "c8", "c16"):
        arguments = tuple(numbers(dtype, 70, k) for k in range(count))
        assert outcome(native, arguments) == outcome(plain, arguments), dtype


@pytest.mark.parametrize("old", DTYPES)
@pytest.mark.parametrize("new", DTYPES)
def test_every_cast(old: str, new: str) -> None:
    def cast(x: Any) -> Any:
        return x.astype(new)

    native = ag.function(cast, jit_compile=True)
    for x in (numbers(old, 70, 1), numbers(old, 70, 1).clip(0, 1)):
        assert outcome(native, (x,)) == outcome(cast, (x,))


SUMS = ("sum", "mean", "prod", "max", "min", "any", "all")


@pytest.mark.parametrize("shape", [(5,), (129,), (40_000,), (3, 9), (2, 2500)])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "?", "c16", "c8"])
def test_reductions_of_all_and_of_rows(shape: tuple[int, ...], dtype: str) -> None:
    def reduced(x: Any) -> Any:
        y = x * x
        rows = y.sum(axis=-1), y.max(axis=-1)
        return y.sum(), y.mean(), y.max(), y.min(), y.any(), y.all(), y.prod(), rows

    x = np.random.default_rng(0).normal(size=(*shape, 2)).view("c16")[..., 0]
    x = (x if dtype[0] == "c" else x.real).astype(dtype)
    for given in (x, abs(x) * np.array(-1).astype(dtype), x * 0):
        native = ag.function(reduced, jit_compile=True)
        assert outcome(native, (given,)) == outcome(reduced, (given,))


def test_complex_sums_and_means_are_a_kernel(kernels: list[bool]) -> None:
    def centred(z: Any, w: Any) -> Any:
        rows = z - z.mean(axis=-1, keepdims=True)
        return (rows * w).sum(), rows.sum(axis=-1), w * z.mean()

    native = ag.function(centred, jit_compile=True)
    for dtype in ("c16", "c8"):
        z, w = (np.random.default_rng(k).normal(size=(3, 2 * 2600)).view("c16").astype(dtype)
                for k in range(2))
        assert outcome(native, (z, w)) == outcome(centred, (z, w))
    assert all(kernels) and kernels


def test_clip_finds_other_zeros_between_two_numbers() -> None:
    """Where both bounds are one number each, NumPy's loop chooses among zeros in another way."""
    def clipped(x: float, y: Any) -> Any:
        return np.clip(x, -1.0, y.sum(axis=-1, keepdims=True) * 0.0)

    native = ag.function(clipped, jit_compile=True)
    given = -0.0, np.ones((91, 3))
    assert outcome(native, given) == outcome(clipped, given)


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("length", [1, 2, 7, 8, 9, 1023, 1024, 1025, 20_000])
def test_rows_of_every_length(length: int, kernels: list[bool]) -> None:
    native = ag.function(softmax, jit_compile=True)
    x = np.random.default_rng(length).normal(size=(3, length))
    assert native(x).tobytes() == softmax(x).tobytes()
    assert all(kernels) and kernels


def test_long_rows_keep_what_later_phases_need(kernels: list[bool]) -> None:
    def normalised(x: Any) -> Any:
        e = np.exp(x)
        return e / e.sum()

    x = np.random.default_rng(1).normal(size=200_000)
    assert ag.function(normalised, jit_compile=True)(x).tobytes() == normalised(x).tobytes()
    assert all(kernels) and kernels


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "one piece": lambda x: x,
    "every second": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    "from the end": lambda x: x[::-1].copy()[::-1],
    "columns first": np.asfortranarray,
    "transposed": lambda x: x.T.copy().T,
    "repeated": lambda x: np.broadcast_to(x[:1], x.shape),
    "unaligned": lambda x: np.frombuffer(b"." + x.tobytes(), np.uint8)[1:].view(x.dtype).reshape(
        x.shape),
    "read-only": lambda x: np.frombuffer(x.tobytes(), x.dtype).reshape(x.shape),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("other", ["one piece", "every second", "transposed"])
def test_every_layout_gives_numpys_bits_and_strides(layout: str, other: str) -> None:
    def f(x: Any, y: Any) -> Any:
        e = np.exp2(x) + y
        return e, np.arctan2(e, y)

    random = np.random.default_rng(5)
    x, y = LAYOUTS[layout](random.normal(size=(6, 40))), LAYOUTS[other](random.normal(size=(6, 40)))
    found, expected = ag.function(f, jit_compile=True)(x, y), f(x, y)
    assert [r.tobytes() for r in found] == [r.tobytes() for r in expected]
    assert strides_in(found) == strides_in(expected)


@pytest.mark.parametrize(
    "shape", [(40,), (1, 40), (6, 1), (1, 1), (5, 1, 40), (5, 6, 1), (1, 6, 1)])
def test_broadcasting(shape: tuple[int, ...], kernels: list[bool]) -> None:
    def f(x: Any, y: Any) -> Any:
        return np.exp(x * y) + y

    random = np.random.default_rng(2)
    for outer in ((5, 6, 40), (300, 6, 40)):
        x, y = random.normal(size=outer), random.normal(size=shape)
        if outer[0] == 300 and shape[0] == 5:
            continue
        assert ag.function(f, jit_compile=True)(x, y).tobytes() == f(x, y).tobytes()
    assert all(kernels) and kernels


@pytest.mark.parametrize("n", [2, -1, 300, 2 ** 70, 0.5, True, np.float32(3), np.int8(-1)])
@pytest.mark.parametrize("dtype", ["i1", "u8", "f4"])
def test_numbers_beside_arrays(n: Any, dtype: str) -> None:
    def f(x: Any, n: Any) -> Any:
        return (x + n) * n

    x = numbers(dtype, 20, 3)
    assert outcome(ag.function(f, jit_compile=True), (x, n)) == outcome(f, (x, n))


def relative(x: Any, y: Any) -> Any:
    return np.log(x / y) + 1.0


def test_warnings_are_numpys_and_on_the_users_line() -> None:
    native = ag.function(relative, jit_compile=True)
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in divide") as told:
        native(np.ones(5), np.zeros(5))
    assert told[0].filename == __file__


def test_what_llvm_could_compute_itself_warns_too() -> None:
    def f(x: Any) -> Any:
        return np.cbrt(2 / x)

    x = np.array([True, False, True])
    assert outcome(ag.function(f, jit_compile=True), (x,)) == outcome(f, (x,))


@pytest.mark.parametrize("state", [{"all": "ignore"}, {"all": "raise"}, {"under": "raise"}])
def test_the_callers_errstate_holds(state: dict[str, Any], kernels: list[bool]) -> None:
    def small(x: Any) -> Any:
        return np.exp(x) * 1e-3

    native = ag.function(small, jit_compile=True)
    x = np.array([-740.0, 1.0, 800.0 if state["under" if "under" in state else "all"] != "raise"
                  else 2.0])
    with np.errstate(**state):
        assert outcome(native, (x,)) == outcome(small, (x,))
    assert kernels


def test_an_argument_is_never_changed_by_what_steps_back() -> None:
    def f(x: Any, y: Any) -> Any:
        x += y / y
        return x * 2

    for make in (lambda: (np.ones(4), np.array([1.0, 0.0, 2.0, 3.0])), lambda: (np.ones(4),) * 2):
        assert outcome(ag.function(f, jit_compile=True), make()) == outcome(f, make())


def test_forms_are_of_ufuncs_that_are_ops() -> None:
    assert {op.ufunc for op in OPS.values()} >= set(forms.FORMS)


def test_probes_hold() -> None:
    assert numpy_api.is_known() and forms.extremes_agree()


def nest_of(source: str) -> Any:
    graph, group = parse(source), ArrayGroup()
    for e in graph.equations:
        group.add(e)
    return group.nest([v for v in graph.outputs if isinstance(v, Value)])


def test_the_verifier_finds_what_is_not_there() -> None:
    nest = nest_of("f(x: f64[9]):\n  a: f64[9] = add(x, 1.0)\n"
                   "  b: f64[9] = np.exp(a)\n  return b\n")
    nest.phases[0].stages[0].lanes.clear()
    with pytest.raises(NestError, match="is not there yet"):
        verify(nest)
    nest.phases[:] = [Phase()]
    with pytest.raises(NestError, match="not computed"):
        verify(nest)


def test_an_array_without_axes_is_no_part_of_a_group_of_larger_ones() -> None:
    def f(x: Any, y: Any) -> Any:
        a = np.add(x, 1.0, out=np.empty(()))
        return a, a * 2, y * 2 + a

    arguments = np.array(2.0), np.arange(300.0)
    assert outcome(ag.function(f, jit_compile=True), arguments) == outcome(f, arguments)


def test_every_level_can_be_shown() -> None:
    x = np.ones((3, 4))
    native = ag.function(softmax, jit_compile=True)
    show = native.experimental_get_compiler_ir(x)
    assert "reduce maximum" in show(stage="loops") and "# line" in show(stage="loops")
    assert "define internal void @\"tile1\"" in show(stage="llvm")
    assert ag.function(softmax).get_concrete_function(x).loop_nests == ""
    assert native.graph(stage="loops") == native.graph(x, stage="loops") == show(stage="loops")
    assert "e = np.exp(x - x.max(axis=-1, keepdims=True))" in native.graph(stage="loops")
    assert "; line " in native.to_llvm(x) and native.to_llvm() == show(stage="llvm")
    assert ag.function(softmax).to_llvm(x) == ""


def test_methods_and_loops_show_their_code() -> None:
    class Sums:
        @ag.function(jit_compile=True)
        def added(self, x: Any) -> Any:
            total = 0.0
            for i in range(len(x)):
                total += x[i] * 0.5
            return total

    sums = Sums()
    assert sums.added(np.ones(5000)) == 2500.0
    assert "total += x[i] * 0.5" in sums.added.to_llvm()


def test_without_the_probe_there_is_no_kernel(
        monkeypatch: pytest.MonkeyPatch, kernels: list[bool]) -> None:
    monkeypatch.setattr(lowered_arrays, "is_known", lambda: False)
    x = np.random.default_rng(0).normal(size=(3, 4))
    assert ag.function(softmax, jit_compile=True)(x).tobytes() == softmax(x).tobytes()
    assert kernels == []


@pytest.mark.parametrize("made", [
    lambda x: pickle.loads(pickle.dumps(x)), lambda x: x.astype(np.dtype(float).newbyteorder("="))])
def test_arrays_with_a_dtype_object_of_their_own_run_in_kernels(made: Any, kernels: list[bool]
                                                                ) -> None:
    x = np.random.default_rng(0).normal(size=(3, 40))
    assert made(x).dtype is not np.dtype(float)
    for arguments in ((x, made(x)), (made(x), x, made(x))):
        native = ag.function(softmax, jit_compile=True)
        for given in arguments:
            assert native(given).tobytes() == softmax(given).tobytes()
    assert all(kernels) and kernels


def test_a_dtype_with_metadata_stays_with_numpy() -> None:
    x = np.arange(40.0).astype(np.dtype(float, metadata={"unit": "m"}))
    assert ag.function(softmax, jit_compile=True)(x).dtype.metadata == softmax(x).dtype.metadata


def test_kernels_are_freed_with_what_they_are_made_of() -> None:
    def made() -> weakref.ref[ArrayKernel]:
        native = ag.function(softmax, jit_compile=True)
        native(np.ones((2, 9)))
        found = native.get_concrete_function(np.ones((2, 9))).emitted.namespace
        return weakref.ref(next(k for k in found.values() if isinstance(k, ArrayKernel)))

    kept = [made() for _ in range(5)]
    gc.collect()
    assert [k() for k in kept] == [None] * 5


@pytest.mark.parametrize("n", [2, 3, -1, 0.5, 2.5, np.float64(2), np.array(2.0), np.array([2.0])])
def test_powers(n: Any) -> None:
    """For some exponents NumPy has short cuts, with other bits."""
    def f(x: Any, n: Any) -> Any:
        return x ** n + x ** 2 + x ** 3 + x ** -2.5

    for dtype in ("f8", "f4", "i8"):
        x = (abs(numbers("f8", 70, 1)[20:]) + 1).astype(dtype)
        assert outcome(ag.function(f, jit_compile=True), (x, n)) == outcome(f, (x, n))


def test_inputs_that_are_used_once_have_names() -> None:
    """An operation that has no form comes before the group, which may step back."""
    def f(x: Any, y: Any) -> Any:
        return np.log(abs(np.fft.fft(x)) - y) * 2

    for y in (np.zeros(4), np.full(4, 100.0)):
        arguments = np.array([3.0, 1.0, 0.5, 0.25]), y
        assert outcome(ag.function(f, jit_compile=True), arguments) == outcome(f, arguments)


def step_of_two_layers(x: Any, w1: Any, w2: Any) -> Any:
    z = x @ w1
    h = np.maximum(z + 1, 0)
    dz = ((h @ w2) @ w2.T) * (z > 0)
    return w1 - 0.1 * (x.T @ dz), w2 - 0.1 * (h.T @ (h @ w2))


def test_views_between_groups_keep_names_of_their_own() -> None:
    random = np.random.default_rng(0)
    arguments = random.normal(size=(32, 64)), random.normal(size=(64, 64)), random.normal(
        size=(64, 10))
    native = ag.function(step_of_two_layers, jit_compile=True)
    assert outcome(native, arguments) == outcome(step_of_two_layers, arguments)


def sobel(image: Any) -> Any:
    gx = image[:-2, 2:] - image[:-2, :-2] + image[2:, 2:] - image[2:, :-2]
    gy = image[2:, :-2] - image[:-2, :-2] + image[2:, 2:] - image[:-2, 2:]
    magnitude = np.sqrt(gx * gx + gy * gy)
    return magnitude / magnitude.max(), gx.mean(), gy.sum(axis=-1)


@pytest.mark.parametrize("width", [3, 9, 67, 1100, 2500])
def test_views_are_read_where_they_lie(width: int, kernels: list[bool]) -> None:
    x = np.random.default_rng(width).normal(size=(7, width))
    for given in (x, LAYOUTS["every second"](x), LAYOUTS["transposed"](x)):
        assert outcome(ag.function(sobel, jit_compile=True), (given,)) == outcome(sobel, (given,))
    assert kernels[0]


def test_a_window_of_a_large_array_in_parts_copies_nothing(kernels: list[bool]) -> None:
    def corner(x: Any) -> Any:
        return x[:2, :2] * 2 + x[1:3, :2]

    x = np.random.default_rng(0).normal(size=(50, 100))[:, ::2]
    assert outcome(ag.function(corner, jit_compile=True), (x,)) == outcome(corner, (x,))
    assert not any(kernels) and kernels


def test_views_of_a_group_that_are_results_too(kernels: list[bool]) -> None:
    def f(x: Any) -> Any:
        a, b = x[1:], x[:-1]
        c = a[::2]
        return a, np.exp(a - b) * x[3, 1], c, c * 2 + c

    x = np.random.default_rng(0).normal(size=(9, 4))
    found = ag.function(f, jit_compile=True)(x)
    assert outcome(lambda x: found, (x,)) == outcome(f, (x,))
    assert np.shares_memory(found[0], x) and np.shares_memory(found[2], x)
    assert all(kernels) and kernels


def test_what_nothing_uses_warns_in_strict_functions(kernels: list[bool]) -> None:
    def f(x: Any) -> Any:
        np.log(x) + 1
        return x * 2

    for x in (np.array([1.0, 2.0]), np.array([-1.0, 0.0])):
        assert outcome(ag.function(f, jit_compile=True, strict=True), (x,)) == outcome(f, (x,))
    assert kernels


def descent(x: Any, w: Any, v: Any) -> Any:
    for _ in range(40):
        h = np.tanh(x @ w)
        w -= 0.5 * (np.transpose(x, (1, 0)) @ (np.outer(h @ v, v) * (1.0 - h ** 2)))
        v -= 0.5 * (h.T @ (h @ v))
    return w, v


def test_an_argument_that_a_loop_changes_holds_the_last_value(kernels: list[bool]) -> None:
    """It is so large that the loop works in its memory; axes that are named keep it from being one
    kernel."""
    shapes = (64, 100), (100, 50), (50,)
    made = [np.random.default_rng(0).normal(size=shape) for shape in shapes]
    given, expected = [x.copy() for x in made], [x.copy() for x in made]
    ag.function(descent, jit_compile=True)(*given)
    descent(*expected)
    assert [x.tobytes() for x in given] == [x.tobytes() for x in expected]
    assert any(kernels)


def mixed_up(x: Any, y: Any, a: Any) -> Any:
    return np.sqrt(x) * a + y * 2 - x


def test_kernels_in_the_entry_point(kernels: list[bool]) -> None:
    """The entry point has the statements of a small program itself after some calls, and calls the
    machine code without asking once that has given eight results."""
    f, x = ag.function(mixed_up, jit_compile=True), np.arange(600.0)
    for _ in range(30):
        assert (f(x, x, 3) == mixed_up(x, x, 3)).all()
    assert len(kernels) == 8 and all(kernels)


def two_steps(x: Any, v: Any) -> Any:
    for _ in range(2):
        v += np.einsum("ij,j->i", x[:, None] - x, v) * 0.5
        v += v * 0.25
        x += v * 0.5
    return 0.5 * np.sum(v * v)


def test_results_are_no_pending_writes_before_they_are_there() -> None:
    """The check of the statements follows each pending write to where it has a value."""
    native = ag.function(two_steps, jit_compile=True)
    for _ in range(3):
        calls = [(f(*given), *given) for f in (native, two_steps)
                 for given in [(np.arange(3.0), np.arange(3.0))]]
        assert all(map(np.array_equal, *calls))
