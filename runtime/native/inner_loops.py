"""NumPy's inner loops: their addresses, each probed before it is used.

The offsets of `PyUFuncObject` are those of NumPy's public headers on 64-bit builds with the GIL.
"""

from __future__ import annotations

import ctypes
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from autograph.runtime.native.builder import Builder
from autograph.runtime.native.llvm_ir import NULL, POINTER, Value
from autograph.runtime.native.machine import DIVIDE, c_function, word
from autograph.runtime.native.numpy_api import numpy_function
from autograph.runtime.native.symbols import symbol

UFUNC_COUNTS, UFUNC_LOOPS, UFUNC_DATA, UFUNC_NTYPES, UFUNC_TYPES = 16, 32, 40, 48, 64

ARRAY_FUNCTIONS, DOT_FUNCTION = 365, 27
"""Where NumPy's table has the function that gives those of a dtype, and where these have the
product of vectors; `PyDataType_GetArrFuncs` and `PyArray_ArrFuncs` of the public headers."""

LOOP = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)
"""What an inner loop is called as: with pointers, sizes, steps and data."""

CLIP_UFUNC: Any = np._core.umath.clip  # type: ignore[attr-defined]
"""The ufunc behind `np.clip`."""

FLOATS = (0.0, 0.25, -0.0, 0.5, 1.0, 0.75, -0.5, 3.5, np.nan, -7.25, np.inf, 1e-300, 1e300)
IN_PARTS = (0.0, -0.0, 1.0, -0.75, 2.5, 1e200, np.inf, np.nan)
INTS = (0, 1, 2, 3, 7, 100, 127)


class InnerLoop(NamedTuple):
    """An inner loop: its address, and that of the data it is called with.

    clears  it clears the floating-point exceptions that came before it.
    name    of the ufunc, and its types.
    steady  it gives the same bits for an operand that does not move as for one that is repeated.
    cell    the address of the cell that has the loop that is called; 0: it is always this one.
    """

    address: int
    data: int
    clears: bool
    steady: bool = False
    name: str = ""
    cell: int = 0

    @property
    def code(self) -> Value:
        """The pointer to the loop."""
        return symbol(f"loop {self.name}", self.address)

    def pointer(self, builder: Builder) -> Value:
        """Returns the pointer to the loop that is called."""
        if not self.cell:
            return self.code
        return builder.load(symbol(f"cell {self.name}", self.cell), typ=POINTER)

    @property
    def argument(self) -> Value:
        """The pointer to the data."""
        return symbol(f"data {self.name}", self.data) if self.data else NULL


@cache
def is_known(ufunc: Any) -> bool:
    """Returns True for a ufunc of NumPy's own: others may call Python."""
    return ufunc is CLIP_UFUNC or (
        isinstance(ufunc, np.ufunc) and getattr(np, ufunc.__name__, None) is ufunc)


@cache
def inner_loop(ufunc: Any, dtypes: tuple[np.dtype[Any], ...]) -> InnerLoop | None:
    """Returns the inner loop for these dtypes, of the operands and of the results.

    None if there is none, if the object in memory is not what Python reports, or if the loop gives
    other bits than the ufunc.
    """
    found = _entry(ufunc, dtypes)
    if found is None:
        return None
    same, keeps, steady = _tried(ufunc, dtypes, found)
    return found._replace(clears=not keeps, steady=steady) if same else None


@cache
def loop_for_numbers(ufunc: Any, dtypes: tuple[np.dtype[Any], ...]) -> InnerLoop | None:
    """Returns the inner loop for these dtypes, to be called with one element and steps of 0.

    So NumPy calls it with numbers, and some then give other bits: of `np.power`, one that finds the
    same exponent everywhere squares. None if the bits are not those of the ufunc.
    """
    found = _entry(ufunc, dtypes)
    if found is None:
        return None
    call = LOOP(found.address)
    operands = _operands(ufunc, dtypes)
    out = np.empty(len(operands[0]), dtypes[-1])
    try:
        with np.errstate(all="ignore"):
            expected = [ufunc(*xs, signature=dtypes) for xs in zip(*operands, strict=True)]
    except ValueError:
        return None
    kept = _in_turns(call, [*operands, out], 1, range(len(out)), found.data, 0)
    same = same_bits(out, np.array(expected, out.dtype))
    return found._replace(clears=not kept) if same else None


