"""Arrays as members of a file: `.npy` files without pickles, in the memory layout of the array."""

from __future__ import annotations

import io
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograph.runtime.ir.errors import LoadError, SaveError
from autograph.runtime.serialize.dtypes import dtype_data, dtype_of
from autograph.runtime.serialize.fields import attempt, the_bool, the_dict, the_int, the_list
from autograph.runtime.serialize.fields import the_text as text_of

MAX_DIM = 2 ** 48


@dataclass(frozen=True)
class Held:
    """The contents of one member: an array in C order. Equal keys have equal bytes."""

    array: np.ndarray[Any, Any]
    key: Hashable


def array_data(x: np.ndarray[Any, Any], member: Callable[[Held], int]) -> Any:
    """Returns what a file says of an array.

    The order of the axes in memory, and axes that run backwards, are kept: they decide in which
    order NumPy and BLAS add up.

    Raises:
      SaveError: it is of a subclass, or holds objects.
    """
    if type(x) is not np.ndarray:
        raise SaveError(f"an array of the class {type(x).__name__} cannot be saved",
                        "convert it with np.asarray")
    dtype = dtype_data(x.dtype)
    data: dict[str, Any] = {"dtype": dtype, "shape": list(x.shape)}
    if x.dtype.kind == "T":
        return {**data, "strings": x.ravel().tolist()}
    from hashlib import sha256  # of use here alone

    flips = [axis for axis, stride in enumerate(x.strides) if stride < 0]
    plain = x[tuple(slice(None, None, -1) if axis in flips else slice(None)
                    for axis in range(x.ndim))]
    order = sorted(range(x.ndim), key=lambda axis: (-plain.strides[axis], axis))
    held = np.ascontiguousarray(plain.transpose(order)).reshape([plain.shape[a] for a in order])
    data["member"] = member(Held(held, (sha256(held.tobytes()).digest(), repr(dtype),
                                        held.shape)))
    if order != list(range(x.ndim)):
        data["order"] = order
    if flips:
        data["flips"] = flips
    if not x.flags.writeable:
        data["readonly"] = True
    return data


def array_of(x: Any, members: list[np.ndarray[Any, Any]], where: str) -> np.ndarray[Any, Any]:
    """Returns the array that `array_data` wrote."""
    the_dict(x, where, ("dtype", "shape"), ("member", "strings", "order", "flips", "readonly"))
    dtype = dtype_of(x["dtype"], where)
    shape = tuple(the_int(d, where, MAX_DIM) for d in the_list(x["shape"], where))
    if "strings" in x or dtype.kind == "T":
        return _strings(x, dtype, shape, where)
    if "member" not in x:
        raise LoadError("an array has no member", where)
    order = x.get("order", list(range(len(shape))))
    if sorted(the_int(a, where, len(shape)) for a in the_list(order, where)) != list(
            range(len(shape))):
        raise LoadError("the order of the axes is no permutation", where)
    held = members[the_int(x["member"], where, len(members))]
    made = _as_dtype(held, dtype, where)
    if made.shape != tuple(shape[a] for a in order):
        raise LoadError(f"the member has shape {made.shape}", where)
    flips = [the_int(a, where, len(shape)) for a in the_list(x.get("flips", []), where)]
    made = made.transpose(np.argsort(order).tolist()) if order else made
    if flips:
        made = np.flip(made, tuple(flips))
    if "readonly" in x and the_bool(x["readonly"], where):
        made.flags.writeable = False
    return made


def _as_dtype(held: np.ndarray[Any, Any], dtype: np.dtype[Any], where: str
              ) -> np.ndarray[Any, Any]:
    """Returns a copy of a member's array; a dtype that `.npy` cannot say is stored as bytes."""
    if same_layout(held.dtype, dtype):
        return held.copy().view(dtype) if dtype.fields else held.astype(dtype)
    if dtype.fields and held.dtype == stored_as(dtype):
        return attempt(lambda: held.copy().view(dtype), "no such array", where)
    raise LoadError(f"the member has dtype {held.dtype}, not {dtype}", where)


def same_layout(a: np.dtype[Any], b: np.dtype[Any]) -> bool:
    return a == b and a.itemsize == b.itemsize


def stored_as(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Returns the dtype that a member has for an array."""
    if not dtype.fields:
        return dtype
    try:  # NumPy raises for fields that overlap
        descr: Any = np.lib.format.dtype_to_descr(dtype)
        if repr(descr).isascii() and same_layout(np.lib.format.descr_to_dtype(descr), dtype):
            return dtype
    except (ValueError, TypeError):
        pass
    return np.dtype(f"V{dtype.itemsize}")


def _strings(x: dict[str, Any], dtype: np.dtype[Any], shape: tuple[int, ...], where: str
             ) -> np.ndarray[Any, Any]:
    items = [text_of(s, where, 2 ** 26) for s in the_list(x.get("strings"), where)]
    if dtype.kind != "T" or "member" in x or len(items) != int(np.prod(shape, dtype=object)):
        raise LoadError("the texts are not those of the array", where)
    return np.array(items, dtype).reshape(shape)


def member_bytes(held: np.ndarray[Any, Any]) -> bytes:
    """Returns the `.npy` file of an array."""
    stored = held if held.dtype == stored_as(held.dtype) else held.view(stored_as(held.dtype))
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, stored, allow_pickle=False)
    return buffer.getvalue()


def array_of_member(data: bytes, where: str) -> np.ndarray[Any, Any]:
    """Returns the array in a `.npy` file; it shares the memory of `data`."""
    stream = io.BytesIO(data)

    def header() -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
        version = np.lib.format.read_magic(stream)
        read = {(1, 0): np.lib.format.read_array_header_1_0,
                (2, 0): np.lib.format.read_array_header_2_0}[version]
        return read(stream, max_header_size=2 ** 16)

    shape, fortran, dtype = attempt(header, "no .npy file", where)
    size = dtype.itemsize
    for d in shape:
        size *= the_int(d, where, MAX_DIM)
    if dtype.hasobject or fortran or size != len(data) - stream.tell() or len(shape) > 64:
        raise LoadError("the member does not hold what its header says", where)
    if not size:
        return attempt(lambda: np.zeros(shape, dtype), "no such array", where)
    return np.frombuffer(data, dtype, offset=stream.tell()).reshape(shape)
