"""Ufuncs, Python's operators and conversions in JAX, in the dtypes of NumPy's loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.runtime.export.jax.lowering import JaxLowering, Masked
from autograph.runtime.export.lookups import membership
from autograph.runtime.export.shared_rules import ufunc_loop
from autograph.runtime.export.sites import Site
from autograph.runtime.ir.errors import ExportError
from autograph.runtime.ops.op import OPS


def elementwise(lw: JaxLowering, site: Site) -> Any:
    """A ufunc, or the operator that it stands for."""
    ufunc: Any = site.op.ufunc
    kwargs = {k: v for k, v in site.kwargs.items() if not (
        (k == "where" and v is True) or (k in ("casting", "subok", "order")))}
    if kwargs.keys() - {"dtype"}:
        lw.refuse(f"the argument {', '.join(sorted(kwargs))} of a ufunc")
    kinds = known_kinds(lw, site.kinds)
    if (asked := kwargs.get("dtype")) is not None:
        kinds = [np.dtype(asked)] * len(kinds)
    loop = ufunc_loop(lw, site, kinds)  # one dtype for each operand and result
    operands, mask = unmasked(lw, [lw.array(x, d) for x, d in zip(site.args, loop, strict=False)])
    rule: Callable[..., Any] = GUARDED.get(ufunc, plain)
    result = rule(lw, ufunc, *operands)
    if isinstance(result, (tuple, list)):
        return [lw.array(x, d) for x, d in zip(result, loop[ufunc.nin:], strict=True)]
    result = lw.typed(site, lw.array(result, loop[-1]))
    return result if mask is None else Masked(result, mask)


def known_kinds(lw: JaxLowering, kinds: Sequence[Any]) -> list[Any]:
    """Returns kinds, all of which are of numbers."""
    if any(k is None for k in kinds):
        lw.refuse("an operand is not a number or an array of numbers")
    return list(kinds)


def unmasked(lw: JaxLowering, operands: list[Any]) -> tuple[list[Any], Any]:
    """Returns the operands as arrays, and the mask that the result has, if any."""
    masked = [x for x in operands if isinstance(x, Masked)]
    if not masked:
        return operands, None
    mask = masked[0].mask
    if any(x.mask is not mask for x in masked) or any(
            not isinstance(x, Masked) and x.ndim for x in operands):
        lw.refuse("an operation on arrays that different masks selected",
                  hint="use np.where(mask, a, b)")
    return [x.array if isinstance(x, Masked) else x for x in operands], mask


def plain(lw: JaxLowering, ufunc: np.ufunc, *operands: Any) -> Any:
    """JAX's function of the same name."""
    fn = getattr(lw.jnp, ufunc.__name__, None)
    if fn is None:
        lw.refuse(f"jax.numpy has no {ufunc.__name__}")
    return fn(*operands)


def quotient(lw: JaxLowering, ufunc: np.ufunc, a: Any, b: Any) -> Any:
    """Integer division and remainder by zero give zero, as in NumPy."""
    if a.dtype.kind not in "iu":
        return plain(lw, ufunc, a, b)
    jnp = lw.jnp
    zero = b == 0
    results = plain(lw, ufunc, a, jnp.where(zero, 1, b).astype(b.dtype))
    if isinstance(results, tuple):
        return [jnp.where(zero, 0, r).astype(a.dtype) for r in results]
    return jnp.where(zero, 0, results).astype(a.dtype)


def shift(lw: JaxLowering, ufunc: np.ufunc, a: Any, b: Any) -> Any:
    """Shifts by as many bits as the dtype has, or more, give zero or the sign."""
    jnp = lw.jnp
    bits = a.dtype.itemsize * 8
    rest = jnp.where(a < 0, -1, 0).astype(a.dtype) if ufunc is np.right_shift and (
        a.dtype.kind == "i") else jnp.zeros((), a.dtype)
    inside = (b >= 0) & (b < bits)
    return jnp.where(inside, plain(lw, ufunc, a, jnp.where(inside, b, 0).astype(b.dtype)), rest)


def sign(lw: JaxLowering, ufunc: np.ufunc, a: Any) -> Any:
    """The sign of a bool has no loop in NumPy; of NaN it is NaN."""
    return lw.jnp.sign(a)


