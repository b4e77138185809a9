"""L-BFGS: a minimiser that knows the curvature from its last few steps, as one graph."""

import sys

import numpy as np

import autograph as ag


def rosenbrock(x):
    """A curved valley; the minimum is 0, where every coordinate is 1."""
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def direction(g, steps, changes, count):
    """The gradient times the inverse of the curvature, by the two loops of the method."""
    size = len(steps)
    weights = np.zeros(size)
    q = g.copy()
    for k in range(count - 1, max(count - size, 0) - 1, -1):
        s, y = steps[k % size], changes[k % size]
        weights[k % size] = (s @ q) / (s @ y)
        q = q - weights[k % size] * y
    if count > 0:
        s, y = steps[(count - 1) % size], changes[(count - 1) % size]
        q = q * ((s @ y) / (y @ y))
    for k in range(max(count - size, 0), count):
        s, y = steps[k % size], changes[k % size]
        q = q + (weights[k % size] - (y @ q) / (s @ y)) * s
    return q


@ag.function
def minimise(x, memory=5, tolerance=1e-8, limit=200):
    """A minimum of Rosenbrock's function, the points on the way to it, and their number."""
    steps, changes = np.zeros((memory, len(x))), np.zeros((memory, len(x)))
    path = np.zeros((limit + 1, len(x)))
    path[0] = x
    count = pairs = 0
    value, g = ag.value_and_grad(rosenbrock)(x)
    while np.max(np.abs(g)) > tolerance and count < limit:
        d = direction(g, steps, changes, pairs)
        rate = 1.0
        while rosenbrock(x - rate * d) > value - 1e-4 * rate * (g @ d):
            rate = rate * 0.5
        before = g
        x = x - rate * d
        value, g = ag.value_and_grad(rosenbrock)(x)
        if d @ (g - before) < 0:  # the curvature along the step is positive
            steps[pairs % memory] = -rate * d
            changes[pairs % memory] = g - before
            pairs += 1
        count += 1
        path[count] = x
    return x, path, count


def main():
    for start in ([-1.5, 2.0], [-1.0] * 20):
        x, _, steps = minimise(np.array(start))
        print(f"{len(start)} coordinates: {steps} steps to {rosenbrock(x):.1e}, "
              f"off by {np.max(np.abs(x - 1)):.0e} at most")


def plot(path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    a, b = np.meshgrid(np.linspace(-2, 2, 300), np.linspace(-1, 3, 300))
    values = 100.0 * (b - a ** 2) ** 2 + (1.0 - a) ** 2
    figure, axes = pyplot.subplots(figsize=(5, 4), layout="constrained")
    axes.contour(a, b, values, np.logspace(-1, 3.5, 12), cmap="Greys_r", linewidths=0.6)
    for start, colour in (([-1.5, 2.0], "tab:blue"), ([0.0, -0.8], "tab:orange")):
        _, points, count = minimise(np.array(start))
        axes.plot(*points[:count + 1].T, "o-", markersize=3, linewidth=1, color=colour,
                  label=f"{count} steps")
    axes.plot(1, 1, "*", color="tab:red", markersize=12, label="minimum")
    axes.legend(loc="lower right", fontsize=8)
    figure.savefig(path, dpi=90)


if __name__ == "__main__":
    plot(sys.argv[1]) if len(sys.argv) > 1 else main()
