"""A Kalman filter whose noise levels are fitted by the gradient of the likelihood."""

import sys

import numpy as np

import autograph as ag

MOVE = np.array([[1.0, 1.0], [0.0, 1.0]])
NOISE = np.array([[1 / 3, 1 / 2], [1 / 2, 1.0]])


def filtered(levels, seen):
    """The likelihood's negative logarithm, a position for each time, and its variance.

    levels: the logarithms of two variances, that of the motion and that of what is seen.
    """
    motion, blur = np.exp(levels[0]), np.exp(levels[1])
    state, p = np.array([seen[0], 0.0]), np.eye(2)
    positions, variances = np.zeros(len(seen)), np.zeros(len(seen))
    total = 0.0
    for t in range(len(seen)):
        state = MOVE @ state
        p = MOVE @ p @ MOVE.T + motion * NOISE
        s = p[0, 0] + blur
        error = seen[t] - state[0]
        gain = p[:, 0] / s
        state = state + gain * error
        p = p - np.outer(gain, p[0])
        total = total + 0.5 * (error * error / s + np.log(s))
        positions[t] = state[0]
        variances[t] = p[0, 0]
    return total, positions, variances


def loss(levels, seen):
    return filtered(levels, seen)[0] / len(seen)


@ag.function
def fit(levels, seen, rate=2.0, steps=150):
    """Gradient descent, and the loss of each step."""
    losses = np.zeros(steps)
    for k in range(steps):
        value, gradient = ag.value_and_grad(loss)(levels, seen)
        levels = levels - rate * gradient
        losses[k] = value
    return levels, losses


def data(count=120, motion=0.02, blur=4.0, seed=1):
    """Positions of something that wanders, and what is seen of them."""
    rng = np.random.default_rng(seed)
    state, positions = np.array([0.0, 0.5]), []
    for _ in range(count):
        state = MOVE @ state + rng.multivariate_normal([0.0, 0.0], motion * NOISE)
        positions.append(state[0])
    return np.array(positions), np.array(positions) + rng.normal(size=count) * np.sqrt(blur)


def main():
    positions, seen = data()
    levels, losses = fit(np.array([0.0, 0.0]), seen)
    motion, blur = np.exp(levels)
    print(f"the variance of the motion is {motion:.3f} (truly 0.02), of the view {blur:.2f} (4)")
    off = np.sqrt(np.mean((filtered(levels, seen)[1] - positions) ** 2))
    print(f"the loss fell from {losses[0]:.3f} to {losses[-1]:.3f}; positions are {off:.2f} off, "
          f"{np.sqrt(np.mean((seen - positions) ** 2)):.2f} before")


def plot(path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    positions, seen = data()
    start = np.array([0.0, 0.0])
    levels, _ = fit(start, seen)
    figure, axes = pyplot.subplots(figsize=(8, 3.6), layout="constrained")
    axes.axhline(0.0, color="black", linewidth=0.8)
    axes.plot(seen - positions, ".", color="0.6", label="seen")
    axes.plot(filtered(start, seen)[1] - positions, color="tab:orange", label="before the fit")
    _, found, variances = filtered(levels, seen)
    off, width = found - positions, 2 * np.sqrt(variances)
    axes.plot(off, color="tab:blue", label="fitted, with two standard deviations")
    axes.fill_between(range(len(seen)), off - width, off + width, color="tab:blue", alpha=0.2)
    axes.set(xlabel="time", ylabel="distance from the true position")
    axes.legend(fontsize=8)
    figure.savefig(path, dpi=90)


if __name__ == "__main__":
    plot(sys.argv[1]) if len(sys.argv) > 1 else main()
