"""Makes random expressions of every second or third element of vectors of any length."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from tests.random.open_lengths import FIRST

PARTS = {2: ("::2", "1::2", ":-1:2", "1:-1:2"), 3: ("::3", "1::3", "2::3", ":-2:3")}
ENDS = ("{}", "{}", "({}).sum()", "({}).mean()", "({}).max()",
        "(lambda t: (t, t * 2, t.sum()))({})", "(lambda t: t - t.mean())({})",
        "np.where(({}) > 0, 1.0, 2.0)")
SMALL, LARGE = (1, 2, 4, 5), (1, 2, 3, 8, 9, 40, 512, 513, 1030, 4100)


class Steps:
    """An expression of parts of vectors `u` and `v`, a vector of their length and a number."""

    def __init__(self, random: Random) -> None:
        self.random, self.step = random, random.choice([2, 2, 3])
        terms = [f"{random.choice('uv')}[{random.choice(PARTS[self.step])}]"
                 for _ in range(random.randint(1, 4))]
        terms += random.sample(["w", "n", "0.25", "w[::-1]"], random.randint(0, 2))
        random.shuffle(terms)
        made = terms[0]
        for term in terms[1:]:
            made = f"({made} {random.choice('+-*')} {term})"
        if random.random() < 0.4:
            made = random.choice(["np.sin", "np.exp", "np.abs", "np.sqrt"]) + f"({made})"
        self.text = random.choice(ENDS).format(made)

    def source(self) -> str:
        return f"import numpy as np\ndef f(u, v, w, n):\n    return {self.text}\n"

    def given(self, call: int) -> tuple[Any, ...]:
        """Returns arguments for a call of this number."""
        n = self.random.choice(SMALL if call < FIRST else LARGE)
        return (self.vector(self.step * n), self.vector(self.step * n), self.vector(n),
                self.random.choice([2, 0.5, np.float64(3)]))

    def vector(self, n: int) -> Any:
        """Returns numbers with other things between them, or none."""
        random, r = self.random, np.random.default_rng(self.random.getrandbits(32))
        x = r.normal(size=3 * n)
        if random.random() < 0.1:
            x[r.random(x.shape) < 0.02] = random.choice([np.nan, np.inf, -0.0])
        return random.choice([x[:n].copy(), x[:n].copy(), x[n:2 * n], x[::3], x[::-1][:n],
                              x[:n].astype(np.float32), np.broadcast_to(x[:1], n)])
