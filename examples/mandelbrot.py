"""The Mandelbrot set with masks: only points that have not escaped are iterated."""

import numpy as np

import autograph as ag


@ag.function
def mandelbrot(c, limit):
    """For each point, the iteration at which it escapes; `limit` for those that stay."""
    z = np.zeros_like(c)
    escaped_at = np.full(c.shape, limit)
    alive = np.ones(c.shape, dtype=bool)
    for i in range(limit):
        z[alive] = z[alive] ** 2 + c[alive]
        gone = alive & (np.abs(z) > 2)
        escaped_at[gone] = i
        alive &= ~gone
        if not alive.any():
            break
    return escaped_at


def grid(width, height):
    x = np.linspace(-2.2, 0.8, width)
    y = np.linspace(-1.2, 1.2, height)
    return x + 1j * y[:, np.newaxis]


def main():
    shades = np.array(list(" .:-=+*%@#"))
    counts = mandelbrot(grid(72, 24), 50)
    for row in shades[np.minimum(counts // 5, 9)]:
        print("".join(row))


if __name__ == "__main__":
    main()
