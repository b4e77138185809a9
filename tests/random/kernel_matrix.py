"""A matrix of small kernels: what a loop works on, three statements, how it is left, and its range.

Each kernel mixes dtypes, views, arrays that the loop makes, and reads that fail.
"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

BEFORE = (
    "v = x", "v = x[1:]", "v = x[::-1]", "v = a[0]", "v = a[:, 1]", "v = a.T", "v = np.zeros(4)",
    "v = np.empty_like(x); v[:] = 1", "v = np.ones(4, np.int8)", "v = x.copy()", "v = x + y",
    "v = c[0]", "v = c", "v = a", "v = x[:0]", "v = a[1:, ::2]", "v = np.array([s, s])",
    "v = y.astype(np.float32)", "v = x.reshape(2, -1)", "v = np.arange(4)", "v = x[::2]",
    "v = x.astype(np.uint8)", "v = x > 1", "v = np.zeros((3, 2), np.int32)", "v = y")
"""What the loop works on."""

STATEMENTS = (
    # elements and numbers
    "v[i] = s", "v[i] += 1", "v[-i] = x[i]", "s = s + v[i]", "s = s * x[i] - t", "t = t // y[i]",
    "t = t % x[i]", "s = s / y[i - 1]", "t = int(x[i])", "s = x[i] ** 2", "t = -t + i",
    "t = t * 3 + i", "s = abs(y[i])", "s = min(s, x[i])", "s = max(x[i], y[i], s)", "t = t << i",
    "s = float(v[i])", "t = t + (x[i] > y[i])", "s = bool(s)", "a[i, i] = t", "a[i][1] -= s",
    "c[i, 0, 1] = c[0, i, 0]", "s = c[1, i, i]", "x[i + 1] = x[i]", "x[i], y[i] = y[i], x[i]",
    "v[i + 3]", "s = x[t]", "x[t] = i", "s = np.sqrt(x[i])", "s = np.exp(s)", "s = x[i] / t",
    "s = -x[i]", "s = ~i", "s = x[i] & 3", "s = not x[i]", "s = x[i] if t else y[i]",
    "t = divmod(i, 2)[0]", "t = round(s)", "s = np.float32(s) + x[i]", "s = np.int8(t) + x[i]",
    # views
    "v = x[i:]", "v = v[1:]", "v = a[i]", "v = x[::-1]", "v = a[:, i]", "v = a.T", "v = c[i]",
    "v = c[:, i, :]", "v = x[i:i + 2]", "v = x[i::-1]", "v = x[-2:]", "v = x[:-i]", "v = a[i:, 1:]",
    "v = v[::-1]", "v = x", "v = y", "v, x = x, v", "x = y",
    # stores of arrays
    "v[:] = y[0]", "v[1:] = v[:-1]", "a[i] = x", "a[:, i] = y[:2]", "x[:] = y", "x[i:] = x[:1]",
    "v += 1", "v *= v", "v -= y", "x[1:3] += y[1:3]", "a[0] = a[1]", "a += x", "a *= s",
    "c[i] = a", "v[...] = i", "x[x > 1] = 0", "v[[0, 1]] = s", "a[:] = a.T", "x[::2] = y[1::2]",
    "x[i] = y[i:i + 1]", "x[::-1] = x", "a[i, 1:] = i", "np.add(x, y, out=x)", "x //= 2",
    "x /= 2", "x %= 3",
    # arrays that are made
    "v = v + 1", "v = v * s", "v = -v", "v = x * y", "v = v + x", "v = np.zeros(4)",
    "v = np.array([s, t])", "v = np.array([x[i], y[i]])", "v = np.where(x > y, x, s)",
    "v = x.astype(np.int16)", "v = x.copy()", "v = np.cumsum(x)", "v = x[[1, 0]]", "v = x[x > 0]",
    "v = np.sort(x)", "v = np.maximum(v, t)", "v = np.outer(x, y)", "v = a @ x", "v = a.T @ a",
    "v = np.roll(x, 1)", "v = v > 0", "v = np.concatenate((x, y))", "v = x[:, None] + y",
    "v = np.ones_like(v)", "v = np.full(3, s)", "v = np.arange(i)", "v = ~v", "v = x ** 2",
    "v = np.clip(v, 0, 2)", "v = np.diff(x)", "v = np.sqrt(v)", "v = np.abs(v)", "v = v // 2",
    # reductions
    "s = s + v.sum()", "s = v.max()", "t = np.argmax(v)", "t = x.argmin()", "s = a.sum(axis=0)[1]",
    "v = a.max(axis=1)", "v = c.sum(axis=0)", "v = c.sum(axis=(0, 1))", "v = c.max(axis=-1)",
    "s = c.sum()", "v = np.argmax(a, axis=0)", "s = np.prod(x)", "s = x.mean()", "s = x @ y",
    "s = np.dot(x, v)", "s = (x > y).any()", "s = np.all(x)", "s = c.mean(axis=1)[0, 0]",
    "t = np.count_nonzero(x)", "s = sum(x)", "s = np.median(x)", "s = x.std()", "s = v.size",
    "t = len(v)", "v = np.cumprod(y)", "s = np.linalg.norm(x)", "s = a.min()", "t = v.ndim",
    "s = np.min(v)", "t = c.argmax()", "v = c[i].sum(axis=1)")

LEAVING = ("", "", "", "if x[i] > 3: break", "if i == 1: continue", "if s > 4: return v, s",
           "if t > 9: raise ValueError(t)", "if i: break", "assert s != 3, s",
           "if y[i] == x[i]: raise KeyError('k')", "if v[0]: continue")

RANGES = ("range(3)", "range(n)", "range(1, n)", "range(n - 1, -1, -1)", "range(len(x))",
          "range(0, n, 2)", "range(n, 0, -2)", "range(len(v))", "range(a.shape[0])")


def source_of(random: Random) -> str:
    """Writes `f(x, y, a, c, n, s)`: vectors, a matrix, three axes, an int and a number."""
    r = random
    before, outer = r.choice(BEFORE), r.choice(RANGES)
    lines = ["import numpy as np", "def f(x, y, a, c, n, s):", "    t = 1", f"    {before}",
             f"    for i in {outer}:"]
    body = [r.choice(STATEMENTS) for _ in range(r.choice([1, 2, 2, 3]))]
    if leaving := r.choice(LEAVING):
        body.insert(r.randint(0, len(body)), leaving)
    lines += [f"        {line}" for line in body]
    kind = r.random()
    if kind < 0.25:
        lines += [f"        for j in {r.choice(['range(2)', 'range(i)', 'range(n)'])}:",
                  f"            {r.choice(STATEMENTS).replace('i]', 'j]')}"]
        if leaving := r.choice(LEAVING):
            lines.append(f"            {leaving}")
    elif kind < 0.35:
        lines = [*lines[:4], "    try:", *["    " + line for line in lines[4:]],
                 "    except (IndexError, ZeroDivisionError, ValueError) as e:",
                 "        return str(e), x, s"]
    elif kind < 0.45:
        lines += [f"        if s {r.choice('<>')} t:", f"            {r.choice(STATEMENTS)}",
                  "        else:", f"            {r.choice(STATEMENTS)}"]
    given = r.choice(["s, t, x, v", "v, x, y", "s, t", "x, v, a", "v", "s, v, c"])
    return "\n".join([*lines, f"    return {given}", ""])


DTYPES = ("f8", "f8", "i8", "i8", "f4", "i4", "u1", "i1", "?", "i2", "u2", "u4")


def arguments(seed: int) -> tuple[Any, ...]:
    """Arguments of `f`, the same for the same seed; sometimes one array twice, or a part of one."""
    r, g = Random(seed), np.random.default_rng(seed)
    mixed = r.random() < 0.4
    dtype = r.choice(DTYPES)

    def made(*shape: int) -> Any:
        d = np.dtype(r.choice(DTYPES) if mixed else dtype)
        return (g.normal(size=shape) * 2 if d.kind == "f" else g.integers(0, 5, shape)).astype(d)

    size = r.choice([4, 4, 4, 3, 5])
    x, y, a, c = made(size), made(size), made(r.choice([size, 3]), size), made(3, size, size)
    kind = r.random()
    if kind < 0.08:
        y = x
    elif kind < 0.14:
        x, y = a[0], a[-1]
    elif kind < 0.2:
        x, a = x[::-1], a[:, ::-1]
    elif kind < 0.25:
        x = x[:0]
    elif kind < 0.3:
        a = np.asfortranarray(a)
    elif kind < 0.34:
        a = c[1]
    elif kind < 0.38 and x.dtype.kind == "f":
        x[1] = r.choice([np.nan, np.inf, -0.0])
    elif kind < 0.42 and x.dtype.kind in "iu":
        x[1] = np.iinfo(x.dtype).max
    n = r.choice([3, 3, 2, 4, np.int64(3), np.int64(4), 0, 5, np.int32(2)])
    s = r.choice([0, 1, 0.5, 2.0, np.float64(1.5), np.int64(2), -3, True, np.float32(2)])
    return x, y, a, c, n, s
