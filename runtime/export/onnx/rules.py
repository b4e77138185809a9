"""The table of ONNX rules: what each op becomes, and why the others are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.export.decomposed import by_parts
from autograph.runtime.export.kinds import joined_dtype
from autograph.runtime.export.lookups import membership
from autograph.runtime.export.onnx.arrays import (
    arange,
    array,
    at_least,
    broadcast_to,
    common,
    concatenate,
    copied,
    dim,
    expand_dims,
    finished,
    full,
    full_like,
    known_kinds,
    length,
    linspace,
    moved,
    ndim,
    ravel,
    reshape,
    shape,
    size,
    squeeze,
    stack,
)
from autograph.runtime.export.onnx.builder import FLOAT64, INT64, T, dims
from autograph.runtime.export.onnx.compositions import COMPOSITIONS
from autograph.runtime.export.onnx.elementwise import FORMULAS, UNWRITTEN
from autograph.runtime.export.onnx.factorisations import FACTORISATIONS
from autograph.runtime.export.onnx.indexing import INDEXING
from autograph.runtime.export.onnx.initial_values import started
from autograph.runtime.export.onnx.integers import reduce
from autograph.runtime.export.onnx.lowering import OnnxLowering, RangeOf
from autograph.runtime.export.onnx.reductions import REDUCTIONS
from autograph.runtime.export.shared_rules import SHARED, reduction_by, ufunc_loop
from autograph.runtime.export.sites import Site
from autograph.runtime.ops.op import EFFECTS, OPS, Op
from autograph.runtime.ops.type_rules import broadcast

Rule = Callable[[OnnxLowering, Site], Any]


# -- elementwise ----------------------------------------------------------------------------------


def elementwise(lw: OnnxLowering, site: Site) -> Any:
    """A ufunc, or the operator that it stands for, in the dtypes of NumPy's loop."""
    ufunc: Any = site.op.ufunc
    if ufunc in UNWRITTEN:
        lw.refuse(UNWRITTEN[ufunc])
    formula: Any = FORMULAS.get(ufunc)
    kwargs = {k: v for k, v in site.kwargs.items() if not (
        (k == "where" and v is True) or k in ("casting", "subok", "order"))}
    if formula is None or kwargs.keys() - {"dtype"}:
        lw.refuse(f"the argument {', '.join(sorted(kwargs))} of a ufunc" if kwargs else
                  "ONNX has no operation for it")
    kinds = known_kinds(lw, site.kinds)
    if (asked := kwargs.get("dtype")) is not None:
        kinds = [np.dtype(asked)] * len(kinds)
    loop = ufunc_loop(lw, site, kinds)
    operands = [lw.tensor(x, d) for x, d in zip(site.args, loop, strict=False)]
    found = formula(lw.b, *operands)
    shape = dims(broadcast(*(x.shape for x in operands)))
    if isinstance(found, tuple):
        return [finished(lw, f, d, shape) for f, d in zip(found, loop[ufunc.nin:], strict=True)]
    return finished(lw, found, loop[-1], shape)


def where(lw: OnnxLowering, site: Site) -> Any:
    if len(site.args) == 1:
        return lw.apply(OPS["nonzero"], site.args, {})
    dtype = common(lw, site, site.kinds[1:])
    condition, a, b = site.args
    a, b = lw.tensor(a, dtype), lw.tensor(b, dtype)
    condition = lw.tensor(condition, bool)
    return lw.b.where(condition, a, b)


def clip(lw: OnnxLowering, site: Site) -> Any:
    given = dict(zip(("a", "a_min", "a_max"), site.args, strict=False)) | site.kwargs
    low, high = (given.get(a, given.get(b)) for a, b in (("a_min", "min"), ("a_max", "max")))
    if given.keys() - {"a", "a_min", "a_max", "min", "max"}:
        lw.refuse("other arguments")
    found = given["a"]
    kinds = [lw.kind_of_value(x) if i >= len(site.kinds) else site.kinds[i]
             for i, x in enumerate([found, low, high]) if x is not None]
    dtype = common(lw, site, kinds)
    found = lw.tensor(found, dtype)
    for bound, name in ((low, "np.maximum"), (high, "np.minimum")):
        if bound is not None:
            found = FORMULAS[OPS[name].ufunc](lw.b, found, lw.tensor(bound, dtype))
    return found


