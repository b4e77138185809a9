"""Every op on its samples, in several dtypes: at any degree of knowledge the type is a bound."""

import builtins
import contextlib
import itertools
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from autograph.runtime.ir.graph import map_leaves
from autograph.runtime.ir.types import DYNAMIC, PY_NUMBERS, ArrayType, DynamicType, PyType, type_of
from autograph.runtime.ops import OPS, Op, by_function, opaque

DTYPES = ["f8", "?", "i1", "i4", "i8", "u1", "f4", "c16"]
SAMPLED = [op for op in OPS.values() if op.samples]
Leaf = Callable[[Any], Any]


def quietly(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return fn(*args, **kwargs)


def is_array(x: Any) -> bool:
    return isinstance(x, (np.ndarray, np.generic))


def recast(dtype: str) -> Leaf:
    """Arrays of floats in another dtype; the other leaves as they are."""
    def leaf(x: Any) -> Any:
        return x.astype(dtype) if is_array(x) and x.dtype == np.float64 else x

    return lambda nest: map_leaves(leaf, nest)


def weaken(shape: Callable[[Any], Any], dtype: bool = True) -> Leaf:
    """Arrays as types that know less: `shape` says of the shape, `dtype` whether it is kept."""
    def leaf(x: Any) -> Any:
        if not is_array(x):
            return x
        known = shape(x.shape)
        scalar = isinstance(x, np.generic) and known is not None
        return ArrayType(x.dtype if dtype else None, known, scalar)

    return leaf


def named_dims(shape: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(f"n{d}" for d in shape)


WEAKER: dict[str, Leaf] = {
    "exact": weaken(lambda s: s),
    "rank": weaken(lambda s: (None,) * len(s)),
    "named": weaken(named_dims),
    "first dim": weaken(lambda s: (None, *s[1:]) if s else s),
    "dtype only": weaken(lambda s: None),
    "shape only": weaken(lambda s: s, dtype=False),
    "rank only": weaken(lambda s: (None,) * len(s), dtype=False),
    "nothing": weaken(lambda s: None, dtype=False),
    "dynamic": lambda x: DYNAMIC if is_array(x) else x,
    "numbers": lambda x: type_of(x) if is_array(x) or type(x) in PY_NUMBERS else x,
    "numbers as any": lambda x: ArrayType(None, (), True) if type(x) in PY_NUMBERS else
                      type_of(x) if is_array(x) else x,
    "all dynamic": lambda x: DYNAMIC if is_array(x) or type(x) in PY_NUMBERS else x,
}


def calls(op: Op) -> Iterator[tuple[Any, dict[str, Any]]]:
    """The samples of an op, and those in other dtypes."""
    for args, kwargs in op.samples:
        yield args, kwargs
        if any(x.dtype == np.float64 for x in arrays((args, kwargs))):
            for dtype in DTYPES[1:]:
                yield recast(dtype)(args), recast(dtype)(kwargs)


def arrays(nest: Any) -> list[Any]:
    found: list[Any] = []
    map_leaves(lambda x: found.append(x) if is_array(x) else None, nest)
    return found


def admits(t: Any, value: Any) -> bool:
    if not isinstance(t, tuple):
        return bool(t.admits(value))
    return len(t) == len(value) and all(a.admits(v) for a, v in zip(t, value, strict=True))


def show(nest: Any) -> Any:
    return map_leaves(lambda x: str(type_of(x)) if is_array(x) else repr(x), nest)


def check_call(op: Op, args: Any, kwargs: Any) -> None:
    try:
        value, error = quietly(op.kernel, *args, **kwargs), None
    except Exception as raised:
        value, error = None, raised
    for how, leaf in WEAKER.items():
        known = map_leaves(leaf, args), map_leaves(leaf, kwargs)
        try:
            t = op.infer(*known[0], **known[1])
        except Exception as raised:
            assert error is not None, f"{how}: the rule raises {raised!r} for {show(args)}"
            assert isinstance(raised, type(error)) or isinstance(error, type(raised)), (
                f"{how}: the kernel raises {error!r}, the rule {raised!r} for {show(args)}")
            continue
        if error is None:
            assert admits(t, value), (
                f"{how}: {op.name}{show(args)} {show(kwargs)} gave {show(value)}, bound {t}")


@pytest.mark.parametrize("op", SAMPLED, ids=lambda op: op.name)
def test_type_rule_is_an_upper_bound(op: Op) -> None:
    for args, kwargs in calls(op):
        check_call(op, args, kwargs)


RANKS = [np.float64(2.0), np.array(3.0), np.zeros(0), np.array([2.0, 1.0]), np.eye(3),
         np.ones((2, 2), "f4"), np.arange(3), np.ones((2, 2), "u1"), np.ones((2, 1, 3)), 2, 1.5]


def test_type_rules_hold_for_operands_of_other_ranks() -> None:
    wrong: list[Any] = []
    for op in [op for op in SAMPLED if not op.effect and "empty" not in op.name]:
        args, kwargs = op.samples[0]
        at = [i for i, x in enumerate(args) if is_array(x)][:2]
        for chosen in itertools.product(RANKS, repeat=len(at)):
            made = dict(zip(at, chosen, strict=True))
            given = [made.get(i, x) for i, x in enumerate(args)]
            with contextlib.suppress(Exception):  # what NumPy refuses has no type
                value = quietly(op.kernel, *given, **kwargs)
                found = op.infer(*map_leaves(WEAKER["exact"], given), **kwargs)
                wrong += [] if admits(found, value) else [(op.name, show(given), found)]
    assert wrong == []


@pytest.mark.parametrize("op", SAMPLED, ids=lambda op: op.name)
def test_type_rule_knows_what_exact_types_tell(op: Op) -> None:
    """At least one sample must be typed without loss, unless the type depends on values."""
    if op.name in DEPENDS_ON_VALUES:
        return
    exact = []
    for args, kwargs in op.samples:
        t = op.infer(*map_leaves(WEAKER["exact"], args), **map_leaves(WEAKER["exact"], kwargs))
        value = quietly(op.kernel, *args, **kwargs)
        exact.append(t == (tuple(map(type_of, value)) if isinstance(t, tuple) else type_of(value)))
    assert any(exact)


DEPENDS_ON_VALUES = {
    "nonzero", "flatnonzero", "argwhere", "unique", "compress", "extract", "delete", "insert",
    "bincount", "intersect1d", "union1d", "setdiff1d", "setxor1d", "triu_indices",
    "tril_indices", "lexsort", "construct", "unpacked_rest",
    "quantile", "percentile", "nanquantile", "nanpercentile", "average", "histogram",
    "linalg.eig", "linalg.eigvals", "cross", "power", "partition", "linalg.lstsq", "shape",
    "getattr_", "pack", "select_", "list_pop", "new_stack", "kept_at",
}


@pytest.mark.parametrize("op", SAMPLED, ids=lambda op: op.name)
def test_kernel_leaves_its_arguments_alone(op: Op) -> None:
    for args, kwargs in op.samples:
        before = map_leaves(lambda x: x.copy() if is_array(x) else x, (args, kwargs))
        quietly(op.kernel, *args, **kwargs)
        for old, new in zip(arrays(before), arrays((args, kwargs)), strict=True):
            np.testing.assert_array_equal(old, new)


@pytest.mark.parametrize("op", [op for op in SAMPLED if not op.view], ids=lambda op: op.name)
def test_op_that_is_no_view_op_makes_new_memory(op: Op) -> None:
    if op.name in ("bound", "pack", "min_", "max_", "select_", "list_of", "list_pop"):
        return  # these give one of their arguments itself
    for args, kwargs in op.samples:
        value = quietly(op.kernel, *args, **kwargs)
        for out in arrays(value if isinstance(value, (tuple, list)) else (value,)):
            assert not any(np.shares_memory(out, a) for a in arrays((args, kwargs)))


# -- errors that are certain ----------------------------------------------------------------------

F64 = np.dtype(float)


def f64(*shape: Any) -> ArrayType:
    return ArrayType(F64, shape)


WRONG: list[tuple[str, tuple[Any, ...], type[Exception]]] = [
    ("add", (f64(2), f64(3)), ValueError),
    ("bitwise_and", (f64(2), f64(2)), TypeError),
    ("bitwise_or", (PyType(float), PyType(int)), TypeError),
    ("matmul", (f64(2, 3), f64(4)), ValueError),
    ("dot", (f64(2, 3), f64(2, 3)), ValueError),
    ("reshape", (f64(2, 3), (4, -1)), ValueError),
    ("concatenate", ([f64(2, 3), f64(2, 4)],), ValueError),
    ("sum", (f64(2), 1), np.exceptions.AxisError),
    ("getitem", (f64(2), (0, 0)), IndexError),
    ("getitem", (PyType(int), 0), TypeError),
    ("setitem", (f64(3), slice(0, 2), f64(3)), ValueError),
    ("setitem", (ArrayType(F64, (), True), 0, 1), TypeError),
    ("linalg.inv", (f64(2, 3),), np.linalg.LinAlgError),
    ("len_", (PyType(float),), TypeError),
    ("astype", (PyType(int), float), AttributeError),
    ("einsum", ("ij->i", f64(3)), ValueError),
]


@pytest.mark.parametrize(("name", "args", "error"), WRONG, ids=lambda x: str(x))
def test_type_rule_raises_what_the_kernel_would(
        name: str, args: tuple[Any, ...], error: type[Exception]) -> None:
    with pytest.raises(error):
        OPS[name].infer(*args)
    with pytest.raises(error):
        OPS[name].kernel(*map_leaves(an_object_of, args))


def an_object_of(t: Any) -> Any:
    if isinstance(t, ArrayType):
        return np.float64(1) if t.scalar else np.ones(t.shape or (), t.dtype)
    return t.cls(1) if isinstance(t, PyType) else t


@pytest.mark.parametrize("name", ["add", "matmul", "concatenate", "setitem"])
def test_type_rule_does_not_raise_where_it_cannot_know(name: str) -> None:
    unknown = ArrayType(F64, ("n", None))
    args = {"concatenate": ([unknown, f64(2, 3)],), "setitem": (unknown, 0, f64(7))}.get(
        name, (unknown, f64(7, 7)))
    OPS[name].infer(*args)


# -- types that are worth stating -----------------------------------------------------------------

N3 = ArrayType(F64, ("n", 3))
STATED = [
    ("add", (N3, f64(3)), {}, "f64[n, 3]"),
    ("add", (ArrayType(np.dtype("f4"), ("n",)), 2.0), {}, "f32[n]"),
    ("add", (ArrayType(np.dtype("i1"), ("n",)), PyType(int)), {}, "i8[n]"),
    ("divide", (PyType(int), PyType(int)), {}, "py.float"),
    ("power", (PyType(int), PyType(int)), {}, "any"),
    ("np.add", (PyType(int), 1), {}, "i64"),
    ("np.isnan", (ArrayType(None, ("n",)),), {}, "bool[n]"),
    ("sum", (N3,), {}, "f64"),
    ("sum", (N3,), {"axis": 1}, "f64[n]"),
    ("mean", (ArrayType(np.dtype("i4"), ("n",)),), {}, "f64"),
    ("zeros", ((PyType(int), 3),), {}, "f64[?, 3]"),
    ("getitem", (N3, (slice(None), 0)), {}, "f64[n]"),
    ("getitem", (N3, PyType(int)), {}, "f64[3]"),
    ("getitem", (N3, ArrayType(np.dtype(bool), ("n",))), {}, "f64[?, 3]"),
    ("transpose", (N3,), {}, "f64[3, n]"),
    ("reshape", (N3, -1), {}, "f64[?]"),
    ("matmul", (N3, f64(3)), {}, "f64[n]"),
    ("where", (ArrayType(np.dtype(bool), ("n",)), 1, 2.5), {}, "f64[n]"),
    ("len_", (N3,), {}, "py.int"),
    ("concatenate", ([N3, f64(2, 3)],), {}, "f64[?, 3]"),
    ("einsum", ("ij,kj->ik", N3, f64(4, 3)), {}, "f64[n, 4]"),
]


@pytest.mark.parametrize(("name", "args", "kwargs", "text"), STATED, ids=lambda x: str(x))
def test_type_rule_gives(name: str, args: Any, kwargs: Any, text: str) -> None:
    assert str(OPS[name].infer(*args, **kwargs)) == text


# -- the table ------------------------------------------------------------------------------------


def test_table_is_large_and_every_op_is_documented() -> None:
    assert len(OPS) >= 120
    assert [op.name for op in OPS.values() if not op.doc] == []


def test_every_op_that_can_be_repeated_has_samples() -> None:
    without = [op for op in OPS.values() if not op.samples and not op.regions]
    assert [op.name for op in without
            if op.effect not in ("random", "store", "call", "read", "write")] == [
                "cotangent_by_rule", "tangent_by_rule", "with_rule", "of_type", "raise_"]


def test_lookup_by_function() -> None:
    assert by_function[np.sum] is OPS["sum"]
    assert by_function[np.add] is OPS["np.add"]
    assert by_function[np.linalg.norm] is OPS["linalg.norm"]
    assert by_function[np.amax] is OPS["max"]
    assert OPS["add"].ufunc is np.add


@pytest.mark.parametrize("op", SAMPLED, ids=lambda op: op.name)
def test_emitted_source_computes_what_the_kernel_does(op: Op) -> None:
    """Only forms that say it with the call's own arguments; the others call the kernel."""
    for args, kwargs in op.samples:
        source = python_call(op, args, kwargs)
        if source is None:
            continue
        names = {f"x{i}": a for i, a in enumerate(args)}
        made = quietly(eval, source, {"np": np, **kwargs}, names)
        expected = quietly(op.kernel, *args, **kwargs)
        np.testing.assert_equal(made, expected)
        assert type(made) is type(expected)


def python_call(op: Op, args: Any, kwargs: Any) -> str | None:
    names = [f"x{i}" for i in range(len(args))]
    if not op.emit or op.effect or op.name == "empty_like" or op.emit in ("np.empty",):
        return None
    if "{" in op.emit:
        fits = f"{{{len(args) - 1}}}" in op.emit and f"{{{len(args)}}}" not in op.emit
        return op.emit.format(*names) if fits and not kwargs else None
    if op.emit.split(".")[0] not in ("np", *dir(builtins)):
        return None
    return f"{op.emit}({', '.join([*names, *(f'{k}={k}' for k in kwargs)])})"


def test_opaque_op_is_one_per_function_and_knows_nothing_of_its_result() -> None:
    op = opaque(np.fft.fft)
    assert op is opaque(np.fft.fft)
    assert op.infer(f64(3)) == DYNAMIC
    assert isinstance(op.infer(), DynamicType)


@pytest.mark.parametrize(("fn", "effect"), [
    (np.fft.fft, ""), (np.random.default_rng, "random"), (np.random.rand, "random"),
    (np.fill_diagonal, "call"), (np.save, "call"), (show, "call"), (print, "call"),
])
def test_effect_of_opaque_ops(fn: Callable[..., Any], effect: str) -> None:
    assert opaque(fn).effect == effect


def results_of(op: Op, args: Any, kwargs: Any) -> list[Any]:
    """The arrays that a call gives; none if it raises."""
    try:
        made = quietly(op.kernel, *args, **kwargs)
    except Exception:
        return []
    return [x for x in (made if isinstance(made, (tuple, list)) else [made])
            if isinstance(x, np.ndarray)]


@pytest.mark.parametrize("op", [op for op in SAMPLED if op.fresh], ids=lambda op: op.name)
def test_a_fresh_result_is_memory_of_its_own(op: Op) -> None:
    for args, kwargs in calls(op):
        if kwargs.get("copy", True) is True:
            given = [a for a in arrays((args, kwargs)) if isinstance(a, np.ndarray)]
            for made in results_of(op, args, kwargs):
                assert made.flags.writeable, show(args)
                assert not any(np.shares_memory(made, a) for a in given), show(args)


def in_fortran_order(x: Any) -> Any:
    return np.asfortranarray(x) if isinstance(x, np.ndarray) and x.ndim > 1 else x


@pytest.mark.parametrize("op", [op for op in SAMPLED if op.c_order or op.keeps_c_order],
                         ids=lambda op: op.name)
def test_a_result_lies_in_the_order_that_the_op_states(op: Op) -> None:
    for args, kwargs in calls(op):
        if kwargs.get("order") is not None:
            continue
        found = results_of(op, args, kwargs)
        if op.c_order:
            found += results_of(op, map_leaves(in_fortran_order, args),
                                map_leaves(in_fortran_order, kwargs))
        assert all(made.flags.c_contiguous for made in found if made.ndim > 1), show(args)
