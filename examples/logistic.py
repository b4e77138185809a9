"""Logistic regression: gradient descent as one graph, with the gradient taken inside its loop."""

import sys

import numpy as np

import autograph as ag


def loss(weights, x, y):
    """The cross entropy of labels 0 and 1, with a little weight decay."""
    p = 1.0 / (1.0 + np.exp(-(x @ weights["slope"] + weights["offset"])))
    entropy = -np.mean(y * np.log(p) + (1.0 - y) * np.log(1.0 - p))
    return entropy + 1e-3 * np.sum(weights["slope"] ** 2)


@ag.function
def fit(weights, x, y, rate=1.0, tolerance=1e-4):
    """Gradient descent until no component of the gradient is large."""
    steps = 0
    gradient = ag.grad(loss)(weights, x, y)
    while np.max(np.abs(gradient["slope"])) > tolerance:
        weights = {name: weights[name] - rate * gradient[name] for name in weights}
        gradient = ag.grad(loss)(weights, x, y)
        steps += 1
    return weights, steps


def data(count=200, seed=0):
    """Two clouds of points, and the number of the cloud that each is from."""
    rng = np.random.default_rng(seed)
    y = np.arange(count) % 2.0
    centre = np.where(y[:, None] == 1.0, [1.0, 0.5], [-1.0, -0.5])
    return centre + rng.normal(size=(count, 2)) * [0.8, 1.0], y


def start():
    return {"slope": np.zeros(2), "offset": np.float64(0.0)}


def main():
    x, y = data()
    weights, steps = fit(start(), x, y)
    right = np.mean((x @ weights["slope"] + weights["offset"] > 0) == y)
    print(f"{steps} steps; the loss is {loss(weights, x, y):.4f}, {right:.1%} of the points fit")


def plot(path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    x, y = data()
    weights, _ = fit(start(), x, y)
    a, b = np.meshgrid(np.linspace(-4, 4, 200), np.linspace(-4, 4, 200))
    p = 1.0 / (1.0 + np.exp(-(np.stack([a, b], -1) @ weights["slope"] + weights["offset"])))
    figure, axes = pyplot.subplots(figsize=(4.5, 4), layout="constrained")
    shades = axes.contourf(a, b, p, np.linspace(0, 1, 11), cmap="RdBu", alpha=0.6)
    axes.contour(a, b, p, [0.5], colors="black")
    axes.scatter(*x[y == 0].T, s=12, color="firebrick", label="0")
    axes.scatter(*x[y == 1].T, s=12, color="navy", label="1")
    axes.legend(title="label", loc="upper left")
    figure.colorbar(shades, label="probability of 1")
    figure.savefig(path, dpi=90)


if __name__ == "__main__":
    plot(sys.argv[1]) if len(sys.argv) > 1 else main()