@cache
def product_loop(dtype: np.dtype[Any]) -> InnerLoop | None:
    """Returns the inner loop of `np.matmul` for this dtype; None if it gives other bits."""
    found = _entry(np.matmul, (dtype,) * 3)
    return found if found is not None and _multiplies(found, dtype) else None


def product_steps(x: Any, y: Any, out: Any) -> tuple[list[int], list[int]]:
    """Returns the sizes (one product, rows, inner, columns) and the steps that NumPy gives to the
    inner loop of `np.matmul`: those along axes that are not there, or of one element, are 0."""
    rows, inner = x.shape if x.ndim == 2 else (1, x.size)
    columns = y.shape[1] if y.ndim == 2 else 1
    axes = [(x, 0 if x.ndim == 2 else None), (x, x.ndim - 1), (y, 0),
            (y, 1 if y.ndim == 2 else None), (out, 0 if x.ndim == 2 else None),
            (out, out.ndim - 1 if y.ndim == 2 else None)]
    steps = [0 if axis is None or a.shape[axis] == 1 else a.strides[axis] for a, axis in axes]
    return [1, rows, inner, columns], [0, 0, 0, *steps]


@cache
def dot_function(dtype: np.dtype[Any]) -> Value | None:
    """Returns the function that NumPy multiplies two vectors with, which asks the
    BLAS at once; None if it gives other bits than `np.matmul` and `np.dot`."""
    of = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.py_object)(numpy_function(ARRAY_FUNCTIONS))
    address = word(of(dtype) + 8 * DOT_FUNCTION)
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p, ctypes.c_int64] * 2, ctypes.c_void_p,
                            ctypes.c_int64, ctypes.c_void_p)(address)
    random, out = np.random.default_rng(0), np.empty(1, dtype)
    for n in (0, 1, 2, 3, 8, 9, 33, 100, 129, 1000):
        for x, y in product([random.normal(size=k * n).astype(dtype)[::k] for k in (1, 2)],
                            repeat=2):
            steps = [0 if n == 1 else a.strides[0] for a in (x, y)]
            call(x.ctypes.data, steps[0], y.ctypes.data, steps[1], out.ctypes.data, n, None)
            if not (same_bits(out[0], x @ y) and same_bits(out[0], np.dot(x, y))):
                return None
    return symbol(f"dot {dtype.str}", address)


def _multiplies(loop: InnerLoop, dtype: np.dtype[Any]) -> bool:
    """Tries products of vectors and matrices of several sizes and layouts."""
    call = LOOP(loop.address)
    random = np.random.default_rng(0)
    for n in (1, 2, 9, 33):
        for left in ((n,), (1, n), (7, n), (40, n)):
            for right in ((n,), (n, 1), (n, 5), (n, 40)):
                x = random.normal(size=(*left[:-1], 2 * n)).astype(dtype)[..., ::2]
                y = random.normal(size=right).astype(dtype)
                for a in (x, np.ascontiguousarray(x)):
                    expected = np.asarray(a @ y)
                    out = np.empty_like(expected)
                    sizes, steps = product_steps(a, y, out)
                    pointers = (ctypes.c_void_p * 3)(*[v.ctypes.data for v in (a, y, out)])
                    call(pointers, (ctypes.c_int64 * 4)(*sizes), (ctypes.c_int64 * 9)(*steps),
                         loop.data)
                    if out.tobytes() != expected.tobytes():
                        return False
    return True


def _entry(ufunc: Any, dtypes: tuple[np.dtype[Any], ...]) -> InnerLoop | None:
    """Returns what the object of a ufunc has for these dtypes, if it is what Python reports."""
    base = id(ufunc)
    count, inputs = ufunc.nargs, ufunc.nin
    chars = "".join(d.char for d in dtypes)
    types = f"{chars[:inputs]}->{chars[inputs:]}"
    counts = [ctypes.c_int32.from_address(base + UFUNC_COUNTS + 4 * k).value for k in range(3)]
    ntypes = ctypes.c_int32.from_address(base + UFUNC_NTYPES).value
    if counts != [inputs, ufunc.nout, count] or ntypes != ufunc.ntypes or types not in ufunc.types:
        return None
    numbers = [np.dtype(c).num for t in ufunc.types for c in t.replace("->", "")]
    table = word(base + UFUNC_TYPES)
    if [ctypes.c_uint8.from_address(table + k).value for k in range(len(numbers))] != numbers:
        return None
    row = ufunc.types.index(types)
    address, data = (word(word(base + offset) + 8 * row) for offset in (UFUNC_LOOPS, UFUNC_DATA))
    return InnerLoop(address, data, True, name=f"{ufunc.__name__} {types}")


