"""Makes random programs that store into arrays and views of them while they read what overlaps."""

from __future__ import annotations

import warnings
from random import Random
from typing import Any

import numpy as np

from tests.random.text import Text

SIGNS = ["+", "-", "*", "/", "//", "%", "&", "|", "<<", "<", ">=", "=="]
AUGMENTED = ["", "", "", "+", "-", "*", "/", "//", "%"]
UNARY = ["-{}", "np.abs({})", "np.sqrt({})", "np.sin({})", "np.floor({})", "np.isnan({})", "~{}",
         "np.square({})", "np.sign({})", "np.exp({})"]
BINARY = ["np.maximum({}, {})", "np.minimum({}, {})", "np.hypot({}, {})", "np.where({} > 0, {}, 2)",
          "np.fmod({}, {})", "np.copysign({}, {})", "np.nextafter({}, {})"]
OTHERS = ["np.cumsum({})", "np.diff({})", "np.sort({})", "np.roll({}, k)", "np.argsort({})",
          "{}[{} > 0]", "np.sum({}, axis=0)", "np.max({}, axis=-1, keepdims=True)",
          "np.argmax({})", "np.mean({})", "np.dot({}, {})"]
SLICES = ["1:", ":-1", "::-1", "::2", "1::2", ":k", "k:", "-k:", "2:5", ":0", "::-2", ":", "...",
          "5:2", "-3:", "1:-1", "k::2"]
VIEWS = ["{}.T", "{}[None]", "{}[..., None]", "{}[k]", "{}[-1]", "{}.reshape(-1)", "np.flip({})",
         "{}.swapaxes(0, -1)", "{}[::-1][:]", "{}.ravel()"]
NUMBERS = ["0", "1", "-1", "2", "0.5", "k", "255", "2 ** 40", "np.float32(1.5)", "np.int8(-3)"]
DTYPES = ["f8", "f8", "f8", "f4", "i8", "i4", "i1", "u1", "u8", "?", "f2", "c16", ">f8"]
SHAPES = [(0,), (1,), (2,), (7,), (8,), (9,), (64,), (65,), (1023,), (1025,), (4097,), (2, 3),
          (8, 8), (3, 1025), (129, 9), (5, 0), (2, 3, 4), (4, 1, 9)]
SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 5e-324, 1e300, -1e300, 2.0 ** 63, 127.5, 300.0]


class StoredArrays(Text):
    """Writes `f(x, y, z, k, ix)`: three arrays, an int, an array of indices.

    values  of the names, as the lines so far leave them; a line that raises is left out.
    """

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.arguments = self._arguments()
        self.values = dict(zip(("x", "y", "z", "k", "ix"), self.arguments, strict=True))
        self.names = ["x", "y", "z"]
        for _ in range(random.randint(3, 9)):
            self.statement()

    def _arguments(self) -> tuple[Any, ...]:
        r, shape = self.random, self.random.choice(SHAPES)
        dtypes = [r.choice(DTYPES)] * 3 if self.chance(0.5) else [r.choice(DTYPES) for _ in "xyz"]
        x, y, z = (self.array(s, d) for s, d in zip(
            (shape, r.choice([shape, shape, shape[1:]]), shape), dtypes, strict=True))
        z = r.choice([z] * 8 + [x, x[::-1]])
        return x, y, z, r.choice([0, 1, 2, 3]), np.array([0, -1, 0]) if shape[0] else np.arange(0)

    def array(self, shape: tuple[int, ...], dtype: str) -> Any:
        g, d = np.random.default_rng(self.random.getrandbits(32)), np.dtype(dtype)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            x = np.asarray(g.normal(size=shape) * 3)
            if d.kind in "fc" and self.chance(0.4):
                x = np.where(g.random(shape) < 0.1, g.choice(SPECIAL, size=shape), x)
            made = np.asarray(np.abs(x) if d.kind == "u" else x).astype(d)
        how = self.random.random()
        if how < 0.1 or not made.ndim:
            return np.asfortranarray(made)
        if how < 0.2:
            return np.repeat(made, 2, axis=-1)[..., ::2]
        return made[::-1].copy()[::-1] if how < 0.3 else made

    # -- statements --------------------------------------------------------------------------------

    def statement(self) -> None:
        name = f"v{len(self.lines)}"
        line, values = self.line(name), dict(self.values)
        given = [v.copy() if isinstance(v, np.ndarray) else v for v in self.arguments]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                exec("\n".join([*self.lines, line]), {"np": np}, values | dict(zip(
                    ("x", "y", "z", "k", "ix"), given, strict=True)))
                exec(line, {"np": np}, values)
            except Exception:
                return
        made = values.get(name, 0.0)
        if np.asarray(made).dtype.kind in "biufc" and np.size(made) < 50_000:
            self.lines.append(line)
            self.values = values
            self.names += [name] * (name in values)

    def line(self, name: str) -> str:
        kind, target = self.random.random(), self.pick(*self.names)
        if kind < 0.4:
            return f"{name} = {self.number(2)}"
        if kind < 0.5:
            return f"{name} = {self.view(target)}"
        if kind < 0.6:
            return f"{target} {self.pick(*AUGMENTED[3:])}= {self.number(1)}"
        if kind < 0.65:
            return f"np.{self.pick('add', 'multiply', 'maximum')}({target}, " \
                   f"{self.number(0)}, out={target})"
        place = self.pick(f"{target}[{self.pick(*SLICES)}]", f"{target}[{self.pick(*SLICES)}]",
                          f"{target}[{self.pick(*SLICES)}][{self.pick(*SLICES)}]", f"{target}[k]",
                          f"{target}[{target} > 0]", f"{target}[ix]", f"{target}[...]",
                          f"{target}[..., {self.pick(*SLICES)}]")
        value = self.pick(self.view(target), self.view(target), self.number(1), self.number(0))
        return f"{place} {self.pick(*AUGMENTED)}= {value}"

    def view(self, name: str) -> str:
        if self.chance(0.6):
            return f"{name}[{self.pick(*SLICES)}]"
        return self.pick(*VIEWS).format(name)

    def number(self, depth: int) -> str:
        kind, name = self.random.random(), self.pick(*self.names, *self.names[-2:])
        if depth == 0 or kind < 0.2:
            return self.pick(name, name, self.view(name), self.pick(*NUMBERS))
        if kind < 0.6:
            return f"({self.number(depth - 1)} {self.pick(*SIGNS)} {self.number(depth - 1)})"
        forms = UNARY if kind < 0.75 else BINARY if kind < 0.88 else OTHERS
        form = self.pick(*forms)
        return form.format(*[f"({self.number(depth - 1)})"] * form.count("{}"))

    def source(self) -> str:
        body = "".join(f"    {line}\n" for line in self.lines)
        made = "".join(f"{name}, " for name in self.names[3:])
        return f"import numpy as np\ndef f(x, y, z, k, ix):\n{body}    return {made}k\n"
