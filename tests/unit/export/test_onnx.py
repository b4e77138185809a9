"""`ag.export_onnx`: whole programs and every op, on onnxruntime and ONNX's reference."""

from __future__ import annotations

import copy
import inspect
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ops.op import OPS
from tests.corpus.case import Case
from tests.corpus.cases import CASES, ROWS
from tests.support.amount import ALL
from tests.unit.export.comparing import (
    difference,
    has_array,
    in_c_order,
    is_numeric,
    plain_result,
    typed_outputs,
)
from tests.unit.export.onnx_runs import run_onnx, started

onnx = pytest.importorskip("onnx", reason="the extra onnx is not installed")
pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")
from autograph.runtime.export.onnx import export  # noqa: E402
from autograph.runtime.export.onnx.coverage import exported, how  # noqa: E402
from autograph.runtime.export.onnx.export import model_of  # noqa: E402
from autograph.runtime.export.onnx.kernels import KERNELS  # noqa: E402
from autograph.runtime.export.samples import DTYPES, samples_in  # noqa: E402

"""Every program of the corpus and every op, instead of a sample: takes some ten minutes."""

EXPORTED = [c for c in (*CASES, *ROWS) if is_numeric(list(c.arguments[0])) and has_array(
    list(c.arguments[0]))]
REFUSALS = (ag.errors.ExportError, ag.errors.TracingError, ag.ConversionError)


@pytest.mark.parametrize("case", EXPORTED if ALL else EXPORTED[5::40], ids=lambda c: c.name)
def test_program_gives_the_same_or_is_refused(case: Case) -> None:
    arguments = case.arguments[0]
    try:
        wanted, _ = plain_result(case, arguments)
    except Exception:
        pytest.skip("it raises")
    function: Any = ag.function(case.function)
    bound = inspect.signature(case.function).bind(*in_c_order(copy.deepcopy(arguments)))
    bound.apply_defaults()
    try:
        concrete, call = function.__ag_dispatcher__.find(dict(bound.arguments))
        model = model_of(concrete, "drop")
    except REFUSALS as error:
        pytest.skip(f"refused: {error}"[:200])
    found = run_onnx(model, [leaf.value for leaf in call.leaves])
    assert difference(wanted, found, typed_outputs(function)) == ""


MIXED = ("max_", "min_", "select_")
"""The ops whose dtype follows from the values: of a Python number and a float it is the float's."""

OPS_TRIED = [op for op in OPS.values() if how(op)[:7] != "refused" and "empty" not in op.name
             and op.name != "list_pop"
             and any(list(samples_in(op, d)) for d in DTYPES)]


def sorted_by(order: Any, x: Any, axis: Any = -1, **_: Any) -> Any:
    assert order.dtype == np.int64
    return np.take_along_axis(*((np.ravel(x), order, 0) if axis is None else (x, order, axis)))


@pytest.mark.parametrize("dtype", DTYPES if ALL else DTYPES[::3])
@pytest.mark.parametrize("op", OPS_TRIED if ALL else OPS_TRIED[::9], ids=lambda op: op.name)
def test_op_gives_what_numpy_gives_or_is_refused(op: Any, dtype: str) -> None:
    for args, kwargs, wanted in samples_in(op, dtype):
        try:
            one = exported(op, args, kwargs, wanted)
        except ag.errors.ExportError:
            continue
        found = started(one.model, one.inputs)
        several = isinstance(wanted, (tuple, list)) and len(found) > 1
        results = list(wanted) if several else [wanted]
        if op.name in MIXED:
            assert found[0].dtype in [np.asarray(x).dtype for x in args]
            results, found = ([np.asarray(x, float) for x in xs] for xs in (results, found))
        if op.name == "argsort":  # NumPy leaves the order of equal elements open
            results, found = ([sorted_by(order, *args, **kwargs) for order in xs]
                              for xs in (results, found))
        assert difference(results, found) == "", (args, kwargs)


def special_values(dtype: str) -> Any:
    """Zeros, small numbers, halves and the ends of the range; of floats also NaN and infinities."""
    d = np.dtype(dtype)
    if d.kind == "f":
        ends = np.finfo(d)
        return np.array([0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3, -7, 100.25, np.nan, np.inf,
                         -np.inf, ends.max, -ends.max, ends.tiny, ends.eps], d)
    if d.kind == "b":
        return np.array([False, True])
    whole = np.iinfo(d)
    return np.array([0, 1, 2, 3, 5, 7, 100, whole.max, whole.max - 1, whole.min, whole.min + 1,
                     *((-1, -2, -3, -7, -100) if d.kind == "i" else ())], d)


UFUNCS = [op for op in OPS.values() if op.ufunc is not None and how(op)[:7] != "refused"
          and op.ufunc.nin <= 2]


