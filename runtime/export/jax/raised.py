"""Raises what NumPy raises for some values, where JAX gives a number: if JAX runs at once."""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt
from typing import Any

import numpy as np

from autograph.runtime.diagnostics.error_notes import add_note, note
from autograph.runtime.export.extras import require
from autograph.runtime.export.jax.lowering import JaxLowering
from autograph.runtime.export.joins import ABSENT
from autograph.runtime.export.shared_rules import raises
from autograph.runtime.export.sites import Site
from autograph.runtime.ir.errors import ExportError

Rule = Callable[[JaxLowering, Site], Any]

Test = Callable[[JaxLowering, Any, Any], Any]
"""Tells of an operation's matrix and its result if NumPy raises."""


def is_traced(x: Any) -> bool:
    """Returns True for a value that JAX is tracing."""
    return isinstance(x, require("jax.core", "jax").Tracer)


def raise_what_failed(lw: JaxLowering, with_numpy: Callable[[], Any]) -> None:
    """Raises what NumPy does, if an error was met; else the first that was, with its line."""
    if is_traced(lw.failed) or not int(lw.failed):
        return
    with_numpy()
    error, e = lw.errors[int(lw.failed) - 1]
    if e is not None and e.location is not None:
        add_note(error, note(e.location, {}), e.location)
    raise error


def raised(lw: JaxLowering, site: Site) -> Any:
    """A `raise`, or a check that its first argument holds."""
    if not lw.watches:
        return raises(lw, site)
    site.kwargs.unread.clear()  # they say how the message is written
    lw.unless(lambda: site.op.never_returns or ~lw.jnp.all(lw.array(site.args[0], bool)))
    return ABSENT


# -- indices --------------------------------------------------------------------------------------


def check_positions(lw: JaxLowering, positions: Any, size: int, axis: int = 0) -> None:
    """Notes that NumPy raises if positions are outside of an axis; of known ones it is certain."""
    array = positions if lw.is_symbolic(positions) else np.asarray(positions)
    if array.dtype.kind in "iu":
        lw.unless(lambda: (array < -size) | (array >= size),
                  IndexError(f"an index is out of bounds for axis {axis} with size {size}"))


def check_parts(lw: JaxLowering, shape: tuple[int, ...], index: Any) -> None:
    """Notes the same of each part of the index of an array of a shape."""
    parts = index if isinstance(index, tuple) else (index,)
    axes = [_axes_of(part) for part in parts]
    axis, open_axes = 0, len(shape) - sum(axes)
    for part, count in zip(parts, axes, strict=True):
        if isinstance(part, list) and any(map(lw.is_symbolic, part)):
            part = lw.array(part)
        if count == 1 and axis < len(shape):
            check_positions(lw, part, shape[axis], axis)
        axis += open_axes if part is Ellipsis else count


def _axes_of(part: Any) -> int:
    """Returns how many axes a part of an index is for."""
    if part is None or part is Ellipsis:
        return 0
    is_mask = isinstance(part, bool) or getattr(getattr(part, "dtype", None), "kind", "") == "b"
    return int(np.ndim(part)) if is_mask else 1


def checking_positions(rule: Rule, missing: int | None) -> Rule:
    """Returns the rule of a function that takes an array, positions and an axis, which may be
    missing."""
    def checked(lw: JaxLowering, site: Site) -> Any:
        x, positions, *rest = site.args
        x, axis = lw.array(x), site.kwargs.unmarked.get("axis", rest[0] if rest else missing)
        if isinstance(positions, list):
            positions = lw.array(positions)
        if site.kwargs.unmarked.get("mode", "raise") == "raise":
            check_positions(lw, positions, x.size if axis is None else x.shape[axis], axis or 0)
        return rule(lw, site)

    return checked


def checking_finite(rule: Rule) -> Rule:
    """Returns the rule of a Fourier transform, of infinities an error: JAX gives other NaNs."""
    def checked(lw: JaxLowering, site: Site) -> Any:
        x = lw.array(site.args[0])
        lw.unless(lambda: lw.jnp.isinf(x), ExportError(
            f"{site.op.name} of infinities: JAX gives NaN at other positions than NumPy"))
        return rule(lw, site)

    return checked


# -- matrices -------------------------------------------------------------------------------------


def is_singular(lw: JaxLowering, x: Any, result: Any) -> Any:
    """As LAPACK finds it: a number on the diagonal of the factors is 0."""
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        x = x.reshape(isqrt(x.size), isqrt(x.size))
    factors = lw.lax.linalg.lu(x)[0]
    return lw.jnp.diagonal(factors, axis1=-2, axis2=-1) == 0


def is_not_positive(lw: JaxLowering, x: Any, result: Any) -> Any:
    return lw.jnp.isnan(result).any() & ~lw.jnp.isnan(x).any()


def has_nan(lw: JaxLowering, x: Any, result: Any) -> Any:
    return lw.jnp.isnan(x) & (x.ndim > 1)


def is_not_finite(lw: JaxLowering, x: Any, result: Any) -> Any:
    return ~lw.jnp.isfinite(x)


MATRICES: dict[str, tuple[Test, str]] = {
    **dict.fromkeys(("inv", "solve", "tensorinv", "tensorsolve"),
                    (is_singular, "Singular matrix")),
    "cholesky": (is_not_positive, "Matrix is not positive definite"),
    **dict.fromkeys(("eig", "eigvals"), (is_not_finite, "Array must not contain infs or NaNs")),
    **dict.fromkeys(("svd", "svdvals", "pinv", "matrix_rank", "cond", "lstsq"),
                    (has_nan, "SVD did not converge")),
}
"""When NumPy raises a LinAlgError, by the function in `numpy.linalg`, and what it says."""


def checking_matrix(name: str, rule: Rule) -> Rule:
    """Returns the rule of a function of `numpy.linalg` that looks for what NumPy raises."""
    if name not in MATRICES:
        return rule
    test, message = MATRICES[name]

    def checked(lw: JaxLowering, site: Site) -> Any:
        result = rule(lw, site)
        x = lw.array(site.args[0])
        x = x if x.dtype.kind in "fc" else lw.array(x, np.dtype(float))
        lw.unless(lambda: test(lw, x, result), np.linalg.LinAlgError(message))
        return result

    return checked
