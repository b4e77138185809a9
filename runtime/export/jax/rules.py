"""The table of JAX rules: which op is JAX's function of the same name, and which is another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from autograph.runtime.export.decomposed import by_parts
from autograph.runtime.export.jax.adjoints import ADJOINTS, transform
from autograph.runtime.export.jax.elementwise import CONVERSIONS, elementwise, known_kinds
from autograph.runtime.export.jax.indexing import INDEXING, SHAPES_KNOWN
from autograph.runtime.export.jax.lowering import JaxLowering, Masked, SymbolicRange
from autograph.runtime.export.jax.raised import (
    checking_finite,
    checking_matrix,
    checking_positions,
    raised,
)
from autograph.runtime.export.kinds import dtype_of, joined_dtype
from autograph.runtime.export.shared_rules import SHARED, reduction_by
from autograph.runtime.export.sites import Keywords, Site
from autograph.runtime.ir.graph import map_leaves
from autograph.runtime.ops.op import EFFECTS, OPS, Op
from autograph.runtime.ops.products import einsum_terms
from autograph.runtime.ops.type_rules import named

Rule = Callable[[JaxLowering, Site], Any]


def numpy_function(lw: JaxLowering, site: Site) -> Any:
    """JAX's function of the same path, with NumPy's promotion of the operands."""
    fn = jax_function(lw, site.op)
    if fn is None:
        lw.refuse(f"jax.numpy has no {site.op.name}")
    args, kwargs = list(site.args), dict(site.kwargs)
    for name in ("out", "casting", "subok", "like", "kind", "order", "copy", "hermitian"):
        if kwargs.get(name, 0) in (None, "K", False, True, "same_kind", "quicksort", "stable"):
            kwargs.pop(name, None)
    positions = PROMOTED.get(site.op.name, ())
    kinds = [k for i in positions if i < len(args) and (k := site.kinds[i]) is not None]
    if kinds:
        common = joined_dtype(*kinds)
        dtype = site.dtype()
        if dtype is not None and dtype.kind in "fc":
            common = joined_dtype(common, dtype)
        for i in positions:
            if i < len(args) and site.kinds[i] is not None:
                args[i] = cast(lw, args[i], common)
    args = [as_arrays(lw, x) for x in args]
    if site.op.name not in LISTS:
        for i in {0, *positions}:
            if i < len(args) and isinstance(args[i], (list, tuple)):
                args[i] = lw.array(args[i])
    elif isinstance(args[0], (list, tuple)) and any(isinstance(x, (list, tuple)) for x in args[0]):
        args[0] = [lw.array(x) for x in lw.rows(args[0])]
    result = fn(*args, **{k: as_arrays(lw, x) for k, x in kwargs.items()})
    if len(site.types) > 1:
        return [lw.typed(site, x, i) for i, x in enumerate(result)]
    return lw.typed(site, result)


def jax_function(lw: JaxLowering, op: Op) -> Any:
    """Returns the function of jax.numpy at the path of NumPy's; None if there is none."""
    found: Any = lw.jnp
    for name in op.name.removeprefix("np.").split("."):
        found = getattr(found, name, None)
    return found if callable(found) else None


def cast(lw: JaxLowering, x: Any, kind: Any) -> Any:
    """Returns an operand, or each item of a list of operands, in a dtype."""
    dtype = kind if isinstance(kind, np.dtype) else np.result_type(kind(0))
    if isinstance(x, (list, tuple)):
        return [cast(lw, v, kind) for v in x]
    return lw.array(x, dtype)


def as_arrays(lw: JaxLowering, x: Any) -> Any:
    """Returns an argument with lists of numbers as arrays, where one is symbolic."""
    if isinstance(x, Masked):
        lw.refuse(f"an array that a mask selected: {SHAPES_KNOWN}",
                  hint="use np.where, or the argument where= of a reduction")
    return map_leaves(lambda v: lw.refuse("a masked array") if isinstance(v, Masked) else v, x)


