"""Opaque ops: a record for any callable that the table does not know, run as it is."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from operator import attrgetter
from types import BuiltinMethodType, MethodType
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from autograph.own_attributes import compares_by_identity, held
from autograph.runtime.ir.graph import map_leaves
from autograph.runtime.ir.printer import qualified_name
from autograph.runtime.ir.types import DYNAMIC, ArrayType, PyType
from autograph.runtime.ops.derivative_rules import public_name, rule_of
from autograph.runtime.ops.op import OPS, Effect, Op
from autograph.runtime.ops.operator_rules import ufunc_type
from autograph.runtime.ops.type_rules import (
    NotKnown,
    array,
    array_of,
    as_type,
    constant,
    fixed,
    rule,
    shape_of,
    unboxed,
)

PURE_MODULES = ("numpy", "math", "cmath", "scipy")
VALUE_MODULES = (
    "ast", "base64", "calendar", "colorsys", "datetime", "decimal", "fnmatch", "fractions",
    "genericpath", "html", "ipaddress", "json", "keyword", "ntpath", "posixpath",
    "pprint", "quopri", "re", "reprlib", "shlex", "statistics", "string", "stringprep", "struct",
    "_struct", "textwrap", "unicodedata", "urllib", "uuid", "zoneinfo",
)
"""Modules of Python's library that compute values from values: neither their functions nor the
methods of their objects change anything."""

FUNCTION_MODULES = (
    "_blake2", "_hashlib", "_md5", "_pickle", "_sha1", "_sha2", "_sha256", "_sha3", "_sha512",
    "binascii", "difflib", "hashlib", "hmac", "pickle", "zlib")
"""The same of modules whose objects do change."""

IMPURE = frozenset({
    "copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask", "load", "loadtxt",
    "fromfile", "genfromtxt", "save", "savetxt", "savez", "savez_compressed", "seterr",
    "setbufsize", "set_printoptions",
})
"""NumPy functions that change an argument, a setting or a file."""

METHODS = (MethodType, BuiltinMethodType)
"""Methods compare by the identity of what they are bound to."""

_made: WeakValueDictionary[Callable[..., Any], Op] = WeakValueDictionary()
"""The op of each function, as long as a graph has it: a function of a trace is not kept alive."""


def pure(fn: Callable[..., Any], infer: Callable[..., Any] | None = None) -> Op:
    """Returns an op for a function that has no effect, with a type rule if one is known."""
    name = qualified_name(fn)
    return Op(name, fn, infer or (lambda *args, **kwargs: DYNAMIC), name, (), onnx=None,
              derivative=rule_of(name), takes_items=True, doc=f"`{name}`, called as it is")


def opaque(fn: Callable[..., Any]) -> Op:
    """Returns the op that calls `fn` when the graph runs; one op per function.

    Its result may be anything. Unless the function is known to be pure, calls keep their order.
    """
    if type(fn) not in METHODS and not compares_by_identity(type(fn)):
        return _record(fn)  # its own `__hash__` is not asked
    found = _made.get(fn)
    return found or _made.setdefault(fn, _record(fn))


def _record(fn: Callable[..., Any]) -> Op:
    name = qualified_name(fn)
    return Op(name, fn, _type_rule(fn, name), name, (), onnx=None,
              derivative=rule_of(name), effect=_effect(fn), view=name in VIEWS, takes_items=True,
              doc=f"`{name}`, called as it is")


def _type_rule(fn: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Returns the type rule of a function; a special function of SciPy's is a ufunc as NumPy's
    are."""
    if isinstance(fn, np.ufunc) and name.startswith("scipy.") and fn.nout == 1:
        return rule(lambda *args: ufunc_type(fn, *map(as_type, args)))
    if public_name(name) in OF_SCIPY:
        return _of_shapes(fn)
    return TYPES.get(name, fixed(DYNAMIC))


@rule
def _windows(x: Any, window_shape: Any, axis: Any = None, **more: Any) -> Any:
    t = array_of(x)
    dims = constant(shape_of(t))
    if None in dims:
        raise NotKnown
    zeros = np.broadcast_to(np.zeros((), t.dtype), dims)
    made = sliding_window_view(zeros, constant(window_shape), constant(axis))
    return array(t.dtype, made.shape)


@rule
def _strided(x: Any, shape: Any = None, *more: Any, **named: Any) -> Any:
    t = array_of(x)
    return array(t.dtype, shape_of(t) if shape is None else tuple(constant(shape)))


