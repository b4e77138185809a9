"""Calls of ops for the tests of derivative rules, beside the samples of the op table.

The table's samples show every way of calling; these add values at which a derivative says more:
no kinks, no ties, distinct singular values; complex numbers; keywords that a rule has to mind.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.ops.op import Sample
from autograph.runtime.ops.samples import call

RNG = np.random.default_rng(7)
X = RNG.uniform(0.3, 0.9, (3, 4))
Y = RNG.uniform(1.1, 1.9, (3, 4))
V = RNG.uniform(0.2, 1.8, 5)
W = RNG.uniform(0.5, 1.5, 5)
CUBE = RNG.standard_normal((2, 3, 4))
SQUARE = RNG.standard_normal((4, 4)) + 3.0 * np.eye(4)
SQUARES = RNG.standard_normal((2, 3, 3)) + 2.0 * np.eye(3)
TALL = RNG.standard_normal((5, 3))
WIDE = RNG.standard_normal((3, 5))
SINGULAR = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 1.0, 0.5]])
POSITIVE = SQUARE @ SQUARE.T + np.eye(4)
COMPLEX = X + 1j * Y[::-1]
COMPLEX_VECTOR = V + 1j * W[::-1]
COMPLEX_SQUARE = SQUARE + 1j * SQUARE[::-1].T / 3
HERMITIAN = COMPLEX_SQUARE @ COMPLEX_SQUARE.conj().T + np.eye(4)
COMPLEX_TALL = TALL + 1j * TALL[::-1]
WITH_ZEROS = np.array([[0.0, 2.0, 3.0], [0.0, 0.0, 1.5], [1.0, -2.0, 0.5]])
WITH_NAN = np.array([[0.5, np.nan, 3.0, 1.1], [2.0, 0.75, np.nan, np.nan], [1.0, 4.0, 0.2, 0.3]])
MASK = np.array([[True, False, True, True], [False, True, True, False], [True, True, True, True]])
SIGNED = RNG.standard_normal((3, 4))
N = np.newaxis

UNARY = {
    "np.sqrt": X, "np.cbrt": SIGNED, "np.square": SIGNED, "np.reciprocal": SIGNED, "np.exp": SIGNED,
    "np.exp2": SIGNED, "np.expm1": SIGNED, "np.log": X, "np.log2": X, "np.log10": X, "np.log1p": X,
    "np.sin": SIGNED, "np.cos": SIGNED, "np.tan": X, "np.arcsin": X, "np.arccos": X,
    "np.arctan": SIGNED, "np.sinh": SIGNED, "np.cosh": SIGNED, "np.tanh": SIGNED,
    "np.arcsinh": SIGNED, "np.arccosh": Y, "np.arctanh": X, "np.deg2rad": X,
    "np.rad2deg": X, "np.degrees": X, "np.radians": X,
    "np.fabs": SIGNED, "absolute": SIGNED, "np.absolute": SIGNED, "np.sign": SIGNED, "np.modf": X,
    "np.frexp": X * 0.3 + 0.55, "negative": SIGNED, "np.negative": SIGNED, "positive": SIGNED,
    "np.floor": X, "np.rint": X * 0.4, "nan_to_num": SIGNED, "real": SIGNED, "imag": SIGNED,
    "angle": SIGNED, "np.conjugate": SIGNED,
}
HOLOMORPHIC = ("np.sqrt", "np.square", "np.reciprocal", "np.exp", "np.exp2", "np.expm1", "np.log",
               "np.log2", "np.log10", "np.log1p", "np.sin", "np.cos", "np.tan", "np.arcsin",
               "np.arccos", "np.arctan", "np.sinh", "np.cosh", "np.tanh", "np.arcsinh",
               "np.arccosh", "np.arctanh", "negative", "np.positive")
OF_COMPLEX = ("absolute", "np.absolute", "np.sign", "real", "imag", "angle", "np.conjugate",
              "nan_to_num")

BINARY: dict[str, tuple[Any, Any]] = {
    "add": (X, V[:4]), "np.add": (X, V[:4]), "np.subtract": (X, Y),
    "np.multiply": (X, Y), "subtract": (X, Y), "multiply": (SIGNED, Y[:1]), "divide": (SIGNED, Y),
    "np.divide": (SIGNED, X[:, :1]), "power": (X, Y), "np.power": (Y, SIGNED),
    "np.float_power": (X, SIGNED), "mod": (SIGNED * 3, X), "np.remainder": (SIGNED * 3, -X),
    "np.fmod": (SIGNED * 3, X), "np.divmod": (SIGNED * 3, X), "divmod_": (SIGNED * 3, X),
    "np.maximum": (SIGNED, X), "np.minimum": (SIGNED, X), "np.fmax": (SIGNED, X),
    "np.fmin": (SIGNED, X), "np.arctan2": (SIGNED, X), "np.hypot": (SIGNED, X),
    "np.copysign": (SIGNED, SIGNED[::-1]), "np.nextafter": (X, Y), "np.logaddexp": (SIGNED, X),
    "np.logaddexp2": (SIGNED, X), "np.heaviside": (SIGNED, X),
}

CALLS: dict[str, tuple[Sample, ...]] = {
    "power": (call(X, 3), call(X, 2.0), call(X, 0.5), call(2.5, SIGNED), call(X, 1),
              call(COMPLEX, 2), call(COMPLEX, 1.5 + 0.5j)),
    "divide": (call(COMPLEX, Y), call(COMPLEX, COMPLEX.T[:, :3].T), call(2.0, X)),
    "multiply": (call(COMPLEX, X), call(X, COMPLEX), call(X, np.float32(2.0))),
    "np.multiply": (call(X, Y, where=MASK, out=None), call(X, 3, dtype=np.float64)),
    "np.ldexp": (call(X, np.array([1, -2, 3, 0])),),
    "sum": (call(CUBE, (0, 2), keepdims=True), call(X, where=MASK), call(X, 0, where=MASK[0]),
            call(COMPLEX, 1), call(X, initial=0.5), call(X, axis=()), call(X.T, -1)),
    "mean": (call(CUBE, (0, 2)), call(X, 1, where=MASK), call(COMPLEX, 1), call(X.T, -1)),
    "prod": (call(WITH_ZEROS, 0), call(WITH_ZEROS, 1), call(WITH_ZEROS), call(CUBE, (0, 2)),
             call(V), call(X, 1, keepdims=True), call(X, 0, where=MASK), call(COMPLEX, 0),
             call(X, initial=1.5), call(np.zeros((0, 3)), 0)),
    "max": (call(CUBE, (0, 2)), call(SIGNED, 1, keepdims=True), call(SIGNED, 0),
            call(SIGNED, 1, initial=0.0), call(SIGNED, 1, initial=-9.0, where=MASK)),
    "min": (call(CUBE, (0, 2)), call(SIGNED, 1, keepdims=True), call(SIGNED)),
    "std": (call(CUBE, (0, 2), ddof=1), call(X, 1, keepdims=True), call(COMPLEX, 0),
            call(X, 1, where=MASK), call(X, correction=1)),
    "var": (call(CUBE, (0, 2), ddof=1), call(X, 1, keepdims=True), call(COMPLEX, 0),
            call(X, 1, where=MASK), call(X, correction=1)),
    "cumsum": (call(CUBE, 1), call(CUBE), call(COMPLEX, 0), call(X.T, -1)),
    "cumprod": (call(CUBE, 1), call(CUBE[0]), call(WITH_ZEROS, 0), call(WITH_ZEROS), call(V),
                call(COMPLEX, 0)),
    "nansum": (call(WITH_NAN, 0), call(WITH_NAN)), "nanprod": (call(WITH_NAN, 1), call(WITH_NAN)),
    "nanmax": (call(WITH_NAN, 0), call(WITH_NAN, 1, keepdims=True)),
    "nanmin": (call(WITH_NAN, 0), call(WITH_NAN)),
    "nanmean": (call(WITH_NAN, 0), call(WITH_NAN)), "nanvar": (call(WITH_NAN, 1), call(
        WITH_NAN, ddof=1)),
    "nanstd": (call(WITH_NAN, 1), call(WITH_NAN, ddof=1), call(X, 0)),
    "nanmedian": (call(WITH_NAN, 1), call(WITH_NAN), call(CUBE, (0, 2))),
    "nancumsum": (call(WITH_NAN, 1), call(WITH_NAN)),
    "nancumprod": (call(WITH_NAN, 1), call(WITH_NAN)),
    "median": (call(V), call(X, 0), call(CUBE, (0, 2), keepdims=True), call(X, 1)),
    "ptp": (call(X, 1), call(X)), "average": (call(X, 0, Y[:, 0]), call(X, weights=Y),
                                            call(CUBE, (0, 2), CUBE[:, 0] ** 2 + 1),
                                            call(X, 1, returned=True)),
    "diff": (call(CUBE, 2, 1), call(X, prepend=Y[:, :1], append=1.5), call(X, 1, 0), call(V, 3)),
    **{name: (call(X, 0.3, 0), call(X, np.array([0.1, 0.77]), 1), call(V, 0.55),
              call(CUBE, 0.4, (0, 2), keepdims=True),
              *(call(V, 0.37, method=m) for m in (
                  "lower", "higher", "nearest", "midpoint", "hazen", "weibull", "median_unbiased",
                  "normal_unbiased", "interpolated_inverted_cdf", "inverted_cdf",
                  "averaged_inverted_cdf", "closest_observation")))
       for name in ("quantile",)},
    "percentile": (call(X, 30, 0), call(X, np.array([10.0, 77.0]), 1)),
    "nanquantile": (call(WITH_NAN, 0.3, 1), call(WITH_NAN, [0.2, 0.9], 0), call(WITH_NAN, 0.4),
                    call(WITH_NAN, 0.3, 1, method="hazen")),
    "nanpercentile": (call(WITH_NAN, 30.0, 1),),
    "reshape": (call(CUBE, (4, 6), order="F"), call(CUBE.transpose(2, 0, 1), (3, 8))),
    "ravel": (call(CUBE.T, "F"), call(CUBE.T)), "transpose": (call(CUBE, (2, 0, 1)),),
    "moveaxis": (call(CUBE, (0, 2), (1, 0)), call(CUBE, -1, 0)),
    "rot90": (call(CUBE, 3, (0, 2)), call(X, -1)), "roll": (call(CUBE, (1, -2), (0, 2)),
                                                           call(CUBE, 5)),
    "diagonal": (call(CUBE, 1, 2, 0), call(SQUARE, -1), call(TALL)),
    "diag": (call(V, -2), call(TALL, -1)), "triu": (call(CUBE, -1), call(TALL, 1)),
    "tril": (call(CUBE, 1),), "tile": (call(X, (2, 1, 2)), call(CUBE, 2)),
    "repeat": (call(X, np.array([2, 0, 1, 3]), 1), call(X, 2, 0), call(X, 3)),
    "pad": (call(X, ((1, 2), (0, 1))), call(X, 2, mode="reflect"), call(X, 2, mode="symmetric"),
            call(X, (2, 1), mode="wrap"), call(X, 3, mode="edge"),
            call(V, (1, 2), constant_values=(0.5, 2.0))),
    "concatenate": (call([CUBE, CUBE * 2], -1), call([X, V], axis=None), call([X, COMPLEX])),
    "stack": (call([X, Y, X], 1),), "hstack": (call([V, W]), call([X, Y])),
    "vstack": (call([X, V[:4]]),), "dstack": (call([V, W]), call([CUBE, CUBE[:, :, :1]])),
    "column_stack": (call([X, X[:, 0]]),), "append": (call(X, Y), call(X, Y, 1)),
    "split": (call(CUBE, [1, 3], 2),), "array_split": (call(V, 3),),
    "atleast_2d": (call(V), call(X)), "atleast_3d": (call(V), call(X), call(CUBE)),
    "linspace": (call(0.5, 2.5, 4, endpoint=False), call(V, W, 3, axis=1),
                 call(0.5, 2.5, 4, retstep=True)),
    "meshgrid": (call(V, W[:3], indexing="ij"), call(V, W[:3], V[:2])),
    "take": (call(X, [2, 0, 2], 0), call(X, np.array([[1, 5], [1, -1]])),
             call(X, [5, 9], 1, mode="wrap"), call(X, [5, -3], 0, mode="clip")),
    "take_along_axis": (call(X, np.array([[0, 0, 3], [1, 2, 1], [3, 3, 3]]), 1),
                        call(X, np.array([[0, 2, 1, 0]]), 0)),
    "compress": (call([True, False, True], X, 0), call(MASK.ravel(), X)),
    "extract": (call(MASK, X),), "delete": (call(X, [0, 2], 1), call(X, slice(0, 2), 0)),
    "insert": (call(X, [3, 1], Y[:, :2], 1), call(X, 2, V[:4], 0), call(V, [4, 0], [7.5, 8.5]),
               call(X, 1, 2.5), call(CUBE, 1, CUBE[:, :, 0] * 2, 2)),
    "where": (call(MASK, X, Y[:1]), call(MASK, 1.5, Y), call(MASK, COMPLEX, X)),
    "clip": (call(SIGNED, -0.5, 0.7), call(SIGNED, X * 0.1, X), call(SIGNED, None, V[:4]),
             call(SIGNED, min=-0.1, max=X)),
    "select": (call([SIGNED > 0.5, SIGNED > 0], [X, Y], 2.5), call([MASK], [X], default=Y)),
    "sort": (call(CUBE, 1), call(CUBE, None), call(V), call(X.T)),
    "partition": (call(CUBE, 1, 1), call(RNG.standard_normal(40), 13), call(X, 2, None)),
    "unique": (call(X, return_inverse=True), call(X, axis=0)),
    "bincount": (call(np.array([1, 0, 3, 1, 1]), V, 6),
                 call(np.array([1, 0, 3, 1, 1]), weights=V)),
    "histogram": (call(V, 3, weights=W), call(V, [0.0, 1.0, 2.0], weights=W),
                  call(V, 3, (0.0, 2.0), True, W)),
    "interp": (call(SIGNED, np.sort(V), W), call(SIGNED, np.sort(V), W, -1.0, 2.5),
               call(SIGNED, V, W, period=2.3)),
    "matmul": (call(CUBE, X.T), call(CUBE, V[:4]), call(V[:3], CUBE), call(CUBE, CUBE[0].T),
               call(X, COMPLEX.T), call(COMPLEX, X.T), call(CUBE[:1], CUBE.swapaxes(1, 2))),
    "dot": (call(CUBE, X.T), call(CUBE, CUBE.swapaxes(1, 2)), call(V, W), call(2.5, X),
            call(COMPLEX, X.T), call(X, V[:4])),
    "vdot": (call(COMPLEX, X), call(COMPLEX_VECTOR, COMPLEX_VECTOR[::-1])),
    "inner": (call(CUBE, X), call(2.5, X), call(COMPLEX, X)),
    "outer": (call(X, V), call(COMPLEX_VECTOR, V)), "kron": (call(X, V), call(X, Y[:2, :2])),
    "cross": (call(TALL, TALL[::-1] + 1), call(V[:3], TALL), call(TALL.T, TALL, 0, 1, 0)),
    "tensordot": (call(CUBE, CUBE, ([2, 1], [2, 1])), call(CUBE, X, ([1, 2], [0, 1])),
                  call(CUBE, X.T, 1), call(X, V, 0), call(CUBE, CUBE.transpose(2, 0, 1), (
                      [0, 2], [1, 0]))),
    "einsum": (call("ij,jk,kl->il", X, X.T, Y), call("ii", SQUARE), call("iij->j", SQUARES[
        :, :2, :2].repeat(2, 2)[:2, :2]), call("...ij,...jk->...ik", CUBE, X.T), call("i,j", V, W),
               call("ij->", X), call(X, [0, 1], Y, [0, 1], [1]), call("ij,ij->i", COMPLEX, X),
               call("bij,bij->b", CUBE, CUBE[:1]), call("i...->...", CUBE), call("ijk->kj", CUBE)),
    "trace": (call(CUBE, 1, 2, 0), call(TALL)),
    "linalg.norm": (call(V), call(X, axis=1), call(X, "fro"), call(X, "nuc"), call(X, 2),
                    call(X, -2), call(X, 1), call(X, np.inf), call(X, -np.inf), call(V, 3),
                    call(V, np.inf), call(V, -1), call(V, 0.5), call(SIGNED, 1, axis=0),
                    call(COMPLEX_VECTOR), call(COMPLEX, 1), call(COMPLEX, axis=(0, 1),
                                                                keepdims=True),
                    call(CUBE, 2, (0, 2)), call(CUBE, None, (1, 2)), call(SQUARE, -1)),
    "linalg.solve": (call(SQUARE, V[:4]), call(SQUARE, X.T), call(SQUARES, CUBE[:, :, :2]),
                     call(SQUARES, V[:3]), call(COMPLEX_SQUARE, COMPLEX.T),
                     call(SQUARE, COMPLEX.T)),
    "linalg.inv": (call(SQUARES), call(COMPLEX_SQUARE)),
    "linalg.det": (call(SQUARES), call(COMPLEX_SQUARE), call(SINGULAR), call(
        np.stack([SINGULAR, SQUARES[0]])), call(np.array([[2.5]]))),
    "linalg.slogdet": (call(SQUARES), call(COMPLEX_SQUARE), call(-SQUARES[0])),
    "linalg.pinv": (call(TALL), call(WIDE), call(COMPLEX_TALL), call(SQUARES)),
    "linalg.lstsq": (call(TALL, V, None), call(TALL, TALL[:, :2] + 1, None), call(
        WIDE, X[:, 0], None)),
    "linalg.qr": (call(TALL), call(WIDE), call(SQUARES), call(COMPLEX_TALL), call(TALL, "r"),
                  call(SQUARE, "complete")),
    "linalg.svd": (call(TALL, False), call(WIDE, False), call(SQUARES),
                   call(TALL, compute_uv=False),
                   call(COMPLEX_TALL, compute_uv=False)),
    "arange": (call(0.5, 2.9, 0.7),), "union1d": (call(V, W),), "setxor1d": (call(V, W),),
    "setdiff1d": (call(V, W),), "intersect1d": (call(V, W),),
    "thin_svd": (call(TALL), call(X)), "sum_to": (call(X, V[:4]),),
    "linalg.eig": (call(SQUARE), call(SQUARES), call(COMPLEX_SQUARE)),
    "linalg.eigvals": (call(SQUARE), call(COMPLEX_SQUARE)),
    "linalg.matrix_power": (call(SQUARE, 5), call(SQUARES, -2), call(COMPLEX_SQUARE, 3),
                            call(SQUARE, 1)),
    **{f"fft.{name}": (call(a), call(a, 3, 0), call(a, 6, -1, "ortho"), call(a, None, 0, "forward"),
                       call(a, 7))
       for name, a in (("fft", COMPLEX), ("ifft", COMPLEX), ("rfft", X), ("irfft", COMPLEX),
                       ("hfft", COMPLEX), ("ihfft", X))},
    **{f"fft.{name}": (call(a), call(a, (3, 5), (0, 1)), call(a, (4, 2), (1, 0), "ortho"))
       for name, a in (("fft2", COMPLEX), ("ifft2", COMPLEX), ("fftn", COMPLEX),
                       ("ifftn", COMPLEX), ("rfft2", X), ("rfftn", X), ("irfft2", COMPLEX),
                       ("irfftn", COMPLEX))},
    "view": (call(X, complex), call(COMPLEX, float), call(X, float)),
    "complex_": (call(1.5, 2.5), call(1.5)), "min_": (call(1.5, 0.7, 2.0),),
    "sum_": (call([1.5, 0.7]), call(V), call([V, V], 1.0), call(X)),
    "max_": (call([1.5, 0.7, 2.0]), call(V)), "item": (call(np.array([[1.5]])),),
    "float_": (call(np.array(1.5)),), "getitem": (
        call(CUBE, (slice(None), [0, 2, 0])), call(X, MASK), call(X, (slice(None, None, -1), 1)),
        call(CUBE, (Ellipsis, N, 1))),
}


def extra_samples(name: str) -> list[Sample]:
    """Returns the calls of an op beside the table's own samples."""
    found = list(CALLS.get(name, ()))
    if name in UNARY:
        found.append(call(UNARY[name]))
    if name in BINARY:
        found.append(call(*BINARY[name]))
    if name in HOLOMORPHIC or name in OF_COMPLEX:
        found.append(call(COMPLEX - 0.25))
    return found