def modf(lw: JaxLowering, ufunc: np.ufunc, a: Any) -> Any:
    """The fraction of an infinity is a zero of its sign."""
    jnp = lw.jnp
    integral = jnp.trunc(a)
    return jnp.copysign(jnp.where(jnp.isinf(a), 0, a - integral), a), integral


def of_sizes(lw: JaxLowering, ufunc: np.ufunc, a: Any, b: Any) -> Any:
    """Divisors and multiples as unsigned: with the least integer JAX's loop would never end."""
    if a.dtype.kind != "i":
        return plain(lw, ufunc, a, b)
    unsigned = np.dtype(f"u{a.dtype.itemsize}")
    return plain(lw, ufunc, *(lw.jnp.where(x < 0, -x, x).astype(unsigned) for x in (a, b))
                 ).astype(a.dtype)


GUARDED: dict[Any, Callable[..., Any]] = {
    np.gcd: of_sizes, np.lcm: of_sizes,
    np.floor_divide: quotient, np.remainder: quotient, np.fmod: quotient, np.divmod: quotient,
    np.left_shift: shift, np.right_shift: shift, np.sign: sign, np.modf: modf,
}
"""Ufuncs whose corner cases JAX treats in another way."""


# -- Python's own ---------------------------------------------------------------------------------


def truth(lw: JaxLowering, site: Site) -> Any:
    return lw.truth(site.args[0])


def not_(lw: JaxLowering, site: Site) -> Any:
    return lw.jnp.logical_not(lw.truth(site.args[0]))


def one(lw: JaxLowering, x: Any) -> Any:
    """Returns the only element of an array, without dimensions."""
    if isinstance(x, Masked) or x.size != 1:
        lw.refuse("only an array of one element becomes a Python number")
    return x.reshape(())


def converted(dtype: Any) -> Callable[[JaxLowering, Site], Any]:
    """Returns the rule of `int(x)`, `float(x)`, `complex(x)`."""
    def rule(lw: JaxLowering, site: Site) -> Any:
        if len(site.args) != 1:
            lw.refuse("text or a base as an argument")
        x = one(lw, site.args[0])
        if dtype is np.int64:
            unless_integral(lw, x)
        return lw.array(x, dtype)

    return rule


def unless_integral(lw: JaxLowering, x: Any) -> None:
    """Notes that Python has an error, or an integer beyond int64, for a float."""
    if np.dtype(x.dtype).kind == "f":
        lw.unless(lambda: ~(abs(x) < 2.0 ** 63), ExportError(
            "an integer beyond int64, which JAX does not have"))


def item(lw: JaxLowering, site: Site) -> Any:
    x, *index = site.args
    return one(lw, x[tuple(index)] if len(index) > 1 else x.ravel()[index[0]] if index else x)


def round_(lw: JaxLowering, site: Site) -> Any:
    x, *digits = site.args
    digits = digits or [site.kwargs.get("ndigits")]
    kind = site.kinds[0]
    integral = kind is int or (isinstance(kind, np.dtype) and kind.kind in "iub")
    if digits[0] is None:
        unless_integral(lw, lw.array(x))
        return lw.of_kind(lw.array(x if integral else lw.jnp.rint(x), np.int64), int)
    if kind is float:
        lw.refuse("Python decides by the decimal digits of a float", hint="use np.round(x, n)")
    return lw.jnp.round(x, digits[0])


def divmod_(lw: JaxLowering, site: Site) -> Any:
    return lw.apply(OPS["np.divmod"], site.args, {}, site.kinds)


def in_(lw: JaxLowering, site: Site) -> Any:
    if (found := membership(lw, site)) is not None:
        return found
    x, xs = site.args
    if isinstance(xs, Masked):
        lw.refuse("a test of membership in this")
    return lw.jnp.any(lw.apply(OPS["np.equal"], (x, xs), {}))


def astype(lw: JaxLowering, site: Site) -> Any:
    x, dtype, *_ = site.args
    return lw.array(x, np.dtype(dtype))


CONVERSIONS: dict[str, Callable[[JaxLowering, Site], Any]] = {
    "truth": truth, "not_": not_, "int_": converted(np.int64), "float_": converted(np.float64),
    "complex_": converted(np.complex128), "index_": converted(np.int64), "item": item,
    "round_": round_, "divmod_": divmod_,
    "in_": in_, "astype": astype,
}
"""The rules of this module by the op's name; ops with a ufunc are `elementwise`."""
