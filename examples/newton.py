"""Newton's method: leaves the loop when the step is small enough, gives up after a while."""

import numpy as np

import autograph as ag


def value_and_slope(coefficients, x):
    """A polynomial (highest power first) and its derivative at x, by Horner's rule."""
    value, slope = 0.0, 0.0
    for c in coefficients:
        slope = slope * x + value
        value = value * x + c
    return value, slope


@ag.function
def newton(coefficients, x, tolerance=1e-12, limit=100):
    """A root near x and the number of steps; NaN if the slope vanishes on the way."""
    for step in range(limit):
        value, slope = value_and_slope(coefficients, x)
        if slope == 0:
            return np.nan, step
        change = value / slope
        x = x - change
        if abs(change) < tolerance * max(1.0, abs(x)):
            return x, step + 1
    return np.nan, limit


def main():
    cubic = np.array([1.0, 0.0, -2.0, -5.0])
    for start in (2.0, -10.0, 1e3):
        root, steps = newton(cubic, np.float64(start))
        print(f"x^3 - 2x - 5 = 0 from {start:>6}: {root:.12f} in {steps} steps")
    root, steps = newton(np.array([1.0, 0.0, 1.0]), np.float64(0.0))
    print(f"x^2 + 1 = 0 from 0: {root} after {steps} steps (the slope is zero)")


if __name__ == "__main__":
    main()