SYMMETRIC: dict[str, tuple[Sample, ...]] = {
    "linalg.cholesky": (call(POSITIVE), call(HERMITIAN), call(POSITIVE, upper=True),
                        call(HERMITIAN, upper=True), call(np.stack([POSITIVE, 2 * POSITIVE]))),
    "linalg.eigh": (call(POSITIVE), call(POSITIVE, "U"), call(np.stack([POSITIVE, 2 * POSITIVE]))),
    "linalg.eigvalsh": (call(POSITIVE), call(HERMITIAN)),
}
"""Calls of ops that take their operand to be symmetric: it is moved in symmetric directions."""

DYNAMIC = {("split", 3), ("array_split", 3)}
"""Calls whose results have no type, so that they cannot be the target of a gradient."""

AT_KINKS = {
    "mod", "np.remainder", "np.fmod", "np.divmod", "divmod_", "np.modf", "np.frexp", "np.arcsin",
    "np.arccos", "np.arccosh", "arange", "clip", "intersect1d", "union1d", "setxor1d", "setdiff1d",
    "interp", "quantile", "nanquantile", "percentile", "nanpercentile", "linalg.eigh",
    "linalg.eigvalsh", "linalg.cholesky", "linalg.eig", "linalg.eigvals", "sum_to", "thin_svd",
    "linalg.norm", "np.maximum", "np.minimum", "np.fmax", "np.fmin",
}
"""Ops whose samples in the table lie where the derivative jumps, where the number of elements does,
or whose operand must be symmetric: they are tested with the calls here only."""

FIRST_ONLY = {"linalg.norm", "sum_to", "linalg.pinv", "linalg.lstsq"}
"""Ops whose further arguments are options, though they are floats."""

FIRST_ORDER_ONLY = {("linalg.det", 4), ("linalg.det", 5)}
"""Calls, by op and number, with a first derivative alone: cofactors of singular matrices."""

DOUBLE_ONLY = {"view": "its samples name a dtype of double precision"}

REFUSED_CALLS = {
    ("nan_to_num", 1): "no derivative by 'nan'",
    ("view", 2): "reads the bytes", ("linalg.svd", 0): "full decomposition",
    ("linalg.qr", 2): "full decomposition",
}
"""Calls, by op and number, that have no derivative, and what the error says."""