@pytest.mark.parametrize("dtype", DTYPES if ALL else DTYPES[::3])
@pytest.mark.parametrize("op", UFUNCS if ALL else UFUNCS[::4], ids=lambda op: op.name)
def test_ufunc_of_special_values(op: Any, dtype: str) -> None:
    x = special_values(dtype)
    for other in {dtype, "float64", "int64"} if op.ufunc.nin == 2 else {dtype}:
        args = [a.ravel() for a in np.meshgrid(x, special_values(other))] if (
            op.ufunc.nin == 2) else [x]
        with np.errstate(all="ignore"):
            try:
                wanted = op.kernel(*args)
                one = exported(op, tuple(args), {}, wanted)
            except (TypeError, ValueError, ag.errors.ExportError):
                continue  # NumPy or ONNX does not take them
        found = started(one.model, one.inputs)
        assert difference(list(wanted) if isinstance(wanted, tuple) else [wanted], found) == ""


@pytest.mark.parametrize("name", sorted(OPS))
def test_op_is_lowered_decomposed_or_refused_with_a_reason(name: str) -> None:
    found = how(OPS[name])
    assert found and found != "refused: "
    if OPS[name].onnx and "refused" not in found:
        assert found.strip("`") == OPS[name].onnx


@ag.function
def bisected(low: Any, high: Any, target: Any) -> Any:
    steps = 0
    while high - low > 1e-9:
        middle = (low + high) / 2
        if middle ** 3 < target:
            low = middle
        else:
            high = middle
        steps += 1
    return low, steps


@ag.function
def smoothed(x: Any, times: Any) -> Any:
    for _ in range(times):
        x[1:-1] = (x[:-2] + x[1:-1] + x[2:]) / 3
        x[x > 2] = 2
    return x.mean()


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


@pytest.mark.parametrize("reference", [False, True])
def test_python_functions_of_arrays(reference: bool) -> None:
    arguments = np.linspace(0.1, 2.0, 9), np.float64(2.0)
    concrete = folded.get_concrete_function(*arguments)  # type: ignore[attr-defined]
    found = run_onnx(model_of(concrete), list(arguments), reference)
    assert difference(folded.python_function(*arguments), found) == ""  # type: ignore[attr-defined]


@ag.function
def powers(m: Any) -> Any:
    rows, matrices, nothing = [], [], []
    for _ in range(70):
        m = m / 2 + 1
        rows.append(m[0])
        matrices.append(m)
        nothing.append(m[:0])
    return rows, matrices, nothing


@pytest.mark.parametrize("reference", [False, True])
def test_lists_that_a_loop_fills(reference: bool) -> None:
    """ONNX's reference stacks the numbers of the iterations as a column, and matrices as one."""
    x = np.linspace(0.1, 2.0, 9)
    concrete = running.get_concrete_function(x)  # type: ignore[attr-defined]
    model = model_of(concrete)
    one, two, three = ({"output": f"result_{n}"} for n in range(3))
    assert json.loads(model.metadata_props[0].value) == [one, [two, three]]
    made, (last, twice) = running.python_function(x)  # type: ignore[attr-defined]
    assert difference([made, last, twice], run_onnx(model, [x], reference)) == ""


@pytest.mark.parametrize("reference", [False, True])
def test_lists_of_rows_and_matrices_that_a_loop_fills(reference: bool) -> None:
    m = np.arange(6.0).reshape(2, 3)
    concrete = powers.get_concrete_function(m)  # type: ignore[attr-defined]
    wanted = powers.python_function(m)  # type: ignore[attr-defined]
    assert difference(wanted, run_onnx(model_of(concrete), [m], reference)) == ""


@pytest.mark.parametrize("reference", [False, True])
@pytest.mark.parametrize(("f", "arguments", "checks"), [
    (best, (np.linspace(2.0, 0.1, 9),), "drop"), (is_prime, (np.int64(97),), "refuse"),
    (is_prime, (np.int64(49),), "refuse")])
def test_names_that_are_bound_on_some_paths(f: Any, arguments: Any, checks: str, reference: bool
                                            ) -> None:
    concrete = f.get_concrete_function(*arguments)
    found = run_onnx(model_of(concrete, checks), list(arguments), reference)
    assert difference(f.python_function(*arguments), found) == ""


