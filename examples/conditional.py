"""An `if` that depends on the data: both branches are in the graph, one of them runs."""

import numpy as np

import autograph as ag


@ag.function
def conditional_function(x):
    if np.sum(x) > 0:
        # This branch uses np.abs
        return np.abs(x)
    else:
        # This branch uses np.square
        return np.square(x)


def main():
    # Call with a positive sum
    print(conditional_function(np.array([1, 2, -1])))
    # Call with a negative sum
    print(conditional_function(np.array([-1, -2, 1])))


if __name__ == "__main__":
    main()