def select(lw: OnnxLowering, site: Site) -> Any:
    conditions, choices, *rest = site.args
    default = rest[0] if rest else site.kwargs.get("default", 0)
    dtype = common(lw, site, [lw.kind_of_value(x) for x in (*choices, default)])
    found = lw.tensor(default, dtype)
    for condition, choice in reversed(list(zip(conditions, choices, strict=True))):
        found = lw.b.where(lw.tensor(condition, bool), lw.tensor(choice, dtype), found)
    return found


def isclose(lw: OnnxLowering, site: Site) -> Any:
    given = dict(zip(("a", "b", "rtol", "atol", "equal_nan"), site.args, strict=False))
    given |= site.kwargs
    a, c = (lw.tensor(given[k], FLOAT64) for k in "ab")
    b = lw.b
    rtol, atol = (lw.tensor(given.get(k, v), FLOAT64) for k, v in (("rtol", 1e-5), ("atol", 1e-8)))
    near = b.op("Abs", a - c) <= (atol + rtol * b.op("Abs", c))
    finite = ~(b.op("IsInf", c) | b.op("IsNaN", c))
    found: T = (near & finite) | a.equals(c)
    if given.get("equal_nan", False):
        found = found | (b.op("IsNaN", a) & b.op("IsNaN", c))
    return found


def allclose(lw: OnnxLowering, site: Site) -> Any:
    return all_true(lw, isclose(lw, site))


def all_true(lw: OnnxLowering, x: T) -> T:
    wrong = reduce(lw.b, "ReduceSum", lw.b.cast(~x, np.int32), tuple(range(x.ndim)), False)
    none: T = wrong.equals(0)
    return none


def array_equal(lw: OnnxLowering, site: Site) -> Any:
    dtype = joined_dtype(*known_kinds(lw, site.kinds[:2]))
    a, b = (lw.tensor(x, dtype) for x in site.args[:2])
    if not a.is_static or not b.is_static:
        lw.refuse("shapes that only the run knows")
    same = a.equals(b)
    if (site.args[2:] or [site.kwargs.get("equal_nan")])[0] and dtype.kind == "f":
        same = same | (lw.b.op("IsNaN", a) & lw.b.op("IsNaN", b))
    return lw.b.constant(False) if a.shape != b.shape else all_true(lw, same)


def nan_to_num(lw: OnnxLowering, site: Site) -> Any:
    x, b = lw.tensor(site.args[0]), lw.b
    given = dict(zip(("x", "copy", "nan", "posinf", "neginf"), site.args, strict=False))
    given |= site.kwargs
    if x.dtype.kind != "f":
        return x
    info = np.finfo(x.dtype)
    high = info.max if given.get("posinf") is None else given["posinf"]
    low = info.min if given.get("neginf") is None else given["neginf"]
    infinite = b.op("IsInf", x)
    found = b.where(infinite & (x > 0), high, b.where(infinite, low, x))
    return b.where(b.op("IsNaN", x), given.get("nan", 0.0), found)


def np_round(lw: OnnxLowering, site: Site) -> Any:
    x = lw.tensor(site.args[0])
    digits = site.args[1] if len(site.args) > 1 else site.kwargs.get("decimals", 0)
    if x.dtype.kind in "iub":
        if digits < 0:
            lw.refuse("integers by a negative number of digits")
        return x if x.dtype.kind != "b" else lw.b.cast(x, np.float16)
    if not digits:
        return lw.b.op("Round", x)
    scale = 10.0 ** abs(digits)
    if digits > 0:
        return lw.b.op("Round", x * scale) / scale
    return lw.b.op("Round", x / scale) * scale


# -- Python's own ---------------------------------------------------------------------------------


def truth(lw: OnnxLowering, site: Site) -> Any:
    return lw.truth(site.args[0])


def not_(lw: OnnxLowering, site: Site) -> Any:
    return ~lw.truth(site.args[0])


def one(lw: OnnxLowering, x: Any) -> T:
    """Returns the only element of an array, without dimensions."""
    only: T = lw.tensor(x)
    if not only.ndim:
        return only
    if not only.is_static or np.prod(only.shape) != 1:  # type: ignore[arg-type]
        lw.refuse("only an array of one element becomes a Python number")
    return lw.b.reshape(only, ())


