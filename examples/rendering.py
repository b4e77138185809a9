"""Inverse rendering: from a picture of three discs back to where they are, how large, and which
colours they have, by the gradient of the renderer."""

import sys

import numpy as np

import autograph as ag

SIDE = 48


def render(scene):
    """A picture of discs, the later ones in front; their edges are soft, so that they have a
    derivative.

    scene: for each disc its centre (x, y), radius, and colour (red, green, blue).
    """
    axis = (np.arange(SIDE) + 0.5) / SIDE
    picture = np.ones((SIDE, SIDE, 3))
    for k in range(len(scene)):
        x, y, radius = scene[k, 0], scene[k, 1], scene[k, 2]
        distance = np.sqrt((axis[None, :] - x) ** 2 + (axis[:, None] - y) ** 2 + 1e-9)
        cover = 1.0 / (1.0 + np.exp((distance - radius) * 60.0))
        picture = picture + cover[:, :, None] * (scene[k, 3:] - picture)
    return picture


def loss(scene, target):
    return np.mean((render(scene) - target) ** 2)


@ag.function
def fit(scene, target, steps=400, rate=0.01):
    """Adam for some steps; gives the scene, and the loss of each step."""
    first, second = np.zeros_like(scene), np.zeros_like(scene)
    losses = np.zeros(steps)
    for k in range(steps):
        value, g = ag.value_and_grad(loss)(scene, target)
        first = 0.9 * first + 0.1 * g
        second = 0.99 * second + 0.01 * g * g
        scale = np.sqrt(1.0 - 0.99 ** (k + 1.0)) / (1.0 - 0.9 ** (k + 1.0))
        scene = scene - rate * scale * first / (np.sqrt(second) + 1e-8)
        losses[k] = value
    return scene, losses


def true_scene():
    return np.array([[0.35, 0.40, 0.24, 0.85, 0.20, 0.15],
                     [0.65, 0.45, 0.18, 0.15, 0.45, 0.80],
                     [0.50, 0.72, 0.15, 0.95, 0.75, 0.10]])


def start():
    """Three small grey discs, about where something is."""
    return np.array([[0.25, 0.30, 0.15, 0.5, 0.5, 0.5],
                     [0.75, 0.35, 0.15, 0.5, 0.5, 0.5],
                     [0.45, 0.85, 0.15, 0.5, 0.5, 0.5]])


def main():
    scene, losses = fit(start(), render(true_scene()))
    print(f"the loss fell from {losses[0]:.4f} to {losses[-1]:.1e} in {len(losses)} steps")
    print(f"no number of the scene is off by more than {np.max(np.abs(scene - true_scene())):.3f}")


def plot(path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    target = render(true_scene())
    pictures = {"given": target, "start": render(start())}
    for steps in (20, 60, 400):
        pictures[f"after {steps} steps"] = render(fit(start(), target, steps)[0])
    figure, axes = pyplot.subplots(1, len(pictures), figsize=(9, 2.1), layout="constrained")
    for place, (title, picture) in zip(axes, pictures.items(), strict=True):
        place.imshow(np.clip(picture, 0, 1))
        place.set_title(title, fontsize=9)
        place.set_axis_off()
    figure.savefig(path, dpi=90)


if __name__ == "__main__":
    plot(sys.argv[1]) if len(sys.argv) > 1 else main()
