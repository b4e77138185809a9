"""The sums of gradients in JAX, and transforms and changes of length, which NumPy has too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from autograph.runtime.export.jax.lowering import JaxLowering
from autograph.runtime.export.kinds import dtype_of
from autograph.runtime.export.sites import Site
from autograph.runtime.ir.graph import leaves
from autograph.runtime.ops.op import OPS

Rule = Callable[[JaxLowering, Site], Any]


def sum_to(lw: JaxLowering, site: Site) -> Any:
    g, x = (lw.array(v) for v in site.args)
    return summed(lw, g, x.shape, x.dtype)


def sum_to_type(lw: JaxLowering, site: Site) -> Any:
    g, shape, dtype, _ = site.args
    return summed(lw, lw.array(g), tuple(shape), dtype)


def summed(lw: JaxLowering, g: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Returns an array summed over the axes along which one of a shape was broadcast to it."""
    if g.ndim > len(shape):
        g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    axes = tuple(i for i, (m, n) in enumerate(zip(g.shape, shape, strict=False)) if m != n)
    if axes and g.ndim == len(shape):
        g = g.sum(axis=axes, keepdims=True)
    if dtype.kind == "f" and g.dtype.kind == "c":
        g = g.real
    return lw.jnp.broadcast_to(lw.array(g, dtype if dtype.kind in "fc" else None), shape)


def add_at(lw: JaxLowering, site: Site) -> Any:
    x, index, v = site.args
    x = lw.array(x)
    return x.at[index].add(lw.array(v, x.dtype))


def masked_product(lw: JaxLowering, site: Site) -> Any:
    product = lw.apply(OPS["np.multiply"], site.args, {}, site.kinds)
    return lw.jnp.where(lw.array(site.args[0]) == 0, lw.jnp.zeros_like(product), product)


def zero_of(lw: JaxLowering, site: Site) -> Any:
    x = lw.array(site.args[0])
    return lw.jnp.zeros_like(x, dtype=x.dtype if x.dtype.kind in "fc" else np.float64)


def sum_of(lw: JaxLowering, site: Site) -> Any:
    x, y = site.args
    if x is None or y is None:
        return y if x is None else x
    return lw.apply(OPS["np.add"], site.args, {}, site.kinds)


def itself(lw: JaxLowering, site: Site) -> Any:
    return lw.array(site.args[0])


def transform(lw: JaxLowering, site: Site) -> Any:
    """A Fourier transform: of integers in float64, as NumPy has it."""
    x, *rest = site.args
    kind = lw.kind_of_value(x)
    if kind is not None and dtype_of(kind) == np.float16:
        lw.refuse("a transform of float16", hint="bring it to a dtype: x.astype(np.float32)")
    if kind is not None and dtype_of(kind).kind in "biu":
        site = replace(site, args=(lw.array(x, np.float64), *rest))
    fn = getattr(lw.jnp.fft, site.op.name.removeprefix("fft."))
    return lw.typed(site, fn(*site.args, **site.kwargs))


def insert(lw: JaxLowering, site: Site) -> Any:
    x, index, values, *rest = site.args
    x = lw.array(x)
    return at_constants(lw, replace(site, args=(x, index, lw.array(values, x.dtype), *rest)))


def at_constants(lw: JaxLowering, site: Site) -> Any:
    """`np.insert` or `np.delete` at positions that are known."""
    x, index, *rest = site.args
    if any(map(lw.is_symbolic, leaves((index, rest[1:], site.kwargs)))):
        lw.refuse("positions that only the run knows")
    x = lw.array(x)
    fn = getattr(lw.jnp, site.op.name)
    return fn(x, np.asarray(index) if isinstance(index, list) else index, *rest, **site.kwargs)


def view(lw: JaxLowering, site: Site) -> Any:
    """The bits of an array as another dtype of the same size."""
    x, *rest = lw.array(site.args[0]), *site.args[1:]
    dtype = np.dtype(rest[0] if rest else site.kwargs.get("dtype", x.dtype))
    if dtype.itemsize != x.dtype.itemsize or "b" in (dtype.kind, x.dtype.kind):
        lw.refuse("a view in a dtype of another size, or of bools")
    return lw.lax.bitcast_convert_type(x, dtype)


ADJOINTS: dict[str, Rule] = {
    "sum_to": sum_to, "sum_to_type": sum_to_type, "add_at": add_at, "view": view,
    "masked_product": masked_product, "zero_of": zero_of, "sum_of": sum_of, "unwrapped": itself,
    "without_derivative": itself, "insert": insert, "delete": at_constants,
}
"""The rules of this module by the op's name."""
