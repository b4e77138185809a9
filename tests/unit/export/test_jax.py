"""`f.to_jax()`: whole programs of the corpus on JAX, jit, vmap, grad, shards, and refusals."""

from __future__ import annotations

import copy
import subprocess
import sys
import textwrap
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.export.samples import DTYPES, samples_in
from autograph.runtime.ops.op import OPS
from tests.corpus.case import Case
from tests.corpus.cases import CASES, ROWS
from tests.support.amount import ALL
from tests.unit.export.comparing import (
    difference,
    has_array,
    is_numeric,
    plain_result,
    typed_outputs,
    with_numbers,
)

jax = pytest.importorskip("jax", reason="the extra jax is not installed")
jnp = pytest.importorskip("jax.numpy", reason="the extra jax is not installed")
jax.config.update("jax_enable_x64", True)

"""Every program of the corpus, instead of a sample: takes some twenty minutes."""

UNLIKE = {
    "np.reciprocal": "of an integer 0, the machine gives some number",
    "dtype": "it gives no array",
    "in_": "it gives Python's bool",
    "linalg.eig": "NumPy gives real numbers if all of them are: only the run knows",
    "linalg.eigvals": "NumPy gives real numbers if all of them are: only the run knows",
    "linalg.lstsq": "the rank is NumPy's int32 and JAX's int64; of bools it is 0 and 1",
    "max_": "it gives one of the operands, whose dtypes are not the same",
    "min_": "it gives one of the operands, whose dtypes are not the same",
    "round_": "of a NumPy integer, Python's `round` gives a Python number",
    "argsort": "NumPy leaves the order of equal elements open",
}

WITHOUT_DIMENSIONS = (
    "functions.np.isscalar(p)", "indexing.a = np.atleast_1d(p); a[0] = 7; return p")
"""Programs that tell NumPy's numbers from its arrays without dimensions."""

EXPORTED = [c for c in (*CASES, *ROWS) if is_numeric(list(c.arguments[0])) and has_array(
    list(c.arguments[0]))]
SAMPLE = [*(EXPORTED if ALL else EXPORTED[3::60]),
          *(c for c in EXPORTED if c.name in WITHOUT_DIMENSIONS)]


def as_jax(x: Any) -> Any:
    if isinstance(x, (np.ndarray, np.generic)) and x.dtype.kind in "biufc":
        return jnp.asarray(x)
    if type(x) in (list, tuple):
        return type(x)(map(as_jax, x))
    return {k: as_jax(v) for k, v in x.items()} if isinstance(x, dict) else x


@pytest.mark.parametrize("case", SAMPLE, ids=lambda c: c.name)
def test_program_gives_the_same_or_is_refused(case: Case) -> None:
    arguments = with_numbers(case.arguments[0])
    try:
        wanted, _ = plain_result(case, arguments)
    except Exception:
        pytest.skip("it raises")
    function = ag.function(case.function)
    try:
        found, _ = function.to_jax(checks="drop", written_arguments=True)(  # type: ignore[attr-defined]
            *as_jax(copy.deepcopy(arguments)))
    except (ag.errors.ExportError, ag.errors.TracingError, ag.ConversionError) as error:
        pytest.skip(f"refused: {error}"[:200])
    assert difference(wanted, found, typed_outputs(function)) == ""


@ag.function
def newton(a: Any, x: Any) -> Any:
    for _ in range(20):
        x = x - (x * x - a) / (2 * x)
        if np.abs(x * x - a) < 1e-12:
            break
    return x


