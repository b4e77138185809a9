"""Lists that only the run knows, changed at both ends in loops: no cotangent is changed that is
still read under another name."""

from typing import Any

import numpy as np

import autograph as ag

X = np.array([0.31, -0.62, 0.53, 0.44])


def changed_at_both_ends(x: Any, n: Any) -> Any:
    s = x[0] * 1.0
    a, b = [x[1], x[2] * x[0]], [x[3] * 1.0]
    for k in range(n):
        b.append(s + 0.5 * s)
        for _ in range(n):
            for _ in range(n):
                if len(a) > 1:
                    a[0] = a[0] * a[-1] + s
                a.append(s * 0.7)
                a.append(x[1] * 0.7)
            if len(a) > 1:
                a[0] = a[0] * a[-1] + x[k]
            b.insert(0, s - s * 0.3)
        if len(b) > 1:
            s = s * 0.5 + b[-1] * b[0]
    if len(b) > 1:
        s = s + b.pop() * s
    while len(a) > 1:
        u, v = a.pop(), a.pop()
        a.append(np.sin(u * v) + u * 0.1)
        if len(a) > 1:
            s = s + a[-2] * 0.3
    return s + sum(a) + sum(b)


def test_the_gradient_is_the_slope() -> None:
    found = ag.function(ag.grad(changed_at_both_ends))(X, np.int64(4))
    slopes = [(changed_at_both_ends(X + e, 4) - changed_at_both_ends(X - e, 4)) / 2e-6
              for e in np.eye(4) * 1e-6]
    np.testing.assert_allclose(found, slopes, rtol=1e-6)
