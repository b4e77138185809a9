"""What NumPy refuses for its dtype or its memory is refused by exports, with the line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag

pytest.importorskip("onnx", reason="the extra onnx is not installed")
jax = pytest.importorskip("jax", reason="the extra jax is not installed")
import jax.numpy as jnp  # noqa: E402

from tests.unit.export.comparing import difference  # noqa: E402
from tests.unit.export.onnx_runs import run_onnx  # noqa: E402

jax.config.update("jax_enable_x64", True)

V, T = np.array([1.0, 2.0, 3.0]), np.arange(6).reshape(2, 3)


def complex_store(v):
    v[0] = 1j
    return v


def large_store(v):
    v[0] = 300
    return v


def nan_store(t):
    t[0, 0] = np.nan
    return t


def divided_in_place(t):
    t /= 2
    return t


def broadcast_store(v):
    np.broadcast_to(v, (2, 3))[0] = 1
    return v


def diagonal_store(t):
    np.diagonal(t)[0] = 1
    return t


def float_size(n):
    return np.zeros((n, 2))


def float_end(v, n):
    return v[-n:]


CALLS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (complex_store, (V,)), (large_store, (V.astype("u1"),)), (nan_store, (T,)),
    (divided_in_place, (T,)), (broadcast_store, (V,)), (diagonal_store, (T,)),
    (float_size, (np.float32(2),)), (float_end, (V, np.float32(2))),
]


@pytest.mark.parametrize("checks", ["refuse", "drop"])
@pytest.mark.parametrize(("function", "arguments"), CALLS, ids=lambda x: getattr(x, "__name__", ""))
def test_it_is_refused(function: Any, arguments: tuple[Any, ...], checks: str) -> None:
    f: Any = ag.function(function)
    with pytest.raises((TypeError, ValueError, OverflowError)):
        function(*(np.copy(x)[()] for x in arguments))
    with pytest.raises(ag.errors.ExportError, match=f"in {function.__name__}"):
        ag.export_onnx(None, f, *arguments, checks=checks)
    with pytest.raises(ag.errors.ExportError, match=f"in {function.__name__}"):
        f.to_jax(checks=checks, written_arguments=True)(*arguments)


def handled(x, i):
    total = 0.0
    for v in x:
        try:
            total += x[i] / v
        except IndexError:
            total -= 1
    return total


def harmless(x):
    try:
        y = x * 2 + 1
    finally:
        z = x - 1
    return y, z


def test_what_a_handler_catches_is_refused_with_the_line() -> None:
    for checks in ("refuse", "drop"):
        with pytest.raises(ag.errors.ExportError, match=r"has a handler(.|\n)*, in handled\n"):
            ag.export_onnx(None, ag.function(handled), V, np.int64(1), checks=checks)


def test_a_handler_of_what_never_raises_is_exported() -> None:
    import onnxruntime

    model = ag.export_onnx(None, ag.function(harmless), V)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    for found, wanted in zip(session.run(None, {"x": V}), harmless(V), strict=True):
        assert np.array_equal(found, wanted)


def test_integers_to_powers_that_may_be_negative_are_refused() -> None:
    power: Any = ag.function(lambda x, n: x ** n)
    for n in (T, np.int64(2)):
        with pytest.raises(ag.errors.ExportError, match="cannot raise"):
            ag.export_onnx(None, power, T, n)
        with pytest.raises(ag.errors.ExportError, match="cannot raise"):
            power.to_jax()(T, n)
        assert ag.export_onnx(None, power, T, n, checks="drop")
    assert ag.export_onnx(None, power, T, 2) and ag.export_onnx(None, power, T, T.astype("u1"))


N, PAIR = np.array([1, 2, 4]), np.array([True, False])
WRONG_FOR_ALL_VALUES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (lambda i: np.power(i, -1), (N,)), (lambda i: i ** -1, (N,)),
    (lambda i: np.power(i, np.array([1, 0, -2])), (N,)),
    (lambda x, m: x[m], (V, PAIR)), (lambda x, m: x[m], (V, np.array([True] * 4))),
    (lambda x, m: x[m], (V, np.array([True]))), (lambda x: x[np.array([True, False])], (V,)),
    (lambda t, m: t[:, m], (T, PAIR)), (lambda t, m: t[m], (T, np.array([PAIR, PAIR]))),
    (lambda x, m: x[m].sum(), (V, np.array([True]))),
    (lambda x, m: np.compress(m, x), (V, np.array([True] * 4))),
]


@pytest.mark.parametrize(("function", "arguments"), WRONG_FOR_ALL_VALUES)
def test_what_raises_for_all_values_is_refused_or_raises(function: Any, arguments: Any) -> None:
    f: Any = ag.function(function)
    with pytest.raises((IndexError, ValueError)):
        function(*arguments)
    for run in (lambda: run_onnx(ag.export_onnx(None, f, *arguments), list(arguments)),
                lambda: f.to_jax()(*map(jnp.asarray, arguments))):
        with pytest.raises(Exception, match=r"NumPy raises|cannot raise|no form|out of .*bounds"):
            run()


def masked(x, m):
    return x[m]


@pytest.mark.parametrize("length", [3, 2, 4, 1])
def test_a_mask_of_open_length_has_to_fit(length: int) -> None:
    spec = ag.TensorSpec((None,), np.float64), ag.TensorSpec((None,), bool)
    model = ag.export_onnx(None, ag.function(masked), *spec)
    m = np.arange(length) % 2 == 0
    if length == len(V):
        assert np.array_equal(run_onnx(model, [V, m]), V[m])
        return
    with pytest.raises(Exception, match="Reshape"):
        run_onnx(model, [V, m])


def test_an_array_that_is_written_and_given_twice_is_refused_by_jax() -> None:
    def written(a, b):
        a[0] = 5.0
        return a + b

    run: Any = ag.function(written).to_jax(written_arguments=True)
    x = jnp.asarray(V)
    with pytest.raises(ag.errors.ExportError, match="given twice"):
        run(x, x)
    assert np.array_equal(run(x, x + 0)[0], written(V.copy(), V.copy()))


DIFFERENT: list[tuple[Callable[..., Any], Any]] = [
    (lambda x, k: np.std(x, axis=0, ddof=k), np.ones((2, 3)) * [[1], [2]]),
    (lambda x, k: np.var(x, 0, None, None, k, True), np.ones((2, 3))),
    (lambda x, k: np.percentile(x, 50 * k % 70), np.array([100, -100, 99, -99], "i1")),
    (lambda x, k: np.quantile(x, 0.4, method="lower") + k, np.array([2**62 + 1, 5, 2**62 + 3])),
    (lambda x, k: np.median(x * k, axis=1), np.array([[120, 100], [3, 4]], "i1")),
    (lambda x, k: np.median(x, axis=0) * k, np.array([[True], [True]])),
    (lambda x, k: np.sum(x, initial=0.75 * k), np.array([-3, -2])),
    (lambda x, k: np.percentile(x, np.array([10, 60], "u1")) * k, np.array([3, 250], "u1")),
    (lambda x, k: np.interp([0.5, 1.5], np.arange(3), x) * k, np.array([3, 1, 250], "u1")),
    (lambda x, k: np.polyder(x * k), np.arange(4)),
    (lambda x, k: np.histogram_bin_edges(x, k + 1), np.array([2.0, 2.0])),
    (lambda x, k: np.tanh(x) * 0.1 * k, np.linspace(-2, 2, 31).astype("f2")),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("ddof", [1, 2, 3])
@pytest.mark.parametrize(("function", "x"), DIFFERENT)
def test_where_the_targets_differ_from_numpy(function: Any, x: Any, ddof: int) -> None:
    wanted = function(x, ddof)
    f: Any = ag.function(function)
    for found in (run_onnx(ag.export_onnx(None, f, x, ddof, checks="drop"), [x]),
                  f.to_jax(checks="drop")(jnp.asarray(x), ddof)):
        assert difference(wanted, np.asarray(found)) == ""


def changed_at(x, i):
    np.subtract.at(x, i, 1.0)
    return x


def values_of(x):
    return np.unique_values(x)


def set_flat(x, k):
    x.flat[k] = 7.0
    return x


def put_at(x, k):
    np.put(x, k, 7.0)
    return x


def test_a_bool_is_no_index_of_the_elements_in_order() -> None:
    with pytest.raises(ag.errors.ExportError, match=r"no bool as an index of x\.flat"):
        ag.export_onnx(None, ag.function(set_flat), V, np.True_)
    model = ag.export_onnx(None, ag.function(put_at), V, np.True_, checks="drop")
    assert np.array_equal(run_onnx(model, [V, np.True_]), put_at(V.copy(), np.True_))


def test_what_numpy_leaves_to_chance_or_casts_at_each_element_is_refused() -> None:
    for function, arguments in ((changed_at, (np.array([True, True]), np.array([0]))),
                                (values_of, (N,))):
        with pytest.raises(ag.errors.ExportError, match=f"in {function.__name__}"):
            ag.export_onnx(None, ag.function(function), *arguments)


def sum_of_first(x, n):
    total = 0.0
    for i in range(n):
        total += x[i]
    return total


def run_of_positive(x, i):
    while x[i] > 0:
        i += 1
    return i


def chosen_side(x, i):
    return x[i] if i > 1 else x[i - 4]


def stored_at(x, i):
    x = x.copy()
    x[i] = 5.0
    return x


def pair_at(x, i):
    return [(x[0], 1), (x[1], 2), (x[2], 3)][i]


def item_stored(x, i):
    items = [x[0], x[1], x[2]]
    items[i] = 7.0
    return items


def taken(x, i):
    return np.take(x, i) + np.take_along_axis(x, np.array([i]), 0)[0]


@pytest.mark.parametrize("function", [
    sum_of_first, run_of_positive, chosen_side, stored_at, pair_at, item_stored, taken])
def test_an_index_that_the_run_finds_out_of_bounds_raises(function: Any) -> None:
    for i in np.array([-4, 1, 3]):
        assert outcome(ag.function(function).to_jax(), jnp.asarray(V), jnp.asarray(i)) == (
            outcome(function, V, i))


@pytest.mark.parametrize("function", [pair_at, item_stored])
def test_onnx_raises_for_an_item_that_is_not_there(function: Any) -> None:
    model = ag.export_onnx(None, ag.function(function), V, np.int64(1), checks="drop")
    assert len(run_onnx(model, [V, np.int64(-1)])) == len(function(V, -1))
    with pytest.raises(Exception, match=r"out of .*bounds"):
        run_onnx(model, [V, np.int64(3)])


def test_onnx_raises_where_bincount_meets_a_negative_number() -> None:
    count: Any = ag.function(lambda x: np.bincount(x, minlength=4))
    for dtype in ("u1", "i8", "?"):
        x = np.array([1, 5, 0]).astype(dtype)
        found = run_onnx(ag.export_onnx(None, count, x), [x])
        assert np.array_equal(found, np.bincount(x, minlength=4))
    with pytest.raises(Exception, match=r"out of .*bounds"):
        run_onnx(ag.export_onnx(None, count, N), [N - 2])


def outcome(f: Any, *args: Any) -> Any:
    try:
        return [x for leaf in jax.tree.leaves(f(*args)) for x in np.ravel(leaf)]
    except (IndexError, np.linalg.LinAlgError) as error:
        return type(error)


@pytest.mark.parametrize("name", ["inv", "cholesky", "eigvals", "svdvals", "cond", "matrix_rank"])
def test_jax_raises_for_matrices_for_which_lapack_fails(name: str) -> None:
    function = getattr(np.linalg, name)
    f: Any = ag.function(lambda a: function(a)).to_jax()
    for a in ([[2.0, 1.0], [1.0, 3.0]], [[1.0, 2.0], [2.0, 4.0]], [[np.nan, 1.0], [1.0, 2.0]]):
        found, wanted = outcome(f, jnp.asarray(a)), outcome(function, np.array(a))
        assert np.allclose(found, wanted, equal_nan=True) if isinstance(wanted, list) else (
            found == wanted)


def raised_in_a_branch(x):
    if x.sum() < 0:
        raise ValueError(f"negative: {x.sum()}")
    assert x[0] > 0, "first"
    return np.sqrt(abs(x))


def raised_in_a_loop(x):
    doubled = 0
    while x.sum() < 100:
        x = x * 2
        doubled += 1
        if doubled > 6:
            raise OverflowError(f"{doubled} times")
    for v in x:
        if v < 0:
            raise KeyError(v)
    return x


def raised_on_two_sides(x):
    if x[0] < 0:
        if x[1] < 0:
            raise TypeError("both")
        else:
            raise ValueError("one")
    ag.debugging.assert_less(x, 50.0)
    return x + 1


@pytest.mark.parametrize("f", [raised_in_a_branch, raised_in_a_loop, raised_on_two_sides])
def test_jax_raises_what_the_function_does(f: Any) -> None:
    for x in np.array([[1, 2], [-1, 2], [-3, -1], [-1, 200], [200, -1], [9, 60], [1e-9, 0]]):
        try:
            wanted = f(x)
        except Exception as error:
            with pytest.raises(type(error)) as caught:
                ag.function(f).to_jax()(jnp.asarray(x))
            assert str(caught.value).startswith(str(error).split("\n")[0])
        else:
            assert np.allclose(ag.function(f).to_jax()(jnp.asarray(x)), wanted)


@pytest.mark.parametrize("name", ["eigvalsh", "cholesky", "slogdet"])
def test_jax_reads_of_a_matrix_what_lapack_reads(name: str) -> None:
    function = getattr(np.linalg, name)
    f: Any = ag.function(lambda a: function(a)).to_jax()
    for a in ([[2.0, 7.0], [1.0, 3.0]], [[1e200, 1e99], [0.0, 1e200]], np.eye(5) * 1e-99):
        assert np.allclose(outcome(f, jnp.asarray(a)), outcome(function, np.array(a)),
                           equal_nan=True)


def test_a_known_position_out_of_bounds_raises() -> None:
    f: Any = ag.function(lambda x: np.take(x, 10)).to_jax()
    with pytest.raises(IndexError, match="index 10 is out of bounds for axis 0 with size 3"):
        f(jnp.asarray(V))


def test_under_jit_nothing_raises() -> None:
    f: Any = ag.function(sum_of_first).to_jax()
    assert jax.jit(f)(jnp.asarray(V), jnp.asarray(5)) == 12.0
    with pytest.raises(IndexError, match="out of bounds for axis 0 with size 3"):
        f(jnp.asarray(V), jnp.asarray(5))