@ag.function
def clipped_sum(x: Any, limit: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        if x[i] < limit:
            total += np.sin(x[i]) * x[i]
        else:
            total -= x[i]
    return total


@ag.function
def halved(x: Any) -> Any:
    x[x > 1] *= 0.5
    return x.sum()


@ag.function
def running(x: Any) -> Any:
    largest, made, seen = x[0], [0.0], []
    for v in x:
        if v > largest:
            largest = v
        made.append(largest)
        seen.append((v, largest * 2))
    return np.array(made), seen[-1]


@ag.function
def best(x: Any) -> Any:
    found = (x[0], (0, x[0]))
    for i in range(len(x)):
        if x[i] > found[0]:
            found = (x[i], (i, x[i] * 2))
        else:
            last = found[0]
    return found, last


@ag.function
def is_prime(n: Any) -> Any:
    i = 2
    while i * i <= n:
        if n % i == 0:
            return False
        i += 1
    return True


@ag.function
def folded(x: Any, more: Any) -> Any:
    return sum(x, start=1.0) + max(x) - min(x) + sum([x[0], more])


VECTOR = np.linspace(0.1, 2.0, 150)


def test_loops_and_branches_under_jit() -> None:
    f = clipped_sum.to_jax()  # type: ignore[attr-defined]
    wanted = clipped_sum.python_function(VECTOR, np.float64(1.0))  # type: ignore[attr-defined]
    assert np.allclose(jax.jit(f)(jnp.asarray(VECTOR), jnp.float64(1.0)), wanted)
    text = str(jax.make_jaxpr(f)(jnp.asarray(VECTOR), jnp.float64(1.0)))
    assert "scan" in text and "cond" in text


class Layer(ag.Module):
    def __init__(self, size: int) -> None:
        self.weights = ag.Variable(np.linspace(-1.0, 1.0, size), name="weights")

    @ag.function
    def activated(self, x: Any) -> Any:
        return np.maximum(x * self.weights, 0.5)


def test_a_method_knows_its_instance() -> None:
    for layer in (Layer(3), Layer(4)):
        x = np.arange(1.0, layer.weights.size + 1)
        assert np.allclose(layer.activated.to_jax()(jnp.asarray(x)), layer.activated(x))
        with pytest.raises(TypeError, match="to_jax takes no arguments"):
            layer.activated.to_jax(x)


def test_a_loop_that_breaks() -> None:
    f = jax.jit(newton.to_jax())  # type: ignore[attr-defined]
    assert np.allclose(f(jnp.float64(2.0), jnp.float64(1.0)), np.sqrt(2.0))


def test_python_functions_of_arrays() -> None:
    f = jax.jit(folded.to_jax())  # type: ignore[attr-defined]
    assert np.isclose(f(jnp.asarray(VECTOR), 2.0), folded.python_function(  # type: ignore[attr-defined]
        VECTOR, 2.0))


def test_lists_and_tuples_out_of_loops() -> None:
    f = jax.jit(running.to_jax())  # type: ignore[attr-defined]
    wanted = running.python_function(VECTOR[:9])  # type: ignore[attr-defined]
    found = f(jnp.asarray(VECTOR[:9]))
    assert np.array_equal(found[0], wanted[0]) and np.array_equal(found[1], wanted[1])


@ag.function
def means(x: Any, k: Any) -> Any:
    rows = x[k > 1]
    return rows.mean(axis=0), rows.sum(0), rows.max(axis=-2), x[x > 0.5].sum(axis=-1)


def test_reductions_of_what_a_mask_selects() -> None:
    x, k = VECTOR.reshape(30, 5), np.arange(30) % 3
    found = jax.jit(means.to_jax())(jnp.asarray(x), jnp.asarray(k))  # type: ignore[attr-defined]
    for a, b in zip(found, means.python_function(x, k), strict=True):  # type: ignore[attr-defined]
        assert np.allclose(a, b)


def test_names_that_are_bound_on_some_paths() -> None:
    for n in (2, 9, 97):
        assert is_prime.to_jax()(np.int64(n)) == (n != 9)  # type: ignore[attr-defined]
    with pytest.raises(ag.errors.ExportError, match="cannot raise Python's exceptions"):
        best.to_jax()(jnp.asarray(VECTOR))  # type: ignore[attr-defined]
    found = best.to_jax(checks="drop")(jnp.asarray(VECTOR[:9]))  # type: ignore[attr-defined]
    wanted = best.python_function(VECTOR[:9])  # type: ignore[attr-defined]
    assert np.array_equal(jax.tree.leaves(found), jax.tree.leaves(wanted))


def test_vmap() -> None:
    a = np.array([2.0, 3.0, 5.0])
    found = jax.vmap(newton.to_jax())(jnp.asarray(a), jnp.ones(3))  # type: ignore[attr-defined]
    assert np.allclose(found, np.sqrt(a))


def test_grad_against_differences() -> None:
    f = clipped_sum.to_jax()  # type: ignore[attr-defined]
    found = jax.grad(f)(jnp.asarray(VECTOR), jnp.float64(1.0))
    step = 1e-6
    for i in (0, 40, 120):
        e = np.zeros_like(VECTOR)
        e[i] = step
        plain = clipped_sum.python_function  # type: ignore[attr-defined]
        wanted = (plain(VECTOR + e, 1.0) - plain(VECTOR - e, 1.0)) / (2 * step)
        assert np.isclose(found[i], wanted, rtol=1e-5)


def test_written_arguments() -> None:
    with pytest.raises(ag.errors.ExportError, match="halved writes to its arguments"):
        halved.to_jax()(jnp.asarray(VECTOR))  # type: ignore[attr-defined]
    result, written = halved.to_jax(written_arguments=True)(  # type: ignore[attr-defined]
        jnp.asarray(VECTOR))
    x = VECTOR.copy()
    assert np.isclose(result, halved.python_function(x))  # type: ignore[attr-defined]
    assert np.array_equal(written["x"], x)


@ag.function
def selected(x: Any) -> Any:
    return np.flatnonzero(x > 1)


@ag.function
def checked(x: Any) -> Any:
    if x.sum() < 0:
        raise ValueError("negative")
    return np.sqrt(x)


@ag.function
def changed_twice(x: Any) -> Any:
    np.sqrt.at(x, [0, 0])
    return x.sum()


def real_of_one(z: Any, i: Any) -> None:
    z.real[i] = 5


def imaginary_of_the_rest(z: Any, i: Any) -> None:
    z[1:].imag[i - 1] += 7.5


def real_of_all(z: Any, i: Any) -> None:
    z.real *= 2
    z.imag = z.real


def whole_of_a_view(z: Any, i: Any) -> None:
    z[::-1][i] = 3 + 1j
    z.reshape(3, 1).T.real[0, 1:] = z.imag[:2]


@pytest.mark.parametrize("f", [real_of_one, imaginary_of_the_rest, real_of_all, whole_of_a_view])
def test_stores_into_parts_of_complex_numbers(f: Any) -> None:
    z, i = np.array([1 + 2j, 3 - 1j, 0.5j]), np.int64(1)
    wanted = z.copy()
    f(wanted, i)
    made = ag.function(f).to_jax(written_arguments=True)(z, i)[1]["z"]
    assert np.array_equal(np.asarray(made), wanted)


def test_an_element_that_an_index_names_twice_changes_twice() -> None:
    made, _ = changed_twice.to_jax(written_arguments=True)(  # type: ignore[attr-defined]
        jnp.asarray([16.0, 4.0, 1.0]))
    assert made == 7.0


def test_the_fraction_of_an_infinity_is_zero() -> None:
    x = np.array([np.inf, -np.inf, -2.5, -0.0, np.nan])
    f: Any = ag.function(lambda x: np.modf(x))
    assert difference(np.modf(x), f.to_jax()(jnp.asarray(x))) == ""


def test_refusals_name_the_line() -> None:
    with pytest.raises(ag.errors.ExportError, match=r"flatnonzero(.|\n)*test_jax.py:\d+"):
        selected.to_jax()(jnp.asarray(VECTOR))  # type: ignore[attr-defined]
    with pytest.raises(ag.errors.ExportError, match=r"raise_ (.|\n)*cannot raise"):
        jax.jit(checked.to_jax())(jnp.asarray(VECTOR))  # type: ignore[attr-defined]
    found = checked.to_jax(checks="drop")(jnp.asarray(VECTOR))  # type: ignore[attr-defined]
    assert np.allclose(found, np.sqrt(VECTOR))


@pytest.mark.slow
def test_eight_devices(tmp_path: Any) -> None:
    """A row of the batch for each of eight devices; JAX sees them in a process of its own."""
    program = tmp_path / "sharded.py"
    program.write_text(textwrap.dedent("""
        import os
        os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
        os.environ["JAX_PLATFORMS"] = "cpu"
        import jax, numpy as np, jax.numpy as jnp
        jax.config.update("jax_enable_x64", True)
        from jax.sharding import Mesh, NamedSharding, PartitionSpec
        import autograph as ag

        @ag.function
        def rows(x):
            total = np.zeros(x.shape[0])
            for i in range(x.shape[1]):
                total = np.where(x[:, i] > 0, total + np.sqrt(np.abs(x[:, i])), total - 1)
            return total

        x = np.random.default_rng(0).normal(size=(16, 90))
        mesh = Mesh(np.array(jax.devices()), ("batch",))
        given = jax.device_put(x, NamedSharding(mesh, PartitionSpec("batch", None)))
        found = jax.jit(rows.to_jax())(given)
        assert len(found.sharding.device_set) == 8, found.sharding
        assert np.allclose(found, rows.python_function(x))
        print("equal")
    """))
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True,
                          timeout=300, check=False)
    assert done.stdout.strip() == "equal", done.stderr


