"""How the same values may lie in memory: what an array argument is made into, by name."""

from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def negative(a: Array) -> Array:
    """Every axis runs backwards through its memory."""
    back = (slice(None, None, -1),) * a.ndim
    return a[back].copy()[back] if a.ndim else a.copy()


def step2(a: Array) -> Array:
    """Every second element, of every axis, of a larger array."""
    made = np.zeros([2 * d for d in a.shape], a.dtype)[(..., *(slice(None, None, 2),) * a.ndim)]
    made[...] = a
    return made


def transposed(a: Array) -> Array:
    return np.array(a.T, order="C").T


def rolled(a: Array) -> Array:
    """Neither in C nor in Fortran order, if there are three axes."""
    return np.moveaxis(np.moveaxis(a, 0, -1).copy(), -1, 0) if a.ndim > 2 else a.copy()


def read_only(a: Array) -> Array:
    made = a.copy()
    made.flags.writeable = False
    return made


def broadcast(a: Array) -> Array:
    """The first row again and again, in the memory of one."""
    return np.broadcast_to(a[:1], a.shape) if a.ndim and a.size else a.copy()


def unaligned(a: Array) -> Array:
    """At an odd address."""
    made = np.ndarray(a.shape, a.dtype, np.zeros(a.nbytes + 1, "u1").data, 1)
    made[...] = a
    return made


def field(a: Array) -> Array:
    """A field of a packed structured array."""
    made = np.zeros(a.shape, [("tag", "u1"), ("value", a.dtype)])["value"]
    made[...] = a
    return made


def swapped(a: Array) -> Array:
    """In the byte order of other machines."""
    return a.astype(a.dtype.newbyteorder())


LAYOUTS: dict[str, Callable[[Array], Array]] = {made.__name__: made for made in (
    negative, step2, transposed, rolled, read_only, broadcast, unaligned, field, swapped)}