def reduction(lw: JaxLowering, site: Site) -> Any:
    """A reduction; of what a mask selected, with `where=`."""
    x, *rest = site.args
    if not isinstance(x, Masked):
        return numpy_function(lw, site)
    axis = rest[0] if rest else site.kwargs.get("axis")
    if len(rest) > 1 or site.kwargs.keys() - {"axis"} or axis not in (
            None, 0, x.mask.ndim - x.array.ndim - 1):
        lw.refuse("a reduction of what a mask selected, other than of all or of what is selected")
    mask = x.mask.reshape(x.mask.shape + (1,) * (x.array.ndim - x.mask.ndim))
    fn = getattr(lw.jnp, site.op.name)
    dtype = site.dtype()
    array = lw.array(x.array, dtype) if dtype is not None and dtype.kind in "fiuc" and (
        site.op.name in ("sum", "prod", "mean")) else x.array
    extra: dict[str, Any] = {} if axis is None else {"axis": tuple(range(x.mask.ndim))}
    if site.op.name in ("max", "min"):
        extra["initial"] = extreme_of(np.dtype(array.dtype), site.op.name == "max")
    return lw.typed(site, fn(array, where=mask, **extra))


def spread(lw: JaxLowering, site: Site) -> Any:
    """`std` and `var`; JAX gives NaN where no more than ddof numbers are left, NumPy infinity."""
    given = named(site.op.kernel, site.args, site.kwargs)
    ddof = given.pop("ddof", 0)
    if isinstance(site.args[0], Masked) or not (lw.is_symbolic(ddof) or ddof):
        return reduction(lw, site)
    if given.get("where", True) is not True:
        lw.refuse("ddof= of what a mask selects")
    x = lw.array(given.pop("a"))
    variance = lw.array(lw.apply(OPS["var"], (x,), given, site.kinds[:1]))
    axis = given.get("axis")
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    count = prod(x.shape[i] for i in axes)
    made = variance * count / lw.jnp.maximum(count - lw.array(ddof, variance.dtype), 0)
    return lw.typed(site, lw.jnp.sqrt(made) if site.op.kernel is np.std else made)


def extreme_of(dtype: np.dtype[Any], least: bool) -> Any:
    """Returns the least or greatest number of a dtype."""
    if dtype.kind == "b":
        return not least
    if dtype.kind == "f":
        return dtype.type(-np.inf if least else np.inf)
    return np.iinfo(dtype).min if least else np.iinfo(dtype).max


# -- shapes, which JAX knows while it traces ------------------------------------------------------


def shape(lw: JaxLowering, site: Site) -> Any:
    return known(lw, site.args[0]).shape


def ndim(lw: JaxLowering, site: Site) -> Any:
    return known(lw, site.args[0]).ndim


