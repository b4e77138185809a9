"""Makes random programs of elementwise operations, casts and reductions on whole arrays."""

from __future__ import annotations

import warnings
from random import Random
from typing import Any

import numpy as np

from autograph.runtime.ops.op import OPS

UFUNCS = sorted({op.ufunc.__name__ for op in OPS.values()
                 if op.ufunc is not None and op.ufunc.nout == 1 and op.ufunc.signature is None
                 and getattr(np, op.ufunc.__name__, None) is op.ufunc})
OPERATORS = ("+", "-", "*", "/", "//", "%", "<", "<=", ">", ">=", "==", "!=", "&", "|", "^")
CASTS = ("float64", "float32", "int64", "int8", "uint8", "int32", "uint16", "bool", "uint64")
REDUCTIONS = ("sum", "mean", "max", "min", "any", "all", "prod")
AXES = ("", "axis=-1", "axis=-1, keepdims=True", "axis=0", "axis=None", "keepdims=True")
DTYPES = ("f8", "f8", "f4", "i8", "i4", "i1", "u1", "u2", "u8", "?")
SHAPES = ((), (7,), (64,), (1030,), (2500,), (1,), (5, 7), (3, 1100), (300, 3), (4, 1), (1, 9),
          (2, 3, 4), (0, 3), (2, 0), (9, 130), (2, 2, 600))

ORDERS = ("C", "C", "F", "strided", "reversed", "unaligned")
"""How the elements of an array lie in memory."""


