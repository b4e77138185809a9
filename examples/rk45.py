"""Adaptive Runge-Kutta-Fehlberg 4(5) on the Van der Pol oscillator: rejected steps are redone."""

import numpy as np

import autograph as ag

MU = 2.0


def van_der_pol(y):
    return np.array([y[1], MU * (1 - y[0] * y[0]) * y[1] - y[0]])


def stages(y, h):
    k1 = van_der_pol(y)
    k2 = van_der_pol(y + h * (k1 / 4))
    k3 = van_der_pol(y + h * (3 / 32 * k1 + 9 / 32 * k2))
    k4 = van_der_pol(y + h * (1932 / 2197 * k1 - 7200 / 2197 * k2 + 7296 / 2197 * k3))
    k5 = van_der_pol(y + h * (439 / 216 * k1 - 8 * k2 + 3680 / 513 * k3 - 845 / 4104 * k4))
    k6 = van_der_pol(y + h * (-8 / 27 * k1 + 2 * k2 - 3544 / 2565 * k3 + 1859 / 4104 * k4
                              - 11 / 40 * k5))
    return k1, k3, k4, k5, k6


@ag.function
def integrate(y, t_end, tolerance):
    t, h = 0.0, 0.01
    accepted = rejected = 0
    while t < t_end:
        h = min(h, t_end - t)
        k1, k3, k4, k5, k6 = stages(y, h)
        error = h * np.max(np.abs(k1 / 360 - 128 / 4275 * k3 - 2197 / 75240 * k4
                                  + k5 / 50 + 2 / 55 * k6))
        if error <= tolerance:
            t += h
            y = y + h * (25 / 216 * k1 + 1408 / 2565 * k3 + 2197 / 4104 * k4 - k5 / 5)
            accepted += 1
        else:
            rejected += 1
        h *= min(4.0, max(0.1, 0.9 * (tolerance / (error + 1e-30)) ** 0.2))
    return y, accepted, rejected


def main():
    for tolerance in (1e-3, 1e-6, 1e-9):
        y, accepted, rejected = integrate(np.array([2.0, 0.0]), np.float64(20.0),
                                          np.float64(tolerance))
        print(f"tolerance {tolerance:g}: y(20) = ({y[0]:+.6f}, {y[1]:+.6f}), "
              f"{accepted} steps, {rejected} rejected")


if __name__ == "__main__":
    main()