def size(lw: JaxLowering, site: Site) -> Any:
    x = site.args[0]
    if isinstance(x, Masked) and len(site.args) == 1:
        return lw.array(x.mask.sum() * (x.array.size // max(x.mask.size, 1)), np.int64)
    axis = site.args[1] if len(site.args) > 1 else site.kwargs.get("axis")
    return known(lw, x).size if axis is None else np.size(np.empty(x.shape, "?"), axis)


def dim(lw: JaxLowering, site: Site) -> Any:
    return known(lw, site.args[0]).shape[site.args[1]]


def length(lw: JaxLowering, site: Site) -> Any:
    x = site.args[0]
    if isinstance(x, (list, tuple, dict)):
        return len(x)
    if isinstance(x, SymbolicRange):
        return x.length
    if isinstance(x, Masked) and x.mask.ndim == 1:
        return lw.array(x.mask.sum(), np.int64)
    return known(lw, x).shape[0]


def known(lw: JaxLowering, x: Any) -> Any:
    """Returns an array whose shape JAX knows."""
    if isinstance(x, Masked):
        lw.refuse(f"the shape of what a mask selected: {SHAPES_KNOWN}")
    return lw.array(x)


def dtype(lw: JaxLowering, site: Site) -> Any:
    return lw.dtype_of(site.args[0])


# -- containers and effects -----------------------------------------------------------------------


def range_(lw: JaxLowering, site: Site) -> Any:
    start, stop, step = (0, *site.args, 1) if len(site.args) == 1 else (*site.args, 1)[:3]
    return SymbolicRange(lw, start, stop, step)


def list_of(lw: JaxLowering, site: Site) -> Any:
    made: list[Any] = []
    for spliced, x in site.args:
        made.extend(list(x) if isinstance(x, (list, tuple)) else [x[i] for i in range(
            known(lw, x).shape[0])]) if spliced else made.append(x)
    return made


def refused(reason: str, hint: str = "") -> Rule:
    """Returns the rule of an op that has no form in JAX."""
    def rule(lw: JaxLowering, site: Site) -> Any:
        lw.refuse(reason, hint=hint)

    rule.reason = reason  # type: ignore[attr-defined]  # for the table in the documentation
    return rule


def full(lw: JaxLowering, site: Site) -> Any:
    if any(map(lw.is_symbolic, site.args[0] if isinstance(site.args[0], (tuple, list)) else (
            site.args[0],))):
        lw.refuse(f"an array of a size that only the run knows: {SHAPES_KNOWN}")
    return numpy_function(lw, site)


def where(lw: JaxLowering, site: Site) -> Any:
    if len(site.args) == 1:
        lw.refuse(f"as many results as there are true elements: {SHAPES_KNOWN}")
    kind = site.dtype()
    if kind is None:
        kind = joined_dtype(*known_kinds(lw, site.kinds[1:]))
    condition, a, b = site.args
    if any(isinstance(x, Masked) for x in site.args):
        lw.refuse("what a mask selected")
    return lw.jnp.where(lw.array(condition, bool), lw.array(a, kind), lw.array(b, kind))


def array(lw: JaxLowering, site: Site) -> Any:
    """`np.array`, `np.asarray` …: numbers, arrays, and lists of them."""
    x, *rest = site.args
    wanted = rest[0] if rest else site.kwargs.get("dtype")
    if isinstance(x, Masked):
        return lw.array(x, wanted)
    kind = np.dtype(wanted) if wanted is not None else site.dtype()
    if kind is None and isinstance(site.kinds[0], np.dtype):
        kind = site.kinds[0]
    made = lw.array(x, kind)
    least = site.kwargs.get("ndmin", 0)
    return made.reshape((1,) * (least - made.ndim) + made.shape)


def copied(lw: JaxLowering, site: Site) -> Any:
    return lw.array(site.args[0])


def ravel(lw: JaxLowering, site: Site) -> Any:
    if isinstance(site.args[0], Masked):
        return site.args[0]
    return numpy_function(lw, site)


def einsum(lw: JaxLowering, site: Site) -> Any:
    ins, out, operands = einsum_terms(*site.args)
    dtype = site.dtype()
    if dtype is None:
        first = 1 if isinstance(site.args[0], str) else 0
        dtype = joined_dtype(*known_kinds(lw, site.kinds[first::2 - first]))
    return lw.jnp.einsum(f"{','.join(ins)}->{out}", *(lw.array(x, dtype) for x in operands))


def flat_item(lw: JaxLowering, site: Site) -> Any:
    return lw.apply(OPS["getitem"], (lw.array(site.args[0]).ravel(), site.args[1]), {})


def power_of_matrix(lw: JaxLowering, site: Site) -> Any:
    lw.refuse("a number of factors that only the run knows")


def isclose(lw: JaxLowering, site: Site) -> Any:
    """In float64, as NumPy computes it for all but float32 pairs."""
    fn = getattr(lw.jnp, site.op.name)
    dtype = joined_dtype(*known_kinds(lw, site.kinds[:2]))
    return fn(*(cast(lw, x, dtype) for x in site.args[:2]), *site.args[2:], **site.kwargs)


def accumulated(lw: JaxLowering, site: Site) -> Any:
    """An op that NumPy computes in a wider dtype than that of small integers."""
    x, *rest = site.args
    (kind,) = known_kinds(lw, [lw.kind_of_value(x)])
    wide = np.asarray(site.op.kernel(np.ones((1, 1), dtype_of(kind)))).dtype
    return numpy_function(lw, replace(site, args=(lw.array(x, wide), *rest),
                                      kinds=[wide, *site.kinds[1:]]))


def in_floats(lw: JaxLowering, site: Site) -> Any:
    """An op that NumPy computes in float64 for integers."""
    args, kinds = list(site.args), list(site.kinds)
    for i in PROMOTED.get(site.op.name, (0,)):
        kind = kinds[i] if i < len(args) else None
        if kind is not None and dtype_of(kind).kind in "biu":
            args[i], kinds[i] = cast(lw, args[i], np.dtype(float)), np.dtype(float)
    return numpy_function(lw, replace(site, args=tuple(args), kinds=kinds))


def matrix_power(lw: JaxLowering, site: Site) -> Any:
    """Of integers in float64 where the power is negative."""
    x, n = lw.array(site.args[0]), site.args[1]
    if lw.is_symbolic(n):
        return power_of_matrix(lw, site)
    if n < 0:
        x, n = lw.apply(OPS["linalg.inv"], (x,), {}), -n
    return lw.typed(site, lw.jnp.linalg.matrix_power(x, n))


def of_one_triangle(lw: JaxLowering, site: Site) -> Any:
    """LAPACK reads one triangle of a matrix; JAX reads the mean of both unless it is told."""
    return in_floats(lw, replace(site, kwargs=Keywords({
        **site.kwargs, "symmetrize_input": False})))


def logarithm_of_determinant(lw: JaxLowering, site: Site) -> Any:
    """As a sum of logarithms, which JAX forms of matrices from 4 x 4 on."""
    x = lw.array(site.args[0])
    x = x if x.dtype.kind in "fc" else lw.array(x, np.dtype(float))
    side = x.shape[-1]
    more = max(4 - side, 0)
    ones = lw.jnp.diag(lw.jnp.asarray([0] * side + [1] * more, x.dtype))
    padded = lw.jnp.pad(x, [(0, 0)] * (x.ndim - 2) + [(0, more)] * 2) + ones
    return [lw.typed(site, part, i) for i, part in enumerate(lw.jnp.linalg.slogdet(padded))]


def determinant(lw: JaxLowering, site: Site) -> Any:
    """Of a triangle, as NumPy forms it: JAX has formulas for small matrices, where infinities
    cancel."""
    sign, logarithm = lw.apply(OPS["linalg.slogdet"], site.args, {})
    return lw.typed(site, sign * lw.jnp.exp(logarithm))


def norm(lw: JaxLowering, site: Site) -> Any:
    """Of matrices by their singular values, NumPy raises for NaN."""
    x, ord_, axis = (*site.args, *(site.kwargs.unmarked.get(k) for k in (
        "ord", "axis")[len(site.args) - 1:]))[:3]
    singular = np.size(axis) == 2 or (axis is None and np.ndim(x) == 2)
    rule = checking_matrix("svd" if singular and ord_ in (2, -2, "nuc") else "norm", in_floats)
    return rule(lw, site)


def thin_svd(lw: JaxLowering, site: Site) -> Any:
    return lw.apply(OPS["linalg.svd"], site.args, {"full_matrices": False})


def condition_number(lw: JaxLowering, site: Site) -> Any:
    """Returns infinity where LAPACK finds no number in a matrix of numbers: no inverse raises."""
    x, *rest = site.args
    with lw.where([*rest, site.kwargs.get("p")][0] in (None, 2, -2)):
        found = by_numpy_parts(lw, site)
    of_numbers = ~lw.jnp.isnan(lw.array(x)).any(axis=(-2, -1))
    return lw.jnp.where(lw.jnp.isnan(found) & of_numbers, np.inf, found)


def histogram(lw: JaxLowering, site: Site) -> Any:
    kind = lw.kind_of_value(site.args[0])
    if kind is not None and dtype_of(kind).kind == "f" and dtype_of(kind) != np.float64:
        lw.refuse("the dtype of a histogram's edges", hint="bring it to x.astype(np.float64)")
    args = [np.asarray(x) if isinstance(x, (list, tuple)) and not any(map(
        lw.is_symbolic, x)) else x for x in site.args]
    return in_floats(lw, replace(site, args=tuple(args)))


def by_numpy_parts(lw: JaxLowering, site: Site) -> Any:
    """An op of which JAX's function differs at infinities, or in integers that wrap."""
    rule = by_parts(site.op)
    assert rule is not None
    return rule(lw, site)


def diff(lw: JaxLowering, site: Site) -> Any:
    """In the common dtype of the array and of what is put before and after it."""
    ends = {k: v for k, v in site.kwargs.items() if k in ("prepend", "append")}
    kinds = [dtype_of(k) for k in known_kinds(lw, [
        lw.kind_of_value(x) for x in (site.args[0], *ends.values())])]
    x, *more = (lw.array(v, np.result_type(*kinds)) for v in (site.args[0], *ends.values()))
    rest = {k: v for k, v in site.kwargs.items() if k not in ends}
    return lw.typed(site, lw.jnp.diff(x, *site.args[1:], **rest, **dict(
        zip(ends, more, strict=True))))


def select(lw: JaxLowering, site: Site) -> Any:
    conditions, choices, *default = site.args
    default = default or [site.kwargs.get("default", 0)]
    kind = site.dtype()
    if kind is None:
        kind = joined_dtype(*known_kinds(lw, [
            lw.kind_of_value(x) for x in (*choices, *default)]))
    return lw.jnp.select([lw.array(c, bool) for c in conditions],
                         [cast(lw, x, kind) for x in choices], cast(lw, default[0], kind))


DATA_DEPENDENT = refused(f"the size of the result depends on the data: {SHAPES_KNOWN}")
RANDOM = refused("JAX has random generators of its own", "pass random numbers as arguments")
OBJECTS = refused("it works on Python objects or text, of which JAX knows nothing")
BY_REFERENCE = refused("it changes an array in place whose aliases only the run knows")
STATE = refused("it changes state outside the function", "pass the state, and return it")

LOOPS_BACK = refused("it keeps what a loop made for its way back, in lists of a length that only "
                     "the run knows", "jax.grad takes the function's own derivative")

RULES: dict[str, Rule] = {
    **SHARED, **CONVERSIONS, **INDEXING, **ADJOINTS,
    "raise_": raised, "assert_": raised, "check_": raised,
    "shape": shape, "ndim": ndim, "size": size, "dim": dim, "len_": length, "dtype": dtype,
    "range_": range_, "list_of": list_of, "where": where, "array": array,
    "asarray": array, "asanyarray": array, "copy": copied,
    "differentiable": copied,
    "stop_gradient": lambda lw, site: lw.lax.stop_gradient(lw.array(site.args[0])),
    "ravel": ravel, "einsum": einsum,
    "ascontiguousarray": lambda lw, site: lw.jnp.atleast_1d(array(lw, site)), "select": select,
    "quantile": by_numpy_parts, "percentile": by_numpy_parts, "nanquantile": by_numpy_parts,
    "nanpercentile": by_numpy_parts, "linspace": by_numpy_parts, "digitize": by_numpy_parts,
    "interp": by_numpy_parts, "average": by_numpy_parts, "cumsum": accumulated,
    "cumprod": accumulated, "nancumsum": accumulated, "nancumprod": accumulated,
    "trace": accumulated,
    **{name: checking_matrix(name.removeprefix("linalg."), in_floats) for name in OPS
       if name.startswith("linalg.")},
    "linalg.norm": norm, "linalg.slogdet": logarithm_of_determinant, "linalg.det": determinant,
    "linalg.eigh": of_one_triangle, "linalg.eigvalsh": of_one_triangle,
    "linalg.cholesky": checking_matrix("cholesky", of_one_triangle),
    **{name: checking_finite(transform) for name in OPS
       if name.startswith("fft.") and not name.endswith(("freq", "shift"))},
    "take": checking_positions(numpy_function, None),
    "take_along_axis": checking_positions(numpy_function, -1),
    "numpy.linalg.cond": condition_number, "thin_svd": checking_matrix("svd", thin_svd),
    "linalg.matrix_power": matrix_power, "histogram": histogram, "diff": diff,
    "flat_item": flat_item, "counted_power": power_of_matrix,
    **dict.fromkeys(("full", "zeros", "ones", "empty", "eye", "identity", "tri"), full),
    **dict.fromkeys(("isclose", "allclose"), isclose),
    **dict.fromkeys(("sum", "prod", "mean", "max", "min", "any", "all", "count_nonzero"),
                    reduction),
    "std": spread, "var": spread,
    **dict.fromkeys(("nonzero", "flatnonzero", "argwhere", "compress", "extract", "unique",
                     "intersect1d", "union1d", "setxor1d", "setdiff1d", "bincount",
                     "triu_indices", "tril_indices", "ix_"), DATA_DEPENDENT),
    **dict.fromkeys(("draw", "make_generator", "drawn_into"), RANDOM),
    **dict.fromkeys(("str_", "repr_", "ascii_", "chr_", "ord_", "bin_", "oct_", "hex_", "formatted",
                     "percent", "format_", "getattr_", "call_method", "call_object",
                     "look_up", "called_with", "arguments_of",
                     "delete_item", "store_attribute", "delete_attribute", "next_", "is_end",
                     "variable_item"), OBJECTS),
    **dict.fromkeys(("store_item", "store_result", "store_results", "change"), BY_REFERENCE),
    **{name: BY_REFERENCE for name, op in OPS.items() if op.effect == "store"
       and name not in ("store_attribute", "delete_attribute", "delete_item")},
    **dict.fromkeys(("assign_variable", "initialise_variable", "set_variable_item"), STATE),
    **{name: STATE for name in OPS if name.startswith("tensor_array")},
    **dict.fromkeys(("print_", "print_values"),
                    refused("it prints", "print outside the function")),
    "new_stack": LOOPS_BACK, "push": LOOPS_BACK, "pushed_none": LOOPS_BACK, "popped": LOOPS_BACK,
    "kept_at": LOOPS_BACK, "kept_or_zero": LOOPS_BACK, "in_frame": LOOPS_BACK,
    "stack_length": LOOPS_BACK, "add_kept": LOOPS_BACK,
}
"""The ops that are not JAX's function of the same name, by the op's name."""

LISTS = frozenset({"concatenate", "stack", "vstack", "hstack", "dstack", "column_stack", "select",
                   "full", "zeros", "ones", "empty", "lexsort", "indices"})
"""The ops whose first argument is a list of arrays, or a shape; elsewhere a list is an array."""

PROMOTED: dict[str, tuple[int, ...]] = {
    **dict.fromkeys((
        "sum", "prod", "mean", "std", "var", "median", "ptp", "nansum", "nanprod", "nanmean",
        "nanstd", "nanvar", "nanmedian", "cumsum", "cumprod", "nancumsum", "nancumprod", "trace",
        "concatenate", "stack", "vstack", "hstack", "dstack", "column_stack", "linalg.norm",
        "linalg.inv", "linalg.det", "linalg.slogdet", "linalg.svd", "linalg.eigh",
        "linalg.eigvalsh", "linalg.eig", "linalg.eigvals", "linalg.qr", "linalg.cholesky",
        "linalg.pinv", "linalg.matrix_rank", "linalg.matrix_power", "angle",
        "average", "histogram"), (0,)),
    **dict.fromkeys((
        "dot", "matmul", "np.matmul", "vdot", "inner", "outer", "kron", "cross", "tensordot",
        "append", "linalg.solve", "linalg.lstsq", "searchsorted", "isin",
        "array_equal"), (0, 1)),
    "clip": (0, 1, 2), "full": (1,),
}
"""The positions of the operands that NumPy brings to a common dtype."""


UNKNOWN = "it is a function that no table of operations knows"


def rule_for(op: Op) -> Rule:
    """Returns the rule of an op."""
    if op.name in RULES:
        return RULES[op.name]
    if op.ufunc is not None:
        return elementwise
    if op.name in OPS and not op.effect:
        return numpy_function
    return reduction_by(op) or by_parts(op) or refused(
        f"an operation that {EFFECTS[op.effect]}" if op.effect else UNKNOWN)