OPS_TRIED = [op for op in OPS.values() if not op.effect and "empty" not in op.name
             and op.name not in UNLIKE and any(list(samples_in(op, d)) for d in DTYPES)]


@pytest.mark.parametrize("dtype", DTYPES if ALL else DTYPES[::3])
@pytest.mark.parametrize("op", OPS_TRIED if ALL else OPS_TRIED[::9], ids=lambda op: op.name)
def test_op_gives_what_numpy_gives_or_is_refused(op: Any, dtype: str) -> None:
    from autograph.runtime.export.jax.coverage import lowered, recorded

    for args, kwargs, wanted in samples_in(op, dtype):
        try:
            recorded(op, args, kwargs, wanted)
        except ag.errors.ExportError:
            continue
        call, arrays = lowered(op, args, kwargs)
        found = [np.asarray(x) if hasattr(x, "dtype") else x for x in call(*map(
            jnp.asarray, arrays))]
        several = isinstance(wanted, (tuple, list)) and len(found) > 1
        assert difference(list(wanted) if several else [wanted], found) == "", (args, kwargs)


def test_transforms_of_integers_are_made_in_float64() -> None:
    x = np.array([0, 2, 1], np.uint8)
    for transform in (np.fft.fft, np.fft.hfft, np.fft.rfft):
        found = np.asarray(ag.function(transform).to_jax()(x))
        np.testing.assert_allclose(found, transform(x), rtol=1e-13)


