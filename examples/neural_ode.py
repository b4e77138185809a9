"""A neural ODE: a network is the right side of a differential equation, which an adaptive solver
integrates; the gradient goes through the solver's `while`."""

import sys

import numpy as np

import autograph as ag


def slope(network, y):
    """The right side: a network of the cubes of the state, as the true one is linear in them."""
    w, b, v = network
    return np.tanh((y ** 3) @ w + b) @ v


def advance(network, y, span, tolerance):
    """Integrates over a time span by Heun's method, with steps that fit the error."""
    t, h = 0.0, 0.05
    while t < span:
        h = min(h, span - t)
        k1 = slope(network, y)
        k2 = slope(network, y + h * k1)
        error = np.max(np.abs(k2 - k1)) * h / 2
        if error <= tolerance:
            t, y = t + h, y + h * (k1 + k2) / 2
        h = h * min(2.0, max(0.3, 0.9 * np.sqrt(tolerance / (error + 1e-12))))
    return y


def loss(network, states, span, tolerance):
    """The mean square of the errors of all states, each predicted from the one before."""
    return np.mean((advance(network, states[:-1], span, tolerance) - states[1:]) ** 2)


@ag.function
def step(network, moments, states, number, span=0.1, rate=0.01, tolerance=1e-3):
    """One step of Adam; gives the network, its moments and the loss."""
    value, gradient = ag.value_and_grad(loss)(network, states, span, tolerance)
    first = [0.9 * m + 0.1 * g for (m, _), g in zip(moments, gradient, strict=True)]
    second = [0.99 * s + 0.01 * g * g for (_, s), g in zip(moments, gradient, strict=True)]
    a, b = 1.0 - 0.9 ** number, 1.0 - 0.99 ** number
    network = [p - rate * (m / a) / (np.sqrt(s / b) + 1e-8)
               for p, m, s in zip(network, first, second, strict=True)]
    return network, list(zip(first, second, strict=True)), value


def truth(count=60, span=0.1):
    """States of a damped spiral, `dy/dt = A y**3`, at equal times, by many small steps."""
    matrix = np.array([[-0.1, 2.0], [-2.0, -0.1]])
    states, y = [], np.array([2.0, 0.0])
    for _ in range(count):
        states.append(y)
        for _ in range(200):
            middle = y + span / 400 * (y ** 3 @ matrix)
            y = y + span / 200 * (middle ** 3 @ matrix)
    return np.array(states)


def new_network(hidden=16, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(2, hidden)) * 0.3, np.zeros(hidden),
            rng.normal(size=(hidden, 2)) * 0.3]


def train(states, steps):
    network = new_network()
    moments, losses = [(np.zeros_like(p), np.zeros_like(p)) for p in network], []
    for number in range(1, steps + 1):
        network, moments, value = step(network, moments, states, np.float64(number))
        losses.append(float(value))
    return network, losses


def path_of(network, start, count, span=0.1):
    """The states that the network predicts from the first one alone."""
    states = [start]
    for _ in range(count - 1):
        states.append(advance(network, states[-1][None], span, 1e-4)[0])
    return np.array(states)


def main():
    states = truth()
    network, losses = train(states, 120)
    print(f"the loss fell from {losses[0]:.4f} to {losses[-1]:.6f} in {len(losses)} steps")
    shift = np.max(np.abs(path_of(network, states[0], len(states)) - states))
    print(f"from the first state alone, the predicted path is {shift:.2f} off at most")


def plot(path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    states = truth()
    network, losses = train(states, 400)
    predicted = path_of(network, states[0], len(states))
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
    left.semilogy(losses)
    left.set(xlabel="step", ylabel="loss")
    a, b = np.meshgrid(np.linspace(-2.3, 2.3, 16), np.linspace(-2.3, 2.3, 16))
    u, v = np.moveaxis(slope(network, np.stack([a, b], -1)), -1, 0)
    right.quiver(a, b, u, v, color="0.75")
    right.plot(*states.T, "o", markersize=4, label="observed")
    right.plot(*predicted.T, label="predicted from the first state")
    right.set_ylim(-2.5, 3.4)
    right.legend(loc="upper right", fontsize=8)
    right.set_aspect("equal")
    figure.savefig(path, dpi=90)


if __name__ == "__main__":
    plot(sys.argv[1]) if len(sys.argv) > 1 else main()