def samples(dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Returns some values of a dtype, the unusual ones among them."""
    if dtype.kind == "f":
        with np.errstate(all="ignore"):
            return np.array(FLOATS).astype(dtype)
    if dtype.kind == "b":
        return np.array([True, False, False, True])
    if dtype.kind == "c":
        with np.errstate(all="ignore"):
            return np.array([complex(*p) for p in product(IN_PARTS, repeat=2)]).astype(dtype)
    limits = np.iinfo(dtype)
    return np.array([*INTS, limits.min, limits.max, limits.max - 1], dtype)


def _tried(ufunc: Any, dtypes: tuple[np.dtype[Any], ...], loop: InnerLoop
           ) -> tuple[bool, bool, bool]:
    """Calls the loop one element at a time, with an exception pending, and on all of them: of some,
    what a pair of zeros gives depends on the place.

    Returns (True if the bits are the ufunc's, if the exception is still pending, and if the bits
    are the same where nothing moves).
    """
    call = LOOP(loop.address)
    operands = _operands(ufunc, dtypes)
    try:
        with np.errstate(all="ignore"):
            expected = ufunc(*operands, signature=dtypes)
    except ValueError:
        return False, False, False
    arrays = [*operands, np.empty_like(expected)]
    kept, found, length = True, [], len(expected)
    for size, starts in ((1, range(length)), (length, range(1))):
        kept = _in_turns(call, arrays, size, starts, loop.data, 1) and kept
        found.append(arrays[-1].copy())
    same = all(same_bits(x, expected) for x in found)
    _in_turns(call, arrays, 1, range(length), loop.data, 0)
    return same, kept, same_bits(arrays[-1], expected)


def _in_turns(call: Any, arrays: list[Any], size: int, starts: range, data: int, moves: int
              ) -> bool:
    """Calls a loop from some places on, each time with a floating-point exception pending. Returns
    True if it was always still pending afterwards."""
    clear, test = c_function("feclearexcept", 1), c_function("fetestexcept", 1)
    pending, kept = c_function("logb", 1, ctypes.c_double), True
    for k in starts:
        clear(0x3d)
        pending(0.0)
        call_loop(call, arrays, size, [moves * x.itemsize for x in arrays], data, k)
        kept = kept and bool(test(DIVIDE))
    clear(0x3d)
    return kept


def _operands(ufunc: Any, dtypes: tuple[np.dtype[Any], ...]) -> list[Any]:
    """Returns operands for a trial: every pair of samples, and of three operands those of a few."""
    given = [samples(d) for d in dtypes[:ufunc.nin]]
    if ufunc.nin == 2 and dtypes[1].kind in "iu":
        given[1] = np.abs(given[1])  # no powers with negative exponents: they raise
    if ufunc.nin > 2:
        given = [x[:9:2] for x in given]
    return [np.resize(x, x.size + 5) for x in np.meshgrid(*given, indexing="ij")]


def call_loop(call: Any, arrays: list[Any], size: int, steps: list[int], data: int, start: int = 0
              ) -> None:
    """Calls an inner loop on so many elements of operands and result, from one on."""
    count = len(arrays)
    pointers = (ctypes.c_void_p * count)(*[
        x.ctypes.data + x.itemsize * start for x in arrays])
    call(pointers, (ctypes.c_int64 * 1)(size), (ctypes.c_int64 * count)(*steps), data)


def same_bits(x: Any, y: Any) -> bool:
    """Returns True if arrays have the same bits, but for those of NaNs."""
    if x.dtype.kind == "c":
        return same_bits(x.real, y.real) and same_bits(x.imag, y.imag)
    if x.dtype.kind != "f":
        return bool(np.array_equal(x, y))
    nan = np.isnan(x) & np.isnan(y)
    return bool((((x == y) & (np.signbit(x) == np.signbit(y))) | nan).all())