def converted(dtype: Any) -> Rule:
    """Returns the rule of `int(x)` or `float(x)`."""
    def rule(lw: OnnxLowering, site: Site) -> Any:
        if len(site.args) != 1:
            lw.refuse("text or a base as an argument")
        return lw.b.cast(one(lw, site.args[0]), dtype)

    return rule


def element(lw: OnnxLowering, site: Site) -> Any:
    x, *index = site.args
    if not index:
        return one(lw, x)
    if isinstance(index[0], tuple):
        index = list(index[0])
    flat = lw.b.flat(lw.tensor(x)) if len(index) == 1 else lw.tensor(x)
    return lw.apply(OPS["getitem"], (flat, tuple(index)), {})


def round_(lw: OnnxLowering, site: Site) -> Any:
    x, *rest = site.args
    digits = rest[0] if rest else site.kwargs.get("ndigits")
    kind = site.kinds[0]
    integral = kind is int or (isinstance(kind, np.dtype) and kind.kind in "iub")
    if integral and not digits:
        return lw.tensor(x) if digits is not None else lw.of_kind(lw.tensor(x, INT64), int)
    if digits is None:
        return lw.of_kind(lw.b.cast(lw.b.op("Round", lw.tensor(x)), INT64), int)
    if kind is float:
        lw.refuse("Python decides by the decimal digits of a float", hint="use np.round(x, n)")
    return lw.apply(OPS["round"], (x, digits), {})


def divmod_(lw: OnnxLowering, site: Site) -> Any:
    return lw.apply(OPS["np.divmod"], site.args, {}, site.kinds)


def in_(lw: OnnxLowering, site: Site) -> Any:
    if (found := membership(lw, site)) is not None:
        return found
    x, xs = site.args
    return ~all_true(lw, ~lw.tensor(lw.apply(OPS["np.equal"], (x, xs), {})))


def astype(lw: OnnxLowering, site: Site) -> Any:
    return lw.tensor(site.args[0], np.dtype(site.args[1]))


# -- containers and effects -----------------------------------------------------------------------


def range_(lw: OnnxLowering, site: Site) -> Any:
    b = lw.b
    ends = (0, *site.args, 1) if len(site.args) == 1 else (*site.args, 1)[:3]
    start, stop, step = (b.reshape(lw.integers(x), ()) for x in ends)
    up = b.op("Max", stop - start, b.constant(np.int64(0)))
    down = b.op("Max", start - stop, b.constant(np.int64(0)))
    positive = step > 0
    size_ = b.op("Abs", step)
    gap = b.where(positive, up, down)
    count = b.op("Div", gap + (size_ - 1), b.where(size_.equals(0), b.constant(np.int64(1)), size_))
    return RangeOf(start, step, count)


def list_of(lw: OnnxLowering, site: Site) -> Any:
    made: list[Any] = []
    for spliced, x in site.args:
        if spliced:
            made.extend(lw.rows(x))
        else:
            made.append(x)
    return made


def flat_item(lw: OnnxLowering, site: Site) -> Any:
    return lw.apply(OPS["getitem"], (lw.b.flat(lw.tensor(site.args[0])), site.args[1]), {})


def real(lw: OnnxLowering, site: Site) -> Any:
    return lw.tensor(site.args[0])


def imag(lw: OnnxLowering, site: Site) -> Any:
    x = lw.tensor(site.args[0])
    return lw.b.expand(lw.b.constant(0, x.dtype), lw.b.shape_of(x), x.shape)


def refused(reason: str, hint: str = "") -> Rule:
    """Returns the rule of an op that has no form in ONNX."""
    def rule(lw: OnnxLowering, site: Site) -> Any:
        lw.refuse(reason, hint=hint)

    rule.reason = reason  # type: ignore[attr-defined]  # for the table in the documentation
    return rule