def test_small_integers_are_summed_in_wide_ones() -> None:
    x = np.array([100, 100, 100], np.int8)
    for fn in (np.cumsum, np.cumprod, np.sum, np.prod):
        traced = ag.function(lambda x, fn=fn: fn(x)).to_jax()
        assert difference(fn(x), np.asarray(traced(jnp.asarray(x)))) == ""


@pytest.mark.parametrize("dtype", ["datetime64[D]", "U3", "O"])
def test_arguments_of_other_dtypes_are_refused_by_name(dtype: str) -> None:
    with pytest.raises(ag.errors.ExportError, match="takes x: JAX does not compute with"):
        ag.function(lambda x: x).to_jax()(np.zeros(2, dtype))  # type: ignore[attr-defined]


def with_its_argument(xs: Any) -> Any:
    return xs[0] * 2, xs


def test_a_list_of_the_arguments_is_a_result() -> None:
    xs = [jnp.ones(2), jnp.zeros(3)]
    found, (one, other) = ag.function(with_its_argument).to_jax()(xs)
    assert found.tolist() == [2.0, 2.0] and one is xs[0] and other is xs[1]


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8"])
def test_divisors_of_the_least_integer(dtype: str) -> None:
    ends = np.iinfo(dtype)
    x = np.array([ends.min, ends.max, 0, 6], dtype)
    for y in (ends.min, 4, 0, ends.max):
        for fn in (np.gcd, np.lcm):
            f: Any = ag.function(lambda x, y, fn=fn: fn(x, y))
            found = f.to_jax()(jnp.asarray(x), jnp.asarray(np.array(y, dtype)))
            assert np.array_equal(found, fn(x, np.array(y, dtype)))
