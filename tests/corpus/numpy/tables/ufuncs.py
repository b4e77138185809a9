"""Every ufunc of NumPy: called with each dtype it takes, with its keywords, and its methods."""

import warnings
from collections.abc import Iterator

import numpy as np

from tests.corpus.numpy.values import VALUES

UFUNCS = sorted({f.__name__: f for f in vars(np).values() if isinstance(f, np.ufunc)}.items())
"""Each once, under its own name."""

OPERANDS = {
    1: ("x", "part", "pos", "t", "z", "m", "s", "p", "u8", "f", "bad", "days"),
    2: ("x, v", "t, i", "m, m", "v, 2", "s, 2.5", "f, 2", "z, v", "u8, 3", "i8, i8", "x, p",
        "pos, i", "spans, spans", "3, t", "words, words"),
}
GENERALISED = {
    "matmul": ("x, x.T", "c, x.T[0:2].T[:, :1].T @ q[:1] + c[0].T", "q, c[0]"),
    "vecdot": ("x, y", "z, v", "c, c"),
    "matvec": ("x, v", "c, c[0, 0]"),
    "vecmat": ("v, q", "z, q"),
}
"""Operands of the ufuncs that work on whole vectors."""


def takes(ufunc: np.ufunc, operands: str) -> bool:
    """Whether the ufunc has a loop for such operands."""
    values = [VALUES[o].first if o in VALUES else int(o) if o.isdigit() else float(o)
              for o in operands.split(", ")]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            ufunc(*values)
        except ValueError:
            return True  # of these values not, but of others
        except TypeError:
            return False
    return True


def calls(name: str, ufunc: np.ufunc) -> Iterator[str]:
    """A row with every dtype, then `out=`, `where=`, `dtype=` on the first that is taken."""
    taken = [o for o in OPERANDS[ufunc.nin] if takes(ufunc, o)]
    yield f"[{', '.join(f'np.{name}({o})' for o in taken)}]"
    first = taken[0]
    if ufunc.nout == 1:
        empty = f"o = np.zeros_like(np.{name}({first}))"
        yield f"{empty}; r = np.{name}({first}, out=o); return r is o, o"
        yield f"{empty}; np.{name}({first}, out=(o,), where=b); return o"
    if takes(ufunc, ", ".join(["f"] * ufunc.nin)):
        yield f"np.{name}({', '.join(['f'] * ufunc.nin)}, dtype=np.float64)"


def methods(name: str, ufunc: np.ufunc) -> Iterator[str]:
    """`at`, and what ufuncs of two operands have beside it."""
    if ufunc.nout != 1:
        return
    operand = next(o for o in ("v", "t", "m", "days", "words")
                   if takes(ufunc, ", ".join([o] * ufunc.nin)))
    value = "" if ufunc.nin == 1 else f", {operand}[:1]"
    yield f"a = {operand} + 0 * {operand}[:1]; np.{name}.at(a, [0, 0, 1]{value}); return a"
    if ufunc.nin == 2 and operand != "words":
        matrix = {"v": "x", "t": "t", "m": "b"}[operand]
        yield f"np.{name}.outer({operand}, {operand})"
        yield f"np.{name}.reduce({matrix})"
        yield f"np.{name}.reduce({matrix}, axis=1, keepdims=True)"
        yield f"np.{name}.accumulate({matrix}, axis=1)"
        yield f"np.{name}.reduceat({matrix}, [0, 1], axis=1)"


def table() -> Iterator[str]:
    for name, ufunc in UFUNCS:
        if ufunc.signature is None:
            yield from calls(name, ufunc)
            yield from methods(name, ufunc)
            continue
        for operands in GENERALISED[name]:
            yield f"np.{name}({operands})"
            yield (f"o = np.zeros_like(np.{name}({operands})); np.{name}({operands}, out=o); "
                   "return o")


MORE = [
    "np.add.reduce(x, axis=None)", "np.add.reduce(x, axis=(0, 1))",
    "np.add.reduce(x, 0, None, None, True)", "np.add.reduce(i8, dtype=np.int8)",
    "np.add.reduce(i8)", "np.add.reduce(m)", "np.add.reduce(x, where=b, initial=1.5)",
    "np.maximum.reduce([v, w])", "np.maximum.reduce(x, axis=-1, initial=2.0)",
    "np.multiply.reduce(t, axis=1)", "np.logical_and.reduce(b, axis=0)",
    "np.logical_or.reduce([m, ~m])", "np.bitwise_or.reduce(i)", "np.add.accumulate(v)",
    "np.multiply.accumulate(u, dtype=np.float32)", "np.subtract.outer(v, i)",
    "np.add.reduceat(u, [0, 2, 4])",
    "np.add.at(x, (0, 1), 5); return x", "np.add.at(v, i, w); return v",
    "np.subtract.at(v, m, 1.0); return v", "np.maximum.at(t, (slice(None), 1), 9); return t",
    "np.add.at(x[0], [0, 0, 2], v); return x", "np.add.at(v, k, 10); return v",
    "np.negative.at(v, j); return v",
    "out = np.empty(3); np.add.reduce(x, 0, out=out); return out",
    "out = np.empty((2, 1)); np.add.reduce(x, axis=1, out=out, keepdims=True); return out",
    "np.add(x, y, out=x); return x", "np.add(x, 1, x[...]); return x",
    "np.sqrt(pos, out=pos[::-1][::-1]); return pos", "np.add(v, w, out=x[1]); return x",
    "np.exp(v, out=x[:, :2].T[0:1, 0:1]); return x",
    "np.add(t, 1.5, out=t, casting='unsafe'); return t", "np.add(t, 1.5, out=t); return t",
    "np.multiply(x, 2, out=x, where=x > 0); return x",
    "np.divide(x, y, where=y != 0, out=np.zeros_like(x))", "np.divide(1, t)", "np.divide(x, 0)",
    "np.log(x)", "np.add(x, 1, dtype='f4')", "np.add(i8, i8, dtype=int)",
    "np.true_divide(i8, i8, dtype=np.float32)", "np.add(x, x, casting='no')",
    "np.add(f, x, dtype='f4', casting='same_kind')", "np.modf(x)", "np.frexp(v)",
    "np.divmod(x, y)", "np.divmod(t, 2)", "q1, r1 = np.divmod(u, 2); return q1 - r1",
    "a = np.empty(3); b2 = np.empty(3); np.modf(v, a, b2); return a, b2", "np.ldexp(v, i)",
    "np.heaviside(x, 0.5)", "np.frompyfunc(lambda a, b: a + b, 2, 1)(v, w)",
    "np.vectorize(lambda a: a + 1)(v)", "np.add(x, x, order='F')", "np.add(x, x, subok=False)",
    "np.abs(zs)", "np.conj(z)", "np.power(t, 2)", "np.power(2, i)", "np.power(i, -1)",
    "np.power(2.0, x)", "np.float_power(t, -1)", "np.left_shift(t, 2)", "np.bitwise_count(t)",
    "np.logaddexp(x, y)", "np.greater(x, y)", "np.isnat(days)", "np.spacing(v)", "np.sign(z)",
    "np.positive(m)", "np.subtract(m, m)", "-m", "np.add(1, 2) + v", "np.add(True, v)",
    "np.equal(words, 'fig')", "np.add(words, words)",
]
ROWS = [
    *table(),
    *MORE,
]