@pytest.mark.parametrize("reference", [False, True])
def test_loops_and_branches(reference: bool) -> None:
    arguments = np.float64(0.0), np.float64(3.0), np.float64(5.0)
    concrete = bisected.get_concrete_function(*arguments)  # type: ignore[attr-defined]
    model = model_of(concrete)
    kinds = {n.op_type for n in model.graph.node}
    assert "Loop" in kinds
    found = run_onnx(model, list(arguments), reference)
    assert difference(bisected.python_function(*arguments), found) == ""  # type: ignore[attr-defined]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_open_dimensions_and_written_arguments(dtype: Any, tmp_path: Any) -> None:
    spec = ag.TensorSpec((None,), dtype)
    path = tmp_path / "smoothed.onnx"
    model = ag.export_onnx(path, smoothed, spec, np.int64(0))
    assert [x.name for x in model.graph.output] == ["result_0", "x_after"]
    assert onnx.load(path).opset_import[0].version == 21 and onnx.load(path).ir_version == 10
    for length in (3, 8, 40):
        x = np.linspace(0, 3, length).astype(dtype)
        mean, after = started(model, [x, np.int64(4)])
        wanted = smoothed.python_function(x, 4)  # type: ignore[attr-defined]
        assert difference([wanted, x], [mean, after]) == ""


@ag.function
def solved(a: Any, b: Any) -> Any:
    return np.linalg.solve(a, b)


@ag.function
def checked(x: Any) -> Any:
    if x.sum() < 0:
        raise ValueError("negative")
    return np.sqrt(x)


def test_refusals_name_the_op_and_the_line() -> None:
    with pytest.raises(ag.errors.ExportError, match=r"linalg.solve(.|\n)*test_onnx.py:\d+"):
        ag.export_onnx(None, solved, np.eye(2), np.ones(2))
    with pytest.raises(ag.errors.ExportError, match="cannot raise"):
        ag.export_onnx(None, checked, np.ones(2))
    assert started(ag.export_onnx(None, checked, np.ones(2), checks="drop"), [np.ones(2)])[0].all()


@ag.function
def by_a_bool(x: Any) -> Any:
    return x[True]


@ag.function
def by_an_object(x: Any) -> Any:
    return np.r_["r", x, x]


@pytest.mark.parametrize("function", [by_a_bool, by_an_object])
def test_what_is_no_index_and_no_number_is_refused(function: Any) -> None:
    with pytest.raises(REFUSALS):
        ag.export_onnx(None, function, np.ones(3))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("function", [
    lambda x: (np.mean(x), np.var(x)),
    lambda x: np.mean(x.reshape(-1, 1), axis=0),
    lambda x: (np.array_equal(x, x, equal_nan=True), np.array_equal(x, x + 1, equal_nan=True)),
    lambda x: np.array_equal(x, x, True) and not np.array_equal(x, x + np.nan),
], ids=["mean", "mean of columns", "equal", "equal by position"])
def test_no_elements_and_no_numbers(function: Any) -> None:
    for x in (np.zeros(0), np.array([1.0, np.nan]), np.ones(3)):
        model = ag.export_onnx(None, ag.function(function), x, checks="drop")
        wanted = function(x)
        assert difference(wanted, started(model, [x]) if isinstance(wanted, tuple) else (
            started(model, [x])[0])) == ""


def test_no_rule_leaves_an_argument_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        export, "rule_for", lambda op: lambda lw, site: lw.tensor(site.args[0]))
    with pytest.raises(ag.errors.ExportError, match="the argument axis of cumsum"):
        ag.export_onnx(None, ag.function(lambda x: np.cumsum(x, axis=0)), np.ones(3))


@ag.function
def scaled(x: Any) -> Any:
    return np.tan(x) + np.sin(x) * 2 ** x


@pytest.mark.parametrize("dtype", ["complex128", "datetime64[s]", "longdouble", "U3", ">f8"])
def test_dtypes_that_onnx_lacks_are_refused(dtype: str) -> None:
    with pytest.raises((*REFUSALS, TypeError)):
        ag.export_onnx(None, scaled, np.zeros(3, dtype))


@pytest.mark.slow
@pytest.mark.parametrize("op", [k for k in KERNELS if k in (
    "Add", "Where", "Max", "Tan", "TopK", "NonZero", "CumSum", "ReduceMax", "Trilu", "Pow")])
def test_kernels_of_the_installed_onnxruntime(op: str) -> None:
    """The table of kernels is what onnxruntime has, for operations of which some change."""
    from tests.unit.export.onnx_runs import kernel_exists

    assert {d for d in KERNELS[op] if not kernel_exists(op, d)} == set()


def test_shapes_that_never_fit_are_refused(tmp_path: Path) -> None:
    """Where the checks are left out, ONNX's own checker finds what cannot be."""
    @ag.function
    def added(x, v):
        v += x
        return v

    with pytest.raises(ag.errors.ExportError, match="makes no valid model"):
        ag.export_onnx(tmp_path / "f.onnx", added, np.ones((2, 3)), np.ones((1, 3)),
                       checks="drop")
