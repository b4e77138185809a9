"""Functions to be explained, drawn and checked; what they hold is said beside each."""

import numpy as np

import autograph as ag

weights = np.array([0.25, 0.5, 0.25])


def smooth(x):
    for k in range(3):
        x = x * weights[k]
    return x


@ag.function
def settle(grid, limit, verbose=False):
    """Loop, branch, call, unrolled loop, update in place, try; and <b>markup</b> & "quotes"."""
    steps = 0
    scale = limit * 2
    if verbose:
        print("tracing", scale, "</script><script>alert(1)</script>")
    while np.max(np.abs(grid)) > limit:
        grid = smooth(grid)
        if grid[0] > 1:
            grid[0] = 0.5
        steps += 1
    if verbose:
        return grid, None
    history = [steps]
    try:
        grid[-1] += 1
    finally:
        pass
    return grid, history


@ag.function
def fade(x, rounds=20):
    y = x * 1.0
    for i in range(rounds):
        y[i % 3] = y[(i + 1) % 3] / 2
    return y, x


@ag.function
def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@ag.function
def noisy(x):
    ag.print("x is", x)
    return x + np.random.random()  # noqa: NPY002


@ag.function
def long(x):
    for _ in range(8):
        x = (((x + 1) * 2 - 3) / 4 + 5) * 6 - 7
        x = (((x + 1) * 2 - 3) / 4 + 5) * 6 - 7
        x = (((x + 1) * 2 - 3) / 4 + 5) * 6 - 7
        x = (((x + 1) * 2 - 3) / 4 + 5) * 6 - 7
    return x


@ag.function
def wide(*xs):
    return [np.sqrt(np.abs(x) + 1) for x in xs]


@ag.function
def huge(x):
    for a in range(8):
        ag.set_loop_options(unroll=True)
        for b in range(8):
            ag.set_loop_options(unroll=True)
            for _ in range(8):
                ag.set_loop_options(unroll=True)
                x = (x + a) * (b + 2) - 1
                x = np.sin(x)
    return x


GRID = np.array([100.0, 3.0, -50.0])


@ag.function
def near_and_far(x):
    """Nearly six hundred nodes that depend on one another near and far."""
    made = [x, x + 1, x + 2]
    for i in range(145):
        ag.set_loop_options(unroll=True)
        made.append(np.sin(x + i) * made[-1] + made[i // 2])
    return made[-1]
