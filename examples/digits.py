"""A network with one hidden layer learns to read the digits that come with scikit-learn."""

import sys

import numpy as np

import autograph as ag


def scores(network, images):
    """The logarithms of the ten probabilities of each image."""
    w, b, v, c = network
    z = np.tanh(images @ w + b) @ v + c
    z = z - np.max(z, axis=1, keepdims=True)
    return z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))


def loss(network, images, labels):
    """The mean cross entropy; a row of `labels` is 1 at the digit, and 0 elsewhere."""
    return -np.sum(scores(network, images) * labels) / len(images)


@ag.function
def step(network, speed, images, labels, rate=0.2, momentum=0.9):
    """One step of gradient descent with momentum; gives the network, its speed and the loss."""
    value, gradient = ag.value_and_grad(loss)(network, images, labels)
    speed = [momentum * s - rate * g for s, g in zip(speed, gradient, strict=True)]
    return [p + s for p, s in zip(network, speed, strict=True)], speed, value


def new_network(inputs=64, hidden=32, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(inputs, hidden)) / 8.0, np.zeros(hidden),
            rng.normal(size=(hidden, 10)) / 6.0, np.zeros(10)]


def train(images, labels, epochs=15, batch=32, seed=0):
    """The network, and the loss of every step."""
    rng = np.random.default_rng(seed)
    network = new_network()
    speed, losses = [np.zeros_like(p) for p in network], []
    for _ in range(epochs):
        order = rng.permutation(len(images))
        for k in range(0, len(images) - batch + 1, batch):
            chosen = order[k:k + batch]
            network, speed, value = step(network, speed, images[chosen], labels[chosen])
            losses.append(float(value))
    return network, losses


def data():
    """Images and labels, 1,400 to learn from and the others to test with."""
    from sklearn.datasets import load_digits  # of the extra `examples`

    found = load_digits()
    images, labels = found.data / 16.0, np.eye(10)[found.target]
    return (images[:1400], labels[:1400]), (images[1400:], labels[1400:])


def accuracy(network, images, labels):
    return np.mean(np.argmax(scores(network, images), 1) == np.argmax(labels, 1))


def main():
    training, test = data()
    network, losses = train(*training)
    print(f"{len(losses)} steps; the loss fell from {losses[0]:.2f} to {np.mean(losses[-40:]):.3f}")
    print(f"of {len(test[0])} digits that it never saw, it reads {accuracy(network, *test):.1%}")


def plot(path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    training, (images, labels) = data()
    network, losses = train(*training)
    said, truth = np.argmax(scores(network, images), 1), np.argmax(labels, 1)
    chosen = [*np.flatnonzero(said != truth)[:5], *np.flatnonzero(said == truth)[:15]]
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(8.5, 3.6), layout="constrained")
    left.semilogy(losses, linewidth=0.6)
    left.set(xlabel="step", ylabel="loss", title=f"{accuracy(network, images, labels):.1%} right")
    tiles = [np.pad(images[k].reshape(8, 8), 1) for k in chosen]
    right.imshow(np.block([tiles[k:k + 5] for k in range(0, 20, 5)]), cmap="gray_r")
    for n, k in enumerate(chosen):
        colour = "tab:green" if said[k] == truth[k] else "tab:red"
        right.text(n % 5 * 10 + 0.3, n // 5 * 10 + 2.0, str(said[k]), color=colour, weight="bold")
    right.set_axis_off()
    right.set_title("what it reads; first row: five of its mistakes")
    figure.savefig(path, dpi=90)


if __name__ == "__main__":
    plot(sys.argv[1]) if len(sys.argv) > 1 else main()
