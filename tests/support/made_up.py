"""Made-up arguments for functions of which nothing is known."""

from __future__ import annotations

from typing import Any

import numpy as np


def made_up(seed: int) -> list[tuple[Any, ...]]:
    """Argument sets, from the likeliest to the least likely."""
    rng = np.random.default_rng(seed)
    v, w = rng.normal(size=24), rng.normal(size=24)
    p, m = rng.uniform(0.1, 0.9, size=24), rng.normal(size=(8, 3))
    image = rng.uniform(size=(16, 16))
    labels, other = rng.permutation(np.arange(24) % 3), rng.permutation(np.arange(24) % 3)
    mask, square = image > 0.5, m.T @ m + np.eye(3)
    n, numbers = int(rng.integers(2, 7)), rng.integers(0, 20, 8)
    text = "".join(rng.choice(list("abcab"), 9))
    return [(v,), (m,), (image,), (v, w), (labels, other), (m, v[:8]), (v[:8], m), (m, m * 2),
            (p,), (p, v), (v, 2), (m, 2), (image, 2), (mask,), (labels,), (image, image[::-1]),
            (image, mask), (square,), (square, v[:3]), (labels, p), (v, w, p), (v, "db1"),
            (image[..., None] * np.ones(3),), (float(v[0]),), (float(p[0]),), (int(labels[0]) + 2,),
            (v.tolist(),), (2, v.tolist()), (v[0], w[0]), (labels.tolist(), 2), (np.abs, v),
            (np.abs, v.tolist()), (float(p[0]), float(p[1])), (p[0], p[1], p[2]),
            (numbers.tolist(),), (np.array(n),), (text,), (numbers.tolist(), n),
            (np.array(numbers), n), (n, n + 2), (np.array(n), np.array(n + 2)), (text, text[::-1]),
            (m.tolist(),), (numbers.tolist(), 0, 7), (np.array(numbers), 0, 7), (text, n),
            (m, labels[:8], n), (n, n, n)]