WRITTEN = {**REDUCTIONS, **COMPOSITIONS, **FACTORISATIONS}
FACTORS = refused("ONNX has no factorisations of matrices")
COMPLEX = refused("onnxruntime does not compute with complex numbers")
RANDOM = refused("ONNX's random numbers are others than NumPy's", "pass them as arguments")
OBJECTS = refused("it works on Python objects or text, of which ONNX knows nothing")
BY_REFERENCE = refused("it changes an array in place whose aliases only the run knows")
STATE = refused("it changes state outside the function", "pass the state, and return it")
LOOPS_BACK = refused("it keeps what a loop made for its way back, in lists of a length that only "
                     "the run knows")
UNDECIDED = refused("ONNX has no operation for it, and no decomposition is written")

RULES: dict[str, Rule] = {
    **SHARED, **REDUCTIONS, **INDEXING, **COMPOSITIONS, **FACTORISATIONS,
    "where": where, "clip": clip, "select": select, "isclose": isclose, "allclose": allclose,
    "array_equal": array_equal, "nan_to_num": nan_to_num, "round": np_round, "truth": truth,
    "not_": not_, "int_": converted(INT64), "float_": converted(FLOAT64), "index_": converted(
        INT64), "item": element, "round_": round_, "divmod_": divmod_,
    "in_": in_, "astype": astype, "shape": shape,
    "ndim": ndim, "size": size, "dim": dim, "len_": length, "reshape": reshape, "ravel": ravel,
    **dict.fromkeys(("transpose", "swapaxes", "moveaxis"), moved),
    "expand_dims": expand_dims, "squeeze": squeeze, "broadcast_to": broadcast_to,
    "atleast_1d": at_least(1), "atleast_2d": at_least(2), "concatenate": concatenate,
    "stack": stack, "array": array, "asarray": array, "asanyarray": array,
    "ascontiguousarray": lambda lw, site: at_least(1)(lw, site), "copy": copied,
    "stop_gradient": copied, "differentiable": copied,
    **dict.fromkeys(("full", "zeros", "ones", "empty"), full),
    **dict.fromkeys(("full_like", "zeros_like", "ones_like", "empty_like"), full_like),
    "arange": arange, "linspace": linspace, "range_": range_, "list_of": list_of,
    "flat_item": flat_item, "real": real, "imag": imag,
    "dtype": lambda lw, site: lw.dtype_of(site.args[0]),
    **{name: FACTORS for name in OPS if name.startswith("linalg.") and name not in WRITTEN},
    "thin_svd": FACTORS, "tall_qr": FACTORS, "cofactors": FACTORS,
    **{name: COMPLEX for name in OPS if name.startswith("fft.") or name in ("complex_", "angle")},
    **dict.fromkeys(("draw", "make_generator", "drawn_into"), RANDOM),
    **dict.fromkeys(("str_", "repr_", "ascii_", "chr_", "ord_", "bin_", "oct_", "hex_", "formatted",
                     "percent", "format_", "getattr_", "call_method", "call_object",
                     "look_up", "called_with", "arguments_of",
                     "delete_item", "store_attribute", "delete_attribute", "next_", "is_end",
                     "variable_item", "view"), OBJECTS),
    **{name: BY_REFERENCE for name, op in OPS.items() if op.effect == "store"
       and name not in ("store_attribute", "delete_attribute", "delete_item")},
    **dict.fromkeys(("assign_variable", "initialise_variable", "set_variable_item"), STATE),
    **{name: STATE for name in OPS if name.startswith("tensor_array")},
    **dict.fromkeys(("print_", "print_values"), refused("it prints")),
    "new_stack": LOOPS_BACK, "push": LOOPS_BACK, "pushed_none": LOOPS_BACK, "popped": LOOPS_BACK,
    "kept_at": LOOPS_BACK, "kept_or_zero": LOOPS_BACK, "in_frame": LOOPS_BACK,
    "stack_length": LOOPS_BACK, "add_kept": LOOPS_BACK,
}
"""The ops that are no ufuncs, by the op's name."""


UNKNOWN = "it is a function that no table of operations knows"


def rule_for(op: Op) -> Rule:
    """Returns the rule of an op."""
    if op.name in RULES:
        return started(RULES[op.name]) if op.reduction is not None else RULES[op.name]
    if op.ufunc is not None:
        return elementwise
    if (rule := reduction_by(op) or by_parts(op)) is not None:
        return rule
    return refused(f"an operation that {EFFECTS[op.effect]}") if op.effect else (
        UNDECIDED if op.name in OPS else refused(UNKNOWN))
