"""Collatz: how many steps until 1, a `while` whose end depends on the data."""

import numpy as np

import autograph as ag


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


def main():
    # A NumPy number is symbolic: one graph serves every int64. A Python number would be a constant.
    for start in (1, 27, 97, 871, 6171, 77031, 837799):
        print(f"{start:>7} reaches 1 after {collatz(np.int64(start))} steps")


if __name__ == "__main__":
    main()