class Arrays:
    """A program and arguments for it; statements that raise on them are left out."""

    numpy = np
    dtypes, ufuncs, operators, casts, reductions = DTYPES, UFUNCS, OPERATORS, CASTS, REDUCTIONS
    numbers: tuple[complex, ...] = (2, -3, 0.5, 7, 1.0)
    constants: tuple[str, ...] = ("1.5", "2")
    unusual = 0.4

    def __init__(self, random: Random) -> None:
        self.random = random
        self.orders = random.choice([("C",), ("C",), ("C", "strided"), ORDERS])
        self.shape = random.choice(SHAPES)
        self.arguments = {"x": self.array(self.shape), "y": self.array(self.narrower()),
                          "z": self.array(self.shape), "n": random.choice(self.numbers),
                          "s": np.dtype(random.choice(self.dtypes)).type(random.choice([0, 1, 3]))}
        self.values: dict[str, Any] = dict(self.arguments)
        self.lines: list[str] = []
        for _ in range(random.randint(2, 9)):
            self.statement()

    def narrower(self) -> tuple[int, ...]:
        """A shape that is broadcast to the shape of the others."""
        shape = self.shape[self.random.randint(0, len(self.shape)):]
        return tuple(1 if self.random.random() < 0.3 else n for n in shape)

    def array(self, shape: tuple[int, ...]) -> Any:
        """Random numbers, sometimes with unusual ones, in some order of memory."""
        r = np.random.default_rng(self.random.getrandbits(32))
        dtype = np.dtype(self.random.choice(self.dtypes))
        x = r.normal(size=shape) * self.random.choice([1, 1, 3, 100])
        if dtype.kind in "iub":
            x = np.floor(np.abs(x) if dtype.kind == "u" else x)
        elif self.random.random() < self.unusual and x.size:
            special = r.choice([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e200, 1e-310], size=x.shape)
            x = np.where(r.random(x.shape) < 0.05, special, x)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if dtype.kind == "c":
                x = x * r.choice([1, 1j, 1 - 2j], size=x.shape)
            return self.laid_out(np.asarray(x).astype(dtype))

    def laid_out(self, x: Any) -> Any:
        how = self.random.choice(self.orders)
        if how == "F":
            return np.asfortranarray(x)
        if how == "strided" and x.ndim:
            return np.repeat(x, 2, axis=-1)[..., ::2]
        if how == "reversed" and x.ndim:
            return x[::-1].copy()[::-1]
        if how == "unaligned" and x.size:
            memory = np.empty(x.nbytes + 1, np.uint8)[1:]
            made = memory.view(x.dtype).reshape(x.shape)
            made[...] = x
            return made
        return x

    def statement(self) -> None:
        text = self.expression()
        name = f"v{len(self.lines)}"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                value = eval(text, {"np": np}, self.values)
            except Exception:
                return
        if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "biufc":
            self.values[name] = value
            self.lines.append(f"{name} = {text}")

    def expression(self) -> str:
        kind = self.random.random()
        a, b, c = (self.operand() for _ in range(3))
        if kind < 0.05:  # these have no form
            return self.random.choice([f"np.sort({a}, axis=-1)", f"np.cumsum({a}, axis=-1)",
                                       f"{a}[::-1]", f"np.var({a}, axis=-1)"])
        if kind < 0.13 and self.shape:
            return self.windows()
        if kind < 0.3:
            return f"{a} {self.random.choice(self.operators)} {b}"
        if kind < 0.7:
            ufunc = self.random.choice(self.ufuncs)
            operands = (a, b, c)[:getattr(np, ufunc).nin]
            return f"np.{ufunc}({', '.join(operands)})"
        if kind < 0.78:
            return f"np.where({a}, {b}, {c})"
        if kind < 0.84:
            return f"{a}.astype(np.{self.random.choice(self.casts)})"
        if kind < 0.87:
            return f"{a} ** {self.random.choice([2, 3, 0.5, -1, 1.5])}"
        if kind < 0.9:
            return f"np.clip({a}, {self.random.choice([0, -1.0])}, {self.random.choice([b, '2'])})"
        return f"{a}.{self.random.choice(self.reductions)}({self.random.choice(AXES)})"

    def windows(self) -> str:
        """An operation on parts of arrays of one shape, of equal length at different offsets."""
        parts: list[list[str]] = [[], [], []]
        for n in self.shape[:self.random.randint(1, len(self.shape))]:
            step = self.random.choice([1, 1, 1, 2, 3, -1])
            count = self.random.randint(1, max(1, n // abs(step)))
            picked = self.random.random() < 0.1
            for part in parts:
                first = self.random.randint(0, max(0, n - (count - 1) * abs(step) - 1))
                last = first + (count - 1) * step + (1 if step > 0 else -1)
                part.append(str(first) if picked else f"{first}:{last}:{step}" if step > 0 else
                            f"{first}:{first + count}")
        dots = ["..."] if self.random.random() < 0.3 else []
        names = [n for n, v in self.values.items() if np.shape(v) == self.shape]
        x, y, z = (f"{self.random.choice(names)}[{', '.join(part + dots)}]" for part in parts)
        form = self.random.choice([
            f"{x} + {y}", f"np.exp({x}) * {y} - {z}", f"{x} * {z}[..., None]",
            f"{x} / {y}.max()", f"{x}[None] - {y}", f"({x} + {y})[0] * {z}",
            f"{x}[..., :1].T * {y}[..., :1]", f"{x}[..., :1] * {y} + {z}",
            f"(({x}[:, None] - {y}[None]) * 0.5).sum(axis=-1)",
            f"{x}[..., :1].swapaxes(0, -1) + {y}[..., 0]"])
        return form + self.random.choice(["", "", "", ".sum()", ".max(axis=-1)"])

    def operand(self) -> str:
        made = [name for name in self.values if name.startswith("v")]
        if made and self.random.random() < 0.6:
            return self.random.choice(made[-3:])
        return self.random.choice([*self.arguments, "x", *self.constants])

    def source(self) -> str:
        kept = [n for n in self.values if n.startswith("v") and self.random.random() < 0.5]
        last = [n for n in self.values if n.startswith("v")][-1:]
        names = dict.fromkeys([*kept, *last])
        body = "".join(f"    {line}\n" for line in self.lines)
        return f"def f(x, y, z, n, s):\n{body}    return ({', '.join(names)}{',' * bool(names)})\n"