def _of_shapes(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the type rule of a function whose result's shape depends on the shapes alone: that
    of a call on ones, or on matrices that have an inverse. An error of both calls may be due to
    their numbers: the run tells."""
    @rule
    def infer(*args: Any, **kwargs: Any) -> Any:
        for numbers in (np.ones_like, _generic, _unit):
            given, named = map_leaves(partial(_of_type, numbers), (args, kwargs))
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                try:
                    made = function(*given, **named)
                except Exception:
                    continue
            return _of_result(made)
        raise NotKnown

    return infer


def _of_result(made: Any) -> Any:
    if type(made) is tuple:
        return tuple(map(_of_result, made))
    if type(made) in (bool, int, float):
        return PyType(type(made))
    if not isinstance(made, (np.ndarray, np.generic)):
        raise NotKnown
    kind = array if isinstance(made, np.ndarray) else unboxed
    return kind(made.dtype, made.shape)


def _of_type(numbers: Callable[[Any], Any], x: Any) -> Any:
    if not isinstance(x, ArrayType):
        return constant(x)
    if None in (dims := shape_of(x)) or x.dtype is None:
        raise NotKnown
    made = numbers(np.empty(constant(dims), x.dtype))
    return made[()] if x.scalar else made


def _unit(x: Any) -> Any:
    """Returns matrices that have each kind of factors."""
    ones = np.ones_like(x)
    return ones if x.ndim < 2 else ones * np.eye(*x.shape[-2:], dtype=x.dtype)


def _generic(x: Any) -> Any:
    """Returns numbers in no relation, like an array."""
    return (10.0 * np.cos(np.arange(1.0, x.size + 1.0) ** 2)).reshape(x.shape).astype(x.dtype)


VIEWS = frozenset({"numpy.lib.stride_tricks.sliding_window_view",
                   "numpy.lib.stride_tricks.as_strided"})
TYPES: dict[str, Callable[..., Any]] = {
    "numpy.lib.stride_tricks.sliding_window_view": _windows,
    "numpy.lib.stride_tricks.as_strided": _strided,
    **{f"numpy.{name}": _of_shapes(getattr(np, name)) for name in (
        "cov", "corrcoef", "convolve", "correlate", "trapezoid", "ediff1d", "gradient", "unwrap",
        "sinc", "diagflat", "block", "i0", "cumulative_sum", "cumulative_prod", "polyval", "vander",
        "polyadd", "polysub", "polyfit", "polyder", "polyint", "resize", "geomspace", "logspace",
        "vecdot", "matvec", "vecmat") if hasattr(np, name)},
    **{f"numpy.linalg.{name}": _of_shapes(getattr(np.linalg, name)) for name in (
        "vector_norm", "matrix_norm", "cond", "multi_dot", "svdvals", "tensorsolve", "tensorinv",
        "trace", "vecdot")},
    **{f"numpy.polynomial.{name}": _of_shapes(attrgetter(name)(np.polynomial)) for name in (
        "polynomial.polyval", "chebyshev.chebval", "legendre.legval", "laguerre.lagval",
        "hermite.hermval", "hermite_e.hermeval")},
    **{f"numpy.linalg.{name}": OPS[name].infer for name in ("outer", "cross", "tensordot")},
}
"""Functions without a record whose type is known all the same: by their full name."""

OF_SCIPY = frozenset(f"scipy.linalg.{name}" for name in (
    "solve", "solve_triangular", "solve_banded", "solve_sylvester", "solve_continuous_lyapunov",
    "solve_discrete_lyapunov", "inv", "det", "pinv", "cholesky", "cho_factor", "cho_solve",
    "lu_factor", "lu_solve", "qr", "eigh", "eigvalsh", "svd", "svdvals", "norm", "block_diag",
    "toeplitz", "hankel", "circulant", "expm", "cosm", "sinm", "tanm", "coshm", "sinhm", "tanhm"))
"""Functions of SciPy's, by their public names, whose types follow from the shapes."""


def _effect(fn: Callable[..., Any]) -> Effect:
    module = held(fn, "__module__") or type(held(fn, "__self__", fn)).__module__
    parts = module.split(".")
    if "random" in parts:
        return "random"
    pure = parts[0] in PURE_MODULES and held(fn, "__name__", "") not in IMPURE and (
        getattr(fn, "nout", 1) > 0)  # a ufunc without results has effects
    return "" if pure else "call"
